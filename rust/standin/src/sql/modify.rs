//! `DELETE` and `UPDATE`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use datafusion::catalog::TableProvider;
use datafusion::sql::sqlparser::tokenizer::Token;
use futures::StreamExt;

use super::cursor::Cursor;
use super::lexer::{Statement, statements};
use super::provider::{LOCATION, SnapshotTable, read_location};
use super::relation::{Place, read_target};
use crate::error::SqlError;
use crate::profile::changelog::PredicateDelete;
use crate::sql::engine::{Answer, Engine, Session};
use crate::store::changelog::properties::worded;
use crate::store::info::KeysType;
use crate::store::tablet::Table;
use crate::store::tablet::commit::{Told, append, delete};
use crate::store::tablet::route::{Router, WriteSet};
use crate::values::cast_array;

impl Engine {
    pub(crate) async fn delete(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        cursor.expect("FROM")?;
        let place = read_target(cursor)?;
        let alias = read_alias(cursor, "WHERE")?.unwrap_or_else(|| place.table.clone());
        if !cursor.is("WHERE") {
            return Err(cursor.unexpected("WHERE"));
        }
        let predicate = statement.raw(cursor.at, statement.tokens.len() - 1);
        let database = self.database_of(session, place.database.clone())?;
        let table = self.catalog().table(&database, &place.table)?;
        self.check_delete(&table)?;
        let txn = self.begin_statement(&database, &place.table, &table, None)?;
        let turn = self.turn(&txn, &table).await;
        let mut writer = Arc::clone(&table.writer).lock_owned().await;
        let version = table.snapshot();
        let sql = format!("SELECT `{LOCATION}` FROM `__target` AS `{alias}` {predicate}");
        let rows = self.locations(session, &table, place, &sql).await?;
        let affected: usize = rows.values().map(Vec::len).sum();
        if affected > 0 {
            let moment = self.catalog().moment_of(turn.stamp);
            let next = delete(&version, &mut writer, &rows, moment)?;
            table.publish(next);
        }
        self.done_statement(txn, affected as u64)
    }

    /// A predicate records no row: refused where rows have to be recorded.
    fn check_delete(&self, table: &Table) -> Result<(), SqlError> {
        let schema = &table.snapshot().schema;
        let refused = schema.keys_type == KeysType::Duplicate
            && schema.changelog().is_some()
            && self.switches().change.records.predicate_delete == PredicateDelete::Refused;
        match refused {
            true => Err(worded(
                self.switches().changelog_names,
                "DELETE with predicates is not supported when binlog<row> is enabled",
            )),
            false => Ok(()),
        }
    }

    /// Places of the rows that a query over `__target` gives. The caller holds the writer.
    async fn locations(
        &self,
        session: &Session,
        table: &Arc<Table>,
        place: Place,
        sql: &str,
    ) -> Result<HashMap<i64, Vec<(usize, usize)>>, SqlError> {
        let version = table.snapshot();
        place.check_tablets(&version)?;
        let provider: Arc<dyn TableProvider> = SnapshotTable::new(version, place, true)?;
        let parsed = statements(sql)?;
        let own = HashMap::from([("__target".to_string(), provider)]);
        let mut stream = self
            .plan_with(session, &parsed[0], own, 0)
            .await?
            .stream()
            .await?;
        let mut rows: HashMap<i64, Vec<(usize, usize)>> = HashMap::new();
        while let Some(batch) = stream.batches.next().await {
            let batch = batch?;
            for location in batch.column(0).as_primitive::<Int64Type>().values() {
                let (tablet, batch, row) = read_location(*location);
                rows.entry(tablet).or_default().push((batch, row));
            }
        }
        Ok(rows)
    }

