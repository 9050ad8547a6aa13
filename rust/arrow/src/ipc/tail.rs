//! The last rows of a batch, as a batch of their own.

use std::sync::Arc;

use arrow::datatypes::{Fields, Schema};

use super::decode::{bytes_for_text, decode};
use super::encode::Out;
use super::{IpcBatch, Layout};
use crate::error::Result;

/// The rows from `from` on; `fields` are the canonical types of the batch's columns. Every column is decoded and
/// encoded again, so this is for the rare batch that is not wanted whole. `from` beyond the end gives no rows.
pub fn tail(batch: &IpcBatch, fields: &Fields, from: usize) -> Result<IpcBatch> {
    let layout = Layout::verify(&batch.header, &batch.body, fields)?;
    let from = from.min(layout.rows);
    let schema = Arc::new(bytes_for_text(&Schema::new(fields.clone())));
    let columns = decode(&batch.header, &batch.body, schema, None, &Default::default())?;
    let rows = layout.rows - from;
    let mut out = Out::default();
    for column in &columns {
        out.array(&column.slice(from, rows))?;
    }
    Ok(out.finish(rows))
}
