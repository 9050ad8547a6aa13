//! From submitted buffers to chunks of the body: encoded and compressed in order, on blocking threads, while the next
//! buffer is filled and the last chunk is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arrow::datatypes::{DataType, Field, Fields};
use bytes::Bytes;
use doris_arrow::encode::{Column, Encoder};
use doris_arrow::ipc::batch_from_layout;
use doris_arrow::types::{DorisType, FlinkKind, FlinkType};
use tokio::sync::mpsc;

use super::compress::{CompressType, Compressor};
use super::replay::Producer;
use super::ring::{Buffer, Place};
use super::spec::Input;
use crate::error::{Error, ErrorKind, panicked};
use crate::fe::{TableColumn, TableSchema};
use crate::write::config::WriteConfig;
use crate::write::metrics::Counters;
use crate::write::table_check::{DELETE_SIGN, bounds};

/// Bytes that are worth compressing as a piece of their own.
const PIECE: usize = 512 << 10;

/// Messages from the owner of a load.
#[derive(Debug)]
pub(in crate::write) enum Message {
    /// Rows.
    Rows(Submitted),
    /// There are no more rows.
    Finish,
}

/// A buffer with its rows.
#[derive(Debug)]
pub(in crate::write) struct Submitted {
    pub(in crate::write) buffer: Buffer,
    pub(in crate::write) rows: usize,
    pub(in crate::write) layout: Vec<i64>,
}

/// Turns messages into chunks.
pub(super) struct EncodeTask {
    worker: Worker,
    rows: Arc<AtomicU64>,
}

/// Encodes and compresses the rows of one load. Goes to a blocking thread and back.
pub(in crate::write) struct Worker {
    shape: Shape,
    compressor: Arc<Compressor>,
    counters: Arc<Counters>,
    /// Encoded, not compressed yet.
    pending: Vec<u8>,
    /// All bytes that were encoded.
    encoded: u64,
    /// Whether rows were taken.
    begun: bool,
}

enum Shape {
    Rows {
        fields: Fields,
        encoder: Box<Encoder>,
    },
    /// Bytes as they are; `between` stands between those of two buffers.
    Raw {
        between: Vec<u8>,
    },
}

impl EncodeTask {
    /// A task for rows of this shape. `rows` counts those that were taken.
    pub(super) fn new(
        config: &WriteConfig,
        input: &Input,
        schema: Option<&TableSchema>,
        compressor: Arc<Compressor>,
        counters: Arc<Counters>,
        rows: Arc<AtomicU64>,
    ) -> Result<Self, Error> {
        Ok(Self {
            worker: Worker::new(config, input, schema, compressor, counters, Vec::new())?,
            rows,
        })
    }

    /// Runs until the rows have come to their end. When they end in any other way the body fails with them.
    pub(super) async fn run(
        self,
        messages: &mut mpsc::Receiver<Message>,
        producer: Producer,
    ) -> Result<(), Error> {
        let mut worker = self.worker;
        loop {
            match messages.recv().await {
                Some(Message::Rows(submitted)) => {
                    let rows = submitted.rows as u64;
                    let (chunk, place);
                    (worker, (chunk, place)) = blocking(worker, |w| w.rows(submitted)).await?;
                    self.rows.fetch_add(rows, Relaxed);
                    worker.counters.rows.fetch_add(rows, Relaxed);
                    match chunk {
                        Some(chunk) => producer.push(chunk, Some(place)),
                        None => drop(place),
                    }
                }
                Some(Message::Finish) => {
                    let chunk;
                    (worker, chunk) = blocking(worker, Worker::end).await?;
                    drop(worker);
                    if let Some(chunk) = chunk {
                        producer.push(chunk, None);
                    }
                    producer.finish();
                    return Ok(());
                }
                // The owner is gone without `Finish`: what was sent must never count as a whole load.
                None => return Err(Error::new(ErrorKind::Closed, "the load was closed")),
            }
        }
    }
}

/// Works on a blocking thread and gives the worker back.
pub(in crate::write) async fn blocking<T: Send + 'static>(
    mut worker: Worker,
    work: impl FnOnce(&mut Worker) -> Result<T, Error> + Send + 'static,
) -> Result<(Worker, T), Error> {
    let joined = tokio::task::spawn_blocking(move || work(&mut worker).map(|done| (worker, done))).await;
    match joined {
        Ok(done) => done,
        Err(error) if error.is_panic() => Err(panicked(&*error.into_panic())),
        Err(error) => Err(
            Error::new(ErrorKind::Closed, "the runtime stopped while rows were encoded").with_source(error),
        ),
    }
}

