//! Exports over loads, and over the loads of a table in batch mode: buffers are lent to Java, filled there and taken back; the outcome is awaited in bounded waits.
//!
//! A lent buffer is the one thing that outlives its load: another thread may be writing into it at the moment of the
//! close. It stays in the table, with everything else of the load gone, until its borrower gives it back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use doris_client::Error;
use doris_client::ErrorKind;
use doris_client::write::batch::TableStream;
use doris_client::write::load::{Buffer, Load, LoadOutcome};
use jni::objects::{JByteArray, JByteBuffer, JClass, JLongArray};
use jni::sys::{jint, jlong};
use jni::{Env, EnvUnowned};
use tokio_util::sync::CancellationToken;

use crate::guard::{self, Failure};
use crate::handle::{Kind, Table};
use crate::runtime::Lease;
use crate::{buffers, convert, request};

/// The open loads.
pub static LOADS: Table<OpenLoad> = Table::new(Kind::Load);

const READY: jint = 0;
const TIMEOUT: jint = 1;

/// Where rows go.
pub enum Rows {
    /// One load.
    Load(Load),
    /// In batch mode one load after the other.
    Stream(TableStream),
}

impl Rows {
    async fn acquire(&self, bytes: usize) -> Result<Buffer, Error> {
        match self {
            Self::Load(load) => load.acquire(bytes).await,
            Self::Stream(stream) => stream.acquire(bytes).await,
        }
    }

    fn submit(&self, buffer: Buffer, rows: usize, layout: &[i64]) -> Result<(), Error> {
        match self {
            Self::Load(load) => load.submit(buffer, rows, layout),
            Self::Stream(stream) => stream.submit(buffer, rows, layout),
        }
    }

    fn finish(&self) {
        match self {
            Self::Load(load) => load.finish(),
            Self::Stream(stream) => stream.finish(),
        }
    }

    /// Waits for the outcome of a load, or until all rows of a stream were taken.
    async fn outcome(&self) -> Result<Option<Arc<LoadOutcome>>, Error> {
        match self {
            Self::Load(load) => load.outcome().await.map(Some),
            Self::Stream(stream) => stream.flushed().await.map(|()| None),
        }
    }

    /// The next load of a stream that has ended.
    fn ended(&self) -> Option<LoadOutcome> {
        match self {
            Self::Load(_) => None,
            Self::Stream(stream) => stream.ended(),
        }
    }

    /// Ends it, whatever it does.
    pub fn close(&self) {
        match self {
            Self::Load(load) => load.close(),
            Self::Stream(stream) => stream.close(),
        }
    }
}

/// A load with the buffer that Java is filling.
pub struct OpenLoad {
    load: Arc<Rows>,
    lent: Mutex<Lent>,
    /// Held during an acquire: a load is filled by one thread.
    filling: Mutex<()>,
    outcome: Mutex<Option<Arc<LoadOutcome>>>,
    closed: CancellationToken,
    // Last, so that the runtime outlives what runs on it.
    lease: Lease,
}

/// The buffer in Java's hands, and whether the load was closed meanwhile.
#[derive(Default)]
struct Lent {
    buffer: Option<Buffer>,
    closed: bool,
}

impl OpenLoad {
    /// A load that ends when the token is cancelled or when it is closed.
    pub fn new(load: Arc<Rows>, closed: CancellationToken, lease: Lease) -> Self {
        Self {
            load,
            lent: Mutex::default(),
            filling: Mutex::default(),
            outcome: Mutex::default(),
            closed,
            lease,
        }
    }

    /// A place in the ring as a direct buffer, null when there is none within the limit.
    fn acquire<'l>(
        &self,
        env: &mut Env<'l>,
        bytes: jlong,
        limit: Duration,
    ) -> Result<JByteBuffer<'l>, Failure> {
        let bytes = length(bytes)?;
        let _alone = match self.filling.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(internal("two threads fill one load at the same time"));
            }
        };
        if self.closed.is_cancelled() {
            return Err(closed());
        }
        if self.lent().buffer.is_some() {
            return Err(internal(
                "the buffer that was acquired before is not submitted yet",
            ));
        }
        let acquired = self.lease.wait(limit, async {
            tokio::select! {
                biased;
                () = self.closed.cancelled() => Err(closed()),
                buffer = self.load.acquire(bytes) => buffer.map_err(Failure::from),
            }
        });
        let Some(buffer) = acquired else {
            return Ok(JByteBuffer::null());
        };
        let mut buffer = buffer?;
        let mut lent = self.lent();
        if lent.closed {
            // The close did not see this buffer, so it would never be returned.
            return Err(closed());
        }
        let shown = buffers::lend(env, &mut buffer)?;
        lent.buffer = Some(buffer);
        Ok(shown)
    }

    fn submit(&self, rows: jlong, layout: &[i64]) -> Result<(), Failure> {
        let Some(buffer) = self.give_back() else {
            return Err(internal("there is no buffer to submit: none was acquired"));
        };
        if self.closed.is_cancelled() {
            return Err(closed());
        }
        let rows =
            usize::try_from(rows).map_err(|_| internal(format!("{rows} rows cannot be in a buffer")))?;
        let _inside = self.lease.handle().enter();
        Ok(self.load.submit(buffer, rows, layout)?)
    }

    fn poll(&self, limit: Duration) -> Result<jint, Failure> {
        let outcome = self.lease.wait(limit, async {
            tokio::select! {
                biased;
                () = self.closed.cancelled() => Err(closed()),
                outcome = self.load.outcome() => outcome.map_err(Failure::from),
            }
        });
        match outcome {
            None => Ok(TIMEOUT),
            Some(Err(failure)) => Err(failure),
            Some(Ok(outcome)) => {
                *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = outcome;
                Ok(READY)
            }
        }
    }

    fn result(&self) -> Result<Vec<u8>, Failure> {
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        match &*outcome {
            Some(outcome) => Ok(request::outcome_bytes(outcome)),
            None => Err(internal(
                "there is no outcome of the load yet: poll did not say that it is ready",
            )),
        }
    }

    /// Ends the load; calls in flight end with CLOSED.
    fn close(&self) {
        self.lent().closed = true;
        self.closed.cancel();
        let _inside = self.lease.handle().enter();
        self.load.close();
    }

    /// The lent buffer, which Java does not touch any more.
    fn give_back(&self) -> Option<Buffer> {
        self.lent().buffer.take()
    }

    /// Whether the load is closed and nothing of it is in Java's hands.
    fn is_over(&self) -> bool {
        let lent = self.lent();
        lent.closed && lent.buffer.is_none()
    }

    fn lent(&self) -> MutexGuard<'_, Lent> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a load out of the table whose last part has come back.
