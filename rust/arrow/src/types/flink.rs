//! Flink's types, as `LogicalType.asSerializableString()` spells them.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, TimeUnit};

use super::text::{Cursor, MAX_DEPTH};
use crate::error::Result;

/// The length of Flink's `STRING` and `BYTES`.
pub const MAX_LENGTH: u32 = i32::MAX as u32;

/// A type of Flink with its nullability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlinkType {
    /// The type without nullability.
    pub kind: FlinkKind,
    /// `false` for `NOT NULL`.
    pub nullable: bool,
}

/// A type of Flink without nullability. Numbers are precisions, scales and lengths as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FlinkKind {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Decimal(u8, i8),
    Char(u32),
    Varchar(u32),
    Binary(u32),
    Varbinary(u32),
    Date,
    Time(u8),
    Timestamp(u8),
    TimestampLtz(u8),
    Array(Box<FlinkType>),
    Map(Box<FlinkType>, Box<FlinkType>),
    Row(Vec<FlinkField>),
    /// How often each value occurs. Only written.
    Multiset(Box<FlinkType>),
    /// Months; all of `INTERVAL YEAR`, `MONTH` and `YEAR TO MONTH`. Only written.
    IntervalYearMonth,
    /// Milliseconds; every interval of days and parts of a day. Only written.
    IntervalDayTime,
    /// A type that is neither read nor written, by its text.
    Other(String),
}

/// A field of a `ROW`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlinkField {
    /// The name as declared.
    pub name: String,
    /// The type.
    pub r#type: FlinkType,
}

impl FlinkType {
    /// Parses a serializable text, for example ``ROW<`id` INT NOT NULL, `t` TIMESTAMP(6) WITH LOCAL TIME ZONE>``.
    pub fn parse(text: &str) -> Result<Self> {
        let mut cursor = Cursor::new(text);
        let parsed = parse(&mut cursor, 0)?;
        cursor.expect_end()?;
        Ok(parsed)
    }

