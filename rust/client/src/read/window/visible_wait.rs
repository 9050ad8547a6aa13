//! How often and how long a query is repeated because the server still waits for transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};
use crate::net::backoff::{Backoff, Pace};

/// What the waits of a scan come to.
#[derive(Debug, Default)]
pub(crate) struct WaitFigures {
    pub(crate) retries: AtomicU64,
    pub(crate) millis: AtomicU64,
}

/// The waits of one window: the clock runs from the first refusal on, until the server answers.
#[derive(Debug)]
pub(crate) struct VisibleWait {
    limit: Duration,
    figures: Arc<WaitFigures>,
    backoff: Backoff,
    /// Up to when the wait is in the figures.
    counted: Option<Instant>,
}

impl VisibleWait {
    /// `limit` is `source.changelog.visible-wait-timeout`.
    pub(crate) fn new(limit: Duration, figures: Arc<WaitFigures>) -> Self {
        Self {
            limit,
            figures,
            backoff: Backoff::lasting(Pace::VISIBLE, limit),
            counted: None,
        }
    }

    /// The pause before the query is sent again after such a refusal; `None` when the time is up. The last pause ends
    /// when the time does, so that one attempt sees the whole of it.
    pub(crate) fn refused(&mut self) -> Option<Duration> {
        self.refused_at(Instant::now())
    }

    fn refused_at(&mut self, now: Instant) -> Option<Duration> {
        self.counted.get_or_insert(now);
        self.account(now);
        let pause = self.backoff.failed(now)?;
        self.figures.retries.fetch_add(1, Relaxed);
        Some(pause)
    }

    /// The server answered.
    pub(crate) fn answered(&mut self) {
        self.account(Instant::now());
        self.counted = None;
        self.backoff.reset();
    }

    /// Adds to the figures what they lack; a gauge that moves while a job waits.
    fn account(&mut self, now: Instant) {
        if let Some(counted) = &mut self.counted {
            let passed = now.saturating_duration_since(*counted).as_millis() as u64;
            self.figures.millis.fetch_add(passed, Relaxed);
            *counted += Duration::from_millis(passed);
        }
    }

    /// The error for a wait that ran out; `what` was to be read, the last refusal is its cause.
    pub(crate) fn ran_out(&self, what: &str, refusal: Error) -> Error {
        let message = format!(
            "{what} failed: Doris still waited for transactions on the table after {} \
             (source.changelog.visible-wait-timeout = {} ms, which can be raised). Transactions that are merely open count: a \
             job must not read the changelog of a table that it also writes with two-phase commit, since the window waits for \
             a commit that only the next checkpoint can give; a load of somebody else (SHOW TRANSACTION tells its state) has \
             to be committed or aborted first",
            self.backoff,
            self.limit.as_millis()
        );
        Error::new(ErrorKind::VisibleWait, message).with_source(refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end_with_the_time() {
        let figures = Arc::new(WaitFigures::default());
        let mut wait = VisibleWait::new(Duration::from_secs(20), figures.clone());
        wait.backoff = wait.backoff.steady();
        let mut now = Instant::now();
        let mut pauses = Vec::new();
        while let Some(pause) = wait.refused_at(now) {
            pauses.push(pause.as_secs());
            now += pause;
        }
        assert_eq!(pauses, [1, 2, 4, 5, 5, 3]);
        assert_eq!(figures.retries.load(Relaxed), 6);
        assert_eq!(figures.millis.load(Relaxed), 20_000);
        let refusal = Error::new(ErrorKind::VisibleWait, "fe:1 refused the query: told");
        let error = wait.ran_out("reading w", refusal);
        assert_eq!(error.kind(), ErrorKind::VisibleWait);
        assert!(!error.is_retryable());
        let text = error.to_string();
        for part in [
            "reading w failed",
            "7 attempts over 20000 ms",
            "two-phase commit",
            "told",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn no_time_means_no_repetition() {
        let figures = Arc::new(WaitFigures::default());
        let mut wait = VisibleWait::new(Duration::ZERO, figures.clone());
        assert_eq!(wait.refused(), None);
        assert_eq!(figures.retries.load(Relaxed), 0);
    }

    #[test]
    fn an_answer_stops_the_clock() {
        let mut wait = VisibleWait::new(Duration::from_secs(3), Arc::default());
        wait.backoff = wait.backoff.steady();
        let now = Instant::now();
        assert_eq!(wait.refused_at(now), Some(Duration::from_secs(1)));
        wait.answered();
        let later = now + Duration::from_secs(100);
        assert_eq!(wait.refused_at(later), Some(Duration::from_secs(1)));
    }
}
