//! One transaction: where it stands, and what it shows of itself.

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::store::load::Load;

/// States of a transaction. It ends VISIBLE or ABORTED.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TxnState {
    /// Rows are on their way.
    Prepare,
    /// All rows are there, invisible, until commit or abort.
    Precommitted,
    /// Decided, not yet seen.
    Committed,
    /// Seen by readers.
    Visible,
    /// Nothing happened.
    Aborted,
}

impl TxnState {
    /// The name as `get_load_state` gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepare => "PREPARE",
            Self::Precommitted => "PRECOMMITTED",
            Self::Committed => "COMMITTED",
            Self::Visible => "VISIBLE",
            Self::Aborted => "ABORTED",
        }
    }

    /// True once nothing can change any more.
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Self::Visible | Self::Aborted)
    }

    /// Whether someone may still abort it.
    pub(crate) fn is_undecided(self) -> bool {
        matches!(self, Self::Prepare | Self::Precommitted)
    }
}

/// What began a transaction; it decides how long its label is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadKind {
    /// Stream Load.
    StreamLoad,
    /// `INSERT`, `DELETE`, `UPDATE`.
    Statement,
}

/// A transaction as `GET /transactions` shows it. Times are milliseconds of the epoch on the cluster's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Transaction {
    /// Number.
    pub id: i64,
    /// Label.
    pub label: String,
    /// Database.
    pub db: String,
    /// Table.
    pub table: String,
    /// What began it.
    pub kind: LoadKind,
    /// State.
    pub state: TxnState,
    /// Why it was aborted; empty elsewhere.
    pub reason: String,
    /// True for a load with `two_phase_commit`.
    pub two_phase: bool,
    /// Rows loaded, once they are known.
    pub rows: u64,
    /// When it began.
    pub begun: i64,
    /// When it became PRECOMMITTED.
    pub precommitted: Option<i64>,
    /// When it became COMMITTED.
    pub committed: Option<i64>,
    /// Stamp (TSO) of its commit, once that is decided.
    pub tso: Option<u64>,
    /// When it became VISIBLE or ABORTED.
    pub finished: Option<i64>,
}

/// A transaction in the table.
pub(super) struct Record {
    pub(super) shown: Transaction,
    pub(super) table_id: i64,
    /// Rows that wait for the decision.
    pub(super) load: Option<Load>,
    /// Moment, in microseconds, at which it is aborted or, once final, forgotten.
    pub(super) deadline: i64,
    /// Cancelled when the table itself ends the transaction.
    pub(super) expired: CancellationToken,
}
