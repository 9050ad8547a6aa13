//! Work on the runtime that Java starts, polls with bounded waits, and reads the result of: what plans and calls have
//! in common.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use doris_client::{Error, ErrorKind};
use jni::sys::jint;
use tokio::task::{AbortHandle, JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::guard::{Failure, payload_text};
use crate::runtime::Lease;

const READY: jint = 0;
const TIMEOUT: jint = 1;

/// How long a close waits for the cancelled task.
const CLOSE_BOUND: Duration = Duration::from_secs(1);

enum State<T> {
    Running(JoinHandle<Result<T, Error>>),
    Done(T),
    Failed(Failure),
}

/// A task and what became of it.
pub struct Task<T> {
    name: &'static str,
    state: Mutex<State<T>>,
    cancel: CancellationToken,
    abort: AbortHandle,
    /// Cancelled when the task is gone, however it ended.
    gone: CancellationToken,
    // Last, so that the runtime outlives what runs on it.
    lease: Lease,
}

impl<T: Send + 'static> Task<T> {
    /// Runs the work on the runtime. It is handed the token, which is cancelled at the close, and should end soon
    /// then.
    ///
    /// `name` is what messages call it.
    pub fn run<F>(
        name: &'static str,
        lease: Lease,
        cancel: CancellationToken,
        work: impl FnOnce(CancellationToken) -> F,
    ) -> Self
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let work = work(cancel.clone());
        let gone = CancellationToken::new();
        let guard = gone.clone().drop_guard();
        let task = lease.handle().spawn(async move {
            let _guard = guard;
            work.await
        });
        Self {
            name,
            cancel,
            abort: task.abort_handle(),
            gone,
            state: Mutex::new(State::Running(task)),
            lease,
        }
    }

    /// 0 when the result is there, 1 when it is not within the limit; the failure, each time, if it failed.
    pub fn poll(&self, limit: Duration) -> Result<jint, Failure> {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let text = format!("two threads wait for one {} at the same time", self.name);
                return Err(Failure::new(ErrorKind::Internal, text));
            }
        };
        let task = match &mut *state {
            State::Running(task) => task,
            State::Done(_) => return Ok(READY),
            State::Failed(failure) => return Err(failure.clone()),
        };
        let Some(joined) = self.lease.wait(limit, task) else {
            return Ok(TIMEOUT);
        };
        let result = match joined {
            Ok(result) => result.map_err(Failure::from),
            Err(error) => Err(match error.try_into_panic() {
                Ok(payload) => {
                    let text = format!("fault in the native library (panic): {}", payload_text(&*payload));
                    Failure::new(ErrorKind::Panic, text)
                }
                Err(_) => Failure::new(ErrorKind::Closed, format!("the {} was closed", self.name)),
            }),
        };
        match result {
            Ok(value) => {
                *state = State::Done(value);
                Ok(READY)
            }
            Err(failure) => {
                *state = State::Failed(failure.clone());
                Err(failure)
            }
        }
    }

    /// Reads the result after a poll has returned that it is there.
    pub fn result<R>(&self, read: impl FnOnce(&T) -> R) -> Result<R, Failure> {
        match &*self.state() {
            State::Done(value) => Ok(read(value)),
            _ => {
                let text = format!(
                    "there is no result of the {} yet: poll did not say that it is ready",
                    self.name
                );
                Err(Failure::new(ErrorKind::Internal, text))
            }
        }
    }

    /// Cancels the task and waits for its end, in which it may say good-bye to a server; a poll in flight ends with
    /// CLOSED.
    pub fn close(&self) {
        self.cancel.cancel();
        if self.lease.wait(CLOSE_BOUND, self.gone.cancelled()).is_none() {
            self.abort.abort();
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
