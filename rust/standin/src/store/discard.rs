//! Tables whose loads are read to their end and counted, but not kept: for benchmarks of writing.

use std::collections::HashMap;
use std::sync::Mutex;

use serde::Serialize;

use crate::cluster::lock;

/// What a discarding table was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Discarded {
    /// Loads that ended well.
    pub loads: u64,
    /// Bytes of their bodies as they came, compressed or not.
    pub bytes: u64,
    /// Rows of `INSERT`; rows of Stream Loads are not looked at.
    pub rows: u64,
}

/// The discarding tables of a cluster, by table id.
#[derive(Debug, Default)]
pub struct Discards {
    tables: Mutex<HashMap<i64, Discarded>>,
}

impl Discards {
    /// Lets a table discard from now on, with counts of zero, or keep rows again.
    pub fn set(&self, table_id: i64, on: bool) {
        let mut tables = lock(&self.tables);
        if on {
            tables.insert(table_id, Discarded::default());
        } else {
            tables.remove(&table_id);
        }
    }

    /// What a table was sent since it discards; `None` when it does not.
    pub fn get(&self, table_id: i64) -> Option<Discarded> {
        lock(&self.tables).get(&table_id).copied()
    }

    /// Counts a load that ended well.
    pub(crate) fn add(&self, table_id: i64, bytes: u64, rows: u64) {
        if let Some(table) = lock(&self.tables).get_mut(&table_id) {
            table.loads += 1;
            table.bytes += bytes;
            table.rows += rows;
        }
    }
}
