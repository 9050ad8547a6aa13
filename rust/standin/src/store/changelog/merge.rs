//! Chunks of several logs brought into one order without touching their rows: the result is a list of pieces of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use super::log::Chunk;

/// A part of a chunk.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub chunk: Arc<Chunk>,
    pub rows: Range<usize>,
}

/// Rows in a row of one run's chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// Index of the run.
    pub run: usize,
    pub rows: Range<usize>,
}

/// The order of changes.
type Key = (i64, i64, i8);

impl Run {
    fn key(&self, row: usize) -> Key {
        let chunk = &self.chunk;
        (chunk.tso.value(row), chunk.lsn.value(row), chunk.op.value(row))
    }

    /// The first row at or after `from` whose key lies above `key`.
    fn after(&self, from: usize, key: Key) -> usize {
        // Runs mostly end soon, or not before their end.
        if self.key(self.rows.end - 1) <= key {
            return self.rows.end;
        }
        let mut step = 1;
        let mut low = from;
        while low + step < self.rows.end && self.key(low + step) <= key {
            low += step;
            step *= 2;
        }
        let (mut low, mut high) = (low, (low + step).min(self.rows.end));
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key(middle) <= key {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

/// Pieces of runs in the order of stamp, number and operation.
#[derive(Debug)]
pub(super) struct Merge {
    runs: Arc<[Run]>,
    heads: BinaryHeap<Reverse<(Key, usize, usize)>>,
}

impl Merge {
    /// Of runs that are in order each.
    pub fn new(runs: Arc<[Run]>) -> Self {
        let heads = runs.iter().enumerate().filter(|(_, run)| !run.rows.is_empty());
        let heads = heads.map(|(at, run)| Reverse((run.key(run.rows.start), at, run.rows.start)));
        let heads = heads.collect();
        Self { runs, heads }
    }
}

impl Iterator for Merge {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let Reverse((_, at, from)) = self.heads.pop()?;
        let run = &self.runs[at];
        let to = match self.heads.peek() {
            None => run.rows.end,
            Some(Reverse((key, ..))) => run.after(from, *key).max(from + 1),
        };
        if to < run.rows.end {
            self.heads.push(Reverse((run.key(to), at, to)));
        }
        Some(Segment {
            run: at,
            rows: from..to,
        })
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int8Array, Int64Array, RecordBatch, RecordBatchOptions};
    use arrow_schema::Schema;

    use super::*;

    fn run(keys: &[Key]) -> Run {
        let options = RecordBatchOptions::new().with_row_count(Some(keys.len()));
        let schema = Arc::new(Schema::empty());
        Run {
            chunk: Arc::new(Chunk {
                rows: RecordBatch::try_new_with_options(schema, vec![], &options).unwrap(),
                tso: keys.iter().map(|key| key.0).collect::<Vec<_>>().into(),
                lsn: Int64Array::from_iter_values(keys.iter().map(|key| key.1)),
                op: Int8Array::from_iter_values(keys.iter().map(|key| key.2)),
            }),
            rows: 0..keys.len(),
        }
    }

    #[test]
    fn runs_are_merged_in_pieces_as_long_as_their_order_allows() {
        let runs: Arc<[Run]> = Arc::new([
            run(&[(1, 5, 0), (1, 6, 0), (1, 7, 0), (9, 1, 0)]),
            run(&[(2, 1, 2), (2, 1, 3), (2, 2, 0)]),
            run(&[]),
            run(&[(2, 1, 3), (2, 3, 0)]),
        ]);
        let found: Vec<(usize, Range<usize>)> = Merge::new(runs.clone())
            .map(|segment| (segment.run, segment.rows))
            .collect();
        assert_eq!(found[0], (0, 0..3));
        assert_eq!(found.last(), Some(&(0, 3..4)));
        let keys: Vec<Key> = found
            .iter()
            .flat_map(|(at, rows)| rows.clone().map(|row| runs[*at].key(row)))
            .collect();
        assert_eq!(keys.len(), 9);
        assert!(keys.is_sorted(), "{keys:?}");
    }
}
