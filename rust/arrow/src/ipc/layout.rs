//! Verification of a record batch's header against the schema and the body that came with it.
//!
//! After [`Layout::verify`] every buffer lies inside the body and is long enough for its rows, and null counts are
//! the validity bits. Offsets inside a column are checked at both ends only: readers check each one as they
//! use it.

use std::ops::Range;

use arrow::datatypes::{DataType, Fields};
use arrow::ipc::MessageHeader;

use crate::error::{Error, Result};

/// How deep columns may be nested.
const MAX_DEPTH: usize = 64;

/// Where the parts of a verified record batch are.
#[derive(Debug)]
pub struct Layout {
    /// Number of rows.
    pub rows: usize,
    /// Length and null count of every array, depth first.
    pub nodes: Vec<(usize, usize)>,
    /// The place of every buffer in the body, depth first.
    pub buffers: Vec<Range<usize>>,
    /// The share of each top-level column in `nodes` and `buffers`.
    pub columns: Vec<ColumnSlots>,
}

/// The nodes and buffers of one top-level column.
#[derive(Clone, Debug)]
pub struct ColumnSlots {
    /// Places in [`Layout::nodes`], the column itself first.
    pub nodes: Range<usize>,
    /// Places in [`Layout::buffers`].
    pub buffers: Range<usize>,
}

impl Layout {
    /// Verifies a header (a bare flatbuffer `Message`) for a body. Never panics, whatever the bytes are.
    pub fn verify(header: &[u8], body: &[u8], fields: &Fields) -> Result<Self> {
        let message = arrow::ipc::root_as_message(header)
            .map_err(|e| Error::corrupt(format!("the header is not a valid message ({e})")))?;
        if message.header_type() != MessageHeader::RecordBatch {
            return Err(Error::corrupt(format!(
                "a message of type {} where a record batch is due",
                message.header_type().variant_name().unwrap_or("unknown")
            )));
        }
        let batch = message
            .header_as_record_batch()
            .ok_or_else(|| Error::corrupt("the header lacks its record batch"))?;
        Self::verify_batch(&batch, message.bodyLength(), body, fields)
    }

    /// The same for the record batch inside a message, which dictionaries have too.
    pub(crate) fn verify_batch(
        batch: &arrow::ipc::RecordBatch<'_>,
        body_length: i64,
        body: &[u8],
        fields: &Fields,
    ) -> Result<Self> {
        if usize::try_from(body_length).map_or(true, |length| length > body.len()) {
            return Err(Error::corrupt(format!(
                "a body of {} bytes where {body_length} are due",
                body.len()
            )));
        }
        if batch.compression().is_some() {
            return Err(Error::corrupt("the body is compressed, which is not supported"));
        }
        let rows = count(batch.length(), "row count")?;
        let mut nodes = Vec::new();
        for node in batch.nodes().into_iter().flatten() {
            nodes.push((
                count(node.length(), "array length")?,
                count(node.null_count(), "null count")?,
            ));
        }
        let mut buffers = Vec::new();
        for buffer in batch.buffers().into_iter().flatten() {
            buffers.push(range(buffer.offset(), buffer.length(), body)?);
        }
        let mut variadic = Vec::new();
        for counted in batch.variadicBufferCounts().into_iter().flatten() {
            variadic.push(count(counted, "variadic buffer count")?);
        }
        Self::walk(rows, nodes, buffers, &variadic, body, fields)
    }

    /// Verifies the numbers `[nodes, (length, nulls)*, buffers, (offset, length)*]`, depth first, as they come with
    /// the body of a batch from Java: a record batch's header without its flatbuffer.
    pub fn verify_numbers(numbers: &[i64], rows: usize, body: &[u8], fields: &Fields) -> Result<Self> {
        let cut = || Error::corrupt(format!("a layout of {} numbers, which is cut", numbers.len()));
        let pairs = |numbers: &[i64]| -> Result<(usize, usize)> {
            let length = count(*numbers.first().ok_or_else(cut)?, "number of entries in a layout")?;
            Ok((length, length.checked_mul(2).ok_or_else(cut)? + 1))
        };
        let (nodes, nodes_end) = pairs(numbers)?;
        let rest = numbers.get(nodes_end..).ok_or_else(cut)?;
        let (buffers, buffers_end) = pairs(rest)?;
        if rest.len() != buffers_end {
            return Err(cut());
        }
        let mut arrays = Vec::with_capacity(nodes);
        for node in numbers[1..nodes_end].chunks_exact(2) {
            arrays.push((count(node[0], "array length")?, count(node[1], "null count")?));
        }
        let mut ranges = Vec::with_capacity(buffers);
        for buffer in rest[1..].chunks_exact(2) {
            ranges.push(range(buffer[0], buffer[1], body)?);
        }
        Self::walk(rows, arrays, ranges, &[], body, fields)
    }

