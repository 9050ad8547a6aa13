//! `INSERT`: literal rows are read without a planner, everything else runs as a query.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_select::concat::concat;
use arrow_select::take::take;
use datafusion::sql::sqlparser::tokenizer::Token;
use futures::StreamExt;

use super::create_table::read_literal;
use super::cursor::Cursor;
use super::explicit::{Explicit, Held, State, told};
use super::lexer::Statement;
use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine, Session};
use crate::store::defaults::default_column;
use crate::store::load::{Load, filtered_in_strict_mode};
use crate::store::schema::Column;
use crate::store::tablet::Table;
use crate::values::types::DorisType;
use crate::values::zone::Zone;
use crate::values::{Cell, build_array, cast_array, read_cell, read_escaped_cell};

/// Expression cells evaluated by one query.
const EXPRESSIONS_PER_QUERY: usize = 200;

/// The part of an `INSERT` before its rows.
struct Target {
    database: String,
    table: String,
    partitions: Vec<String>,
    temporary: bool,
    label: Option<String>,
    columns: Option<Vec<String>>,
    overwrite: bool,
}

/// A value among `VALUES`.
enum Source<'a> {
    Cell(Cell<'a>),
    Default,
    /// Tokens of an expression.
    Expression(std::ops::Range<usize>),
}