impl Worker {
    /// A worker for rows of this shape; `between` stands between raw bytes of two buffers.
    pub(in crate::write) fn new(
        config: &WriteConfig,
        input: &Input,
        schema: Option<&TableSchema>,
        compressor: Arc<Compressor>,
        counters: Arc<Counters>,
        between: Vec<u8>,
    ) -> Result<Self, Error> {
        let shape = match input {
            Input::Raw { .. } => Shape::Raw { between },
            Input::Rows {
                declared,
                delete_sign,
            } => {
                let mut fields = Vec::with_capacity(declared.len() + 1);
                let mut columns = Vec::with_capacity(declared.len() + 1);
                let properties = &config.properties;
                let sized = schema.map_or_else(
                    || vec![None; declared.len()],
                    |schema| {
                        let by_path = properties.has("jsonpaths");
                        bounds(
                            schema,
                            declared,
                            properties.columns.as_deref(),
                            &properties.format,
                            by_path,
                        )
                    },
                );
                for (field, sized) in declared.iter().zip(sized) {
                    let canonical = field.r#type.canonical().ok_or_else(|| {
                        Error::new(
                            ErrorKind::Unsupported,
                            format!(
                                "column '{}' has type {}, which cannot be written",
                                field.name, field.r#type
                            ),
                        )
                    })?;
                    let found = schema.and_then(|s| s.find(&field.name));
                    let name = found.map_or(&field.name, |c| &c.name);
                    fields.push(Field::new(name, canonical, field.r#type.nullable));
                    columns.push(Column {
                        name: name.clone(),
                        flink: field.r#type.clone(),
                        doris: found.and_then(|c| c.r#type.clone()),
                        cast: found.is_some_and(TableColumn::is_nested),
                        sized,
                        key: found.is_some_and(|c| c.key),
                    });
                }
                if *delete_sign {
                    fields.push(Field::new(DELETE_SIGN, DataType::Int8, false));
                    columns.push(Column {
                        name: DELETE_SIGN.to_owned(),
                        flink: FlinkType {
                            kind: FlinkKind::TinyInt,
                            nullable: false,
                        },
                        doris: Some(DorisType::TinyInt),
                        cast: false,
                        sized: None,
                        key: false,
                    });
                }
                Shape::Rows {
                    fields: fields.into(),
                    encoder: Box::new(Encoder::new(
                        &config.properties.format,
                        columns,
                        config.local_zone,
                    )?),
                }
            }
        };
        Ok(Self {
            shape,
            compressor,
            counters,
            pending: Vec::new(),
            encoded: 0,
            begun: false,
        })
    }

    /// Takes a buffer; the bytes that are complete now, and the buffer's place in the ring.
    pub(in crate::write) fn rows(&mut self, submitted: Submitted) -> Result<(Option<Bytes>, Place), Error> {
        let Submitted { buffer, rows, layout } = submitted;
        let before = self.pending.len();
        let any = std::mem::replace(&mut self.begun, true);
        let pending = &mut self.pending;
        let shape = &mut self.shape;
        let (encoded, place) = buffer.used(|body| -> Result<(), Error> {
            match shape {
                Shape::Rows { fields, encoder } => {
                    let batch = batch_from_layout(fields, rows, body, &layout)?;
                    encoder.encode(&batch, pending)?;
                }
                Shape::Raw { between } => {
                    let used = match layout[..] {
                        [used] => usize::try_from(used).ok(),
                        _ => None,
                    };
                    let bytes = used.and_then(|used| body.get(..used)).ok_or_else(|| {
                        Error::new(
                            ErrorKind::Internal,
                            format!("a layout of {layout:?} for {} raw bytes", body.len()),
                        )
                    })?;
                    if any {
                        pending.extend_from_slice(between);
                    }
                    pending.extend_from_slice(bytes);
                }
            }
            Ok(())
        });
        encoded?;
        self.encoded_more(before);
        let worth = match self.compressor.r#type() {
            CompressType::None => 1,
            _ => PIECE,
        };
        let chunk = if self.pending.len() >= worth {
            self.chunk()?
        } else {
            None
        };
        Ok((chunk, place))
    }

    /// The last bytes.
    pub(in crate::write) fn end(&mut self) -> Result<Option<Bytes>, Error> {
        let before = self.pending.len();
        if let Shape::Rows { encoder, .. } = &mut self.shape {
            encoder.finish(&mut self.pending)?;
        }
        self.encoded_more(before);
        self.chunk()
    }

    /// Bytes encoded so far, before compression.
    pub(in crate::write) fn encoded(&self) -> u64 {
        self.encoded
    }

    /// Bytes of memory that wait to be compressed.
    pub(in crate::write) fn pending(&self) -> usize {
        self.pending.capacity()
    }

    /// Frees memory that is kept for more rows.
    pub(in crate::write) fn shrink(&mut self) {
        self.pending.shrink_to_fit();
    }

    fn encoded_more(&mut self, before: usize) {
        let more = (self.pending.len() - before) as u64;
        self.encoded += more;
        self.counters.encoded_bytes.fetch_add(more, Relaxed);
    }

    /// What is pending as a chunk.
    fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        if self.pending.is_empty() {
            return Ok(None);
        }
        if self.compressor.r#type() == CompressType::None {
            let capacity = self.pending.len();
            let whole = std::mem::replace(&mut self.pending, Vec::with_capacity(capacity));
            return Ok(Some(whole.into()));
        }
        let chunk = self.compressor.compress(&self.pending)?;
        self.pending.clear();
        Ok(Some(chunk))
    }
}
