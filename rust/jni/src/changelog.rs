//! Exports over changelogs: what one enumerator requests from a server in order to follow a table. Closing one ends
//! its calls.

use std::sync::Arc;

use doris_client::read::changelog::{Changelog, TableFacts};
use doris_client::read::config::ReadConfig;
use doris_client::{Error, ErrorKind};
use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass};
use jni::sys::jlong;
use tokio_util::sync::CancellationToken;

use crate::call::{self, OpenCall};
use crate::convert;
use crate::guard::{self, Failure};
use crate::handle::{Kind, Table};
use crate::request::{Answer, Request};
use crate::runtime::Lease;
use crate::task::Task;

/// The open changelogs.
pub static CHANGELOGS: Table<OpenChangelog> = Table::new(Kind::Changelog);

/// A changelog and what has to end with it.
pub struct OpenChangelog {
    changelog: Arc<Changelog>,
    worker_threads: usize,
    /// The parent of what calls wait for.
    closed: CancellationToken,
    // Last, so that the runtime outlives what runs on it.
    _lease: Lease,
}

/// The requests.
enum Question {
    Table,
    Position,
    Instant { text: String },
    Partitions,
    Probe,
    OffsetRead,
    OffsetWrite { millis: i64 },
}

impl OpenChangelog {
    /// Parses the configuration and takes a share in the runtime. No I/O.
    pub fn open(config: &[u8]) -> Result<Self, Failure> {
        let config = Arc::new(ReadConfig::decode(config)?);
        let worker_threads = config.worker_threads();
        let lease = Lease::new(worker_threads)?;
        let inside = lease.handle().enter();
        let changelog = Arc::new(Changelog::new(config)?);
        drop(inside);
        Ok(Self {
            changelog,
            worker_threads,
            closed: CancellationToken::new(),
            _lease: lease,
        })
    }

    /// Starts what the request describes. The call keeps what it needs, also when this is closed, which cancels it.
    fn start_call(&self, request: &Request) -> Result<OpenCall, Failure> {
        let question = Question::parse(request)?;
        if self.closed.is_cancelled() {
            return Err(Failure::new(ErrorKind::Closed, "the changelog was closed"));
        }
        let lease = Lease::new(self.worker_threads)?;
        let changelog = self.changelog.clone();
        Ok(Task::run(
            "call",
            lease,
            self.closed.child_token(),
            |cancel| async move {
                let answering = question.ask(&changelog, &cancel);
                if question.ends_by_itself() {
                    return answering.await;
                }
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => Err(Error::new(ErrorKind::Closed, "the call was closed")),
                    answer = answering => answer,
                }
            },
        ))
    }
}

impl Question {
    fn parse(request: &Request) -> Result<Self, Failure> {
        Ok(match request.text("call")? {
            "table" => Self::Table,
            "position" => Self::Position,
            "instant" => Self::Instant {
                text: request.text("text")?.to_owned(),
            },
            "partitions" => Self::Partitions,
            "probe" => Self::Probe,
            "offset.read" => Self::OffsetRead,
            "offset.write" => Self::OffsetWrite {
                millis: request.number("millis")?,
            },
            other => {
                let text = format!(
                    "'{other}' is no call; allowed: table, position, instant, partitions, probe, offset.read, offset.write"
                );
                return Err(Failure::new(ErrorKind::Config, text));
            }
        })
    }

    /// Whether it sees by itself that it is cancelled, and closes its session before it ends.
    fn ends_by_itself(&self) -> bool {
        matches!(self, Self::Table)
    }

    async fn ask(&self, changelog: &Changelog, cancel: &CancellationToken) -> Result<Vec<u8>, Error> {
        let mut answer = Answer::default();
        match self {
            Self::Table => put_table(&mut answer, changelog.table(cancel.cancelled()).await?),
            Self::Position => {
                let position = changelog.position().await?;
                answer.put("millis", position.millis);
                answer.put("tso", position.tso);
            }
            Self::Instant { text } => {
                let instant = changelog.instant(text).await?;
                answer.put("millis", instant.millis);
                answer.put("zone", instant.zone);
            }
            Self::Partitions => {
                let partitions = changelog.partitions().await?;
                answer.put("count", partitions.len());
                for (i, partition) in partitions.iter().enumerate() {
                    answer.put(&format!("partition.{i}.id"), partition.id);
                    answer.put(&format!("partition.{i}.name"), &partition.name);
                }
            }
            Self::Probe => answer.put("hash", changelog.probe().await?),
            Self::OffsetRead => {
                let millis = changelog.read_offset().await?;
                answer.put("found", millis.is_some());
                answer.put_some("millis", millis);
            }
            Self::OffsetWrite { millis } => answer.put("rows", changelog.write_offset(*millis).await?),
        }
        Ok(answer.into_bytes())
    }
}

fn put_table(answer: &mut Answer, facts: TableFacts) {
    answer.put("keys", facts.keys);
    answer.put("history", facts.history);
    answer.put("ttl.seconds", facts.ttl_seconds);
    let id = facts.table_id.map(|id| id.to_string()).unwrap_or_default();
    answer.put("table.id", id);
    answer.put("warnings", facts.warnings.len());
    for (i, warning) in facts.warnings.iter().enumerate() {
        answer.put(&format!("warning.{i}"), warning);
    }
}

/// `long changelogOpen(byte[] config)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_changelogOpen<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    config: JByteArray<'l>,
) -> jlong {
    guard::call(&mut env, |env| {
        CHANGELOGS.insert(OpenChangelog::open(&convert::bytes(env, &config)?)?)
    })
}

/// `long changelogCall(long changelog, byte[] request)`
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_changelogCall<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    changelog: jlong,
    request: JByteArray<'l>,
) -> jlong {
    guard::call(&mut env, |env| {
        let request = Request::decode(&convert::bytes(env, &request)?)?;
        CHANGELOGS.with(changelog, |changelog| {
            call::CALLS.insert(changelog.start_call(&request)?)
        })
    })
}

/// `void changelogClose(long changelog)`: any thread, any time, as often as one likes; calls in flight end with
/// CLOSED.
#[unsafe(no_mangle)]
pub extern "system" fn Java_org_apache_doris_flink_jni_Native_changelogClose<'l>(
    mut env: EnvUnowned<'l>,
    _class: JClass<'l>,
    changelog: jlong,
) {
    guard::call(&mut env, |_| {
        if let Some(changelog) = CHANGELOGS.remove(changelog) {
            changelog.closed.cancel();
        }
        Ok(())
    })
}
