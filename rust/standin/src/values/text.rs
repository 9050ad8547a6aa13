//! Values as text: what the MySQL port shows and `CAST(x AS STRING)` gives.

use std::net::Ipv4Addr;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampSecondType, UInt32Type,
};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::{DataType, TimeUnit};

use crate::values::civil::MICROS;
use crate::values::datetime::{write_date, write_datetime, write_instant, write_time};
use crate::values::number::{write_decimal, write_f32, write_f64};
use crate::values::types::DorisType;
use crate::values::zone::Zone;

/// One value as the MySQL port shows it; `None` is NULL. `array` holds the stored form or the compute form of the
/// type. Booleans are 1 and 0 at top level, `true` and `false` inside nested values; opaque aggregates show as NULL.
pub fn render(doris_type: &DorisType, array: &dyn Array, row: usize, zone: &Zone) -> Option<String> {
    let mut out = String::new();
    render_into(&mut out, doris_type, array, row, zone).then_some(out)
}

/// As [`render`], appended to `out`; false for NULL, then nothing is appended.
pub fn render_into(
    out: &mut String,
    doris_type: &DorisType,
    array: &dyn Array,
    row: usize,
    zone: &Zone,
) -> bool {
    if array.is_null(row) || doris_type.is_opaque() || *doris_type == DorisType::Null {
        return false;
    }
    if *doris_type == DorisType::Boolean {
        out.push(if array.as_boolean().value(row) { '1' } else { '0' });
    } else {
        write_value(out, doris_type, array, row, zone);
    }
    true
}

/// A whole column as text.
pub fn render_array(doris_type: &DorisType, array: &dyn Array, zone: &Zone) -> StringArray {
    (0..array.len())
        .map(|row| render(doris_type, array, row, zone))
        .collect()
}

/// Writes a value that is not NULL.
fn write_value(out: &mut String, doris_type: &DorisType, array: &dyn Array, row: usize, zone: &Zone) {
    match array.data_type() {
        DataType::Boolean => out.push_str(if array.as_boolean().value(row) {
            "true"
        } else {
            "false"
        }),
        DataType::Int8 => push(out, array.as_primitive::<Int8Type>().value(row)),
        DataType::Int16 => push(out, array.as_primitive::<Int16Type>().value(row)),
        DataType::Int32 => {
            let value = array.as_primitive::<Int32Type>().value(row);
            match doris_type {
                DorisType::Ipv4 => push(out, Ipv4Addr::from(value as u32)),
                _ => push(out, value),
            }
        }
        DataType::UInt32 => {
            let value = array.as_primitive::<UInt32Type>().value(row);
            match doris_type {
                DorisType::Ipv4 => push(out, Ipv4Addr::from(value)),
                _ => push(out, value),
            }
        }
        DataType::Int64 => push(out, array.as_primitive::<Int64Type>().value(row)),
        DataType::Float32 => write_f32(out, array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(row);
            match doris_type {
                DorisType::Time(scale) => write_time(out, value as i64, *scale),
                _ => write_f64(out, value),
            }
        }
        DataType::Decimal128(_, scale) => {
            let value = array.as_primitive::<Decimal128Type>().value(row);
            write_decimal(out, &value.to_string(), (*scale).max(0) as usize);
        }
        DataType::Decimal256(_, scale) => {
            let value = array.as_primitive::<Decimal256Type>().value(row);
            write_decimal(out, &value.to_string(), (*scale).max(0) as usize);
        }
        DataType::Date32 => write_date(out, array.as_primitive::<Date32Type>().value(row).into()),
        DataType::Timestamp(unit, _) => {
            let micros = micros_at(array, unit, row);
            match doris_type {
                DorisType::TimestampTz(scale) => write_instant(out, micros, *scale, zone),
                DorisType::DateTime(scale) => write_datetime(out, micros, *scale),
                _ => write_datetime(out, micros, crate::values::types::scale_of_unit(unit)),
            }
        }
        DataType::Utf8 => out.push_str(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => out.push_str(array.as_string::<i64>().value(row)),
        DataType::Utf8View => out.push_str(array.as_string_view().value(row)),
        DataType::Binary => {
            out.push_str("0x");
            for byte in array.as_binary::<i32>().value(row) {
                out.push_str(&format!("{byte:02X}"));
            }
        }
        DataType::List(_) => write_list(out, doris_type, &array.as_list::<i32>().value(row), zone),
        DataType::Map(..) => write_map(out, doris_type, array, row, zone),
        DataType::Struct(_) => write_struct(out, doris_type, array, row, zone),
        other => push(out, format_args!("<{other}>")),
    }
}

/// Microseconds of a timestamp of any unit.
pub(crate) fn micros_at(array: &dyn Array, unit: &TimeUnit, row: usize) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(row) * MICROS,
        TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().value(row) * 1000,
        TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(row),
        TimeUnit::Nanosecond => array
            .as_primitive::<arrow_array::types::TimestampNanosecondType>()
            .value(row)
            .div_euclid(1000),
    }
}

