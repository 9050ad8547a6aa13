//! Encoders from record batches in canonical form to what a load sends: CSV, JSON lines or an Arrow IPC stream.

use arrow_array::RecordBatch;

use crate::error::{Error, Result};
use crate::normalize::Zone;
use crate::types::{DorisType, FlinkType};

/// What a load's body is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// `format: csv`.
    Csv(CsvOptions),
    /// `format: json` with `read_json_by_line: true`: one object per line.
    Json(JsonOptions),
    /// `format: arrow`: an IPC stream of schema, batches and end marker.
    Arrow,
}

/// How rows become CSV; the bytes as they stand in the body, without escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// Between columns; not empty.
    pub column_separator: Vec<u8>,
    /// Between rows; not empty.
    pub line_delimiter: Vec<u8>,
    /// Stands around texts that would not be read back without it. Without it such a text is an error.
    pub enclose: Option<u8>,
    /// Stands before an enclosing character inside a text, and before itself.
    pub escape: Option<u8>,
}

/// How rows become JSON lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonOptions {
    /// Between rows; not empty.
    pub line_delimiter: Vec<u8>,
    /// Leaves columns out of a row in which they are NULL (flexible partial update) in place of writing `null`.
    pub skip_nulls: bool,
}

/// A column of the batches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name as Doris has it: the name in JSON objects and in Arrow's schema.
    pub name: String,
    /// The declared type; the column's Arrow type is its canonical one.
    pub flink: FlinkType,
    /// The type of the column that is written to. Where it is unknown, values are sent as texts, which Doris reads for every
    /// type.
    pub doris: Option<DorisType>,
    /// Whether it is a key column; errors about a row show these.
    pub key: bool,
}

/// Encodes the batches of one load, one after the other.
#[derive(Debug)]
pub struct Encoder {}

impl Encoder {
    /// Chooses a writer for each column. `zone` is where `TIMESTAMP_LTZ` becomes a wall clock. An error names the column whose
    /// type cannot be written.
    pub fn new(format: &Format, columns: Vec<Column>, zone: Zone) -> Result<Self> {
        let _ = (format, columns, zone);
        Ok(Self {})
    }

    /// Appends the rows of a batch to `out`. Delimiters stand only between rows, also between those of two batches. After an
    /// error `out` holds part of the batch and the encoder must not be used any more.
    pub fn encode(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let _ = (batch, out);
        Err(Error::corrupt("no encoder"))
    }

    /// Appends what ends the body: the end marker of an Arrow stream, nothing otherwise.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let _ = out;
        Err(Error::corrupt("no encoder"))
    }
}
