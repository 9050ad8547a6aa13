//! Loads: rows on their way to a back end.
//!
//! A load begins with its first buffer, lasts as long as its owner likes, and ends with the answer of the server or
//! with one error. Buffers come from a ring; they are encoded and compressed in order on blocking threads, and what
//! comes out goes to the body of one HTTP request. What was sent is kept for sending again while it fits a budget
//! shared by the sink.

mod attempt;
mod body;
pub mod compress;
pub(in crate::write) mod driver;
pub(in crate::write) mod encode_task;
mod error_log;
pub(in crate::write) mod headers;
mod label;
pub(in crate::write) mod memory_limit;
mod outcome;
pub(crate) mod properties;
pub(crate) mod replay;
pub(in crate::write) mod ring;
pub(in crate::write) mod sender;
mod separator;
mod spec;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::error::{Error, ErrorKind};
use crate::write::sink::Sink;

use encode_task::{Message, Submitted};
pub use outcome::LoadOutcome;
pub use ring::Buffer;
use ring::Ring;
pub use spec::{Input, Labels, LoadSpec};

/// One load. Safe to use from several threads; no method blocks, and the async ones may be dropped at any time.
///
/// A failure comes out of [`acquire`](Self::acquire), [`submit`](Self::submit) and [`outcome`](Self::outcome) alike,
/// also while a caller waits. Dropping it closes it.
#[derive(Debug)]
pub struct Load {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    sink: Sink,
    runtime: Handle,
    ring: Arc<Ring>,
    stage: Mutex<Stage>,
    done: watch::Sender<Option<Ended>>,
}

type Ended = Result<Arc<LoadOutcome>, Arc<Error>>;

/// How far a load has come.
#[derive(Debug)]
enum Stage {
    /// No row yet: nothing runs, nothing is connected.
    Idle(Box<LoadSpec>),
    /// Rows come.
    Active {
        /// Has room for one message per place of the ring and for `Finish`, so that sending never waits.
        input: mpsc::Sender<Message>,
        task: JoinHandle<()>,
    },
    /// No more rows come; the rest is sent and the answer awaited.
    Finishing { task: Option<JoinHandle<()>> },
    /// Closed by its owner.
    Closed,
}

impl Sink {
    /// A new load of a table. No I/O before its first buffer. Must be called inside a runtime, on which the load then
    /// runs.
    pub fn open_load(&self, spec: LoadSpec) -> Result<Load, Error> {
        Load::new(self.clone(), spec)
    }
}

impl Load {
    fn new(sink: Sink, spec: LoadSpec) -> Result<Self, Error> {
        let runtime = Handle::try_current()
            .map_err(|e| Error::new(ErrorKind::Internal, "a load needs a runtime").with_source(e))?;
        let ring = Ring::new(
            sink.config().buffer_size,
            sink.config().buffer_count,
            sink.counters().clone(),
        );
        Ok(Self {
            shared: Arc::new(Shared {
                sink,
                runtime,
                ring,
                stage: Mutex::new(Stage::Idle(Box::new(spec))),
                done: watch::Sender::new(None),
            }),
        })
    }

    /// Waits for a place in the ring: the only place where writing waits. The buffer is aligned to 64 bytes and
    /// exactly `bytes` long; what it holds is not defined. One larger than `sink.buffer-size` has memory of its own
    /// and takes one place all the same. Dropping the buffer gives the place back.
    pub async fn acquire(&self, bytes: usize) -> Result<Buffer, Error> {
        let mut done = self.shared.done.subscribe();
        tokio::select! {
            biased;
            ended = done.wait_for(Option::is_some) => Err(match ended.as_deref() {
                Ok(Some(Err(error))) => error.again(),
                _ => after_the_end(),
            }),
            buffer = self.shared.ring.acquire(bytes) => Ok(buffer),
        }
    }

