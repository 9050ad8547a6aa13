//! The scan of a source reader: split after split, and window after window, over one byte budget.

mod batch;
mod budget;
mod drain;
mod queue;
mod shared;
mod split;
mod target;
mod window;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::error::{Error, ErrorKind};
use crate::read::config::ReadConfig;
use crate::read::flight::CLOSE_LIMIT;
use crate::read::window::WindowSpec;
pub use batch::{Next, ScanBatch};
use budget::Budget;
use queue::Queue;
use shared::Shared;
use split::SplitReader;
use window::WindowReader;

/// One source reader's scan. Holds the byte budget over all it reads, and a Flight session: in the account's zone for
/// splits, in UTC for windows. All methods take `&self` and may be called from any thread; `next` by one caller at a
/// time. End it by [`Scan::close`]: dropping it stops a running split or window, but leaves an idle session to the
/// server's own time limit.
pub struct Scan {
    shared: Arc<Shared>,
    cancel: CancellationToken,
    task: Mutex<Option<JoinHandle<Reader>>>,
}

/// What reads, with the sessions that it keeps from one split or window to the next.
struct Reader {
    splits: SplitReader,
    windows: WindowReader,
}

/// What is to be read.
enum Job {
    Split {
        tablets: Vec<i64>,
        fence: Option<i64>,
        looks_up: bool,
    },
    Window(WindowSpec),
}

/// Numbers about one scan, since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanMetrics {
    /// Rows delivered.
    pub rows: u64,
    /// Bytes delivered, headers and bodies.
    pub bytes: u64,
    /// Batches delivered as the server sent them; of windows, those whose wanted columns are.
    pub identity_batches: u64,
    /// Batches that were decoded, converted and encoded again.
    pub converted_batches: u64,
    /// How often a split was begun again inside the scan.
    pub split_retries: u64,
    /// Bytes held now by the queue and by batches that were delivered and not dropped yet.
    pub held_bytes: u64,
    /// The most bytes ever held: at most the budget and one batch.
    pub max_held_bytes: u64,
    /// Queries sent again because the server still waited for transactions.
    pub visible_wait_retries: u64,
    /// Milliseconds spent on that wait, each from its first refusal on.
    pub visible_wait_millis: u64,
    /// Rows of windows that came again and were dropped.
    pub replayed_rows_dropped: u64,
    /// How often the rows before a position were not those of before (or could not be compared), so that all rows of
    /// its TSO were handed out again.
    pub position_mismatches: u64,
    /// Rows of windows among `rows`.
    pub window_rows: u64,
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

    /// Begins a split on the current tokio runtime; an empty list reads the table without a `TABLET` clause. With a
    /// fence, in milliseconds since 1970 (whole seconds), the split sees all that was committed before it: once per
    /// new connection a changelog query is sent ahead, which waits as long as a window does. An error when a split or
    /// window is still under way, the scan is closed or there is no runtime.
    pub fn start(&self, tablets: Vec<i64>, fence_millis: Option<i64>) -> Result<(), Error> {
        self.begin(Job::Split {
            tablets,
            fence: fence_millis,
            looks_up: true,
        })
    }

    /// As [`Scan::start`], for a caller who finds out by [`crate::read::plan::present_tablets`], after the end of
    /// this split, that the table still has its tablets: without it, rows of a tablet that is gone are missing
    /// without a word. One look does for all splits that ended before it.
    pub fn start_without_look_up(&self, tablets: Vec<i64>, fence_millis: Option<i64>) -> Result<(), Error> {
        self.begin(Job::Split {
            tablets,
            fence: fence_millis,
            looks_up: false,
        })
    }

    /// Begins a window on the current tokio runtime. Its batches have the wanted columns and behind them four that
    /// are never NULL: operation (Int8; 0 `+I`, 1 `-D`, 2 `-U`, 3 `+U`), TSO, LSN and hash (Int64 each). Rows come in
    /// the order TSO, LSN, operation, keys, and begin behind the position where there is one. The hash is that of
    /// [`doris_arrow::hash`] over LSN, operation, and the key columns (of a Duplicate table the wanted columns).
    ///
    /// `next` may fail with [`ErrorKind::VisibleWait`], [`ErrorKind::Expired`] and [`ErrorKind::PartitionGone`]
    /// besides the kinds of a split. Passing failures are retried inside, going on behind the last row that was
    /// handed out. An error here when the window contradicts itself, the read follows no changes, or as with
    /// [`Scan::start`].
    pub fn start_window(&self, window: WindowSpec) -> Result<(), Error> {
        window.check()?;
        if self.shared.config.changelog.is_none() {
            let message = "a window cannot be read: the read is in snapshot mode";
            return Err(Error::new(ErrorKind::Config, message));
        }
        self.begin(Job::Window(window))
    }

    fn begin(&self, job: Job) -> Result<(), Error> {
        let runtime = Handle::try_current()
            .map_err(|e| Error::new(ErrorKind::Internal, "a scan starts inside a runtime").with_source(e))?;
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.queue.begin(matches!(job, Job::Window(_)))?;
        let (previous, shared, cancel) = (task.take(), self.shared.clone(), self.cancel.clone());
        *task = Some(runtime.spawn(async move {
            // The reader with its sessions goes from one task to the next.
            let reader = match previous {
                Some(previous) => previous.await.unwrap_or_else(|_| Reader::new(&shared)),
                None => Reader::new(&shared),
            };
            run(reader, job, &shared, &cancel).await
        }));
        Ok(())
    }

    /// Waits for the next batch, the end of the split or window, a wake-up or a failure. Cancel-safe. After an end or
    /// a failure the next one can be started.
    pub async fn next(&self) -> Result<Next, Error> {
        self.shared.queue.next().await
    }

    /// Makes one `next` return [`Next::Woken`]: the one that waits, else the following one.
    pub fn wake(&self) {
        self.shared.queue.wake();
    }

    /// Cancels what is under way, joins its task and closes the Flight sessions, which waits at most 900 ms.
    /// Idempotent, from any thread; a `next` that waits returns [`ErrorKind::Closed`]. Batches that were handed out
    /// stay valid.
    pub async fn close(&self) {
        self.shared.queue.close();
        self.cancel.cancel();
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(task) = task else { return };
        if let Ok(mut reader) = task.await {
            reader.close(CLOSE_LIMIT).await;
        }
    }

    /// A snapshot of the numbers. Cheap, from any thread.
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
            visible_wait_retries: queue.waits.retries.load(Relaxed),
            visible_wait_millis: queue.waits.millis.load(Relaxed),
            replayed_rows_dropped: queue.dropped_rows.load(Relaxed),
            position_mismatches: queue.mismatches.load(Relaxed),
            window_rows: queue.window_rows.load(Relaxed),
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

