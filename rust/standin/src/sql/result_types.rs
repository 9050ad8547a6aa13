//! Doris types of result columns, where DataFusion's fields have lost them on the way.

use arrow_schema::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Distinct, Expr, ExprSchemable, LogicalPlan};

use crate::sql::types::type_of_field;
use crate::values::types::DorisType;

/// Aggregates whose result is one of the values they were given.
const CHOOSING: [&str; 5] = ["min", "max", "any_value", "first_value", "last_value"];

/// The type of a plan's column: followed down to the table's column that it comes from, else read from its field.
pub fn column_type(plan: &LogicalPlan, index: usize) -> DorisType {
    let field = plan.schema().field(index);
    let followed = match plan {
        LogicalPlan::Projection(node) => node.expr.get(index).map(|e| expression_type(e, &node.input)),
        LogicalPlan::Aggregate(node) => {
            let groups = node.group_expr.len();
            match index.checked_sub(groups) {
                None => node
                    .group_expr
                    .get(index)
                    .map(|e| expression_type(e, &node.input)),
                Some(at) => node.aggr_expr.get(at).map(|e| expression_type(e, &node.input)),
            }
        }
        LogicalPlan::Filter(node) => Some(column_type(&node.input, index)),
        LogicalPlan::Sort(node) => Some(column_type(&node.input, index)),
        LogicalPlan::Limit(node) => Some(column_type(&node.input, index)),
        LogicalPlan::SubqueryAlias(node) => Some(column_type(&node.input, index)),
        LogicalPlan::Distinct(Distinct::All(input)) => Some(column_type(input, index)),
        _ => None,
    };
    let held = field.data_type();
    followed
        .filter(|t| {
            t.compute_type() == *held
                || t.arrow_type() == *held
                // A literal is computed with in a wider type than its own.
                || t.is_integer() && matches!(held, DataType::Int64 | DataType::UInt64)
        })
        .unwrap_or_else(|| type_of_field(field))
}

fn expression_type(expr: &Expr, input: &LogicalPlan) -> DorisType {
    match expr {
        Expr::Alias(alias) => expression_type(&alias.expr, input),
        Expr::Column(column) => match input.schema().index_of_column(column) {
            Ok(index) => column_type(input, index),
            Err(_) => DorisType::Null,
        },
        Expr::AggregateFunction(function) if CHOOSING.contains(&function.func.name()) => function
            .params
            .args
            .first()
            .map_or(DorisType::Null, |arg| expression_type(arg, input)),
        Expr::Literal(ScalarValue::Int64(Some(number)), _) => literal_type(*number),
        Expr::Literal(ScalarValue::UInt64(Some(number)), _) => {
            i64::try_from(*number).map_or(DorisType::LargeInt, literal_type)
        }
        other => match other.to_field(input.schema().as_ref()) {
            Ok((_, field)) => type_of_field(&field),
            Err(_) => DorisType::Null,
        },
    }
}

/// The smallest type that holds an integer literal.
fn literal_type(number: i64) -> DorisType {
    if i8::try_from(number).is_ok() {
        DorisType::TinyInt
    } else if i16::try_from(number).is_ok() {
        DorisType::SmallInt
    } else if i32::try_from(number).is_ok() {
        DorisType::Int
    } else {
        DorisType::BigInt
    }
}
