//! Messages as a server sends them, and a look into those that come out.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::writer::{DictionaryTracker, EncodedData, IpcDataGenerator, IpcWriteOptions};
use bytes::Bytes;
use doris_arrow::error::Result;
use doris_arrow::ipc::IpcBatch;
use doris_arrow::normalize::{ColumnSpec, Dictionaries, Normalized, Normalizer, Zone};
use doris_arrow::types::{DorisType, FlinkType};

pub fn spec(name: &str, doris: &str, flink: &str) -> ColumnSpec {
    ColumnSpec {
        label: name.to_owned(),
        name: name.to_owned(),
        doris: DorisType::parse(doris).unwrap(),
        flink: FlinkType::parse(flink).unwrap(),
    }
}

pub fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns.into_iter().map(|(_, a)| a).collect(),
    )
    .unwrap()
}

/// The messages of a batch: dictionaries, then the batch.
pub fn messages(batch: &RecordBatch) -> (Vec<EncodedData>, EncodedData) {
    let mut tracker = DictionaryTracker::new(false);
    let generator = IpcDataGenerator::default();
    let options = IpcWriteOptions::default();
    let _ = generator.schema_to_bytes_with_dictionary_tracker(&batch.schema(), &mut tracker, &options);
    generator
        .encode(batch, &mut tracker, &options, &mut Default::default())
        .unwrap()
}

/// Header and body at an odd address, as the network hands them out.
pub fn unaligned(message: &EncodedData) -> (Bytes, Bytes) {
    let odd = |bytes: &[u8]| {
        let mut shifted = vec![0u8; bytes.len() + 64];
        let at = (1..64)
            .find(|at| (shifted.as_ptr() as usize + at) % 2 == 1)
            .unwrap();
        shifted[at..at + bytes.len()].copy_from_slice(bytes);
        Bytes::from(shifted).slice(at..at + bytes.len())
    };
    (odd(&message.ipc_message), odd(&message.arrow_data))
}

pub fn normalize(delivered: &RecordBatch, specs: Vec<ColumnSpec>, zone: &str) -> Result<Normalized> {
    let (dictionaries, message) = messages(delivered);
    let normalizer = Normalizer::new(&delivered.schema(), specs, Zone::parse(zone).unwrap())?;
    let mut known = Dictionaries::default();
    for dictionary in &dictionaries {
        let (header, body) = unaligned(dictionary);
        normalizer.add_dictionary(&mut known, &header, body)?;
    }
    let (header, body) = unaligned(&message);
    normalizer.apply(header, body, &known)
}

/// Reads a batch in canonical form with arrow's own reader.
pub fn read(batch: &IpcBatch, types: &[DataType]) -> RecordBatch {
    let fields: Vec<Field> = types
        .iter()
        .enumerate()
        .map(|(i, t)| Field::new(format!("c{i}"), t.clone(), true))
        .collect();
    let message = arrow::ipc::root_as_message(&batch.header).unwrap();
    arrow::ipc::reader::read_record_batch(
        &Buffer::from(batch.body.clone()),
        message.header_as_record_batch().unwrap(),
        Arc::new(Schema::new(fields)),
        &HashMap::new(),
        None,
        &message.version(),
    )
    .unwrap()
}

/// One column in, one column out, shown as arrow shows it; NULL is `null`.
pub fn shown(array: ArrayRef, doris: &str, flink: &str, zone: &str) -> Result<Vec<String>> {
    let out = normalize(&batch(vec![("c", array)]), vec![spec("c", doris, flink)], zone)?;
    let read = read(
        &out.batch,
        &[FlinkType::parse(flink).unwrap().canonical().unwrap()],
    );
    let options = arrow::util::display::FormatOptions::default().with_null("null");
    let column = arrow::util::display::ArrayFormatter::try_new(read.column(0), &options).unwrap();
    Ok((0..read.num_rows())
        .map(|row| column.value(row).to_string())
        .collect())
}