impl Engine {
    pub(crate) async fn insert<'a>(
        &self,
        session: &Session,
        statement: &'a Statement,
        cursor: &mut Cursor<'a>,
    ) -> Result<Answer, SqlError> {
        let target = self.read_target(session, cursor)?;
        let table = self.catalog().table(&target.database, &target.table)?;
        let strict = session.flag("enable_insert_strict", true);
        if let Some(open) = &session.transaction {
            return self
                .insert_within(open, session, statement, cursor, &target, table, strict)
                .await;
        }
        let txn = self.begin_statement(&target.database, &target.table, &table, target.label.as_deref())?;
        let result = async {
            let mut load = Load::begin(Arc::clone(&table), &target.partitions, target.temporary, strict)?;
            self.fill(
                session,
                statement,
                cursor,
                &mut load,
                target.columns.as_deref(),
                strict,
            )
            .await?;
            if target.overwrite {
                load.overwrite();
            }
            Ok::<_, SqlError>(load)
        };
        match result.await {
            Ok(load) => self.commit_statement(txn, &table, load).await,
            Err(error) => {
                txn.abort(&error.message);
                Err(error)
            }
        }
    }

    /// An insert whose rows wait until the transaction of its client ends.
    #[allow(clippy::too_many_arguments, reason = "the parts of one statement")]
    async fn insert_within<'a>(
        &self,
        open: &Explicit,
        session: &Session,
        statement: &'a Statement,
        cursor: &mut Cursor<'a>,
        target: &Target,
        table: Arc<Table>,
        strict: bool,
    ) -> Result<Answer, SqlError> {
        if target.overwrite || target.label.is_some() || !target.partitions.is_empty() {
            return Err(SqlError::plain(
                "within a transaction only a plain INSERT INTO is acceptable: no OVERWRITE, no label, no partitions",
            ));
        }
        let mut held = match open.take() {
            State::Empty => {
                // What cannot begin leaves the transaction as it was.
                let begun = self
                    .begin_statement(&target.database, &target.table, &table, Some(open.label()))
                    .and_then(|txn| Ok((txn, Load::begin(Arc::clone(&table), &[], false, strict)?)))
                    .inspect_err(|_| open.put(State::Empty));
                let (txn, load) = begun?;
                Box::new(Held { txn, table, load })
            }
            State::Holds(held) if held.table.id != table.id => {
                open.put(State::Holds(held));
                return Err(SqlError::plain(
                    "Only one table can be inserted in one transaction.",
                ));
            }
            State::Holds(held) => held,
            State::Failed(reason) => {
                open.put(State::Failed(reason.clone()));
                return Err(SqlError::plain(format!("the transaction was aborted: {reason}")));
            }
        };
        let before = held.load.loaded().rows;
        let columns = target.columns.as_deref();
        let filled = self.fill(session, statement, cursor, &mut held.load, columns, strict);
        if let Err(error) = filled.await {
            held.txn.abort(&error.message);
            open.put(State::Failed(error.message.clone()));
            return Err(error);
        }
        let affected = (held.load.loaded().rows - before) as u64;
        let info = told(open.label(), "PREPARE", &held.txn.id().to_string());
        open.put(State::Holds(held));
        Ok(Answer::Done { affected, info })
    }

    /// Adds the rows that stand behind the target of an insert.
    async fn fill<'a>(
        &self,
        session: &Session,
        statement: &'a Statement,
        cursor: &mut Cursor<'a>,
        load: &mut Load,
        columns: Option<&[String]>,
        strict: bool,
    ) -> Result<(), SqlError> {
        let places = places(load.schema(), columns)?;
        if cursor.eat("VALUES") || cursor.eat("VALUE") {
            return self
                .add_values(session, statement, cursor, load, &places, strict)
                .await;
        }
        self.add_query(session, statement, cursor.at, load, &places, strict)
            .await
    }

    fn read_target(&self, session: &Session, cursor: &mut Cursor<'_>) -> Result<Target, SqlError> {
        let overwrite = cursor.eat("OVERWRITE");
        if !overwrite {
            cursor.expect("INTO")?;
        }
        cursor.eat("TABLE");
        let (database, table) = cursor.table_name()?;
        let database = self.database_of(session, database)?;
        let mut target = Target {
            database,
            table,
            partitions: Vec::new(),
            temporary: false,
            label: None,
            columns: None,
            overwrite,
        };
        loop {
            if cursor.is("TEMPORARY") {
                cursor.take();
                target.temporary = true;
            } else if cursor.eat("PARTITION") || cursor.eat("PARTITIONS") {
                target.partitions = cursor.ident_list()?;
            } else if cursor.eat_all(&["WITH", "LABEL"]) {
                target.label = match cursor.eat_string() {
                    Some(label) => Some(label),
                    None => cursor.path()?.pop(),
                };
            } else if cursor.peek() == Some(&Token::LParen)
                && !["SELECT", "WITH"].iter().any(|w| cursor.is_ahead(1, w))
                && cursor.ahead(1) != Some(&Token::LParen)
            {
                target.columns = Some(cursor.ident_list()?);
            } else if cursor.peek() == Some(&Token::LBracket) {
                // `[shuffle]` and the like: hints of old.
                while !matches!(cursor.take(), None | Some(Token::RBracket)) {}
            } else {
                return Ok(target);
            }
        }
    }

    async fn add_values<'a>(
        &self,
        session: &Session,
        statement: &'a Statement,
        cursor: &mut Cursor<'a>,
        load: &mut Load,
        places: &[usize],
        strict: bool,
    ) -> Result<(), SqlError> {
        let schema = Arc::clone(load.schema());
        let types: Vec<&DorisType> = places.iter().map(|p| &schema.columns[*p].doris_type).collect();
        let mut rows: Vec<Vec<Source<'_>>> = Vec::new();
        loop {
            rows.push(read_row(statement, cursor, &types)?);
            if !cursor.eat_token(&Token::Comma) {
                break;
            }
        }
        cursor.expect_end()?;
        let zone = self.zone(session);
        let expressions = self.evaluate(session, statement, &rows).await?;
        let count = rows.len();
        let mut given: Vec<Vec<Source<'_>>> = places.iter().map(|_| Vec::with_capacity(count)).collect();
        for row in rows {
            for (column, source) in row.into_iter().enumerate() {
                given[column].push(source);
            }
        }
        let mut columns: HashMap<usize, ArrayRef> = HashMap::new();
        for (at, sources) in given.into_iter().enumerate() {
            let column = &schema.columns[places[at]];
            let array = self.column_of_sources(column, at, sources, &expressions, &zone, strict)?;
            columns.insert(places[at], array);
        }
        let batch = self.complete(&schema.columns, load, columns, count, &zone)?;
        self.make_partitions(load, &batch).await?;
        load.add(batch)
    }

    /// Values of all expression cells, by the first token of each.
    async fn evaluate(
        &self,
        session: &Session,
        statement: &Statement,
        rows: &[Vec<Source<'_>>],
    ) -> Result<HashMap<usize, (DorisType, ArrayRef)>, SqlError> {
        let ranges: Vec<std::ops::Range<usize>> = rows
            .iter()
            .flatten()
            .filter_map(|source| match source {
                Source::Expression(range) => Some(range.clone()),
                _ => None,
            })
            .collect();
        let mut out = HashMap::new();
        for chunk in ranges.chunks(EXPRESSIONS_PER_QUERY) {
            let list: Vec<&str> = chunk.iter().map(|r| statement.raw(r.start, r.end - 1)).collect();
            let sql = format!("SELECT {}", list.join(", "));
            let answer = self.query_rows(session, &sql).await?;
            let batch = answer.batches.iter().find(|b| b.num_rows() == 1);
            let batch = batch.ok_or_else(|| SqlError::plain("an expression of VALUES gave no value"))?;
            for ((range, column), array) in chunk.iter().zip(&answer.columns).zip(batch.columns()) {
                out.insert(range.start, (column.doris_type.clone(), Arc::clone(array)));
            }
        }
        Ok(out)
    }

    fn column_of_sources(
        &self,
        column: &Column,
        position: usize,
        sources: Vec<Source<'_>>,
        expressions: &HashMap<usize, (DorisType, ArrayRef)>,
        zone: &Zone,
        strict: bool,
    ) -> Result<ArrayRef, SqlError> {
        let mut cells = Vec::with_capacity(sources.len());
        let mut extra: Vec<ArrayRef> = Vec::new();
        let mut order: Vec<u32> = Vec::with_capacity(sources.len());
        let total = sources.len() as u32;
        for (row, source) in sources.into_iter().enumerate() {
            let array = match source {
                Source::Cell(cell) => {
                    cells.push(cell);
                    order.push(row as u32);
                    continue;
                }
                Source::Default => default_column(column, 1, self.catalog().clock.now_micros(), zone)?,
                Source::Expression(range) => {
                    let (from, value) = expressions.get(&range.start).ok_or_else(|| {
                        SqlError::plain(format!("value {position} of VALUES has no result"))
                    })?;
                    cast_array(from, &column.doris_type, value, zone, strict)
                        .map_err(|e| refused(column, &e.message))?
                }
            };
            cells.push(Cell::Null);
            order.push(total + extra.len() as u32);
            extra.push(array);
        }
        let base = match build_array(&column.doris_type, &cells, zone) {
            Ok(array) => array,
            Err(error) if strict => return Err(refused(column, &error.message)),
            Err(_) => {
                let kept: Vec<Cell<'_>> = cells
                    .into_iter()
                    .map(
                        |cell| match build_array(&column.doris_type, std::slice::from_ref(&cell), zone) {
                            Ok(_) => cell,
                            Err(_) => Cell::Null,
                        },
                    )
                    .collect();
                build_array(&column.doris_type, &kept, zone).map_err(|e| refused(column, &e.message))?
            }
        };
        if extra.is_empty() {
            return Ok(base);
        }
        extra.insert(0, base);
        let parts: Vec<&dyn arrow_array::Array> = extra.iter().map(|a| a.as_ref()).collect();
        let joined = concat(&parts).map_err(SqlError::plain)?;
        take(&joined, &UInt32Array::from(order), None).map_err(SqlError::plain)
    }

    async fn add_query(
        &self,
        session: &Session,
        statement: &Statement,
        first: usize,
        load: &mut Load,
        places: &[usize],
        strict: bool,
    ) -> Result<(), SqlError> {
        let sql = statement.raw(first, statement.tokens.len() - 1);
        let mut stream = self.query_stream(session, sql).await?;
        if stream.columns.len() != places.len() {
            return Err(SqlError::plain(format!(
                "insert into cols should be corresponding to the query output, Expected: {}, Actual: {}",
                places.len(),
                stream.columns.len()
            )));
        }
        let zone = self.zone(session);
        let schema = Arc::clone(load.schema());
        while let Some(batch) = stream.batches.next().await {
            let batch = batch?;
            let mut columns = HashMap::new();
            for (at, array) in batch.columns().iter().enumerate() {
                let column = &schema.columns[places[at]];
                let cast = cast_array(
                    &stream.columns[at].doris_type,
                    &column.doris_type,
                    array,
                    &zone,
                    strict,
                )
                .map_err(|e| refused(column, &e.message))?;
                columns.insert(places[at], cast);
            }
            let batch = self.complete(&schema.columns, load, columns, batch.num_rows(), &zone)?;
            self.make_partitions(load, &batch).await?;
            load.add(batch)?;
            // A long insert leaves its thread to others between batches.
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// A batch of all columns: the given ones, defaults for the others.
    fn complete(
        &self,
        all: &[Column],
        load: &Load,
        mut given: HashMap<usize, ArrayRef>,
        rows: usize,
        zone: &Zone,
    ) -> Result<RecordBatch, SqlError> {
        let now = self.catalog().clock.now_micros();
        let columns = all
            .iter()
            .enumerate()
            .map(|(index, column)| match given.remove(&index) {
                Some(array) => Ok(array),
                None if column.auto_increment => {
                    let first = self.catalog().auto_increment(rows);
                    let cells: Vec<Cell<'_>> = (0..rows as i64)
                        .map(|n| Cell::Text(Cow::Owned((first + n).to_string())))
                        .collect();
                    build_array(&column.doris_type, &cells, zone).map_err(|e| refused(column, &e.message))
                }
                None => default_column(column, rows, now, zone),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(load.schema().stored_schema(), columns, &options)
            .map_err(SqlError::plain)
    }
}

/// Indexes of the columns that values are given for.
fn places(
    schema: &crate::store::schema::TableSchema,
    names: Option<&[String]>,
) -> Result<Vec<usize>, SqlError> {
    let Some(names) = names else {
        return Ok((0..schema.columns.len()).collect());
    };
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        let index = schema
            .index_of(name)
            .ok_or_else(|| SqlError::plain(format!("Unknown column '{name}' in target table.")))?;
        if places.contains(&index) {
            return Err(SqlError::plain(format!("Duplicate column '{name}' in insert")));
        }
        places.push(index);
    }
    Ok(places)
}

fn read_row<'a>(
    statement: &'a Statement,
    cursor: &mut Cursor<'a>,
    types: &[&DorisType],
) -> Result<Vec<Source<'a>>, SqlError> {
    cursor.expect_token(&Token::LParen)?;
    let mut row = Vec::with_capacity(types.len());
    loop {
        if row.len() == types.len() {
            return Err(SqlError::plain("Column count doesn't match value count"));
        }
        row.push(read_source(statement, cursor, types[row.len()])?);
        if !cursor.eat_token(&Token::Comma) {
            break;
        }
    }
    cursor.expect_token(&Token::RParen)?;
    if row.len() != types.len() {
        return Err(SqlError::plain("Column count doesn't match value count"));
    }
    Ok(row)
}

fn read_source<'a>(
    statement: &'a Statement,
    cursor: &mut Cursor<'a>,
    doris_type: &DorisType,
) -> Result<Source<'a>, SqlError> {
    let start = cursor.at;
    let ends = |cursor: &Cursor<'_>| matches!(cursor.peek(), None | Some(Token::Comma | Token::RParen));
    let literal: Option<Source<'a>> = match cursor.peek() {
        Some(Token::SingleQuotedString(text) | Token::DoubleQuotedString(text)) => {
            cursor.take();
            ends(cursor)
                .then(|| read_cell(doris_type, text))
                .transpose()
                .map_err(SqlError::plain)?
                .map(Source::Cell)
        }
        Some(Token::HexStringLiteral(hex)) => {
            cursor.take();
            Some(Source::Cell(Cell::Text(Cow::Owned(format!("0x{hex}")))))
        }
        Some(Token::LBracket | Token::LBrace) if doris_type.is_nested() => {
            let end = skip_brackets(cursor)?;
            let cell = if ends(cursor) {
                read_escaped_cell(doris_type, statement.raw(start, end)).ok()
            } else {
                None
            };
            cell.map(Source::Cell)
        }
        Some(Token::Word(word)) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("NULL") => {
            cursor.take();
            Some(Source::Cell(Cell::Null))
        }
        Some(Token::Word(word))
            if word.quote_style.is_none() && word.value.eq_ignore_ascii_case("DEFAULT") =>
        {
            cursor.take();
            Some(Source::Default)
        }
        _ if !doris_type.is_nested() => match read_literal(cursor) {
            Ok(Some(text)) if ends(cursor) && text != "pi" && text != "e" => {
                let text = match text.as_str() {
                    "true" if doris_type.is_text() => "1".into(),
                    "false" if doris_type.is_text() => "0".into(),
                    _ => text,
                };
                Some(Source::Cell(Cell::Text(Cow::Owned(text))))
            }
            _ => None,
        },
        _ => None,
    };
    if let Some(source) = literal.filter(|_| ends(cursor)) {
        return Ok(source);
    }
    cursor.at = start;
    let mut depth = 0_i32;
    while let Some(token) = cursor.peek() {
        match token {
            Token::Comma | Token::RParen if depth == 0 => break,
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth -= 1,
            _ => {}
        }
        cursor.take();
    }
    if cursor.at == start {
        return Err(cursor.unexpected("a value"));
    }
    Ok(Source::Expression(start..cursor.at))
}

/// Passes over balanced brackets and braces; gives the index of the closing one.
fn skip_brackets(cursor: &mut Cursor<'_>) -> Result<usize, SqlError> {
    let mut depth = 0;
    while let Some(token) = cursor.take() {
        match token {
            Token::LBracket | Token::LBrace => depth += 1,
            Token::RBracket | Token::RBrace => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(cursor.at - 1);
        }
    }
    Err(cursor.unexpected("] or }"))
}

fn refused(column: &Column, reason: &str) -> SqlError {
    filtered_in_strict_mode(&format!("column_name[{}], {reason}", column.name))
}
