//! Partition definitions: `VALUES LESS THAN`, `VALUES [ .. )`.

use datafusion::sql::sqlparser::tokenizer::Token;

use super::create_table::{read_literal, read_properties};
use super::cursor::Cursor;
use crate::error::SqlError;
use crate::store::partition::{Bound, BoundValue};

/// A partition as written.
#[derive(Debug, Clone, PartialEq)]
pub struct PartitionClause {
    /// Name.
    pub name: String,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Rows it takes. A `LESS THAN` has no lower end yet: it starts where the one before it ends.
    pub bound: Bound,
    /// True for `LESS THAN`.
    pub open_start: bool,
}

/// Reads the list in parentheses after `PARTITION BY`.
pub fn read_partitions(cursor: &mut Cursor<'_>) -> Result<Vec<PartitionClause>, SqlError> {
    cursor.expect_token(&Token::LParen)?;
    let mut partitions: Vec<PartitionClause> = Vec::new();
    while !cursor.eat_token(&Token::RParen) {
        if !partitions.is_empty() {
            cursor.expect_token(&Token::Comma)?;
        }
        cursor.expect("PARTITION")?;
        partitions.push(read_partition(cursor)?);
    }
    for at in 0..partitions.len() {
        if partitions[..at]
            .iter()
            .any(|p| p.name.eq_ignore_ascii_case(&partitions[at].name))
        {
            return Err(SqlError::plain(format!(
                "Duplicated partition name: {}",
                partitions[at].name
            )));
        }
    }
    Ok(partitions)
}

/// Reads one definition after the word `PARTITION`.
pub fn read_partition(cursor: &mut Cursor<'_>) -> Result<PartitionClause, SqlError> {
    let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    let name = cursor.ident()?;
    if name.contains(char::is_whitespace) {
        return Err(SqlError::plain(format!("Incorrect partition name '{name}'")));
    }
    cursor.expect("VALUES")?;
    let (bound, open_start) = if cursor.eat_all(&["LESS", "THAN"]) {
        let upper = match cursor.eat("MAXVALUE") {
            true => vec![BoundValue::Max],
            false => read_values(cursor)?,
        };
        let upper = upper_end(upper);
        (Bound::Range { lower: None, upper }, true)
    } else {
        cursor.expect_token(&Token::LBracket)?;
        let lower = Some(read_values(cursor)?);
        cursor.expect_token(&Token::Comma)?;
        let upper = upper_end(read_values(cursor)?);
        cursor.expect_token(&Token::RParen)?;
        (Bound::Range { lower, upper }, false)
    };
    if cursor.peek() == Some(&Token::LParen) {
        read_properties(cursor)?;
    }
    Ok(PartitionClause {
        name,
        if_not_exists,
        bound,
        open_start,
    })
}

/// A range whose upper end is `MAXVALUE` has none.
fn upper_end(values: Vec<BoundValue>) -> Option<Vec<BoundValue>> {
    (values.first() != Some(&BoundValue::Max)).then_some(values)
}

fn read_values(cursor: &mut Cursor<'_>) -> Result<Vec<BoundValue>, SqlError> {
    cursor.expect_token(&Token::LParen)?;
    let mut values = Vec::new();
    loop {
        values.push(read_value(cursor)?);
        if !cursor.eat_token(&Token::Comma) {
            break;
        }
    }
    cursor.expect_token(&Token::RParen)?;
    Ok(values)
}

fn read_value(cursor: &mut Cursor<'_>) -> Result<BoundValue, SqlError> {
    if cursor.eat("MAXVALUE") {
        return Ok(BoundValue::Max);
    }
    read_literal(cursor)?
        .map(BoundValue::Text)
        .ok_or_else(|| cursor.unexpected("a value"))
}
