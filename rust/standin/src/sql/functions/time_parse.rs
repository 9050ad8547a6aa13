//! `STR_TO_DATE`: a date read by MySQL's format letters.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, ArrayRef, TimestampMicrosecondArray};
use datafusion::common::{DataFusionError, Result};

use super::{Arguments, Call, Definition};
use crate::values::cast_array;
use crate::values::civil::Civil;
use crate::values::types::DorisType;
use crate::values::zone::Zone;

pub(super) const FUNCTIONS: [Definition; 1] = [Definition {
    names: &["str_to_date"],
    arguments: (2, 2),
    returns: result_type,
    run: str_to_date,
}];

fn result_type(arguments: &Arguments<'_>) -> Result<DorisType> {
    let fraction = arguments.text(1).is_none_or(|format| format.contains("%f"));
    Ok(DorisType::DateTime(if fraction { 6 } else { 0 }))
}

fn str_to_date(call: &Call<'_>) -> Result<ArrayRef> {
    let texts = call.texts(0)?;
    let formats = call.texts(1)?;
    let micros: TimestampMicrosecondArray = texts
        .iter()
        .enumerate()
        .map(|(row, text)| match formats.is_valid(row) {
            true => parse(text?, formats.value(row)),
            false => None,
        })
        .collect();
    let array: ArrayRef = Arc::new(micros);
    let cast = cast_array(&DorisType::DateTime(6), &call.returns, &array, &Zone::UTC, false);
    debug_assert!(array.as_primitive_opt::<TimestampMicrosecondType>().is_some());
    cast.map_err(|e| DataFusionError::Execution(e.message))
}

/// Microseconds of the wall clock; `None` when the text does not follow the format.
fn parse(text: &str, format: &str) -> Option<i64> {
    let mut civil = Civil {
        year: 0,
        month: 1,
        day: 1,
        hour: 0,
        minute: 0,
        second: 0,
        micro: 0,
    };
    let format = format.replace("%T", "%H:%i:%s");
    let mut rest = text.trim();
    let mut letters = format.chars();
    let mut afternoon = None;
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            rest = rest.trim_start();
            continue;
        }
        if letter != '%' {
            rest = rest.strip_prefix(letter)?;
            continue;
        }
        match letters.next()? {
            'Y' => civil.year = number(&mut rest, 4)?.into(),
            'y' => civil.year = i64::from(number(&mut rest, 2)?) + 2000,
            'm' | 'c' => civil.month = number(&mut rest, 2)?,
            'd' | 'e' => civil.day = number(&mut rest, 2)?,
            'H' | 'k' | 'h' | 'I' | 'l' => civil.hour = number(&mut rest, 2)?,
            'i' => civil.minute = number(&mut rest, 2)?,
            's' | 'S' => civil.second = number(&mut rest, 2)?,
            'f' => {
                let length = rest.bytes().take(6).take_while(u8::is_ascii_digit).count();
                civil.micro = number(&mut rest, 6)? * 10_u32.pow(6 - length as u32);
            }
            'p' => {
                let half = rest.get(..2)?.to_ascii_lowercase();
                afternoon = Some(half == "pm");
                rest = &rest[2..];
            }
            other => rest = rest.strip_prefix(other)?,
        }
    }
    match afternoon {
        Some(true) if civil.hour < 12 => civil.hour += 12,
        Some(false) if civil.hour == 12 => civil.hour = 0,
        _ => {}
    }
    civil.is_valid().then(|| civil.micros())
}

/// Up to so many digits.
fn number(rest: &mut &str, digits: usize) -> Option<u32> {
    let count = rest.bytes().take(digits).take_while(u8::is_ascii_digit).count();
    let value = rest[..count].parse().ok()?;
    *rest = &rest[count..];
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::datetime::write_datetime;

    #[test]
    fn formats_are_followed() {
        let read = |text: &str, format: &str| {
            parse(text, format).map(|micros| {
                let mut out = String::new();
                write_datetime(&mut out, micros, 3);
                out
            })
        };
        for (text, format, expected) in [
            ("2024/1/31", "%Y/%m/%d", "2024-01-31 00:00:00.000"),
            (
                "20240131 080910.25",
                "%Y%m%d %H%i%s.%f",
                "2024-01-31 08:09:10.250",
            ),
            ("31.01.24 08:09:10", "%d.%m.%y %T", "2024-01-31 08:09:10.000"),
            (
                "2024-01-31 12:00 am",
                "%Y-%m-%d %h:%i %p",
                "2024-01-31 00:00:00.000",
            ),
        ] {
            assert_eq!(read(text, format).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(read("2024-13-31", "%Y-%m-%d"), None);
        assert_eq!(read("x", "%Y"), None);
    }
}
