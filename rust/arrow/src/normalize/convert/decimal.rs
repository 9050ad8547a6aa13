//! Decimals of other precisions and scales; a value that does not fit is an error.

use std::sync::Arc;

use arrow::array::cast::AsArray;
use arrow::array::types::{Decimal128Type, Decimal256Type, DecimalType};
use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::datatypes::DataType;
use arrow::datatypes::i256;
use arrow::error::ArrowError;

use super::plain;
use crate::error::{Error, Result};

pub(super) fn rescale(array: &ArrayRef, precision: u8, scale: i8, label: &str) -> Result<ArrayRef> {
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

pub(super) fn in_decimal(value: i128, precision: u8) -> Option<i128> {
    let bound = 10u128.pow(u32::from(precision.min(38)));
    (value.unsigned_abs() < bound).then_some(value)
}

pub(super) fn too_wide(text: &str, precision: u8, scale: i8) -> String {
    format!("the value {text} does not fit DECIMAL({precision}, {scale}); declare the column as STRING")
}

fn decimal_text(value: i128, scale: i8) -> String {
    Decimal128Type::format_decimal(value, 38, scale)
}
