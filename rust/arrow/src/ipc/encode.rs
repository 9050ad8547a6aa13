//! Putting a record batch together from columns that are passed on as bytes and columns that were converted.

use std::ops::Range;

use arrow::array::cast::AsArray;
use arrow::array::{Array, ArrayRef, OffsetSizeTrait};
use arrow::buffer::{BooleanBuffer, NullBuffer, OffsetBuffer};
use arrow::datatypes::DataType;
use arrow::datatypes::ToByteSlice;
use arrow::ipc::{FieldNode, MessageBuilder, MessageHeader, MetadataVersion, RecordBatchBuilder};
use bytes::Bytes;
use flatbuffers::FlatBufferBuilder;

use super::{ColumnSlots, IpcBatch, Layout};
use crate::error::{Error, Result};

/// One column of a batch to be put together.
pub enum Piece<'a> {
    /// A column of the delivered batch whose bytes are right as they are.
    Raw(&'a ColumnSlots),
    /// A column in canonical form.
    Array(ArrayRef),
}

/// One column of a batch that is made longer by [`extend`].
pub enum Extended<'a> {
    /// A column whose bytes stay where they are in the body.
    Kept(&'a ColumnSlots),
    /// New values, none of them NULL.
    Int8(&'a [i8]),
    /// New values, none of them NULL.
    Int64(&'a [i64]),
}

/// Buffers start at multiples of this many bytes, as IPC requires.
const ALIGNMENT: usize = 8;

/// Puts a batch of `layout.rows` rows together. Every byte of a raw column is copied once.
pub fn assemble(layout: &Layout, body: &[u8], pieces: &[Piece<'_>]) -> Result<IpcBatch> {
    let mut out = Out::default();
    out.body.reserve(body.len() + body.len() / 4);
    for piece in pieces {
        match piece {
            Piece::Raw(slots) => out.raw(layout, body, slots),
            Piece::Array(array) => out.array(array)?,
        }
    }
    Ok(out.finish(layout.rows))
}

/// Chooses columns of a batch of `layout.rows` rows and adds new ones. The body is copied in one piece up to the last
/// byte of what is kept, whatever the number of columns; new values follow after it.
pub fn extend(layout: &Layout, body: &[u8], columns: &[Extended<'_>]) -> IpcBatch {
    let mut end = 0;
    let mut added = 0;
    for column in columns {
        match column {
            Extended::Kept(slots) => {
                let ranges = &layout.buffers[slots.buffers.clone()];
                end = ranges.iter().map(|range| range.end).fold(end, usize::max);
            }
            Extended::Int8(values) => added += values.len() + ALIGNMENT,
            Extended::Int64(values) => added += size_of_val(*values) + ALIGNMENT,
        }
    }
    let mut out = Out::default();
    out.body.reserve_exact(end + ALIGNMENT + added);
    out.body.extend_from_slice(&body[..end]);
    out.body.resize(end.next_multiple_of(ALIGNMENT), 0);
    for column in columns {
        match column {
            Extended::Kept(slots) => {
                for (length, nulls) in &layout.nodes[slots.nodes.clone()] {
                    out.node(*length, *nulls);
                }
                for range in &layout.buffers[slots.buffers.clone()] {
                    let (start, length) = (range.start as i64, range.len() as i64);
                    out.buffers.push(arrow::ipc::Buffer::new(start, length));
                }
            }
            Extended::Int8(values) => out.values(values.len(), values.to_byte_slice()),
            Extended::Int64(values) => out.values(values.len(), values.to_byte_slice()),
        }
    }
    out.finish(layout.rows)
}

/// A batch without columns: only its number of rows counts.
pub fn empty(rows: usize) -> IpcBatch {
    Out::default().finish(rows)
}

/// A batch under construction.
#[derive(Default)]
pub(super) struct Out {
    nodes: Vec<FieldNode>,
    buffers: Vec<arrow::ipc::Buffer>,
    body: Vec<u8>,
}

impl Out {
    fn raw(&mut self, layout: &Layout, body: &[u8], slots: &ColumnSlots) {
        for (length, nulls) in &layout.nodes[slots.nodes.clone()] {
            self.node(*length, *nulls);
        }
        for range in &layout.buffers[slots.buffers.clone()] {
            self.bytes(&body[range.clone()]);
        }
    }

    fn node(&mut self, length: usize, nulls: usize) {
        self.nodes.push(FieldNode::new(length as i64, nulls as i64));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let start = self.body.len();
        self.body.extend_from_slice(bytes);
        self.close_buffer(start);
    }

    /// A column of numbers without NULL.
    fn values(&mut self, length: usize, bytes: &[u8]) {
        self.node(length, 0);
        self.bytes(&[]);
        self.bytes(bytes);
    }

    fn close_buffer(&mut self, start: usize) {
        self.buffers.push(arrow::ipc::Buffer::new(
            start as i64,
            (self.body.len() - start) as i64,
        ));
        self.body.resize(self.body.len().next_multiple_of(ALIGNMENT), 0);
    }

    fn bits(&mut self, bits: &BooleanBuffer) {
        self.bytes(&bits.sliced()[..bits.len().div_ceil(8)]);
    }

    fn validity(&mut self, nulls: Option<&NullBuffer>) {
        match nulls.filter(|n| n.null_count() > 0) {
            Some(nulls) => self.bits(nulls.inner()),
            None => self.bytes(&[]),
        }
    }

    /// Offsets that start at zero, and the range of what they address.
    fn offsets<O: OffsetSizeTrait>(&mut self, offsets: &OffsetBuffer<O>) -> Range<usize> {
        let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
        let start = self.body.len();
        for offset in offsets.iter() {
            let offset = (*offset - first).as_usize() as i32;
            self.body.extend_from_slice(&offset.to_le_bytes());
        }
        self.close_buffer(start);
        first.as_usize()..last.as_usize()
    }

    pub(super) fn array(&mut self, array: &dyn Array) -> Result<()> {
        let nulls = array.nulls();
        self.node(array.len(), nulls.map_or(0, NullBuffer::null_count));
        self.validity(nulls);
        match array.data_type() {
            DataType::Boolean => self.bits(array.as_boolean().values()),
            DataType::Utf8 => {
                let array = array.as_string::<i32>();
                let used = self.offsets(array.offsets());
                self.bytes(&array.values()[used]);
            }
            DataType::Binary => {
                let array = array.as_binary::<i32>();
                let used = self.offsets(array.offsets());
                self.bytes(&array.values()[used]);
            }
            // Maps are laid out as lists of entries and come as such.
            DataType::List(_) => {
                let array = array.as_list::<i32>();
                let used = self.offsets(array.offsets());
                self.array(&array.values().slice(used.start, used.len()))?;
            }
            DataType::Struct(_) => {
                for column in array.as_struct().columns() {
                    self.array(column)?;
                }
            }
            other => {
                let width = other
                    .primitive_width()
                    .ok_or_else(|| Error::corrupt(format!("{other} is not canonical")))?;
                let data = array.to_data();
                let start = data.offset() * width;
                self.bytes(&data.buffers()[0].as_slice()[start..start + data.len() * width]);
            }
        }
        Ok(())
    }

    pub(super) fn finish(self, rows: usize) -> IpcBatch {
        let mut builder =
            FlatBufferBuilder::with_capacity(256 + 16 * (self.nodes.len() + self.buffers.len()));
        let nodes = builder.create_vector(&self.nodes);
        let buffers = builder.create_vector(&self.buffers);
        let mut batch = RecordBatchBuilder::new(&mut builder);
        batch.add_length(rows as i64);
        batch.add_nodes(nodes);
        batch.add_buffers(buffers);
        let batch = batch.finish();
        let mut message = MessageBuilder::new(&mut builder);
        message.add_version(MetadataVersion::V5);
        message.add_header_type(MessageHeader::RecordBatch);
        message.add_bodyLength(self.body.len() as i64);
        message.add_header(batch.as_union_value());
        let message = message.finish();
        builder.finish(message, None);
        IpcBatch {
            header: Bytes::copy_from_slice(builder.finished_data()),
            body: Bytes::from(self.body),
            rows,
        }
    }
}
