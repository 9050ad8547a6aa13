//! `ALTER TABLE`: columns, properties, partitions, names.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::sql::sqlparser::tokenizer::Token;

use super::create_table::{check_column, read_column, read_properties};
use super::cursor::Cursor;
use super::ddl::done;
use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine, Session};
use crate::store::changelog::properties;
use crate::store::defaults::{default_column, zero_default};
use crate::store::info::KeysType;
use crate::store::schema::{Column, Distribution, TableSchema};
use crate::store::tablet::commit::{Changed, Writer, change_tablets};
use crate::store::tablet::{StoredBatch, Table, TableVersion};

/// One clause at work: the table's version grows clause by clause and is published at the end.
pub(super) struct Alter<'e> {
    pub(super) engine: &'e Engine,
    session: &'e Session,
    pub(super) version: TableVersion,
}

impl Engine {
    pub(crate) async fn alter(&self, session: &Session, cursor: &mut Cursor<'_>) -> Result<Answer, SqlError> {
        cursor.expect("TABLE")?;
        let (database, name) = cursor.table_name()?;
        let database = self.database_of(session, database)?;
        let table = self.catalog().table(&database, &name)?;
        let mut writer = Arc::clone(&table.writer).lock_owned().await;
        if self.alter_name(&database, &name, cursor)? {
            return Ok(done());
        }
        let version = (*table.snapshot()).clone();
        let mut alter = Alter {
            engine: self,
            session,
            version,
        };
        loop {
            alter.clause(cursor)?;
            if !cursor.eat_token(&Token::Comma) {
                break;
            }
        }
        cursor.expect_end()?;
        publish(&table, &mut writer, alter.version);
        Ok(done())
    }

    /// Clauses that change which table bears a name.
    fn alter_name(&self, database: &str, name: &str, cursor: &mut Cursor<'_>) -> Result<bool, SqlError> {
        if cursor.eat_all(&["REPLACE", "WITH", "TABLE"]) {
            let with = cursor.ident()?;
            let mut swap = true;
            if cursor.eat("PROPERTIES") {
                swap = read_properties(cursor)?
                    .get("swap")
                    .is_none_or(|v| v.eq_ignore_ascii_case("true"));
            }
            cursor.eat("FORCE");
            cursor.expect_end()?;
            self.catalog().table(database, &with)?;
            self.catalog().replace(database, name, &with, swap)?;
            return Ok(true);
        }
        if cursor.eat("RENAME") {
            let to = cursor.ident()?;
            cursor.expect_end()?;
            self.catalog().rename(database, name, &to)?;
            return Ok(true);
        }
        Ok(false)
    }
}

fn publish(table: &Table, writer: &mut Writer, version: TableVersion) {
    writer.forget();
    table.publish(version);
}

