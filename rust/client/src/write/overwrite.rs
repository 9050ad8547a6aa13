//! `INSERT OVERWRITE`: rows go to a *replacement*, a table made like the target, which takes the target's place in one
//! statement when all of them are in it.
//!
//! Every replacement has a name of its own, so that each statement here may be repeated, and comes to nothing where it
//! arrives late. A replacement that is gone has taken the target's place if the target now has the time at which the
//! replacement was made: that time stays with a table under every name, and no two tables here share it.

use std::time::{Duration, Instant};

use doris_arrow::hash::RowHasher;
use reqwest::Method;

use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::fe::segment;
use crate::net::backoff::{Backoff, Pace};
use crate::net::mysql::{Answer, Connection, Failure, Refusal, url};
use crate::net::refused::{Absent, absent, denied};
use crate::net::text_rows::TextRows;
use crate::sql;
use crate::write::sink::Sink;

/// A table with many tablets takes long to be made.
const STATEMENT_LIMIT: Duration = Duration::from_secs(600);

/// Between two looks for a replacement that is not there yet.
const LOOK_PAUSE: Duration = Duration::from_millis(250);

/// Times of tables are whole seconds.
const NEXT_SECOND: Duration = Duration::from_millis(1100);

/// How often a replacement is made until its time is another one than the target's.
const MOST_MADE: u32 = 5;

/// Lengths of the parts of a name, which is 64 characters long at most.
const PREFIX_PART: usize = 16;
const TABLE_PART: usize = 12;
const HASH_DIGITS: usize = 8;
const RANDOM_DIGITS: usize = 6;

/// The target, and the run of a job that overwrites it.
#[derive(Clone, Debug)]
pub struct Overwrite {
    /// Database of the target and of its replacements.
    pub database: String,
    /// The target.
    pub table: String,
    /// The job's label prefix: under the same one a later run drops what an earlier one left.
    pub prefix: String,
    /// Random hexadecimal digits, drawn when the job is put together: the same for all of its machines and attempts.
    pub run: String,
}

/// A table that was made like the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Its name, in the database of the target.
    pub name: String,
    /// When it was made, as the server shows it; the target has another time. Empty where the server shows none.
    pub created: String,
}

/// What became of a swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapOutcome {
    /// The replacement took the target's place by this call.
    Swapped,
    /// It had done so before.
    Already,
}

/// What a server shows of target and replacement.
struct Seen {
    target: Option<String>,
    replacement: Option<String>,
}

impl Overwrite {
    /// What the names of all replacements of this table under this prefix begin with.
    fn family(&self) -> String {
        format!(
            "overwrite_{}_{}_{}_",
            plain(&self.prefix, PREFIX_PART),
            plain(&self.table, TABLE_PART),
            hash(&[&self.prefix, &self.database, &self.table])
        )
    }

    /// What those of this run begin with.
    fn of_run(&self) -> String {
        format!("{}{}_", self.family(), digits(&self.run))
    }

    fn is_of_family(&self, name: &str) -> bool {
        let rest = name.strip_prefix(&*self.family()).and_then(|r| r.split_once('_'));
        rest.is_some_and(|(run, number)| is_random(run) && is_random(number))
    }

    fn is_of_run(&self, name: &str) -> bool {
        self.is_of_family(name) && name.starts_with(&*self.of_run())
    }

    fn target(&self) -> Table {
        self.named(&self.table)
    }

    fn named(&self, name: &str) -> Table {
        Table {
            catalog: None,
            database: self.database.clone(),
            name: name.to_owned(),
        }
    }

    fn create_sql(&self, name: &str) -> String {
        // Without the clause the replacement would lack the target's rollups.
        format!(
            "CREATE TABLE IF NOT EXISTS {} LIKE {} WITH ROLLUP",
            sql::table(&self.named(name)),
            sql::table(&self.target())
        )
    }

    fn swap_sql(&self, name: &str) -> String {
        format!(
            "ALTER TABLE {} REPLACE WITH TABLE {} PROPERTIES('swap' = 'false')",
            sql::table(&self.target()),
            sql::quote(name)
        )
    }

    fn drop_sql(&self, name: &str) -> String {
        // Transactions that wait for a commit which will never come would keep it from going.
        format!("DROP TABLE IF EXISTS {} FORCE", sql::table(&self.named(name)))
    }

    fn list_sql(&self) -> String {
        // Underscores stand for any character; what else they find is left out afterwards.
        format!(
            "SHOW TABLES FROM {} LIKE {}",
            sql::quote(&self.database),
            sql::literal(&format!("{}%", self.family()))
        )
    }

