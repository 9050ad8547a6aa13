//! Transactions that a client opens: from `BEGIN` to `COMMIT` or `ROLLBACK`, inserts into one table wait.

use std::sync::{Arc, Mutex};

use super::cursor::Cursor;
use super::ddl::done;
use crate::cluster::lock;
use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine, Session};
use crate::store::load::Load;
use crate::store::tablet::Table;
use crate::store::txn::OpenTxn;

/// A transaction that a client opened. Dropped undecided, with its session, it is aborted.
#[derive(Debug)]
pub(crate) struct Explicit {
    label: String,
    state: Mutex<State>,
}

/// What a transaction has come to.
#[derive(Debug)]
pub(crate) enum State {
    /// Nothing was written yet.
    Empty,
    /// Rows wait.
    Holds(Box<Held>),
    /// An insert failed, and with it the whole.
    Failed(String),
}

/// Rows of a transaction that wait for its end.
pub(crate) struct Held {
    pub(crate) txn: OpenTxn,
    pub(crate) table: Arc<Table>,
    pub(crate) load: Load,
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held")
            .field("load", &self.load)
            .finish_non_exhaustive()
    }
}

impl Explicit {
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Takes the state for a statement that goes on with it; one that is broken off leaves a failure behind.
    pub(crate) fn take(&self) -> State {
        let broken_off = State::Failed("a statement was broken off".to_owned());
        std::mem::replace(&mut *lock(&self.state), broken_off)
    }

    pub(crate) fn put(&self, state: State) {
        *lock(&self.state) = state;
    }
}

impl Engine {
    /// `BEGIN [WORK] [WITH LABEL l]`, `START TRANSACTION …`, after the first word. Within a transaction it changes
    /// nothing.
    pub(crate) fn begin_explicit(
        &self,
        session: &mut Session,
        cursor: &mut Cursor<'_>,
        start: bool,
    ) -> Result<Answer, SqlError> {
        let mut label = None;
        if start {
            cursor.expect("TRANSACTION")?;
            // `WITH CONSISTENT SNAPSHOT`, `READ WRITE`: what it is to be like changes nothing.
            while cursor.take().is_some() {}
        } else {
            cursor.eat("WORK");
            if cursor.eat_all(&["WITH", "LABEL"]) && !cursor.done() {
                label = Some(match cursor.eat_string() {
                    Some(label) => label,
                    None => cursor.ident()?,
                });
            }
            cursor.expect_end()?;
        }
        if session.transaction.is_some() {
            return Ok(done());
        }
        let label = label.unwrap_or_else(|| {
            let (high, low) = (crate::cluster::random(), crate::cluster::random());
            format!("txn_insert_{high:016x}-{low:016x}")
        });
        let info = told(&label, "PREPARE", "");
        session.transaction = Some(Arc::new(Explicit {
            label,
            state: Mutex::new(State::Empty),
        }));
        Ok(Answer::Done { affected: 0, info })
    }

    /// `COMMIT` and `ROLLBACK`, after the word; without a transaction there is nothing to end.
    pub(crate) async fn end_explicit(
        &self,
        session: &mut Session,
        cursor: &mut Cursor<'_>,
        commit: bool,
    ) -> Result<Answer, SqlError> {
        cursor.eat("WORK");
        if cursor.eat_all(&["AND", "NO", "CHAIN"]) {
            cursor.eat_all(&["NO", "RELEASE"]);
        }
        cursor.expect_end()?;
        let Some(open) = session.transaction.take() else {
            return Ok(done());
        };
        match open.take() {
            State::Empty => Ok(done()),
            State::Failed(_) if !commit => Ok(done()),
            State::Failed(reason) => Err(SqlError::plain(format!(
                "the transaction {} was aborted, nothing of it is kept: {reason}",
                open.label
            ))),
            State::Holds(held) if commit => self.commit_statement(held.txn, &held.table, held.load).await,
            State::Holds(held) => {
                let info = told(&open.label, "ABORTED", &held.txn.id().to_string());
                held.txn.abort("user rollback");
                Ok(Answer::Done { affected: 0, info })
            }
        }
    }
}

/// What Doris reports of a transaction.
pub(crate) fn told(label: &str, status: &str, id: &str) -> String {
    format!("{{'label':'{label}', 'status':'{status}', 'txnId':'{id}'}}")
}

/// Why a statement that cannot wait for the end of a transaction is refused within one; `None` where it may run.
pub(crate) fn refused_within(session: &Session, first: &str) -> Option<SqlError> {
    let waits = !matches!(
        first,
        "DELETE" | "UPDATE" | "TRUNCATE" | "CREATE" | "DROP" | "ALTER"
    );
    (session.transaction.is_some() && !waits)
        .then(|| SqlError::plain("This is in a transaction, only insert, commit, rollback is acceptable."))
}
