//! `CAST(x AS type)`, which the tokens of a query were rewritten to.

use arrow_array::ArrayRef;
use datafusion::common::{DataFusionError, Result};

use super::{Arguments, Call, Definition};
use crate::sql::parse_type;
use crate::values::types::DorisType;

pub(super) const FUNCTIONS: &[Definition] = &[Definition::new(
    &["doris_cast", "doris_try_cast"],
    2..=2,
    returns,
    run,
)];

fn returns(arguments: &Arguments<'_>) -> Result<DorisType> {
    let text = arguments
        .text(1)
        .ok_or_else(|| DataFusionError::Plan("CAST without a type".into()))?;
    let target = parse_type(&text).map_err(|e| DataFusionError::Plan(e.message))?;
    match arguments.types.first() {
        Some(from) if from.is_opaque() && *from != target => Err(DataFusionError::Plan(format!(
            "cannot cast {} to {}",
            from.sql_name().to_uppercase(),
            text.to_uppercase()
        ))),
        _ => Ok(target),
    }
}

fn run(call: &Call<'_>) -> Result<ArrayRef> {
    call.arg(0, &call.returns)
}
