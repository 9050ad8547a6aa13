//! Functions on dates and times.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, Int64Array, PrimitiveArray, StringArray};
use datafusion::common::{DataFusionError, Result};

use super::{Call, Definition};
use crate::values::cast_array;
use crate::values::civil::{Civil, DAY, MICROS, date_of, days_of};
use crate::values::types::DorisType;

pub(super) const FUNCTIONS: &[Definition] = &[
    Definition::new(
        &["now", "current_timestamp", "localtime", "localtimestamp"],
        0..=1,
        |a| Ok(DorisType::DateTime(a.integer(0).unwrap_or(0).clamp(0, 6) as u8)),
        clock,
    ),
    Definition::new(
        &["date_trunc"],
        2..=2,
        |a| {
            Ok(if a.types[0] == DorisType::Date {
                DorisType::Date
            } else {
                DorisType::DateTime(0)
            })
        },
        date_trunc,
    ),
    Definition::new(
        &["from_unixtime"],
        1..=2,
        |_| Ok(DorisType::Varchar(65533)),
        from_unixtime,
    ),
    Definition::new(
        &["unix_timestamp"],
        0..=1,
        |_| Ok(DorisType::BigInt),
        unix_timestamp,
    ),
];

fn wall(micros: i64, call: &Call<'_>) -> i64 {
    micros
        + call
            .surroundings
            .zone
            .offset_at_instant(micros.div_euclid(MICROS))
            * MICROS
}

/// The statement's time, cut to the scale.
fn clock(call: &Call<'_>) -> Result<ArrayRef> {
    let DorisType::DateTime(scale) = call.returns else {
        return Err(DataFusionError::Internal("the clock gives a DATETIME".into()));
    };
    let now = wall(call.surroundings.now_micros, call);
    let step = 10_i64.pow(6 - u32::from(scale));
    let micros: ArrayRef = Arc::new(PrimitiveArray::<TimestampMicrosecondType>::from(vec![
        now.div_euclid(step)
            * step;
        call.rows
    ]));
    cast_array(
        &DorisType::DateTime(6),
        &call.returns,
        &micros,
        &call.surroundings.zone,
        false,
    )
    .map_err(|e| DataFusionError::Execution(e.message))
}

fn from_unixtime(call: &Call<'_>) -> Result<ArrayRef> {
    let micros = call.arg(0, &DorisType::Decimal(20, 6))?;
    let formats = match call.args.len() {
        1 => None,
        _ => Some(call.texts(1)?),
    };
    let mut rows = Vec::with_capacity(call.rows);
    for (row, micros) in micros.as_primitive::<Decimal128Type>().iter().enumerate() {
        let format = match &formats {
            None => Some("%Y-%m-%d %H:%i:%s"),
            Some(formats) => formats.is_valid(row).then(|| formats.value(row)),
        };
        let micros = micros
            .filter(|micros| *micros >= 0)
            .and_then(|micros| i64::try_from(micros).ok());
        rows.push(match (micros, format) {
            (Some(micros), Some(format)) => Some(formatted(wall(micros, call), format)?),
            _ => None,
        });
    }
    Ok(Arc::new(StringArray::from(rows)))
}

/// A moment by MySQL's format letters, of which those of digits are served.
fn formatted(micros: i64, format: &str) -> Result<String> {
    let c = Civil::at(micros);
    let mut out = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        // Writing to a String cannot fail.
        let _ = match letters.next() {
            Some('Y') => write!(out, "{:04}", c.year),
            Some('m') => write!(out, "{:02}", c.month),
            Some('d') => write!(out, "{:02}", c.day),
            Some('H') => write!(out, "{:02}", c.hour),
            Some('i') => write!(out, "{:02}", c.minute),
            Some('s' | 'S') => write!(out, "{:02}", c.second),
            Some('f') => write!(out, "{:06}", c.micro),
            other => {
                return Err(DataFusionError::Execution(format!(
                    "the format letter {} is not served here",
                    other.unwrap_or('%')
                )));
            }
        };
    }
    Ok(out)
}

fn unix_timestamp(call: &Call<'_>) -> Result<ArrayRef> {
    if call.args.is_empty() {
        let now = call.surroundings.now_micros.div_euclid(MICROS);
        return Ok(Arc::new(Int64Array::from(vec![now; call.rows])));
    }
    let zone = &call.surroundings.zone;
    let seconds = call.micros(0)?.into_iter().map(|m| {
        m.map(|m| {
            let wall = m.div_euclid(MICROS);
            (wall - zone.offset_at_wall(wall)).max(0)
        })
    });
    Ok(Arc::new(seconds.collect::<Int64Array>()))
}

fn date_trunc(call: &Call<'_>) -> Result<ArrayRef> {
    // Doris takes the unit on either side.
    let (times, units) = match call.types[0].is_text() && !call.types[1].is_text() {
        true => (1, 0),
        false => (0, 1),
    };
    let units = call.texts(units)?;
    let mut out = Vec::with_capacity(call.rows);
    for (row, micros) in call.micros(times)?.into_iter().enumerate() {
        out.push(match micros {
            Some(micros) if units.is_valid(row) => Some(truncated(micros, units.value(row))?),
            _ => None,
        });
    }
    let array: ArrayRef = Arc::new(
        out.into_iter()
            .collect::<PrimitiveArray<TimestampMicrosecondType>>(),
    );
    cast_array(
        &DorisType::DateTime(6),
        &call.returns,
        &array,
        &call.surroundings.zone,
        false,
    )
    .map_err(|e| DataFusionError::Execution(e.message))
}

/// The start of the unit of time that a moment lies in.
pub(in crate::sql) fn truncated(micros: i64, unit: &str) -> Result<i64> {
    let days = micros.div_euclid(DAY * MICROS);
    let (year, month, _) = date_of(days);
    let start = |days: i64| days * DAY * MICROS;
    Ok(match unit.to_ascii_lowercase().as_str() {
        "second" => micros.div_euclid(MICROS) * MICROS,
        "minute" => micros.div_euclid(60 * MICROS) * 60 * MICROS,
        "hour" => micros.div_euclid(3600 * MICROS) * 3600 * MICROS,
        "day" => start(days),
        "week" => start(days - (days + 3).rem_euclid(7)),
        "month" => start(days_of(year, month, 1)),
        "quarter" => start(days_of(year, (month - 1) / 3 * 3 + 1, 1)),
        "year" => start(days_of(year, 1, 1)),
        other => {
            return Err(DataFusionError::Execution(format!(
                "date_trunc function time unit param {other} is none of second, minute, hour, day, week, month, quarter, year"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_digits_are_mysqls() {
        let micros = Civil {
            year: 2024,
            month: 2,
            day: 5,
            hour: 13,
            minute: 4,
            second: 5,
            micro: 6,
        }
        .micros();
        assert_eq!(
            formatted(micros, "%Y/%m/%d %H:%i:%s.%f").unwrap(),
            "2024/02/05 13:04:05.000006"
        );
        assert!(formatted(micros, "%W").is_err());
    }

    #[test]
    fn units_cut_to_their_start() {
        let micros = Civil {
            year: 2024,
            month: 8,
            day: 15,
            hour: 13,
            minute: 4,
            second: 5,
            micro: 6,
        }
        .micros();
        let start = |unit| Civil::at(truncated(micros, unit).unwrap());
        assert_eq!(
            (start("week").day, start("quarter").month, start("hour").minute),
            (12, 7, 0)
        );
        assert!(truncated(micros, "eon").is_err());
    }
}
