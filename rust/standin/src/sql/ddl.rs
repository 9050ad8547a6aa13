//! Definitions carried out: databases, tables, views.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::sql::sqlparser::tokenizer::Token;

use super::create_table::read_create_table;
use super::cursor::Cursor;
use super::lexer::Statement;
use crate::error::SqlError;
use crate::profile::changelog::LsnScope;
use crate::sql::engine::{Answer, Engine, Session};
use crate::store::catalog::{Relation, View};
use crate::store::changelog;
use crate::store::changelog::lsn::Lsns;
use crate::store::schema::{Column, TableSchema};
use crate::store::tablet::commit::change_tablets;
use crate::store::tablet::{Partition, StoredBatch, Table, TableVersion};
use crate::values::types::DorisType;

/// The answer of a statement that has no rows.
pub(crate) fn done() -> Answer {
    Answer::Done {
        affected: 0,
        info: String::new(),
    }
}

impl Engine {
    pub(crate) async fn create(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        if cursor.eat("DATABASE") || cursor.eat("SCHEMA") {
            return self.create_database(cursor);
        }
        if cursor.eat("USER") {
            return self.create_user(cursor);
        }
        if cursor.eat("VIEW") {
            return self.create_view(session, statement, cursor).await;
        }
        cursor.eat("EXTERNAL");
        cursor.eat("TEMPORARY");
        if cursor.eat("TABLE") {
            return self.create_table(session, cursor);
        }
        Err(cursor.unexpected("DATABASE, TABLE or VIEW"))
    }

    fn create_database(&self, cursor: &mut Cursor<'_>) -> Result<Answer, SqlError> {
        let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
        let name = cursor.path()?.pop().unwrap_or_default();
        cursor.expect_end()?;
        check_name(&name)?;
        if !self.catalog().create_database(&name) && !if_not_exists {
            return Err(SqlError::plain(format!(
                "Can't create database '{name}'; database exists"
            )));
        }
        Ok(done())
    }

    fn create_table(&self, session: &Session, cursor: &mut Cursor<'_>) -> Result<Answer, SqlError> {
        let mut ahead = cursor.clone();
        let if_not_exists = ahead.eat_all(&["IF", "NOT", "EXISTS"]);
        let name = ahead.table_name()?;
        if ahead.eat("LIKE") {
            return self.create_like(session, name, if_not_exists, &mut ahead);
        }
        let mut create = read_create_table(cursor)?;
        let database = self.database_of(session, create.database)?;
        check_name(&create.name)?;
        if let Ok(_existing) = self.catalog().relation(&database, &create.name) {
            return if create.if_not_exists {
                Ok(done())
            } else {
                Err(table_exists(&create.name))
            };
        }
        self.check_replication(&create.schema.properties)?;
        create
            .schema
            .columns
            .iter()
            .try_for_each(|column| self.check_storable(column))?;
        changelog::properties::declare(&mut create.schema, self.switches())?;
        let partitions = self.first_partitions(&create.name, &create.schema, create.partitions)?;
        let schema = Arc::new(create.schema);
        self.add_table(&database, &create.name, create.if_not_exists, schema, partitions)
    }

    /// `CREATE TABLE … LIKE …`: the other table's declaration and partitions, without its rows.
    fn create_like(
        &self,
        session: &Session,
        (database, name): (Option<String>, String),
        if_not_exists: bool,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        let (of_database, of) = cursor.table_name()?;
        // There are no rollups to take along.
        if cursor.eat_all(&["WITH", "ROLLUP"]) && cursor.eat_token(&Token::LParen) {
            return Err(SqlError::plain(
                "Rollup index does not exist in the table to be copied",
            ));
        }
        cursor.expect_end()?;
        let database = self.database_of(session, database)?;
        let of_database = self.database_of(session, of_database)?;
        check_name(&name)?;
        let version = self.catalog().table(&of_database, &of)?.snapshot();
        let partitions = version.visible_partitions().map(|partition| {
            // An unpartitioned table has one partition that bears its name.
            let own = match version.schema.partition_columns.is_empty() {
                true => &name,
                false => &partition.name,
            };
            self.new_partition(own, partition.bound.clone(), partition.tablets.len(), false)
        });
        self.add_table(
            &database,
            &name,
            if_not_exists,
            Arc::clone(&version.schema),
            partitions.collect(),
        )
    }

    /// Makes a table that was checked.
    fn add_table(
        &self,
        database: &str,
        name: &str,
        if_not_exists: bool,
        schema: Arc<TableSchema>,
        partitions: Vec<Arc<Partition>>,
    ) -> Result<Answer, SqlError> {
        let moment = self.catalog().moment();
        let version = TableVersion {
            schema,
            partitions,
            version: 1,
            stamp: moment.stamp,
        };
        let table = Table::new(self.catalog().next_id(), moment.micros, version);
        // Nobody else knows the table yet.
        if let Ok(mut writer) = table.writer.try_lock() {
            writer.lsns = Lsns::new(self.switches().change.lsn_scope == LsnScope::Backend);
            writer.forms = self.switches().change.records;
        }
        let made = self.catalog().create(database, name, Relation::Table(table))?;
        if made || if_not_exists {
            Ok(done())
        } else {
            Err(table_exists(name))
        }
    }

