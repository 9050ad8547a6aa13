//! Reading one window of changes: its query, its rows, and where it resumes after a failure.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use arrow::datatypes::Schema;
use bytes::Bytes;
use doris_arrow::normalize::{Dictionaries, Normalizer};

use super::batch::ScanBatch;
use super::budget::Permit;
use super::drain::{Rows, ServerTime, drain};
use super::shared::Shared;
use super::split::warn_once;
use super::target::{self, Target};
use crate::error::{Error, ErrorKind};
use crate::net::backoff::{Backoff, Pace};
use crate::read::config::{ChangelogConfig, ReadConfig};
use crate::read::flight::{CLOSE_LIMIT, Flight, SessionZone, is_unknown};
use crate::read::window::batch::{ChangeReader, Shape};
use crate::read::window::position::{Mismatch, Progress, Replay, Resume};
use crate::read::window::visible_wait::VisibleWait;
use crate::read::window::{Slice, WindowSpec, sql};

/// Reads window after window over one connection, in UTC.
pub(super) struct WindowReader {
    pub(super) shared: Arc<Shared>,
    pub(super) flight: Flight,
}

/// Why a query of a window did not end well.
enum Broken {
    /// The rows before the position are not those of before; nothing was delivered.
    Mismatch(Mismatch),
    Error(Error),
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl WindowReader {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: shared.clone(),
            flight: Flight::in_zone(shared.config.clone(), SessionZone::Utc),
        }
    }

    /// Reads a window to its end. A query that the server did not answer because it waited for transactions is sent
    /// again, for `source.changelog.visible-wait-timeout`; after a passing failure the window goes on behind its last
    /// row, at most `doris.request.retries` times; all else fails at once.
    pub(super) async fn read(&mut self, window: &WindowSpec) -> Result<(), Error> {
        let shared = self.shared.clone();
        let changes =
            shared.config.changelog.as_ref().ok_or_else(|| {
                Error::new(ErrorKind::Internal, "a window of a read that follows no changes")
            })?;
        let config = &shared.config;
        let mut backoff = Backoff::new(Pace::READ, config.cluster.retries).at_least(config.query_timeout);
        let mut wait = VisibleWait::new(changes.visible_wait, shared.queue.waits.clone());
        let mut resume = window.resume();
        let mut progress = Progress::default();
        if let Some(Resume {
            exact: false,
            position,
        }) = resume
        {
            self.repeats(window, position.tso, "the columns of the read have changed since");
        }
        let mut target = None;
        loop {
            let attempt = self.attempt(window, changes, &mut target, resume, &mut progress, &mut wait);
            let error = match attempt.await {
                Ok(()) => return Ok(()),
                Err(Broken::Mismatch(found)) => {
                    if let Some(resume) = &mut resume {
                        let why = format!(
                            "{} rows with hash sum {} come before it where {} with {} were handed out",
                            found.rows, found.hash_sum, resume.position.rows_of_tso, resume.position.hash_sum
                        );
                        self.repeats(window, resume.position.tso, &why);
                        resume.exact = false;
                    }
                    progress = Progress::default();
                    continue;
                }
                Err(Broken::Error(error)) => error,
            };
            if let Some(position) = progress.position() {
                if resume.is_none_or(|resume| resume.position != position) {
                    backoff.progressed();
                }
                resume = Some(Resume {
                    position,
                    exact: true,
                });
            }
            let pause = if error.kind() == ErrorKind::VisibleWait {
                match wait.refused() {
                    Some(pause) => pause,
                    None => return Err(wait.ran_out(&self.what(window), error)),
                }
            } else {
                match backoff.after(&error) {
                    Some(pause) => {
                        shared.queue.retries.fetch_add(1, Relaxed);
                        // The server may still be at it, and statements of one session wait for each other.
                        self.flight.close(CLOSE_LIMIT).await;
                        pause
                    }
                    None => {
                        // As above: the next window must not meet what this one left.
                        self.flight.close(CLOSE_LIMIT).await;
                        return Err(self.given_up(window, error, &backoff));
                    }
                }
            };
            tracing::debug!(%error, ?pause, "the window is asked for again");
            tokio::time::sleep(pause).await;
        }
    }

    fn what(&self, window: &WindowSpec) -> String {
        format!("reading the changes of {} in {window}", self.shared.config.table)
    }

    fn repeats(&self, window: &WindowSpec, tso: i64, why: &str) {
        self.shared.queue.mismatches.fetch_add(1, Relaxed);
        tracing::warn!(
            "{}: the rows before the position at TSO {tso} cannot be told from those that were handed out ({why}); \
             all rows of this TSO come again, none is left out",
            self.what(window)
        );
    }

    fn given_up(&self, window: &WindowSpec, error: Error, backoff: &Backoff) -> Error {
        let what = self.what(window);
        let message = match error.kind() {
            ErrorKind::Expired => format!(
                "{what} failed: changes at its start, {} UTC, are no longer retained (changelog.ttl_seconds of the table). The \
                 missing range cannot be rebuilt from an old position. To align with the table again, start with \
                 source.scan.mode = 'initial', without the old checkpoint or savepoint, and either with a \
                 source.changelog.consumer-id that has no row yet or without source.changelog.offset-table and \
                 source.changelog.consumer-id; 'latest' or a newer 'from-timestamp' only skip the gap",
                window.start_text
            ),
            _ if error.is_retryable() => format!("{what} failed after {backoff}"),
            _ => format!("{what} failed"),
        };
        error.caused(message)
    }

    async fn attempt(
        &mut self,
        window: &WindowSpec,
        changes: &ChangelogConfig,
        target: &mut Option<Target>,
        resume: Option<Resume>,
        progress: &mut Progress,
        wait: &mut VisibleWait,
    ) -> Result<(), Broken> {
        let config = self.shared.config.clone();
        let limit = self.flight.change_limit().await?;
        let target = match target {
            Some(target) => {
                // Another front end may have taken over.
                target.shape.hidden =
                    target::probe(&mut self.flight, &config, window, changes, limit).await?;
                target
            }
            none => none.insert(target::look_up(&mut self.flight, &config, window, changes, limit).await?),
        };
        let partition = match window.slice {
            Slice::Partition { id } => Some(target::partition(&mut self.flight, &config, id).await?),
            _ => None,
        };
        let query = sql::window(
            &config.table,
            window,
            window.increment_type.unwrap_or(changes.increment_type),
            &target.selected(),
            partition.as_deref(),
        );
        let answer = match self.flight.query(&query, limit).await {
            // The session has ended after the probe, and the new one is at such a front end.
            Err(error) if is_unknown(&error, &target.shape.hidden) => {
                return Err(self.flight.without_changes(&config.table, &[error]).into());
            }
            answer => answer?,
        };
        wait.answered();
        self.flight.take_warnings().into_iter().for_each(warn_once);
        // The time spent waiting for the server is limited, not that spent waiting for Flink.
        let mut server_time = ServerTime::new("the rows of the window", config.query_timeout);
        let shared = self.shared.clone();
        let mut rows = Changes {
            config: &config,
            shared: &shared,
            window,
            shape: &target.shape,
            reader: None,
            last: None,
            replay: Replay::new(resume),
            counted: 0,
            progress,
            received: 0,
            mismatch: None,
        };
        for endpoint in &answer.endpoints {
            let mut stream = server_time.waiting(self.flight.open(endpoint)).await?;
            let drained = drain(&mut rows, &shared.budget, &mut stream, &mut server_time).await;
            rows.count_dropped();
            if let Some(mismatch) = rows.mismatch {
                return Err(Broken::Mismatch(mismatch));
            }
            if let Err(error) = drained {
                self.flight.forget(&stream.node);
                return Err(error.into());
            }
        }
        if let Some(announced) = answer.rows
            && announced != rows.received
        {
            let message = format!(
                "{} rows came where the server announced {announced}",
                rows.received
            );
            return Err(Error::new(ErrorKind::Transport, message).retryable().into());
        }
        rows.replay.finish().map_err(Broken::Mismatch)?;
        // Another partition may have got the name since the lookup.
        if let (Slice::Partition { id }, Some(name)) = (window.slice, partition) {
            let handed_out = rows.progress.position().is_some();
            target::keeps_name(&mut self.flight, &config, id, &name, handed_out).await?;
        }
        Ok(())
    }

    pub(super) async fn close(&mut self, limit: Duration) {
        self.flight.close(limit).await;
    }
}

