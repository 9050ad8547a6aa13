//! Functions on numbers.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::PrimitiveArray;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use datafusion::common::Result;

use super::{Arguments, Call, Definition};
use crate::values::types::DorisType;

pub(super) const FUNCTIONS: &[Definition] = &[
    Definition::new(&["pmod"], 2..=2, widest, |call| modulo(call, true)),
    Definition::new(&["mod"], 2..=2, widest, |call| modulo(call, false)),
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
