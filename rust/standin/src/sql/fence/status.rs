//! Where the TSO stands: `SHOW TSO STATUS`, `information_schema.tso_status`, and the figures of `GET /api/tso`.

use crate::cluster::clock::Tso;
use crate::error::SqlError;
use crate::profile::changelog::{FenceRule, TsoStatus};
use crate::sql::engine::Engine;
use crate::sql::tables::Listing;

/// Columns that every server with a TSO has.
const CURRENT: &str =
    "WINDOW_END_PHYSICAL_TIME# CURRENT_TSO# CURRENT_TSO_PHYSICAL_TIME# CURRENT_TSO_LOGICAL_COUNTER#";

/// Columns of the newest servers.
const COMMITTED: &str = "COMMITTED_TSO# COMMITTED_TSO_PHYSICAL_TIME#";

impl Engine {
    /// Whether `tso_status` exists.
    pub(crate) fn has_tso_status(&self) -> bool {
        self.switches().changelog && self.switches().change.tso_status != TsoStatus::Absent
    }

    /// The one row of `tso_status`. Looking does not advance the TSO.
    pub(crate) fn tso_listing(&self) -> Listing {
        let with_committed = self.switches().change.tso_status == TsoStatus::Committed;
        let committed = if with_committed { COMMITTED } else { "" };
        let mut listing = Listing::of_columns(&format!("{CURRENT} {committed}"));
        let current = self.catalog().clock.current();
        let mut row: Vec<Option<String>> = [
            current.window_end_ms(),
            current.stamp,
            current.physical_ms(),
            current.logical(),
        ]
        .iter()
        .map(|number| Some(number.to_string()))
        .collect();
        if with_committed {
            // Only servers that know the stamps of unfinished transactions know which they are.
            let known = self.switches().change.fence == FenceRule::Cloud;
            let stamp = self.transactions().committed_stamp();
            let shown = [stamp, Tso { stamp }.physical_ms()];
            row.extend(shown.iter().map(|number| known.then(|| number.to_string())));
        }
        listing.push(row);
        listing
    }

    /// `SHOW TSO STATUS`.
    pub(crate) fn show_tso_status(&self) -> Result<Listing, SqlError> {
        if self.has_tso_status() {
            return Ok(self.tso_listing());
        }
        Err(SqlError::syntax(
            "mismatched input 'TSO' expecting something that can be shown",
        ))
    }
}
