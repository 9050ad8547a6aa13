//! What became of a load that succeeded.

use crate::write::response::LoadNumbers;

/// A load that the server has taken: pre-committed with two-phase commit, else committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOutcome {
    /// The label; `None` where no row was submitted. With group commit the one that the server chose.
    pub label: Option<String>,
    /// The transaction.
    pub txn_id: Option<i64>,
    /// The first number of the series that was not used.
    pub next: u64,
    /// The status as the server words it.
    pub status: Option<String>,
    /// Rows submitted.
    pub rows: u64,
    /// Bytes of the body, as they went over the wire the last time.
    pub sent_bytes: u64,
    /// The numbers of the answer.
    pub numbers: LoadNumbers,
    /// How often the load was sent again.
    pub retries: u32,
    /// Labels that were passed over because something is or may be under way under them: whoever commits this load
    /// has to abort them afterwards.
    pub skipped: Vec<String>,
}
