//! Record batches decoded by arrow's reader, text as bytes.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, FieldRef, Fields, Schema, SchemaRef};
use bytes::Bytes;

use crate::error::{Error, Result};

/// The columns of a batch whose layout was verified, only those with the given numbers if there are any. `schema` is
/// [`bytes_for_text`] of the batch's.
pub(crate) fn decode(
    header: &[u8],
    body: &Bytes,
    schema: SchemaRef,
    columns: Option<&[usize]>,
    dictionaries: &HashMap<i64, ArrayRef>,
) -> Result<Vec<ArrayRef>> {
    let message = arrow::ipc::root_as_message(header).map_err(|e| Error::corrupt(e.to_string()))?;
    let batch = message
        .header_as_record_batch()
        .ok_or_else(|| Error::corrupt("a record batch is missing"))?;
    // Should arrow's reader panic in spite of the verified layout, only this batch fails.
    let decoded = catch_unwind(AssertUnwindSafe(|| {
        arrow::ipc::reader::read_record_batch(
            &Buffer::from(body.clone()),
            batch,
            schema,
            dictionaries,
            columns,
            &message.version(),
        )
    }))
    .map_err(|_| Error::corrupt("the reader gave up on it"))?
    .map_err(|e| Error::corrupt(e.to_string()))?;
    Ok(decoded.columns().to_vec())
}

/// The schema under which batches are decoded: text as bytes, since what Doris stores need not be valid UTF-8.
pub(crate) fn bytes_for_text(schema: &Schema) -> Schema {
    Schema::new(schema.fields().iter().map(bytes_field).collect::<Fields>())
}

fn bytes_field(field: &FieldRef) -> FieldRef {
    Arc::new(
        field
            .as_ref()
            .clone()
            .with_data_type(bytes_type(field.data_type()))
            .with_nullable(true),
    )
}

/// The type under which a value is decoded; see [`bytes_for_text`].
pub(crate) fn bytes_type(arrow: &DataType) -> DataType {
    match arrow {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::List(item) => DataType::List(bytes_field(item)),
        DataType::LargeList(item) => DataType::LargeList(bytes_field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(bytes_field(item), *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(bytes_field).collect()),
        // A map is laid out as a list of entries; as such its keys may be NULL, which is found and reported later.
        DataType::Map(entries, _) => DataType::List(Arc::new(
            entries
                .as_ref()
                .clone()
                .with_data_type(bytes_type(entries.data_type())),
        )),
        DataType::Dictionary(key, value) => DataType::Dictionary(key.clone(), Box::new(bytes_type(value))),
        other => other.clone(),
    }
}
