//! `SHOW TRANSACTION`: where a transaction stands.

use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::tables::Listing;
use crate::error::SqlError;
use crate::sql::engine::{Engine, Session};

/// A value that was not set yet.
const UNSET: i64 = -1;

impl Engine {
    /// `SHOW TRANSACTION [FROM database] WHERE id = n`, or `WHERE label = 'text'` for the newest of the label.
    pub(super) fn show_transaction(
        &self,
        session: &Session,
        cursor: &mut Cursor<'_>,
    ) -> Result<Listing, SqlError> {
        let named = match cursor.eat("FROM") || cursor.eat("IN") {
            true => cursor.path()?.pop(),
            false => None,
        };
        let database = self.database_of(session, named)?;
        cursor.expect("WHERE")?;
        let mut of_database = self.transactions().list();
        of_database.retain(|shown| shown.db == database);
        let found = if cursor.eat("LABEL") {
            cursor.expect_token(&Token::Eq)?;
            let label = cursor.string()?;
            let found = of_database.into_iter().rfind(|shown| shown.label == label);
            found.ok_or_else(|| SqlError::plain(format!("transaction with label {label} does not exist")))?
        } else {
            cursor.expect("ID")?;
            cursor.expect_token(&Token::Eq)?;
            let id: i64 = cursor.number()?;
            let found = of_database.into_iter().find(|shown| shown.id == id);
            found.ok_or_else(|| SqlError::plain(format!("transaction with id {id} does not exist")))?
        };
        let mut listing = Listing::of_columns(
            "TransactionId Label Coordinator TransactionStatus LoadJobSourceType PrepareTime \
             PreCommitTime CommitTime PublishTime FinishTime Reason ErrorReplicasCount ListenerId \
             TimeoutMs ErrMsg",
        );
        let time = |millis: Option<i64>| match millis {
            Some(millis) => self.shown_time(millis * 1000),
            None => "NULL".to_owned(),
        };
        let kind = match found.kind {
            crate::store::txn::LoadKind::StreamLoad => "BACKEND_STREAMING",
            crate::store::txn::LoadKind::Statement => "INSERT_STREAMING",
        };
        listing.add([
            found.id.to_string(),
            found.label,
            "FE: 127.0.0.1".into(),
            found.state.name().into(),
            kind.into(),
            time(Some(found.begun)),
            time(found.precommitted),
            time(found.committed),
            time(found.committed),
            time(found.finished),
            found.reason,
            "0".into(),
            UNSET.to_string(),
            UNSET.to_string(),
            String::new(),
        ]);
        Ok(listing)
    }
}
