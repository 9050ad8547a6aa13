//! What passes from the task that reads a split to the caller of `next`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::batch::{Next, ScanBatch};
use crate::counters::{CONVERTED, IDENTITY};
use crate::error::{Error, ErrorKind};
use crate::read::window::visible_wait::WaitFigures;

/// A queue of at most `doris.deserialize.queue.size` batches, and the state of the split that they belong to.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Notify,
    slots: Arc<Semaphore>,
    pub(super) rows: AtomicU64,
    pub(super) bytes: AtomicU64,
    pub(super) identity: AtomicU64,
    pub(super) converted: AtomicU64,
    pub(super) retries: AtomicU64,
    /// Rows of windows among `rows`.
    pub(super) window_rows: AtomicU64,
    /// Rows of windows that came again and were dropped.
    pub(super) dropped_rows: AtomicU64,
    /// How often rows of a window had to be delivered again.
    pub(super) mismatches: AtomicU64,
    pub(super) waits: Arc<WaitFigures>,
}

#[derive(Debug)]
struct State {
    batches: VecDeque<Queued>,
    split: Split,
    /// Whether it is a window.
    window: bool,
    /// Whether a batch of the current split was delivered: from then on it cannot be begun again here.
    handed_out: bool,
    woken: bool,
    closed: bool,
}

#[derive(Debug)]
struct Queued {
    batch: ScanBatch,
    identity: bool,
    _slot: OwnedSemaphorePermit,
}

#[derive(Debug)]
enum Split {
    None,
    Running,
    Ended,
    Failed(Error),
}

impl Queue {
    pub(super) fn new(size: usize) -> Self {
        Self {
            state: Mutex::new(State {
                batches: VecDeque::new(),
                split: Split::None,
                window: false,
                handed_out: false,
                woken: false,
                closed: false,
            }),
            changed: Notify::new(),
            slots: Arc::new(Semaphore::new(size)),
            rows: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            identity: AtomicU64::new(0),
            converted: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            window_rows: AtomicU64::new(0),
            dropped_rows: AtomicU64::new(0),
            mismatches: AtomicU64::new(0),
            waits: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a split, or a window.
    pub(super) fn begin(&self, window: bool) -> Result<(), Error> {
        let mut state = self.lock();
        if state.closed {
            return Err(closed());
        }
        if !matches!(state.split, Split::None) || !state.batches.is_empty() {
            return Err(Error::new(ErrorKind::Internal, "a split is still under way"));
        }
        state.split = Split::Running;
        state.window = window;
        state.handed_out = false;
        Ok(())
    }

    /// Puts a batch in, waiting for room.
    pub(super) async fn push(&self, batch: ScanBatch, identity: bool) {
        // The semaphore is never closed.
        let Ok(slot) = self.slots.clone().acquire_owned().await else {
            return;
        };
        self.lock().batches.push_back(Queued {
            batch,
            identity,
            _slot: slot,
        });
        self.changed.notify_one();
    }

    /// Takes back what was not delivered, so that the split can be begun again; `false` when it is too late for that.
    pub(super) fn rewind(&self) -> bool {
        let mut state = self.lock();
        if state.handed_out || state.closed {
            return false;
        }
        state.batches.clear();
        self.retries.fetch_add(1, Relaxed);
        true
    }

    /// Whether rows of the current split were delivered.
    pub(super) fn handed_out(&self) -> bool {
        self.lock().handed_out
    }

    /// Ends the split: completely read, or failed. What is still queued of a failed split is of no use.
    pub(super) fn finish(&self, result: Result<(), Error>) {
        let mut state = self.lock();
        match result {
            Ok(()) => state.split = Split::Ended,
            Err(error) => {
                state.batches.clear();
                state.split = Split::Failed(error);
            }
        }
        drop(state);
        self.changed.notify_one();
    }

    pub(super) fn wake(&self) {
        self.lock().woken = true;
        self.changed.notify_one();
    }

    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.batches.clear();
        drop(state);
        self.changed.notify_waiters();
        self.changed.notify_one();
    }

    /// Waits for the next event. Cancel-safe: nothing is taken before it is returned.
    pub(super) async fn next(&self) -> Result<Next, Error> {
        loop {
            let changed = self.changed.notified();
            if let Some(next) = self.take() {
                return next;
            }
            changed.await;
        }
    }

    fn take(&self) -> Option<Result<Next, Error>> {
        let mut state = self.lock();
        if state.closed {
            return Some(Err(closed()));
        }
        if std::mem::take(&mut state.woken) {
            return Some(Ok(Next::Woken));
        }
        if let Some(queued) = state.batches.pop_front() {
            state.handed_out = true;
            self.count(&queued, state.window);
            return Some(Ok(Next::Batch(queued.batch)));
        }
        match std::mem::replace(&mut state.split, Split::None) {
            Split::Running => {
                state.split = Split::Running;
                None
            }
            Split::Ended => Some(Ok(Next::End)),
            Split::Failed(error) => Some(Err(error)),
            Split::None => Some(Err(Error::new(ErrorKind::Internal, "no split is under way"))),
        }
    }

    fn count(&self, queued: &Queued, window: bool) {
        if window {
            self.window_rows.fetch_add(queued.batch.ipc.rows as u64, Relaxed);
        }
        self.rows.fetch_add(queued.batch.ipc.rows as u64, Relaxed);
        self.bytes.fetch_add(queued.batch.ipc.size() as u64, Relaxed);
        let (own, all) = if queued.identity {
            (&self.identity, &IDENTITY)
        } else {
            (&self.converted, &CONVERTED)
        };
        own.fetch_add(1, Relaxed);
        all.fetch_add(1, Relaxed);
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the scan was closed")
}
