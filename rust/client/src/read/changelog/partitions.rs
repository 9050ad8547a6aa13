//! The partitions of a table as the master front end lists them, and a probe of the function that cuts keys into
//! slices.

use super::Changelog;
use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::net::text_rows::TextRows;
use crate::read::query;
use crate::sql;

/// How often the master may change during a listing.
const MASTERS: u32 = 3;

/// A partition of a table. Another one may get its name later, but never its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Doris' id of it.
    pub id: i64,
    /// Its name, unquoted.
    pub name: String,
}

impl Changelog {
    /// All partitions that belong to the table now, temporary ones left out, as the master lists them: what a
    /// follower lists may be old, and a partition that is missed would lose its changes. Fails where the master
    /// cannot be reached.
    pub async fn partitions(&self) -> Result<Vec<Partition>, Error> {
        let table = &self.config.table;
        let sql = format!("SHOW PARTITIONS FROM {}", sql::table(table));
        for _ in 0..MASTERS {
            let master = self.frontends.master(&table.database).await?;
            let rows = self
                .frontends
                .statement(&master, &table.database, &sql)
                .await
                .map_err(|error| listing_failed(table, &master, error))?;
            // It was the master all the time only if it still is.
            if self.frontends.is_master(&master, &table.database).await? {
                return read(&rows).map_err(|error| listing_failed(table, &master, error));
            }
            tracing::debug!(%master, "the master changed while it listed partitions");
        }
        Err(Error::new(
            ErrorKind::Connect,
            format!("the master front end changed {MASTERS} times while it listed the partitions of {table}"),
        )
        .retryable())
    }

    /// The server's hash of a constant, by the expression that cuts keys into slices: another value means that slices
    /// hold other keys than before.
    pub async fn probe(&self) -> Result<i64, Error> {
        let key: Vec<String> = ["'Doris'", "42", "NULL", "''", "'2026-10-09'"]
            .map(str::to_owned)
            .to_vec();
        let sql = format!("SELECT {} AS hash", query::key_hash(&key));
        let rows = self
            .frontends
            .first("probing the hash of slices", |fe| {
                let sql = sql.clone();
                async move { self.frontends.statement(&fe, "information_schema", &sql).await }
            })
            .await?;
        let told = rows.first("hash")?;
        told.and_then(|text| text.parse().ok()).ok_or_else(|| {
            Error::new(
                ErrorKind::Query,
                format!("the server's murmur_hash3_32 gave no number: {told:?}"),
            )
        })
    }
}

fn listing_failed(table: &crate::config::table::Table, master: &Address, error: Error) -> Error {
    error.caused(format!(
        "the partitions of {table} cannot be listed at the master front end {master}"
    ))
}

fn read(rows: &TextRows) -> Result<Vec<Partition>, Error> {
    let (id, name) = (rows.column("PartitionId")?, rows.column("PartitionName")?);
    let partition = |row: &Vec<Option<String>>| {
        let id = row[id].as_deref()?.trim().parse().ok()?;
        Some(Partition {
            id,
            name: row[name].clone()?,
        })
    };
    rows.rows
        .iter()
        .map(|row| {
            partition(row).ok_or_else(|| {
                Error::new(
                    ErrorKind::Query,
                    format!("a partition has no id or name: {row:?}"),
                )
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_read_whole_or_not_at_all() {
        let rows = |columns: &[&str], cells: &[&[&str]]| TextRows {
            columns: columns.iter().map(|c| (*c).to_owned()).collect(),
            rows: cells
                .iter()
                .map(|row| row.iter().map(|cell| Some((*cell).to_owned())).collect())
                .collect(),
        };
        let listed = read(&rows(
            &["PartitionId", "PartitionName", "State"],
            &[&["11", "p1", "NORMAL"], &["12", "p 2", "NORMAL"]],
        ));
        let ids: Vec<(i64, String)> = listed.unwrap().into_iter().map(|p| (p.id, p.name)).collect();
        assert_eq!(ids, [(11, "p1".to_owned()), (12, "p 2".to_owned())]);
        assert!(read(&rows(&["PartitionName"], &[])).is_err());
        assert!(read(&rows(&["PartitionId", "PartitionName"], &[&["x", "p"]])).is_err());
    }
}
