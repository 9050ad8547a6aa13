//! Transactions: the state of a label, commit by transaction, abort by label.

use crate::error::{Error, ErrorKind};
pub use crate::response::LabelState;
use crate::sink::Sink;

/// What became of an abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbortOutcome {
    /// The transaction is aborted, now or before.
    Aborted,
    /// It is committed or visible and stays so: nothing was aborted.
    Finished,
    /// Nothing is known under the label.
    NotFound,
}

/// What became of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// Committed by this call.
    Committed {
        /// How often it had to be asked for again.
        retries: u32,
    },
    /// Committed before.
    Already {
        /// How often it had to be asked for again.
        retries: u32,
    },
}

impl Sink {
    /// Where the load of a label stands.
    pub async fn state(&self, database: &str, label: &str) -> Result<LabelState, Error> {
        let _ = (database, label);
        Err(Error::new(ErrorKind::Internal, "no state"))
    }

    /// Aborts the load of a label, retrying like a commit.
    pub async fn abort(&self, database: &str, label: &str) -> Result<AbortOutcome, Error> {
        let _ = (database, label);
        Err(Error::new(ErrorKind::Internal, "no abort"))
    }

    /// Commits a pre-committed load by its transaction. Failures that may pass are retried `sink.max-retries` times after 1 s
    /// doubling to 30 s.
    pub async fn commit(
        &self,
        database: &str,
        table: &str,
        txn_id: i64,
        label: &str,
    ) -> Result<CommitOutcome, Error> {
        let _ = (database, table, txn_id, label);
        Err(Error::new(ErrorKind::Internal, "no commit"))
    }
}
