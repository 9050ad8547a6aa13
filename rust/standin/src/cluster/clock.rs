//! The clock that stamps commits: strictly rising, movable for tests of retention.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use chrono::Utc;

/// Bits of a stamp below its milliseconds.
const LOGICAL_BITS: u32 = 18;

/// Milliseconds that Doris reserves ahead of the present for stamps.
const WINDOW_MS: u64 = 5000;

/// A source of wall time and of stamps (TSO): milliseconds shifted left by 18 bits, plus a counter.
#[derive(Debug, Default)]
pub struct Clock {
    shift_ms: AtomicI64,
    last: AtomicU64,
}

/// A stamp taken apart, as `GET /api/tso` and `tso_status` show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tso {
    /// The stamp.
    pub stamp: u64,
}

impl Tso {
    /// Milliseconds of the epoch.
    pub fn physical_ms(self) -> u64 {
        self.stamp >> LOGICAL_BITS
    }

    /// Counter within the millisecond.
    pub fn logical(self) -> u64 {
        self.stamp & ((1 << LOGICAL_BITS) - 1)
    }

    /// End of the reserved time, milliseconds of the epoch.
    pub fn window_end_ms(self) -> u64 {
        self.physical_ms() + WINDOW_MS
    }
}

/// The first stamp of a millisecond of the epoch; times before the epoch count as the epoch.
pub fn first_stamp(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0) << LOGICAL_BITS
}

impl Clock {
    /// Microseconds since the epoch, shifted by what [`Clock::shift`] added.
    pub fn now_micros(&self) -> i64 {
        Utc::now().timestamp_micros() + self.shift_ms.load(Ordering::Relaxed) * 1000
    }

    /// The next stamp, larger than all before it while the clock is not moved back.
    pub fn stamp(&self) -> u64 {
        let now = self.first_of_now();
        let previous = self
            .last
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |last| Some(now.max(last + 1)))
            .unwrap_or_else(|last| last);
        now.max(previous + 1)
    }

    /// The present as a stamp, without giving one out: no stamp that was given lies above it.
    pub fn current(&self) -> Tso {
        Tso {
            stamp: self.first_of_now().max(self.last.load(Ordering::SeqCst)),
        }
    }

    /// From now on every stamp lies above this one, also when the machine's clock steps back.
    pub fn pass(&self, stamp: u64) {
        self.last.fetch_max(stamp, Ordering::SeqCst);
    }

    /// Moves the clock by a number of milliseconds; a negative one also lets stamps fall back.
    pub fn shift(&self, ms: i64) {
        self.shift_ms.fetch_add(ms, Ordering::Relaxed);
        if ms < 0 {
            self.last.store(0, Ordering::SeqCst);
        }
    }

    fn first_of_now(&self) -> u64 {
        first_stamp(self.now_micros() / 1000)
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

    #[test]
    fn looking_at_the_clock_gives_no_stamp_out() {
        let clock = Clock::default();
        let far = first_stamp(clock.now_micros() / 1000 + 3_600_000) + 7;
        clock.pass(far);
        assert_eq!(clock.current(), clock.current());
        assert_eq!((clock.current().stamp, clock.current().logical()), (far, 7));
        assert_eq!(clock.stamp(), far + 1);
        clock.pass(far);
        assert_eq!(clock.current().stamp, far + 1);
        clock.shift(-1);
        assert!(clock.current().stamp < far);
    }

    #[test]
    fn a_stamp_comes_apart_as_documented() {
        let tso = Tso {
            stamp: 461_373_440_032_243_713,
        };
        assert_eq!((tso.physical_ms(), tso.logical()), (1_760_000_000_123, 1));
        assert_eq!(tso.window_end_ms(), 1_760_000_005_123);
        assert_eq!(first_stamp(1_791_540_000_000), 469_641_461_760_000_000);
        assert_eq!(first_stamp(1_791_511_200_000), 469_633_912_012_800_000);
        assert_eq!(first_stamp(-1), 0);
    }
}
