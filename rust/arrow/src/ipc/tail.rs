//! The last rows of a batch, as a batch of their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::buffer::Buffer;
use arrow::datatypes::{Fields, Schema};

use super::decode::bytes_for_text;
use super::encode::Out;
use super::{IpcBatch, Layout};
use crate::error::{Error, Result};

/// The rows from `from` on; `fields` are the canonical types of the batch's columns. Every column is decoded and
/// encoded again, so this is for the rare batch that is not wanted whole. `from` beyond the end gives no rows.
pub fn tail(batch: &IpcBatch, fields: &Fields, from: usize) -> Result<IpcBatch> {
    let layout = Layout::verify(&batch.header, &batch.body, fields)?;
    let from = from.min(layout.rows);
    let message = arrow::ipc::root_as_message(&batch.header).map_err(|e| Error::corrupt(e.to_string()))?;
    let record = message
        .header_as_record_batch()
        .ok_or_else(|| Error::corrupt("a record batch is missing"))?;
    let schema = Arc::new(bytes_for_text(&Schema::new(fields.clone())));
    // The layout is verified; should arrow's reader still panic on something, that is this batch's fault alone.
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        arrow::ipc::reader::read_record_batch(
            &Buffer::from(batch.body.clone()),
            record,
            schema,
            &Default::default(),
            None,
            &message.version(),
        )
    }))
    .map_err(|_| Error::corrupt("the reader gave up on it"))?
    .map_err(|e| Error::corrupt(e.to_string()))?;
    let rows = layout.rows - from;
    let mut out = Out::default();
    for column in decoded.columns() {
        out.array(&column.slice(from, rows))?;
    }
    Ok(out.finish(rows))
}
