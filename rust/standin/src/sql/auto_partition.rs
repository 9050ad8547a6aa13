//! `AUTO PARTITION BY RANGE (date_trunc(column, 'unit'))`: partitions made for the rows that find none.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, TimeUnit};
use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::functions::time::truncated;
use super::partition_clause::PartitionClause;
use crate::error::SqlError;
use crate::sql::engine::Engine;
use crate::store::load::Load;
use crate::store::partition::{Bound, BoundValue};
use crate::store::schema::TableSchema;
use crate::store::tablet::Table;
use crate::store::tablet::commit::Writer;
use crate::values::civil::{Civil, DAY, MICROS, date_of, days_of, max_micros};
use crate::values::datetime::{write_date, write_datetime};
use crate::values::text::micros_at;
use crate::values::to_compute;
use crate::values::types::DorisType;

/// Reads `RANGE (date_trunc(column, 'unit'))`: column in lower case, unit as it is written.
pub(super) fn read_auto_partition(cursor: &mut Cursor<'_>) -> Result<(String, String), SqlError> {
    if cursor.is("LIST") {
        return Err(SqlError::plain(
            "AUTO PARTITION BY LIST is not served here, RANGE is",
        ));
    }
    cursor.expect("RANGE")?;
    cursor.expect_token(&Token::LParen)?;
    if cursor.ahead(1) != Some(&Token::LParen) {
        return Err(SqlError::plain("Auto Range Partition need FunctionCallExpr"));
    }
    if !cursor.eat("DATE_TRUNC") {
        return Err(SqlError::plain(
            "auto create partition only support function call expr is date_trunc",
        ));
    }
    cursor.expect_token(&Token::LParen)?;
    let column = cursor.ident()?.to_lowercase();
    if !cursor.eat_token(&Token::Comma) {
        return Err(illegal());
    }
    let unit = cursor.string()?;
    cursor.expect_token(&Token::RParen)?;
    cursor.expect_token(&Token::RParen)?;
    Ok((column, unit))
}

/// Checks the column that partitions are made by.
pub(super) fn check_auto_partition(schema: &TableSchema) -> Result<(), SqlError> {
    if schema.auto_partition.is_none() {
        return Ok(());
    }
    let columns = schema.partition_columns.iter();
    let column = columns.filter_map(|name| schema.index_of(name)).next();
    match column.map(|index| &schema.columns[index]) {
        Some(column) if !is_moment(&column.doris_type) => Err(illegal()),
        Some(column) if column.nullable => Err(SqlError::plain(
            "AUTO RANGE PARTITION doesn't support NULL column",
        )),
        _ => Ok(()),
    }
}

fn illegal() -> SqlError {
    SqlError::plain("partition expr date_trunc is illegal!")
}

fn is_moment(doris_type: &DorisType) -> bool {
    is_date(doris_type) || matches!(doris_type, DorisType::DateTime(_) | DorisType::DateTimeV1)
}

fn is_date(doris_type: &DorisType) -> bool {
    matches!(doris_type, DorisType::Date | DorisType::DateV1)
}

impl Engine {
    /// Makes the partitions that rows of a load need, where its table makes its own. They are there at once and stay,
    /// whatever becomes of the load.
    pub(super) async fn make_partitions(&self, load: &mut Load, batch: &RecordBatch) -> Result<(), SqlError> {
        let Some(table) = load.making_partitions().cloned() else {
            return Ok(());
        };
        if load.homeless(batch)?.is_empty() {
            return Ok(());
        }
        let writer = table.writer.lock().await;
        self.add_partitions(&table, &writer, load, batch, |_| true)
    }

    /// The same for the rows that are good, on a thread that may block.
    pub(crate) fn make_partitions_blocking(
        &self,
        load: &mut Load,
        batch: &RecordBatch,
        good: impl Fn(usize) -> bool,
    ) -> Result<(), SqlError> {
        let Some(table) = load.making_partitions().cloned() else {
            return Ok(());
        };
        if !load.homeless(batch)?.iter().any(|row| good(*row)) {
            return Ok(());
        }
        let writer = table.writer.blocking_lock();
        self.add_partitions(&table, &writer, load, batch, good)
    }