    fn times_sql(&self, name: &str) -> String {
        format!(
            "SELECT TABLE_NAME, CREATE_TIME FROM information_schema.tables WHERE TABLE_SCHEMA = {} AND TABLE_NAME IN ({}, {})",
            sql::literal(&self.database),
            sql::literal(&self.table),
            sql::literal(name)
        )
    }
}

impl Sink {
    /// Makes a replacement under a name that ends in `number`, random hexadecimal digits of the caller's, after it has
    /// dropped all others under the job's prefix: what an earlier run left, or an earlier start of this one.
    pub async fn create_replacement(
        &self,
        overwrite: &Overwrite,
        number: &str,
    ) -> Result<Replacement, Error> {
        for name in self.replacements(overwrite).await? {
            tracing::info!(table = %overwrite.named(&name), "dropping what an earlier start left");
            self.drop_one(overwrite, &name).await?;
        }
        let name = format!("{}{}", overwrite.of_run(), digits(number));
        let what = format!("making {} like {}", overwrite.named(&name), overwrite.target());
        for _ in 0..MOST_MADE {
            self.execute(overwrite, &what, &overwrite.create_sql(&name))
                .await?;
            let seen = self.times(overwrite, &name).await?;
            let (Some(target), Some(created)) = (seen.target, seen.replacement) else {
                return Err(Error::new(
                    ErrorKind::Query,
                    format!("{what}: Doris reported success, but does not list both tables"),
                )
                .retryable());
            };
            if created.is_empty() || created != target {
                tracing::info!(table = %overwrite.named(&name), target = %overwrite.target(), "replacement is made");
                return Ok(Replacement { name, created });
            }
            self.drop_one(overwrite, &name).await?;
            tokio::time::sleep(NEXT_SECOND).await;
        }
        Err(Error::new(
            ErrorKind::Query,
            format!("{what}: both tables show the same time of their making, {MOST_MADE} times in a row"),
        ))
    }

