//! One load from its first buffer to its answer.

use tokio::sync::mpsc;

use super::encode_task::Submitted;
use super::{LoadOutcome, LoadSpec};
use crate::error::{Error, ErrorKind};
use crate::sink::Sink;

/// Runs the load.
pub(super) async fn run(
    sink: Sink,
    spec: LoadSpec,
    rows: mpsc::Receiver<Submitted>,
) -> Result<LoadOutcome, Error> {
    let _ = (sink, spec, rows);
    Err(Error::new(ErrorKind::Internal, "no loads"))
}
