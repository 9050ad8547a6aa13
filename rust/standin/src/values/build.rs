//! Arrays in their stored form, built from cells column by column.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, PrimitiveBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampSecondType,
};
use arrow_array::{ArrayRef, ListArray, MapArray, NullArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::DataType;

use super::civil::MICROS;
use super::datetime::{read_date, read_instant, read_time, read_wall};
use super::nested::Cell;
use super::number::{read_decimal, read_f64, read_i128};
use crate::values::types::{DorisType, unit_of_scale};
use crate::values::zone::Zone;

/// A cell that its type does not take. NULLs are never errors here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellError {
    /// Index of the top-level row.
    pub row: usize,
    /// What is wrong, with the value.
    pub message: String,
}

/// Builds the stored form of a column. Fails at the first cell that the type does not take.
pub fn build_array(doris_type: &DorisType, cells: &[Cell<'_>], zone: &Zone) -> Result<ArrayRef, CellError> {
    let refs: Vec<&Cell<'_>> = cells.iter().collect();
    build(doris_type, &refs, zone)
}

fn build(doris_type: &DorisType, cells: &[&Cell<'_>], zone: &Zone) -> Result<ArrayRef, CellError> {
    match doris_type {
        DorisType::Null => Ok(Arc::new(NullArray::new(cells.len()))),
        DorisType::Boolean => {
            let mut out = BooleanBuilder::with_capacity(cells.len());
            each(doris_type, cells, read_bool, |value| out.append_option(value))?;
            Ok(Arc::new(out.finish()))
        }
        DorisType::TinyInt => integers::<Int8Type>(doris_type, cells),
        DorisType::SmallInt => integers::<Int16Type>(doris_type, cells),
        DorisType::Int => integers::<Int32Type>(doris_type, cells),
        DorisType::BigInt => integers::<Int64Type>(doris_type, cells),
        DorisType::LargeInt => strings(doris_type, cells, |text| read_i128(text).map(|v| v.to_string())),
        DorisType::Float => primitives::<Float32Type>(doris_type, cells, |text| {
            let wide = read_f64(text)?;
            let value = if wide.is_nan() {
                f32::NAN
            } else {
                text.trim().parse().unwrap_or(wide as f32)
            };
            (value.is_finite() || !wide.is_finite()).then_some(value)
        }),
        DorisType::Double => primitives::<Float64Type>(doris_type, cells, read_f64),
        DorisType::Decimal(p, s) | DorisType::DecimalV2(p, s) if *p <= 38 => {
            primitives::<Decimal128Type>(doris_type, cells, |text| read_decimal(text, *p, *s)?.to_i128())
        }
        DorisType::Decimal(p, s) | DorisType::DecimalV2(p, s) => {
            primitives::<Decimal256Type>(doris_type, cells, |text| read_decimal(text, *p, *s))
        }
        DorisType::Date => primitives::<Date32Type>(doris_type, cells, read_date),
        DorisType::DateV1 => strings(doris_type, cells, |text| {
            let mut out = String::new();
            super::datetime::write_date(&mut out, read_date(text)?.into());
            Some(out)
        }),
        DorisType::DateTimeV1 => strings(doris_type, cells, |text| {
            let mut out = String::new();
            super::datetime::write_datetime(&mut out, read_wall(text, 0, zone)?, 0);
            Some(out)
        }),
        DorisType::DateTime(s) => timestamps(doris_type, cells, *s, |text| read_wall(text, *s, zone)),
        DorisType::TimestampTz(s) => timestamps(doris_type, cells, *s, |text| read_instant(text, *s, zone)),
        DorisType::Time(s) => {
            primitives::<Float64Type>(doris_type, cells, |text| read_time(text, *s).map(|v| v as f64))
        }
        DorisType::Char(n) | DorisType::Varchar(n) => bounded(doris_type, cells, *n),
        DorisType::String => strings(doris_type, cells, |text| Some(text.to_string())),
        DorisType::Json => strings(doris_type, cells, |text| {
            serde_json::from_str::<serde_json::Value>(text)
                .ok()
                .map(|value| value.to_string())
        }),
        DorisType::Variant => strings(doris_type, cells, |text| Some(variant_text(text))),
        DorisType::Ipv4 => primitives::<Int32Type>(doris_type, cells, |text| {
            text.trim()
                .parse::<Ipv4Addr>()
                .ok()
                .map(|ip| u32::from(ip) as i32)
        }),
        DorisType::Ipv6 => strings(doris_type, cells, |text| {
            let text = text.trim();
            let ip = text.parse::<Ipv6Addr>().ok();
            ip.or_else(|| text.parse::<Ipv4Addr>().ok().map(|ip| ip.to_ipv6_mapped()))
                .map(|ip| ip.to_string())
        }),
        DorisType::Varbinary(_) | DorisType::Bitmap | DorisType::Hll | DorisType::QuantileState => {
            let mut out = BinaryBuilder::with_capacity(cells.len(), 0);
            each(
                doris_type,
                cells,
                |text| read_bytes(doris_type, text),
                |value| out.append_option(value),
            )?;
            Ok(Arc::new(out.finish()))
        }
        DorisType::Array(_) | DorisType::Map(..) | DorisType::Struct(_) => nested(doris_type, cells, zone),
    }
}

fn nested(doris_type: &DorisType, cells: &[&Cell<'_>], zone: &Zone) -> Result<ArrayRef, CellError> {
    let valid: Vec<bool> = cells.iter().map(|cell| !matches!(cell, Cell::Null)).collect();
    let nulls = valid.contains(&false).then(|| NullBuffer::from(valid));
    // The parser gives each nested type its own kind of cell, so another kind is a scalar in the wrong place.
    let wrong = |row: usize| CellError {
        row,
        message: unfit(doris_type, &format!("{:?}", cells[row])),
    };
    match (doris_type, doris_type.arrow_type()) {
        (DorisType::Array(item), DataType::List(field)) => {
            let mut children = Vec::new();
            let mut owners = Vec::new();
            let mut lengths = Vec::with_capacity(cells.len());
            for (row, cell) in cells.iter().enumerate() {
                let items: &[Cell<'_>] = match cell {
                    Cell::Null => &[],
                    Cell::List(items) => items,
                    _ => return Err(wrong(row)),
                };
                children.extend(items);
                owners.extend(std::iter::repeat_n(row, items.len()));
                lengths.push(items.len());
            }
            let values = build(item, &children, zone).map_err(|e| owned_by(e, &owners))?;
            Ok(Arc::new(ListArray::new(
                field,
                OffsetBuffer::from_lengths(lengths),
                values,
                nulls,
            )))
        }
        (DorisType::Map(key, value), DataType::Map(field, _)) => {
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            let mut owners = Vec::new();
            let mut lengths = Vec::with_capacity(cells.len());
            for (row, cell) in cells.iter().enumerate() {
                let pairs: &[(Cell<'_>, Cell<'_>)] = match cell {
                    Cell::Null => &[],
                    Cell::Pairs(pairs) => pairs,
                    _ => return Err(wrong(row)),
                };
                for (k, v) in pairs {
                    if matches!(k, Cell::Null) {
                        return Err(CellError {
                            row,
                            message: "a map key is NULL".into(),
                        });
                    }
                    keys.push(k);
                    values.push(v);
                }
                owners.extend(std::iter::repeat_n(row, pairs.len()));
                lengths.push(pairs.len());
            }
            let keys = build(key, &keys, zone).map_err(|e| owned_by(e, &owners))?;
            let values = build(value, &values, zone).map_err(|e| owned_by(e, &owners))?;
            let DataType::Struct(fields) = field.data_type().clone() else {
                return Err(CellError {
                    row: 0,
                    message: "a map without entries".into(),
                });
            };
            let entries = StructArray::new(fields, vec![keys, values], None);
            Ok(Arc::new(MapArray::new(
                field,
                OffsetBuffer::from_lengths(lengths),
                entries,
                nulls,
                false,
            )))
        }
        (DorisType::Struct(fields), DataType::Struct(arrow_fields)) => {
            let mut columns = Vec::with_capacity(fields.len());
            for (index, field) in fields.iter().enumerate() {
                let mut column: Vec<&Cell<'_>> = Vec::with_capacity(cells.len());
                for (row, cell) in cells.iter().enumerate() {
                    column.push(match cell {
                        Cell::Null => &Cell::Null,
                        Cell::Fields(values) => values.get(index).ok_or_else(|| wrong(row))?,
                        _ => return Err(wrong(row)),
                    });
                }
                columns.push(build(&field.doris_type, &column, zone)?);
            }
            StructArray::try_new_with_length(arrow_fields, columns, nulls, cells.len())
                .map(|array| Arc::new(array) as ArrayRef)
                .map_err(|e| CellError {
                    row: 0,
                    message: e.to_string(),
                })
        }
        _ => Err(CellError {
            row: 0,
            message: unfit(doris_type, ""),
        }),
    }
}

fn owned_by(error: CellError, owners: &[usize]) -> CellError {
    CellError {
        row: owners.get(error.row).copied().unwrap_or(0),
        ..error
    }
}

/// Calls `read` for every text and `put` for every cell.
fn each<'a, T>(
    doris_type: &DorisType,
    cells: &[&'a Cell<'_>],
    mut read: impl FnMut(&'a str) -> Option<T>,
    mut put: impl FnMut(Option<T>),
) -> Result<(), CellError> {
    for (row, cell) in cells.iter().enumerate() {
        match cell {
            Cell::Null => put(None),
            Cell::Text(text) => match read(text) {
                Some(value) => put(Some(value)),
                None => {
                    return Err(CellError {
                        row,
                        message: unfit(doris_type, text),
                    });
                }
            },
            other => {
                return Err(CellError {
                    row,
                    message: unfit(doris_type, &format!("{other:?}")),
                });
            }
        }
    }
    Ok(())
}

fn unfit(doris_type: &DorisType, text: &str) -> String {
    let shown: String = text.chars().take(64).collect();
    format!("Invalid value '{shown}' for type {}", doris_type.sql_name())
}

fn primitives<T: ArrowPrimitiveType>(
    doris_type: &DorisType,
    cells: &[&Cell<'_>],
    read: impl FnMut(&str) -> Option<T::Native>,
) -> Result<ArrayRef, CellError> {
    let mut out = PrimitiveBuilder::<T>::with_capacity(cells.len()).with_data_type(doris_type.arrow_type());
    each(doris_type, cells, read, |value| out.append_option(value))?;
    Ok(Arc::new(out.finish()))
}

fn integers<T: ArrowPrimitiveType>(doris_type: &DorisType, cells: &[&Cell<'_>]) -> Result<ArrayRef, CellError>
where
    T::Native: TryFrom<i128>,
{
    primitives::<T>(doris_type, cells, |text| {
        T::Native::try_from(read_i128(text)?).ok()
    })
}

fn timestamps(
    doris_type: &DorisType,
    cells: &[&Cell<'_>],
    scale: u8,
    mut micros: impl FnMut(&str) -> Option<i64>,
) -> Result<ArrayRef, CellError> {
    use arrow_schema::TimeUnit;
    match unit_of_scale(scale) {
        TimeUnit::Second => primitives::<TimestampSecondType>(doris_type, cells, |text| {
            micros(text).map(|v| v.div_euclid(MICROS))
        }),
        TimeUnit::Millisecond => primitives::<TimestampMillisecondType>(doris_type, cells, |text| {
            micros(text).map(|v| v.div_euclid(1000))
        }),
        _ => primitives::<TimestampMicrosecondType>(doris_type, cells, micros),
    }
}

fn strings(
    doris_type: &DorisType,
    cells: &[&Cell<'_>],
    read: impl FnMut(&str) -> Option<String>,
) -> Result<ArrayRef, CellError> {
    let mut out = StringBuilder::with_capacity(cells.len(), 0);
    each(doris_type, cells, read, |value| out.append_option(value))?;
    Ok(Arc::new(out.finish()))
}

fn bounded(doris_type: &DorisType, cells: &[&Cell<'_>], limit: u32) -> Result<ArrayRef, CellError> {
    let mut out = StringBuilder::with_capacity(cells.len(), 0);
    for (row, cell) in cells.iter().enumerate() {
        match cell {
            Cell::Null => out.append_null(),
            Cell::Text(text) if text.len() > limit as usize => {
                return Err(CellError {
                    row,
                    message: too_long(text, limit),
                });
            }
            Cell::Text(text) => out.append_value(text),
            other => {
                return Err(CellError {
                    row,
                    message: unfit(doris_type, &format!("{other:?}")),
                });
            }
        }
    }
    Ok(Arc::new(out.finish()))
}

/// Doris' words for a text that is longer than its column.
pub fn too_long(text: &str, limit: u32) -> String {
    let mut end = text.len().min(32);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!(
        "the length of input is too long than schema. first 32 bytes of input str: [{}] schema length: {limit}; actual length: {}; ",
        &text[..end],
        text.len()
    )
}

/// A Boolean text: digits are true unless zero.
pub fn read_bool(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "on" => Some(true),
        "false" | "f" | "no" | "off" => Some(false),
        number => read_f64(number).map(|value| value != 0.0),
    }
}

/// `VARIANT` text: JSON with sorted keys, anything else as it stands.
fn variant_text(text: &str) -> String {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(mut value) => {
            value.sort_all_objects();
            value.to_string()
        }
        Err(_) => text.to_string(),
    }
}

/// Bytes of a binary text: `0x…` and `X'…'` are hex, bitmaps are lists of numbers, else the text's own bytes.
fn read_bytes(doris_type: &DorisType, text: &str) -> Option<Vec<u8>> {
    if *doris_type == DorisType::Bitmap {
        return crate::values::bitmap::Bitmap::of_text(text).map(|bitmap| bitmap.to_bytes());
    }
    let bytes = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => read_hex(hex)?,
        None => text.as_bytes().to_vec(),
    };
    match doris_type {
        DorisType::Varbinary(limit) if bytes.len() > *limit as usize => None,
        _ => Some(bytes),
    }
}

fn read_hex(hex: &str) -> Option<Vec<u8>> {
    if !hex.len().is_multiple_of(2) || !hex.is_ascii() {
        return None;
    }
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok())
        .collect()
}
