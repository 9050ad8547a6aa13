//! `SHOW`: rows of text that the front end knows.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::TableProvider;

use super::create_text::{bound_text, create_table_text, create_view_text};
use super::cursor::Cursor;
use super::lexer::{Statement, statements};
use super::tables::Listing;
use crate::sql::engine::{Answer, Engine, Session, SqlError};
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
            let mut listing = Listing::of_texts(&["Database"]);
            self.catalog()
                .database_names()
                .into_iter()
                .for_each(|name| listing.add([name]));
            listing
        } else if cursor.eat("TABLES") {
            let database = self.in_database(session, cursor)?;
            self.show_tables(&database, full)?
        } else if cursor.eat_all(&["TABLE", "STATUS"]) {
            let database = self.in_database(session, cursor)?;
            let mut listing = Listing::of_texts(&["Name", "Engine", "Rows", "Comment"]);
            for (name, relation) in self.catalog().relations(&database)? {
                if let Relation::Table(table) = relation {
                    let info = table.info(&database, &name);
                    let rows: u64 = info
                        .partitions
                        .iter()
                        .flat_map(|p| &p.tablets)
                        .map(|t| t.rows)
                        .sum();
                    listing.add([name, "Doris".into(), rows.to_string(), info.comment]);
                }
            }
            listing
        } else if cursor.eat("FRONTENDS") {
            self.show_frontends(session)
        } else if cursor.eat_all(&["TSO", "STATUS"]) {
            self.show_tso_status()?
        } else if cursor.eat("BACKENDS") {
            self.show_backends()
        } else if cursor.eat_all(&["CREATE", "TABLE"]) || cursor.eat_all(&["CREATE", "VIEW"]) {
            self.show_create(session, cursor)?
        } else if cursor.eat_all(&["CREATE", "DATABASE"]) || cursor.eat_all(&["CREATE", "SCHEMA"]) {
            let name = cursor.ident()?;
            if !self.catalog().has_database(&name) {
                return Err(SqlError::unknown_database(&name));
            }
            let mut listing = Listing::of_texts(&["Database", "Create Database"]);
            listing.add([name.clone(), format!("CREATE DATABASE `{name}`")]);
            listing
        } else if cursor.eat_all(&["TEMPORARY", "PARTITIONS"]) {
            self.show_partitions(session, cursor, true)?
        } else if cursor.eat("PARTITIONS") {
            self.show_partitions(session, cursor, false)?
        } else if cursor.eat("TRANSACTION") {
            self.show_transaction(session, cursor)?
        } else if cursor.eat("TABLETS") {
            self.show_tablets(session, cursor)?
        } else if cursor.eat("VARIABLES") {
            let mut listing = Listing::of_texts(&["Variable_name", "Value", "Default_Value", "Changed"]);
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
        } else if cursor.eat("STATUS") {
            Listing::of_texts(&["Variable_name", "Value"])
        } else if cursor.eat("PROCESSLIST") {
            self.show_processes(session)
        } else if cursor.eat("COLUMNS") || cursor.eat("FIELDS") {
            if !cursor.eat("FROM") {
                cursor.expect("IN")?;
            }
            return self.show_columns(session, statement, cursor, full).await;
        } else if cursor.eat("COLLATION") {
            let mut listing =
                Listing::of_texts(&["Collation", "Charset", "Id", "Default", "Compiled", "Sortlen"]);
            let text = |t: &str| t.to_string();
            listing.add([
                text("utf8mb4_0900_bin"),
                text("utf8mb4"),
                text("309"),
                text("Yes"),
                text("Yes"),
                text("1"),
            ]);
            listing
        } else if cursor.eat("WARNINGS") || cursor.eat("ERRORS") {
            Listing::of_texts(&["Level", "Code", "Message"])
        } else if ["INDEX", "INDEXES", "KEYS"].iter().any(|w| cursor.eat(w)) {
            cursor.expect("FROM")?;
            let (database, name) = cursor.table_name()?;
            let named = if cursor.eat("FROM") {
                Some(cursor.ident()?)
            } else {
                database
            };
            self.catalog()
                .relation(&self.database_of(session, named)?, &name)?;
            Listing::of_texts(&["Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name"])
        } else if cursor.eat("CATALOGS") {
            let mut listing = Listing::of_texts(&["CatalogId", "CatalogName", "Type", "IsCurrent"]);
            listing.add(["0".into(), "internal".into(), "internal".into(), "Yes".into()]);
            listing
        } else if cursor.eat("ENGINES") {
            let mut listing = Listing::of_texts(&["Engine", "Support", "Comment"]);
            listing.add([
                "Olap engine".into(),
                "YES".into(),
                "Default storage engine of palo".into(),
            ]);
            listing
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
        let mut listing = Listing::of_texts(&[
            "PartitionId",
            "PartitionName",
            "VisibleVersion",
            "VisibleVersionTime",
            "State",
            "PartitionKey",
            "Range",
            "DistributionKey",
            "Buckets",
            "ReplicationNum",
            "StorageMedium",
            "CooldownTime",
            "DataSize",
            "IsInMemory",
            "RowCount",
        ]);
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

    fn show_tablets(&self, session: &Session, cursor: &mut Cursor<'_>) -> Result<Listing, SqlError> {
        cursor.expect("FROM")?;
        let place = super::relation::read_place(cursor)?;
        let database = self.database_of(session, place.database.clone())?;
        let version = self.version_at(session, &*self.catalog().table(&database, &place.table)?);
        let mut listing = Listing::of_texts(&[
            "TabletId",
            "ReplicaId",
            "BackendId",
            "SchemaHash",
            "Version",
            "LstSuccessVersion",
            "LstFailedVersion",
            "LstFailedTime",
            "LocalDataSize",
            "RemoteDataSize",
            "RowCount",
            "State",
            "PartitionName",
        ]);
        let backends = self.cluster().backends();
        for partition in place.chosen_partitions(&version)? {
            for tablet in place.chosen_tablets(&partition) {
                let backend = backends.get(tablet.backend_index).map_or(-1, |b| b.id);
                listing.add([
                    tablet.id.to_string(),
                    (tablet.id + 1_000_000).to_string(),
                    backend.to_string(),
                    "0".into(),
                    partition.version.to_string(),
                    partition.version.to_string(),
                    "-1".into(),
                    String::new(),
                    tablet.bytes().to_string(),
                    "0".into(),
                    tablet.rows().to_string(),
                    "NORMAL".into(),
                    partition.name.clone(),
                ]);
            }
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
