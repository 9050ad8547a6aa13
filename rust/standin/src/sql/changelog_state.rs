//! What the admin port reports of a table's changelog, and the removal of what is expired.

use std::sync::Arc;

use serde::Serialize;

use crate::cluster::clock::first_stamp;
use crate::error::SqlError;
use crate::sql::engine::Engine;
use crate::store::tablet::Table;
use crate::store::tablet::commit::change_logs;

/// A table's changelog as of now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangelogState {
    /// Before images are recorded.
    pub history: bool,
    /// Seconds after which a change expires.
    pub ttl_seconds: i64,
    /// Rows held, as `DETAIL` shows them; expired ones too.
    pub rows: u64,
    /// Bytes held.
    pub bytes: u64,
    /// Stamp of the oldest change that is held.
    pub oldest_tso: Option<i64>,
    /// Stamp of the newest change.
    pub newest_tso: Option<i64>,
    /// Changes up to this millisecond of the epoch are expired.
    pub expired_to_ms: i64,
}

impl Engine {
    /// The changelog of a table; `None` when there is no such table or it has none.
    pub fn changelog_state(&self, database: &str, name: &str) -> Option<ChangelogState> {
        let table = self.catalog().table(database, name).ok()?;
        let version = table.snapshot();
        let changelog = version.schema.changelog()?;
        let tablets = version.partitions.iter().flat_map(|partition| &partition.tablets);
        let mut state = ChangelogState {
            history: changelog.history,
            ttl_seconds: changelog.ttl_seconds,
            rows: 0,
            bytes: 0,
            oldest_tso: None,
            newest_tso: None,
            expired_to_ms: changelog.expired_to_ms(self.catalog().clock.current()),
        };
        for chunk in tablets.flat_map(|tablet| tablet.changes.chunks()) {
            state.rows += chunk.len() as u64;
            state.bytes += chunk.bytes() as u64;
            let (first, last) = (chunk.tso.values().first(), chunk.tso.values().last());
            state.oldest_tso = [state.oldest_tso, first.copied()].into_iter().flatten().min();
            state.newest_tso = state.newest_tso.max(last.copied());
        }
        Some(state)
    }

    /// Takes expired changes out of a table's log for good; gives how many rows of it went.
    pub async fn purge_changes(&self, database: &str, name: &str) -> Result<u64, SqlError> {
        let table = self.catalog().table(database, name)?;
        let Some(changelog) = table.snapshot().schema.changelog() else {
            return Ok(0);
        };
        let border = first_stamp(
            changelog
                .expired_to_ms(self.catalog().clock.current())
                .saturating_add(1),
        );
        let border = i64::try_from(border).unwrap_or(i64::MAX);
        let writer = Arc::clone(&table.writer).lock_owned().await;
        let before = rows(&table);
        let next = change_logs(&table.snapshot(), |tablet| tablet.changes.purged(border));
        table.publish(next);
        drop(writer);
        Ok(before - rows(&table))
    }
}

fn rows(table: &Table) -> u64 {
    let version = table.snapshot();
    let tablets = version.partitions.iter().flat_map(|partition| &partition.tablets);
    tablets
        .flat_map(|tablet| tablet.changes.chunks())
        .map(|chunk| chunk.len() as u64)
        .sum()
}
