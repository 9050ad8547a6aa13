//! Numbers of records: each back end takes blocks of a table's numbers and gives them out.

use std::collections::HashMap;
use std::ops::Range;

/// The first number of a table.
const FIRST: i64 = 100_001;
/// Numbers that a back end takes at least.
const BLOCK: i64 = 8192;

/// Gives out numbers: unique and rising within a tablet, not dense, and in no order across back ends.
#[derive(Debug)]
pub struct Lsns {
    next: i64,
    blocks: HashMap<usize, Range<i64>>,
    /// Every back end counts by itself: numbers repeat across them.
    per_backend: bool,
}

impl Default for Lsns {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Lsns {
    /// From the start. With `per_backend` numbers are unique within a back end only.
    pub fn new(per_backend: bool) -> Self {
        Self {
            next: FIRST,
            blocks: HashMap::new(),
            per_backend,
        }
    }

    /// The first of `count` numbers in a row for records that a back end writes.
    pub fn take(&mut self, backend: usize, count: usize) -> i64 {
        let count = i64::try_from(count).unwrap_or(i64::MAX / 2);
        let start = if self.per_backend { FIRST } else { self.next };
        let block = self.blocks.entry(backend).or_insert(start..start);
        if block.end - block.start < count {
            // What is left of the old block is lost: numbers have gaps.
            let first = if self.per_backend { block.end } else { self.next };
            *block = first..first + count.max(BLOCK);
            self.next = self.next.max(block.end);
        }
        let first = block.start;
        block.start += count;
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rise_within_a_back_end_and_are_unique_over_all() {
        let mut lsns = Lsns::default();
        assert_eq!((lsns.take(0, 10), lsns.take(1, 10)), (FIRST, FIRST + BLOCK));
        assert_eq!(lsns.take(0, 5), FIRST + 10);
        let large = lsns.take(0, 100_000);
        assert_eq!(large, FIRST + 2 * BLOCK);
        assert_eq!(lsns.take(1, 1), FIRST + BLOCK + 10);
        assert_eq!(lsns.take(0, 1), large + 100_000);
    }

    #[test]
    fn back_ends_that_count_by_themselves_give_the_same_numbers() {
        let mut lsns = Lsns::new(true);
        assert_eq!((lsns.take(0, 3), lsns.take(1, 3)), (FIRST, FIRST));
        assert_eq!(
            (lsns.take(0, 9000), lsns.take(0, 1)),
            (FIRST + BLOCK, FIRST + BLOCK + 9000)
        );
    }
}
