//! A record batch as an Arrow IPC message: header and body, the only shape of rows that crosses to and from Java.

mod decode;
mod encode;
mod layout;
mod rows;
mod tail;

use bytes::Bytes;

pub(crate) use decode::{bytes_for_text, bytes_type, decode};
pub use encode::{Extended, Piece, assemble, empty, extend};
pub use layout::{ColumnSlots, Layout};
pub use rows::batch_from_layout;
pub use tail::tail;

/// One record batch as an IPC message. Cloning shares the bytes.
#[derive(Clone, Debug)]
pub struct IpcBatch {
    /// The bare flatbuffer `Message`, without the `0xFFFFFFFF` prefix.
    pub header: Bytes,
    /// The buffers that the header points into. Its address need not be aligned.
    pub body: Bytes,
    /// Number of rows.
    pub rows: usize,
}

impl IpcBatch {
    /// Bytes of header and body together.
    pub fn size(&self) -> usize {
        self.header.len() + self.body.len()
    }
}

/// A batch of columns that are in canonical form.
#[cfg(test)]
pub(crate) fn of_arrays(columns: &[arrow::array::ArrayRef]) -> IpcBatch {
    let empty = Layout {
        rows: columns[0].len(),
        nodes: vec![],
        buffers: vec![],
        columns: vec![],
    };
    let pieces: Vec<Piece<'_>> = columns.iter().cloned().map(Piece::Array).collect();
    assemble(&empty, &[], &pieces).unwrap()
}
