//! What is known of a change beside its row, wherever it goes.

use arrow::datatypes::{DataType, Field};

/// Bits of a TSO below its clock: a counter of what happens within a millisecond (Doris manual, TSO).
pub const TSO_LOGICAL_BITS: u32 = 18;

/// The columns that follow the wanted ones in a batch of a window, never NULL: operation, TSO, LSN, hash.
pub fn change_fields() -> [Field; 4] {
    [
        Field::new("op", DataType::Int8, false),
        Field::new("tso", DataType::Int64, false),
        Field::new("lsn", DataType::Int64, false),
        Field::new("hash", DataType::Int64, false),
    ]
}
