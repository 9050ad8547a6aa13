//! Sends a load until the server has taken it: attempt after attempt while what was sent is still kept, each under
//! the label that [`Series`] allows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use http::HeaderMap;

use super::attempt::{Attempt, End};
use super::label::{Mode, Next, Series};
use super::outcome::LoadOutcome;
use super::replay::ChunkLog;
use super::spec::LoadSpec;
use crate::error::{Error, ErrorKind};
use crate::net::backoff::{Backoff, Pace};
use crate::write::response::LoadAnswer;
use crate::write::sink::Sink;
use crate::write::txn::{AbortOutcome, LabelState};

/// The sending side of one load.
pub(in crate::write) struct Sender<'a> {
    sink: &'a Sink,
    spec: &'a LoadSpec,
    common: HeaderMap,
    log: Arc<ChunkLog>,
    /// Rows submitted so far.
    rows: Arc<AtomicU64>,
    series: Series,
    backoff: Backoff,
    /// The state in which the label was seen last.
    seen: Option<LabelState>,
}

impl<'a> Sender<'a> {
    pub(in crate::write) fn new(
        sink: &'a Sink,
        spec: &'a LoadSpec,
        common: HeaderMap,
        log: Arc<ChunkLog>,
        rows: Arc<AtomicU64>,
    ) -> Self {
        let config = sink.config();
        let mode = if config.group_commit {
            Mode::GroupCommit {
                again: config.batch.is_some(),
            }
        } else if config.two_phase {
            Mode::TwoPhase
        } else {
            Mode::Labelled
        };
        Self {
            sink,
            spec,
            common,
            log,
            rows,
            series: Series::new(mode, &spec.labels),
            backoff: Backoff::new(Pace::LOAD, config.max_retries),
            seen: None,
        }
    }

    /// Sends the load until it is taken, or until there is no way to send it again without the risk of losing or
    /// doubling rows.
    pub(in crate::write) async fn run(mut self) -> Result<LoadOutcome, Error> {
        loop {
            let Some(reader) = self.log.rewind() else {
                return Err(Error::new(
                    ErrorKind::Internal,
                    "a load was begun again without its rows",
                ));
            };
            let attempt = Attempt {
                sink: self.sink,
                spec: self.spec,
                common: &self.common,
                log: &self.log,
                rows: &self.rows,
                label: self.series.label(),
                reader,
            };
            let (end, sent) = attempt.run().await;
            if sent.whole {
                self.series.sent_whole();
            }
            if sent.bytes > 0 {
                self.backoff.progressed();
            }
            let (next, error) = match end {
                End::Taken(answer) => return Ok(self.outcome(Some(&answer), sent.bytes)),
                End::InUse(existing, error) => (self.series.in_use(existing), error),
                End::Refused(error) => (self.series.refused(), error),
                End::Unreached(error) => (self.series.unreached(), error),
                End::Unanswered(error) => {
                    let next = self.series.unanswered();
                    let error = if next == Next::Send {
                        may_double(error)
                    } else {
                        error
                    };
                    (next, error)
                }
                End::Failed(error) => {
                    self.sink.counters().attempts_failed.fetch_add(1, Relaxed);
                    return Err(error);
                }
            };
            self.sink.counters().attempts_failed.fetch_add(1, Relaxed);
            let again = self.log.is_whole();
            // Where the label can still show that the load is done, its state is worth a request.
            let may_be_done = sent.whole && self.series.tells_done();
            if !again && !may_be_done {
                return Err(self.gone(error));
            }
            match self.resolve(next, &error).await? {
                Next::Done => return Ok(self.outcome(None, sent.bytes)),
                _ if !again => return Err(self.gone(error)),
                Next::Send => self.pause(&error).await?,
                _ => {}
            }
        }
    }

    /// Reads the state and aborts until the next step is clear: with `Done`, `Send` or `SendNow`.
    async fn resolve(&mut self, mut next: Next, cause: &Error) -> Result<Next, Error> {
        let (database, label) = (&self.spec.database, self.series.label().unwrap_or_default());
        let mut aborted = false;
        loop {
            next = match next {
                Next::Done | Next::Send | Next::SendNow => return Ok(next),
                Next::AskState => match self.sink.state(database, &label).await {
                    Ok(state) => {
                        self.seen = Some(state);
                        self.series.state(state)
                    }
                    Err(error) if error.is_retryable() => {
                        self.pause(&self.unclear(cause, &label, &error)).await?;
                        Next::AskState
                    }
                    Err(error) => return Err(self.unclear(cause, &label, &error)),
                },
                Next::Abort => {
                    // The second time it was not done by the first: the server needs a moment.
                    if std::mem::replace(&mut aborted, true) {
                        self.pause(cause).await?;
                    }
                    match self.sink.abort(database, &label).await {
                        Ok(AbortOutcome::Aborted | AbortOutcome::Finished | AbortOutcome::NotFound) => {
                            Next::AskState
                        }
                        Err(error) => return Err(self.unclear(cause, &label, &error)),
                    }
                }
                Next::Conflict => return Err(self.conflict(&label)),
                Next::Unknowable => return Err(self.unknowable(cause)),
                Next::GiveUp => return Err(self.too_many_labels(cause)),
            };
        }
    }

