//! Doris' rules for literals and division, put into a plan before DataFusion's own coercion sees it.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use arrow_schema::DataType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, InList, TryCast};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, lit};

use super::in_list::common_type;
use super::time_units::common_unit;
use crate::sql::types::type_of_field;
use crate::values::civil::{DAY, MICROS};
use crate::values::datetime::read_wall;
use crate::values::types::DorisType;
use crate::values::zone::Zone;
use crate::values::{cast_array, to_compute};

/// How Doris refuses to compare JSON.
pub(super) const JSON_COMPARED: &str = "comparison predicate could not contains json type";

/// Rewrites every expression of the plan: a literal that is compared with a column takes the column's type, and
/// division gives what Doris gives. `in_texts`: a text `IN` a list of integers compares texts, else numbers.
pub fn coerce(plan: LogicalPlan, zone: &Zone, in_texts: bool) -> Result<LogicalPlan> {
    let rewritten = plan.transform_up_with_subqueries(|node| {
        let schema = input_schema(&node);
        let preserver = NamePreserver::new(&node);
        let changed = node.map_expressions(|expr| {
            let name = preserver.save(&expr);
            expr.transform_up(|e| rewrite(e, &schema, zone, in_texts))
                .map(|t| t.update_data(|e| name.restore(e)))
        })?;
        if changed.transformed {
            changed.map_data(LogicalPlan::recompute_schema)
        } else {
            Ok(changed)
        }
    })?;
    // A changed type below changes the types above it.
    Ok(rewritten
        .data
        .transform_up(|node| node.recompute_schema().map(Transformed::yes))?
        .data)
}

fn input_schema(node: &LogicalPlan) -> DFSchema {
    let mut schema = merge_schema(&node.inputs());
    if let LogicalPlan::TableScan(scan) = node {
        schema.merge(&scan.projected_schema);
    }
    schema
}

fn rewrite(expr: Expr, schema: &DFSchema, zone: &Zone, in_texts: bool) -> Result<Transformed<Expr>> {
    refuse_json(&expr, schema)?;
    match expr {
        Expr::BinaryExpr(binary) => rewrite_binary(binary, schema, zone),
        Expr::Between(Between {
            expr,
            negated,
            low,
            high,
        }) => {
            let (low, a) = fit(*low, &expr, schema, zone)?;
            let (high, b) = fit(*high, &expr, schema, zone)?;
            let (mut low, c) = number_beside(low, &expr, schema);
            let (mut high, d) = number_beside(high, &expr, schema);
            let (expr, e) = number_beside(*expr, &low, schema);
            let (mut expr, f) = number_beside(expr, &high, schema);
            let g = common_unit(&mut [&mut expr, &mut low, &mut high], schema);
            let between = Expr::Between(Between::new(
                Box::new(expr),
                negated,
                Box::new(low),
                Box::new(high),
            ));
            Ok(Transformed::new_transformed(
                between,
                a || b || c || d || e || f || g,
            ))
        }
        Expr::InList(InList {
            mut expr,
            list,
            negated,
        }) => {
            let mut any = false;
            let mut list = list
                .into_iter()
                .map(|item| {
                    let (item, changed) = fit(item, &expr, schema, zone)?;
                    any |= changed;
                    Ok(item)
                })
                .collect::<Result<Vec<_>>>()?;
            let mut members: Vec<&mut Expr> = std::iter::once(expr.as_mut()).chain(&mut list).collect();
            let unit = common_unit(&mut members, schema);
            let (list, common) = common_type(InList::new(expr, list, negated), schema, in_texts)?;
            Ok(Transformed::new_transformed(
                Expr::InList(list),
                any || common || unit,
            ))
        }
        other => Ok(Transformed::no(other)),
    }
}

/// Doris compares JSON with nothing. Its `IN` does not look for JSON.
fn refuse_json(expr: &Expr, schema: &DFSchema) -> Result<()> {
    let compared: Vec<&Expr> = match expr {
        Expr::BinaryExpr(binary) if is_comparison(binary.op) => {
            vec![binary.left.as_ref(), binary.right.as_ref()]
        }
        Expr::Between(between) => vec![between.expr.as_ref(), between.low.as_ref(), between.high.as_ref()],
        Expr::Case(case) => case.expr.iter().map(AsRef::as_ref).collect(),
        _ => return Ok(()),
    };
    let is_json = |e: &&Expr| {
        e.to_field(schema)
            .is_ok_and(|(_, field)| type_of_field(&field) == DorisType::Json)
    };
    match compared.iter().any(is_json) {
        false => Ok(()),
        true => Err(DataFusionError::Plan(format!(
            "{JSON_COMPARED}: ({})",
            expr.human_display()
        ))),
    }
}

fn is_comparison(op: Operator) -> bool {
    matches!(
        op,
        Operator::Eq
            | Operator::NotEq
            | Operator::Lt
            | Operator::LtEq
            | Operator::Gt
            | Operator::GtEq
            | Operator::IsDistinctFrom
            | Operator::IsNotDistinctFrom
    )
}

fn rewrite_binary(binary: BinaryExpr, schema: &DFSchema, zone: &Zone) -> Result<Transformed<Expr>> {
    let BinaryExpr { left, op, right } = binary;
    if is_comparison(op) {
        let (right, a) = fit(*right, &left, schema, zone)?;
        let (left, b) = fit(*left, &right, schema, zone)?;
        let (mut left, c) = number_beside(left, &right, schema);
        let (mut right, d) = number_beside(right, &left, schema);
        let e = common_unit(&mut [&mut left, &mut right], schema);
        let out = Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)));
        return Ok(Transformed::new_transformed(out, a || b || c || d || e));
    }
    if matches!(op, Operator::Divide | Operator::Modulo) {
        return divide(*left, op, *right, schema);
    }
    Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })))
}