    /// The caller holds the table's writer, so no other change is lost.
    fn add_partitions(
        &self,
        table: &Table,
        _: &Writer,
        load: &mut Load,
        batch: &RecordBatch,
        good: impl Fn(usize) -> bool,
    ) -> Result<(), SqlError> {
        // Another load may have made them meanwhile.
        load.see_partitions()?;
        let rows = load.homeless(batch)?.into_iter().filter(|row| good(*row));
        let clauses = wanted(load.schema(), batch, rows)?;
        if clauses.is_empty() {
            return Ok(());
        }
        let mut version = (*table.snapshot()).clone();
        let schema = Arc::clone(&version.schema);
        let mut beside: Vec<_> = version.visible_partitions().cloned().collect();
        for clause in clauses {
            let made = self.partition_of_clause(&schema, &beside, clause, schema.buckets, false)?;
            beside.push(Arc::clone(&made));
            version.partitions.push(made);
        }
        table.publish(version);
        load.see_partitions()
    }
}

/// The partitions that rows of a batch in stored form need, in order.
fn wanted(
    schema: &TableSchema,
    batch: &RecordBatch,
    rows: impl Iterator<Item = usize>,
) -> Result<Vec<PartitionClause>, SqlError> {
    let column = schema
        .partition_columns
        .iter()
        .find_map(|name| schema.index_of(name));
    let (Some(unit), Some(column)) = (&schema.auto_partition, column) else {
        return Ok(Vec::new());
    };
    let doris_type = &schema.columns[column].doris_type;
    let times = to_compute(doris_type, batch.column(column));
    let times = cast(&times, &DataType::Timestamp(TimeUnit::Microsecond, None)).map_err(SqlError::plain)?;
    let starts: BTreeSet<i64> = rows
        .filter(|row| times.is_valid(*row))
        .map(|row| truncated(micros_at(&times, &TimeUnit::Microsecond, row), unit))
        .collect::<Result<_, _>>()
        .map_err(|error| SqlError::plain(error.strip_backtrace()))?;
    let bound = |micros: i64| {
        let mut text = String::new();
        match is_date(doris_type) {
            true => write_date(&mut text, micros.div_euclid(DAY * MICROS)),
            false => write_datetime(&mut text, micros, 0),
        }
        vec![BoundValue::Text(text)]
    };
    let clause = |start: i64| PartitionClause {
        name: name_of(start),
        if_not_exists: false,
        bound: Bound::Range {
            lower: Some(bound(start)),
            upper: end_of(start, unit).map(bound),
        },
        open_start: false,
    };
    Ok(starts.into_iter().map(clause).collect())
}

/// `p` and the digits of the first moment.
fn name_of(start: i64) -> String {
    let at = Civil::at(start);
    format!(
        "p{:04}{:02}{:02}{:02}{:02}{:02}",
        at.year, at.month, at.day, at.hour, at.minute, at.second
    )
}

/// The first moment behind a unit that begins at `start`; `None` where Doris has no such moment.
fn end_of(start: i64, unit: &str) -> Option<i64> {
    let after_months = |months: i64| {
        let (year, month, _) = date_of(start.div_euclid(DAY * MICROS));
        let total = year * 12 + i64::from(month) - 1 + months;
        days_of(total.div_euclid(12), total.rem_euclid(12) as u32 + 1, 1) * DAY * MICROS
    };
    let end = match unit.to_ascii_lowercase().as_str() {
        "second" => start + MICROS,
        "minute" => start + 60 * MICROS,
        "hour" => start + 3600 * MICROS,
        "day" => start + DAY * MICROS,
        "week" => start + 7 * DAY * MICROS,
        "month" => after_months(1),
        "quarter" => after_months(3),
        _ => after_months(12),
    };
    (end <= max_micros()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::datetime::read_datetime;

    #[test]
    fn every_unit_ends_where_the_next_begins() {
        let at = |text: &str| read_datetime(text).unwrap().micros;
        for (unit, start, end) in [
            ("second", "2026-12-31 23:59:59", "2027-01-01"),
            ("minute", "2026-12-31 23:59:00", "2027-01-01"),
            ("hour", "2026-12-31 23:00:00", "2027-01-01"),
            ("day", "2024-02-28", "2024-02-29"),
            ("week", "2026-12-28", "2027-01-04"),
            ("Month", "2026-12-01", "2027-01-01"),
            ("quarter", "2026-10-01", "2027-01-01"),
            ("year", "2026-01-01", "2027-01-01"),
        ] {
            assert_eq!(end_of(at(start), unit), Some(at(end)), "{unit}");
        }
        assert_eq!(end_of(at("9999-12-31 23:59:59"), "second"), None);
        assert_eq!(name_of(at("2026-01-02 03:04:05")), "p20260102030405");
    }
}
