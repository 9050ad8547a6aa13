//! Record batches as Flight messages: cut to pieces, each encoded once by hand.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_flight::{FlightData, SchemaAsIpc};
use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
use arrow_schema::{ArrowError, Schema};
use bytes::Bytes;

/// Encoder of one stream.
pub(crate) struct Encoder {
    generator: IpcDataGenerator,
    tracker: DictionaryTracker,
    options: IpcWriteOptions,
    context: IpcWriteContext,
}

impl Encoder {
    pub(crate) fn new() -> Self {
        Self {
            generator: IpcDataGenerator::default(),
            // Rows hold no dictionaries.
            tracker: DictionaryTracker::new(true),
            options: IpcWriteOptions::default(),
            context: IpcWriteContext::default(),
        }
    }

    /// The first message of a stream.
    pub(crate) fn schema(&self, schema: &Schema) -> FlightData {
        FlightData::from(SchemaAsIpc::new(schema, &self.options))
    }

    /// One record batch. The generator is used directly: the encoder of the Flight crate measures a slice by its whole
    /// parent and would cut it to crumbs.
    pub(crate) fn batch(&mut self, batch: &RecordBatch) -> Result<FlightData, ArrowError> {
        let (_, encoded) =
            self.generator
                .encode(batch, &mut self.tracker, &self.options, &mut self.context)?;
        Ok(encoded.into())
    }
}

/// Rows of a batch that fit into `bytes`, by the mean size of its rows; at least one.
pub(crate) fn rows_within(batch: &RecordBatch, bytes: usize) -> usize {
    let rows = batch.num_rows().max(1);
    let size: usize = batch
        .columns()
        .iter()
        .map(|column| column.to_data().get_slice_memory_size().unwrap_or(0))
        .sum();
    let mean = (size / rows).max(1);
    (bytes / mean).clamp(1, rows)
}

/// Damages the header of a record batch message the way a broken proxy or a bug would: the lengths inside no longer
/// agree with the body.
pub(crate) fn corrupt_header(data: &mut FlightData) {
    let mut header = data.data_header.to_vec();
    let middle = header.len() / 2;
    for byte in &mut header[middle..] {
        *byte = !*byte;
    }
    data.data_header = Bytes::from(header);
}

/// Cuts the body of a message in half, under a header that promises all of it.
pub(crate) fn truncate_body(data: &mut FlightData) {
    data.data_body = data.data_body.slice(..data.data_body.len() / 2);
}

/// The same columns under the names, nullability and metadata of `schema`; nothing is copied.
pub(crate) fn relabel(batch: &RecordBatch, schema: &Arc<Schema>) -> Result<RecordBatch, ArrowError> {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), batch.columns().to_vec(), &options)
}
