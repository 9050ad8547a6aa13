//! Aggregate tables: rows of one key are merged column by column.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, UInt32Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::ScalarValue;

use crate::error::SqlError;
use crate::store::schema::{Aggregation, Column, TableSchema};
use crate::store::tablet::commit::{KeyEncoder, join};
use crate::store::tablet::{StoredBatch, Tablet};
use crate::values::bitmap::Bitmap;
use crate::values::{from_compute, to_compute};

/// The tablet's rows after the new ones were merged in. Rewrites the tablet.
pub fn merge(
    schema: &TableSchema,
    tablet: &Tablet,
    incoming: Vec<RecordBatch>,
) -> Result<Vec<Arc<StoredBatch>>, SqlError> {
    let stored = schema.stored_schema();
    let mut batches: Vec<RecordBatch> = tablet.batches.iter().map(|b| b.visible().clone()).collect();
    batches.extend(incoming);
    let all = concat_batches(&stored, &batches).map_err(SqlError::plain)?;
    let groups = group(schema, &all)?;
    let columns = schema
        .columns
        .iter()
        .zip(all.columns())
        .map(|(column, array)| merge_column(column, array, &groups))
        .collect::<Result<Vec<_>, _>>()?;
    let merged = RecordBatch::try_new(stored.clone(), columns).map_err(SqlError::plain)?;
    let size = crate::store::tablet::BATCH_ROWS;
    let cut = (0..merged.num_rows())
        .step_by(size)
        .map(|at| merged.slice(at, size.min(merged.num_rows() - at)));
    join(&stored, cut.collect())
}

/// Rows of each key, in the order they were written; keys in the order they first appear.
fn group(schema: &TableSchema, all: &RecordBatch) -> Result<Vec<Vec<u32>>, SqlError> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut places: HashMap<u128, usize> = HashMap::new();
    for (row, key) in KeyEncoder::new(schema)?.keys(all)?.into_iter().enumerate() {
        let place = *places.entry(key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push(row as u32);
    }
    Ok(groups)
}

fn merge_column(column: &Column, array: &ArrayRef, groups: &[Vec<u32>]) -> Result<ArrayRef, SqlError> {
    let chosen = |choose: &dyn Fn(&[u32]) -> u32| {
        let rows = UInt32Array::from_iter_values(groups.iter().map(|rows| choose(rows)));
        take(array.as_ref(), &rows, None).map_err(SqlError::plain)
    };
    // Every group has at least one row.
    let last = |rows: &[u32]| rows[rows.len() - 1];
    match column.aggregation {
        None => chosen(&|rows| rows[0]),
        Some(Aggregation::Replace) => chosen(&last),
        Some(Aggregation::ReplaceIfNotNull) => chosen(&|rows| {
            rows.iter()
                .rev()
                .copied()
                .find(|row| array.is_valid(*row as usize))
                .unwrap_or_else(|| last(rows))
        }),
        Some(which @ (Aggregation::Max | Aggregation::Min)) => {
            let converter = RowConverter::new(vec![SortField::new(column.doris_type.compute_type())])
                .map_err(SqlError::plain)?;
            let order = converter
                .convert_columns(&[to_compute(&column.doris_type, array)])
                .map_err(SqlError::plain)?;
            chosen(&|rows| {
                let known = rows.iter().copied().filter(|row| array.is_valid(*row as usize));
                let best = match which {
                    Aggregation::Max => known.max_by_key(|row| order.row(*row as usize)),
                    _ => known.min_by_key(|row| order.row(*row as usize)),
                };
                best.unwrap_or_else(|| last(rows))
            })
        }
        Some(Aggregation::Sum) => sum(column, array, groups),
        Some(Aggregation::BitmapUnion) => union(array, groups, |values| {
            let mut all = Bitmap::default();
            values.for_each(|bytes| all.union(&Bitmap::of_bytes(bytes).unwrap_or_default()));
            all.to_bytes()
        }),
        // Sketches are opaque here: the newest stands for the union.
        Some(Aggregation::HllUnion | Aggregation::QuantileUnion) => {
            union(array, groups, |values| values.last().unwrap_or_default().to_vec())
        }
    }
}

fn sum(column: &Column, array: &ArrayRef, groups: &[Vec<u32>]) -> Result<ArrayRef, SqlError> {
    let computed = to_compute(&column.doris_type, array);
    let mut sums = Vec::with_capacity(groups.len());
    for rows in groups {
        let mut total = ScalarValue::try_new_null(computed.data_type()).map_err(SqlError::plain)?;
        for row in rows.iter().filter(|row| computed.is_valid(**row as usize)) {
            let value = ScalarValue::try_from_array(&computed, *row as usize).map_err(SqlError::plain)?;
            total = if total.is_null() {
                value
            } else {
                total.add(value).map_err(SqlError::plain)?
            };
        }
        sums.push(total.cast_to(computed.data_type()).map_err(SqlError::plain)?);
    }
    let sums = match sums.is_empty() {
        true => arrow_array::new_empty_array(computed.data_type()),
        false => ScalarValue::iter_to_array(sums).map_err(SqlError::plain)?,
    };
    Ok(from_compute(&column.doris_type, &sums))
}

fn union(
    array: &ArrayRef,
    groups: &[Vec<u32>],
    unite: impl Fn(&mut dyn Iterator<Item = &[u8]>) -> Vec<u8>,
) -> Result<ArrayRef, SqlError> {
    let values = array.as_binary::<i32>();
    let merged: BinaryArray = groups
        .iter()
        .map(|rows| {
            let mut known = rows
                .iter()
                .map(|row| *row as usize)
                .filter(|row| values.is_valid(*row))
                .map(|row| values.value(row));
            let any = rows.iter().any(|row| values.is_valid(*row as usize));
            any.then(|| unite(&mut known))
        })
        .collect();
    Ok(Arc::new(merged))
}
