//! `MIN_DELTA`: what is left of all changes of a key within a window.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use arrow_array::{Array, ArrayRef};
use arrow_select::interleave::interleave;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::hash_utils::QualityRandomState;

use super::merge::Run;
use crate::error::SqlError;
use crate::store::schema::TableSchema;
use crate::store::tablet::commit::KeyEncoder;
use crate::values::types::DorisType;

/// Run and row.
pub(super) type Pick = (usize, usize);

/// A row of the result.
#[derive(Debug, Clone, Copy)]
pub(super) struct NetRow {
    pub tso: i64,
    pub lsn: i64,
    pub op: i8,
    pub pick: Pick,
}

/// The changes of one key: what the first record found, and what the last one left.
struct Net {
    /// Row that was there before the window; `None` when the first record inserted the key.
    before: Option<Pick>,
    /// Stamp of the first record.
    first: i64,
    last: Pick,
    /// Operation of the last record's last row: 0, 1 or 3.
    last_op: i8,
}

/// Net changes of the given runs of one tablet, which are in the order of commits, appended to `out`.
pub(super) fn net_changes(
    schema: &TableSchema,
    runs: &[Run],
    tablet: std::ops::Range<usize>,
    out: &mut Vec<NetRow>,
) -> Result<(), SqlError> {
    let encoder = KeyEncoder::new(schema)?;
    let mut keys: HashMap<u128, Net, QualityRandomState> =
        HashMap::with_hasher(QualityRandomState::with_seed(4));
    for at in tablet {
        let Run { chunk, rows } = &runs[at];
        let encoded = encoder.keys(&chunk.rows.slice(rows.start, rows.len()))?;
        for (row, key) in rows.clone().zip(encoded) {
            let op = chunk.op.value(row);
            let place = (at, row);
            match keys.entry(key) {
                Entry::Vacant(free) => {
                    free.insert(Net {
                        before: (op != 0).then_some(place),
                        first: chunk.tso.value(row),
                        last: place,
                        last_op: op,
                    });
                }
                Entry::Occupied(mut known) => {
                    let net = known.get_mut();
                    net.last = place;
                    net.last_op = op;
                }
            }
        }
    }
    let mut pairs = Vec::new();
    for net in keys.into_values() {
        let chunk = &runs[net.last.0].chunk;
        let (tso, lsn) = (chunk.tso.value(net.last.1), chunk.lsn.value(net.last.1));
        let row = |op, pick| NetRow { tso, lsn, op, pick };
        match (net.before, net.last_op == 1) {
            (None, true) => {}
            (None, false) => out.push(row(0, net.last)),
            (Some(before), true) => out.push(row(1, before)),
            (Some(before), false) => {
                // Doris takes the number of the last record, whatever the stamp.
                let mut first = row(2, before);
                first.tso = net.first;
                pairs.push((first, row(3, net.last)));
            }
        }
    }
    let same = same_rows(schema, runs, &pairs)?;
    for ((before, after), same) in pairs.into_iter().zip(same) {
        if !same {
            out.extend([before, after]);
        }
    }
    Ok(())
}

/// For each pair whether nothing changed; never where a column's values cannot be compared.
fn same_rows(schema: &TableSchema, runs: &[Run], pairs: &[(NetRow, NetRow)]) -> Result<Vec<bool>, SqlError> {
    let differ = vec![false; pairs.len()];
    let comparable = |doris_type: &DorisType| {
        !doris_type.is_opaque()
            && !matches!(
                doris_type,
                DorisType::Float | DorisType::Double | DorisType::Variant
            )
    };
    if pairs.is_empty() || !schema.columns.iter().all(|column| comparable(&column.doris_type)) {
        return Ok(differ);
    }
    let fields: Vec<SortField> = schema
        .columns
        .iter()
        .map(|column| SortField::new(column.doris_type.arrow_type()))
        .collect();
    if !RowConverter::supports_fields(&fields) {
        return Ok(differ);
    }
    let converter = RowConverter::new(fields).map_err(SqlError::plain)?;
    let encoded = |picks: Vec<Pick>| -> Result<_, SqlError> {
        let columns = (0..schema.columns.len())
            .map(|column| gather(runs, column, &picks))
            .collect::<Result<Vec<_>, _>>()?;
        converter.convert_columns(&columns).map_err(SqlError::plain)
    };
    let before = encoded(pairs.iter().map(|(before, _)| before.pick).collect())?;
    let after = encoded(pairs.iter().map(|(_, after)| after.pick).collect())?;
    Ok(before.iter().zip(after.iter()).map(|(a, b)| a == b).collect())
}

/// One column of rows of runs.
pub(super) fn gather(runs: &[Run], column: usize, picks: &[Pick]) -> Result<ArrayRef, SqlError> {
    let mut sources: Vec<&dyn Array> = Vec::new();
    let mut places = vec![usize::MAX; runs.len()];
    let picks: Vec<Pick> = picks
        .iter()
        .map(|(run, row)| {
            if places[*run] == usize::MAX {
                places[*run] = sources.len();
                sources.push(runs[*run].chunk.rows.column(column).as_ref());
            }
            (places[*run], *row)
        })
        .collect();
    interleave(&sources, &picks).map_err(SqlError::plain)
}