    /// Waits before the next attempt; an error when none is left.
    async fn pause(&mut self, error: &Error) -> Result<(), Error> {
        let Some(pause) = self.backoff.failed(Instant::now()) else {
            let message = format!(
                "{error}. It was sent {} times over {} ms (sink.max-retries = {}){}",
                self.backoff.attempts(),
                self.backoff.elapsed().as_millis(),
                self.sink.config().max_retries,
                self.advice(error)
            );
            return Err(Error::new(error.kind(), message).retryable_if(error.is_retryable()));
        };
        tracing::warn!(%error, ?pause, next_label = ?self.series.label(), "a load is sent again");
        tokio::time::sleep(pause).await;
        Ok(())
    }

    fn outcome(&self, answer: Option<&LoadAnswer>, sent_bytes: u64) -> LoadOutcome {
        self.sink.counters().loads_succeeded.fetch_add(1, Relaxed);
        LoadOutcome {
            label: self
                .series
                .label()
                .or_else(|| answer.and_then(|a| a.label.clone())),
            txn_id: answer.and_then(|a| a.txn_id),
            next: self.series.next_number(),
            status: answer.map_or_else(
                || self.seen.map(|s| s.name().to_owned()),
                |a| Some(a.status_text.clone()),
            ),
            rows: self.rows.load(Relaxed),
            sent_bytes,
            numbers: answer.map(|a| a.numbers).unwrap_or_default(),
            retries: self.backoff.attempts(),
            skipped: self.series.skipped().to_vec(),
        }
    }

    /// The error for a load that broke after what was sent had to be let go.
    fn gone(&self, error: Error) -> Error {
        let kept = match self.sink.config().replay_limit {
            Some(0) => "sink.replay-buffer-size is 0".to_owned(),
            Some(limit) => format!(
                "it outgrew sink.replay-buffer-size, which is {limit} bytes for all loads of a subtask"
            ),
            None => "it is not kept".to_owned(),
        };
        Error::new(
            error.kind(),
            format!(
                "{error}. It cannot be sent again from here, since {kept}; the job goes back to its last checkpoint. Shorter checkpoint intervals make smaller loads, a larger sink.replay-buffer-size keeps more of them{}",
                self.advice(&error)
            ),
        )
        .retryable_if(error.is_retryable())
    }

    /// What helps where the server lets go of a connection.
    fn advice(&self, error: &Error) -> &'static str {
        match error.kind() {
            ErrorKind::Transport => {
                if self.sink.config().batch.is_some() {
                    ". Servers also close the connection of a load that is larger than they take (streaming_load_max_mb in be.conf): then a lower sink.buffer-flush.max-bytes makes smaller loads"
                } else {
                    ". Servers also close the connection of a load that is larger than they take (streaming_load_max_mb in be.conf): then shorter checkpoint intervals or more subtasks (sink.parallelism) make smaller loads"
                }
            }
            _ => "",
        }
    }

    fn unclear(&self, cause: &Error, label: &str, error: &Error) -> Error {
        Error::new(
            cause.kind(),
            format!("{cause}. What became of label '{label}' cannot be told: {error}"),
        )
        .retryable_if(error.is_retryable())
    }

    fn conflict(&self, label: &str) -> Error {
        let state = self.seen.map_or("FINISHED", LabelState::name);
        Error::new(
            ErrorKind::Label,
            format!(
                "label '{label}' of {}.{} was about to be used, but a load under it is {state} already: the job did not start from its newest state, or another one uses the same labels. Start it from its newest checkpoint or savepoint, or under another sink.label-prefix",
                self.spec.database, self.spec.table
            ),
        )
    }

    fn unknowable(&self, cause: &Error) -> Error {
        Error::new(
            cause.kind(),
            format!(
                "{cause}. With group commit there is no label to tell whether the rows were taken, so the load is not sent again; after a restart from the last checkpoint they may be there twice"
            ),
        )
        .retryable_if(cause.is_retryable())
    }

    fn too_many_labels(&self, cause: &Error) -> Error {
        Error::new(
            ErrorKind::Label,
            format!(
                "{cause}. {} labels in a row are in use: another job seems to write under the same sink.label-prefix",
                self.series.skipped().len()
            ),
        )
    }
}

/// The error of an attempt that may have been taken, where the load is sent again all the same.
fn may_double(error: Error) -> Error {
    let text = format!(
        "{error}. With group commit there is no label to tell whether its rows were taken: sent again, they may be there twice"
    );
    error.reworded(text)
}
