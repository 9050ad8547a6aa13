//! The conversions themselves, array by array.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt32Type,
};
use arrow_array::{Array, ArrayRef, BinaryArray, ListArray, PrimitiveArray, StructArray, new_null_array};
use arrow_buffer::{NullBuffer, OffsetBuffer, i256};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, Field, Fields, TimeUnit};

use super::plan::{Clock, Conversion};
use super::text;
use crate::error::{Error, Result};

/// Microseconds of 0000-01-01 00:00:00 and of 9999-12-31 23:59:59.999999, a day wider on both sides for instants.
const FIRST_MICROS: i64 = -62_167_219_200_000_000 - DAY_MICROS;
const LAST_MICROS: i64 = 253_402_300_799_999_999 + DAY_MICROS;
const DAY_MICROS: i64 = 86_400_000_000;

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

/// The part of a child array that offsets address.
fn used(values: &ArrayRef, offsets: &OffsetBuffer<i32>) -> ArrayRef {
    let (first, last) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
    values.slice(first, last - first)
}

fn rebased(offsets: &OffsetBuffer<i32>) -> OffsetBuffer<i32> {
    let first = offsets[0];
    if first == 0 {
        offsets.clone()
    } else {
        OffsetBuffer::new(offsets.iter().map(|o| o - first).collect())
    }
}

/// A map, as the list of entries that it is laid out as: NULL keys are found by the check that follows, which names the
/// column.
fn map_array(
    keys: ArrayRef,
    values: ArrayRef,
    offsets: OffsetBuffer<i32>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let fields = Fields::from(vec![
        Field::new("key", keys.data_type().clone(), true),
        Field::new("value", values.data_type().clone(), true),
    ]);
    let entries =
        StructArray::try_new(fields, vec![keys, values], None).map_err(|e| Error::corrupt(e.to_string()))?;
    let field = Arc::new(Field::new("entries", entries.data_type().clone(), true));
    let map = ListArray::try_new(field, offsets, Arc::new(entries), nulls)
        .map_err(|e| Error::corrupt(e.to_string()))?;
    Ok(Arc::new(map))
}

