//! Rows in Flink's binary format, from batches in canonical Arrow types.
//!
//! Flink copies such a row as one block of bytes, where it takes a row of any other kind apart value by value. The
//! bytes are those that Flink's own `BinaryRowWriter` makes of the row, down to the zeros that fill gaps: Flink
//! compares rows by them.
//!
//! One row, all numbers little-endian, offsets counted from its start:
//!
//! ```text
//! [ kind: 1 byte, 0 ][ one bit per field: NULL ][ gap to 8 ][ 8 bytes per field ][ values that do not fit into 8 bytes ]
//! ```
//!
//! | Field | In its 8 bytes | Behind |
//! |---|---|---|
//! | boolean, integers, floats, dates, times | the value, then zeros | |
//! | `DECIMAL` of up to 18 digits | the unscaled value | |
//! | `DECIMAL` of more | offset in the upper half, length in the lower | 16 bytes: the unscaled value's shortest two's complement, highest byte first |
//! | timestamp of up to 3 digits | milliseconds | |
//! | timestamp of more | offset in the upper half, nanoseconds of the millisecond in the lower | milliseconds |
//! | text and bytes, up to 7 bytes | 0x80 + length in the highest byte, the bytes from the lowest on | |
//! | text and bytes, longer | offset in the upper half, length in the lower | the bytes, filled up to 8 |
//! | NULL | zeros | |

mod cells;
mod format;
mod shape;
#[cfg(test)]
mod tests;

pub use format::{BatchRows, ChangeColumn, RowFormat};

/// Bytes of a field's place, and what everything after it is rounded up to.
const WORD: usize = 8;

/// The most bytes of text that stand in the field's own place.
const INLINE: usize = 7;

/// Bytes after the fields that a decimal of more than 18 digits takes.
const WIDE_DECIMAL: usize = 16;

/// Bytes before the first field: the kind and a bit per field.
fn head(fields: usize) -> usize {
    (fields + 8).div_ceil(64) * WORD
}

/// What a text takes after the fields.
fn behind(length: usize) -> usize {
    if length <= INLINE {
        0
    } else {
        length.next_multiple_of(WORD)
    }
}
