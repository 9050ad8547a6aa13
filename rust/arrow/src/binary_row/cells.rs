//! The values of a column, and the places of rows that they go to.

use std::ops::Range;

use super::shape::Shape;
use super::{INLINE, WIDE_DECIMAL, WORD, behind, head};
use crate::change::TSO_LOGICAL_BITS;
use crate::error::{Error, Result};
use crate::ipc::{IpcBatch, Layout};

/// By code of the operation, 0 to 3.
const OPERATIONS: [&[u8; 2]; 4] = [b"+I", b"-D", b"-U", b"+U"];

/// One column of a verified batch. Its buffers need not be aligned.
pub(super) struct Cells<'a> {
    name: &'a str,
    nulls: bool,
    validity: &'a [u8],
    values: &'a [u8],
    /// Of texts.
    bytes: &'a [u8],
}

impl<'a> Cells<'a> {
    pub(super) fn new(layout: &Layout, column: usize, batch: &'a IpcBatch, name: &'a str) -> Self {
        let slots = &layout.columns[column];
        let buffer = |at: usize| {
            let range = layout.buffers[slots.buffers.clone()].get(at);
            range.map_or(&[][..], |range| &batch.body[range.clone()])
        };
        Self {
            name,
            nulls: layout.nodes[slots.nodes.start].1 > 0,
            validity: buffer(0),
            values: buffer(1),
            bytes: buffer(2),
        }
    }

    #[inline]
    pub(super) fn is_null(&self, row: usize) -> bool {
        self.nulls && self.validity[row / 8] >> (row % 8) & 1 == 0
    }

    /// Where the text of a row lies. Only the outer offsets of a column are verified beforehand.
    #[inline]
    pub(super) fn range(&self, row: usize) -> Result<Range<usize>> {
        let offset = |at: usize| i32::from_le_bytes(self.fixed(at));
        let (start, end) = (offset(row), offset(row + 1));
        match (usize::try_from(start), usize::try_from(end)) {
            (Ok(start), Ok(end)) if start <= end && end <= self.bytes.len() => Ok(start..end),
            _ => Err(Error::corrupt(format!(
                "column {}: offsets {start} and {end} of row {row} into {} bytes",
                self.name,
                self.bytes.len()
            ))),
        }
    }

    #[inline]
    fn fixed<const WIDTH: usize>(&self, row: usize) -> [u8; WIDTH] {
        let mut bytes = [0; WIDTH];
        bytes.copy_from_slice(&self.values[row * WIDTH..(row + 1) * WIDTH]);
        bytes
    }

    #[inline]
    fn long(&self, row: usize) -> i64 {
        i64::from_le_bytes(self.fixed(row))
    }

    fn too_large(&self, digits: u8, scale: i8) -> Error {
        Error::value(
            self.name,
            format!("a value does not fit DECIMAL({digits}, {scale})"),
        )
    }
}

/// Rows being written, column by column and field by field.
pub(super) struct Block<'a> {
    out: &'a mut [u8],
    starts: Vec<usize>,
    /// Where the next value after the fields goes, from the row's start.
    cursors: Vec<usize>,
    first: usize,
    head: usize,
}

impl<'a> Block<'a> {
    /// Zeros, with room for rows that begin at `starts`; the first is row `first` of its batch.
    pub(super) fn new(out: &'a mut [u8], starts: Vec<usize>, first: usize, fields: usize) -> Self {
        Self {
            cursors: vec![head(fields) + fields * WORD; starts.len()],
            out,
            starts,
            first,
            head: head(fields),
        }
    }

    /// Writes a field of all rows.
    pub(super) fn write(&mut self, field: usize, shape: Shape, cells: &Cells<'_>) -> Result<()> {
        match shape {
            Shape::Bit => self.each(field, cells, |row| {
                [cells.values[row / 8] >> (row % 8) & 1, 0, 0, 0, 0, 0, 0, 0]
            }),
            Shape::Bytes(1) => self.each(field, cells, |row| word(cells.fixed::<1>(row))),
            Shape::Bytes(2) => self.each(field, cells, |row| word(cells.fixed::<2>(row))),
            Shape::Bytes(4) => self.each(field, cells, |row| word(cells.fixed::<4>(row))),
            Shape::Bytes(_) => self.each(field, cells, |row| cells.fixed::<8>(row)),
            Shape::Millis => self.each(field, cells, |row| cells.long(row).div_euclid(1000).to_le_bytes()),
            Shape::Decimal { digits, scale } => {
                let mut fits = true;
                self.each(field, cells, |row| {
                    let value = i128::from_le_bytes(cells.fixed(row));
                    let low = value as i64;
                    fits &= i128::from(low) == value;
                    low.to_le_bytes()
                });
                if !fits {
                    return Err(cells.too_large(digits, scale));
                }
            }
            Shape::WideDecimal { digits, scale } => return self.wide_decimals(field, cells, digits, scale),
            Shape::Timestamp => self.timestamps(field, cells),
            Shape::Text => return self.texts(field, cells),
        }
        Ok(())
    }

