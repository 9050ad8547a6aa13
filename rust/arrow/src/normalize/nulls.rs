//! NULL where `NOT NULL` is declared, at the top and inside nested types.

use arrow::array::BooleanBufferBuilder;
use arrow::array::cast::AsArray;
use arrow::array::{Array, ArrayRef};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;

use crate::error::{Error, Result};
use crate::types::{FlinkKind, FlinkType};

/// Fails with the column's name if a value is NULL that must not be. What lies under a NULL parent does not count.
pub(super) fn check(array: &ArrayRef, r#type: &FlinkType, label: &str) -> Result<()> {
    check_live(array, r#type, label, None)
}

/// Whether a NULL may be where none is allowed, by the null counts of a column that is in canonical form: length and
/// null count of every array, depth first. What lies under a NULL parent counts here, so that only [`check`] can
/// decide.
pub(super) fn suspicious(r#type: &FlinkType, nodes: &[(usize, usize)]) -> bool {
    r#type.has_not_null() && any_forbidden(r#type, !r#type.nullable, &mut nodes.iter())
}

fn any_forbidden(r#type: &FlinkType, strict: bool, nodes: &mut std::slice::Iter<'_, (usize, usize)>) -> bool {
    let mut found = nodes.next().is_some_and(|(_, nulls)| strict && *nulls > 0);
    match &r#type.kind {
        FlinkKind::Array(item) => found |= any_forbidden(item, !item.nullable, nodes),
        FlinkKind::Map(key, value) => {
            // The pairs themselves.
            nodes.next();
            found |= any_forbidden(key, true, nodes);
            found |= any_forbidden(value, !value.nullable, nodes);
        }
        FlinkKind::Row(fields) => {
            for field in fields {
                found |= any_forbidden(&field.r#type, !field.r#type.nullable, nodes);
            }
        }
        _ => {}
    }
    found
}

/// `live` marks the entries that can be seen; `None` means all.
fn check_live(array: &ArrayRef, r#type: &FlinkType, label: &str, live: Option<&NullBuffer>) -> Result<()> {
    if !r#type.has_not_null() {
        return Ok(());
    }
    let nulls = array.logical_nulls();
    if !r#type.nullable
        && let Some(row) = first_null(nulls.as_ref(), live)
    {
        let message = format!(
            "NULL at row {row} of a batch, but the column is declared NOT NULL; declare it nullable or filter NULLs out"
        );
        return Err(Error::value(label, message));
    }
    let live = NullBuffer::union(nulls.as_ref(), live);
    match (&r#type.kind, array.data_type()) {
        (FlinkKind::Array(item), DataType::List(_)) => {
            let list = array.as_list::<i32>();
            let seen = seen_items(list.value_offsets(), list.values().len(), live.as_ref());
            check_live(list.values(), item, &format!("{label}[]"), Some(&seen))
        }
        // A map comes as the list of entries that it is laid out as.
        (FlinkKind::Map(key, value), DataType::List(_)) => {
            let map = array.as_list::<i32>();
            let Some(entries) = map.values().as_struct_opt().filter(|e| e.num_columns() == 2) else {
                return Err(Error::corrupt(format!("the entries of map {label} are no pairs")));
            };
            let (keys, values) = (entries.column(0), entries.column(1));
            let seen = seen_items(map.value_offsets(), entries.len(), live.as_ref());
            if first_null(keys.logical_nulls().as_ref(), Some(&seen)).is_some() {
                let message = "a key of a MAP is NULL, which Flink cannot hold; declare the column as STRING";
                return Err(Error::value(label, message));
            }
            check_live(keys, key, &format!("{label}.key"), Some(&seen))?;
            check_live(values, value, &format!("{label}.value"), Some(&seen))
        }
        (FlinkKind::Row(fields), DataType::Struct(_)) => {
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                check_live(
                    column,
                    &field.r#type,
                    &format!("{label}.{}", field.name),
                    live.as_ref(),
                )?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn first_null(nulls: Option<&NullBuffer>, live: Option<&NullBuffer>) -> Option<usize> {
    let nulls = nulls.filter(|n| n.null_count() > 0)?;
    (0..nulls.len()).find(|row| nulls.is_null(*row) && live.is_none_or(|l| l.is_valid(*row)))
}

fn seen_items(offsets: &[i32], items: usize, live: Option<&NullBuffer>) -> NullBuffer {
    let mut seen = BooleanBufferBuilder::new(items);
    seen.append_n(items, false);
    for (row, ends) in offsets.windows(2).enumerate() {
        if live.is_none_or(|l| l.is_valid(row)) {
            for item in ends[0]..ends[1] {
                seen.set_bit(item as usize, true);
            }
        }
    }
    NullBuffer::new(seen.finish())
}
