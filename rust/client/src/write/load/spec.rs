//! What a load is of: its table, its labels, the shape of its rows.

use doris_arrow::types::FlinkField;

/// What is loaded where, under which labels.
#[derive(Clone, Debug)]
pub struct LoadSpec {
    /// The database.
    pub database: String,
    /// The table.
    pub table: String,
    /// The labels that may be used, in this order.
    pub labels: Labels,
    /// The shape of the rows.
    pub input: Input,
}

/// A series of labels: `base` followed by a number in decimal digits, counted up from `next`. Not looked at with
/// group commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// What all labels of the series begin with.
    pub base: String,
    /// The first number that was not used yet.
    pub next: u64,
}

/// The shape of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The bodies of Arrow record batches of these columns, followed by the Int8 column `__DORIS_DELETE_SIGN__` where
    /// `delete_sign` is set.
    Rows {
        /// The columns as declared, in order.
        declared: Vec<FlinkField>,
        /// Whether the sign follows.
        delete_sign: bool,
    },
    /// Bytes that are sent as they are, in the format that the sink's properties name.
    Raw {
        /// Whether the bytes hold a delete sign, which a header of the load has to name.
        delete_sign: bool,
    },
}
