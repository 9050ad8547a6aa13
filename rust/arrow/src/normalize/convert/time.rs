//! Timestamps and times of day as numbers.

use arrow::array::cast::AsArray;
use arrow::array::types::{
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::datatypes::{DataType, TimeUnit};
use arrow::error::ArrowError;

use super::super::plan::Clock;
use super::plain;
use crate::error::{Error, Result};

/// Microseconds of 0000-01-01 00:00:00 and of 9999-12-31 23:59:59.999999, a day wider on both sides for instants.
const FIRST_MICROS: i64 = -62_167_219_200_000_000 - DAY_MICROS;
const LAST_MICROS: i64 = 253_402_300_799_999_999 + DAY_MICROS;
const DAY_MICROS: i64 = 86_400_000_000;

pub(super) fn time(
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

pub(super) fn turn(clock: Clock, micros: i64) -> Option<i64> {
    match clock {
        Clock::Keep => Some(micros),
        Clock::WallOf(zone) => zone.wall(micros),
        Clock::InstantOf(zone) => zone.instant(micros),
        Clock::Between(shown, local) => local.instant(shown.wall(micros)?),
    }
}

pub(super) fn time_of_day(micros: i64) -> Option<i32> {
    if !(0..DAY_MICROS).contains(&micros) || micros % 1000 != 0 {
        return None;
    }
    i32::try_from(micros / 1000).ok()
}

pub(super) fn not_a_time_of_day(micros: f64) -> ArrowError {
    ArrowError::ComputeError(format!(
        "{micros} microseconds are not a time of day (a TIME beyond 24 hours or finer than milliseconds can be declared STRING)"
    ))
}