fn forget_if_over(load: jlong) {
    if LOADS.find(load).is_some_and(|open| open.is_over()) {
        LOADS.remove(load);
    }
}

/// The length of a buffer that Java requests.
fn length(bytes: jlong) -> Result<usize, Failure> {
    i32::try_from(bytes)
        .ok()
        .and_then(|bytes| usize::try_from(bytes).ok())
        .ok_or_else(|| {
            let text = format!(
                "a buffer of {bytes} bytes: a Java buffer can show up to 2 GiB, so rows must be smaller and \
                 sink.buffer-size lower"
            );
            Failure::new(ErrorKind::Data, text)
        })
}

fn closed() -> Failure {
    Failure::new(ErrorKind::Closed, "the load was closed")
}

fn internal(text: impl Into<String>) -> Failure {
    Failure::new(ErrorKind::Internal, text)
}

/// `ByteBuffer loadAcquire(long load, long bytes, int timeoutMs)`: lent until it is submitted or returned; `null`
/// when all are on their way for that long.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadAcquire<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    load: jlong,
    bytes: jlong,
    timeout_ms: jint,
) -> JByteBuffer<'l> {
    guard::call(&mut env, |env| {
        LOADS.with(load, |load| load.acquire(env, bytes, convert::millis(timeout_ms)))
    })
}

/// `void loadSubmit(long load, long rows, long[] layout)`: the lent buffer moves back, filled.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadSubmit<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    load: jlong,
    rows: jlong,
    layout: JLongArray<'l>,
) {
    guard::call(&mut env, |env| {
        let layout = convert::longs(env, &layout)?;
        let submitted = LOADS.with(load, |load| load.submit(rows, &layout));
        forget_if_over(load);
        submitted
    })
}

/// `void loadReturn(long load)`: the lent buffer moves back, unused; no error when none is lent. After a close of the
/// load this frees what is left of it.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadReturn<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    load: jlong,
) {
    guard::call(&mut env, |_| {
        if let Some(open) = LOADS.find(load) {
            drop(open.give_back());
        }
        forget_if_over(load);
        Ok(())
    })
}

/// `void loadFinish(long load)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadFinish<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    load: jlong,
) {
    guard::call(&mut env, |_| {
        LOADS.with(load, |load| {
            if load.closed.is_cancelled() {
                return Err(closed());
            }
            let _inside = load.lease.handle().enter();
            load.load.finish();
            Ok(())
        })
    })
}

/// `int loadPoll(long load, int timeoutMs)`: waits no longer than that.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadPoll<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    load: jlong,
    timeout_ms: jint,
) -> jint {
    guard::call(&mut env, |_| {
        LOADS.with(load, |load| load.poll(convert::millis(timeout_ms)))
    })
}

/// `byte[] loadResult(long load)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadResult<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    load: jlong,
) -> JByteArray<'l> {
    guard::call(&mut env, |env| {
        let bytes = LOADS.with(load, OpenLoad::result)?;
        convert::to_bytes(env, &bytes)
    })
}

/// `byte[] loadEnded(long load)`: `null` when there is none.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadEnded<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    load: jlong,
) -> JByteArray<'l> {
    guard::call(&mut env, |env| {
        match LOADS.with(load, |load| Ok(load.load.ended()))? {
            Some(outcome) => convert::to_bytes(env, &request::outcome_bytes(&outcome)),
            None => Ok(JByteArray::null()),
        }
    })
}

/// `void loadClose(long load)`: any thread, any time, as often as one likes. A buffer that is lent has to be returned.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_loadClose<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    load: jlong,
) {
    guard::call(&mut env, |_| {
        if let Some(open) = LOADS.find(load) {
            open.close();
        }
        forget_if_over(load);
        Ok(())
    })
}
