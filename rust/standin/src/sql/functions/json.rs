//! Functions that take values out of JSON text.

use std::sync::Arc;

use arrow_array::{Array, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray};
use datafusion::common::Result;

use super::{Call, Definition};
use crate::values::json_path::JsonPath;
use crate::values::json_text::Value;
use crate::values::types::DorisType;

pub(super) const FUNCTIONS: [Definition; 5] = [
    Definition {
        names: &["json_extract_int", "jsonb_extract_int", "get_json_int"],
        arguments: (2, 2),
        returns: |_| Ok(DorisType::Int),
        run: |call| {
            let found = extracted(call, |value| number(&value)?.parse().ok())?;
            Ok(Arc::new(Int32Array::from(found)))
        },
    },
    Definition {
        names: &["json_extract_bigint", "jsonb_extract_bigint", "get_json_bigint"],
        arguments: (2, 2),
        returns: |_| Ok(DorisType::BigInt),
        run: |call| {
            let found = extracted(call, |value| number(&value)?.parse().ok())?;
            Ok(Arc::new(Int64Array::from(found)))
        },
    },
    Definition {
        names: &["json_extract_double", "jsonb_extract_double", "get_json_double"],
        arguments: (2, 2),
        returns: |_| Ok(DorisType::Double),
        run: |call| {
            let found = extracted(call, |value| number(&value)?.parse().ok())?;
            Ok(Arc::new(Float64Array::from(found)))
        },
    },
    Definition {
        names: &["json_extract_bool", "jsonb_extract_bool"],
        arguments: (2, 2),
        returns: |_| Ok(DorisType::Boolean),
        run: |call| {
            let found = extracted(call, |value| match value {
                Value::Bool(value) => Some(value),
                _ => None,
            })?;
            Ok(Arc::new(BooleanArray::from(found)))
        },
    },
    Definition {
        names: &["json_extract_string", "jsonb_extract_string", "get_json_string"],
        arguments: (2, 2),
        returns: |_| Ok(DorisType::String),
        run: |call| {
            let found = extracted(call, |value| match value {
                Value::Null => None,
                Value::Text(text) => Some(text.into_owned()),
                other => Some(other.to_json()),
            })?;
            Ok(Arc::new(StringArray::from(found)))
        },
    },
];

/// The value at a path of every row, where `read` takes it; what is no JSON or no path is NULL.
fn extracted<T>(call: &Call<'_>, read: fn(Value<'_>) -> Option<T>) -> Result<Vec<Option<T>>> {
    let (documents, paths) = (call.texts(0)?, call.texts(1)?);
    let found = (0..call.rows).map(|row| {
        if documents.is_null(row) || paths.is_null(row) {
            return None;
        }
        let path = JsonPath::read(paths.value(row))?;
        read(path.find(documents.value(row)).ok().flatten()?)
    });
    Ok(found.collect())
}

fn number<'a>(value: &Value<'a>) -> Option<&'a str> {
    match value {
        Value::Number(text) => Some(text),
        _ => None,
    }
}
