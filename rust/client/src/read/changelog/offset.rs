//! The offset table: a job's progress in Doris itself, read and written over the MySQL protocol with plain `SELECT`
//! and `INSERT`.

use super::Changelog;
use super::clock::parse_wall;
use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::net::backoff::{Backoff, Pace};
use crate::net::mysql::{Answer, Connection, Failure, Refusal, url};
use crate::net::text_rows::TextRows;
use crate::read::config::OffsetConfig;
use crate::sql;

/// MySQL's code for a privilege that is missing; Doris often has it in the text alone.
const NO_PRIVILEGE: [u16; 4] = [1044, 1045, 1142, 1227];

impl Changelog {
    /// The consumer's published position, ms since 1970 UTC: the first instant at which the account's zone shows the
    /// row's `offset_timestamp`. `None` without a row. A table or row that cannot be used is an [`ErrorKind::Offset`]
    /// error; what fails for a passing reason is tried `doris.request.retries` times more.
    pub async fn read_offset(&self) -> Result<Option<i64>, Error> {
        let offset = self.offset()?;
        let mut backoff = Backoff::new(Pace::READ, self.config.cluster.retries);
        let rows = loop {
            match self.run(offset, &select(offset)).await {
                Ok(Answer::Rows(rows)) => break rows,
                Ok(Answer::Done { .. }) => return Err(unusable(offset, "gave no rows to a SELECT")),
                Err(error) => match backoff.after(&error) {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => return Err(backoff.given_up(error)),
                },
            }
        };
        match published(offset, &rows)? {
            None => Ok(None),
            Some(text) => Ok(Some(self.instant(&text).await?.millis)),
        }
    }

    /// Publishes a position, ms since 1970 UTC, as the wall clock of the account's zone, rounded down to the second;
    /// returns the number of rows that the server reports as written, at least one. One attempt.
    pub async fn write_offset(&self, millis: i64) -> Result<u64, Error> {
        let offset = self.offset()?;
        let wall = self.wall_text(millis).await?;
        match self.run(offset, &insert(offset, &wall)).await? {
            Answer::Done { affected: 0 } => Err(unusable(offset, "took an INSERT without writing a row")),
            Answer::Done { affected } => Ok(affected),
            Answer::Rows(_) => Err(unusable(offset, "gave rows to an INSERT")),
        }
    }

    fn offset(&self) -> Result<&OffsetConfig, Error> {
        self.changes.offset.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::Config,
                "there is no offset table without source.changelog.offset-table",
            )
        })
    }

    /// Runs one statement on a connection of its own.
    async fn run(&self, offset: &OffsetConfig, sql: &str) -> Result<Answer, Error> {
        let nodes = url::nodes(&offset.jdbc_url)?;
        let mut connection = Connection::open(&nodes, &self.config.cluster).await?;
        match connection.query(sql).await {
            Ok(answer) => {
                connection.close().await;
                Ok(answer)
            }
            Err(Failure::Refused(refusal)) => {
                connection.close().await;
                Err(refused(offset, &self.config.cluster.login.user, &refusal))
            }
            Err(Failure::Broken(error)) => {
                let message = format!(
                    "asking the offset table {} at {}",
                    table(offset),
                    connection.node()
                );
                Err(error.caused(message))
            }
        }
    }
}

/// All three columns, so that a table which could not be written is found at start.
fn select(offset: &OffsetConfig) -> String {
    format!(
        "SELECT consumer_id, offset_timestamp, update_time FROM {} WHERE consumer_id = {}",
        sql::table(&table(offset)),
        sql::literal(&offset.consumer_id)
    )
}

/// On a Unique table this replaces the consumer's row.
fn insert(offset: &OffsetConfig, wall: &str) -> String {
    format!(
        "INSERT INTO {} (`consumer_id`, `offset_timestamp`, `update_time`) VALUES ({}, {}, CURRENT_TIMESTAMP(3))",
        sql::table(&table(offset)),
        sql::literal(&offset.consumer_id),
        sql::literal(wall)
    )
}

fn table(offset: &OffsetConfig) -> Table {
    Table {
        catalog: None,
        database: offset.database.clone(),
        name: offset.table.clone(),
    }
}

