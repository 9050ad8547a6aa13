//! Columns of default values.

use arrow_array::{ArrayRef, UInt32Array, new_null_array};
use arrow_select::take::take;

use crate::error::SqlError;
use crate::store::schema::{Column, DefaultValue};
use crate::values::datetime::{write_date, write_datetime};
use crate::values::types::DorisType;
use crate::values::zone::Zone;
use crate::values::{build_array, read_cell};

/// A default's text as an array of length 1; the error has the reason why the type refuses it.
pub fn default_array(doris_type: &DorisType, text: &str) -> Result<ArrayRef, String> {
    let cell = read_cell(doris_type, text)?;
    build_array(doris_type, &[cell], &Zone::UTC).map_err(|e| e.message)
}

/// `rows` times the default of a column, as of `now` (microseconds of the epoch) in the session's zone. A column
/// without one has NULL, or fails when it takes none.
pub fn default_column(column: &Column, rows: usize, now: i64, zone: &Zone) -> Result<ArrayRef, SqlError> {
    let wall = || now + zone.offset_at_instant(now.div_euclid(1_000_000)) * 1_000_000;
    let text = match &column.default {
        None if !column.nullable => {
            return Err(SqlError::plain(format!(
                "Column has no default value, column={}",
                column.name
            )));
        }
        None | Some(DefaultValue::Null) => return Ok(new_null_array(&column.doris_type.arrow_type(), rows)),
        Some(DefaultValue::Text(text)) => text.clone(),
        Some(DefaultValue::Now(scale)) => {
            let mut out = String::new();
            let step = 10_i64.pow(6 - u32::from((*scale).min(6)));
            write_datetime(&mut out, wall().div_euclid(step) * step, 6);
            out
        }
        Some(DefaultValue::Today) => {
            let mut out = String::new();
            write_date(&mut out, wall().div_euclid(86_400_000_000));
            out
        }
        Some(DefaultValue::BitmapEmpty) => String::new(),
    };
    let cell = read_cell(&column.doris_type, &text).map_err(SqlError::plain)?;
    let one = build_array(&column.doris_type, &[cell], zone).map_err(|e| SqlError::plain(e.message))?;
    take(&one, &UInt32Array::from(vec![0; rows]), None).map_err(SqlError::plain)
}

/// What rows that are there get in a new NOT NULL column without a default: the type's zero.
pub fn zero_default(doris_type: &DorisType) -> DefaultValue {
    let text = match doris_type {
        t if t.is_number() => "0",
        DorisType::Boolean => "false",
        DorisType::Date | DorisType::DateV1 => "0001-01-01",
        DorisType::DateTime(_) | DorisType::DateTimeV1 | DorisType::TimestampTz(_) => "0001-01-01 00:00:00",
        DorisType::Time(_) => "00:00:00",
        DorisType::Json | DorisType::Variant => "null",
        DorisType::Ipv4 => "0.0.0.0",
        DorisType::Ipv6 => "::",
        DorisType::Array(_) => "[]",
        DorisType::Map(..) | DorisType::Struct(_) => "{}",
        DorisType::Bitmap => return DefaultValue::BitmapEmpty,
        _ => "",
    };
    DefaultValue::Text(text.into())
}