    /// TIME is a type of expressions.
    pub(super) fn check_storable(&self, column: &Column) -> Result<(), SqlError> {
        if !self.switches().time_columns && matches!(column.doris_type, DorisType::Time(_)) {
            return Err(SqlError::plain("Time type is not supported for olap table"));
        }
        Ok(())
    }

    /// As Doris does, refuses more replicas than there are back ends.
    fn check_replication(&self, properties: &BTreeMap<String, String>) -> Result<(), SqlError> {
        let Some(text) = properties.get("replication_num") else {
            return Ok(());
        };
        let backends = self.cluster().backends().len().max(1);
        match text.trim().parse::<usize>() {
            Ok(0) | Err(_) => Err(SqlError::plain(format!("Invalid replication_num: {text}"))),
            Ok(replicas) if replicas > backends => Err(SqlError::plain(format!(
                "replication num should be less than the number of available backends. replication num is {replicas}, available backend num is {backends}"
            ))),
            Ok(_) => Ok(()),
        }
    }

    async fn create_view(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
        let (database, name) = cursor.table_name()?;
        let database = self.database_of(session, database)?;
        check_name(&name)?;
        cursor.expect("AS")?;
        let query = statement.raw(cursor.at, statement.tokens.len() - 1).to_string();
        let view = View {
            query,
            database: session.database.clone().unwrap_or_else(|| database.clone()),
        };
        // A view that cannot be read is refused now, not when it is used.
        self.view_columns(session, &view).await?;
        if self.catalog().relation(&database, &name).is_ok() {
            return match if_not_exists {
                true => Ok(done()),
                false => Err(table_exists(&name)),
            };
        }
        self.catalog()
            .create(&database, &name, Relation::View(Arc::new(view)))?;
        Ok(done())
    }

    pub(crate) fn drop(&self, session: &mut Session, cursor: &mut Cursor<'_>) -> Result<Answer, SqlError> {
        if cursor.eat("USER") {
            return self.drop_user(cursor);
        }
        if cursor.eat("DATABASE") || cursor.eat("SCHEMA") {
            let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
            let name = cursor.path()?.pop().unwrap_or_default();
            cursor.eat("FORCE");
            cursor.expect_end()?;
            if !self.catalog().drop_database(&name)? && !if_exists {
                return Err(SqlError::plain(format!(
                    "Can't drop database '{name}'; database doesn't exist"
                )));
            }
            if session.database.as_deref() == Some(name.as_str()) {
                session.database = None;
            }
            return Ok(done());
        }
        let view = cursor.eat("VIEW");
        if !view {
            cursor.eat("TEMPORARY");
            cursor.expect("TABLE")?;
        }
        let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
        let (database, name) = cursor.table_name()?;
        cursor.eat("FORCE");
        cursor.expect_end()?;
        let database = self.database_of(session, database)?;
        match self.catalog().relation(&database, &name) {
            Ok(Relation::Table(_)) if view => {
                return Err(SqlError::plain(format!("{database}.{name} is not a VIEW")));
            }
            Ok(Relation::View(_)) if !view => {
                return Err(SqlError::plain(format!(
                    "{database}.{name} is not a TABLE. Use 'DROP VIEW {database}.{name}'"
                )));
            }
            Ok(_) => {
                self.catalog().remove(&database, &name)?;
            }
            Err(_) if if_exists => {}
            Err(_) => {
                return Err(SqlError::plain(format!("Unknown table '{name}' in {database}")));
            }
        }
        Ok(done())
    }

    pub(crate) async fn truncate(
        &self,
        session: &Session,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        cursor.expect("TABLE")?;
        let (database, name) = cursor.table_name()?;
        let mut names = Vec::new();
        if cursor.eat("PARTITION") || cursor.eat("PARTITIONS") {
            names = cursor.ident_list()?;
        }
        cursor.eat("FORCE");
        cursor.expect_end()?;
        let database = self.database_of(session, database)?;
        let table = self.catalog().table(&database, &name)?;
        let mut writer = Arc::clone(&table.writer).lock_owned().await;
        let version = table.snapshot();
        let mut emptied = std::collections::HashSet::new();
        for name in &names {
            let partition = version
                .partition(name, false)
                .ok_or_else(|| SqlError::plain(format!("Partition {name} does not exist")))?;
            emptied.extend(partition.tablets.iter().map(|t| t.id));
        }
        let next = change_tablets(&version, self.catalog().moment(), |_, tablet| {
            let empty = names.is_empty() || emptied.contains(&tablet.id);
            Ok(empty.then(Vec::<Arc<StoredBatch>>::new))
        })?;
        writer.forget();
        table.publish(next);
        Ok(done())
    }
}

pub(crate) fn table_exists(name: &str) -> SqlError {
    SqlError::plain(format!("Table '{name}' already exists"))
}

/// Doris' rule for names: a letter or underscore first, at most 64 bytes more.
fn check_name(name: &str) -> Result<(), SqlError> {
    let good = !name.is_empty()
        && name.len() <= 256
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | ' ' | '.'));
    if good {
        Ok(())
    } else {
        Err(SqlError::plain(format!("Incorrect name '{name}'")))
    }
}
