//! Exports over scans: one scan per source reader, read batch by batch with bounded waits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use doris_arrow::binary_row::RowFormat;
use doris_client::ErrorKind;
use doris_client::read::config::IncrementType;
use doris_client::read::config::ReadConfig;
use doris_client::read::scan::{Next, Scan, ScanBatch};
use doris_client::read::window::{Position, Slice, WindowSpec};
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass, JLongArray};
use jni::sys::{jboolean, jint, jlong};
use tokio_util::sync::CancellationToken;

use crate::batch::{BATCHES, HeldBatch};
use crate::convert;
use crate::guard::{self, Failure};
use crate::handle::{Kind, Table};
use crate::request::Request;
use crate::runtime::Lease;

/// The open scans.
pub static SCANS: Table<OpenScan> = Table::new(Kind::Scan);

const READY: jint = 0;
const TIMEOUT: jint = 1;
const WOKEN: jint = 2;
const END: jint = 3;

/// In place of an instant: the split has no fence.
const NO_FENCE: jlong = jlong::MIN;

/// How long a close waits for the server's answer to the end of the session; the client itself waits less.
const CLOSE_BOUND: Duration = Duration::from_secs(1);

/// A scan with the batch that a poll has found and that was not taken yet.
pub struct OpenScan {
    scan: Scan,
    /// Of the rows that the scan produces, if Flink's format has a place for all of their fields.
    format: Option<Arc<RowFormat>>,
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
            format: config.row_format().map(Arc::new),
            scan: Scan::new(config),
            ready: Mutex::new(None),
            closed: CancellationToken::new(),
            lease,
        })
    }

    fn start(&self, tablets: Vec<i64>, fence_millis: jlong, looks_up: bool) -> Result<(), Failure> {
        let _inside = self.lease.handle().enter();
        let fence = Some(fence_millis).filter(|millis| *millis != NO_FENCE);
        if looks_up {
            Ok(self.scan.start(tablets, fence)?)
        } else {
            Ok(self.scan.start_without_look_up(tablets, fence)?)
        }
    }

    fn start_window(&self, request: &[u8]) -> Result<(), Failure> {
        let window = window_spec(&Request::decode(request)?)?;
        let _inside = self.lease.handle().enter();
        Ok(self.scan.start_window(window)?)
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

/// The window that Java describes.
fn window_spec(request: &Request) -> Result<WindowSpec, Failure> {
    let slice = match request.text("slice")? {
        "whole" => Slice::Whole,
        "hash" => Slice::Hash {
            index: request.number("slice.index")?,
            count: request.number("slice.count")?,
        },
        "partition" => Slice::Partition {
            id: request.number("slice.partition")?,
        },
        other => {
            let text = format!("'slice' = '{other}' is not usable; allowed: whole, hash, partition");
            return Err(Failure::new(ErrorKind::Config, text));
        }
    };
    let position = match request.has("position.tso") {
        false => None,
        true => Some(Position {
            tso: request.number("position.tso")?,
            lsn: request.number("position.lsn")?,
            operation: request.number("position.operation")?,
            rows_at_position: request.number("position.rows-at")?,
            rows_of_tso: request.number("position.rows-of-tso")?,
            hash_sum: request.number("position.hash-sum")?,
        }),
    };
    let increment_type = request.text("increment-type")?;
    let increment_type = IncrementType::parse(increment_type).ok_or_else(|| {
        let text = format!(
            "'increment-type' = '{increment_type}' is not usable; allowed: detail, min_delta, append_only"
        );
        Failure::new(ErrorKind::Config, text)
    })?;
    Ok(WindowSpec {
        start_text: request.text("start")?.to_owned(),
        end_text: request.text("end")?.to_owned(),
        start_millis: request.number("start.millis")?,
        end_millis: request.number("end.millis")?,
        increment_type: Some(increment_type),
        slice,
        position,
        verify: request.flag("verify")?,
    })
}

/// `void scanStart(long scan, long[] tablets, long fenceMillis, boolean looksUp)`: `Long.MIN_VALUE` for no fence;
/// whether the scan finds out that the tablets still exist.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanStart<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    scan: jlong,
    tablets: JLongArray<'l>,
    fence_millis: jlong,
    looks_up: jboolean,
) {
    guard::call(&mut env, |env| {
        let tablets = convert::longs(env, &tablets)?;
        SCANS.with(scan, |scan| scan.start(tablets, fence_millis, looks_up))
    })
}

