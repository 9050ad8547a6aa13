//! Parts of nested types: what offsets address, and maps.

use std::sync::Arc;

use arrow::array::builder::BinaryBuilder;
use arrow::array::cast::AsArray;
use arrow::array::{Array, ArrayRef, BinaryArray, ListArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{Field, Fields};

use crate::error::{Error, Result};

/// The part of a child array that offsets address.
pub(super) fn used(values: &ArrayRef, offsets: &OffsetBuffer<i32>) -> ArrayRef {
    let (first, last) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
    values.slice(first, last - first)
}

pub(super) fn rebased(offsets: &OffsetBuffer<i32>) -> OffsetBuffer<i32> {
    let first = offsets[0];
    if first == 0 {
        offsets.clone()
    } else {
        OffsetBuffer::new(offsets.iter().map(|o| o - first).collect())
    }
}

/// A map, as the list of entries that it is laid out as: NULL keys are found by the check that follows, which names
/// the column.
pub(super) fn map_array(
    keys: ArrayRef,
    values: ArrayRef,
    offsets: OffsetBuffer<i32>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let fields = Fields::from(vec![
        Field::new("key", keys.data_type().clone(), true),
        Field::new("value", values.data_type().clone(), true),
    ]);
    let entries =
        StructArray::try_new(fields, vec![keys, values], None).map_err(|e| Error::corrupt(e.to_string()))?;
    let field = Arc::new(Field::new("entries", entries.data_type().clone(), true));
    let map = ListArray::try_new(field, offsets, Arc::new(entries), nulls)
        .map_err(|e| Error::corrupt(e.to_string()))?;
    Ok(Arc::new(map))
}

pub(super) fn row_to_map(array: &ArrayRef, names: &[String]) -> Result<ArrayRef> {
    let row = array.as_struct();
    let columns: Vec<&BinaryArray> = row.columns().iter().map(|c| c.as_binary::<i32>()).collect();
    let mut keys = BinaryBuilder::new();
    let mut values = BinaryBuilder::new();
    let mut lengths = Vec::with_capacity(row.len());
    for at in 0..row.len() {
        if row.is_null(at) {
            lengths.push(0);
            continue;
        }
        for (name, column) in names.iter().zip(&columns) {
            keys.append_value(name);
            values.append_option(column.is_valid(at).then(|| column.value(at)));
        }
        lengths.push(names.len());
    }
    map_array(
        Arc::new(keys.finish()),
        Arc::new(values.finish()),
        OffsetBuffer::from_lengths(lengths),
        row.nulls().cloned(),
    )
}
