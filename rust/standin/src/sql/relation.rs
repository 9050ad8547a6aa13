//! A table as a query names it: `db.t PARTITION(p) TABLET(1,2)`.

use std::sync::Arc;

use arrow_array::RecordBatch;
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::incr::{is_incr, read_incr};
use crate::error::SqlError;
use crate::store::changelog::window::Incr;
use crate::store::load::named_partitions;
use crate::store::tablet::{Partition, TableVersion, Tablet};

/// A table with the parts of it that are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Database, where named.
    pub database: Option<String>,
    /// Table.
    pub table: String,
    /// Tablets to read; empty = all.
    pub tablets: Vec<i64>,
    /// Partitions to read; empty = all.
    pub partitions: Vec<String>,
    /// The partitions are temporary ones.
    pub temporary: bool,
    /// Changes are read, not rows.
    pub incr: Option<Incr>,
}

/// Reads a table name and the hints after it.
pub fn read_place(cursor: &mut Cursor<'_>) -> Result<Place, SqlError> {
    let (database, table) = cursor.table_name()?;
    let mut place = Place {
        database,
        table,
        ..Place::default()
    };
    if is_incr(cursor) {
        place.incr = Some(read_incr(cursor)?);
    }
    while read_hint(cursor, &mut place)? {}
    Ok(place)
}

/// As [`read_place`], for statements that change rows.
pub fn read_target(cursor: &mut Cursor<'_>) -> Result<Place, SqlError> {
    let at = cursor.at;
    let place = read_place(cursor)?;
    if place.incr.is_some() {
        cursor.at = at;
        while !is_incr(cursor) {
            cursor.at += 1;
        }
        return Err(cursor.unexpected("a table"));
    }
    Ok(place)
}

/// True when a hint stands at the cursor.
pub fn is_hint(cursor: &Cursor<'_>) -> bool {
    if is_incr(cursor) {
        return true;
    }
    let opens = |n| cursor.ahead(n) == Some(&Token::LParen);
    (cursor.is("TABLET") || cursor.is("PARTITION") || cursor.is("PARTITIONS")) && opens(1)
        || cursor.is("TEMPORARY") && (cursor.is_ahead(1, "PARTITION") || cursor.is_ahead(1, "PARTITIONS"))
}

/// Reads one hint; false when none is next.
pub fn read_hint(cursor: &mut Cursor<'_>, place: &mut Place) -> Result<bool, SqlError> {
    // `@incr` stands before all hints.
    if is_incr(cursor) || !is_hint(cursor) {
        return Ok(false);
    }
    if cursor.eat("TABLET") {
        cursor.expect_token(&Token::LParen)?;
        loop {
            place.tablets.push(cursor.number()?);
            if !cursor.eat_token(&Token::Comma) {
                break;
            }
        }
        cursor.expect_token(&Token::RParen)?;
        return Ok(true);
    }
    place.temporary = cursor.eat("TEMPORARY");
    cursor.take();
    place.partitions = if cursor.peek() == Some(&Token::LParen) {
        cursor.ident_list()?
    } else {
        vec![cursor.ident()?]
    };
    Ok(true)
}

impl Place {
    /// The partitions that are read.
    pub fn chosen_partitions(&self, version: &TableVersion) -> Result<Vec<Arc<Partition>>, SqlError> {
        match self.partitions.as_slice() {
            [] => Ok(version.visible_partitions().cloned().collect()),
            names => named_partitions(version, names, self.temporary),
        }
    }

    /// The tablets of a partition that are read.
    pub fn chosen_tablets<'p>(&'p self, partition: &'p Partition) -> impl Iterator<Item = &'p Arc<Tablet>> {
        partition
            .tablets
            .iter()
            .filter(|t| self.tablets.is_empty() || self.tablets.contains(&t.id))
    }

    /// All rows that are read, in the order of partitions, buckets and writes.
    pub fn visible(&self, version: &TableVersion) -> Result<Vec<RecordBatch>, SqlError> {
        let mut out = Vec::new();
        for partition in self.chosen_partitions(version)? {
            for tablet in self.chosen_tablets(&partition) {
                out.extend(
                    tablet
                        .batches
                        .iter()
                        .map(|b| b.visible().clone())
                        .filter(|b| b.num_rows() > 0),
                );
            }
        }
        Ok(out)
    }

    /// Fails when a tablet that is named does not belong to the table: a silent empty answer would lose rows.
    pub fn check_tablets(&self, version: &TableVersion) -> Result<(), SqlError> {
        let known = |id: &i64| {
            version
                .partitions
                .iter()
                .any(|p| p.tablets.iter().any(|t| t.id == *id))
        };
        match self.tablets.iter().find(|id| !known(id)) {
            None => Ok(()),
            Some(id) => Err(SqlError::plain(format!("Invalid tablet id: {id}"))),
        }
    }
}
