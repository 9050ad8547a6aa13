//! One load from its first buffer to its answer: rows are encoded and sent at the same time, and the first of the two
//! that fails ends both.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use futures::FutureExt as _;
use tokio::sync::mpsc;

use super::encode_task::{EncodeTask, Message};
use super::headers;
use super::outcome::LoadOutcome;
use super::replay::{ChunkLog, Producer};
use super::sender::Sender;
use super::spec::{Input, LoadSpec};
use crate::error::{Error, panicked};
use crate::write::sink::Sink;

/// Runs the load. Dropping the future drops its connection in mid-body.
pub(super) async fn run(
    sink: Sink,
    spec: LoadSpec,
    messages: &mut mpsc::Receiver<Message>,
) -> Result<LoadOutcome, Error> {
    let guarded = AssertUnwindSafe(drive(&sink, &spec, messages)).catch_unwind();
    let ended = guarded.await.unwrap_or_else(|payload| Err(panicked(&*payload)));
    if ended.is_err() {
        // The table may have changed, which the next load has to see.
        sink.tables().forget(&spec.database, &spec.table);
    }
    ended
}

async fn drive(
    sink: &Sink,
    spec: &LoadSpec,
    messages: &mut mpsc::Receiver<Message>,
) -> Result<LoadOutcome, Error> {
    let _open = sink.counters().open_load();
    let schema = match &spec.input {
        Input::Rows { .. } => Some(
            sink.tables()
                .get(sink.frontends(), &spec.database, &spec.table, true)
                .await?,
        ),
        Input::Raw { .. } => None,
    };
    let common = headers::common(sink.config(), &spec.input, schema.as_deref())?;
    let rows = Arc::new(AtomicU64::new(0));
    let log = ChunkLog::new(sink.budget().clone());
    let producer = Producer::new(log.clone());
    let task = EncodeTask::new(
        sink.config(),
        &spec.input,
        schema.as_deref(),
        sink.compressor().clone(),
        sink.counters().clone(),
        rows.clone(),
    )
    .map_err(|e| unsendable(spec, e))?;
    let mut encoding = pin!(task.run(messages, producer));
    let mut sending = pin!(Sender::new(sink, spec, common, log, rows).run());
    let mut encoded = false;
    loop {
        tokio::select! {
            biased;
            ended = &mut encoding, if !encoded => match ended {
                Ok(()) => encoded = true,
                Err(error) => return Err(unsendable(spec, error)),
            },
            ended = &mut sending => return ended,
        }
    }
}

/// The error for rows that cannot be encoded.
pub(in crate::write) fn unsendable(spec: &LoadSpec, error: Error) -> Error {
    Error::new(
        error.kind(),
        format!(
            "rows for {}.{} cannot be sent (labels {}{}…)",
            spec.database, spec.table, spec.labels.base, spec.labels.next
        ),
    )
    .with_source(error)
}
