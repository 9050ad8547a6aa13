//! How often and how soon something that failed for a passing reason is tried again.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use crate::error::Error;

/// How long after a failure it may be tried again, whatever number of repetitions is allowed.
const LONGEST: Duration = Duration::from_secs(3600);

/// The most by which a pause is longer than its turn: what failed at the same time is not tried again at the same
/// time.
const JITTER: f64 = 0.5;

/// The pauses: the first, then twice as long each time up to the longest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    first: Duration,
    longest: Duration,
}

impl Pace {
    /// Of calls to front ends and of reads.
    pub(crate) const READ: Self = Self::new(100, 5_000);
    /// Of loads that are sent again.
    pub(crate) const LOAD: Self = Self::new(500, 30_000);
    /// Of commits and aborts.
    pub(crate) const TRANSACTION: Self = Self::new(1_000, 30_000);
    /// Of queries that wait for transactions of others.
    pub(crate) const VISIBLE: Self = Self::new(1_000, 5_000);

    const fn new(first: u64, longest: u64) -> Self {
        Self {
            first: Duration::from_millis(first),
            longest: Duration::from_millis(longest),
        }
    }
}

/// The repetitions that are left, by number and by time. `Display` shows what was spent: `3 attempts over 812 ms`,
/// the time from the first failure to the last.
#[derive(Debug)]
pub(crate) struct Backoff {
    pace: Pace,
    retries: u32,
    time: Duration,
    jitter: f64,
    failures: u32,
    first: Option<Instant>,
    last: Option<Instant>,
    /// From when on the time counts: the first failure since there was progress.
    since: Option<Instant>,
}

impl Backoff {
    /// At most `retries` attempts after the first, and an hour.
    pub(crate) fn new(pace: Pace, retries: u32) -> Self {
        Self {
            pace,
            retries,
            time: LONGEST,
            jitter: JITTER,
            failures: 0,
            first: None,
            last: None,
            since: None,
        }
    }

    /// For so long after the first failure, as often as the pauses let it.
    pub(crate) fn lasting(pace: Pace, time: Duration) -> Self {
        Self {
            time,
            ..Self::new(pace, u32::MAX)
        }
    }

    /// Not for less than `time`: what one attempt may take.
    pub(crate) fn at_least(mut self, time: Duration) -> Self {
        self.time = self.time.max(time);
        self
    }

    /// Without chance, for tests.
    #[cfg(test)]
    pub(crate) fn steady(mut self) -> Self {
        self.jitter = 0.0;
        self
    }

    /// Counts a failed attempt. The pause before the next one; `None` when the error is not a passing one or nothing
    /// is left.
    pub(crate) fn after(&mut self, error: &Error) -> Option<Duration> {
        self.failed(Instant::now()).filter(|_| error.is_retryable())
    }

    /// Counts an attempt that failed at this moment for a passing reason. The last pause ends when the time does, so
    /// that one attempt sees the whole of it.
    pub(crate) fn failed(&mut self, now: Instant) -> Option<Duration> {
        self.first.get_or_insert(now);
        self.last = Some(now);
        let since = *self.since.get_or_insert(now);
        let turn = self
            .pace
            .first
            .saturating_mul(1 << self.failures.min(10))
            .min(self.pace.longest);
        self.failures = self.failures.saturating_add(1);
        let left = self.time.saturating_sub(now.saturating_duration_since(since));
        if self.failures > self.retries || left.is_zero() {
            return None;
        }
        Some(turn.mul_f64(1.0 + self.jitter * random()).min(left))
    }

    /// Since the last failure some of the work was done: the time starts again, the number does not.
    pub(crate) fn progressed(&mut self) {
        self.since = None;
    }

    /// Starts again: what was waited for has come.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
        self.first = None;
        self.last = None;
        self.since = None;
    }

    /// Failed attempts so far.
    pub(crate) fn attempts(&self) -> u32 {
        self.failures
    }

    /// From the first failure to the last.
    pub(crate) fn elapsed(&self) -> Duration {
        match (self.first, self.last) {
            (Some(first), Some(last)) => last.saturating_duration_since(first),
            _ => Duration::ZERO,
        }
    }

    /// The error of the last attempt, with what was spent where trying again might have helped.
    pub(crate) fn given_up(&self, error: Error) -> Error {
        if error.is_retryable() {
            let message = format!("{error} ({self})");
            error.reworded(message)
        } else {
            error
        }
    }
}

impl fmt::Display for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (attempts, plural) = (self.failures, if self.failures == 1 { "" } else { "s" });
        write!(
            f,
            "{attempts} attempt{plural} over {} ms",
            self.elapsed().as_millis()
        )
    }
}

/// A number in 0..1, good enough to spread clients.
pub(crate) fn random() -> f64 {
    (RandomState::new().hash_one(0u8) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn passing() -> Error {
        Error::new(ErrorKind::Connect, "fe:8030 is away").retryable()
    }

    #[test]
    fn pauses_double_within_bounds_and_are_spread() {
        let now = Instant::now();
        let mut backoff = Backoff::new(Pace::READ, 8);
        let pauses: Vec<Duration> = std::iter::from_fn(|| backoff.failed(now)).collect();
        let turns = [100, 200, 400, 800, 1600, 3200, 5000, 5000];
        assert_eq!(pauses.len(), turns.len());
        for (pause, turn) in pauses.iter().zip(turns) {
            let turn = Duration::from_millis(turn);
            assert!(
                *pause >= turn && *pause <= turn.mul_f64(1.5),
                "{pause:?} {turn:?}"
            );
        }
        let pause = || Backoff::new(Pace::TRANSACTION, 1).failed(now);
        assert!((0..100).any(|_| pause() != pause()), "all in step");
    }

    #[test]
    fn the_number_ends_it() {
        let mut backoff = Backoff::new(Pace::READ, 1);
        assert!(backoff.after(&passing()).is_some());
        assert_eq!(backoff.after(&passing()), None);
        assert_eq!(backoff.attempts(), 2);
        let told = backoff.given_up(passing());
        assert!(told.is_retryable() && told.kind() == ErrorKind::Connect);
        let text = told.to_string();
        assert!(text.starts_with("fe:8030 is away (2 attempts over "), "{text}");
    }

    #[test]
    fn the_time_ends_it() {
        let mut now = Instant::now();
        let mut backoff = Backoff::new(Pace::LOAD, u32::MAX);
        let mut waited = Duration::ZERO;
        while let Some(pause) = backoff.failed(now) {
            now += pause;
            waited += pause;
        }
        assert_eq!(waited, LONGEST);
        assert!(backoff.to_string().ends_with(" over 3600000 ms"), "{backoff}");
    }

    #[test]
    fn progress_begins_the_time_anew_and_not_the_number() {
        let now = Instant::now();
        let later = now + LONGEST;
        let mut backoff = Backoff::new(Pace::LOAD, 2);
        assert!(backoff.failed(now).is_some());
        backoff.progressed();
        assert!(backoff.failed(later).is_some());
        backoff.progressed();
        assert_eq!(backoff.failed(later), None);
        let mut long = Backoff::new(Pace::READ, 2).at_least(2 * LONGEST);
        assert!(long.failed(now).is_some() && long.failed(later).is_some());
    }

    #[test]
    fn what_does_not_pass_is_not_tried_again() {
        let mut backoff = Backoff::new(Pace::READ, 3);
        let refused = Error::new(ErrorKind::Query, "no");
        assert_eq!(backoff.after(&refused), None);
        assert_eq!(backoff.given_up(refused).to_string(), "no");
    }
}
