//! Exports over calls: one request to the server each, started from a sink or a changelog, polled with bounded waits.

use doris_arrow::types::FlinkField;
use doris_client::write::sink::Sink;
use doris_client::write::txn::{AbortOutcome, CommitOutcome};
use doris_client::{Error, ErrorKind};
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use jni::sys::{jint, jlong};
use tokio_util::sync::CancellationToken;

use crate::convert;
use crate::guard::{self, Failure};
use crate::handle::{Kind, Table};
use crate::request::{Answer, Request};
use crate::runtime::Lease;
use crate::task::Task;

/// The calls under way or answered.
pub static CALLS: Table<OpenCall> = Table::new(Kind::Call);

/// A call and its answer, a map in bytes.
pub type OpenCall = Task<Vec<u8>>;

/// Starts what the request describes; it ends when the token is cancelled. It keeps the client of its sink.
pub fn start(
    sink: Sink,
    request: Request,
    cancel: CancellationToken,
    lease: Lease,
) -> Result<OpenCall, Failure> {
    let call = Call::parse(&request)?;
    Ok(Task::run("call", lease, cancel, |cancel| async move {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::new(ErrorKind::Closed, "the call was closed")),
            answer = call.run(&sink) => answer,
        }
    }))
}

/// The requests to a server.
enum Call {
    Table {
        database: String,
        table: String,
        declared: Option<Vec<FlinkField>>,
        delete_sign: bool,
    },
    State {
        database: String,
        label: String,
    },
    Abort {
        database: String,
        label: String,
    },
    Commit {
        database: String,
        table: String,
        txn_id: i64,
        label: String,
    },
}

impl Call {
    fn parse(request: &Request) -> Result<Self, Failure> {
        let text = |name| request.text(name).map(str::to_owned);
        let database = text("database")?;
        match request.text("call")? {
            "table" => Ok(Self::Table {
                database,
                table: text("table")?,
                declared: request.declared()?,
                delete_sign: request.flag("delete-sign")?,
            }),
            "state" => Ok(Self::State {
                database,
                label: text("label")?,
            }),
            "abort" => Ok(Self::Abort {
                database,
                label: text("label")?,
            }),
            "commit" => Ok(Self::Commit {
                database,
                table: text("table")?,
                txn_id: request.number("txn.id")?,
                label: text("label")?,
            }),
            other => {
                let text = format!("'{other}' is no call; allowed: table, state, abort, commit");
                Err(Failure::new(ErrorKind::Config, text))
            }
        }
    }

    async fn run(self, sink: &Sink) -> Result<Vec<u8>, Error> {
        let mut answer = Answer::default();
        match self {
            Self::Table {
                database,
                table,
                declared,
                delete_sign,
            } => {
                let checked = sink
                    .check_table(&database, &table, declared.as_deref(), delete_sign)
                    .await?;
                answer.put("keys", checked.keys);
                answer.put("delete.sign", checked.delete_sign);
                let key: Vec<String> = checked.key_fields.iter().map(ToString::to_string).collect();
                answer.put("key.fields", key.join(","));
            }
            Self::State { database, label } => {
                answer.put("state", sink.state(&database, &label).await?.name());
            }
            Self::Abort { database, label } => {
                let outcome = match sink.abort(&database, &label).await? {
                    AbortOutcome::Aborted => "aborted",
                    AbortOutcome::Finished => "finished",
                    AbortOutcome::NotFound => "not-found",
                };
                answer.put("outcome", outcome);
            }
            Self::Commit {
                database,
                table,
                txn_id,
                label,
            } => {
                let (outcome, retries) = match sink.commit(&database, &table, txn_id, &label).await? {
                    CommitOutcome::Committed { retries } => ("committed", retries),
                    CommitOutcome::Already { retries } => ("already", retries),
                };
                answer.put("outcome", outcome);
                answer.put("retries", retries);
            }
        }
        Ok(answer.into_bytes())
    }
}

/// `int callPoll(long call, int timeoutMs)`: waits no longer than that.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_callPoll<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    call: jlong,
    timeout_ms: jint,
) -> jint {
    guard::call(&mut env, |_| {
        CALLS.with(call, |call| call.poll(convert::millis(timeout_ms)))
    })
}

/// `byte[] callResult(long call)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_callResult<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    call: jlong,
) -> JByteArray<'l> {
    guard::call(&mut env, |env| {
        let bytes = CALLS.with(call, |call| call.result(Vec::clone))?;
        convert::to_bytes(env, &bytes)
    })
}

/// `void callClose(long call)`: any thread, any time, as often as one likes.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_callClose<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    call: jlong,
) {
    guard::call(&mut env, |_| {
        if let Some(call) = CALLS.remove(call) {
            call.close();
        }
        Ok(())
    })
}
