//! Functions that return properties of the session.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use datafusion::common::Result;

use super::{Call, Definition};
use crate::values::types::DorisType;

const TEXT: fn(&super::Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::Varchar(65533));

pub(super) const FUNCTIONS: &[Definition] = &[
    Definition::new(&["version"], 0..=0, TEXT, |call| {
        text(call, Some(call.surroundings.version.clone()))
    }),
    Definition::new(&["database", "schema"], 0..=0, TEXT, |call| {
        text(call, Some(call.surroundings.database.clone().unwrap_or_default()))
    }),
    Definition::new(&["user", "current_user", "session_user"], 0..=0, TEXT, |call| {
        text(call, Some(format!("'{}'@'%'", call.surroundings.user)))
    }),
    Definition::new(
        &["connection_id"],
        0..=0,
        |_| Ok(DorisType::BigInt),
        |call| {
            Ok(Arc::new(Int64Array::from(vec![
                call.surroundings.connection
                    as i64;
                call.rows
            ])))
        },
    ),
];

fn text(call: &Call<'_>, value: Option<String>) -> Result<ArrayRef> {
    Ok(Arc::new(StringArray::from(vec![value; call.rows])))
}
