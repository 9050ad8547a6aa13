//! Doris' types, as `information_schema.columns.COLUMN_TYPE` spells them.

use std::fmt;

use arrow::datatypes::{DataType, TimeUnit};

use super::text::{Cursor, MAX_DEPTH};
use crate::error::Result;

/// A type of Doris. Legacy and new forms of one type (`date`/`datev2`, `decimalv2`/`decimalv3`) are the same here:
/// they differ only in how they arrive, which the Arrow field shows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DorisType {
    Null,
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    LargeInt,
    Float,
    Double,
    /// Precision up to 76; beyond 38 it arrives as Decimal256.
    Decimal(u8, i8),
    Date,
    /// Digits of the second's fraction, 0 to 6.
    DateTime(u8),
    /// Digits of the second's fraction, 0 to 6.
    TimestampTz(u8),
    TimestampNs,
    /// Digits of the second's fraction, 0 to 6.
    Time(u8),
    /// Length in bytes.
    Char(u32),
    /// Length in bytes.
    Varchar(u32),
    String,
    Json,
    Variant,
    Ipv4,
    Ipv6,
    Uuid,
    Array(Box<DorisType>),
    Map(Box<DorisType>, Box<DorisType>),
    Struct(Vec<DorisField>),
    Bitmap,
    Hll,
    QuantileState,
    Varbinary(u32),
    AggState,
    /// A type that this version does not know, by its text.
    Other(String),
}

/// A field of a `STRUCT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DorisField {
    /// The name as Doris has it.
    pub name: String,
    /// The type.
    pub r#type: DorisType,
}

/// From here on a `VARCHAR` has no bound worth telling from `STRING`.
pub(super) const UNBOUNDED_VARCHAR: u32 = 65533;

impl DorisType {
    /// Parses the text of a type in any case, for example `array<struct<a:int,b:map<string,date>>>`. An unknown name
    /// gives [`DorisType::Other`]; an error is only what is not a type's text at all.
    pub fn parse(text: &str) -> Result<Self> {
        let mut cursor = Cursor::new(text);
        let parsed = parse(&mut cursor, 0)?;
        cursor.expect_end()?;
        Ok(parsed)
    }

    /// The type as the delivered Arrow type shows it to be, where the text is ambiguous: Doris prints a BOOLEAN as
    /// `tinyint(1)` in some versions.
    #[must_use]
    pub fn refined_by(self, arrow: &DataType) -> Self {
        match (self, arrow) {
            (Self::TinyInt, DataType::Boolean) => Self::Boolean,
            (Self::Boolean, DataType::Int8) => Self::TinyInt,
            (Self::Array(item), DataType::List(field) | DataType::LargeList(field)) => {
                Self::Array(Box::new(item.refined_by(field.data_type())))
            }
            (Self::Map(key, value), DataType::Map(entries, _)) => match entries.data_type() {
                DataType::Struct(fields) if fields.len() == 2 => Self::Map(
                    Box::new(key.refined_by(fields[0].data_type())),
                    Box::new(value.refined_by(fields[1].data_type())),
                ),
                _ => Self::Map(key, value),
            },
            (Self::Struct(mut own), DataType::Struct(fields)) if own.len() == fields.len() => {
                for (field, arrow) in own.iter_mut().zip(fields) {
                    let known = std::mem::replace(&mut field.r#type, Self::Null);
                    field.r#type = known.refined_by(arrow.data_type());
                }
                Self::Struct(own)
            }
            (known, _) => known,
        }
    }

    /// The type that an Arrow type stands for, where the server has no text for it (tables of external catalogs).
    pub fn from_arrow(arrow: &DataType) -> Self {
        match arrow {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Boolean,
            DataType::Int8 => Self::TinyInt,
            DataType::Int16 => Self::SmallInt,
            DataType::Int32 => Self::Int,
            DataType::Int64 => Self::BigInt,
            DataType::FixedSizeBinary(16) => Self::LargeInt,
            DataType::UInt32 => Self::Ipv4,
            DataType::Float32 => Self::Float,
            DataType::Float64 => Self::Double,
            DataType::Decimal128(p, s) | DataType::Decimal256(p, s) => Self::Decimal(*p, *s),
            DataType::Date32 => Self::Date,
            DataType::Timestamp(TimeUnit::Nanosecond, _) => Self::TimestampNs,
            DataType::Timestamp(unit, _) => Self::DateTime(match unit {
                TimeUnit::Second => 0,
                TimeUnit::Millisecond => 3,
                _ => 6,
            }),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::String,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Self::Varbinary(u32::MAX),
            DataType::Dictionary(_, value) => Self::from_arrow(value),
            DataType::List(item) | DataType::LargeList(item) => {
                Self::Array(Box::new(Self::from_arrow(item.data_type())))
            }
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) if fields.len() == 2 => Self::Map(
                    Box::new(Self::from_arrow(fields[0].data_type())),
                    Box::new(Self::from_arrow(fields[1].data_type())),
                ),
                other => Self::Other(other.to_string()),
            },
            DataType::Struct(fields) => Self::Struct(
                fields
                    .iter()
                    .map(|f| DorisField {
                        name: f.name().clone(),
                        r#type: Self::from_arrow(f.data_type()),
                    })
                    .collect(),
            ),
            other => Self::Other(other.to_string()),
        }
    }
}

