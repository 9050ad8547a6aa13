//! What the bytes of a Stream Load become: rows of a table, ready to be committed, or reasons why not.
//!
//! A load is read on a thread of its own, which takes the body piece by piece through a short queue: the caller that
//! pushes waits while the thread is behind.

mod arrow;
mod blocks;
mod column_list;
mod convert;
mod csv;
mod decompress;
pub(crate) mod error_log;
mod errors;
mod expressions;
pub(crate) mod headers;
mod intake;
mod json;
mod parameters;
mod plan;
mod rows;
mod separator;
#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use self::blocks::Blocks;
use self::convert::Rules;
use self::csv::CsvReader;
use self::decompress::Compression;
use self::errors::ErrorLog;
use self::intake::Intake;
use self::json::JsonReader;
use self::parameters::{Format, Parameters};
use self::plan::Plan;
use self::rows::TextRows;
use crate::error::SqlError;
use crate::profile::load::LongTexts;
use crate::sql::engine::Engine;
use crate::store::load::Load;
use crate::stream_load::headers::LoadHeaders;
use crate::values::types::DorisType;

/// Pieces of the body that may wait for the thread.
const QUEUE: usize = 8;

/// Why a load is not taken at all. The message is the one of the answer, its status name in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoadRefused {
    /// Text for `Message`.
    pub message: String,
}

/// A load whose body was read to its end.
#[derive(Debug)]
pub(crate) struct Staged {
    /// The rows, ready to commit; `None` when there are none or the load is refused.
    pub load: Option<Load>,
    /// Rows in the body.
    pub total: u64,
    /// Rows that a commit writes.
    pub loaded: u64,
    /// Rows left out for their data.
    pub filtered: u64,
    /// Rows left out by `where`.
    pub unselected: u64,
    /// Bytes of the body as they came.
    pub bytes: u64,
    /// Lines of the error log.
    pub error_lines: Vec<String>,
    /// Text for `Message` when too many rows were filtered.
    pub refused: Option<String>,
}

/// A load under way. Dropped before [`StreamLoad::finish`], nothing happened and its thread ends.
#[derive(Debug)]
pub(crate) struct StreamLoad {
    body: mpsc::Sender<Piece>,
    outcome: oneshot::Receiver<Result<Staged, LoadRefused>>,
    bytes: u64,
}

#[derive(Debug)]
enum Piece {
    Bytes(Bytes),
    End,
}

impl LoadRefused {
    fn argument(text: impl Into<String>) -> Self {
        Self {
            message: format!("[INVALID_ARGUMENT]{}", text.into()),
        }
    }

    fn internal(text: impl Into<String>) -> Self {
        Self {
            message: format!("[INTERNAL_ERROR]{}", text.into()),
        }
    }

    fn analysis(text: impl Into<String>) -> Self {
        Self::from(SqlError::plain(text.into()))
    }
}

impl From<SqlError> for LoadRefused {
    fn from(error: SqlError) -> Self {
        Self {
            message: format!("[ANALYSIS_ERROR]TStatus: {}", error.message),
        }
    }
}

impl From<io::Error> for LoadRefused {
    fn from(error: io::Error) -> Self {
        Self::internal(format!("the body cannot be read: {error}"))
    }
}

impl StreamLoad {
    /// Checks the headers of a load into a table, and starts to wait for its body.
    pub(crate) async fn begin(
        engine: &Arc<Engine>,
        database: &str,
        table: &str,
        headers: &LoadHeaders,
    ) -> Result<Self, LoadRefused> {
        let parameters = Parameters::read(headers, engine.switches())?;
        let table = engine.catalog().table(database, table)?;
        let load = Load::begin(table, &parameters.partitions, parameters.temporary, false)?;
        let mut session = engine.open_session("root");
        session.database = Some(database.to_string());
        let zone = parameters.zone.unwrap_or_else(|| engine.zone(&session));
        if let Some(text) = headers.text("timezone").or_else(|| headers.text("time_zone")) {
            session.variables.insert("time_zone".into(), text.into());
        }
        let typed = matches!(parameters.format, Format::Arrow);
        let plan = Plan::make(engine, &session, load.schema(), &parameters, typed).await?;
        let rules = Rules {
            zone,
            strict: parameters.strict,
            cut: !parameters.strict && engine.switches().load.long_texts == LongTexts::Cut,
        };
        let intake = Intake::new(Arc::clone(engine), plan, rules, load);
        let (body, pieces) = mpsc::channel(QUEUE);
        let (done, outcome) = oneshot::channel();
        std::thread::Builder::new()
            .name("stream-load".into())
            .spawn(move || {
                let body = Body {
                    pieces,
                    current: Bytes::new(),
                    ended: false,
                };
                // Nobody waits for a load that was given up.
                let _ = done.send(read(intake, &parameters, body));
            })
            .map_err(|error| LoadRefused::internal(format!("no thread for the load: {error}")))?;
        Ok(Self {
            body,
            outcome,
            bytes: 0,
        })
    }