    pub(crate) async fn update(
        &self,
        session: &Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        let place = read_target(cursor)?;
        let alias = read_alias(cursor, "SET")?.unwrap_or_else(|| place.table.clone());
        cursor.expect("SET")?;
        let database = self.database_of(session, place.database.clone())?;
        let table = self.catalog().table(&database, &place.table)?;
        let txn = self.begin_statement(&database, &place.table, &table, None)?;
        let turn = self.turn(&txn, &table).await;
        let mut writer = Arc::clone(&table.writer).lock_owned().await;
        let version = table.snapshot();
        if version.schema.keys_type != KeysType::Unique {
            return Err(SqlError::plain("Only unique table could be updated."));
        }
        let assignments = read_assignments(statement, cursor)?;
        for (name, _) in &assignments {
            let index = version
                .schema
                .index_of(name)
                .ok_or_else(|| SqlError::plain(format!("Unknown column '{name}' in target table.")))?;
            if version.schema.columns[index].key {
                return Err(SqlError::plain(
                    "Only value columns of unique table could be updated",
                ));
            }
        }
        let tail = match cursor.done() {
            true => "",
            false => statement.raw(cursor.at, statement.tokens.len() - 1),
        };
        let items: Vec<String> = version
            .schema
            .columns
            .iter()
            .enumerate()
            .map(|(n, column)| {
                let assigned = assignments
                    .iter()
                    .find(|(name, _)| name.eq_ignore_ascii_case(&column.name));
                let column_name = column.name.replace('`', "``");
                let value = assigned.map_or_else(|| format!("`{column_name}`"), |(_, text)| text.clone());
                format!("{value} AS `__c{n}`")
            })
            .collect();
        let sql = format!(
            "SELECT {} FROM `__target` AS `{}` {tail}",
            items.join(", "),
            alias.replace('`', "``")
        );
        let parsed = statements(&sql)?;
        place.check_tablets(&version)?;
        let provider: Arc<dyn TableProvider> = SnapshotTable::new(Arc::clone(&version), place, false)?;
        let own = HashMap::from([("__target".to_string(), provider)]);
        let mut stream = self
            .plan_with(session, &parsed[0], own, 0)
            .await?
            .stream()
            .await?;
        let zone = self.zone(session);
        let stored = version.schema.stored_schema();
        let mut rows = WriteSet::new(stored.clone());
        let mut router = Router::of_version(&version)?;
        while let Some(batch) = stream.batches.next().await {
            let batch = batch?;
            let columns = version
                .schema
                .columns
                .iter()
                .zip(batch.columns().iter().zip(&stream.columns))
                .map(|(column, (array, from))| {
                    let cast = cast_array(&from.doris_type, &column.doris_type, array, &zone, true).map_err(
                        |e| SqlError::plain(format!("column_name[{}], {}", column.name, e.message)),
                    )?;
                    if !column.nullable && cast.null_count() > 0 {
                        return Err(SqlError::plain(format!(
                            "column_name[{}], null value for not null column, type={}",
                            column.name,
                            column.doris_type.sql_name().to_uppercase()
                        )));
                    }
                    Ok(cast)
                })
                .collect::<Result<Vec<_>, _>>()?;
            let batch =
                arrow_array::RecordBatch::try_new(stored.clone(), columns).map_err(SqlError::plain)?;
            router.route(batch, &mut rows)?;
        }
        let affected = rows.rows();
        // A statement that sets every column does not need the row before.
        let values = version.schema.columns.iter().filter(|column| !column.key);
        let told = match assignments.len() < values.count() {
            true => Told::Updates,
            false => Told::Rows,
        };
        if affected > 0 {
            let moment = self.catalog().moment_of(turn.stamp);
            let next = append(&version, &mut writer, rows.finish()?, told, moment)?;
            table.publish(next);
        }
        self.done_statement(txn, affected as u64)
    }
}

fn read_alias(cursor: &mut Cursor<'_>, before: &str) -> Result<Option<String>, SqlError> {
    if cursor.eat("AS") {
        return cursor.ident().map(Some);
    }
    if matches!(cursor.peek(), Some(Token::Word(_))) && !cursor.is(before) && !cursor.is("USING") {
        return cursor.ident().map(Some);
    }
    Ok(None)
}

/// `column = expression, …` up to `WHERE` or the end: names and texts.
fn read_assignments(
    statement: &Statement,
    cursor: &mut Cursor<'_>,
) -> Result<Vec<(String, String)>, SqlError> {
    let mut out = Vec::new();
    loop {
        let name = cursor.path()?.pop().unwrap_or_default();
        cursor.expect_token(&Token::Eq)?;
        let start = cursor.at;
        let mut depth = 0;
        while let Some(token) = cursor.peek() {
            match token {
                Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
                Token::RParen | Token::RBracket | Token::RBrace => depth -= 1,
                Token::Comma if depth == 0 => break,
                _ if depth == 0 && cursor.is("WHERE") => break,
                _ => {}
            }
            cursor.take();
        }
        if cursor.at == start {
            return Err(cursor.unexpected("an expression"));
        }
        out.push((name, statement.raw(start, cursor.at - 1).to_string()));
        if !cursor.eat_token(&Token::Comma) {
            return Ok(out);
        }
    }
}
