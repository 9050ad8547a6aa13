//! Functions on dates and times.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::types::{Date32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, Int64Array, PrimitiveArray, StringArray};
use datafusion::common::{DataFusionError, Result};

use super::{Arguments, Call, Definition};
use crate::values::cast_array;
use crate::values::civil::{Civil, DAY, MICROS, date_of, days_of};
use crate::values::types::DorisType;

const INTEGER: fn(&Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::Int);
const TEXT: fn(&Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::Varchar(65533));
const DATE: fn(&Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::Date);

macro_rules! part {
    ($names:expr, $part:expr) => {
        Definition {
            names: $names,
            arguments: (1, 1),
            returns: INTEGER,
            run: |call| parts(call, $part),
        }
    };
}

pub(super) const FUNCTIONS: [Definition; 21] = [
    Definition {
        names: &["now", "current_timestamp", "localtime", "localtimestamp"],
        arguments: (0, 1),
        returns: |a| Ok(DorisType::DateTime(a.integer(0).unwrap_or(0).clamp(0, 6) as u8)),
        run: |call| clock(call, true),
    },
    Definition {
        names: &["utc_timestamp"],
        arguments: (0, 1),
        returns: |a| Ok(DorisType::DateTime(a.integer(0).unwrap_or(0).clamp(0, 6) as u8)),
        run: |call| clock(call, false),
    },
    Definition {
        names: &["curdate", "current_date"],
        arguments: (0, 0),
        returns: DATE,
        run: |call| {
            let day = crate::values::datetime::day_at(call.surroundings.now_micros, &call.surroundings.zone);
            Ok(Arc::new(PrimitiveArray::<Date32Type>::from(vec![
                day as i32;
                call.rows
            ])))
        },
    },
    Definition {
        names: &["from_unixtime"],
        arguments: (1, 2),
        returns: TEXT,
        run: from_unixtime,
    },
    Definition {
        names: &["unix_timestamp"],
        arguments: (0, 1),
        returns: |_| Ok(DorisType::BigInt),
        run: unix_timestamp,
    },
    Definition {
        names: &["date_format"],
        arguments: (2, 2),
        returns: TEXT,
        run: date_format,
    },
    Definition {
        names: &["date_trunc"],
        arguments: (2, 2),
        returns: |a| {
            Ok(if a.types[0] == DorisType::Date {
                DorisType::Date
            } else {
                DorisType::DateTime(0)
            })
        },
        run: date_trunc,
    },
    Definition {
        names: &["to_date", "date"],
        arguments: (1, 1),
        returns: DATE,
        run: |call| {
            let days = call
                .micros(0)?
                .into_iter()
                .map(|m| m.map(|m| m.div_euclid(DAY * MICROS) as i32));
            Ok(Arc::new(days.collect::<PrimitiveArray<Date32Type>>()))
        },
    },
    Definition {
        names: &["datediff"],
        arguments: (2, 2),
        returns: INTEGER,
        run: |call| {
            let day = |m: i64| m.div_euclid(DAY * MICROS);
            let pairs = call.micros(0)?.into_iter().zip(call.micros(1)?);
            Ok(Arc::new(
                pairs
                    .map(|(a, b)| Some(day(a?) - day(b?)))
                    .collect::<Int64Array>(),
            ))
        },
    },
    part!(&["year"], |c| c.year),
    part!(&["month"], |c| c.month.into()),
    part!(&["day", "dayofmonth"], |c| c.day.into()),
    part!(&["hour"], |c| c.hour.into()),
    part!(&["minute"], |c| c.minute.into()),
    part!(&["second"], |c| c.second.into()),
    part!(&["microsecond"], |c| c.micro.into()),
    part!(&["quarter"], |c| i64::from(c.month.div_ceil(3))),
    part!(&["dayofyear"], |c| days_of(c.year, c.month, c.day)
        - days_of(c.year, 1, 1)
        + 1),
    part!(&["dayofweek"], |c| (days_of(c.year, c.month, c.day) + 4)
        .rem_euclid(7)
        + 1),
    part!(&["weekday"], |c| (days_of(c.year, c.month, c.day) + 3)
        .rem_euclid(7)),
    part!(&["to_days"], |c| days_of(c.year, c.month, c.day)
        - days_of(0, 1, 1)),
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
fn clock(call: &Call<'_>, local: bool) -> Result<ArrayRef> {
    let DorisType::DateTime(scale) = call.returns else {
        return Err(DataFusionError::Internal("the clock gives a DATETIME".into()));
    };
    let now = call.surroundings.now_micros;
    let now = if local { wall(now, call) } else { now };
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

fn parts(call: &Call<'_>, part: fn(Civil) -> i64) -> Result<ArrayRef> {
    let values = call.micros(0)?.into_iter().map(|m| m.map(|m| part(Civil::at(m))));
    Ok(Arc::new(values.collect::<PrimitiveArray<Int64Type>>()))
}

fn from_unixtime(call: &Call<'_>) -> Result<ArrayRef> {
    let micros = call.arg(0, &DorisType::Decimal(20, 6))?;
    let micros =
        arrow_array::cast::AsArray::as_primitive::<arrow_array::types::Decimal128Type>(&micros).clone();
    let formats = if call.args.len() > 1 {
        Some(call.texts(1)?)
    } else {
        None
    };
    let rows = (0..call.rows).map(|row| {
        if micros.is_null(row) || micros.value(row) < 0 {
            return None;
        }
        let format = match &formats {
            None => "%Y-%m-%d %H:%i:%s",
            Some(formats) if formats.is_null(row) => return None,
            Some(formats) => formats.value(row),
        };
        let micros = i64::try_from(micros.value(row)).ok()?;
        Some(formatted(wall(micros, call), format))
    });
    Ok(Arc::new(rows.collect::<StringArray>()))
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

fn date_format(call: &Call<'_>) -> Result<ArrayRef> {
    let formats = call.texts(1)?;
    let rows = call.micros(0)?.into_iter().enumerate().map(|(row, micros)| {
        micros
            .filter(|_| formats.is_valid(row))
            .map(|micros| formatted(micros, formats.value(row)))
    });
    Ok(Arc::new(rows.collect::<StringArray>()))
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// MySQL's format letters, and the three long forms that Doris knows besides.
fn formatted(micros: i64, format: &str) -> String {
    let format = match format {
        "yyyyMMdd" => "%Y%m%d",
        "yyyy-MM-dd" => "%Y-%m-%d",
        "yyyy-MM-dd HH:mm:ss" => "%Y-%m-%d %H:%i:%s",
        other => other,
    };
    let c = Civil::at(micros);
    let days = days_of(c.year, c.month, c.day);
    let weekday = (days + 3).rem_euclid(7) as usize;
    let month = MONTHS[(c.month as usize - 1) % 12];
    let hour12 = (c.hour + 11) % 12 + 1;
    let half = if c.hour < 12 { "AM" } else { "PM" };
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
            Some('y') => write!(out, "{:02}", c.year % 100),
            Some('m') => write!(out, "{:02}", c.month),
            Some('c') => write!(out, "{}", c.month),
            Some('M') => write!(out, "{month}"),
            Some('b') => write!(out, "{}", &month[..3]),
            Some('d') => write!(out, "{:02}", c.day),
            Some('e') => write!(out, "{}", c.day),
            Some('j') => write!(out, "{:03}", days - days_of(c.year, 1, 1) + 1),
            Some('H') => write!(out, "{:02}", c.hour),
            Some('k') => write!(out, "{}", c.hour),
            Some('h' | 'I') => write!(out, "{hour12:02}"),
            Some('l') => write!(out, "{hour12}"),
            Some('i') => write!(out, "{:02}", c.minute),
            Some('s' | 'S') => write!(out, "{:02}", c.second),
            Some('f') => write!(out, "{:06}", c.micro),
            Some('p') => write!(out, "{half}"),
            Some('T') => write!(out, "{:02}:{:02}:{:02}", c.hour, c.minute, c.second),
            Some('r') => write!(out, "{hour12:02}:{:02}:{:02} {half}", c.minute, c.second),
            Some('W') => write!(out, "{}", DAYS[weekday]),
            Some('a') => write!(out, "{}", &DAYS[weekday][..3]),
            Some('w') => write!(out, "{}", (weekday + 1) % 7),
            Some(other) => write!(out, "{other}"),
            None => write!(out, "%"),
        };
    }
    out
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

fn truncated(micros: i64, unit: &str) -> Result<i64> {
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
    fn letters_are_mysqls() {
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
            formatted(micros, "%Y/%m/%d %H:%i:%s.%f %W %b %j %p %h%%"),
            "2024/02/05 13:04:05.000006 Monday Feb 036 PM 01%"
        );
        assert_eq!(formatted(micros, "yyyy-MM-dd"), "2024-02-05");
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
