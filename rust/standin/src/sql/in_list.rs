//! `IN` lists of texts and numbers: the one type that all of them are compared in.

use arrow_schema::DataType;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{InList, TryCast};
use datafusion::logical_expr::{Expr, ExprSchemable};

/// What a text becomes beside exact numbers: a DECIMAL with the scale that Doris gives it, wide enough for LARGEINT.
const NUMBER: DataType = DataType::Decimal256(76, 6);

/// Gives texts and numbers of an `IN` one type, and returns whether anything changed. Doris has two rules: new servers
/// compare numbers, as `=` does; old ones (`in_texts`) compare texts where all numbers are integers.
pub fn common_type(list: InList, schema: &DFSchema, in_texts: bool) -> Result<(InList, bool)> {
    let InList { expr, list, negated } = list;
    let types = std::iter::once(expr.as_ref())
        .chain(&list)
        .map(|e| e.get_type(schema))
        .collect::<Result<Vec<_>>>()?;
    let texts = types.iter().any(DataType::is_string);
    let numbers = types.iter().any(DataType::is_numeric);
    let others = types
        .iter()
        .any(|t| !t.is_string() && !t.is_numeric() && *t != DataType::Null);
    if !texts || !numbers || others {
        return Ok((InList::new(expr, list, negated), false));
    }
    let integers = types.iter().all(|t| t.is_integer() || !t.is_numeric());
    let target = if types.iter().any(DataType::is_floating) || in_texts && !integers {
        DataType::Float64
    } else if in_texts {
        DataType::Utf8
    } else {
        NUMBER
    };
    let cast = |expr: Expr| Expr::TryCast(TryCast::new(Box::new(expr), target.clone()));
    let list = list.into_iter().map(cast).collect();
    Ok((InList::new(Box::new(cast(*expr)), list, negated), true))
}