    /// The name of this run's replacement, once there is one and all front ends know it.
    pub async fn find_replacement(&self, overwrite: &Overwrite, wait: Duration) -> Result<String, Error> {
        let start = Instant::now();
        loop {
            let mut names = self.replacements(overwrite).await?;
            names.retain(|name| overwrite.is_of_run(name));
            // Two: an earlier start's is about to be dropped.
            if let [name] = &*names
                && self.is_known_everywhere(&overwrite.named(name)).await
            {
                return Ok(names.remove(0));
            }
            if start.elapsed() >= wait {
                return Err(Error::new(
                    ErrorKind::NotFound,
                    format!(
                        "no table {}… for the rows of INSERT OVERWRITE of {} within {} s: it is made when the job starts; if the job was here before, its rows may have taken the place of the former ones already, or the table was dropped, as another job with the same sink.label-prefix does",
                        overwrite.named(&overwrite.of_run()),
                        overwrite.target(),
                        wait.as_secs()
                    ),
                )
                .retryable());
            }
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }

    /// Puts the replacement into the target's place, if that was not done before. May be repeated.
    pub async fn swap_in(
        &self,
        overwrite: &Overwrite,
        replacement: &Replacement,
    ) -> Result<SwapOutcome, Error> {
        let target = overwrite.target();
        let mut backoff = Backoff::new(Pace::TRANSACTION, self.config().max_retries);
        let mut tried = false;
        loop {
            let seen = self.times(overwrite, &replacement.name).await?;
            match seen.replacement {
                Some(created) if created == replacement.created => {}
                Some(created) => {
                    return Err(gone(
                        overwrite,
                        replacement,
                        &format!("was made anew at {created}"),
                    ));
                }
                None if !replacement.created.is_empty()
                    && seen.target.as_ref() == Some(&replacement.created) =>
                {
                    return Ok(if tried {
                        SwapOutcome::Swapped
                    } else {
                        SwapOutcome::Already
                    });
                }
                None => return Err(gone(overwrite, replacement, "is gone")),
            }
            tried = true;
            let what = format!(
                "putting {} into the place of {target}",
                overwrite.named(&replacement.name)
            );
            let error = match self.ask(&overwrite.swap_sql(&replacement.name)).await {
                Ok(_) => return Ok(SwapOutcome::Swapped),
                Err(Failure::Refused(refusal)) => {
                    let error = self.refused(overwrite, &what, &refusal);
                    if error.kind() == ErrorKind::Auth {
                        return Err(error);
                    }
                    // Another statement may hold the table; what cannot pass costs a few seconds.
                    error.retryable()
                }
                Err(Failure::Broken(error)) => error.caused(what),
            };
            match backoff.after(&error) {
                Some(pause) => {
                    tracing::warn!(%error, "the swap of INSERT OVERWRITE failed, looking again");
                    tokio::time::sleep(pause).await;
                }
                None => {
                    let seen = self.times(overwrite, &replacement.name).await?;
                    if seen.replacement.is_none() && seen.target.as_ref() == Some(&replacement.created) {
                        return Ok(SwapOutcome::Swapped);
                    }
                    return Err(backoff.given_up(error));
                }
            }
        }
    }

    /// Drops the replacements of this run that are still there; gives their number.
    pub async fn drop_replacements(&self, overwrite: &Overwrite) -> Result<usize, Error> {
        let mut names = self.replacements(overwrite).await?;
        names.retain(|name| overwrite.is_of_run(name));
        for name in &names {
            self.drop_one(overwrite, name).await?;
        }
        Ok(names.len())
    }

    async fn drop_one(&self, overwrite: &Overwrite, name: &str) -> Result<(), Error> {
        let what = format!("dropping {}", overwrite.named(name));
        self.execute(overwrite, &what, &overwrite.drop_sql(name)).await?;
        Ok(())
    }

    /// The names of all replacements of this table under this prefix.
    async fn replacements(&self, overwrite: &Overwrite) -> Result<Vec<String>, Error> {
        let what = format!("listing the tables of database {}", overwrite.database);
        let rows = self.rows(overwrite, &what, &overwrite.list_sql()).await?;
        let names = rows.rows.into_iter().filter_map(|row| row.into_iter().next()?);
        Ok(names.filter(|name| overwrite.is_of_family(name)).collect())
    }

    async fn times(&self, overwrite: &Overwrite, name: &str) -> Result<Seen, Error> {
        let what = format!("reading when {} was made", overwrite.target());
        let rows = self.rows(overwrite, &what, &overwrite.times_sql(name)).await?;
        let (names, times) = (rows.column("TABLE_NAME")?, rows.column("CREATE_TIME")?);
        let of = |name: &str| {
            let row = rows.rows.iter().find(|row| row[names].as_deref() == Some(name));
            row.map(|row| row[times].clone().unwrap_or_default())
        };
        Ok(Seen {
            target: of(&overwrite.table),
            replacement: of(name),
        })
    }

    /// Whether every front end that answers knows a table: loads and checks go to any of them.
    async fn is_known_everywhere(&self, table: &Table) -> bool {
        let path = format!(
            "/api/{}/{}/_schema",
            segment(&table.database),
            segment(&table.name)
        );
        for fe in &self.config().cluster.fenodes {
            if let Err(error) = self.frontends().call(fe, Method::GET, &path, None).await
                && absent(&error.to_string()).is_some()
            {
                return false;
            }
        }
        true
    }

    async fn rows(&self, overwrite: &Overwrite, what: &str, sql: &str) -> Result<TextRows, Error> {
        match self.execute(overwrite, what, sql).await? {
            Answer::Rows(rows) => Ok(rows),
            Answer::Done { .. } => Err(Error::new(
                ErrorKind::Query,
                format!("{what}: Doris gave no rows"),
            )),
        }
    }

    /// Runs a statement that may be repeated, with `doris.request.retries` where no answer came.
    async fn execute(&self, overwrite: &Overwrite, what: &str, sql: &str) -> Result<Answer, Error> {
        let mut backoff = Backoff::new(Pace::READ, self.config().cluster.retries);
        loop {
            match self.ask(sql).await {
                Ok(answer) => return Ok(answer),
                Err(Failure::Refused(refusal)) => return Err(self.refused(overwrite, what, &refusal)),
                Err(Failure::Broken(error)) => {
                    let error = error.caused(format!("INSERT OVERWRITE: {what}"));
                    match backoff.after(&error) {
                        Some(pause) => tokio::time::sleep(pause).await,
                        None => return Err(backoff.given_up(error)),
                    }
                }
            }
        }
    }

    /// Runs one statement on a connection of its own, at a front end that has caught up with the master.
    async fn ask(&self, sql: &str) -> Result<Answer, Failure> {
        let config = self.config();
        let nodes = url::nodes(&config.jdbc_url).map_err(Failure::Broken)?;
        let mut connection = Connection::open(&nodes, &config.cluster)
            .await
            .map_err(Failure::Broken)?
            .waiting(config.cluster.read_timeout.max(STATEMENT_LIMIT));
        // A front end that does not know the statement answers without it.
        if let Err(Failure::Broken(error)) = connection.query("SYNC").await {
            return Err(Failure::Broken(error));
        }
        match connection.query(sql).await {
            Err(Failure::Broken(error)) => {
                let node = connection.node().clone();
                Err(Failure::Broken(error.caused(format!("at {node}"))))
            }
            answer => {
                connection.close().await;
                answer
            }
        }
    }

    fn refused(&self, overwrite: &Overwrite, what: &str, refusal: &Refusal) -> Error {
        let user = &self.config().cluster.login.user;
        let (kind, advice) = if denied(&refusal.text) {
            let advice = format!(
                "; user '{user}' needs SELECT_PRIV, LOAD_PRIV, ALTER_PRIV, CREATE_PRIV and DROP_PRIV on database {}",
                overwrite.database
            );
            (ErrorKind::Auth, advice)
        } else {
            match absent(&refusal.text) {
                Some(Absent::Database) => (ErrorKind::NotFound, "; check table.identifier".to_owned()),
                Some(Absent::Table) => (ErrorKind::NotFound, "; check table.identifier".to_owned()),
                None => (ErrorKind::Query, String::new()),
            }
        };
        Error::new(
            kind,
            format!("INSERT OVERWRITE: {what} was refused: {refusal}{advice}"),
        )
    }
}

/// A replacement that cannot be swapped in. Its rows are lost, the target keeps those that it has.
fn gone(overwrite: &Overwrite, replacement: &Replacement, how: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!(
            "INSERT OVERWRITE of {}: table {}, which the new rows were written to, {how}, and it did not take the place of the target, which keeps its former rows. Another job with the same sink.label-prefix drops it: give each job a prefix of its own, and run it again",
            overwrite.target(),
            overwrite.named(&replacement.name)
        ),
    )
}

