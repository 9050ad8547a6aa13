//! `SHOW`, `DESC` and `EXPLAIN`: rows of text that the front end knows.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::catalog::TableProvider;

use super::create_text::{bound_text, create_table_text, create_view_text};
use super::cursor::Cursor;
use super::lexer::{Statement, statements};
use super::tables::Listing;
use crate::catalog::{Relation, is_built_in};
use crate::engine::{Answer, Engine, KeysType, Session, SqlError};
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
            self.catalog().database_names().into_iter().for_each(|name| listing.add([name]));
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
                    let rows: u64 = info.partitions.iter().flat_map(|p| &p.tablets).map(|t| t.rows).sum();
                    listing.add([name, "Doris".into(), rows.to_string(), info.comment]);
                }
            }
            listing
        } else if cursor.eat("FRONTENDS") {
            self.show_frontends()
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
        } else if cursor.eat("TABLETS") {
            self.show_tablets(session, cursor)?
        } else if cursor.eat("VARIABLES") {
            let mut listing = Listing::of_texts(&["Variable_name", "Value", "Default_Value", "Changed"]);
            let globals = self.variables(&Session { variables: Default::default(), ..session.clone() });
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
            let mut listing = Listing::of_texts(&["Collation", "Charset", "Id", "Default", "Compiled", "Sortlen"]);
            let text = |t: &str| t.to_string();
            listing.add([text("utf8mb4_0900_bin"), text("utf8mb4"), text("309"), text("Yes"), text("Yes"), text("1")]);
            listing
        } else if cursor.eat("WARNINGS") || cursor.eat("ERRORS") {
            Listing::of_texts(&["Level", "Code", "Message"])
        } else if cursor.eat("ENGINES") {
            let mut listing = Listing::of_texts(&["Engine", "Support", "Comment"]);
            listing.add(["Olap engine".into(), "YES".into(), "Default storage engine of palo".into()]);
            listing
        } else {
            return Err(cursor.unexpected("something that can be shown"));
        };
        self.filtered(session, statement, cursor, listing).await
    }

    /// `LIKE 'pattern'` on the first column, `WHERE …`, `ORDER BY …` and `LIMIT …` over what is shown.
    async fn filtered(
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
        let rows = Box::pin(self.plan_with(session, &parsed[0], own, 0)).await?.stream().await?.collect().await?;
        Ok(Answer::FrontEndRows(rows))
    }

    fn in_database(&self, session: &Session, cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
        let named = if cursor.eat("FROM") || cursor.eat("IN") { cursor.path()?.pop() } else { None };
        self.database_of(session, named)
    }

    fn show_tables(&self, database: &str, full: bool) -> Result<Listing, SqlError> {
        let title = format!("Tables_in_{database}");
        let mut listing = match full {
            true => Listing::of_texts(&[&title, "Table_type", "Storage_format", "Inverted_index_storage_format"]),
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
            names.extend(super::information::TABLES.iter().map(|t| ((*t).to_string(), "SYSTEM VIEW")));
        }
        for (name, kind) in names {
            match full {
                true => listing.add([name, kind.into(), "V2".into(), "V3".into()]),
                false => listing.add([name]),
            }
        }
        Ok(listing)
    }

    fn show_frontends(&self) -> Listing {
        let mut listing = Listing::of_texts(&[
            "Name", "Host", "EditLogPort", "HttpPort", "QueryPort", "RpcPort", "ArrowFlightSqlPort", "Role", "IsMaster",
            "ClusterId", "Join", "Alive", "ReplayedJournalId", "LastStartTime", "LastHeartbeat", "IsHelper", "ErrMsg",
            "Version", "CurrentConnected",
        ]);
        let now = self.shown_time(self.catalog().clock.now_micros());
        for (at, node) in self.cluster().frontends().into_iter().enumerate() {
            listing.add([
                node.name,
                node.host,
                "9010".into(),
                node.http.to_string(),
                node.mysql.to_string(),
                "9020".into(),
                shown_port(node.flight),
                "FOLLOWER".into(),
                node.master.to_string(),
                "1".into(),
                "true".into(),
                node.alive.to_string(),
                "100".into(),
                now.clone(),
                now.clone(),
                "true".into(),
                String::new(),
                self.switches().version.clone(),
                if at == 0 { "Yes" } else { "No" }.into(),
            ]);
        }
        listing
    }

    fn show_backends(&self) -> Listing {
        let mut listing = Listing::of_texts(&[
            "BackendId", "Host", "HeartbeatPort", "BePort", "HttpPort", "BrpcPort", "ArrowFlightSqlPort",
            "LastStartTime", "LastHeartbeat", "Alive", "SystemDecommissioned", "TabletNum", "Tag", "ErrMsg", "Version",
            "Status", "NodeRole",
        ]);
        let now = self.shown_time(self.catalog().clock.now_micros());
        let counts = self.tablets_by_backend();
        for (at, node) in self.cluster().backends().into_iter().enumerate() {
            listing.add([
                node.id.to_string(),
                node.host,
                "9050".into(),
                node.thrift.to_string(),
                node.http.to_string(),
                "8060".into(),
                shown_port(node.flight),
                now.clone(),
                now.clone(),
                node.alive.to_string(),
                "false".into(),
                counts.get(&at).copied().unwrap_or(0).to_string(),
                r#"{"location" : "default"}"#.into(),
                String::new(),
                self.switches().version.clone(),
                "{}".into(),
                "mix".into(),
            ]);
        }
        listing
    }

    fn tablets_by_backend(&self) -> HashMap<usize, usize> {
        let mut counts = HashMap::new();
        for database in self.catalog().database_names() {
            for (_, relation) in self.catalog().relations(&database).unwrap_or_default() {
                if let Relation::Table(table) = relation {
                    for partition in &table.snapshot().partitions {
                        partition.tablets.iter().for_each(|t| *counts.entry(t.backend_index).or_insert(0) += 1);
                    }
                }
            }
        }
        counts
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
                let mut listing =
                    Listing::of_texts(&["View", "Create View", "character_set_client", "collation_connection"]);
                let text = create_view_text(&name, &view);
                listing.add([name, text, "utf8mb4".into(), "utf8mb4_0900_bin".into()]);
                Ok(listing)
            }
        }
    }

    fn show_partitions(&self, session: &Session, cursor: &mut Cursor<'_>, temporary: bool) -> Result<Listing, SqlError> {
        cursor.expect("FROM")?;
        let (database, name) = cursor.table_name()?;
        let database = self.database_of(session, database)?;
        let version = self.catalog().table(&database, &name)?.snapshot();
        let mut listing = Listing::of_texts(&[
            "PartitionId", "PartitionName", "VisibleVersion", "VisibleVersionTime", "State", "PartitionKey", "Range",
            "DistributionKey", "Buckets", "ReplicationNum", "StorageMedium", "CooldownTime", "DataSize", "IsInMemory",
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
        let version = self.catalog().table(&database, &place.table)?.snapshot();
        let mut listing = Listing::of_texts(&[
            "TabletId", "ReplicaId", "BackendId", "SchemaHash", "Version", "LstSuccessVersion", "LstFailedVersion",
            "LstFailedTime", "LocalDataSize", "RemoteDataSize", "RowCount", "State", "PartitionName",
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

    fn show_processes(&self, session: &Session) -> Listing {
        let mut listing = Listing::of_texts(&[
            "CurrentConnected", "Id", "User", "Host", "LoginTime", "Catalog", "Db", "Command", "Time", "State",
            "QueryId", "Info",
        ]);
        let text = |t: &str| t.to_string();
        listing.add([
            text("Yes"),
            session.id.to_string(),
            session.user.clone(),
            text("127.0.0.1"),
            self.shown_time(self.catalog().clock.now_micros()),
            text("internal"),
            session.database.clone().unwrap_or_default(),
            text("Query"),
            text("0"),
            text("OK"),
            String::new(),
            text("SHOW PROCESSLIST"),
        ]);
        listing
    }

    async fn show_columns(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
        full: bool,
    ) -> Result<Answer, SqlError> {
        let (mut database, name) = cursor.table_name()?;
        if cursor.eat("FROM") || cursor.eat("IN") {
            database = Some(cursor.ident()?);
        }
        let database = self.database_of(session, database)?;
        let mut listing = match full {
            true => Listing::of_texts(&["Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"]),
            false => Listing::of_texts(&["Field", "Type", "Null", "Key", "Default", "Extra"]),
        };
        for row in self.description(session, &database, &name).await? {
            let [field, type_name, null, key, default, extra, comment] = row;
            listing.push(match full {
                true => vec![field, type_name, None, null, key, default, extra, Some(String::new()), comment],
                false => vec![field, type_name, null, key, default, extra],
            });
        }
        self.filtered(session, statement, cursor, listing).await
    }

    pub(crate) async fn describe(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        if ["SELECT", "WITH", "VERBOSE"].iter().any(|w| cursor.is(w)) {
            return self.explain(session, statement, cursor).await;
        }
        let (database, name) = cursor.table_name()?;
        cursor.eat("ALL");
        cursor.expect_end()?;
        let database = self.database_of(session, database)?;
        let mut listing = Listing::of_texts(&["Field", "Type", "Null", "Key", "Default", "Extra"]);
        for row in self.description(session, &database, &name).await? {
            let [field, type_name, null, key, default, extra, _comment] = row;
            listing.push(vec![field, type_name, null, key, default, extra]);
        }
        Ok(Answer::FrontEndRows(listing.into_rows()?))
    }

    /// Name, type, nullable, key, default, extra and comment of every column of a relation.
    async fn description(&self, session: &Session, database: &str, name: &str) -> Result<Vec<[Option<String>; 7]>, SqlError> {
        let yes_no = |yes: bool| Some(if yes { "Yes" } else { "No" }.to_string());
        if is_built_in(database) {
            let table = self.information_table(database, name)?;
            let row = |field: &arrow_schema::FieldRef| {
                let declared = field.metadata().get(crate::types::NAME_KEY).unwrap_or(field.name()).clone();
                let type_name = crate::types::DorisType::of_field(field).sql_name();
                [Some(declared), Some(type_name), yes_no(true), Some("false".into()), None, Some(String::new()), Some(String::new())]
            };
            return Ok(table.schema().fields().iter().map(row).collect());
        }
        match self.catalog().relation(database, name)? {
            Relation::Table(table) => {
                let schema = Arc::clone(&table.snapshot().schema);
                Ok(schema
                    .columns
                    .iter()
                    .map(|column| {
                        let extra = match (column.key, column.aggregation, schema.keys_type) {
                            (true, _, _) => String::new(),
                            (_, Some(aggregation), _) => aggregation.sql_name().into(),
                            (_, None, KeysType::Duplicate | KeysType::Unique) => "NONE".into(),
                            _ => String::new(),
                        };
                        let extra = if column.auto_increment { "AUTO_INCREMENT".into() } else { extra };
                        [
                            Some(column.name.clone()),
                            Some(column.doris_type.sql_name()),
                            yes_no(column.nullable),
                            Some(column.key.to_string()),
                            column.default.as_ref().and_then(|d| d.shown()),
                            Some(extra),
                            Some(column.comment.clone()),
                        ]
                    })
                    .collect())
            }
            Relation::View(view) => {
                let columns = self.view_columns(session, &view).await?;
                Ok(columns
                    .into_iter()
                    .map(|column| {
                        [
                            Some(column.name),
                            Some(column.doris_type.sql_name()),
                            yes_no(column.nullable),
                            Some("false".into()),
                            None,
                            Some(String::new()),
                            Some(String::new()),
                        ]
                    })
                    .collect())
            }
        }
    }

    pub(crate) async fn explain(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        while ["VERBOSE", "GRAPH", "PLAN", "LOGICAL", "PHYSICAL", "ALL", "ANALYZED", "OPTIMIZED"].iter().any(|w| cursor.eat(w)) {}
        let sql = statement.raw(cursor.at, statement.tokens.len() - 1);
        let parsed = statements(sql)?;
        let [query] = parsed.as_slice() else { return Err(cursor.unexpected("a query")) };
        let planned = Box::pin(self.plan(session, query)).await?;
        let optimised =
            planned.state().optimize(&planned.plan).map_err(|e| super::query::plan_error(&e))?;
        let mut listing = Listing::of_texts(&["Explain String(Nereids Planner)"]);
        for line in optimised.display_indent().to_string().lines() {
            listing.add([line.to_string()]);
        }
        Ok(Answer::FrontEndRows(listing.into_rows()?))
    }

    /// A moment as `SHOW` prints it, in the server's zone.
    pub(crate) fn shown_time(&self, micros: i64) -> String {
        let zone: crate::zone::Zone = self.time_zone().parse().unwrap_or(crate::zone::Zone::UTC);
        let mut out = String::new();
        let wall = micros + zone.offset_at_instant(micros.div_euclid(1_000_000)) * 1_000_000;
        write_datetime(&mut out, wall, 0);
        out
    }
}

fn shown_port(port: u16) -> String {
    if port == 0 { "-1".into() } else { port.to_string() }
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
