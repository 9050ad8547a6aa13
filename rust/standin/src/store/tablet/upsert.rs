//! Merge-on-write: rows of a Unique table's tablet take the place of the rows with their keys.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_select::interleave::interleave;
use arrow_select::zip::zip;
use datafusion::arrow::row::{RowConverter, SortField};

use crate::error::SqlError;
use crate::store::changelog::log::Chunk;
use crate::store::changelog::record::{Recorder, Recording};
use crate::store::defaults::{default_column, zero_default};
use crate::store::row_shape::{NewKeys, Partial, RowShape, ShapedRows};
use crate::store::schema::{Column, TableSchema};
use crate::store::tablet::commit::{self, KeyEncoder, Keys, Location, Masks, compact, push_batch};
use crate::store::tablet::{StoredBatch, Tablet};
use crate::values::zone::Zone;

/// The tablet's rows after the new ones: the newest row of a key lives, or the one with the larger sequence value
/// where a sequence column is declared; a row that deletes leaves none. With them the records for the tablet's log.
pub(crate) fn upsert(
    schema: &TableSchema,
    tablet: &Tablet,
    indexes: &mut HashMap<i64, Keys>,
    incoming: Vec<RecordBatch>,
    shape: &RowShape,
    recording: Option<&mut Recording<'_>>,
) -> Result<(Vec<Arc<StoredBatch>>, Vec<Chunk>), SqlError> {
    let encoder = KeyEncoder::new(schema)?;
    let index = commit::index(indexes, tablet, &encoder)?;
    let mut recorder = recording.is_some().then(Recorder::default);
    let mut batches = tablet.batches.clone();
    // Keys that a row of this write took away before a later one brings them back.
    let mut gone = HashSet::new();
    for batch in incoming {
        let rows = shape.split(schema, batch)?;
        let keys = encoder.keys(&rows.rows)?;
        match &shape.partial {
            None => place(schema, index, &mut batches, &keys, rows, recorder.as_mut())?,
            Some(partial) => {
                // A row builds on what the row of its key before it left, so each piece has a key once.
                for (start, end) in pieces(&keys) {
                    let piece = rows.slice(start, end - start);
                    let keys = &keys[start..end];
                    let rows = completed(schema, index, &batches, keys, piece, partial, &gone)?;
                    if shape.is_flexible() {
                        gone.extend(
                            (0..keys.len())
                                .filter(|row| rows.deletes(*row))
                                .map(|row| keys[row]),
                        );
                    }
                    place(schema, index, &mut batches, keys, rows, recorder.as_mut())?;
                }
            }
        }
    }
    // Before rows move: records name the places of rows.
    let changes = match (recorder, recording) {
        (Some(recorder), Some(recording)) => recorder.finish(schema, &batches, recording)?,
        _ => Vec::new(),
    };
    let (batches, moved) = compact(schema, batches)?;
    if moved {
        indexes.remove(&tablet.id);
    }
    Ok((batches, changes))
}

/// Adds rows and takes those away that they replace.
fn place(
    schema: &TableSchema,
    index: &mut Keys,
    batches: &mut Vec<Arc<StoredBatch>>,
    keys: &[u128],
    rows: ShapedRows,
    mut recorder: Option<&mut Recorder>,
) -> Result<(), SqlError> {
    // Rows are placed as if the batch were added as it is; `push_batch` then keeps or shifts them all alike.
    let base = batches.len();
    let count = rows.rows.num_rows();
    push_batch(batches, rows.rows.clone(), None)?;
    let at = batches.len() - 1;
    let shift = if batches.len() == base {
        batches[at].data.num_rows() - count
    } else {
        0
    };
    if let Some(recorder) = recorder.as_mut() {
        recorder.placed(at, shift, rows.rows.clone());
    }
    let sequence = Sequence::new(schema, batches)?;
    let mut masks = Masks::default();
    for (row, key) in keys.iter().enumerate() {
        let new: Location = (at as u32, (row + shift) as u32);
        let deletes = rows.deletes(row);
        let entry = index.entry(*key);
        if let Entry::Occupied(old) = &entry {
            let old = *old.get();
            if sequence.as_ref().is_some_and(|s| s.is_older(new, old)) {
                masks.kill(batches, new.0 as usize, new.1 as usize);
                if let Some(recorder) = recorder.as_mut() {
                    recorder.lost();
                }
                continue;
            }
            masks.kill(batches, old.0 as usize, old.1 as usize);
        }
        if let Some(recorder) = recorder.as_mut() {
            let old = match &entry {
                Entry::Occupied(old) => Some(*old.get()),
                Entry::Vacant(_) => None,
            };
            let old = old.map(|old| (old, batches[old.0 as usize].is_live(old.1 as usize)));
            recorder.took(*key, old, deletes);
        }
        if deletes {
            masks.kill(batches, new.0 as usize, new.1 as usize);
        }
        match (entry, deletes && sequence.is_none()) {
            (Entry::Occupied(old), true) => {
                old.remove();
            }
            (Entry::Vacant(_), true) => {}
            // A row that deletes stays known where older values may still come.
            (Entry::Occupied(mut old), false) => {
                old.insert(new);
            }
            (Entry::Vacant(place), false) => {
                place.insert(new);
            }
        }
    }
    masks.apply(batches);
    Ok(())
}

/// Ranges of rows in which no key comes twice.
fn pieces(keys: &[u128]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut seen = HashSet::with_capacity(keys.len());
    let mut start = 0;
    for (row, key) in keys.iter().enumerate() {
        if !seen.insert(*key) {
            out.push((start, row));
            start = row;
            seen.clear();
            seen.insert(*key);
        }
    }
    if start < keys.len() {
        out.push((start, keys.len()));
    }
    out
}

