//! Rows that were made for a table whose columns have changed since: a prepared load outlives a light schema change.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};

use crate::error::SqlError;
use crate::store::defaults::default_column;
use crate::store::row_shape::{Partial, RowShape, bit, given_bits};
use crate::store::schema::TableSchema;
use crate::values::zone::Zone;

/// Rows of tablets, by tablet.
type Rows = BTreeMap<i64, Vec<RecordBatch>>;

/// The rows and their shape as the table is declared now: columns that it has gained have their defaults, as of `now`
/// (microseconds of the epoch); those that it has lost are gone. A change of another kind is an error.
pub(crate) fn adapted(
    old: &TableSchema,
    new: &TableSchema,
    shape: &RowShape,
    rows: Rows,
    now: i64,
) -> Result<(Rows, RowShape), SqlError> {
    let places = places(old, new)?;
    let adapted_shape = RowShape {
        sign: shape.sign,
        partial: shape.partial.as_ref().map(|partial| Partial {
            new_keys: partial.new_keys,
            columns: partial.columns.as_ref().map(|given| {
                let given = |place: &Option<usize>| place.is_some_and(|place| given[place]);
                places.iter().map(given).collect()
            }),
        }),
    };
    let schema = adapted_shape.schema(new);
    let mut out = BTreeMap::new();
    for (tablet, batches) in rows {
        let batches = batches
            .into_iter()
            .map(|batch| {
                let mut columns = Vec::with_capacity(schema.fields().len());
                for (column, place) in new.columns.iter().zip(&places) {
                    columns.push(match place {
                        Some(place) => Arc::clone(batch.column(*place)),
                        None if column.default.is_none() => {
                            new_null_array(&column.doris_type.arrow_type(), batch.num_rows())
                        }
                        None => default_column(column, batch.num_rows(), now, &Zone::UTC)?,
                    });
                }
                columns.extend(extras(old, shape, &places, &batch));
                let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
                RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options)
                    .map_err(SqlError::plain)
            })
            .collect::<Result<Vec<_>, _>>()?;
        out.insert(tablet, batches);
    }
    Ok((out, adapted_shape))
}

/// Index among the old columns of each new one.
fn places(old: &TableSchema, new: &TableSchema) -> Result<Vec<Option<usize>>, SqlError> {
    let changed = || SqlError::plain("the table's schema changed during the load");
    let keys = |schema: &TableSchema| -> Vec<String> {
        let keys = schema.columns.iter().filter(|column| column.key);
        keys.map(|column| column.name.to_lowercase()).collect()
    };
    if old.keys_type != new.keys_type || keys(old) != keys(new) {
        return Err(changed());
    }
    new.columns
        .iter()
        .map(|column| match old.index_of(&column.name) {
            Some(place) if old.columns[place].doris_type == column.doris_type => Ok(Some(place)),
            Some(_) => Err(changed()),
            None if column.nullable || column.default.is_some() => Ok(None),
            None => Err(changed()),
        })
        .collect()
}

/// What a batch holds behind the table's columns.
fn extras(
    old: &TableSchema,
    shape: &RowShape,
    places: &[Option<usize>],
    batch: &RecordBatch,
) -> Vec<ArrayRef> {
    let mut extras = batch.columns()[old.columns.len()..].to_vec();
    if shape.is_flexible()
        && let Some(given) = extras.pop()
    {
        use arrow_array::cast::AsArray;
        let given: arrow_array::BinaryArray = given
            .as_binary::<i32>()
            .iter()
            .map(|bytes| {
                let bytes = bytes.unwrap_or_default();
                Some(given_bits(
                    places
                        .iter()
                        .map(|place| place.is_some_and(|place| bit(bytes, place))),
                ))
            })
            .collect();
        extras.push(Arc::new(given));
    }
    extras
}