/// A text that is compared with a number is read as one; what cannot be read is NULL.
fn number_beside(text: Expr, number: &Expr, schema: &DFSchema) -> (Expr, bool) {
    let types = (text.get_type(schema), number.get_type(schema));
    match types {
        (Ok(own), Ok(other)) if own.is_string() && other.is_numeric() => (
            Expr::TryCast(TryCast::new(Box::new(text), DataType::Float64)),
            true,
        ),
        _ => (text, false),
    }
}

/// `/` of integers is a fraction, and a zero divisor gives NULL.
fn divide(left: Expr, op: Operator, right: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if matches!(&right, Expr::ScalarFunction(f) if f.name() == "nullif") {
        return Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr::new(
            Box::new(left),
            op,
            Box::new(right),
        ))));
    }
    let types = (left.get_type(schema)?, right.get_type(schema)?);
    if !types.1.is_numeric() {
        return Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr::new(
            Box::new(left),
            op,
            Box::new(right),
        ))));
    }
    let fraction = op == Operator::Divide && types.0.is_integer() && types.1.is_integer();
    let left = if fraction {
        left.cast_to(&DataType::Float64, schema)?
    } else {
        left
    };
    let zero = lit(ScalarValue::new_zero(&types.1)?);
    let right = datafusion::functions::core::expr_fn::nullif(right, zero);
    Ok(Transformed::yes(Expr::BinaryExpr(BinaryExpr::new(
        Box::new(left),
        op,
        Box::new(right),
    ))))
}

/// The literal in the type of what it is compared with; other expressions stay as they are.
fn fit(literal: Expr, other: &Expr, schema: &DFSchema, zone: &Zone) -> Result<(Expr, bool)> {
    let Expr::Literal(value, None) = &literal else {
        return Ok((literal, false));
    };
    if value.is_null() || matches!(other, Expr::Literal(..)) {
        return Ok((literal, false));
    }
    let Ok((_, field)) = other.to_field(schema) else {
        return Ok((literal, false));
    };
    let target = match type_of_field(&field) {
        // The fraction of the literal counts even where the column has none.
        DorisType::DateTime(_) | DorisType::DateTimeV1 => DorisType::DateTime(6),
        DorisType::TimestampTz(_) => DorisType::TimestampTz(6),
        // So does a time of day.
        DorisType::Date | DorisType::DateV1 if has_time_of_day(value, zone) => DorisType::DateTime(6),
        DorisType::Date | DorisType::DateV1 => DorisType::Date,
        other => other,
    };
    let is_text = value.try_as_str().is_some();
    let wanted = match &target {
        t if t.is_text() || matches!(t, DorisType::Json | DorisType::Variant | DorisType::Null) => false,
        t if t.is_nested() || t.is_opaque() => false,
        DorisType::Boolean => !matches!(value, ScalarValue::Boolean(_)),
        DorisType::Ipv4 | DorisType::Ipv6 | DorisType::Time(_) | DorisType::Varbinary(_) => is_text,
        // As decimals, large values of the column would not fit.
        DorisType::Float | DorisType::Double => is_text || is_decimal(value),
        // Numbers compare as numbers already, whatever their width.
        t if t.is_number() => is_text,
        _ => is_text || value.data_type().is_integer(),
    };
    if !wanted {
        return Ok((literal, false));
    }
    let text: ArrayRef = match value.try_as_str() {
        Some(text) => Arc::new(StringArray::from(vec![text])),
        None => value.to_array()?,
    };
    let from = DorisType::of_arrow(text.data_type());
    let target = match &target {
        DorisType::Float | DorisType::Double => DorisType::Double,
        // A text compared with a number is that number, with all its digits.
        t if t.is_number() => match value.try_as_str().flatten().and_then(number_type) {
            Some(number) => number,
            None => return Ok((literal, false)),
        },
        t => t.clone(),
    };
    // What is no moment is NULL, and so is the comparison.
    let strict = !matches!(
        target,
        DorisType::Date | DorisType::DateTime(_) | DorisType::TimestampTz(_)
    );
    let stored = cast_array(&from, &target, &text, zone, strict)
        .map_err(|e| DataFusionError::Plan(format!("{} in comparison", e.message)))?;
    let scalar = ScalarValue::try_from_array(&to_compute(&target, &stored), 0)?;
    Ok((Expr::Literal(scalar, None), true))
}

/// Whether a literal, text or digits, is a moment within a day.
fn has_time_of_day(value: &ScalarValue, zone: &Zone) -> bool {
    let text = match value.try_as_str() {
        Some(text) => text.map(ToOwned::to_owned),
        None if value.data_type().is_integer() => Some(value.to_string()),
        None => None,
    };
    let wall = text.and_then(|text| read_wall(&text, 6, zone));
    wall.is_some_and(|micros| micros.rem_euclid(DAY * MICROS) != 0)
}

fn is_decimal(value: &ScalarValue) -> bool {
    matches!(value, ScalarValue::Decimal128(..) | ScalarValue::Decimal256(..))
}

/// The narrowest exact type of a number text; `None` when it is no number.
fn number_type(text: &str) -> Option<DorisType> {
    let text = text.trim();
    if text.parse::<i64>().is_ok() {
        return Some(DorisType::BigInt);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let whole = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let (scale, precision) = (fraction.len(), (whole.len() + fraction.len()).max(1));
    if digits(whole) && digits(fraction) && precision <= 76 {
        return Some(DorisType::Decimal(precision.max(scale) as u8, scale as u8));
    }
    text.parse::<f64>().ok().map(|_| DorisType::Double)
}