/// The first characters of a text, as far as they can stand in the name of a table.
fn plain(text: &str, most: usize) -> String {
    let legal = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    text.chars().map(legal).take(most).collect()
}

fn digits(random: &str) -> String {
    plain(random, RANDOM_DIGITS)
}

fn is_random(text: &str) -> bool {
    text.len() == RANDOM_DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn hash(parts: &[&str]) -> String {
    let mut hasher = RowHasher::new(1);
    for part in parts {
        // The length in front keeps ("a", "bc") and ("ab", "c") apart.
        hasher.add_numbers([part.len() as i64]);
        part.bytes().for_each(|b| hasher.add_numbers([i64::from(b)]));
    }
    let hash = hasher.finish().first().copied().unwrap_or_default();
    format!("{hash:016x}")[..HASH_DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overwrite() -> Overwrite {
        Overwrite {
            database: "test-db".to_owned(),
            table: "o`rder".to_owned(),
            prefix: "0:Nightly-students_of_ulm".to_owned(),
            run: "0123ab".to_owned(),
        }
    }

    #[test]
    fn names_are_legal_and_known_again() {
        let one = overwrite();
        let name = format!("{}{}", one.of_run(), digits("89ABcd"));
        assert_eq!(
            name,
            format!(
                "overwrite_0_nightly_studen_o_rder_{}_0123ab_89abcd",
                hash(&[&one.prefix, &one.database, &one.table])
            )
        );
        assert!(one.is_of_run(&name));
        let longest = Overwrite {
            prefix: "p".repeat(64),
            table: "t".repeat(64),
            ..one.clone()
        };
        let long = format!("{}{}", longest.of_run(), digits("89abcd"));
        assert!(long.len() <= 64, "{}", long.len());
        let later = Overwrite {
            run: "ffffff".to_owned(),
            ..one.clone()
        };
        assert!(later.is_of_family(&name) && !later.is_of_run(&name));
        for other in [
            Overwrite {
                prefix: "0:Nightly-students_of_Ulm".to_owned(),
                ..one.clone()
            },
            Overwrite {
                database: "test".to_owned(),
                ..one.clone()
            },
            Overwrite {
                table: "o_rder".to_owned(),
                ..one.clone()
            },
        ] {
            assert!(!other.is_of_family(&name), "{other:?}");
        }
        for no in [
            one.family(),
            one.of_run(),
            format!("{name}_1"),
            format!("{}x_1", one.family()),
            format!("a{name}"),
        ] {
            assert!(!one.is_of_family(&no), "{no}");
        }
    }

    #[test]
    fn statements_quote_what_a_user_chose() {
        let one = overwrite();
        assert_eq!(
            one.create_sql("n"),
            "CREATE TABLE IF NOT EXISTS `test-db`.`n` LIKE `test-db`.`o``rder` WITH ROLLUP"
        );
        assert_eq!(
            one.swap_sql("n"),
            "ALTER TABLE `test-db`.`o``rder` REPLACE WITH TABLE `n` PROPERTIES('swap' = 'false')"
        );
        assert_eq!(one.drop_sql("n"), "DROP TABLE IF EXISTS `test-db`.`n` FORCE");
        assert!(
            one.list_sql()
                .starts_with("SHOW TABLES FROM `test-db` LIKE 'overwrite_0_nightly_studen_o_rder_")
        );
    }
}
