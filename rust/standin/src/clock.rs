//! The clock that stamps versions: strictly rising, movable for tests of retention.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use chrono::Utc;

/// Bits of a stamp below its milliseconds.
const LOGICAL_BITS: u32 = 18;

/// A source of wall time and of stamps (TSO): milliseconds shifted left by 18 bits, plus a counter.
#[derive(Debug, Default)]
pub struct Clock {
    shift_ms: AtomicI64,
    last: AtomicU64,
}

impl Clock {
    /// Microseconds since the epoch, shifted by what [`Clock::shift`] added.
    pub fn now_micros(&self) -> i64 {
        Utc::now().timestamp_micros() + self.shift_ms.load(Ordering::Relaxed) * 1000
    }

    /// The next stamp, larger than all before it while the clock is not moved back.
    pub fn stamp(&self) -> u64 {
        let now = ((self.now_micros() / 1000).max(0) as u64) << LOGICAL_BITS;
        let previous = self
            .last
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |last| Some(now.max(last + 1)))
            .unwrap_or_else(|last| last);
        now.max(previous + 1)
    }

    /// Moves the clock by a number of milliseconds; a negative one also lets stamps fall back.
    pub fn shift(&self, ms: i64) {
        self.shift_ms.fetch_add(ms, Ordering::Relaxed);
        if ms < 0 {
            self.last.store(0, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_rise_and_follow_a_shift() {
        let clock = Clock::default();
        let first = clock.stamp();
        assert!(clock.stamp() > first);
        clock.shift(60_000);
        assert!((clock.stamp() >> LOGICAL_BITS) >= (first >> LOGICAL_BITS) + 60_000);
    }
}
