//! Arrays of one Doris type cast to another, with Doris' results.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, TimestampMillisecondType, TimestampSecondType};
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, TimeUnit};

use super::build::{CellError, build_array, too_long};
use super::civil::MICROS;
use super::datetime::round_micros;
use super::nested::{Cell, read_cell};
use super::{from_compute, to_compute};
use crate::values::text::{micros_at, render_array, render_into};
use crate::values::types::{DorisType, unit_of_scale};
use crate::values::zone::Zone;

/// Casts a column to the stored form of `to`. With `strict` a value that does not fit is an error, else it is NULL.
/// `array` holds the stored or the compute form of `from`.
pub fn cast_array(
    from: &DorisType,
    to: &DorisType,
    array: &ArrayRef,
    zone: &Zone,
    strict: bool,
) -> Result<ArrayRef, CellError> {
    if from == to && array.data_type() == &to.arrow_type() {
        return Ok(Arc::clone(array));
    }
    if *from == DorisType::Null || array.data_type() == &DataType::Null {
        return Ok(new_null_array(&to.arrow_type(), array.len()));
    }
    if from == to {
        let stored = from_compute(from, array);
        if stored.data_type() == &to.arrow_type() {
            return Ok(stored);
        }
    }
    if let Some(result) = direct(from, to, array, zone, strict) {
        return result;
    }
    if to.is_text() {
        let texts = Arc::new(render_array(from, array, zone)) as ArrayRef;
        return bounded(to, texts, strict);
    }
    through_text(from, to, array, zone, strict)
}

/// Casts that need no text; `None` when there is no such way.
fn direct(
    from: &DorisType,
    to: &DorisType,
    array: &ArrayRef,
    zone: &Zone,
    strict: bool,
) -> Option<Result<ArrayRef, CellError>> {
    let plain_number = |t: &DorisType| t.is_number() || *t == DorisType::Boolean;
    if plain_number(from) && plain_number(to) {
        let computed = to_compute(from, array);
        let target = to.compute_type();
        let options = CastOptions {
            safe: !strict,
            ..CastOptions::default()
        };
        let cast = cast_with_options(&computed, &target, &options)
            .map(|array| from_compute(to, &array))
            .map_err(|_| first_misfit(from, to, &computed, &target));
        return Some(cast);
    }
    if from.is_text() && to.is_text() {
        let texts = match array.data_type() {
            DataType::Utf8 => Arc::clone(array),
            _ => arrow_cast::cast(array, &DataType::Utf8).ok()?,
        };
        return Some(bounded(to, texts, strict));
    }
    if from.is_nested() && to.is_nested() {
        return super::cast_nested::cast_nested(from, to, array, zone, strict);
    }
    match (array.data_type(), to) {
        (DataType::Timestamp(unit, _), DorisType::DateTime(scale)) => {
            let shift = matches!(from, DorisType::TimestampTz(_));
            Some(timestamps(array, unit, *scale, to, strict, |micros| {
                let offset = if shift {
                    zone.offset_at_instant(micros.div_euclid(MICROS))
                } else {
                    0
                };
                micros + offset * MICROS
            }))
        }
        (DataType::Timestamp(unit, _), DorisType::TimestampTz(scale)) => {
            let shift = !matches!(from, DorisType::TimestampTz(_));
            Some(timestamps(array, unit, *scale, to, strict, |micros| {
                let offset = if shift {
                    zone.offset_at_wall(micros.div_euclid(MICROS))
                } else {
                    0
                };
                micros - offset * MICROS
            }))
        }
        (DataType::Date32, DorisType::DateTime(_)) => {
            Some(arrow_cast::cast(array, &to.arrow_type()).map_err(|e| CellError {
                row: 0,
                message: e.to_string(),
            }))
        }
        _ => None,
    }
}