fn push(out: &mut String, value: impl std::fmt::Display) {
    use std::fmt::Write;
    // Writing to a String cannot fail.
    let _ = write!(out, "{value}");
}

fn write_list(out: &mut String, doris_type: &DorisType, items: &ArrayRef, zone: &Zone) {
    let fallback = DorisType::of_arrow(items.data_type());
    let item_type = match doris_type {
        DorisType::Array(item) => item.as_ref(),
        _ => &fallback,
    };
    out.push('[');
    for row in 0..items.len() {
        if row > 0 {
            out.push_str(", ");
        }
        write_inner(out, item_type, items, row, zone);
    }
    out.push(']');
}

fn write_map(out: &mut String, doris_type: &DorisType, array: &dyn Array, row: usize, zone: &Zone) {
    let entries = array.as_map().value(row);
    let (keys, values) = (entries.column(0), entries.column(1));
    let (key_type, value_type) = match doris_type {
        DorisType::Map(key, value) => (key.as_ref().clone(), value.as_ref().clone()),
        _ => (
            DorisType::of_arrow(keys.data_type()),
            DorisType::of_arrow(values.data_type()),
        ),
    };
    out.push('{');
    for entry in 0..entries.len() {
        if entry > 0 {
            out.push_str(", ");
        }
        write_inner(out, &key_type, keys, entry, zone);
        out.push(':');
        write_inner(out, &value_type, values, entry, zone);
    }
    out.push('}');
}

fn write_struct(out: &mut String, doris_type: &DorisType, array: &dyn Array, row: usize, zone: &Zone) {
    let values = array.as_struct();
    out.push('{');
    for (index, (field, column)) in values.fields().iter().zip(values.columns()).enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_quoted(out, field.name());
        out.push(':');
        let fallback;
        let field_type = match doris_type {
            DorisType::Struct(fields) if index < fields.len() => &fields[index].doris_type,
            _ => {
                fallback = DorisType::of_arrow(column.data_type());
                &fallback
            }
        };
        write_inner(out, field_type, column, row, zone);
    }
    out.push('}');
}

/// A value inside a nested one: NULL as `null`, texts and times in double quotes.
fn write_inner(out: &mut String, doris_type: &DorisType, array: &ArrayRef, row: usize, zone: &Zone) {
    if array.is_null(row) || doris_type.is_opaque() || *doris_type == DorisType::Null {
        out.push_str("null");
        return;
    }
    match doris_type {
        DorisType::Char(_)
        | DorisType::Varchar(_)
        | DorisType::String
        | DorisType::Ipv4
        | DorisType::Ipv6
        | DorisType::Date
        | DorisType::DateV1
        | DorisType::DateTime(_)
        | DorisType::DateTimeV1
        | DorisType::TimestampTz(_)
        | DorisType::Time(_)
        | DorisType::Varbinary(_) => {
            let mut text = String::new();
            write_value(&mut text, doris_type, array, row, zone);
            write_quoted(out, &text);
        }
        _ => write_value(out, doris_type, array, row, zone),
    }
}

/// Text in double quotes with JSON's escapes.
fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => push(out, format_args!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}
