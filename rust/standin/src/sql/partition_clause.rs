//! Partition definitions: `VALUES LESS THAN`, `VALUES [ .. )`, `VALUES IN`, `FROM .. TO .. INTERVAL`.

use datafusion::sql::sqlparser::tokenizer::Token;

use super::create_table::{read_literal, read_properties};
use super::cursor::Cursor;
use crate::sql::engine::SqlError;
use crate::store::partition::{Bound, BoundValue};
use crate::store::schema::PartitionKind;
use crate::values::civil::{DAY, MICROS, date_of, days_in_month};
use crate::values::datetime::{checked_days, read_datetime, write_date, write_datetime};

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

/// Most partitions that one `FROM .. TO .. INTERVAL` makes.
const MAX_STEPS: usize = 4096;

/// Reads the list in parentheses after `PARTITION BY`.
pub fn read_partitions(
    cursor: &mut Cursor<'_>,
    kind: PartitionKind,
) -> Result<Vec<PartitionClause>, SqlError> {
    cursor.expect_token(&Token::LParen)?;
    let mut partitions: Vec<PartitionClause> = Vec::new();
    while !cursor.eat_token(&Token::RParen) {
        if !partitions.is_empty() {
            cursor.expect_token(&Token::Comma)?;
        }
        if cursor.eat("FROM") {
            partitions.extend(read_steps(cursor)?);
        } else {
            cursor.expect("PARTITION")?;
            partitions.push(read_partition(cursor, kind)?);
        }
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
pub fn read_partition(cursor: &mut Cursor<'_>, kind: PartitionKind) -> Result<PartitionClause, SqlError> {
    let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    let name = cursor.ident()?;
    if name.contains(char::is_whitespace) {
        return Err(SqlError::plain(format!("Incorrect partition name '{name}'")));
    }
    cursor.expect("VALUES")?;
    let (bound, open_start) = match kind {
        PartitionKind::List => {
            cursor.expect("IN")?;
            (Bound::List(read_list(cursor)?), false)
        }
        _ if cursor.eat_all(&["LESS", "THAN"]) => {
            let upper = if cursor.eat("MAXVALUE") {
                vec![BoundValue::Max]
            } else {
                read_values(cursor)?
            };
            (
                Bound::Range {
                    lower: None,
                    upper: upper_end(upper),
                },
                true,
            )
        }
        _ => {
            cursor.expect_token(&Token::LBracket)?;
            let lower = read_values(cursor)?;
            cursor.expect_token(&Token::Comma)?;
            let upper = read_values(cursor)?;
            cursor.expect_token(&Token::RParen)?;
            (
                Bound::Range {
                    lower: Some(lower),
                    upper: upper_end(upper),
                },
                false,
            )
        }
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
    if cursor.eat("NULL") {
        return Ok(BoundValue::Null);
    }
    read_literal(cursor)?
        .map(BoundValue::Text)
        .ok_or_else(|| cursor.unexpected("a value"))
}

/// `("a", "b")` for one column or `(("a", 1), ("b", 2))` for several.
fn read_list(cursor: &mut Cursor<'_>) -> Result<Vec<Vec<BoundValue>>, SqlError> {
    cursor.expect_token(&Token::LParen)?;
    let mut list = Vec::new();
    loop {
        list.push(if cursor.peek() == Some(&Token::LParen) {
            read_values(cursor)?
        } else {
            vec![read_value(cursor)?]
        });
        if !cursor.eat_token(&Token::Comma) {
            break;
        }
    }
    cursor.expect_token(&Token::RParen)?;
    Ok(list)
}

/// `("2024-01-01") TO ("2024-04-01") INTERVAL 1 MONTH`: partitions named after their start.
fn read_steps(cursor: &mut Cursor<'_>) -> Result<Vec<PartitionClause>, SqlError> {
    let from = read_step_end(cursor)?;
    cursor.expect("TO")?;
    let to = read_step_end(cursor)?;
    cursor.expect("INTERVAL")?;
    let step: i64 = cursor.number()?;
    let unit = if matches!(cursor.peek(), Some(Token::Word(_))) {
        cursor.ident()?.to_uppercase()
    } else {
        String::new()
    };
    if step == 0 {
        return Err(SqlError::plain("INTERVAL must be greater than 0"));
    }
    let mut out = Vec::new();
    let mut lower = from;
    while out.len() < MAX_STEPS {
        let Some((upper, name)) = next_step(&lower, step, &unit) else {
            return Err(SqlError::plain(format!(
                "cannot step from '{lower}' by {step} {unit}"
            )));
        };
        let reached = position(&upper) >= position(&to);
        let upper = if reached { to.clone() } else { upper };
        out.push(PartitionClause {
            name,
            if_not_exists: false,
            bound: Bound::Range {
                lower: Some(vec![BoundValue::Text(lower)]),
                upper: Some(vec![BoundValue::Text(upper.clone())]),
            },
            open_start: false,
        });
        if reached {
            return Ok(out);
        }
        lower = upper;
    }
    Err(SqlError::plain(format!(
        "more than {MAX_STEPS} partitions by one INTERVAL"
    )))
}

fn read_step_end(cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
    match read_values(cursor)?.as_slice() {
        [BoundValue::Text(text)] => Ok(text.clone()),
        _ => Err(SqlError::plain("FROM .. TO .. INTERVAL takes one value each")),
    }
}

/// A place on the line of numbers or of times.
fn position(text: &str) -> i64 {
    text.parse()
        .ok()
        .or_else(|| read_datetime(text).map(|r| r.micros))
        .unwrap_or(i64::MAX)
}

/// The value one step on, and the name of the partition that starts at `from`.
fn next_step(from: &str, step: i64, unit: &str) -> Option<(String, String)> {
    if unit.is_empty() {
        let number: i64 = from.parse().ok()?;
        return Some((number.checked_add(step)?.to_string(), format!("p_{from}")));
    }
    let micros = read_datetime(from)?.micros;
    let days = micros.div_euclid(DAY * MICROS);
    let (year, month, day) = date_of(days);
    let by_months = |months: i64| {
        let total = year * 12 + i64::from(month) - 1 + months;
        let (year, month) = (total.div_euclid(12), (total.rem_euclid(12) + 1) as u32);
        checked_days(year, month, day.min(days_in_month(year, month)))
    };
    let mut out = String::new();
    let name = match unit {
        "HOUR" => {
            write_datetime(&mut out, micros + step * 3600 * MICROS, 0);
            let hour = micros.rem_euclid(DAY * MICROS) / (3600 * MICROS);
            return Some((out, format!("p_{year:04}{month:02}{day:02}{hour:02}")));
        }
        "DAY" => {
            write_date(&mut out, days + step);
            format!("p_{year:04}{month:02}{day:02}")
        }
        "WEEK" => {
            write_date(&mut out, days + step * 7);
            format!("p_{year:04}{month:02}{day:02}")
        }
        "MONTH" => {
            write_date(&mut out, by_months(step)?);
            format!("p_{year:04}{month:02}")
        }
        "YEAR" => {
            write_date(&mut out, by_months(step * 12)?);
            format!("p_{year:04}")
        }
        _ => return None,
    };
    Some((out, name))
}
