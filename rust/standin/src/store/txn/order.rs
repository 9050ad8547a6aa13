//! The order in which the commits of a table become visible: that in which they were decided.

use std::collections::HashMap;

use tokio_util::sync::{CancellationToken, DropGuard};

/// The last place given out for each table, by table id.
#[derive(Default)]
pub(crate) struct Order {
    last: HashMap<i64, Place>,
}

struct Place {
    done: CancellationToken,
    /// It does not become visible at once.
    slow: bool,
}

/// A place in the order of one table. Dropping it lets the next one go on.
pub(crate) struct Turn {
    before: Option<CancellationToken>,
    done: CancellationToken,
    _left: DropGuard,
    /// Whether this place, or one before it, is slow.
    pub(crate) slow: bool,
    /// Stamp (TSO) of the commit that holds the place: stamps rise in the order of places.
    pub(crate) stamp: u64,
}

impl Order {
    /// The next place of a table, for the commit of a stamp; `slow`: its holder may take long.
    pub(crate) fn next(&mut self, table_id: i64, slow: bool, stamp: u64) -> Turn {
        let done = CancellationToken::new();
        let before = self
            .last
            .get(&table_id)
            .filter(|place| !place.done.is_cancelled());
        let slow = slow || before.is_some_and(|place| place.slow);
        let before = before.map(|place| place.done.clone());
        let place = Place {
            done: done.clone(),
            slow,
        };
        self.last.insert(table_id, place);
        Turn {
            before,
            _left: done.clone().drop_guard(),
            done,
            slow,
            stamp,
        }
    }
}

impl Turn {
    /// Waits until all places before this one are left.
    pub(crate) async fn comes(&mut self) {
        if let Some(before) = self.before.take() {
            before.cancelled().await;
        }
    }

    /// Cancelled once the place is left.
    pub(crate) fn done(&self) -> CancellationToken {
        self.done.clone()
    }

    /// Leaves the place.
    pub(crate) fn leave(self) {
        drop(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_of_a_table_come_in_order_and_those_of_others_at_once() {
        let mut order = Order::default();
        let first = order.next(1, true, 1);
        let mut second = order.next(1, false, 2);
        let mut other = order.next(2, false, 3);
        other.comes().await;
        assert!(second.slow && !other.slow);
        let waiting = tokio::spawn(async move { second.comes().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        first.leave();
        waiting.await.unwrap();
        assert!(!order.next(1, false, 4).slow);
    }
}
