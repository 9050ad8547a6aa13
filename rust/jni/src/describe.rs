//! The export that lists a table's columns: a call that belongs to no sink, polled and read as any other.

use doris_client::read::config::ReadConfig;
use doris_client::read::describe::{TableColumn, describe_until};
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use jni::sys::jlong;
use tokio_util::sync::CancellationToken;

use crate::call::{CALLS, OpenCall};
use crate::convert;
use crate::guard::{self, Failure};
use crate::request::Answer;
use crate::runtime::Lease;
use crate::task::Task;

fn start(config: &[u8]) -> Result<OpenCall, Failure> {
    let config = ReadConfig::decode(config)?;
    let lease = Lease::new(config.worker_threads())?;
    Ok(Task::run(
        "call",
        lease,
        CancellationToken::new(),
        |cancel| async move { Ok(answer(&describe_until(&config, cancel.cancelled()).await?)) },
    ))
}

/// `columns` and for each `column.<i>.name`, `.doris` and `.type`, the last one empty for what cannot be read.
fn answer(columns: &[TableColumn]) -> Vec<u8> {
    let mut answer = Answer::default();
    answer.put("columns", columns.len());
    for (i, column) in columns.iter().enumerate() {
        let natural = column
            .natural
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        answer.put(&format!("column.{i}.name"), &column.name);
        answer.put(&format!("column.{i}.doris"), &column.doris);
        answer.put(&format!("column.{i}.type"), natural);
    }
    answer.into_bytes()
}

/// `long describeStart(byte[] config)`: a handle of `callPoll`, `callResult` and `callClose`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_describeStart<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    config: JByteArray<'l>,
) -> jlong {
    guard::call(&mut env, |env| {
        CALLS.insert(start(&convert::bytes(env, &config)?)?)
    })
}
