//! The error for a table that is not there.

use doris_arrow::schema::nearest;

use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::fe::Frontends;
use crate::net::refused::{self, Absent};
use crate::sql;

/// The error for a schema that the server does not give; names the table of the database that may be meant.
pub(super) async fn explained(frontends: &Frontends, table: &Table, answer: Error) -> Error {
    if answer.kind() != ErrorKind::Query {
        return answer;
    }
    let (what, hint) = match refused::absent(&answer.to_string()) {
        Some(Absent::Database) => (
            format!(
                "the database '{}' of table.identifier = '{table}'",
                table.database
            ),
            String::new(),
        ),
        Some(Absent::Table) => {
            let near = neighbour(frontends, table).await;
            (
                format!("the table '{table}' of table.identifier"),
                near.map_or_else(String::new, |near| format!("; did you mean '{near}'?")),
            )
        }
        None => return answer,
    };
    Error::new(
        ErrorKind::NotFound,
        format!("{what} does not exist (or the user may not see it){hint}"),
    )
    .with_source(answer)
}

/// The table of the same database whose name is near, if the user may see one.
async fn neighbour(frontends: &Frontends, table: &Table) -> Option<String> {
    let statement = format!(
        "SELECT DISTINCT TABLE_NAME FROM information_schema.columns WHERE TABLE_SCHEMA = {}",
        sql::literal(&table.database)
    );
    let told = frontends
        .first("the names of tables", |fe| {
            let statement = &statement;
            async move { frontends.statement(&fe, &table.database, statement).await }
        })
        .await
        .inspect_err(|error| tracing::debug!(%error, "no names of tables for a hint"))
        .ok()?;
    let names: Vec<String> = told
        .rows
        .into_iter()
        .filter_map(|row| row.into_iter().next()?)
        .collect();
    nearest(&table.name, names.iter().map(String::as_str)).map(str::to_owned)
}
