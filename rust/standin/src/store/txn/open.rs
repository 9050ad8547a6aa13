//! A transaction whose load is under way.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::commit::{Decided, Work};
use super::table::after;
use super::{Transactions, TxnError, TxnState, Which};

/// A transaction in PREPARE, held by who loads. Dropped without a decision it is aborted: its sender is gone.
pub(crate) struct OpenTxn {
    transactions: Arc<Transactions>,
    id: i64,
    label: String,
    expired: CancellationToken,
    held: bool,
}

impl OpenTxn {
    pub(super) fn new(
        transactions: Arc<Transactions>,
        id: i64,
        label: String,
        expired: CancellationToken,
    ) -> Self {
        Self {
            transactions,
            id,
            label,
            expired,
            held: true,
        }
    }

    pub(crate) fn id(&self) -> i64 {
        self.id
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Resolves when the transaction ran out of time.
    pub(crate) async fn expired(&self) {
        self.expired.cancelled().await;
    }

    /// The load failed.
    pub(crate) fn abort(mut self, reason: &str) {
        self.give_up(reason);
    }

    /// Leaves the transaction as it is, until its timeout: there is no front end to abort it.
    pub(crate) fn leave(mut self) {
        self.held = false;
    }

    /// All rows are there; someone else decides. Fails, and the rows are gone, when the transaction has ended
    /// meanwhile.
    pub(crate) fn precommit(mut self, work: Work) -> Result<(), TxnError> {
        self.held = false;
        let transactions = self.transactions.clone();
        let (mut table, now) = transactions.now();
        let record = table.get(self.id).ok_or(TxnError::NotFound(self.id))?;
        if record.shown.state != TxnState::Prepare {
            return Err(TxnError::NotPrecommitted {
                id: self.id,
                state: record.shown.state,
                reason: record.shown.reason.clone(),
            });
        }
        record.shown.state = TxnState::Precommitted;
        record.shown.precommitted = Some(now / 1000);
        record.shown.rows = work.rows;
        record.load = work.load;
        let deadline = after(now, transactions.switches.precommit_timeout_s);
        table.set_deadline(self.id, deadline);
        Ok(())
    }

    /// All rows are there and are to be seen. Aborts the transaction when that fails.
    pub(crate) async fn commit(mut self, work: Work) -> Result<Decided, TxnError> {
        let decided = self.transactions.clone().commit_open(self.id, work).await;
        match &decided {
            Ok(_) => self.held = false,
            Err(error) => {
                let reason = error.text(&self.transactions.switches);
                self.give_up(&reason);
            }
        }
        decided
    }

    /// The change is visible already: the statement made it so itself.
    pub(crate) fn visible(mut self, rows: u64) {
        self.held = false;
        let (mut table, now) = self.transactions.now();
        if let Some(record) = table.get(self.id) {
            record.shown.rows = rows;
            record.shown.committed = Some(now / 1000);
        }
        table.finish(self.id, TxnState::Visible, "", now, &self.transactions.switches);
    }

    fn give_up(&mut self, reason: &str) {
        self.held = false;
        let (table, _) = self.transactions.now();
        let database = table.database_of(self.id);
        drop(table);
        if let Some(database) = database {
            // It may have ended by itself; then there is nothing left to abort.
            let _ = self.transactions.abort(&database, Which::Id(self.id), reason);
        }
    }
}

impl Drop for OpenTxn {
    fn drop(&mut self) {
        if self.held {
            self.give_up("sender is gone");
        }
    }
}
