//! The conversions themselves, array by array.

mod decimal;
mod nested;
mod time;

use std::sync::Arc;

use arrow::array::builder::BinaryBuilder;
use arrow::array::cast::AsArray;
use arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int32Type, Int64Type,
    TimestampMicrosecondType, UInt32Type,
};
use arrow::array::{Array, ArrayRef, BinaryArray, ListArray, PrimitiveArray, StructArray, new_null_array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field};
use arrow::error::ArrowError;

use super::plan::Conversion;
use super::text;
use crate::error::{Error, Result};
use decimal::{in_decimal, rescale, too_wide};
use nested::{map_array, rebased, row_to_map, used};
use time::{not_a_time_of_day, time, time_of_day, turn};

/// Applies a conversion. Errors name the column by `label`.
pub(super) fn convert(array: &ArrayRef, conversion: &Conversion, label: &str) -> Result<ArrayRef> {
    let fail = |message: String| Error::value(label, message);
    Ok(match conversion {
        Conversion::Same => array.clone(),
        Conversion::Nulls(r#type) => new_null_array(r#type, array.len()),
        Conversion::Cast(r#type) => cast(array, r#type, label)?,
        Conversion::Unpack(r#type, then) => convert(&cast(array, r#type, label)?, then, label)?,
        Conversion::LargeIntToText => map_fixed(array, label, |value, out| {
            out.push_str(&i128::from_le_bytes(value).to_string());
            Some(())
        })?,
        Conversion::UuidToText => map_fixed(array, label, |value, out| {
            for (i, byte) in value.iter().enumerate() {
                if matches!(i, 4 | 6 | 8 | 10) {
                    out.push('-');
                }
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from_digit(u32::from(digit), 16)?);
                }
            }
            Some(())
        })?,
        Conversion::LargeIntToDecimal => {
            let values = fixed(array, label)?;
            let numbers: Result<PrimitiveArray<Decimal128Type>> = (0..array.len())
                .map(|row| match array.is_null(row) {
                    true => Ok(None),
                    false => {
                        let value = i128::from_le_bytes(values(row));
                        in_decimal(value, 38)
                            .map(Some)
                            .ok_or_else(|| fail(too_wide(&value.to_string(), 38, 0)))
                    }
                })
                .collect();
            Arc::new(numbers?.with_data_type(DataType::Decimal128(38, 0)))
        }
        Conversion::TextToDecimal(p, s) => {
            let parsed = parse_all::<Decimal128Type>(
                array,
                label,
                &format!("does not fit DECIMAL({p}, {s})"),
                |text| text::parse_decimal(text, *s).and_then(|v| in_decimal(v, *p)),
            )?;
            Arc::new(parsed.with_data_type(DataType::Decimal128(*p, *s)))
        }
        Conversion::Rescale(p, s) => rescale(array, *p, *s, label)?,
        Conversion::TextToDate => Arc::new(parse_all::<Date32Type>(
            array,
            label,
            "is not a DATE",
            text::parse_date,
        )?),
        Conversion::Time(clock, unit) => Arc::new(time(array, *clock, *unit, label)?),
        Conversion::TextToTime(clock) => {
            let parsed = parse_all::<TimestampMicrosecondType>(array, label, "is not a timestamp", |text| {
                let (wall, offset) = text::parse_timestamp(text)?;
                turn(*clock, offset.map_or(wall, |seconds| wall - seconds * 1_000_000))
            })?;
            Arc::new(parsed)
        }
        Conversion::MicrosToTimeOfDay => {
            let values: PrimitiveArray<Int32Type> = array
                .as_primitive::<Float64Type>()
                .try_unary(|micros| time_of_day(micros as i64).ok_or_else(|| not_a_time_of_day(micros)))
                .map_err(|e| fail(plain(e)))?;
            Arc::new(values)
        }
        Conversion::TextToTimeOfDay => {
            let what = "is not a time of day (a TIME beyond 24 hours or finer than milliseconds can be declared STRING)";
            Arc::new(parse_all::<Int32Type>(array, label, what, |text| {
                time_of_day(text::parse_time(text)?)
            })?)
        }
        Conversion::TextToMicros => {
            Arc::new(parse_all::<Float64Type>(array, label, "is not a TIME", |text| {
                Some(text::parse_time(text)? as f64)
            })?)
        }
        Conversion::Ipv4ToLong => ipv4_to_long(array, label)?,
        Conversion::Ipv4ToText => print_all(array, label, |row, out| {
            let bits = match array.data_type() {
                DataType::Int32 => array.as_primitive::<Int32Type>().value(row) as u32,
                _ => array.as_primitive::<UInt32Type>().value(row),
            };
            out.push_str(&std::net::Ipv4Addr::from(bits).to_string());
            Some(())
        })?,
        Conversion::Ipv6ToText => {
            let texts = array.as_binary::<i32>();
            print_all(array, label, |row, out| {
                let text = std::str::from_utf8(texts.value(row)).ok()?;
                match text.parse::<u128>() {
                    Ok(number) => out.push_str(&std::net::Ipv6Addr::from(number).to_string()),
                    Err(_) => out.push_str(text),
                }
                Some(())
            })?
        }
        Conversion::DateToText => {
            let days = array.as_primitive::<Date32Type>();
            print_all(array, label, |row, out| text::date_text(days.value(row), out))?
        }
        Conversion::TimeToText(clock, unit, scale) => {
            let micros = time(array, *clock, *unit, label)?;
            print_all(array, label, |row, out| {
                text::timestamp_text(micros.value(row), *scale, out)
            })?
        }
        Conversion::MicrosToText(scale) => {
            let micros = array.as_primitive::<Float64Type>();
            print_all(array, label, |row, out| {
                text::time_text(micros.value(row) as i64, *scale, out)
            })?
        }
        Conversion::DecimalToText => print_all(array, label, |row, out| {
            match array.data_type() {
                DataType::Decimal128(_, _) => {
                    out.push_str(&array.as_primitive::<Decimal128Type>().value_as_string(row))
                }
                _ => out.push_str(&array.as_primitive::<Decimal256Type>().value_as_string(row)),
            }
            Some(())
        })?,
        Conversion::List(item) => {
            let list = array.as_list::<i32>();
            let values = convert(&used(list.values(), list.offsets()), item, label)?;
            let field = Arc::new(Field::new("item", values.data_type().clone(), true));
            let list = ListArray::try_new(field, rebased(list.offsets()), values, list.nulls().cloned());
            Arc::new(list.map_err(|e| Error::corrupt(e.to_string()))?)
        }
        Conversion::Map(key, value) => {
            let map = array.as_list::<i32>();
            let entries = map.values().as_struct();
            let keys = convert(&used(entries.column(0), map.offsets()), key, label)?;
            let values = convert(&used(entries.column(1), map.offsets()), value, label)?;
            map_array(keys, values, rebased(map.offsets()), map.nulls().cloned())?
        }
        Conversion::Row(parts) => {
            let row = array.as_struct();
            let mut fields = Vec::with_capacity(parts.len());
            let mut columns = Vec::with_capacity(parts.len());
            for (place, name, part) in parts {
                let column = convert(row.column(*place), part, &format!("{label}.{name}"))?;
                fields.push(Field::new(name.clone(), column.data_type().clone(), true));
                columns.push(column);
            }
            let row =
                StructArray::try_new_with_length(fields.into(), columns, row.nulls().cloned(), row.len());
            Arc::new(row.map_err(|e| Error::corrupt(e.to_string()))?)
        }
        Conversion::RowToMap(names) => row_to_map(array, names)?,
    })
}

fn cast(array: &ArrayRef, r#type: &DataType, label: &str) -> Result<ArrayRef> {
    if array.data_type() == r#type {
        return Ok(array.clone());
    }
    let strict = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    cast_with_options(array, r#type, &strict).map_err(|e| Error::value(label, e.to_string()))
}

fn text_of<'a>(values: &'a BinaryArray, row: usize, label: &str) -> Result<&'a str> {
    std::str::from_utf8(values.value(row)).map_err(|_| Error::value(label, "a text that is not UTF-8"))
}