/// The text of the consumer's one row, with whole seconds.
fn published(offset: &OffsetConfig, rows: &TextRows) -> Result<Option<String>, Error> {
    let column = rows.column("offset_timestamp")?;
    let row = match &*rows.rows {
        [] => return Ok(None),
        [row] => row,
        many => {
            let what = format!(
                "holds {} rows for consumer id '{}': it must be a table with UNIQUE KEY(consumer_id), so delete all but one or create it anew",
                many.len(),
                offset.consumer_id
            );
            return Err(unusable(offset, &what));
        }
    };
    let Some(text) = row[column].as_deref() else {
        let what = format!(
            "holds NULL as offset_timestamp of consumer id '{}': {REPAIR}",
            offset.consumer_id
        );
        return Err(unusable(offset, &what));
    };
    // A column of a finer type shows a fraction: rounded down, nothing is left out.
    let whole = match text.split_once('.') {
        Some((whole, fraction))
            if (1..=9).contains(&fraction.len()) && fraction.bytes().all(|b| b.is_ascii_digit()) =>
        {
            whole
        }
        _ => text,
    };
    if parse_wall(whole).is_none() {
        let what = format!(
            "holds '{text}' as offset_timestamp of consumer id '{}', which is no time yyyy-MM-dd HH:mm:ss: {REPAIR}",
            offset.consumer_id
        );
        return Err(unusable(offset, &what));
    }
    Ok(Some(whole.to_owned()))
}

/// What to do about a row that cannot be read.
const REPAIR: &str = "repair the row, or delete it to have source.scan.mode decide";

fn refused(offset: &OffsetConfig, user: &str, refusal: &Refusal) -> Error {
    let advice = if NO_PRIVILEGE.contains(&refusal.code) || crate::net::refused::denied(&refusal.text) {
        format!("; user '{user}' needs SELECT_PRIV and LOAD_PRIV on it")
    } else {
        "; it needs consumer_id VARCHAR(256) as Unique key, offset_timestamp DATETIME and update_time DATETIME(3)"
            .to_owned()
    };
    unusable(offset, &format!("cannot be used: {refusal}{advice}"))
}

fn unusable(offset: &OffsetConfig, what: &str) -> Error {
    Error::new(
        ErrorKind::Offset,
        format!("the offset table {} {what}", table(offset)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset() -> OffsetConfig {
        OffsetConfig {
            jdbc_url: "jdbc:mysql://fe:9030".to_owned(),
            database: "ops".to_owned(),
            table: "o`ffsets".to_owned(),
            consumer_id: r"it's \ 1".to_owned(),
        }
    }

    fn rows(texts: &[Option<&str>]) -> TextRows {
        TextRows {
            columns: ["consumer_id", "offset_timestamp", "update_time"]
                .map(str::to_owned)
                .to_vec(),
            rows: texts
                .iter()
                .map(|text| vec![Some("c".to_owned()), text.map(str::to_owned), None])
                .collect(),
        }
    }

    #[test]
    fn statements_quote_what_a_user_chose() {
        assert_eq!(
            select(&offset()),
            r"SELECT consumer_id, offset_timestamp, update_time FROM `ops`.`o``ffsets` WHERE consumer_id = 'it''s \\ 1'"
        );
        assert_eq!(
            insert(&offset(), "2026-10-09 10:00:00"),
            r"INSERT INTO `ops`.`o``ffsets` (`consumer_id`, `offset_timestamp`, `update_time`) VALUES ('it''s \\ 1', '2026-10-09 10:00:00', CURRENT_TIMESTAMP(3))"
        );
    }

    #[test]
    fn one_readable_row_or_none() {
        let read = |texts: &[Option<&str>]| published(&offset(), &rows(texts));
        assert_eq!(read(&[]).unwrap(), None);
        for text in [
            "2026-10-09 10:00:00",
            "2026-10-09 10:00:00.999",
            "2026-10-09 10:00:00.000000",
        ] {
            assert_eq!(
                read(&[Some(text)]).unwrap().as_deref(),
                Some("2026-10-09 10:00:00")
            );
        }
        for (texts, part) in [
            (&[Some("2026-10-09 10:00:00"); 2][..], "holds 2 rows"),
            (&[None], "NULL"),
            (&[Some("")], "''"),
            (&[Some("2026-10-09")], "'2026-10-09'"),
            (&[Some("0000-00-00 00:00:00")], "no time"),
            (&[Some("2026-10-09 10:00:00.")], "no time"),
            (&[Some("1791540000000")], "no time"),
        ] {
            let error = read(texts).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Offset);
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn a_refusal_says_what_the_table_or_the_account_needs() {
        let told = |code, text: &str| {
            let refusal = Refusal {
                code,
                text: text.to_owned(),
            };
            refused(&offset(), "reader", &refusal).to_string()
        };
        let denied = told(1142, "SELECT command denied");
        assert!(
            denied.contains("'reader' needs SELECT_PRIV and LOAD_PRIV"),
            "{denied}"
        );
        let by_text = told(
            1105,
            "errCode = 2, detailMessage = Permission denied: user ['reader'@'%'] does not have privilege for [Load_priv]",
        );
        assert!(by_text.contains("needs SELECT_PRIV and LOAD_PRIV"), "{by_text}");
        let column = told(
            1105,
            "errCode = 2, detailMessage = Unknown column 'update_time' in 'table list'",
        );
        assert!(
            column.contains("Unknown column") && column.contains("update_time DATETIME(3)"),
            "{column}"
        );
    }
}
