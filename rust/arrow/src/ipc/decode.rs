//! The schema under which record batches are decoded.

use std::sync::Arc;

use arrow::datatypes::{DataType, FieldRef, Fields, Schema};

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

fn bytes_type(arrow: &DataType) -> DataType {
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