    /// The Arrow type in which values of this type cross to and from Java; `None` for types that never do.
    pub fn canonical(&self) -> Option<DataType> {
        Some(match &self.kind {
            FlinkKind::Boolean => DataType::Boolean,
            FlinkKind::TinyInt => DataType::Int8,
            FlinkKind::SmallInt => DataType::Int16,
            FlinkKind::Int => DataType::Int32,
            FlinkKind::BigInt => DataType::Int64,
            FlinkKind::Float => DataType::Float32,
            FlinkKind::Double => DataType::Float64,
            FlinkKind::Decimal(p, s) => DataType::Decimal128(*p, *s),
            FlinkKind::Char(_) | FlinkKind::Varchar(_) => DataType::Utf8,
            FlinkKind::Binary(_) | FlinkKind::Varbinary(_) => DataType::Binary,
            FlinkKind::Date => DataType::Date32,
            FlinkKind::Time(_) => DataType::Int32,
            FlinkKind::Timestamp(_) | FlinkKind::TimestampLtz(_) => {
                DataType::Timestamp(TimeUnit::Microsecond, None)
            }
            FlinkKind::Array(item) => DataType::List(Arc::new(Field::new("item", item.canonical()?, true))),
            FlinkKind::Map(key, value) => map(key.canonical()?, value.canonical()?),
            FlinkKind::Multiset(value) => map(value.canonical()?, DataType::Int32),
            FlinkKind::IntervalYearMonth => DataType::Int32,
            FlinkKind::IntervalDayTime => DataType::Int64,
            FlinkKind::Row(fields) => {
                let fields: Option<Vec<_>> = fields
                    .iter()
                    .map(|f| Some(Field::new(f.name.clone(), f.r#type.canonical()?, true)))
                    .collect();
                DataType::Struct(fields?.into())
            }
            FlinkKind::Other(_) => return None,
        })
    }

    /// Whether NULL is forbidden here or anywhere inside.
    pub fn has_not_null(&self) -> bool {
        !self.nullable
            || match &self.kind {
                FlinkKind::Array(item) => item.has_not_null(),
                // Keys are never NULL, whatever is declared.
                FlinkKind::Map(_, _) | FlinkKind::Multiset(_) => true,
                FlinkKind::Row(fields) => fields.iter().any(|f| f.r#type.has_not_null()),
                _ => false,
            }
    }
}

fn map(key: DataType, value: DataType) -> DataType {
    let entries = vec![Field::new("key", key, false), Field::new("value", value, true)];
    DataType::Map(
        Arc::new(Field::new("entries", DataType::Struct(entries.into()), false)),
        false,
    )
}

fn parse(cursor: &mut Cursor<'_>, depth: usize) -> Result<FlinkType> {
    if depth > MAX_DEPTH {
        return Err(cursor.error("a type that is nested less deeply"));
    }
    let kind = parse_kind(cursor, depth)?;
    let mut nullable = true;
    if cursor.take_word("NOT") {
        if !cursor.take_word("NULL") {
            return Err(cursor.error("NULL"));
        }
        nullable = false;
    } else {
        cursor.take_word("NULL");
    }
    Ok(FlinkType { kind, nullable })
}

fn parse_kind(cursor: &mut Cursor<'_>, depth: usize) -> Result<FlinkKind> {
    let word = cursor.word().ok_or_else(|| cursor.error("a type"))?;
    let name = word.to_ascii_uppercase();
    Ok(match name.as_str() {
        "BOOLEAN" => FlinkKind::Boolean,
        "TINYINT" => FlinkKind::TinyInt,
        "SMALLINT" => FlinkKind::SmallInt,
        "INT" | "INTEGER" => FlinkKind::Int,
        "BIGINT" => FlinkKind::BigInt,
        "FLOAT" => FlinkKind::Float,
        "DOUBLE" => {
            cursor.take_word("PRECISION");
            FlinkKind::Double
        }
        "DECIMAL" | "DEC" | "NUMERIC" => {
            let numbers = cursor.numbers()?;
            let precision = numbers.first().copied().unwrap_or(10);
            let scale = numbers.get(1).copied().unwrap_or(0);
            if !(1..=38).contains(&precision) || scale > precision {
                return Err(cursor.error("DECIMAL(p, s) with 1 <= p <= 38 and s <= p before this place"));
            }
            FlinkKind::Decimal(precision as u8, scale as i8)
        }
        "CHAR" => FlinkKind::Char(length(cursor, 1)?),
        "VARCHAR" => FlinkKind::Varchar(length(cursor, 1)?),
        "STRING" => FlinkKind::Varchar(MAX_LENGTH),
        "BINARY" => FlinkKind::Binary(length(cursor, 1)?),
        "VARBINARY" => FlinkKind::Varbinary(length(cursor, 1)?),
        "BYTES" => FlinkKind::Varbinary(MAX_LENGTH),
        "DATE" => FlinkKind::Date,
        "TIME" => {
            let precision = precision(cursor, 0)?;
            without_zone(cursor);
            FlinkKind::Time(precision)
        }
        "TIMESTAMP" => {
            let precision = precision(cursor, 6)?;
            if !cursor.take_word("WITH") {
                without_zone(cursor);
                FlinkKind::Timestamp(precision)
            } else {
                let local = cursor.take_word("LOCAL");
                if !(cursor.take_word("TIME") && cursor.take_word("ZONE")) {
                    return Err(cursor.error("TIME ZONE"));
                }
                if local {
                    FlinkKind::TimestampLtz(precision)
                } else {
                    FlinkKind::Other(format!("TIMESTAMP({precision}) WITH TIME ZONE"))
                }
            }
        }
        "TIMESTAMP_LTZ" => FlinkKind::TimestampLtz(precision(cursor, 6)?),
        "ARRAY" => {
            cursor.expect('<')?;
            let item = parse(cursor, depth + 1)?;
            cursor.expect('>')?;
            FlinkKind::Array(Box::new(item))
        }
        "MAP" => {
            cursor.expect('<')?;
            let key = parse(cursor, depth + 1)?;
            cursor.expect(',')?;
            let value = parse(cursor, depth + 1)?;
            cursor.expect('>')?;
            FlinkKind::Map(Box::new(key), Box::new(value))
        }
        "ROW" => FlinkKind::Row(parse_fields(cursor, depth)?),
        "MULTISET" => {
            cursor.expect('<')?;
            let item = parse(cursor, depth + 1)?;
            cursor.expect('>')?;
            FlinkKind::Multiset(Box::new(item))
        }
        "INTERVAL" => parse_interval(cursor)?,
        _ => {
            while cursor.peek('<') || cursor.peek('(') {
                cursor.skip_balanced()?;
            }
            FlinkKind::Other(name)
        }
    })
}

/// The rest of `INTERVAL YEAR(2) TO MONTH`, `INTERVAL DAY(2) TO SECOND(6)` and similar ones: its units separate months
/// from milliseconds, and precisions do not change how values are held.
fn parse_interval(cursor: &mut Cursor<'_>) -> Result<FlinkKind> {
    let mut kind = None;
    loop {
        let (months, known) = match cursor.word().map(str::to_ascii_uppercase).as_deref() {
            Some("YEAR" | "MONTH") => (true, true),
            Some("DAY" | "HOUR" | "MINUTE" | "SECOND") => (false, true),
            _ => (false, false),
        };
        if !known || kind.is_some_and(|before| before != months) {
            return Err(
                cursor.error("YEAR TO MONTH or DAY TO SECOND, or one of their units, before this place")
            );
        }
        kind = Some(months);
        cursor.numbers()?;
        if !cursor.take_word("TO") {
            return Ok(if months {
                FlinkKind::IntervalYearMonth
            } else {
                FlinkKind::IntervalDayTime
            });
        }
    }
}

fn length(cursor: &mut Cursor<'_>, default: u32) -> Result<u32> {
    Ok(cursor.numbers()?.first().copied().unwrap_or(default))
}

fn precision(cursor: &mut Cursor<'_>, default: u32) -> Result<u8> {
    let precision = length(cursor, default)?;
    u8::try_from(precision)
        .ok()
        .filter(|p| *p <= 9)
        .ok_or_else(|| cursor.error("a precision up to 9 before this place"))
}

fn without_zone(cursor: &mut Cursor<'_>) {
    if cursor.take_word("WITHOUT") {
        let _ = cursor.take_word("TIME") && cursor.take_word("ZONE");
    }
}

fn parse_fields(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<FlinkField>> {
    cursor.expect('<')?;
    let mut fields = Vec::new();
    if cursor.take('>') {
        return Ok(fields);
    }
    loop {
        let name = cursor.name_before(&[' '])?;
        let r#type = parse(cursor, depth + 1)?;
        fields.push(FlinkField { name, r#type });
        // A description of the field.
        cursor.quoted('\'')?;
        if cursor.take('>') {
            return Ok(fields);
        }
        cursor.expect(',')?;
    }
}

impl fmt::Display for FlinkType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if self.nullable {
            Ok(())
        } else {
            f.write_str(" NOT NULL")
        }
    }
}

impl fmt::Display for FlinkKind {
    /// The type as a user would declare it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("BOOLEAN"),
            Self::TinyInt => f.write_str("TINYINT"),
            Self::SmallInt => f.write_str("SMALLINT"),
            Self::Int => f.write_str("INT"),
            Self::BigInt => f.write_str("BIGINT"),
            Self::Float => f.write_str("FLOAT"),
            Self::Double => f.write_str("DOUBLE"),
            Self::Decimal(p, s) => write!(f, "DECIMAL({p}, {s})"),
            Self::Char(n) => write!(f, "CHAR({n})"),
            Self::Varchar(n) if *n == MAX_LENGTH => f.write_str("STRING"),
            Self::Varchar(n) => write!(f, "VARCHAR({n})"),
            Self::Binary(n) => write!(f, "BINARY({n})"),
            Self::Varbinary(n) if *n == MAX_LENGTH => f.write_str("BYTES"),
            Self::Varbinary(n) => write!(f, "VARBINARY({n})"),
            Self::Date => f.write_str("DATE"),
            Self::Time(p) => write!(f, "TIME({p})"),
            Self::Timestamp(p) => write!(f, "TIMESTAMP({p})"),
            Self::TimestampLtz(p) => write!(f, "TIMESTAMP_LTZ({p})"),
            Self::Array(item) => write!(f, "ARRAY<{item}>"),
            Self::Map(key, value) => write!(f, "MAP<{key}, {value}>"),
            Self::Row(fields) => {
                f.write_str("ROW<")?;
                for (i, field) in fields.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}`{}` {}", field.name.replace('`', "``"), field.r#type)?;
                }
                f.write_str(">")
            }
            Self::Multiset(item) => write!(f, "MULTISET<{item}>"),
            Self::IntervalYearMonth => f.write_str("INTERVAL YEAR TO MONTH"),
            Self::IntervalDayTime => f.write_str("INTERVAL DAY TO SECOND"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serializable_texts() {
        for (text, expected) in [
            ("INT NOT NULL", "INT NOT NULL"),
            ("VARCHAR(2147483647)", "STRING"),
            ("VARBINARY(2147483647) NOT NULL", "BYTES NOT NULL"),
            ("DECIMAL(10, 2)", "DECIMAL(10, 2)"),
            (
                "TIMESTAMP(6) WITH LOCAL TIME ZONE NOT NULL",
                "TIMESTAMP_LTZ(6) NOT NULL",
            ),
            ("TIMESTAMP(3)", "TIMESTAMP(3)"),
            ("TIME(0)", "TIME(0)"),
            ("ARRAY<INT NOT NULL>", "ARRAY<INT NOT NULL>"),
            (
                "MAP<VARCHAR(2147483647) NOT NULL, ARRAY<DATE>>",
                "MAP<STRING NOT NULL, ARRAY<DATE>>",
            ),
            (
                "ROW<`a b` INT NOT NULL 'it''s a field', `c``d` ROW<`e` CHAR(3)>> NOT NULL",
                "ROW<`a b` INT NOT NULL, `c``d` ROW<`e` CHAR(3)>> NOT NULL",
            ),
            ("ROW<>", "ROW<>"),
            (
                "MULTISET<INT NOT NULL> NOT NULL",
                "MULTISET<INT NOT NULL> NOT NULL",
            ),
            (
                "INTERVAL YEAR(2) TO MONTH NOT NULL",
                "INTERVAL YEAR TO MONTH NOT NULL",
            ),
            ("INTERVAL MONTH", "INTERVAL YEAR TO MONTH"),
            ("INTERVAL DAY(2) TO SECOND(6)", "INTERVAL DAY TO SECOND"),
            ("INTERVAL SECOND(3)", "INTERVAL DAY TO SECOND"),
        ] {
            assert_eq!(FlinkType::parse(text).unwrap().to_string(), expected, "{text}");
        }
        for text in ["RAW('a', 'b')", "TIMESTAMP(6) WITH TIME ZONE"] {
            assert_eq!(FlinkType::parse(text).unwrap().canonical(), None, "{text}");
        }
        for text in [
            "",
            "ROW<`a>",
            "DECIMAL(39, 2)",
            "INT NOT",
            "ARRAY<INT",
            "INTERVAL",
            "INTERVAL YEAR TO SECOND",
        ] {
            assert!(FlinkType::parse(text).is_err(), "{text}");
        }
    }
}
