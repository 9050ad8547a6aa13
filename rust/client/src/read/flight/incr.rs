//! What a front end calls the hidden columns of a changelog query, and whether it knows such queries at all.
//!
//! A front end of another version ignores `@incr` without a word and gives the rows of the table. Only the hidden
//! columns tell: so each session is queried for them before anything else, and a front end without them is left for
//! another one, as there may be in the middle of an upgrade.

use std::time::Duration;

use super::{Flight, SET_UP_CLOSE_LIMIT};
use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::read::window::sql::Hidden;

impl Flight {
    /// The names of the hidden columns at this session's front end; read once per session, by the query that
    /// `probe` makes of each family of names.
    pub(crate) async fn hidden(
        &mut self,
        table: &Table,
        limit: Duration,
        probe: impl Fn(&Hidden) -> String,
    ) -> Result<Hidden, Error> {
        self.prepare().await?;
        if let Some(known) = self.session.as_ref().and_then(|session| session.hidden.clone()) {
            return Ok(known);
        }
        let mut refusals = Vec::new();
        for hidden in Hidden::families() {
            match self.fetch_once(&probe(&hidden), limit).await {
                Ok(_) => {
                    // The session that answered, even if it is a new one.
                    if let Some(session) = &mut self.session {
                        session.hidden = Some(hidden.clone());
                    }
                    return Ok(hidden);
                }
                Err(error) if is_unknown(&error, &hidden) => refusals.push(error),
                Err(error) => return Err(error),
            }
        }
        Err(self.without_changes(table, &refusals))
    }

    /// The error for a front end that does not know the hidden columns. Its session is given up, and others come
    /// before it.
    pub(crate) fn without_changes(&mut self, table: &Table, refusals: &[Error]) -> Error {
        let told: Vec<String> = refusals.iter().map(ToString::to_string).collect();
        let message = format!(
            "the server does not show the changes of {table} with their hidden columns, so that rows of the table could be taken \
             for changes: {} (every front end of fenodes must be of a version that keeps changes, Doris 5.0 or newer)",
            told.join("; ")
        );
        if let Some(session) = self.session.take() {
            session.frontends.pass_over(&session.fe);
            self.closing.begin(session, SET_UP_CLOSE_LIMIT);
        }
        Error::new(ErrorKind::Query, message).retryable_if(self.config.cluster.fenodes.len() > 1)
    }
}

/// Whether a query was refused since the server does not know one of these names; any other refusal stays an error.
pub(crate) fn is_unknown(error: &Error, hidden: &Hidden) -> bool {
    let text = error.to_string().to_ascii_uppercase();
    error.kind() == ErrorKind::Query
        && !error.is_retryable()
        && hidden.names().iter().any(|name| text.contains(name))
}
