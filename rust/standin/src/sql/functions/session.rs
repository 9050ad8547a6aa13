//! Functions that tell about the session.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use datafusion::common::Result;

use super::{Call, Definition};
use crate::values::types::DorisType;

const TEXT: fn(&super::Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::Varchar(65533));

pub(super) const FUNCTIONS: [Definition; 5] = [
    Definition {
        names: &["version"],
        arguments: (0, 0),
        returns: TEXT,
        run: |call| text(call, Some(call.surroundings.version.clone())),
    },
    Definition {
        names: &["database", "schema"],
        arguments: (0, 0),
        returns: TEXT,
        run: |call| text(call, Some(call.surroundings.database.clone().unwrap_or_default())),
    },
    Definition {
        names: &["user", "current_user", "session_user"],
        arguments: (0, 0),
        returns: TEXT,
        run: |call| text(call, Some(format!("'{}'@'%'", call.surroundings.user))),
    },
    Definition {
        names: &["connection_id"],
        arguments: (0, 0),
        returns: |_| Ok(DorisType::BigInt),
        run: |call| {
            Ok(Arc::new(Int64Array::from(vec![
                call.surroundings.connection
                    as i64;
                call.rows
            ])))
        },
    },
    Definition {
        names: &["current_catalog"],
        arguments: (0, 0),
        returns: TEXT,
        run: |call| text(call, Some("internal".into())),
    },
];

fn text(call: &Call<'_>, value: Option<String>) -> Result<ArrayRef> {
    Ok(Arc::new(StringArray::from(vec![value; call.rows])))
}
