//! How often and how soon something that failed for a passing reason is tried again.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;

use crate::error::Error;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The attempts that are left: `doris.request.retries` after the first.
#[derive(Debug)]
pub(crate) struct Retry {
    limit: u32,
    used: u32,
}

impl Retry {
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit, used: 0 }
    }

    /// The pause before the next attempt; `None` when the error is not a passing one or no attempt is left.
    pub(crate) fn next(&mut self, error: &Error) -> Option<Duration> {
        if !error.is_retryable() || self.used >= self.limit {
            return None;
        }
        let pause = FIRST_PAUSE
            .saturating_mul(1 << self.used.min(10))
            .min(LONGEST_PAUSE);
        self.used += 1;
        Some(pause.mul_f64(0.5 + random() / 2.0))
    }

    /// Attempts so far.
    pub(crate) fn attempts(&self) -> u32 {
        self.used + 1
    }
}

/// "1 attempt", "3 attempts".
pub(crate) fn times(attempts: u32) -> String {
    format!("{attempts} attempt{}", if attempts == 1 { "" } else { "s" })
}

/// A number in 0..1, good enough to spread clients.
pub(crate) fn random() -> f64 {
    (RandomState::new().hash_one(0u8) >> 11) as f64 / (1u64 << 53) as f64
}