impl Reader {
    fn new(shared: &Arc<Shared>) -> Self {
        Self {
            splits: SplitReader::new(shared),
            windows: WindowReader::new(shared),
        }
    }

    async fn read(&mut self, job: &Job) -> Result<(), Error> {
        match job {
            Job::Split {
                tablets,
                fence,
                looks_up,
            } => {
                if let Some(millis) = fence {
                    self.splits.require_fence(*millis)?;
                }
                self.splits.read(tablets, *looks_up).await
            }
            Job::Window(window) => {
                // Windows follow when all splits were read: their session is of no more use.
                self.splits.close(CLOSE_LIMIT).await;
                self.windows.read(window).await
            }
        }
    }

    async fn close(&mut self, limit: Duration) {
        tokio::join!(self.splits.close(limit), self.windows.close(limit));
    }
}

/// Reads one split or window. Cancellation drops whatever is open at once, and ends the sessions.
async fn run(mut reader: Reader, job: Job, shared: &Shared, cancel: &CancellationToken) -> Reader {
    let reading = AssertUnwindSafe(reader.read(&job)).catch_unwind();
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
            // The state after a panic is not to be trusted.
            reader.close(CLOSE_LIMIT).await;
            shared.queue.finish(Err(Error::new(
                ErrorKind::Panic,
                format!("the reader panicked: {text}"),
            )));
        }
    }
    reader
}
