//! The scan of a source reader: split after split over one Flight session and one byte budget.

use std::sync::Arc;

use doris_arrow::ipc::IpcBatch;

use crate::config::ReadConfig;
use crate::error::{Error, ErrorKind};

/// One source reader's scan. Holds the byte budget and the Flight session over all its splits. All methods take `&self`
/// and may be called from any thread; `next` by one caller at a time.
pub struct Scan {
    config: Arc<ReadConfig>,
}

/// What [`Scan::next`] found.
#[derive(Debug)]
pub enum Next {
    /// A batch of the current split.
    Batch(ScanBatch),
    /// The current split was read completely.
    End,
    /// [`Scan::wake`] was called.
    Woken,
}

/// A batch that owns itself: its share of the byte budget comes back when it is dropped, even after the scan is closed.
#[derive(Debug)]
pub struct ScanBatch {
    /// Header and body in canonical Arrow types.
    pub ipc: IpcBatch,
    #[allow(dead_code)]
    permit: (),
}

/// Numbers about one scan, since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanMetrics {
    /// Rows handed out.
    pub rows: u64,
    /// Bytes handed out (headers and bodies as the server sent them).
    pub bytes: u64,
    /// Batches handed on as the server sent them.
    pub identity_batches: u64,
    /// Batches that were decoded, converted and encoded again.
    pub converted_batches: u64,
    /// How often a split was begun again inside the scan.
    pub split_retries: u64,
    /// Bytes held now by the queue and by batches that were handed out and not dropped yet.
    pub held_bytes: u64,
    /// The most bytes ever held.
    pub max_held_bytes: u64,
}

impl Scan {
    /// A new scan. Does no I/O and cannot fail.
    pub fn new(config: Arc<ReadConfig>) -> Self {
        Self { config }
    }

    /// Begins a split on the current tokio runtime; an empty list reads the table without a `TABLET` clause.
    /// An error when a split is still under way or the scan is closed.
    pub fn start(&self, tablets: Vec<i64>) -> Result<(), Error> {
        let _ = (&self.config, tablets);
        Err(Error::new(ErrorKind::Internal, "not there yet"))
    }

    /// Waits for the next batch, the end of the split, a wake-up or a failure. Cancel-safe.
    pub async fn next(&self) -> Result<Next, Error> {
        Err(Error::new(ErrorKind::Internal, "not there yet"))
    }

    /// Makes one `next` return [`Next::Woken`]: the one that waits, else the following one.
    pub fn wake(&self) {}

    /// Cancels the split, joins its task and closes the Flight session, which waits at most 500 ms. Idempotent.
    pub async fn close(&self) {}

    /// A look at the numbers. Cheap, from any thread.
    pub fn metrics(&self) -> ScanMetrics {
        ScanMetrics::default()
    }
}
