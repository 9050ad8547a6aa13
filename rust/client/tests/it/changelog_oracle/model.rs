//! What a table holds and what its changelog must hold, computed from the writes alone.

use std::collections::BTreeMap;

/// `k1`, `k2`; an order of text puts NULL first.
pub type Key = (i64, Option<String>);

/// A row of the table; a `-D` without history has NULL in `a` and `b`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    pub key: Key,
    pub a: Option<i64>,
    pub b: Option<String>,
}

/// What one row of a write asks for.
#[derive(Clone, Debug)]
pub enum Write {
    Put(Row),
    /// Sets `a`; a new row gets NULL as `b`.
    Partial(Key, Option<i64>),
    Delete(Key),
}

impl Write {
    pub fn key(&self) -> &Key {
        match self {
            Self::Put(row) => &row.key,
            Self::Partial(key, _) | Self::Delete(key) => key,
        }
    }
}

/// What a transaction did to one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub key: Key,
    pub before: Option<Row>,
    pub after: Option<Row>,
    /// The row was not given whole, so that the server looked for the one before.
    pub partial: bool,
}

/// A transaction that was committed.
#[derive(Clone, Debug)]
pub struct Committed {
    pub tso: i64,
    pub changes: Vec<Change>,
}

/// Kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    History,
    Plain,
    Duplicate,
}

/// Operation and row as a reader of changes gets them.
pub type Record = (i8, Row);

/// A table and everything that was committed to it, in the order of the commits.
#[derive(Debug)]
pub struct Model {
    pub kind: Kind,
    rows: BTreeMap<Key, Row>,
    duplicates: Vec<Row>,
    pub committed: Vec<Committed>,
}

impl Model {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            rows: BTreeMap::new(),
            duplicates: Vec::new(),
            committed: Vec::new(),
        }
    }

    /// Applies a transaction: of several writes to one key the last one counts.
    pub fn commit(&mut self, tso: i64, writes: &[Write]) {
        let mut changes = Vec::new();
        if self.kind == Kind::Duplicate {
            for write in writes {
                let Write::Put(row) = write else {
                    panic!("{write:?}")
                };
                self.duplicates.push(row.clone());
                changes.push(Change {
                    key: row.key.clone(),
                    before: None,
                    after: Some(row.clone()),
                    partial: false,
                });
            }
        } else {
            let last: BTreeMap<&Key, &Write> = writes.iter().map(|write| (write.key(), write)).collect();
            for (key, write) in last {
                let before = self.rows.get(key).cloned();
                let after = match write {
                    Write::Put(row) => Some(row.clone()),
                    Write::Partial(_, a) => Some(Row {
                        key: key.clone(),
                        a: *a,
                        b: before.as_ref().and_then(|row| row.b.clone()),
                    }),
                    Write::Delete(_) => None,
                };
                match &after {
                    Some(row) => self.rows.insert(key.clone(), row.clone()),
                    None => self.rows.remove(key),
                };
                if before.is_some() || after.is_some() {
                    changes.push(Change {
                        key: key.clone(),
                        before,
                        after,
                        partial: matches!(write, Write::Partial(..)),
                    });
                }
            }
        }
        self.committed.push(Committed { tso, changes });
    }

    /// The table's rows now, sorted.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.rows.values().chain(&self.duplicates).cloned().collect();
        rows.sort();
        rows
    }

    pub fn keys(&self) -> Vec<Key> {
        self.rows.keys().cloned().collect()
    }

    /// The keyed rows as they were below a TSO.
    pub fn state_below(&self, tso: i64) -> BTreeMap<Key, Row> {
        let mut rows = BTreeMap::new();
        for change in self
            .committed
            .iter()
            .filter(|txn| txn.tso < tso)
            .flat_map(|txn| &txn.changes)
        {
            match &change.after {
                Some(row) => rows.insert(change.key.clone(), row.clone()),
                None => rows.remove(&change.key),
            };
        }
        rows
    }

    /// What a `detail` read shows of a change.
    pub fn detail(&self, change: &Change) -> Vec<Record> {
        match (&change.before, &change.after, self.kind) {
            (Some(before), Some(after), Kind::History) => vec![(2, before.clone()), (3, after.clone())],
            // No row is kept as it was: the new one stands for it.
            (Some(_), Some(after), Kind::Plain) if change.partial => {
                vec![(2, after.clone()), (3, after.clone())]
            }
            (_, Some(after), _) => vec![(0, after.clone())],
            (Some(before), None, Kind::History) => vec![(1, before.clone())],
            (_, None, _) => vec![(
                1,
                Row {
                    key: change.key.clone(),
                    a: None,
                    b: None,
                },
            )],
        }
    }

    /// What an `append_only` read shows of a change.
    pub fn append_only(&self, change: &Change) -> Vec<Record> {
        let records = self.detail(change).into_iter();
        records.filter(|(operation, _)| *operation == 0).collect()
    }

    /// What a `min_delta` read shows of a key over a window, given as TSOs; nothing where it has no change there. Several
    /// answers are right where the row ends as it began.
    pub fn net(&self, key: &Key, lower: i64, upper: i64) -> Vec<Vec<Record>> {
        let changes: Vec<&Change> = self
            .committed
            .iter()
            .filter(|txn| (lower..upper).contains(&txn.tso))
            .flat_map(|txn| &txn.changes)
            .filter(|change| change.key == *key)
            .collect();
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
            return vec![Vec::new()];
        };
        match (&first.before, &last.after) {
            (None, None) => vec![Vec::new()],
            (None, Some(after)) => vec![vec![(0, after.clone())]],
            (Some(before), None) => vec![vec![(1, before.clone())]],
            (Some(before), Some(after)) => {
                let pair = vec![(2, before.clone()), (3, after.clone())];
                match before == after {
                    true => vec![Vec::new(), pair],
                    false => vec![pair],
                }
            }
        }
    }
}
