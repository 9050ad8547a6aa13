//! Labels of loads: each names at most one transaction that went through.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cluster::lock;
use crate::engine::{Engine, SqlError};

/// Labels in use, with their transaction ids.
#[derive(Debug, Default)]
pub struct Labels {
    used: Mutex<HashMap<(String, String), u64>>,
    last: AtomicU64,
}

impl Engine {
    /// Takes a label for a load into a database, or makes one up; gives it with its transaction id.
    pub(crate) fn reserve_label(
        &self,
        database: &str,
        label: Option<&str>,
    ) -> Result<(String, u64), SqlError> {
        let labels = self.labels();
        let id = labels.last.fetch_add(1, Ordering::Relaxed) + 1;
        let label = match label {
            Some(label) => label.to_string(),
            None => format!("label_{:x}_{id:x}", self.catalog().clock.now_micros()),
        };
        match lock(&labels.used).entry((database.to_string(), label.clone())) {
            std::collections::hash_map::Entry::Occupied(other) => Err(SqlError::plain(format!(
                "Label [{label}] has already been used, relate to txn [{}]",
                other.get()
            ))),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(id);
                Ok((label, id))
            }
        }
    }

    /// Gives a label back after its load failed.
    pub(crate) fn release_label(&self, database: &str, label: &str) {
        lock(&self.labels().used).remove(&(database.to_string(), label.to_string()));
    }
}
