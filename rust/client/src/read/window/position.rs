//! Where a window was read up to, and how the rows before that are dropped when it is read again.
//!
//! The rows of a window come in the order (TSO, LSN, operation, keys), so what is dropped is always the beginning.
//! That the beginning is the same as before is checked by the number and the hash sum of the dropped rows of the
//! position's TSO; see `docs/changelog.md`.

/// The last row that was delivered, and what was delivered before it with the same TSO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Commit TSO of the row.
    pub tso: i64,
    /// LSN of the row.
    pub lsn: i64,
    /// Operation code of the row, 0 to 3.
    pub operation: i32,
    /// Rows delivered with exactly these three, the row included.
    pub rows_at_position: i64,
    /// Rows delivered with this TSO, the row included.
    pub rows_of_tso: i64,
    /// Wrapping sum of the hashes of the rows delivered with this TSO.
    pub hash_sum: i64,
}

/// The metadata of the rows of one batch, in their order; all four are of one length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangeRows {
    pub(crate) tso: Vec<i64>,
    pub(crate) lsn: Vec<i64>,
    pub(crate) op: Vec<i8>,
    pub(crate) hash: Vec<i64>,
}

impl ChangeRows {
    pub(crate) fn len(&self) -> usize {
        self.tso.len()
    }

    /// What rows are ordered by, as far as it is known here.
    pub(crate) fn key(&self, row: usize) -> (i64, i64, i8) {
        (self.tso[row], self.lsn[row], self.op[row])
    }
}

/// Follows the rows that are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress(Option<Position>);

impl Progress {
    /// The position after the last row; `None` before the first.
    pub(crate) fn position(self) -> Option<Position> {
        self.0
    }

    /// Goes on over the rows of a batch from `from` on.
    pub(crate) fn pass(&mut self, rows: &ChangeRows, from: usize) {
        for row in from..rows.len() {
            let (tso, lsn, op) = rows.key(row);
            let (operation, hash) = (i32::from(op), rows.hash[row]);
            let next = match self.0 {
                Some(last) if last.tso == tso => Position {
                    lsn,
                    operation,
                    rows_at_position: if (last.lsn, last.operation) == (lsn, operation) {
                        last.rows_at_position + 1
                    } else {
                        1
                    },
                    rows_of_tso: last.rows_of_tso + 1,
                    hash_sum: last.hash_sum.wrapping_add(hash),
                    ..last
                },
                _ => Position {
                    tso,
                    lsn,
                    operation,
                    rows_at_position: 1,
                    rows_of_tso: 1,
                    hash_sum: hash,
                },
            };
            self.0 = Some(next);
        }
    }
}

/// Where a query resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resume {
    pub(crate) position: Position,
    /// `false`: only smaller TSOs are dropped, all rows of the position's TSO are delivered (again).
    pub(crate) exact: bool,
}

/// The rows to be dropped are not those that were delivered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// Rows of the position's TSO up to it, and the wrapping sum of their hashes.
    pub(crate) rows: i64,
    pub(crate) hash_sum: i64,
}

/// Drops the beginning of one query's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replay {
    resume: Option<Resume>,
    at_position: i64,
    of_tso: i64,
    hash_sum: i64,
    dropped: u64,
}

impl Replay {
    pub(crate) fn new(resume: Option<Resume>) -> Self {
        Self {
            resume,
            at_position: 0,
            of_tso: 0,
            hash_sum: 0,
            dropped: 0,
        }
    }

    /// How many rows at the beginning of the batch are to be dropped. An error, before a row is let through, when the
    /// dropped ones are not those of before. The rows are in order.
    pub(crate) fn pass(&mut self, rows: &ChangeRows) -> Result<usize, Mismatch> {
        let Some(resume) = self.resume else { return Ok(0) };
        let last = resume.position;
        for row in 0..rows.len() {
            let (tso, lsn, op) = rows.key(row);
            let drop = if tso != last.tso || !resume.exact {
                tso < last.tso
            } else {
                let at = (lsn, i32::from(op));
                let equal = at == (last.lsn, last.operation) && self.at_position < last.rows_at_position;
                if equal || at < (last.lsn, last.operation) {
                    self.at_position += i64::from(equal);
                    self.of_tso += 1;
                    self.hash_sum = self.hash_sum.wrapping_add(rows.hash[row]);
                    true
                } else {
                    false
                }
            };
            if !drop {
                self.finish()?;
                return Ok(row);
            }
            self.dropped += 1;
        }
        Ok(rows.len())
    }