    fn walk(
        rows: usize,
        nodes: Vec<(usize, usize)>,
        buffers: Vec<Range<usize>>,
        variadic: &[usize],
        body: &[u8],
        fields: &Fields,
    ) -> Result<Self> {
        let mut walk = Walk {
            body,
            nodes: &nodes,
            buffers: &buffers,
            variadic,
            node: 0,
            buffer: 0,
            view: 0,
        };
        let mut columns = Vec::with_capacity(fields.len());
        for field in fields {
            let (node, buffer) = (walk.node, walk.buffer);
            walk.array(field.data_type(), rows, 0).map_err(|e| match e {
                Error::Corrupt(text) => Error::Corrupt(format!("column {}: {text}", field.name())),
                other => other,
            })?;
            columns.push(ColumnSlots {
                nodes: node..walk.node,
                buffers: buffer..walk.buffer,
            });
        }
        if walk.node != nodes.len() || walk.buffer != buffers.len() || walk.view != variadic.len() {
            return Err(Error::corrupt(format!(
                "{} arrays and {} buffers where the schema has {} and {}",
                nodes.len(),
                buffers.len(),
                walk.node,
                walk.buffer
            )));
        }
        Ok(Self {
            rows,
            nodes,
            buffers,
            columns,
        })
    }
}

/// The place of a buffer inside the body.
fn range(offset: i64, length: i64, body: &[u8]) -> Result<Range<usize>> {
    let start = count(offset, "buffer offset")?;
    let length = count(length, "buffer length")?;
    let end = start.checked_add(length).filter(|end| *end <= body.len());
    end.map(|end| start..end).ok_or_else(|| {
        Error::corrupt(format!(
            "a buffer at {start} of {length} bytes in a body of {}",
            body.len()
        ))
    })
}

fn count(value: i64, what: &str) -> Result<usize> {
    // No array or buffer of a batch is longer than Java can address.
    usize::try_from(value)
        .ok()
        .filter(|v| *v <= i32::MAX as usize)
        .ok_or_else(|| Error::corrupt(format!("a {what} of {value}")))
}

struct Walk<'a> {
    body: &'a [u8],
    nodes: &'a [(usize, usize)],
    buffers: &'a [Range<usize>],
    variadic: &'a [usize],
    node: usize,
    buffer: usize,
    view: usize,
}