impl Alter<'_> {
    fn clause(&mut self, cursor: &mut Cursor<'_>) -> Result<(), SqlError> {
        if cursor.eat_all(&["ADD", "TEMPORARY", "PARTITION"]) {
            return self.add_partition(cursor, true);
        }
        if cursor.eat_all(&["ADD", "PARTITION"]) {
            return self.add_partition(cursor, false);
        }
        if cursor.eat_all(&["DROP", "TEMPORARY", "PARTITION"]) {
            return self.drop_partition(cursor, true);
        }
        if cursor.eat_all(&["DROP", "PARTITION"]) {
            return self.drop_partition(cursor, false);
        }
        if cursor.eat_all(&["REPLACE", "PARTITION"]) {
            return self.replace_partition(cursor);
        }
        if cursor.eat("ADD") {
            cursor.eat("COLUMN");
            return self.add_columns(cursor);
        }
        if cursor.eat("DROP") {
            cursor.eat("COLUMN");
            let name = cursor.ident()?;
            return self.drop_column(&name);
        }
        if cursor.eat("SET") {
            let given = read_properties(cursor)?;
            let switches = Arc::clone(self.engine.switches());
            return self.change_schema(|schema| properties::alter(schema, given, &switches));
        }
        Err(cursor.unexpected("a clause of ALTER TABLE"))
    }

    fn change_schema(
        &mut self,
        change: impl FnOnce(&mut TableSchema) -> Result<(), SqlError>,
    ) -> Result<(), SqlError> {
        let mut schema = (*self.version.schema).clone();
        change(&mut schema)?;
        self.version.schema = Arc::new(schema);
        Ok(())
    }

    /// Rewrites the columns of every stored batch; rows keep their places.
    fn map_batches(
        &mut self,
        map: impl Fn(&RecordBatch) -> Result<Vec<ArrayRef>, SqlError>,
    ) -> Result<(), SqlError> {
        let stored = self.version.schema.stored_schema();
        let schema = Arc::clone(&self.version.schema);
        self.version = change_tablets(&self.version, self.engine.catalog().moment(), |_, tablet| {
            let batches = tablet.batches.iter().map(|batch| {
                let options = RecordBatchOptions::new().with_row_count(Some(batch.data.num_rows()));
                let data = RecordBatch::try_new_with_options(stored.clone(), map(&batch.data)?, &options)
                    .map_err(SqlError::plain)?;
                Ok(StoredBatch::new(data, batch.live.clone()))
            });
            Ok(Some(Changed {
                batches: batches.collect::<Result<Vec<_>, SqlError>>()?,
                changes: Some(tablet.changes.mapped(&stored, &map)?),
            }))
        })?;
        self.version.schema = schema;
        Ok(())
    }

    fn add_columns(&mut self, cursor: &mut Cursor<'_>) -> Result<(), SqlError> {
        if cursor.eat_token(&Token::LParen) {
            loop {
                let column = read_column(cursor)?;
                self.add_column(column, None)?;
                if !cursor.eat_token(&Token::Comma) {
                    break;
                }
            }
            return cursor.expect_token(&Token::RParen);
        }
        let column = read_column(cursor)?;
        let place = self.read_place(cursor)?;
        self.add_column(column, place)
    }

    /// `FIRST` or `AFTER column` as an index.
    fn read_place(&self, cursor: &mut Cursor<'_>) -> Result<Option<usize>, SqlError> {
        if cursor.eat("FIRST") {
            return Ok(Some(0));
        }
        if cursor.eat("AFTER") {
            let name = cursor.ident()?;
            return Ok(Some(self.index_of(&name)? + 1));
        }
        Ok(None)
    }

    fn add_column(&mut self, column: Column, place: Option<usize>) -> Result<(), SqlError> {
        let schema = &self.version.schema;
        if schema.index_of(&column.name).is_some() {
            return Err(SqlError::plain(format!(
                "Can not add column which already exists in base table: {}",
                column.name
            )));
        }
        check_column(schema.keys_type, &column)?;
        self.engine.check_storable(&column)?;
        if schema.changelog().is_some() {
            let names = self.engine.switches().changelog_names;
            properties::check_column(&column, names)?;
            if column.key {
                return Err(properties::not_allowed(names));
            }
        }
        let keys = schema.key_indexes().len();
        let end = if column.key { keys } else { schema.columns.len() };
        let place = place.unwrap_or(end);
        if (column.key && place > keys) || (!column.key && place < keys) {
            return Err(SqlError::plain(
                "Key columns should be a ordered prefix of the schema.",
            ));
        }
        let zone = self.engine.zone(self.session);
        let now = self.engine.catalog().clock.now_micros();
        let mut filled = column.clone();
        if !filled.nullable && filled.default.is_none() {
            // Rows that are there get the type's zero, as Doris does.
            filled.default = Some(zero_default(&filled.doris_type));
        }
        self.change_schema(|schema| {
            schema.columns.insert(place, column);
            Ok(())
        })?;
        self.map_batches(|batch| {
            let mut columns = batch.columns().to_vec();
            columns.insert(place, default_column(&filled, batch.num_rows(), now, &zone)?);
            Ok(columns)
        })
    }

    fn drop_column(&mut self, name: &str) -> Result<(), SqlError> {
        let index = self.index_of(name)?;
        let schema = &self.version.schema;
        if schema.columns[index].key && schema.changelog().is_some() {
            return Err(properties::not_allowed(self.engine.switches().changelog_names));
        }
        let lower = name.to_lowercase();
        let distributes = matches!(&schema.distribution, Distribution::Hash(names) if names.contains(&lower));
        if schema.columns[index].key && schema.keys_type != KeysType::Duplicate {
            return Err(SqlError::plain(format!(
                "Can not drop key column {name} in {} data model table",
                keys_word(schema.keys_type)
            )));
        }
        if distributes || schema.partition_columns.contains(&lower) {
            return Err(SqlError::plain(format!(
                "Partition or distribution column[{name}] cannot be dropped"
            )));
        }
        if schema.columns.len() == 1 {
            return Err(SqlError::plain("The last column of a table cannot be dropped"));
        }
        self.change_schema(|schema| {
            schema.columns.remove(index);
            Ok(())
        })?;
        self.map_batches(|batch| {
            let mut columns = batch.columns().to_vec();
            columns.remove(index);
            Ok(columns)
        })
    }

    fn index_of(&self, name: &str) -> Result<usize, SqlError> {
        let schema = &self.version.schema;
        schema
            .index_of(name)
            .ok_or_else(|| SqlError::plain(format!("Column does not exists: {name}")))
    }
}

fn keys_word(keys_type: KeysType) -> &'static str {
    match keys_type {
        KeysType::Duplicate => "duplicate",
        KeysType::Unique => "unique",
        KeysType::Aggregate => "aggregate",
    }
}