/// Partial rows made whole with the values that the rows of their keys hold. Every key comes once. A key that is
/// `gone` since this write began is new without the checks of new keys: a column that takes no NULL and has no default
/// gets its zero.
fn completed(
    schema: &TableSchema,
    index: &Keys,
    batches: &[Arc<StoredBatch>],
    keys: &[u128],
    rows: ShapedRows,
    partial: &Partial,
    gone: &HashSet<u128>,
) -> Result<ShapedRows, SqlError> {
    let old: Vec<Option<Location>> = keys
        .iter()
        .map(|key| {
            index
                .get(key)
                .copied()
                .filter(|(batch, row)| batches[*batch as usize].is_live(*row as usize))
        })
        .collect();
    for (row, old) in old.iter().enumerate() {
        if old.is_none() && !rows.deletes(row) && !gone.contains(&keys[row]) {
            check_new_key(schema, &rows, partial, row)?;
        }
    }
    let back = |row: usize| old[row].is_none() && gone.contains(&keys[row]);
    let columns = (0..schema.columns.len())
        .map(|index| {
            let column = complete_column(index, batches, &old, &rows, partial)?;
            let lacking = |row: usize| back(row) && column.is_null(row);
            if schema.columns[index].nullable || !(0..keys.len()).any(lacking) {
                return Ok(column);
            }
            let lacking: BooleanArray = (0..keys.len()).map(|row| Some(lacking(row))).collect();
            let zero = Column {
                default: Some(zero_default(&schema.columns[index].doris_type)),
                ..schema.columns[index].clone()
            };
            let zeros = default_column(&zero, keys.len(), 0, &Zone::UTC)?;
            zip(&lacking, &zeros, &column).map_err(SqlError::plain)
        })
        .collect::<Result<Vec<_>, SqlError>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(keys.len()));
    let whole =
        RecordBatch::try_new_with_options(rows.rows.schema(), columns, &options).map_err(SqlError::plain)?;
    Ok(ShapedRows { rows: whole, ..rows })
}

fn check_new_key(
    schema: &TableSchema,
    rows: &ShapedRows,
    partial: &Partial,
    row: usize,
) -> Result<(), SqlError> {
    if partial.new_keys == NewKeys::Error {
        let key: Vec<String> = schema
            .key_indexes()
            .into_iter()
            .map(|i| {
                let text = crate::values::text::render(
                    &schema.columns[i].doris_type,
                    rows.rows.column(i),
                    row,
                    &Zone::UTC,
                );
                text.unwrap_or_else(|| "NULL".into())
            })
            .collect();
        return Err(SqlError::plain(format!(
            "[E-7003]Can't append new rows in partial update when partial_update_new_key_behavior is ERROR. Row with key=[{}] is not in table.",
            key.join(", ")
        )));
    }
    let lacking = schema.columns.iter().enumerate().find(|(i, column)| {
        !column.nullable && rows.rows.column(*i).is_null(row) && !rows.gives(partial, row, *i)
    });
    match lacking {
        None => Ok(()),
        Some((_, column)) => Err(SqlError::plain(format!(
            "the unmentioned column `{}` should have default value or be nullable for newly inserted rows in non-strict mode partial update",
            column.name
        ))),
    }
}

fn complete_column(
    column: usize,
    batches: &[Arc<StoredBatch>],
    old: &[Option<Location>],
    rows: &ShapedRows,
    partial: &Partial,
) -> Result<ArrayRef, SqlError> {
    let own = rows.rows.column(column);
    // The incoming rows are source 0, stored batches follow as they are needed.
    let mut sources: Vec<&dyn Array> = vec![own.as_ref()];
    let mut places = vec![None; batches.len()];
    let mut picks = Vec::with_capacity(old.len());
    for (row, old) in old.iter().enumerate() {
        picks.push(match old {
            Some((batch, place)) if !rows.gives(partial, row, column) => {
                let batch = *batch as usize;
                let source = *places[batch].get_or_insert_with(|| {
                    sources.push(batches[batch].data.column(column).as_ref());
                    sources.len() - 1
                });
                (source, *place as usize)
            }
            _ => (0, row),
        });
    }
    if sources.len() == 1 {
        return Ok(Arc::clone(own));
    }
    interleave(&sources, &picks).map_err(SqlError::plain)
}

/// Encoded values of the sequence column of every batch.
struct Sequence {
    rows: Vec<datafusion::arrow::row::Rows>,
}

impl Sequence {
    fn new(schema: &TableSchema, batches: &[Arc<StoredBatch>]) -> Result<Option<Self>, SqlError> {
        let Some(index) = schema.sequence_index() else {
            return Ok(None);
        };
        let doris_type = &schema.columns[index].doris_type;
        let converter =
            RowConverter::new(vec![SortField::new(doris_type.compute_type())]).map_err(SqlError::plain)?;
        let rows = batches
            .iter()
            .map(|b| {
                let column = crate::values::to_compute(doris_type, b.data.column(index));
                converter.convert_columns(&[column]).map_err(SqlError::plain)
            })
            .collect::<Result<_, _>>()?;
        Ok(Some(Self { rows }))
    }

    fn is_older(&self, a: Location, b: Location) -> bool {
        let value = |(batch, row): Location| self.rows[batch as usize].row(row as usize);
        value(a) < value(b)
    }
}