fn parse(cursor: &mut Cursor<'_>, depth: usize) -> Result<DorisType> {
    if depth > MAX_DEPTH {
        return Err(cursor.error("a type that is nested less deeply"));
    }
    let word = cursor.word().ok_or_else(|| cursor.error("a type"))?;
    let name = word.to_ascii_lowercase();
    let parsed = match name.as_str() {
        "array" => {
            cursor.expect('<')?;
            let item = parse(cursor, depth + 1)?;
            cursor.expect('>')?;
            DorisType::Array(Box::new(item))
        }
        "map" => {
            cursor.expect('<')?;
            let key = parse(cursor, depth + 1)?;
            cursor.expect(',')?;
            let value = parse(cursor, depth + 1)?;
            cursor.expect('>')?;
            DorisType::Map(Box::new(key), Box::new(value))
        }
        "struct" => DorisType::Struct(parse_fields(cursor, depth)?),
        // Older servers wrap the items of arrays.
        "not_null" => {
            cursor.expect('(')?;
            let inner = parse(cursor, depth + 1)?;
            cursor.expect(')')?;
            inner
        }
        "variant" | "agg_state" => {
            while cursor.peek('<') || cursor.peek('(') {
                cursor.skip_balanced()?;
            }
            if name == "variant" {
                DorisType::Variant
            } else {
                DorisType::AggState
            }
        }
        _ => {
            let numbers = cursor.numbers()?;
            let unsigned = cursor.take_word("unsigned");
            scalar(&name, &numbers, unsigned)
        }
    };
    if cursor.take_word("not") {
        cursor.take_word("null");
    }
    Ok(parsed)
}

