//! Statements that write, as transactions.

use std::sync::Arc;

use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine};
use crate::store::load::{Load, Loaded};
use crate::store::tablet::Table;
use crate::store::txn::{Begin, Decided, LoadKind, OpenTxn, Turn, TxnError, Work};

impl Engine {
    /// Begins the transaction of a statement.
    pub(crate) fn begin_statement(
        &self,
        database: &str,
        name: &str,
        table: &Table,
        label: Option<&str>,
    ) -> Result<OpenTxn, SqlError> {
        let begin = Begin {
            database,
            table: name,
            table_id: table.id,
            label,
            kind: LoadKind::Statement,
            two_phase: false,
            timeout_s: None,
        };
        self.transactions()
            .begin(&begin)
            .map_err(|error| self.refused(&error))
    }

    /// Stamps the commit of a statement and waits until everything that was committed into the table before is visible;
    /// later commits wait for the place to be left.
    pub(crate) async fn turn(&self, txn: &OpenTxn, table: &Table) -> Turn {
        let mut turn = self.transactions().turn(txn, table.id);
        turn.comes().await;
        turn
    }

    /// Makes an insert's rows visible.
    pub(crate) async fn commit_statement(
        &self,
        txn: OpenTxn,
        table: &Arc<Table>,
        load: Load,
    ) -> Result<Answer, SqlError> {
        let loaded = load.loaded();
        let discards = self.discards().get(table.id).is_some();
        let label = txn.label().to_owned();
        let work = Work {
            load: (!discards).then_some(load),
            rows: loaded.rows as u64,
            ..Work::default()
        };
        let decided = txn.commit(work).await.map_err(|error| self.refused(&error))?;
        if discards {
            self.discards().add(table.id, 0, loaded.rows as u64);
        }
        Ok(answer(loaded, &label, &decided))
    }

    /// Ends the transaction of a statement whose change is visible already.
    pub(crate) fn done_statement(&self, txn: OpenTxn, affected: u64) -> Result<Answer, SqlError> {
        let info = format!(
            "{{'label':'{}', 'status':'VISIBLE', 'txnId':'{}'}}",
            txn.label(),
            txn.id()
        );
        txn.visible(affected);
        Ok(Answer::Done { affected, info })
    }

    fn refused(&self, error: &TxnError) -> SqlError {
        SqlError::plain(error.text(self.transactions().switches()))
    }
}

fn answer(loaded: Loaded, label: &str, decided: &Decided) -> Answer {
    let warnings = if loaded.filtered > 0 {
        format!(", 'filteredRows':'{}'", loaded.filtered)
    } else {
        String::new()
    };
    let status = if decided.visible { "VISIBLE" } else { "COMMITTED" };
    Answer::Done {
        affected: loaded.rows as u64,
        info: format!(
            "{{'label':'{label}', 'status':'{status}', 'txnId':'{}'{warnings}}}",
            decided.id
        ),
    }
}
