//! Exports over the planning of a read: started, polled with bounded waits, its result taken as bytes.

use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

use doris_client::config::ReadConfig;
use doris_client::plan::{ScanPlan, plan_until};
use doris_client::{Error, ErrorKind};
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use jni::sys::{jint, jlong};
use tokio::task::{AbortHandle, JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::convert;
use crate::guard::{self, Failure, payload_text};
use crate::handle::{Kind, Table};
use crate::runtime::Lease;

/// The plans under way or finished.
pub static PLANS: Table<OpenPlan> = Table::new(Kind::Plan);

const READY: jint = 0;
const TIMEOUT: jint = 1;

/// How long a close waits for the cancelled task.
const CLOSE_BOUND: Duration = Duration::from_secs(1);

enum State {
    Running(JoinHandle<Result<ScanPlan, Error>>),
    Done(ScanPlan),
    /// The failure was thrown already.
    Failed,
}

/// A plan in the making.
pub struct OpenPlan {
    state: Mutex<State>,
    cancel: CancellationToken,
    abort: AbortHandle,
    /// Cancelled when the task is gone, however it ended.
    gone: CancellationToken,
    // Last, so that the runtime outlives what runs on it.
    lease: Lease,
}

impl OpenPlan {
    /// Parses the configuration and begins to plan.
    pub fn start(config: &[u8]) -> Result<Self, Failure> {
        let config = ReadConfig::decode(config)?;
        let lease = Lease::new(config.worker_threads())?;
        Ok(Self::run(lease, |cancel| async move {
            plan_until(&config, cancel.cancelled()).await
        }))
    }

    /// Runs what yields a plan on the runtime. It is told when the plan is closed, and should end soon then.
    pub fn run<F>(lease: Lease, planning: impl FnOnce(CancellationToken) -> F) -> Self
    where
        F: Future<Output = Result<ScanPlan, Error>> + Send + 'static,
    {
        let cancel = CancellationToken::new();
        let planning = planning(cancel.clone());
        let gone = CancellationToken::new();
        let guard = gone.clone().drop_guard();
        let task = lease.handle().spawn(async move {
            let _guard = guard;
            planning.await
        });
        Self {
            cancel,
            abort: task.abort_handle(),
            gone,
            state: Mutex::new(State::Running(task)),
            lease,
        }
    }

    fn poll(&self, limit: Duration) -> Result<jint, Failure> {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(
                    ErrorKind::Internal,
                    "two threads wait for one plan at the same time",
                ));
            }
        };
        let State::Running(task) = &mut *state else {
            return match *state {
                State::Done(_) => Ok(READY),
                _ => Err(Failure::new(ErrorKind::Closed, "this plan has failed before")),
            };
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
                Err(_) => Failure::new(ErrorKind::Closed, "the plan was closed"),
            }),
        };
        match result {
            Ok(plan) => {
                *state = State::Done(plan);
                Ok(READY)
            }
            Err(failure) => {
                *state = State::Failed;
                Err(failure)
            }
        }
    }

    fn result(&self) -> Result<Vec<u8>, Failure> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Done(plan) => Ok(convert::plan_bytes(plan)),
            _ => Err(Failure::new(
                ErrorKind::Internal,
                "there is no plan yet: poll did not say that it is ready",
            )),
        }
    }

    /// Cancels the task and waits for its end, in which it closes its session; a poll in flight ends with CLOSED.
    fn close(&self) {
        self.cancel.cancel();
        if self.lease.wait(CLOSE_BOUND, self.gone.cancelled()).is_none() {
            self.abort.abort();
        }
    }
}

/// `long planStart(byte[] config)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_planStart<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    config: JByteArray<'l>,
) -> jlong {
    guard::call(&mut env, |env| {
        PLANS.insert(OpenPlan::start(&convert::bytes(env, &config)?)?)
    })
}

/// `int planPoll(long plan, int timeoutMs)`: waits no longer than that.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_planPoll<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    plan: jlong,
    timeout_ms: jint,
) -> jint {
    guard::call(&mut env, |_| {
        PLANS.with(plan, |plan| plan.poll(convert::millis(timeout_ms)))
    })
}

/// `byte[] planResult(long plan)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_planResult<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    plan: jlong,
) -> JByteArray<'l> {
    guard::call(&mut env, |env| {
        let bytes = PLANS.with(plan, OpenPlan::result)?;
        convert::to_bytes(env, &bytes)
    })
}

/// `void planClose(long plan)`: any thread, any time, as often as one likes.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_planClose<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    plan: jlong,
) {
    guard::call(&mut env, |_| {
        if let Some(plan) = PLANS.remove(plan) {
            plan.close();
        }
        Ok(())
    })
}
