//! Results that wait for their `DoGet`, by query id; each is given out once.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::ticket::QueryId;
use crate::cluster::lock;

/// Results that may wait at once; beyond it the oldest is dropped.
const MOST: usize = 4096;

/// One result, or one fragment of a result that was split over several endpoints.
pub(crate) struct StoredResult {
    /// Session of the query.
    pub(crate) session: u64,
    /// Statement, for journal and fault rules.
    pub(crate) statement: String,
    /// `db.table` of a plain query.
    pub(crate) table: Option<String>,
    /// Back end that holds the rows; `None` for the front end.
    pub(crate) backend: Option<usize>,
    /// Schema of the stream.
    pub(crate) schema: SchemaRef,
    /// Rows, in the types of the schema or to be re-formed to them by `form`.
    pub(crate) batches: Vec<RecordBatch>,
    /// How stored columns become those of the schema; `None` when they are the same.
    pub(crate) form: Option<super::forms::Reform>,
    /// Rows per batch at most.
    pub(crate) batch_rows: usize,
}

/// All results of a cluster that were not fetched yet.
#[derive(Default)]
pub(crate) struct Results {
    waiting: Mutex<HashMap<QueryId, (Instant, StoredResult)>>,
}

impl Results {
    pub(crate) fn put(&self, id: QueryId, result: StoredResult) {
        let mut waiting = lock(&self.waiting);
        if waiting.len() >= MOST {
            let oldest = waiting
                .iter()
                .min_by_key(|(_, (since, _))| *since)
                .map(|(id, _)| *id);
            if let Some(oldest) = oldest {
                waiting.remove(&oldest);
            }
        }
        waiting.insert(id, (Instant::now(), result));
    }

    /// Gives a result out; a second call finds nothing.
    pub(crate) fn take(&self, id: QueryId) -> Option<StoredResult> {
        lock(&self.waiting).remove(&id).map(|(_, result)| result)
    }

    /// Drops what the given sessions left behind.
    pub(crate) fn drop_sessions(&self, ended: &[u64]) {
        if !ended.is_empty() {
            lock(&self.waiting).retain(|_, (_, result)| !ended.contains(&result.session));
        }
    }

    /// Drops what a back end held that has stopped.
    pub(crate) fn drop_backend(&self, index: usize) {
        lock(&self.waiting).retain(|_, (_, result)| result.backend != Some(index));
    }

    /// Drops what waited longer than `age`.
    pub(crate) fn drop_older(&self, age: Duration) {
        lock(&self.waiting).retain(|_, (since, _)| since.elapsed() < age);
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.waiting).len()
    }
}
