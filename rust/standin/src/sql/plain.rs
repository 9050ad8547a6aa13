//! Plain scans: columns of one table, in stored order, without a planner and without a copy.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use datafusion::sql::sqlparser::tokenizer::Token;
use futures::StreamExt;

use super::cursor::Cursor;
use super::lexer::Statement;
use super::query::QueryStream;
use super::relation::{Place, read_place};
use crate::error::SqlError;
use crate::sql::engine::{Engine, ResultColumn, Session};
use crate::store::catalog::{Relation, is_built_in};
use crate::store::tablet::TableVersion;

/// Words that may follow a table in a plain scan; others are an alias or make the query less plain.
const CLAUSES: [&str; 22] = [
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "JOIN",
    "LEFT",
    "RIGHT",
    "INNER",
    "CROSS",
    "FULL",
    "NATURAL",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "MINUS",
    "QUALIFY",
    "WINDOW",
    "LATERAL",
    "TABLESAMPLE",
    "FOR",
    "INTO",
    "PREAGGREGATION",
];

/// A column of the select list: its name in the table and in the result; `None` = all columns.
type Item = Option<(String, String)>;

impl Engine {
    /// The stream of a statement that is a plain scan; `None` when it is none.
    pub(crate) fn plain_scan(
        &self,
        session: &Session,
        statement: &Statement,
    ) -> Result<Option<QueryStream>, SqlError> {
        let Some(scan) = read_scan(statement) else {
            return Ok(None);
        };
        let Ok(database) = self.database_of(session, scan.place.database.clone()) else {
            return Ok(None);
        };
        if is_built_in(&database) {
            return Ok(None);
        }
        let Relation::Table(table) = self.catalog().relation(&database, &scan.place.table)? else {
            return Ok(None);
        };
        let version = self.version_at(session, &table);
        let mut indexes = Vec::new();
        let mut columns = Vec::new();
        for item in &scan.items {
            match item {
                None => {
                    for (index, column) in version.schema.columns.iter().enumerate() {
                        indexes.push(index);
                        columns.push(result_column(&version, index, &column.name));
                    }
                }
                Some((name, shown)) => {
                    // An unknown name is left to the planner, which knows what to say about it.
                    let Some(index) = version.schema.index_of(name) else {
                        return Ok(None);
                    };
                    indexes.push(index);
                    columns.push(result_column(&version, index, shown));
                }
            }
        }
        if !self.switches().unknown_tablets_ignored {
            scan.place.check_tablets(&version)?;
        }
        let batches = scan.place.visible(&version)?;
        let fields: Vec<Field> = columns
            .iter()
            .map(|c| Field::new(&c.name, c.doris_type.arrow_type(), true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let mut out = Vec::with_capacity(batches.len());
        let (mut skip, mut left) = (scan.offset, scan.limit.unwrap_or(usize::MAX));
        for batch in batches {
            if left == 0 {
                break;
            }
            if skip >= batch.num_rows() {
                skip -= batch.num_rows();
                continue;
            }
            let take = (batch.num_rows() - skip).min(left);
            let arrays = indexes.iter().map(|i| Arc::clone(batch.column(*i))).collect();
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            let projected = RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
                .map_err(SqlError::plain)?;
            out.push(match take == projected.num_rows() {
                true => projected,
                false => projected.slice(skip, take),
            });
            skip = 0;
            left -= take;
        }
        Ok(Some(QueryStream {
            columns,
            batches: futures::stream::iter(out.into_iter().map(Ok)).boxed(),
        }))
    }
}

fn result_column(version: &TableVersion, index: usize, shown: &str) -> ResultColumn {
    let column = &version.schema.columns[index];
    ResultColumn {
        name: shown.to_string(),
        doris_type: column.doris_type.clone(),
        nullable: column.nullable,
    }
}

struct Scan {
    items: Vec<Item>,
    place: Place,
    offset: usize,
    limit: Option<usize>,
}

fn read_scan(statement: &Statement) -> Option<Scan> {
    let mut cursor = Cursor::new(&statement.tokens);
    if !cursor.eat("SELECT") {
        return None;
    }
    let mut items = Vec::new();
    let mut qualifiers = Vec::new();
    loop {
        if cursor.eat_token(&Token::Mul) {
            items.push(None);
        } else {
            items.push(Some(read_item(&mut cursor, &mut qualifiers)?));
        }
        if !cursor.eat_token(&Token::Comma) {
            break;
        }
    }
    if !cursor.eat("FROM") {
        return None;
    }
    let place = read_place(&mut cursor)
        .ok()
        .filter(|place| place.incr.is_none())?;
    let mut alias = None;
    if cursor.eat("AS") {
        alias = Some(cursor.ident().ok()?);
    } else if matches!(cursor.peek(), Some(Token::Word(_))) && !cursor.is("LIMIT") {
        if CLAUSES.iter().any(|word| cursor.is(word)) {
            return None;
        }
        alias = cursor.ident().ok();
    }
    let name = alias.as_ref().unwrap_or(&place.table);
    if qualifiers.iter().any(|q| q != name) {
        return None;
    }
    let (offset, limit) = read_limit(&mut cursor)?;
    cursor.done().then_some(Scan {
        items,
        place,
        offset,
        limit,
    })
}

fn read_item(cursor: &mut Cursor<'_>, qualifiers: &mut Vec<String>) -> Option<(String, String)> {
    if cursor.is("FROM") || cursor.is("DISTINCT") || cursor.is("ALL") || starts_with_at(cursor) {
        return None;
    }
    let mut path = cursor.path().ok()?;
    let name = path.pop()?;
    if let Some(table) = path.pop() {
        qualifiers.push(table);
    }
    let shown = if cursor.eat("AS") {
        match cursor.eat_string() {
            Some(text) => text,
            None => cursor.ident().ok()?,
        }
    } else {
        match cursor.peek() {
            Some(Token::Comma) => name.clone(),
            Some(Token::Word(_)) if cursor.is("FROM") => name.clone(),
            Some(Token::Word(_)) => cursor.ident().ok()?,
            _ => return None,
        }
    };
    Some((name, shown))
}

fn starts_with_at(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek(), Some(Token::Word(w)) if w.quote_style.is_none() && w.value.starts_with('@'))
}

/// `LIMIT n`, `LIMIT m, n`, `LIMIT n OFFSET m` or nothing; `None` when something else stands there.
fn read_limit(cursor: &mut Cursor<'_>) -> Option<(usize, Option<usize>)> {
    if cursor.done() {
        return Some((0, None));
    }
    if !cursor.eat("LIMIT") {
        return None;
    }
    let first = cursor.number().ok()?;
    if cursor.eat_token(&Token::Comma) {
        return Some((first, Some(cursor.number().ok()?)));
    }
    if cursor.eat("OFFSET") {
        return Some((cursor.number().ok()?, Some(first)));
    }
    Some((0, Some(first)))
}