    /// Takes the next bytes of the body; waits while the load is behind. The error has the reason why the rest is of
    /// no use.
    pub(crate) async fn push(&mut self, bytes: Bytes) -> Result<(), LoadRefused> {
        self.bytes += bytes.len() as u64;
        if self.body.send(Piece::Bytes(bytes)).await.is_ok() {
            return Ok(());
        }
        match (&mut self.outcome).await {
            Ok(Err(refused)) => Err(refused),
            _ => Err(died()),
        }
    }

    /// Ends the body.
    pub(crate) async fn finish(self) -> Result<Staged, LoadRefused> {
        // A thread that is gone has left its outcome.
        let _ = self.body.send(Piece::End).await;
        let mut staged = self.outcome.await.map_err(|_| died())??;
        staged.bytes = self.bytes;
        Ok(staged)
    }
}

fn died() -> LoadRefused {
    LoadRefused::internal("the load died")
}

/// The body as a reader. It fails when the load is dropped before its end.
struct Body {
    pieces: mpsc::Receiver<Piece>,
    current: Bytes,
    ended: bool,
}

impl Read for Body {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() && !self.ended {
            match self.pieces.blocking_recv() {
                Some(Piece::Bytes(bytes)) => self.current = bytes,
                Some(Piece::End) => self.ended = true,
                None => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the load was given up",
                    ));
                }
            }
        }
        let count = into.len().min(self.current.len());
        into[..count].copy_from_slice(&self.current.split_to(count));
        Ok(count)
    }
}

/// Reads a body to its end.
fn read(mut intake: Intake, parameters: &Parameters, body: Body) -> Result<Staged, LoadRefused> {
    let body = compressed(parameters.compression, body)?;
    let names = intake.plan.sources.clone();
    match &parameters.format {
        Format::Csv(form) => {
            let mut reader = CsvReader::new(form);
            read_text(&mut intake, body, |data, last, rows, log| {
                reader.read(data, last, rows, log)
            })?;
        }
        Format::Json(form) => {
            let schema = intake.load.schema();
            let decimal = |name: &String| {
                let column = schema.index_of(name).map(|index| &schema.columns[index]);
                column.is_some_and(|column| matches!(column.doris_type, DorisType::Decimal(..)))
            };
            let decimals: Vec<bool> = names.iter().map(decimal).collect();
            let mut reader = JsonReader::new(form, &names, decimals);
            read_text(&mut intake, body, |data, last, rows, log| {
                reader.read(data, last, rows, log)
            })?;
        }
        Format::Arrow => arrow::read(&mut intake, body)?,
    }
    intake.load.rehearse(intake.engine.catalog())?;
    staged(intake, parameters)
}

fn compressed(compression: Compression, body: Body) -> Result<Box<dyn Read + Send>, LoadRefused> {
    Ok(compression.reader(body)?)
}

/// Reads a body of text block by block.
fn read_text(
    intake: &mut Intake,
    body: impl Read,
    mut read: impl for<'a> FnMut(&'a [u8], bool, &mut TextRows<'a>, &mut ErrorLog) -> usize,
) -> Result<(), LoadRefused> {
    let mut blocks = Blocks::new(body);
    let mut progress = true;
    loop {
        blocks.fill(progress)?;
        let mut rows = TextRows::new(intake.plan.sources.len());
        let last = blocks.ended();
        let used = read(blocks.data(), last, &mut rows, &mut intake.log);
        intake.take(&rows)?;
        drop(rows);
        progress = used > 0;
        blocks.consume(used);
        if last {
            return Ok(());
        }
    }
}

fn staged(intake: Intake, parameters: &Parameters) -> Result<Staged, LoadRefused> {
    let (loaded, unselected, filtered) = (intake.loaded, intake.unselected, intake.log.filtered());
    let judged = loaded + filtered;
    let too_many = filtered > 0 && filtered as f64 > judged as f64 * parameters.max_filter_ratio;
    let reason = intake.log.ended().map(str::to_owned);
    let reason = reason.or_else(|| too_many.then(|| "too many filtered rows".to_owned()));
    let refused = reason.is_some();
    Ok(Staged {
        load: (loaded > 0 && !refused).then_some(intake.load),
        total: judged + unselected,
        loaded: if refused { 0 } else { loaded },
        filtered,
        unselected,
        bytes: 0,
        error_lines: intake.log.into_lines(),
        refused: reason.map(|reason| format!("[DATA_QUALITY_ERROR]{reason}")),
    })
}
