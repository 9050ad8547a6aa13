//! Dates and times of different precision beside each other: compared in microseconds, so that nothing of either is
//! lost.
//!
//! DataFusion would bring a finer literal to the unit of a coarser column, and with it lose its fraction; and it would
//! bring dates to nanoseconds, which end in the year 2262.

use std::sync::Arc;

use arrow_schema::{DataType, TimeUnit};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::expr::Cast;
use datafusion::logical_expr::{ColumnarValue, Expr, ExprSchemable, ScalarUDF, Volatility, create_udf};

/// Brings the members of one comparison to a common precision; returns whether anything changed.
pub fn common_unit(members: &mut [&mut Expr], schema: &DFSchema) -> bool {
    let types: Vec<DataType> = members
        .iter()
        .map(|member| member.get_type(schema).unwrap_or(DataType::Null))
        .collect();
    let finest = members
        .iter()
        .zip(&types)
        .filter_map(|(member, own)| needed(member, own))
        .max();
    let Some(finest) = finest else { return false };
    let zoneless = types
        .iter()
        .any(|own| matches!(own, DataType::Timestamp(_, None)));
    let mut changed = false;
    for (member, own) in members.iter_mut().zip(&types) {
        let literal = matches!(member, Expr::Literal(..));
        let day = *own == DataType::Date32 && zoneless;
        let coarser = matches!(own, DataType::Timestamp(unit, _) if !literal && finest > *unit);
        if !day && !coarser {
            continue;
        }
        let inner = std::mem::take(*member);
        **member = match day {
            true => Expr::Cast(Cast::new(Box::new(inner), micros(None))),
            false => in_micros(own).call(vec![inner]),
        };
        changed = true;
    }
    changed
}

/// The unit that a member needs: of a literal, that of its last digit that is not zero.
fn needed(member: &Expr, own: &DataType) -> Option<TimeUnit> {
    match (member, own) {
        (Expr::Literal(ScalarValue::TimestampMicrosecond(Some(micros), _), _), _) => Some(match micros {
            n if n % 1_000_000 == 0 => TimeUnit::Second,
            n if n % 1_000 == 0 => TimeUnit::Millisecond,
            _ => TimeUnit::Microsecond,
        }),
        (_, DataType::Timestamp(unit, _)) => Some(*unit),
        _ => None,
    }
}

/// A cast to microseconds that the optimizer takes for some function: a plain cast it would move over to the literal.
fn in_micros(from: &DataType) -> Arc<ScalarUDF> {
    let target = match from {
        DataType::Timestamp(_, zone) => micros(zone.clone()),
        other => other.clone(),
    };
    let to = target.clone();
    Arc::new(create_udf(
        "in_micros",
        vec![from.clone()],
        target,
        Volatility::Immutable,
        Arc::new(move |arguments: &[ColumnarValue]| arguments[0].cast_to(&to, None)),
    ))
}

fn micros(zone: Option<Arc<str>>) -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, zone)
}