fn parse_fields(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<DorisField>> {
    cursor.expect('<')?;
    let mut fields = Vec::new();
    if cursor.take('>') {
        return Ok(fields);
    }
    loop {
        let name = cursor.name_before(&[':', ' '])?;
        cursor.take(':');
        let r#type = parse(cursor, depth + 1)?;
        fields.push(DorisField { name, r#type });
        if cursor.take_word("comment") && cursor.quoted('\'')?.is_none() {
            cursor.quoted('"')?;
        }
        if cursor.take('>') {
            return Ok(fields);
        }
        cursor.expect(',')?;
    }
}

fn scalar(name: &str, numbers: &[u32], unsigned: bool) -> DorisType {
    let first = numbers.first().copied();
    let scale = || first.unwrap_or(0).min(9) as u8;
    match name {
        "null" | "null_type" => DorisType::Null,
        "boolean" | "bool" => DorisType::Boolean,
        "tinyint" if first == Some(1) => DorisType::Boolean,
        "tinyint" => DorisType::TinyInt,
        "smallint" => DorisType::SmallInt,
        "int" | "integer" => DorisType::Int,
        // LARGEINT has no counterpart in MySQL; some versions print it like this.
        "bigint" if unsigned => DorisType::LargeInt,
        "bigint" => DorisType::BigInt,
        "largeint" => DorisType::LargeInt,
        "float" => DorisType::Float,
        "double" => DorisType::Double,
        "decimal" | "decimalv2" | "decimalv3" | "decimal32" | "decimal64" | "decimal128" | "decimal128i"
        | "decimal256" => {
            let default = if name == "decimalv2" { (27, 9) } else { (38, 9) };
            let precision = first.unwrap_or(default.0).min(76) as u8;
            let scale = match (first, numbers.get(1)) {
                (_, Some(scale)) => (*scale).min(76) as i8,
                (Some(_), None) => 0,
                (None, None) => default.1,
            };
            DorisType::Decimal(precision, scale)
        }
        "date" | "datev2" | "datev1" => DorisType::Date,
        "datetime" | "datetimev2" | "datetimev1" | "timestamp" => DorisType::DateTime(scale().min(6)),
        "timestamptz" => DorisType::TimestampTz(scale().min(6)),
        "timestamp_ns" => DorisType::TimestampNs,
        "time" | "timev2" => DorisType::Time(scale().min(6)),
        "char" | "character" => DorisType::Char(first.unwrap_or(1)),
        "varchar" => DorisType::Varchar(first.unwrap_or(u32::MAX)),
        "string" | "text" => DorisType::String,
        "json" | "jsonb" => DorisType::Json,
        "ipv4" => DorisType::Ipv4,
        "ipv6" => DorisType::Ipv6,
        "uuid" => DorisType::Uuid,
        "bitmap" => DorisType::Bitmap,
        "hll" => DorisType::Hll,
        "quantile_state" => DorisType::QuantileState,
        "varbinary" | "binary" => DorisType::Varbinary(first.unwrap_or(u32::MAX)),
        other => DorisType::Other(other.to_owned()),
    }
}

impl fmt::Display for DorisType {
    /// The type in Doris' SQL, usable in a `CAST`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Boolean => f.write_str("BOOLEAN"),
            Self::TinyInt => f.write_str("TINYINT"),
            Self::SmallInt => f.write_str("SMALLINT"),
            Self::Int => f.write_str("INT"),
            Self::BigInt => f.write_str("BIGINT"),
            Self::LargeInt => f.write_str("LARGEINT"),
            Self::Float => f.write_str("FLOAT"),
            Self::Double => f.write_str("DOUBLE"),
            Self::Decimal(p, s) => write!(f, "DECIMAL({p},{s})"),
            Self::Date => f.write_str("DATE"),
            Self::DateTime(0) => f.write_str("DATETIME"),
            Self::DateTime(s) => write!(f, "DATETIME({s})"),
            Self::TimestampTz(s) => write!(f, "TIMESTAMPTZ({s})"),
            Self::TimestampNs => f.write_str("TIMESTAMP_NS"),
            Self::Time(s) => write!(f, "TIME({s})"),
            Self::Char(n) => write!(f, "CHAR({n})"),
            Self::Varchar(n) if *n >= UNBOUNDED_VARCHAR => f.write_str("VARCHAR(65533)"),
            Self::Varchar(n) => write!(f, "VARCHAR({n})"),
            Self::String => f.write_str("STRING"),
            Self::Json => f.write_str("JSON"),
            Self::Variant => f.write_str("VARIANT"),
            Self::Ipv4 => f.write_str("IPV4"),
            Self::Ipv6 => f.write_str("IPV6"),
            Self::Uuid => f.write_str("UUID"),
            Self::Array(item) => write!(f, "ARRAY<{item}>"),
            Self::Map(key, value) => write!(f, "MAP<{key},{value}>"),
            Self::Struct(fields) => {
                f.write_str("STRUCT<")?;
                for (i, field) in fields.iter().enumerate() {
                    if i > 0 {
                        f.write_str(",")?;
                    }
                    if field.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                        write!(f, "{}:{}", field.name, field.r#type)?;
                    } else {
                        write!(f, "`{}`:{}", field.name.replace('`', "``"), field.r#type)?;
                    }
                }
                f.write_str(">")
            }
            Self::Bitmap => f.write_str("BITMAP"),
            Self::Hll => f.write_str("HLL"),
            Self::QuantileState => f.write_str("QUANTILE_STATE"),
            Self::Varbinary(n) if *n == u32::MAX => f.write_str("VARBINARY"),
            Self::Varbinary(n) => write!(f, "VARBINARY({n})"),
            Self::AggState => f.write_str("AGG_STATE"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_all_versions() {
        for (text, expected) in [
            ("int(11)", "INT"),
            ("bigint(20)", "BIGINT"),
            ("bigint(20) unsigned", "LARGEINT"),
            ("tinyint(4)", "TINYINT"),
            ("tinyint(1)", "BOOLEAN"),
            ("decimal(10, 2)", "DECIMAL(10,2)"),
            ("decimalv3(76,38)", "DECIMAL(76,38)"),
            ("decimalv2", "DECIMAL(27,9)"),
            ("datetimev2(3)", "DATETIME(3)"),
            ("DATETIME", "DATETIME"),
            ("datev2", "DATE"),
            ("varchar(*)", "VARCHAR(65533)"),
            ("text", "STRING"),
            ("array<not_null(int)>", "ARRAY<INT>"),
            (
                "array<struct<a:int,b:map<string,date>>>",
                "ARRAY<STRUCT<a:INT,b:MAP<STRING,DATE>>>",
            ),
            (
                "struct<`x y`:int comment 'it''s',b:text>",
                "STRUCT<`x y`:INT,b:STRING>",
            ),
            ("variant<properties(\"a\"=\"1\")>", "VARIANT"),
            ("agg_state<sum(int)>", "AGG_STATE"),
            ("geometry", "geometry"),
        ] {
            assert_eq!(DorisType::parse(text).unwrap().to_string(), expected, "{text}");
        }
        for text in ["", "array<int", "map<int>", "decimal(a)", "int) x", "struct<:>"] {
            assert!(DorisType::parse(text).is_err(), "{text}");
        }
        assert!(DorisType::parse(&"array<".repeat(10_000)).is_err());
    }
}