/// Where the rows of a window's streams go.
struct Changes<'a> {
    config: &'a ReadConfig,
    shared: &'a Shared,
    window: &'a WindowSpec,
    shape: &'a Shape,
    reader: Option<ChangeReader>,
    /// The row before, over all streams of the query.
    last: Option<(i64, i64, i8)>,
    replay: Replay,
    /// Dropped rows that are in the figures already.
    counted: u64,
    progress: &'a mut Progress,
    received: u64,
    mismatch: Option<Mismatch>,
}

impl Changes<'_> {
    fn count_dropped(&mut self) {
        let dropped = self.replay.dropped();
        self.shared
            .queue
            .dropped_rows
            .fetch_add(dropped - self.counted, Relaxed);
        self.counted = dropped;
    }
}

impl Rows for Changes<'_> {
    fn schema(&mut self, delivered: &Schema) -> Result<(), Error> {
        self.reader = Some(ChangeReader::new(self.shape, delivered, self.config.local_zone)?);
        Ok(())
    }

    fn normalizer(&self) -> Option<&Normalizer> {
        self.reader.as_ref().map(ChangeReader::normalizer)
    }

    async fn batch(
        &mut self,
        header: Bytes,
        body: Bytes,
        dictionaries: &Dictionaries,
        mut permit: Permit,
    ) -> Result<(), Error> {
        let Some(reader) = &self.reader else {
            return Err(Error::new(ErrorKind::Internal, "rows come before their schema"));
        };
        let batch = reader.read(header, body, dictionaries, self.window, &mut self.last)?;
        self.received += batch.rows.len() as u64;
        let dropped = match self.replay.pass(&batch.rows) {
            Ok(dropped) => dropped,
            Err(mismatch) => {
                self.mismatch = Some(mismatch);
                return Err(Error::new(
                    ErrorKind::Internal,
                    "the rows before the position are others",
                ));
            }
        };
        if dropped == batch.rows.len() {
            return Ok(());
        }
        let identity = batch.identity && dropped == 0;
        let ipc = reader.without(batch.ipc, dropped)?;
        permit.resize(ipc.size()).await;
        self.shared
            .queue
            .push(ScanBatch { ipc, _permit: permit }, identity)
            .await;
        self.progress.pass(&batch.rows, dropped);
        Ok(())
    }
}
