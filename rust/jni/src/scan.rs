//! Exports over scans: one scan per source reader, read batch by batch with bounded waits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use doris_client::ErrorKind;
use doris_client::config::ReadConfig;
use doris_client::scan::{Next, Scan, ScanBatch};
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass, JLongArray};
use jni::sys::{jint, jlong};
use tokio_util::sync::CancellationToken;

use crate::batch::BATCHES;
use crate::convert;
use crate::guard::{self, Failure};
use crate::handle::{Kind, Table};
use crate::runtime::Lease;

/// The open scans.
pub static SCANS: Table<OpenScan> = Table::new(Kind::Scan);

const READY: jint = 0;
const TIMEOUT: jint = 1;
const WOKEN: jint = 2;
const END: jint = 3;

/// How long a close waits for the server's answer to the end of the session; the client itself waits less.
const CLOSE_BOUND: Duration = Duration::from_secs(1);

/// A scan with the batch that a poll has found and nobody has taken yet.
pub struct OpenScan {
    scan: Scan,
    /// Also held during a poll: a scan is read by one thread at a time.
    ready: Mutex<Option<ScanBatch>>,
    closed: CancellationToken,
    // Last, so that the runtime outlives what runs on it.
    lease: Lease,
}

impl OpenScan {
    /// Parses the configuration and takes a share in the runtime. No I/O.
    pub fn open(config: &[u8]) -> Result<Self, Failure> {
        let config = Arc::new(ReadConfig::decode(config)?);
        let lease = Lease::new(config.worker_threads())?;
        Ok(Self {
            scan: Scan::new(config),
            ready: Mutex::new(None),
            closed: CancellationToken::new(),
            lease,
        })
    }

    fn start(&self, tablets: Vec<i64>) -> Result<(), Failure> {
        let _inside = self.lease.handle().enter();
        Ok(self.scan.start(tablets)?)
    }

    fn poll(&self, limit: Duration) -> Result<jint, Failure> {
        let mut ready = self.ready()?;
        if ready.is_some() {
            return Ok(READY);
        }
        let next = self.lease.wait(limit, async {
            tokio::select! {
                biased;
                () = self.closed.cancelled() => Err(Failure::new(ErrorKind::Closed, "the scan was closed")),
                next = self.scan.next() => next.map_err(Failure::from),
            }
        });
        match next {
            None => Ok(TIMEOUT),
            Some(Err(failure)) => Err(failure),
            Some(Ok(Next::Woken)) => Ok(WOKEN),
            Some(Ok(Next::End)) => Ok(END),
            Some(Ok(Next::Batch(batch))) => {
                *ready = Some(batch);
                Ok(READY)
            }
        }
    }

    fn take(&self) -> Result<ScanBatch, Failure> {
        let none = || {
            Failure::new(
                ErrorKind::Internal,
                "there is no batch to take: poll said nothing of one",
            )
        };
        self.ready()?.take().ok_or_else(none)
    }

    /// The batch that was found, and the right to read. Does not wait for another reader.
    fn ready(&self) -> Result<MutexGuard<'_, Option<ScanBatch>>, Failure> {
        match self.ready.try_lock() {
            Ok(ready) => Ok(ready),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                ErrorKind::Internal,
                "two threads read from one scan at the same time",
            )),
        }
    }

    fn close(&self) {
        self.closed.cancel();
        self.lease.wait(CLOSE_BOUND, self.scan.close());
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// `long scanOpen(byte[] config)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanOpen<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    config: JByteArray<'l>,
) -> jlong {
    guard::call(&mut env, |env| {
        SCANS.insert(OpenScan::open(&convert::bytes(env, &config)?)?)
    })
}

/// `void scanStart(long scan, long[] tablets)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanStart<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    scan: jlong,
    tablets: JLongArray<'l>,
) {
    guard::call(&mut env, |env| {
        let tablets = convert::longs(env, &tablets)?;
        SCANS.with(scan, |scan| scan.start(tablets))
    })
}

/// `int scanPoll(long scan, int timeoutMs)`: waits no longer than that.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanPoll<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    scan: jlong,
    timeout_ms: jint,
) -> jint {
    guard::call(&mut env, |_| {
        SCANS.with(scan, |scan| scan.poll(convert::millis(timeout_ms)))
    })
}

/// `long scanTake(long scan)`: the batch moves from the scan to Java, which must release it.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanTake<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    scan: jlong,
) -> jlong {
    guard::call(&mut env, |_| {
        SCANS.with(scan, |scan| BATCHES.insert(scan.take()?.into()))
    })
}

/// `void scanWake(long scan)`: one poll returns early, the one that waits or the next one.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanWake<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    scan: jlong,
) {
    guard::call(&mut env, |_| {
        SCANS.with(scan, |scan| {
            scan.scan.wake();
            Ok(())
        })
    })
}

/// `long[] scanMetrics(long scan)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanMetrics<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    scan: jlong,
) -> JLongArray<'l> {
    guard::call(&mut env, |env| {
        let metrics = SCANS.with(scan, |scan| Ok(scan.scan.metrics()))?;
        let numbers = [
            metrics.rows,
            metrics.bytes,
            metrics.identity_batches,
            metrics.converted_batches,
            metrics.split_retries,
            metrics.held_bytes,
            metrics.max_held_bytes,
        ];
        convert::to_longs(env, &numbers.map(convert::long))
    })
}

/// `void scanClose(long scan)`: any thread, any time, as often as one likes; polls in flight end with CLOSED.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanClose<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    scan: jlong,
) {
    guard::call(&mut env, |_| {
        if let Some(scan) = SCANS.remove(scan) {
            scan.close();
        }
        Ok(())
    })
}
