//! Timestamps between instants and wall clocks, one after the other: neighbours mostly share an offset.

use std::cell::Cell;

use crate::normalize::Zone;

/// How a timestamp is turned before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The number is written as it is.
    Keep,
    /// An instant; written is the wall clock of the zone.
    ToWall(Zone),
    /// A wall clock of the zone; written is the instant.
    ToInstant(Zone),
}

/// Spans of time within which an offset is computed once; no zone ever changed its offset twice in one.
const BLOCK: i64 = 900_000_000;

/// Turns the timestamps of one column.
#[derive(Debug)]
pub(super) struct Clock {
    turn: Turn,
    /// The last block, and what is added to all of it.
    known: Cell<Option<(i64, i64)>>,
}

impl Clock {
    pub(super) fn new(turn: Turn) -> Self {
        Self {
            turn,
            known: Cell::new(None),
        }
    }

    /// The timestamp to write, in microseconds; `None` far outside the years that Doris has.
    #[inline]
    pub(super) fn turn(&self, micros: i64) -> Option<i64> {
        match self.turn {
            Turn::Keep => Some(micros),
            Turn::ToWall(Zone::Fixed(seconds)) => micros.checked_add(i64::from(seconds) * 1_000_000),
            Turn::ToInstant(zone) => zone.instant(micros),
            Turn::ToWall(zone) => {
                let block = micros.div_euclid(BLOCK);
                match self.known.get() {
                    Some((known, offset)) if known == block => micros.checked_add(offset),
                    _ => self.look_up(zone, block, micros),
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn look_up(&self, zone: Zone, block: i64, micros: i64) -> Option<i64> {
        let start = block.checked_mul(BLOCK)?;
        let offset = |at: i64| Some(zone.wall(at)? - at);
        let first = offset(start)?;
        if start.checked_add(BLOCK - 1).and_then(offset) == Some(first) {
            self.known.set(Some((block, first)));
        }
        zone.wall(micros)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn time_1_the_same_as_a_look_up_for_each_value(
            zone in prop::sample::select(vec!["America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "Africa/Monrovia", "+05:30"]),
            instants in prop::collection::vec(-70_000_000_000_000_000i64..250_000_000_000_000_000, 1..20),
            steps in prop::collection::vec(0i64..2_000_000_000, 20),
        ) {
            let zone = Zone::parse(zone).unwrap();
            let clock = Clock::new(Turn::ToWall(zone));
            for (instant, step) in instants.iter().zip(steps) {
                for at in [*instant, instant + step, instant - step] {
                    prop_assert_eq!(clock.turn(at), zone.wall(at));
                }
            }
        }
    }

    #[test]
    fn on_both_sides_of_a_change() {
        let zone = Zone::parse("America/New_York").unwrap();
        let clock = Clock::new(Turn::ToWall(zone));
        // 2024-03-10 07:00 UTC, when the clocks went on, and a change that is not at a quarter of an hour: the end of
        // local mean time on 1883-11-18 at 17:00 UTC in some versions of the rules, 16:56:02 local.
        for change in [1_710_054_000_000_000, -2_717_650_800_000_000] {
            for at in [change - 1, change, change + 1, change - 1] {
                assert_eq!(clock.turn(at), zone.wall(at));
            }
        }
    }
}
