//! The scan of a source reader: split after split over one Flight session and one byte budget.

mod budget;
mod queue;
mod split;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use doris_arrow::ipc::IpcBatch;
use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::config::ReadConfig;
use crate::error::{Error, ErrorKind};
use budget::{Budget, Permit};
use queue::Queue;
use split::Reader;

/// How long the end of a scan waits for the session to be closed.
const CLOSE_LIMIT: Duration = Duration::from_millis(900);

/// One source reader's scan. Holds the byte budget and the Flight session over all its splits. All methods take `&self` and
/// may be called from any thread; `next` by one caller at a time. End it by [`Scan::close`]: dropping it stops a running split,
/// but leaves an idle session to the server's own time limit.
pub struct Scan {
    shared: Arc<Shared>,
    cancel: CancellationToken,
    task: Mutex<Option<JoinHandle<Reader>>>,
}

pub(crate) struct Shared {
    config: Arc<ReadConfig>,
    budget: Arc<Budget>,
    queue: Queue,
}

/// What [`Scan::next`] found.
#[derive(Debug)]
pub enum Next {
    /// A batch of the current split.
    Batch(ScanBatch),
    /// The current split was read completely: every endpoint up to the server's own word that nothing follows.
    End,
    /// [`Scan::wake`] was called.
    Woken,
}

/// A batch that owns itself: its share of the byte budget comes back when it is dropped, even after the scan is closed.
#[derive(Debug)]
pub struct ScanBatch {
    /// Header and body in canonical Arrow types.
    pub ipc: IpcBatch,
    _permit: Permit,
}

/// Numbers about one scan, since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanMetrics {
    /// Rows handed out.
    pub rows: u64,
    /// Bytes handed out, headers and bodies.
    pub bytes: u64,
    /// Batches handed on as the server sent them.
    pub identity_batches: u64,
    /// Batches that were decoded, converted and encoded again.
    pub converted_batches: u64,
    /// How often a split was begun again inside the scan.
    pub split_retries: u64,
    /// Bytes held now by the queue and by batches that were handed out and not dropped yet.
    pub held_bytes: u64,
    /// The most bytes ever held: at most the budget and one batch.
    pub max_held_bytes: u64,
}

impl Scan {
    /// A new scan. Does no I/O and cannot fail.
    pub fn new(config: Arc<ReadConfig>) -> Self {
        let budget = Budget::new(config.buffer_size);
        let queue = Queue::new(config.queue_size);
        Self {
            shared: Arc::new(Shared {
                config,
                budget,
                queue,
            }),
            cancel: CancellationToken::new(),
            task: Mutex::new(None),
        }
    }

    /// Begins a split on the current tokio runtime; an empty list reads the table without a `TABLET` clause. An error when a
    /// split is still under way, the scan is closed or there is no runtime.
    pub fn start(&self, tablets: Vec<i64>) -> Result<(), Error> {
        let runtime = Handle::try_current()
            .map_err(|e| Error::new(ErrorKind::Internal, "a scan starts inside a runtime").with_source(e))?;
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.queue.begin()?;
        let (previous, shared, cancel) = (task.take(), self.shared.clone(), self.cancel.clone());
        *task = Some(runtime.spawn(async move {
            // The reader with its session goes from one split's task to the next.
            let reader = match previous {
                Some(previous) => previous.await.unwrap_or_else(|_| Reader::new(&shared)),
                None => Reader::new(&shared),
            };
            run(reader, tablets, &shared, &cancel).await
        }));
        Ok(())
    }

    /// Waits for the next batch, the end of the split, a wake-up or a failure. Cancel-safe. After an end or a failure the next
    /// split can be started.
    pub async fn next(&self) -> Result<Next, Error> {
        self.shared.queue.next().await
    }

    /// Makes one `next` return [`Next::Woken`]: the one that waits, else the following one.
    pub fn wake(&self) {
        self.shared.queue.wake();
    }

    /// Cancels the split, joins its task and closes the Flight session, which waits at most 900 ms. Idempotent, from any
    /// thread; a `next` that waits returns [`ErrorKind::Closed`]. Batches that were handed out stay valid.
    pub async fn close(&self) {
        self.shared.queue.close();
        self.cancel.cancel();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(task) = task else { return };
        if let Ok(mut reader) = task.await {
            reader.close(CLOSE_LIMIT).await;
        }
    }

    /// A look at the numbers. Cheap, from any thread.
    pub fn metrics(&self) -> ScanMetrics {
        let queue = &self.shared.queue;
        ScanMetrics {
            rows: queue.rows.load(Relaxed),
            bytes: queue.bytes.load(Relaxed),
            identity_batches: queue.identity.load(Relaxed),
            converted_batches: queue.converted.load(Relaxed),
            split_retries: queue.retries.load(Relaxed),
            held_bytes: self.shared.budget.held(),
            max_held_bytes: self.shared.budget.most(),
        }
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.shared.queue.close();
        self.cancel.cancel();
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan")
            .field("metrics", &self.metrics())
            .finish_non_exhaustive()
    }
}

/// Reads one split. Cancellation drops whatever is open at once, and ends the session.
async fn run(mut reader: Reader, tablets: Vec<i64>, shared: &Shared, cancel: &CancellationToken) -> Reader {
    let reading = AssertUnwindSafe(reader.read(&tablets)).catch_unwind();
    let result = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        result = reading => Some(result),
    };
    match result {
        None => reader.close(CLOSE_LIMIT).await,
        Some(Ok(result)) => shared.queue.finish(result),
        Some(Err(panic)) => {
            let text = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no text".to_owned());
            // What the panic left behind is not to be trusted.
            reader.close(CLOSE_LIMIT).await;
            shared.queue.finish(Err(Error::new(
                ErrorKind::Panic,
                format!("the reader panicked: {text}"),
            )));
        }
    }
    reader
}
