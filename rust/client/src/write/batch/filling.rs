//! One load of a table: filled buffer by buffer, then cut.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use http::HeaderMap;
use tokio::time::Instant;

use crate::error::Error;
use crate::write::load::driver::unsendable;
use crate::write::load::encode_task::{Submitted, Worker, blocking};
use crate::write::load::memory_limit::Reserved;
use crate::write::load::replay::{ChunkLog, Producer};
use crate::write::load::ring::Place;
use crate::write::load::{Input, LoadSpec, headers};
use crate::write::metrics::Counters;
use crate::write::sink::Sink;

use super::streams::Streams;

/// A load that takes rows.
pub(super) struct Filling {
    worker: Worker,
    producer: Producer,
    load: CutLoad,
    /// Bytes of complete chunks.
    chunks: u64,
    rows: usize,
    /// When its first row came.
    since: Instant,
    pending: Pending,
}

/// A load whose body is complete.
pub(super) struct CutLoad {
    pub(super) log: Arc<ChunkLog>,
    pub(super) headers: HeaderMap,
    pub(super) rows: Arc<AtomicU64>,
    held: Reserved,
    _open: Box<dyn Any + Send>,
}

/// Encoded bytes that are not compressed, counted as buffered.
struct Pending {
    counters: Arc<Counters>,
    bytes: usize,
}

impl Filling {
    /// A load without rows.
    pub(super) async fn begin(sink: &Sink, streams: &Streams, spec: &LoadSpec) -> Result<Self, Error> {
        let schema = match &spec.input {
            Input::Rows { .. } => Some(
                sink.tables()
                    .get(sink.frontends(), &spec.database, &spec.table, true)
                    .await?,
            ),
            Input::Raw { .. } => None,
        };
        let worker = Worker::new(
            sink.config(),
            &spec.input,
            schema.as_deref(),
            sink.compressor().clone(),
            sink.counters().clone(),
            sink.config().properties.format.between_rows().to_vec(),
        )
        .map_err(|e| unsendable(spec, e))?;
        let log = ChunkLog::new(sink.budget().clone());
        Ok(Self {
            worker,
            producer: Producer::new(log.clone()),
            load: CutLoad {
                log,
                headers: headers::common(sink.config(), &spec.input, schema.as_deref())?,
                rows: Arc::default(),
                held: streams.memory().count(),
                _open: Box::new(sink.counters().open_load()),
            },
            chunks: 0,
            rows: 0,
            since: Instant::now(),
            pending: Pending {
                counters: sink.counters().clone(),
                bytes: 0,
            },
        })
    }

    /// Adds rows; with `shrink` no memory is kept for more. The place in the ring is the caller's to drop.
    pub(super) async fn add(mut self, submitted: Submitted, shrink: bool) -> Result<(Self, Place), Error> {
        let rows = submitted.rows;
        let (worker, (chunk, place)) = blocking(self.worker, |w| w.rows(submitted)).await?;
        self.worker = worker;
        if shrink {
            self.worker.shrink();
        }
        self.rows += rows;
        self.load.rows.fetch_add(rows as u64, Relaxed);
        self.pending.counters.rows.fetch_add(rows as u64, Relaxed);
        self.pending.set(self.worker.pending());
        if let Some(chunk) = chunk {
            self.chunks += chunk.len() as u64;
            self.producer.push(chunk, None);
        }
        self.load.held.set(self.chunks + self.pending.bytes as u64);
        Ok((self, place))
    }

    /// The load with a complete body.
    pub(super) async fn cut(self) -> Result<CutLoad, Error> {
        let Self {
            worker,
            producer,
            mut load,
            mut chunks,
            pending,
            ..
        } = self;
        let (worker, chunk) = blocking(worker, Worker::end).await?;
        drop(worker);
        if let Some(chunk) = chunk {
            chunks += chunk.len() as u64;
            producer.push(chunk, None);
        }
        drop(pending);
        producer.finish();
        load.held.set(chunks);
        Ok(load)
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Encoded bytes before compression.
    pub(super) fn encoded(&self) -> u64 {
        self.worker.encoded()
    }

    pub(super) fn since(&self) -> Instant {
        self.since
    }

    /// Bytes of memory.
    pub(super) fn held(&self) -> u64 {
        self.load.held()
    }
}

impl CutLoad {
    /// Bytes of memory.
    pub(super) fn held(&self) -> u64 {
        self.held.bytes()
    }
}

impl Pending {
    fn set(&mut self, bytes: usize) {
        self.counters.unbuffered(self.bytes);
        self.counters.buffered(bytes);
        self.bytes = bytes;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.counters.unbuffered(self.bytes);
    }
}
