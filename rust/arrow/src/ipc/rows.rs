//! Record batches from the bodies that Java fills: checked entirely, since every byte after this is trusted, and not
//! copied.

use std::sync::Arc;

use arrow::array::ArrayData;
use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow::buffer::Buffer;
use arrow::datatypes::{DataType, Fields, Schema};

use super::Layout;
use crate::error::{Error, Result};

/// Builds the batch of `rows` rows whose buffers lie in `body` at the places of `layout`
/// (`[nodes, (length, nulls)*, buffers, (offset, length)*]`, depth first; buffers aligned to their values). The batch
/// shares the body, which lives as long as it.
///
/// Everything is verified: places and sizes, offsets, UTF-8, null counts, NULL where the field forbids it.
pub fn batch_from_layout(fields: &Fields, rows: usize, body: &Buffer, layout: &[i64]) -> Result<RecordBatch> {
    let layout = Layout::verify_numbers(layout, rows, body, fields)?;
    let mut walk = Walk {
        layout: &layout,
        body,
        node: 0,
        buffer: 0,
    };
    let columns = fields
        .iter()
        .map(|field| {
            let data = walk.array(field.data_type()).map_err(|e| match e {
                Error::Corrupt(text) => Error::Corrupt(format!("column {}: {text}", field.name())),
                Error::Value { message, .. } => Error::value(field.name(), message),
                other => other,
            })?;
            if !field.is_nullable() && data.null_count() > 0 {
                return Err(Error::value(field.name(), "NULL in a column that is NOT NULL"));
            }
            Ok(make_array(data))
        })
        .collect::<Result<Vec<ArrayRef>>>()?;
    RecordBatch::try_new_with_options(
        Arc::new(Schema::new(fields.clone())),
        columns,
        &RecordBatchOptions::new().with_row_count(Some(rows)),
    )
    .map_err(|e| Error::corrupt(e.to_string()))
}

struct Walk<'a> {
    layout: &'a Layout,
    body: &'a Buffer,
    node: usize,
    buffer: usize,
}

impl Walk<'_> {
    /// The next array; [`Layout`] has verified that all its parts are there.
    fn array(&mut self, r#type: &DataType) -> Result<ArrayData> {
        let (length, nulls) = self.layout.nodes[self.node];
        self.node += 1;
        let mut data = ArrayData::builder(r#type.clone()).len(length).null_count(nulls);
        if *r#type == DataType::Null {
            return build(data);
        }
        let validity = self.next();
        if nulls > 0 {
            data = data.null_bit_buffer(Some(validity));
        }
        match r#type {
            DataType::Utf8 | DataType::Binary => {
                let offsets = self.offsets(length);
                data = data.add_buffer(offsets).add_buffer(self.next());
            }
            DataType::List(item) | DataType::Map(item, _) => {
                data = data.add_buffer(self.offsets(length));
                data = data.add_child_data(self.array(item.data_type())?);
            }
            DataType::Struct(fields) => {
                for field in fields {
                    let child = self.array(field.data_type())?;
                    // The only fields that forbid NULL are the keys of maps.
                    if !field.is_nullable() && child.null_count() > 0 {
                        return Err(Error::value("", "NULL as a key of a map"));
                    }
                    data = data.add_child_data(child);
                }
            }
            other if *other == DataType::Boolean || other.primitive_width().is_some() => {
                data = data.add_buffer(self.next());
            }
            other => return Err(Error::corrupt(format!("{other} is not canonical"))),
        }
        build(data)
    }

    fn next(&mut self) -> Buffer {
        let range = self.layout.buffers[self.buffer].clone();
        self.buffer += 1;
        self.body.slice_with_length(range.start, range.len())
    }

    /// Offsets; without entries their buffer may be empty.
    fn offsets(&mut self, length: usize) -> Buffer {
        let offsets = self.next();
        if length == 0 && offsets.is_empty() {
            Buffer::from(&[0u8; 4])
        } else {
            offsets
        }
    }
}

/// Checks an array and its values, but not the children, which have been built the same way.
fn build(data: arrow::array::ArrayDataBuilder) -> Result<ArrayData> {
    data.build().map_err(|e| Error::corrupt(e.to_string()))
}