/// Parses every text; one that does not parse is an error that shows it.
fn parse_all<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    label: &str,
    what: &str,
    parse: impl Fn(&str) -> Option<T::Native>,
) -> Result<PrimitiveArray<T>> {
    let texts = array.as_binary::<i32>();
    let mut values = PrimitiveArray::<T>::builder(texts.len());
    for row in 0..texts.len() {
        if texts.is_null(row) {
            values.append_null();
            continue;
        }
        let text = text_of(texts, row, label)?;
        values.append_value(
            parse(text).ok_or_else(|| Error::value(label, format!("'{}' {what}", shortened(text))))?,
        );
    }
    Ok(values.finish())
}

/// Prints every value as text.
fn print_all(
    array: &ArrayRef,
    label: &str,
    print: impl Fn(usize, &mut String) -> Option<()>,
) -> Result<ArrayRef> {
    let mut texts = BinaryBuilder::with_capacity(array.len(), array.len() * 16);
    let mut text = String::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            texts.append_null();
            continue;
        }
        text.clear();
        print(row, &mut text).ok_or_else(|| {
            Error::value(
                label,
                "a value that has no text (outside the years 0000 to 9999?)",
            )
        })?;
        texts.append_value(&text);
    }
    Ok(Arc::new(texts.finish()))
}

/// Access to 16-byte values.
fn fixed<'a>(array: &'a ArrayRef, label: &str) -> Result<impl Fn(usize) -> [u8; 16] + 'a> {
    let values = array
        .as_fixed_size_binary_opt()
        .filter(|a| a.value_length() == 16)
        .ok_or_else(|| Error::value(label, "values that are not 16 bytes wide"))?;
    Ok(|row| {
        let mut value = [0u8; 16];
        value.copy_from_slice(values.value(row));
        value
    })
}

fn map_fixed(
    array: &ArrayRef,
    label: &str,
    print: impl Fn([u8; 16], &mut String) -> Option<()>,
) -> Result<ArrayRef> {
    let value = fixed(array, label)?;
    print_all(array, label, |row, out| print(value(row), out))
}

fn ipv4_to_long(array: &ArrayRef, label: &str) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Int32 => Arc::new(
            array
                .as_primitive::<Int32Type>()
                .unary::<_, Int64Type>(|bits| i64::from(bits as u32)),
        ),
        DataType::UInt32 => Arc::new(
            array
                .as_primitive::<UInt32Type>()
                .unary::<_, Int64Type>(i64::from),
        ),
        _ => Arc::new(parse_all::<Int64Type>(
            array,
            label,
            "is not an IPv4 address",
            |text| {
                Some(i64::from(u32::from(
                    text.trim().parse::<std::net::Ipv4Addr>().ok()?,
                )))
            },
        )?),
    })
}

/// The text of an error without arrow's own prefix.
fn plain(error: ArrowError) -> String {
    match error {
        ArrowError::ComputeError(text) => text,
        other => other.to_string(),
    }
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    if text.chars().count() <= SHOWN {
        text.to_owned()
    } else {
        text.chars().take(SHOWN).chain(['…']).collect()
    }
}
