//! Front ends that lag: which moment of the cluster each of them sees.

use std::collections::BTreeMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::cluster::{read, write};

/// How far each front end is behind. The time is real time, whatever becomes of the cluster's clock.
#[derive(Debug, Default)]
pub struct Lags {
    /// Whether any front end lags, so that the common case costs one load.
    any: AtomicBool,
    of: RwLock<BTreeMap<usize, Lag>>,
}

#[derive(Debug, Clone, Copy)]
struct Lag {
    behind: Duration,
    /// What it had seen when the lag began: it does not forget.
    seen: Instant,
}

impl Lag {
    fn view(&self, now: Instant) -> Instant {
        now.checked_sub(self.behind)
            .map_or(self.seen, |view| view.max(self.seen))
    }
}

impl Lags {
    /// Lets a front end fall behind, stay as far behind as it is, or, with zero, catch up at once.
    pub fn set(&self, frontend: usize, behind: Duration) {
        let mut of = write(&self.of);
        let now = Instant::now();
        if behind.is_zero() {
            of.remove(&frontend);
        } else {
            let seen = of.get(&frontend).map_or(now, |lag| lag.view(now));
            of.insert(frontend, Lag { behind, seen });
        }
        self.any.store(!of.is_empty(), Ordering::Release);
    }

    /// The moment that a front end sees; `None` for the present.
    pub fn view(&self, frontend: usize) -> Option<Instant> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        read(&self.of).get(&frontend).map(|lag| lag.view(Instant::now()))
    }

    /// The earliest moment that any front end sees; `None` when none lags.
    pub fn oldest(&self) -> Option<Instant> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let now = Instant::now();
        read(&self.of).values().map(|lag| lag.view(now)).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_front_end_stands_still_when_its_lag_begins_and_never_goes_back() {
        let lags = Lags::default();
        assert_eq!((lags.view(1), lags.oldest()), (None, None));
        let before = Instant::now();
        lags.set(1, HOUR);
        let view = lags.view(1).unwrap();
        assert!(view >= before && view <= Instant::now());
        assert_eq!(lags.view(1), Some(view));
        lags.set(1, 2 * HOUR);
        assert_eq!(lags.view(1), Some(view));
        assert_eq!((lags.view(0), lags.oldest()), (None, Some(view)));
        lags.set(1, Duration::from_nanos(1));
        assert!(lags.view(1).unwrap() > view);
        lags.set(1, Duration::ZERO);
        assert_eq!((lags.view(1), lags.oldest()), (None, None));
    }
}
