//! What this copy of the library holds: figures for metrics and for tests that look for leaks.

use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass, JLongArray};
use jni::sys::jint;

use crate::{batch, call, changelog, convert, guard, load, log, plan, runtime, scan, sink};

/// `long[] counters()`: open handles but batches, batches that Java holds, native bytes of batches, queues and loads,
/// threads of the runtime, identity batches, converted batches, open Flight sessions, lost log records.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_counters<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
) -> JLongArray<'l> {
    guard::call(&mut env, |env| convert::to_longs(env, &snapshot()))
}

/// `byte[] drainLog(int max)`: the oldest records, `null` when there is none.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_drainLog<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    max: jint,
) -> JByteArray<'l> {
    guard::call(&mut env, |env| {
        let records = log::drain(usize::try_from(max).unwrap_or(0));
        if records.is_empty() {
            Ok(JByteArray::null())
        } else {
            convert::to_bytes(env, &convert::log_bytes(&records))
        }
    })
}

fn snapshot() -> [i64; 8] {
    let client = doris_client::process_counters();
    let long = |n: usize| convert::long(n as u64);
    let handles = [
        scan::SCANS.len(),
        plan::PLANS.len(),
        sink::SINKS.len(),
        load::LOADS.len(),
        changelog::CHANGELOGS.len(),
        call::CALLS.len(),
    ]
    .iter()
    .sum();
    [
        long(handles),
        long(batch::BATCHES.len()),
        client.held_bytes,
        long(runtime::threads()),
        convert::long(client.identity),
        convert::long(client.converted),
        client.open_sessions,
        convert::long(log::dropped()),
    ]
}