    /// Hands over a buffer with its rows; the first call starts the load. Never waits.
    ///
    /// `layout` tells where the columns are: `[nodes, (length, nulls)*, buffers, (offset, length)*]`, depth first, as
    /// in the header of an Arrow record batch; for raw bytes `[used bytes]`.
    pub fn submit(&self, buffer: Buffer, rows: usize, layout: &[i64]) -> Result<(), Error> {
        if let Some(Err(error)) = &*self.shared.done.borrow() {
            return Err(error.again());
        }
        let submitted = Message::Rows(Submitted {
            buffer,
            rows,
            layout: layout.to_vec(),
        });
        let mut stage = self.shared.stage();
        let spec = match &*stage {
            Stage::Idle(spec) => spec.as_ref().clone(),
            Stage::Active { input, .. } => {
                return input.try_send(submitted).map_err(|_| self.ended_early());
            }
            Stage::Finishing { .. } => return Err(after_the_end()),
            Stage::Closed => return Err(closed()),
        };
        let (input, mut messages) = mpsc::channel(self.shared.sink.config().buffer_count + 1);
        input.try_send(submitted).map_err(|_| self.ended_early())?;
        let (sink, ring, done) = (
            self.shared.sink.clone(),
            self.shared.ring.clone(),
            self.shared.done.clone(),
        );
        let task = self.shared.runtime.spawn(async move {
            let ended = driver::run(sink, spec, &mut messages).await;
            ring.close();
            settle(&done, ended.map(Arc::new));
            // Until the end is known, what is still submitted is taken and dropped.
            drop(messages);
        });
        *stage = Stage::Active { input, task };
        Ok(())
    }

    /// No more rows follow. A load without rows ends at once, without a request to the server.
    pub fn finish(&self) {
        let mut stage = self.shared.stage();
        let task = match std::mem::replace(&mut *stage, Stage::Closed) {
            Stage::Idle(spec) => {
                let empty = LoadOutcome {
                    next: spec.labels.next,
                    ..LoadOutcome::default()
                };
                self.shared.ring.close();
                self.shared.done.send_replace(Some(Ok(Arc::new(empty))));
                None
            }
            Stage::Active { input, task } => {
                // An explicit message: a dropped sender must not end a body.
                let _ = input.try_send(Message::Finish);
                Some(task)
            }
            Stage::Finishing { task } => task,
            Stage::Closed => return,
        };
        *stage = Stage::Finishing { task };
    }

    /// Waits for the end of the load. May be dropped and called again, also after the end.
    pub async fn outcome(&self) -> Result<Arc<LoadOutcome>, Error> {
        let mut done = self.shared.done.subscribe();
        match done.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(Ok(outcome))) => Ok(outcome.clone()),
            Ok(Some(Err(error))) => Err(error.again()),
            _ => Err(closed()),
        }
    }

    /// Ends the load whatever it does; waiting callers get an error. The connection of one that has not ended is
    /// dropped in mid-body, upon which the server drops the load. Closing again does nothing.
    pub fn close(&self) {
        let stage = std::mem::replace(&mut *self.shared.stage(), Stage::Closed);
        if let Stage::Active { task, .. } | Stage::Finishing { task: Some(task) } = stage {
            task.abort();
        }
        self.shared.ring.close();
        settle(&self.shared.done, Err(closed()));
    }

    fn ended_early(&self) -> Error {
        match &*self.shared.done.borrow() {
            Some(Err(error)) => error.again(),
            _ => closed(),
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the end of a load to all who wait for it; the first one counts.
fn settle(done: &watch::Sender<Option<Ended>>, ended: Result<Arc<LoadOutcome>, Error>) {
    let ended = ended.map_err(Arc::new);
    done.send_if_modified(|held| {
        let first = held.is_none();
        if first {
            *held = Some(ended);
        }
        first
    });
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the load was closed")
}

fn after_the_end() -> Error {
    Error::new(ErrorKind::Internal, "rows for a load that takes no more")
}
