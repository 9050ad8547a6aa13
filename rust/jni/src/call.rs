//! Exports over calls: one request to the server each, started from a sink or a changelog, polled with bounded waits.

use std::time::Duration;

use doris_arrow::types::FlinkField;
use doris_client::write::overwrite::{Overwrite, Replacement, SwapOutcome};
use doris_client::write::series::{Label, OnFailure, Parts, Series};
use doris_client::write::sink::Sink;
use doris_client::write::txn::{AbortOutcome, CommitOutcome, LabelState};
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
    Series {
        series: Vec<Series>,
        past_finished: bool,
        on_failure: OnFailure,
    },
    Abort {
        labels: Vec<Label>,
        on_failure: OnFailure,
    },
    Commit {
        database: String,
        table: String,
        txn_id: i64,
        label: String,
    },
    MakeReplacement {
        overwrite: Overwrite,
        number: String,
    },
    FindReplacement {
        overwrite: Overwrite,
        wait: Duration,
    },
    SwapIn {
        overwrite: Overwrite,
        replacement: Replacement,
    },
    DropReplacements {
        overwrite: Overwrite,
    },
}

impl Call {
    fn parse(request: &Request) -> Result<Self, Failure> {
        let text = |name| request.text(name).map(str::to_owned);
        match request.text("call")? {
            "table" => Ok(Self::Table {
                database: text("database")?,
                table: text("table")?,
                declared: request.declared()?,
                delete_sign: request.flag("delete-sign")?,
            }),
            "state" => Ok(Self::State {
                database: text("database")?,
                label: text("label")?,
            }),
            "series" => Ok(Self::Series {
                series: request.parts(|request, i| {
                    Ok(Series {
                        database: request.text(&format!("{i}.database"))?.to_owned(),
                        base: request.text(&format!("{i}.base"))?.to_owned(),
                        first: request.number(&format!("{i}.first"))?,
                    })
                })?,
                past_finished: request.flag("past.finished")?,
                on_failure: on_failure(request)?,
            }),
            "abort" => Ok(Self::Abort {
                labels: request.parts(|request, i| {
                    Ok(Label {
                        database: request.text(&format!("{i}.database"))?.to_owned(),
                        label: request.text(&format!("{i}.label"))?.to_owned(),
                    })
                })?,
                on_failure: on_failure(request)?,
            }),
            "commit" => Ok(Self::Commit {
                database: text("database")?,
                table: text("table")?,
                txn_id: request.number("txn.id")?,
                label: text("label")?,
            }),
            "replacement.make" => Ok(Self::MakeReplacement {
                overwrite: overwrite(request)?,
                number: text("number")?,
            }),
            "replacement.find" => Ok(Self::FindReplacement {
                overwrite: overwrite(request)?,
                wait: Duration::from_millis(request.number("wait.ms")?),
            }),
            "replacement.swap" => Ok(Self::SwapIn {
                overwrite: overwrite(request)?,
                replacement: Replacement {
                    name: text("name")?,
                    created: text("created")?,
                },
            }),
            "replacement.drop" => Ok(Self::DropReplacements {
                overwrite: overwrite(request)?,
            }),
            other => {
                let text = format!(
                    "'{other}' is no call; allowed: table, state, series, abort, commit, replacement.make, replacement.find, replacement.swap, replacement.drop"
                );
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
                answer.put("columns", checked.columns.len());
                for (i, (name, is_key)) in checked.columns.into_iter().enumerate() {
                    answer.put(&format!("column.{i}"), name);
                    answer.put(&format!("column.{i}.key"), is_key);
                }
            }
            Self::State { database, label } => {
                answer.put("state", sink.state(&database, &label).await?.name());
            }
            Self::Series {
                series,
                past_finished,
                on_failure,
            } => {
                let parts = sink.walk(series, past_finished, on_failure).await?;
                put_parts(&mut answer, "states", parts, |states| {
                    let names: Vec<&str> = states.into_iter().map(LabelState::name).collect();
                    names.join(",")
                });
            }
            Self::Abort { labels, on_failure } => {
                let parts = sink.abort_all(labels, on_failure).await?;
                put_parts(&mut answer, "outcome", parts, |outcome| match outcome {
                    AbortOutcome::Aborted => "aborted",
                    AbortOutcome::Finished => "finished",
                    AbortOutcome::NotFound => "not-found",
                });
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
            Self::MakeReplacement { overwrite, number } => {
                let made = sink.create_replacement(&overwrite, &number).await?;
                answer.put("name", made.name);
                answer.put("created", made.created);
            }
            Self::FindReplacement { overwrite, wait } => {
                answer.put("name", sink.find_replacement(&overwrite, wait).await?);
            }
            Self::SwapIn {
                overwrite,
                replacement,
            } => {
                let outcome = match sink.swap_in(&overwrite, &replacement).await? {
                    SwapOutcome::Swapped => "swapped",
                    SwapOutcome::Already => "already",
                };
                answer.put("outcome", outcome);
            }
            Self::DropReplacements { overwrite } => {
                answer.put("count", sink.drop_replacements(&overwrite).await?);
            }
        }
        Ok(answer.into_bytes())
    }
}

fn overwrite(request: &Request) -> Result<Overwrite, Failure> {
    let text = |name| request.text(name).map(str::to_owned);
    Ok(Overwrite {
        database: text("database")?,
        table: text("table")?,
        prefix: text("prefix")?,
        run: text("run")?,
    })
}

/// `first.failure.ends` = true: the failure of one part is the failure of the call.
fn on_failure(request: &Request) -> Result<OnFailure, Failure> {
    Ok(match request.flag("first.failure.ends")? {
        true => OnFailure::EndCall,
        false => OnFailure::EndPart,
    })
}

/// `<i>.<name>` for each part that succeeded, `<i>.failure` with code and retryability for each other one.
fn put_parts<T, V: ToString>(answer: &mut Answer, name: &str, parts: Parts<T>, value: impl Fn(T) -> V) {
    for (i, part) in parts.into_iter().enumerate() {
        match part {
            Ok(part) => answer.put(&format!("{i}.{name}"), value(part)),
            Err(error) => {
                answer.put(&format!("{i}.failure"), &error);
                answer.put(&format!("{i}.failure.code"), error.kind() as i32);
                answer.put(&format!("{i}.failure.retryable"), error.is_retryable());
            }
        }
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