fn row_to_map(array: &ArrayRef, names: &[String]) -> Result<ArrayRef> {
    let row = array.as_struct();
    let columns: Vec<&BinaryArray> = row.columns().iter().map(|c| c.as_binary::<i32>()).collect();
    let mut keys = BinaryBuilder::new();
    let mut values = BinaryBuilder::new();
    let mut lengths = Vec::with_capacity(row.len());
    for at in 0..row.len() {
        if row.is_null(at) {
            lengths.push(0);
            continue;
        }
        for (name, column) in names.iter().zip(&columns) {
            keys.append_value(name);
            values.append_option(column.is_valid(at).then(|| column.value(at)));
        }
        lengths.push(names.len());
    }
    map_array(
        Arc::new(keys.finish()),
        Arc::new(values.finish()),
        OffsetBuffer::from_lengths(lengths),
        row.nulls().cloned(),
    )
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

fn rescale(array: &ArrayRef, precision: u8, scale: i8, label: &str) -> Result<ArrayRef> {
    let to = DataType::Decimal128(precision, scale);
    let fail = |text: String| Error::value(label, too_wide(&text, precision, scale));
    let values: PrimitiveArray<Decimal128Type> = match array.data_type() {
        DataType::Decimal128(_, from) => {
            let source = array.as_primitive::<Decimal128Type>();
            let up = scale - from;
            let factor = 10i128
                .checked_pow(u32::from(up.unsigned_abs()))
                .ok_or_else(|| fail("a value".into()))?;
            source
                .try_unary(|value| {
                    let scaled = if up >= 0 {
                        value.checked_mul(factor)
                    } else {
                        (value % factor == 0).then_some(value / factor)
                    };
                    scaled
                        .and_then(|v| in_decimal(v, precision))
                        .ok_or_else(|| ArrowError::ComputeError(decimal_text(value, *from)))
                })
                .map_err(|e| fail(plain(e)))?
        }
        DataType::Decimal256(_, from) => {
            let source = array.as_primitive::<Decimal256Type>();
            let up = scale - from;
            let factor = i256::from_i128(10)
                .checked_pow(u32::from(up.unsigned_abs()))
                .ok_or_else(|| fail("a value".into()))?;
            source
                .try_unary(|value| {
                    let scaled = if up >= 0 {
                        value.checked_mul(factor)
                    } else {
                        (value.checked_rem(factor) == Some(i256::ZERO))
                            .then(|| value.checked_div(factor))
                            .flatten()
                    };
                    scaled
                        .and_then(i256::to_i128)
                        .and_then(|v| in_decimal(v, precision))
                        .ok_or_else(|| ArrowError::ComputeError(value.to_string()))
                })
                .map_err(|e| fail(plain(e)))?
        }
        other => return Err(Error::corrupt(format!("{other} is not a decimal"))),
    };
    Ok(Arc::new(values.with_data_type(to)))
}

fn in_decimal(value: i128, precision: u8) -> Option<i128> {
    let bound = 10u128.pow(u32::from(precision.min(38)));
    (value.unsigned_abs() < bound).then_some(value)
}

fn too_wide(text: &str, precision: u8, scale: i8) -> String {
    format!("the value {text} does not fit DECIMAL({precision}, {scale}); declare the column as STRING")
}

fn time(
    array: &ArrayRef,
    clock: Clock,
    unit: TimeUnit,
    label: &str,
) -> Result<PrimitiveArray<TimestampMicrosecondType>> {
    let DataType::Timestamp(named, _) = array.data_type() else {
        return Err(Error::corrupt(format!(
            "{} is not a timestamp",
            array.data_type()
        )));
    };
    // All units are 64-bit numbers: which name the server gave them does not matter here.
    let numbers = match named {
        TimeUnit::Second => array
            .as_primitive::<TimestampSecondType>()
            .reinterpret_cast::<Int64Type>(),
        TimeUnit::Millisecond => array
            .as_primitive::<TimestampMillisecondType>()
            .reinterpret_cast::<Int64Type>(),
        TimeUnit::Microsecond => array
            .as_primitive::<TimestampMicrosecondType>()
            .reinterpret_cast::<Int64Type>(),
        TimeUnit::Nanosecond => array
            .as_primitive::<TimestampNanosecondType>()
            .reinterpret_cast::<Int64Type>(),
    };
    let micros = move |value: i64| match unit {
        TimeUnit::Second => value.checked_mul(1_000_000),
        TimeUnit::Millisecond => value.checked_mul(1000),
        TimeUnit::Microsecond => Some(value),
        TimeUnit::Nanosecond => (value % 1000 == 0).then_some(value / 1000),
    };
    numbers
        .try_unary(|value| {
            micros(value)
                .filter(|v| (FIRST_MICROS..=LAST_MICROS).contains(v))
                .and_then(|v| turn(clock, v))
                .ok_or_else(|| ArrowError::ComputeError(value.to_string()))
        })
        .map_err(|e| {
            let number = plain(e);
            Error::value(label, format!("the timestamp {number} ({unit:?}) is outside the years 0000 to 9999 or finer than microseconds"))
        })
}

fn turn(clock: Clock, micros: i64) -> Option<i64> {
    match clock {
        Clock::Keep => Some(micros),
        Clock::WallOf(zone) => zone.wall(micros),
        Clock::InstantOf(zone) => zone.instant(micros),
        Clock::Between(shown, local) => local.instant(shown.wall(micros)?),
    }
}

fn time_of_day(micros: i64) -> Option<i32> {
    if !(0..DAY_MICROS).contains(&micros) || micros % 1000 != 0 {
        return None;
    }
    i32::try_from(micros / 1000).ok()
}

fn not_a_time_of_day(micros: f64) -> ArrowError {
    ArrowError::ComputeError(format!(
        "{micros} microseconds are not a time of day (a TIME beyond 24 hours or finer than milliseconds can be declared STRING)"
    ))
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

fn decimal_text(value: i128, scale: i8) -> String {
    use arrow_array::types::DecimalType;
    Decimal128Type::format_decimal(value, 38, scale)
}