/// `void scanStartWindow(long scan, byte[] window)`: a map of text.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_scanStartWindow<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    scan: jlong,
    window: JByteArray<'l>,
) {
    guard::call(&mut env, |env| {
        let window = convert::bytes(env, &window)?;
        SCANS.with(scan, |scan| scan.start_window(&window))
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
        SCANS.with(scan, |scan| {
            BATCHES.insert(HeldBatch::of_scan(scan.take()?, scan.format.clone()))
        })
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
            metrics.visible_wait_retries,
            metrics.visible_wait_millis,
            metrics.replayed_rows_dropped,
            metrics.position_mismatches,
            metrics.window_rows,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Answer;

    const WINDOW: [(&str, &str); 15] = [
        ("start", "2026-10-09 10:00:00"),
        ("end", "2026-10-09 10:00:10"),
        ("start.millis", "1791540000000"),
        ("end.millis", "1791540010000"),
        ("increment-type", "min_delta"),
        ("slice", "hash"),
        ("slice.index", "3"),
        ("slice.count", "4"),
        ("verify", "true"),
        ("position.tso", "469641461760000001"),
        ("position.lsn", "-2"),
        ("position.operation", "3"),
        ("position.rows-at", "1"),
        ("position.rows-of-tso", "5"),
        ("position.hash-sum", "-9223372036854775808"),
    ];

    fn spec(entries: &[(&str, &str)]) -> Result<WindowSpec, Failure> {
        let mut map = Answer::default();
        entries.iter().for_each(|(name, value)| map.put(name, value));
        window_spec(&Request::decode(&map.into_bytes())?)
    }

    fn with<'a>(name: &str, value: &'a str) -> Vec<(&'a str, &'a str)> {
        let mut entries = WINDOW.to_vec();
        for entry in entries.iter_mut().filter(|(n, _)| *n == name) {
            entry.1 = value;
        }
        entries
    }

    #[test]
    fn a_window_is_described_completely() {
        let window = spec(&WINDOW).unwrap();
        assert_eq!(window.start_text, "2026-10-09 10:00:00");
        assert_eq!(
            (window.start_millis, window.end_millis),
            (1_791_540_000_000, 1_791_540_010_000)
        );
        assert_eq!(window.increment_type, Some(IncrementType::MinDelta));
        assert_eq!(window.slice, Slice::Hash { index: 3, count: 4 });
        let position = Position {
            tso: 469_641_461_760_000_001,
            lsn: -2,
            operation: 3,
            rows_at_position: 1,
            rows_of_tso: 5,
            hash_sum: i64::MIN,
        };
        assert_eq!(window.position, Some(position));
        assert!(window.verify);
        assert_eq!(spec(&with("slice", "whole")).unwrap().slice, Slice::Whole);
        let mut partition = with("slice", "partition");
        partition.push(("slice.partition", "77"));
        partition.retain(|(name, _)| !name.starts_with("position"));
        let window = spec(&partition).unwrap();
        assert_eq!(
            (window.slice, window.position),
            (Slice::Partition { id: 77 }, None)
        );
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for left_out in 0..WINDOW.len() {
            let mut entries = WINDOW.to_vec();
            let (name, _) = entries.remove(left_out);
            // Without its first number there is no position.
            if name == "position.tso" {
                assert_eq!(spec(&entries).unwrap().position, None);
                continue;
            }
            let failure = spec(&entries).unwrap_err();
            assert_eq!(failure.kind(), ErrorKind::Config);
            assert!(failure.message().contains(name), "{}", failure.message());
        }
        for (name, value) in [
            ("slice", "third"),
            ("slice.index", "-1"),
            ("verify", "yes"),
            ("end.millis", "x"),
        ] {
            let failure = spec(&with(name, value)).unwrap_err();
            assert!(failure.message().contains(value), "{}", failure.message());
        }
    }
}