fn timestamps(
    array: &ArrayRef,
    unit: &TimeUnit,
    scale: u8,
    to: &DorisType,
    strict: bool,
    shift: impl Fn(i64) -> i64,
) -> Result<ArrayRef, CellError> {
    let mut micros = Vec::with_capacity(array.len());
    for row in 0..array.len() {
        let value = match array.is_null(row) {
            true => None,
            false => match round_micros(shift(micros_at(array, unit, row)), scale) {
                None if strict => {
                    return Err(CellError {
                        row,
                        message: format!("datetime out of range for {}", to.sql_name()),
                    });
                }
                value => value,
            },
        };
        micros.push(value);
    }
    let values = micros.into_iter();
    let target = to.arrow_type();
    Ok(match unit_of_scale(scale) {
        TimeUnit::Second => Arc::new(
            values
                .map(|v| v.map(|v| v.div_euclid(MICROS)))
                .collect::<arrow_array::PrimitiveArray<TimestampSecondType>>()
                .with_data_type(target),
        ),
        TimeUnit::Millisecond => Arc::new(
            values
                .map(|v| v.map(|v| v.div_euclid(1000)))
                .collect::<arrow_array::PrimitiveArray<TimestampMillisecondType>>()
                .with_data_type(target),
        ),
        _ => Arc::new(
            values
                .collect::<arrow_array::PrimitiveArray<TimestampMicrosecondType>>()
                .with_data_type(target),
        ),
    })
}

/// Checks the length of texts, in bytes; too long is an error or, when not strict, cut as `CAST` cuts.
fn bounded(to: &DorisType, texts: ArrayRef, strict: bool) -> Result<ArrayRef, CellError> {
    let limit = match to {
        DorisType::Char(n) | DorisType::Varchar(n) => *n as usize,
        _ => return Ok(texts),
    };
    let strings = texts.as_string::<i32>();
    let long = strings
        .iter()
        .position(|text| text.is_some_and(|t| t.len() > limit));
    match long {
        None => Ok(texts),
        Some(row) if strict => Err(CellError {
            row,
            message: too_long(strings.value(row), limit as u32),
        }),
        Some(_) => {
            let cut = strings.iter().map(|text| text.map(|t| cut_at(t, limit)));
            Ok(Arc::new(cut.collect::<arrow_array::StringArray>()))
        }
    }
}

fn cut_at(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn first_misfit(from: &DorisType, to: &DorisType, computed: &ArrayRef, target: &DataType) -> CellError {
    let options = CastOptions {
        safe: true,
        ..CastOptions::default()
    };
    let row = cast_with_options(computed, target, &options)
        .ok()
        .and_then(|cast| (0..cast.len()).find(|row| cast.is_null(*row) && !computed.is_null(*row)))
        .unwrap_or(0);
    let value = crate::values::text::render(from, computed, row, &Zone::UTC).unwrap_or_default();
    CellError {
        row,
        message: format!("Value '{value}' out of range for type {}", to.sql_name()),
    }
}

/// Renders every value and reads it back as the target type: slow, but right for every pair of types.
fn through_text(
    from: &DorisType,
    to: &DorisType,
    array: &ArrayRef,
    zone: &Zone,
    strict: bool,
) -> Result<ArrayRef, CellError> {
    let mut texts: Vec<Option<String>> = Vec::with_capacity(array.len());
    for row in 0..array.len() {
        let mut text = String::new();
        let found = match (from, array.data_type()) {
            // Opaque values have no text: only the bytes can be handed on.
            (_, DataType::Binary) if array.is_valid(row) => {
                text = String::from_utf8_lossy(array.as_binary::<i32>().value(row)).into_owned();
                true
            }
            _ => render_into(&mut text, from, array, row, zone),
        };
        texts.push(found.then_some(text));
    }
    if matches!(array.data_type(), DataType::Binary) && to.arrow_type() == DataType::Binary {
        return Ok(Arc::clone(array));
    }
    let cells: Vec<Cell<'_>> = texts
        .iter()
        .enumerate()
        .map(|(row, text)| match text {
            None => Ok(Cell::Null),
            Some(text) => match read_cell(to, text) {
                Ok(cell) => Ok(cell),
                Err(_) if !strict => Ok(Cell::Null),
                Err(message) => Err(CellError {
                    row,
                    message: format!("{message} in '{text}'"),
                }),
            },
        })
        .collect::<Result<_, _>>()?;
    match build_array(to, &cells, zone) {
        Err(_) if !strict => one_by_one(to, cells, zone),
        result => result,
    }
}

/// As building the whole column, but each cell that does not fit becomes NULL.
fn one_by_one(to: &DorisType, cells: Vec<Cell<'_>>, zone: &Zone) -> Result<ArrayRef, CellError> {
    let kept: Vec<Cell<'_>> = cells
        .into_iter()
        .map(|cell| match build_array(to, std::slice::from_ref(&cell), zone) {
            Ok(_) => cell,
            Err(_) => Cell::Null,
        })
        .collect();
    build_array(to, &kept, zone)
}