    /// NULL in a field of all rows.
    pub(super) fn nulls(&mut self, field: usize) {
        for index in 0..self.starts.len() {
            self.null(index, field);
        }
    }

    /// The names of operations; one that is not known is NULL, and refused by who reads the operation itself.
    pub(super) fn operations(&mut self, field: usize, cells: &Cells<'_>) {
        for index in 0..self.starts.len() {
            let [code] = cells.fixed::<1>(self.first + index);
            match OPERATIONS.get(usize::from(code)) {
                Some(name) => self.put(index, field, inline(*name)),
                None => self.null(index, field),
            }
        }
    }

    /// The clock part of a column of TSOs.
    pub(super) fn commit_times(&mut self, field: usize, tsos: &Cells<'_>) {
        self.each(field, tsos, |row| {
            (tsos.long(row) >> TSO_LOGICAL_BITS).to_le_bytes()
        });
    }

    fn wide_decimals(&mut self, field: usize, cells: &Cells<'_>, digits: u8, scale: i8) -> Result<()> {
        let limit = 10i128.checked_pow(u32::from(digits));
        for index in 0..self.starts.len() {
            let row = self.first + index;
            if cells.is_null(row) {
                self.null(index, field);
                continue;
            }
            let value = i128::from_le_bytes(cells.fixed(row));
            if limit.is_some_and(|limit| value >= limit || value <= -limit) {
                return Err(cells.too_large(digits, scale));
            }
            let bytes = value.to_be_bytes();
            let bits = 129
                - if value < 0 {
                    value.leading_ones()
                } else {
                    value.leading_zeros()
                };
            let length = (bits as usize).div_ceil(8);
            let offset = self.place(index, field, length, WIDE_DECIMAL);
            self.out[offset..offset + length].copy_from_slice(&bytes[WIDE_DECIMAL - length..]);
        }
        Ok(())
    }

    fn timestamps(&mut self, field: usize, cells: &Cells<'_>) {
        for index in 0..self.starts.len() {
            let row = self.first + index;
            if cells.is_null(row) {
                self.null(index, field);
                continue;
            }
            let micros = cells.long(row);
            // Floor, since times before 1970 are negative and the part of a millisecond is not.
            let nanos = micros.rem_euclid(1000) as usize * 1000;
            let offset = self.place(index, field, nanos, WORD);
            self.out[offset..offset + WORD].copy_from_slice(&micros.div_euclid(1000).to_le_bytes());
        }
    }

    fn texts(&mut self, field: usize, cells: &Cells<'_>) -> Result<()> {
        for index in 0..self.starts.len() {
            let row = self.first + index;
            if cells.is_null(row) {
                self.null(index, field);
                continue;
            }
            let text = &cells.bytes[cells.range(row)?];
            if text.len() <= INLINE {
                self.put(index, field, inline(text));
            } else {
                let offset = self.place(index, field, text.len(), behind(text.len()));
                self.out[offset..offset + text.len()].copy_from_slice(text);
            }
        }
        Ok(())
    }

    #[inline]
    fn each(&mut self, field: usize, cells: &Cells<'_>, mut value: impl FnMut(usize) -> [u8; WORD]) {
        for index in 0..self.starts.len() {
            let row = self.first + index;
            if cells.is_null(row) {
                self.null(index, field);
            } else {
                self.put(index, field, value(row));
            }
        }
    }

    #[inline]
    fn put(&mut self, index: usize, field: usize, word: [u8; WORD]) {
        let at = self.starts[index] + self.head + field * WORD;
        self.out[at..at + WORD].copy_from_slice(&word);
    }

    /// Takes room after the fields, and writes where it is and what goes with it into the field. Returns its position.
    #[inline]
    fn place(&mut self, index: usize, field: usize, beside: usize, bytes: usize) -> usize {
        let offset = self.cursors[index];
        self.cursors[index] += bytes;
        self.put(
            index,
            field,
            ((offset as u64) << 32 | beside as u64).to_le_bytes(),
        );
        self.starts[index] + offset
    }

    #[inline]
    fn null(&mut self, index: usize, field: usize) {
        // The first 8 bits are the kind of the row.
        let bit = field + 8;
        self.out[self.starts[index] + bit / 8] |= 1 << (bit % 8);
    }
}

#[inline]
fn word<const WIDTH: usize>(value: [u8; WIDTH]) -> [u8; WORD] {
    let mut word = [0; WORD];
    word[..WIDTH].copy_from_slice(&value);
    word
}

/// A text of up to 7 bytes.
#[inline]
fn inline(text: &[u8]) -> [u8; WORD] {
    let mut word = [0; WORD];
    word[..text.len()].copy_from_slice(text);
    word[INLINE] = 0x80 | text.len() as u8;
    word
}
