//! Stored form to the form that expressions are computed in, and back.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal256Type, Int32Type, TimestampSecondType, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, StringArray};
use arrow_buffer::i256;

use super::civil::MICROS;
use super::datetime::{read_date, read_wall, write_date, write_datetime};
use crate::values::types::DorisType;
use crate::values::zone::Zone;

/// The compute form of a stored column; the column itself where both forms are one.
pub fn to_compute(doris_type: &DorisType, array: &ArrayRef) -> ArrayRef {
    if !doris_type.converts_to_compute() || array.data_type() == &doris_type.compute_type() {
        return Arc::clone(array);
    }
    match doris_type {
        DorisType::LargeInt => {
            let texts = array.as_string::<i32>().iter();
            let numbers: PrimitiveArray<Decimal256Type> =
                texts.map(|text| text.and_then(i256::from_string)).collect();
            Arc::new(numbers.with_data_type(doris_type.compute_type()))
        }
        DorisType::DateV1 => {
            let days: PrimitiveArray<Date32Type> = array
                .as_string::<i32>()
                .iter()
                .map(|text| text.and_then(read_date))
                .collect();
            Arc::new(days)
        }
        DorisType::DateTimeV1 => {
            let seconds: PrimitiveArray<TimestampSecondType> = array
                .as_string::<i32>()
                .iter()
                .map(|text| {
                    text.and_then(|t| read_wall(t, 0, &Zone::UTC))
                        .map(|v| v.div_euclid(MICROS))
                })
                .collect();
            Arc::new(seconds)
        }
        DorisType::Ipv4 => Arc::new(
            array
                .as_primitive::<Int32Type>()
                .unary::<_, UInt32Type>(|v| v as u32),
        ),
        _ => Arc::clone(array),
    }
}

/// The stored form of a computed column.
pub fn from_compute(doris_type: &DorisType, array: &ArrayRef) -> ArrayRef {
    if !doris_type.converts_to_compute() || array.data_type() == &doris_type.arrow_type() {
        return Arc::clone(array);
    }
    match doris_type {
        DorisType::LargeInt => match array.as_primitive_opt::<Decimal256Type>() {
            Some(numbers) => Arc::new(
                numbers
                    .iter()
                    .map(|v| v.map(|v| v.to_string()))
                    .collect::<StringArray>(),
            ),
            // A literal beyond BIGINT.
            None => Arc::new(
                array
                    .as_primitive::<UInt64Type>()
                    .iter()
                    .map(|v| v.map(|v| v.to_string()))
                    .collect::<StringArray>(),
            ),
        },
        DorisType::DateV1 => Arc::new(texts(array.as_primitive::<Date32Type>().iter(), |out, days| {
            write_date(out, days.into());
        })),
        DorisType::DateTimeV1 => Arc::new(texts(
            array.as_primitive::<TimestampSecondType>().iter(),
            |out, seconds| {
                write_datetime(out, seconds * MICROS, 0);
            },
        )),
        DorisType::Ipv4 => Arc::new(
            array
                .as_primitive::<UInt32Type>()
                .unary::<_, Int32Type>(|v| v as i32),
        ),
        _ => Arc::clone(array),
    }
}

fn texts<T>(values: impl Iterator<Item = Option<T>>, write: impl Fn(&mut String, T)) -> StringArray {
    values
        .map(|value| {
            value.map(|value| {
                let mut out = String::new();
                write(&mut out, value);
                out
            })
        })
        .collect()
}
