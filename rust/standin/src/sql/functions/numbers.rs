//! Functions on numbers.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::PrimitiveArray;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use datafusion::common::{DataFusionError, Result};

use super::{Arguments, Call, Definition};
use crate::values::types::DorisType;

pub(super) const FUNCTIONS: [Definition; 3] = [
    Definition {
        names: &["pmod"],
        arguments: (2, 2),
        returns: widest,
        run: |call| modulo(call, true),
    },
    Definition {
        names: &["int_div"],
        arguments: (2, 2),
        returns: |_| Ok(DorisType::BigInt),
        run: int_div,
    },
    Definition {
        names: &["mod", "fmod"],
        arguments: (2, 2),
        returns: widest,
        run: |call| modulo(call, false),
    },
];

fn widest(arguments: &Arguments<'_>) -> Result<DorisType> {
    let integers = arguments
        .types
        .iter()
        .all(|t| t.is_integer() || *t == DorisType::Null);
    Ok(if integers {
        DorisType::BigInt
    } else {
        DorisType::Double
    })
}

/// `a DIV b`: the whole part; NULL for a zero divisor.
fn int_div(call: &Call<'_>) -> Result<ArrayRef> {
    if let Some(other) = call
        .types
        .iter()
        .find(|t| !t.is_number() && **t != DorisType::Null)
    {
        return Err(DataFusionError::Execution(format!(
            "DIV takes numbers, not {}",
            other.sql_name()
        )));
    }
    let (a, b) = (call.integers(0)?, call.integers(1)?);
    let out = a
        .iter()
        .zip(b.iter())
        .map(|(a, b)| Some(a?.wrapping_div(b.filter(|b| *b != 0)?)));
    Ok(Arc::new(out.collect::<PrimitiveArray<Int64Type>>()))
}

/// The remainder with the sign of the dividend, or never negative where `positive`; NULL for a zero divisor.
fn modulo(call: &Call<'_>, positive: bool) -> Result<ArrayRef> {
    if call.returns == DorisType::BigInt {
        let (a, b) = (call.integers(0)?, call.integers(1)?);
        let out: PrimitiveArray<Int64Type> = a
            .iter()
            .zip(b.iter())
            .map(|pair| match pair {
                (Some(a), Some(b)) if b != 0 => {
                    let rest = a.wrapping_rem(b);
                    Some(if positive {
                        rest.wrapping_add(b).wrapping_rem(b)
                    } else {
                        rest
                    })
                }
                _ => None,
            })
            .collect();
        return Ok(Arc::new(out));
    }
    let (a, b) = (call.arg(0, &DorisType::Double)?, call.arg(1, &DorisType::Double)?);
    let (a, b) = (a.as_primitive::<Float64Type>(), b.as_primitive::<Float64Type>());
    let out: PrimitiveArray<Float64Type> = a
        .iter()
        .zip(b.iter())
        .map(|pair| match pair {
            (Some(a), Some(b)) if b != 0.0 => Some(if positive { (a % b + b) % b } else { a % b }),
            _ => None,
        })
        .collect();
    Ok(Arc::new(out))
}