impl Walk<'_> {
    /// One array, which must have `due` entries.
    fn array(&mut self, r#type: &DataType, due: usize, depth: usize) -> Result<()> {
        let length = self.open_array(r#type, depth)?;
        if length == due {
            Ok(())
        } else {
            Err(Error::corrupt(format!("{length} entries where {due} are due")))
        }
    }

    /// One array that is addressed by offsets up to `due`.
    fn items(&mut self, r#type: &DataType, due: usize, depth: usize) -> Result<()> {
        let length = self.open_array(r#type, depth)?;
        if length >= due {
            Ok(())
        } else {
            Err(Error::corrupt(format!(
                "{length} items where offsets reach {due}"
            )))
        }
    }

    fn open_array(&mut self, r#type: &DataType, depth: usize) -> Result<usize> {
        if depth > MAX_DEPTH {
            return Err(Error::corrupt("types are nested too deeply"));
        }
        let &(length, nulls) = self
            .nodes
            .get(self.node)
            .ok_or_else(|| Error::corrupt("fewer arrays than the schema has"))?;
        self.node += 1;
        if matches!(r#type, DataType::Null) {
            return Ok(length);
        }
        self.validity(length, nulls)?;
        match r#type {
            DataType::Boolean => self.values(length.div_ceil(8))?,
            DataType::Utf8 | DataType::Binary => {
                let end = self.offsets::<4>(length)?;
                self.values(end)?;
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                let end = self.offsets::<8>(length)?;
                self.values(end)?;
            }
            DataType::Utf8View | DataType::BinaryView => {
                self.values(length * 16)?;
                let buffers = *self
                    .variadic
                    .get(self.view)
                    .ok_or_else(|| Error::corrupt("a variadic buffer count is missing"))?;
                self.view += 1;
                for _ in 0..buffers {
                    self.values(0)?;
                }
            }
            DataType::FixedSizeBinary(width) => {
                let width = count(i64::from(*width), "width")?;
                self.values(
                    width
                        .checked_mul(length)
                        .ok_or_else(|| Error::corrupt("a width that is too large"))?,
                )?;
            }
            DataType::List(item) | DataType::Map(item, _) => {
                let end = self.offsets::<4>(length)?;
                self.items(item.data_type(), end, depth + 1)?;
            }
            DataType::LargeList(item) => {
                let end = self.offsets::<8>(length)?;
                self.items(item.data_type(), end, depth + 1)?;
            }
            DataType::FixedSizeList(item, size) => {
                let size = count(i64::from(*size), "list size")?;
                let due = size
                    .checked_mul(length)
                    .ok_or_else(|| Error::corrupt("a list size that is too large"))?;
                self.items(item.data_type(), due, depth + 1)?;
            }
            DataType::Struct(fields) => {
                for field in fields {
                    self.array(field.data_type(), length, depth + 1)?;
                }
            }
            DataType::Dictionary(key, _) => {
                let width = key
                    .primitive_width()
                    .ok_or_else(|| Error::corrupt("dictionary keys that are no numbers"))?;
                self.values(length * width)?;
            }
            other => {
                let width = other
                    .primitive_width()
                    .ok_or_else(|| Error::corrupt(format!("Arrow type {other} is not supported")))?;
                self.values(length * width)?;
            }
        }
        Ok(length)
    }

    fn next_buffer(&mut self) -> Result<Range<usize>> {
        let range = self
            .buffers
            .get(self.buffer)
            .ok_or_else(|| Error::corrupt("fewer buffers than the schema has"))?;
        self.buffer += 1;
        Ok(range.clone())
    }

    fn values(&mut self, due: usize) -> Result<()> {
        let range = self.next_buffer()?;
        if range.len() >= due {
            Ok(())
        } else {
            Err(Error::corrupt(format!(
                "a buffer of {} bytes where {due} are due",
                range.len()
            )))
        }
    }

    fn validity(&mut self, length: usize, nulls: usize) -> Result<()> {
        let range = self.next_buffer()?;
        if range.is_empty() {
            return if nulls == 0 {
                Ok(())
            } else {
                Err(Error::corrupt(format!("{nulls} NULLs without validity bits")))
            };
        }
        let bits = &self.body[range];
        if bits.len() < length.div_ceil(8) {
            return Err(Error::corrupt(format!(
                "validity bits in {} bytes for {length} entries",
                bits.len()
            )));
        }
        let full = length / 8;
        let mut valid: usize = bits[..full].iter().map(|byte| byte.count_ones() as usize).sum();
        if !length.is_multiple_of(8) {
            valid += (bits[full] & ((1 << (length % 8)) - 1)).count_ones() as usize;
        }
        if valid + nulls == length {
            Ok(())
        } else {
            Err(Error::corrupt(format!(
                "{nulls} NULLs announced, {} found",
                length - valid
            )))
        }
    }

    /// An offsets buffer; returns the last offset.
    fn offsets<const WIDTH: usize>(&mut self, length: usize) -> Result<usize> {
        let range = self.next_buffer()?;
        if length == 0 && range.len() < WIDTH {
            return Ok(0);
        }
        let offsets = &self.body[range];
        if offsets.len() < (length + 1) * WIDTH || !offsets.len().is_multiple_of(WIDTH) {
            return Err(Error::corrupt(format!(
                "offsets in {} bytes for {length} entries",
                offsets.len()
            )));
        }
        let at = |index: usize| -> Result<usize> {
            let mut bytes = [0u8; 8];
            bytes[..WIDTH].copy_from_slice(&offsets[index * WIDTH..(index + 1) * WIDTH]);
            let value = i64::from_le_bytes(bytes);
            count(
                if WIDTH == 4 {
                    i64::from(value as i32)
                } else {
                    value
                },
                "offset",
            )
        };
        let (first, last) = (at(0)?, at(length)?);
        if first > last {
            return Err(Error::corrupt(format!("offsets from {first} down to {last}")));
        }
        Ok(last)
    }
}