    /// The query has no more rows to drop: judges those that it had.
    pub(crate) fn finish(&mut self) -> Result<(), Mismatch> {
        let Some(resume) = self.resume.take() else {
            return Ok(());
        };
        let last = resume.position;
        let same = (self.at_position, self.of_tso, self.hash_sum)
            == (last.rows_at_position, last.rows_of_tso, last.hash_sum);
        if same || !resume.exact {
            return Ok(());
        }
        Err(Mismatch {
            rows: self.of_tso,
            hash_sum: self.hash_sum,
        })
    }

    /// Rows dropped so far.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several rows share all three, one TSO goes over batches, and the hash distinguishes rows.
    fn window() -> ChangeRows {
        let keys = [
            (1, 5, 0),
            (1, 5, 0),
            (1, 5, 2),
            (1, 5, 3),
            (1, 5, 3),
            (1, 5, 3),
            (1, 6, 1),
            (2, 1, 0),
            (2, 1, 0),
            (4, 1, 2),
            (4, 1, 3),
        ];
        ChangeRows {
            tso: keys.iter().map(|k| k.0).collect(),
            lsn: keys.iter().map(|k| k.1).collect(),
            op: keys.iter().map(|k| k.2).collect(),
            hash: (0..keys.len() as i64).map(|i| i64::MAX - 1000 * i * i).collect(),
        }
    }

    fn cut(rows: &ChangeRows, from: usize, to: usize) -> ChangeRows {
        ChangeRows {
            tso: rows.tso[from..to].to_vec(),
            lsn: rows.lsn[from..to].to_vec(),
            op: rows.op[from..to].to_vec(),
            hash: rows.hash[from..to].to_vec(),
        }
    }

    /// Rows that a query in batches of `size` lets through.
    fn read(rows: &ChangeRows, size: usize, resume: Option<Resume>) -> Result<Vec<i64>, Mismatch> {
        let mut replay = Replay::new(resume);
        let mut out = Vec::new();
        for start in (0..rows.len()).step_by(size) {
            let batch = cut(rows, start, rows.len().min(start + size));
            let from = replay.pass(&batch)?;
            out.extend(&batch.hash[from..]);
        }
        replay.finish()?;
        Ok(out)
    }

    fn position(rows: &ChangeRows, count: usize) -> Position {
        let mut progress = Progress::default();
        progress.pass(&cut(rows, 0, count), 0);
        progress.position().unwrap()
    }

    #[test]
    fn a_window_goes_on_behind_every_row() {
        let rows = window();
        for size in [1, 2, 3, 100] {
            for count in 1..=rows.len() {
                let resume = Resume {
                    position: position(&rows, count),
                    exact: true,
                };
                assert_eq!(
                    read(&rows, size, Some(resume)).unwrap(),
                    rows.hash[count..],
                    "{count}"
                );
            }
        }
        assert_eq!(Progress::default().position(), None);
        assert_eq!(
            position(&rows, 6),
            Position {
                tso: 1,
                lsn: 5,
                operation: 3,
                rows_at_position: 3,
                rows_of_tso: 6,
                hash_sum: rows.hash[..6].iter().fold(0, |a, b| a.wrapping_add(*b)),
            }
        );
    }

    #[test]
    fn what_differs_before_the_position_is_noticed() {
        let rows = window();
        for count in 1..=rows.len() {
            let resume = Resume {
                position: position(&rows, count),
                exact: true,
            };
            let tso = rows.tso[count - 1];
            for changed in 0..count {
                let mut other = rows.clone();
                other.hash[changed] ^= 1;
                let result = read(&other, 2, Some(resume));
                // Whatever happened below the TSO of the position was delivered in full.
                assert_eq!(result.is_err(), rows.tso[changed] == tso, "{count} {changed}");
                let mut missing = rows.clone();
                missing.tso.remove(changed);
                missing.lsn.remove(changed);
                missing.op.remove(changed);
                missing.hash.remove(changed);
                let result = read(&missing, 2, Some(resume));
                assert_eq!(result.is_err(), rows.tso[changed] == tso, "{count} {changed}");
            }
        }
    }

    #[test]
    fn a_mismatch_repeats_and_never_skips() {
        let rows = window();
        for count in 1..=rows.len() {
            let resume = Resume {
                position: position(&rows, count),
                exact: false,
            };
            let first = rows.tso.iter().position(|t| *t == rows.tso[count - 1]).unwrap();
            assert_eq!(
                read(&rows, 3, Some(resume)).unwrap(),
                rows.hash[first..],
                "{count}"
            );
        }
    }

    #[test]
    fn a_window_that_lost_its_beginning_is_a_mismatch_even_when_empty() {
        let resume = Resume {
            position: position(&window(), 2),
            exact: true,
        };
        assert!(read(&ChangeRows::default(), 1, Some(resume)).is_err());
        assert_eq!(read(&ChangeRows::default(), 1, None).unwrap(), [0; 0]);
    }
}
