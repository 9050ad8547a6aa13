//! `SHOW`: rows of text that the front end knows.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::TableProvider;

use super::create_text::{bound_text, create_table_text, create_view_text};
use super::cursor::Cursor;
use super::lexer::{Statement, statements};
use super::tables::Listing;
use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine, Session};
use crate::store::catalog::Relation;
use crate::values::datetime::write_datetime;

impl Engine {
    pub(crate) async fn show(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        let full = cursor.eat("FULL");
        cursor.eat("GLOBAL");
        cursor.eat("SESSION");
        cursor.eat("ALL");
        let listing = if cursor.eat("DATABASES") || cursor.eat("SCHEMAS") {
            let mut listing = Listing::of_columns("Database");
            self.catalog()
                .database_names()
                .into_iter()
                .for_each(|name| listing.add([name]));
            listing
        } else if cursor.eat("TABLES") {
            let database = self.in_database(session, cursor)?;
            self.show_tables(&database, full)?
        } else if cursor.eat("FRONTENDS") {
            self.show_frontends(session)
        } else if cursor.eat_all(&["TSO", "STATUS"]) {
            self.show_tso_status()?
        } else if cursor.eat("BACKENDS") {
            self.show_backends()
        } else if cursor.eat_all(&["CREATE", "TABLE"]) || cursor.eat_all(&["CREATE", "VIEW"]) {
            self.show_create(session, cursor)?
        } else if cursor.eat_all(&["TEMPORARY", "PARTITIONS"]) {
            self.show_partitions(session, cursor, true)?
        } else if cursor.eat("PARTITIONS") {
            self.show_partitions(session, cursor, false)?
        } else if cursor.eat("TRANSACTION") {
            self.show_transaction(session, cursor)?
        } else if cursor.eat("VARIABLES") {
            let mut listing = Listing::of_columns("Variable_name Value Default_Value Changed");
            let globals = self.variables(&Session {
                variables: Default::default(),
                ..session.clone()
            });
            for (name, value) in self.variables(session) {
                let default = globals.get(&name).cloned().unwrap_or_default();
                let changed = if default == value { "0" } else { "1" };
                listing.add([name, value, default, changed.into()]);
            }
            listing
        } else if cursor.eat("COLUMNS") || cursor.eat("FIELDS") {
            if !cursor.eat("FROM") {
                cursor.expect("IN")?;
            }
            return self.show_columns(session, statement, cursor, full).await;
        } else if cursor.eat("WARNINGS") || cursor.eat("ERRORS") {
            Listing::of_columns("Level Code Message")
        } else {
            return Err(cursor.unexpected("something that can be shown"));
        };
        self.filtered(session, statement, cursor, listing).await
    }

    /// `LIKE 'pattern'` on the first column, `WHERE …`, `ORDER BY …` and `LIMIT …` over what is shown.
    pub(crate) async fn filtered(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
        mut listing: Listing,
    ) -> Result<Answer, SqlError> {
        if cursor.eat("LIKE") {
            let pattern = cursor.string()?;
            listing.retain(0, |text| like(text, &pattern));
        }
        if cursor.done() {
            return Ok(Answer::FrontEndRows(listing.into_rows()?));
        }
        if !["WHERE", "ORDER", "LIMIT"].iter().any(|w| cursor.is(w)) {
            return Err(cursor.unexpected("LIKE, WHERE or the end"));
        }
        let tail = statement.raw(cursor.at, statement.tokens.len() - 1);
        let parsed = statements(&format!("SELECT * FROM `__shown` {tail}"))?;
        let provider: Arc<dyn TableProvider> = listing.into_table()?;
        let own = HashMap::from([("__shown".to_string(), provider)]);
        let rows = Box::pin(self.plan_with(session, &parsed[0], own, 0))
            .await?
            .stream()
            .await?
            .collect()
            .await?;
        Ok(Answer::FrontEndRows(rows))
    }

    fn in_database(&self, session: &Session, cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
        let named = if cursor.eat("FROM") || cursor.eat("IN") {
            cursor.path()?.pop()
        } else {
            None
        };
        self.database_of(session, named)
    }

