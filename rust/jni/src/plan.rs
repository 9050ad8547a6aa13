//! Exports over the planning of a read: started, polled with bounded waits, its result taken as bytes.

use doris_client::read::config::ReadConfig;
use doris_client::read::plan::{ScanPlan, plan_until, present_tablets};
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use jni::sys::{jboolean, jint, jlong};
use tokio_util::sync::CancellationToken;

use crate::convert;
use crate::guard::{self, Failure};
use crate::handle::{Kind, Table};
use crate::runtime::Lease;
use crate::task::Task;

/// The plans under way or finished.
pub static PLANS: Table<OpenPlan> = Table::new(Kind::Plan);

/// A plan in the making.
pub type OpenPlan = Task<ScanPlan>;

fn start(config: &[u8], present_only: bool) -> Result<OpenPlan, Failure> {
    let config = ReadConfig::decode(config)?;
    let lease = Lease::new(config.worker_threads())?;
    Ok(Task::run(
        "plan",
        lease,
        CancellationToken::new(),
        move |cancel| async move {
            if present_only {
                present_tablets(&config, cancel.cancelled()).await
            } else {
                plan_until(&config, cancel.cancelled()).await
            }
        },
    ))
}

/// `long planStart(byte[] config, boolean presentOnly)`: the plan of a read, or the tablets that its table has now.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_planStart<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    config: JByteArray<'l>,
    present_only: jboolean,
) -> jlong {
    guard::call(&mut env, |env| {
        PLANS.insert(start(&convert::bytes(env, &config)?, present_only)?)
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
        let bytes = PLANS.with(plan, |plan| plan.result(convert::plan_bytes))?;
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
