//! Batch mode: rows are encoded and compressed as they come, and sent load by load once a load is cut.
//!
//! Each table of a sink has a [`TableStream`]. The load that is being filled is cut when it has enough rows or bytes,
//! when its oldest row is old enough, when the owner wants all rows out ([`TableStream::finish`]), or when the tables
//! of the sink together need the memory. The body of a cut load is complete, so that each attempt to send it sends
//! the same bytes. Loads of a table go one after the other, in the order in which their rows came; tables do not wait
//! for each other.
//!
//! Writing waits in [`TableStream::acquire`] alone: for the queue of the table, and for memory. Neither can wait for
//! ever. What the queue waits for is a load that is being sent, which succeeds or fails. Memory is held by buffers
//! that are being encoded, which waits for nothing; by cut loads; and by loads that are being filled, of which the
//! waiting caller cuts the largest.

mod filling;
mod pipeline;
mod streams;
mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::{Error, ErrorKind};
use crate::write::load::encode_task::Submitted;
use crate::write::load::{Buffer, LoadOutcome, LoadSpec};
use crate::write::sink::Sink;

pub(crate) use streams::Streams;
use table::{Message, Table};

/// The rows of one table, load after load. Safe to use from several threads; no method blocks, and the async ones may
/// be dropped at any time.
///
/// After a load has failed for good nothing more of the table is sent: the failure comes out of
/// [`acquire`](Self::acquire), [`submit`](Self::submit) and [`flushed`](Self::flushed), at each call. Dropping it
/// closes it.
#[derive(Debug)]
pub struct TableStream {
    sink: Sink,
    runtime: Handle,
    table: Arc<Table>,
    stage: Mutex<Stage>,
}

#[derive(Debug)]
enum Stage {
    /// No row yet: nothing runs.
    Idle {
        spec: Box<LoadSpec>,
        messages: mpsc::UnboundedReceiver<Message>,
    },
    Running(JoinHandle<()>),
    Closed,
}

impl Sink {
    /// The rows of a table in batch mode; the labels are those of its loads, one after the other. No I/O. Must be
    /// called inside a runtime, on which the loads then run.
    pub fn open_stream(&self, spec: LoadSpec) -> Result<TableStream, Error> {
        let runtime = Handle::try_current().map_err(|e| {
            Error::new(ErrorKind::Internal, "a table's stream needs a runtime").with_source(e)
        })?;
        let streams = self.streams().ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                "a table's stream in a sink that is not in batch mode",
            )
        })?;
        let (input, messages) = mpsc::unbounded_channel();
        Ok(TableStream {
            sink: self.clone(),
            runtime,
            table: streams.add(input),
            stage: Mutex::new(Stage::Idle {
                spec: Box::new(spec),
                messages,
            }),
        })
    }
}

impl TableStream {
    /// Waits until rows may be added: the only place where writing waits. The buffer is aligned to 64 bytes and
    /// exactly `bytes` long; what it holds is not defined.
    pub async fn acquire(&self, bytes: usize) -> Result<Buffer, Error> {
        let streams = self.table.streams();
        let reserved = streams.let_in(&self.table, bytes).await?;
        tokio::select! {
            biased;
            error = self.table.failure() => Err(error),
            buffer = streams.ring().acquire(bytes) => Ok(buffer.reserving(reserved)),
        }
    }

    /// Hands over a buffer with its rows. Never waits. `layout` is as in [`Load::submit`], raw bytes begin and end
    /// with a row.
    ///
    /// [`Load::submit`]: crate::write::load::Load::submit
    pub fn submit(&self, buffer: Buffer, rows: usize, layout: &[i64]) -> Result<(), Error> {
        let mut stage = self.stage();
        if let Stage::Idle { .. } = &*stage
            && let Stage::Idle { spec, messages } = std::mem::replace(&mut *stage, Stage::Closed)
        {
            let run = pipeline::run(self.sink.clone(), self.table.clone(), *spec, messages);
            *stage = Stage::Running(self.runtime.spawn(run));
        }
        self.table.submit(Submitted {
            buffer,
            rows,
            layout: layout.to_vec(),
        })
    }

    /// All rows so far are to be sent; more may follow.
    pub fn finish(&self) {
        self.table.send(Message::Cut);
    }

    /// Waits until the server has taken all rows that were submitted. May be dropped and called again.
    pub async fn flushed(&self) -> Result<(), Error> {
        self.table.idle().await
    }

    /// The next load that the server has taken, in their order; `None` when there is none now.
    pub fn ended(&self) -> Option<LoadOutcome> {
        self.table.next_ended()
    }

    /// Ends the stream whatever it does; waiting callers get an error. What is not sent is dropped, and so is the
    /// connection of the load that is being sent. Closing again does nothing.
    pub fn close(&self) {
        self.table
            .fail(Error::new(ErrorKind::Closed, "the table's stream was closed"));
        if let Stage::Running(task) = std::mem::replace(&mut *self.stage(), Stage::Closed) {
            task.abort();
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TableStream {
    fn drop(&mut self) {
        self.close();
    }
}