    fn show_tables(&self, database: &str, full: bool) -> Result<Listing, SqlError> {
        let title = format!("Tables_in_{database}");
        let mut listing = match full {
            true => Listing::of_texts(&[
                &title,
                "Table_type",
                "Storage_format",
                "Inverted_index_storage_format",
            ]),
            false => Listing::of_texts(&[&title]),
        };
        let mut names: Vec<(String, &str)> = self
            .catalog()
            .relations(database)?
            .into_iter()
            .map(|(name, relation)| match relation {
                Relation::Table(_) => (name, "BASE TABLE"),
                Relation::View(_) => (name, "VIEW"),
            })
            .collect();
        if database.eq_ignore_ascii_case("information_schema") {
            names.extend(
                self.information_tables()
                    .map(|name| (name.to_string(), "SYSTEM VIEW")),
            );
        }
        for (name, kind) in names {
            match full {
                true => listing.add([name, kind.into(), "V2".into(), "V3".into()]),
                false => listing.add([name]),
            }
        }
        Ok(listing)
    }

    fn show_create(&self, session: &Session, cursor: &mut Cursor<'_>) -> Result<Listing, SqlError> {
        let (database, name) = cursor.table_name()?;
        let database = self.database_of(session, database)?;
        match self.catalog().relation(&database, &name)? {
            Relation::Table(table) => {
                let mut listing = Listing::of_texts(&["Table", "Create Table"]);
                let text = create_table_text(&name, &table.snapshot());
                listing.add([name, text]);
                Ok(listing)
            }
            Relation::View(view) => {
                let mut listing = Listing::of_texts(&[
                    "View",
                    "Create View",
                    "character_set_client",
                    "collation_connection",
                ]);
                let text = create_view_text(&name, &view);
                listing.add([name, text, "utf8mb4".into(), "utf8mb4_0900_bin".into()]);
                Ok(listing)
            }
        }
    }

    fn show_partitions(
        &self,
        session: &Session,
        cursor: &mut Cursor<'_>,
        temporary: bool,
    ) -> Result<Listing, SqlError> {
        cursor.expect("FROM")?;
        let (database, name) = cursor.table_name()?;
        let database = self.database_of(session, database)?;
        let version = self.version_at(session, &*self.catalog().table(&database, &name)?);
        let mut listing = Listing::of_columns(
            "PartitionId PartitionName VisibleVersion VisibleVersionTime State PartitionKey Range \
             DistributionKey Buckets ReplicationNum StorageMedium CooldownTime DataSize \
             IsInMemory RowCount",
        );
        let keys = super::create_text::distribution_keys(&version.schema);
        for partition in version.partitions.iter().filter(|p| p.temporary == temporary) {
            let rows: usize = partition.tablets.iter().map(|t| t.rows()).sum();
            let bytes: usize = partition.tablets.iter().map(|t| t.bytes()).sum();
            listing.add([
                partition.id.to_string(),
                partition.name.clone(),
                partition.version.to_string(),
                self.shown_time(partition.visible_micros),
                "NORMAL".into(),
                version.schema.partition_columns.join(", "),
                bound_text(&version.schema, &partition.bound),
                keys.clone(),
                partition.tablets.len().to_string(),
                "1".into(),
                "HDD".into(),
                "9999-12-31 23:59:59".into(),
                format!("{bytes} B"),
                "false".into(),
                rows.to_string(),
            ]);
        }
        Ok(listing)
    }

    /// A moment as `SHOW` prints it, in the server's zone.
    pub(crate) fn shown_time(&self, micros: i64) -> String {
        let zone: crate::values::zone::Zone =
            self.time_zone().parse().unwrap_or(crate::values::zone::Zone::UTC);
        let mut out = String::new();
        let wall = micros + zone.offset_at_instant(micros.div_euclid(1_000_000)) * 1_000_000;
        write_datetime(&mut out, wall, 0);
        out
    }
}

/// SQL's `LIKE` without regard to case, as `SHOW … LIKE` matches.
fn like(text: &str, pattern: &str) -> bool {
    fn matches(text: &[char], pattern: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('%', rest)) => (0..=text.len()).any(|at| matches(&text[at..], rest)),
            Some(('_', rest)) => !text.is_empty() && matches(&text[1..], rest),
            Some(('\\', rest)) if !rest.is_empty() => {
                text.first() == rest.first() && matches(&text[1..], &rest[1..])
            }
            Some((c, rest)) => text.first() == Some(c) && matches(&text[1..], rest),
        }
    }
    let fold = |t: &str| t.to_lowercase().chars().collect::<Vec<_>>();
    matches(&fold(text), &fold(pattern))
}
