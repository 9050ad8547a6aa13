//! Encoders from record batches in canonical form to what a load sends: CSV, JSON lines or Arrow IPC streams.

mod arrow;
mod clock;
mod csv;
mod json;
mod json_text;
mod longest;
mod out;
mod plan;
mod text;

use ::arrow::array::{Array, ArrayRef, RecordBatch};

use crate::error::{Error, Result};
use crate::normalize::Zone;
use crate::types::{DorisType, FlinkType};
use json_text::Quirk;
use out::Out;
use plan::Plan;

/// What is wrong with a value, for a message that continues with the row.
type Checked = std::result::Result<(), Box<str>>;

/// What a load's body is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// `format: csv`.
    Csv(CsvOptions),
    /// `format: json` with `read_json_by_line: true`: one object per line.
    Json(JsonOptions),
    /// `format: arrow`: IPC streams one after the other, each of schema, batch and end marker.
    Arrow,
}

impl Format {
    /// What stands between two rows.
    pub fn between_rows(&self) -> &[u8] {
        match self {
            Self::Csv(options) => &options.line_delimiter,
            Self::Json(options) => &options.line_delimiter,
            Self::Arrow => &[],
        }
    }
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
    /// The type of the column that is written to. Where it is unknown, values are sent as texts, which Doris reads for
    /// every type.
    pub doris: Option<DorisType>,
    /// Whether it is an ARRAY, MAP or STRUCT, of whatever items: Doris casts their text, where other columns take
    /// JSON.
    pub cast: bool,
    /// The type with the lengths of its texts, those inside nested values included. A text that is longer in bytes of
    /// UTF-8 than its `CHAR(n)` or `VARCHAR(n)` is an error, since Doris may cut it and report success. `None`:
    /// nothing is checked.
    pub sized: Option<DorisType>,
    /// Whether it is a key column; errors about a row show these.
    pub key: bool,
}

/// Encodes the batches of one load, one after the other.
#[derive(Debug)]
pub struct Encoder {
    columns: Vec<Column>,
    /// `None` after the end.
    body: Option<Body>,
}

#[derive(Debug)]
enum Body {
    Csv(csv::CsvRows),
    Json(json::JsonRows),
    Arrow(arrow::ArrowRows),
}

/// Encodes rows as lines of text.
trait Rows {
    /// Appends the rows of a batch.
    fn encode(&mut self, batch: &RecordBatch, out: &mut Out<'_>) -> Result<(), Refused>;
}

/// Why a batch was not encoded.
enum Refused {
    /// A value: places of column and row in the batch, and what is wrong.
    Value(usize, usize, Box<str>),
    Other(Error),
}

impl Refused {
    fn value(column: usize, row: usize, message: Box<str>) -> Self {
        Self::Value(column, row, message)
    }
}

impl From<Error> for Refused {
    fn from(e: Error) -> Self {
        Self::Other(e)
    }
}

impl Encoder {
    /// Chooses a writer for each column. `zone` is where `TIMESTAMP_LTZ` becomes a wall clock. An error names the
    /// column whose type cannot be written, or the options that do not go together.
    pub fn new(format: &Format, columns: Vec<Column>, zone: Zone) -> Result<Self> {
        let body = Some(match format {
            Format::Csv(options) => Body::Csv(csv::CsvRows::new(options, &columns, zone)?),
            Format::Json(options) => Body::Json(json::JsonRows::new(options, &columns, zone)?),
            Format::Arrow => Body::Arrow(arrow::ArrowRows::new(&columns, zone)?),
        });
        Ok(Self { columns, body })
    }

    /// Appends the rows of a batch to `out`. Delimiters stand only between rows, also between those of two batches.
    /// After an error, which names column and key of the row, `out` holds part of the batch and the encoder must not
    /// be used any more.
    pub fn encode(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        if batch.num_columns() != self.columns.len() {
            return Err(Error::corrupt(format!(
                "{} columns where {} are due",
                batch.num_columns(),
                self.columns.len()
            )));
        }
        let encoded = match &mut self.body {
            Some(Body::Csv(rows)) => rows.encode(batch, &mut Out::new(out)),
            Some(Body::Json(rows)) => rows.encode(batch, &mut Out::new(out)),
            Some(Body::Arrow(rows)) => rows.encode(batch, out),
            None => Err(Refused::Other(Error::corrupt("a batch after the end"))),
        };
        encoded.map_err(|refused| match refused {
            Refused::Value(column, row, message) => self.value_error(batch, column, row, &message),
            Refused::Other(e) => e,
        })
    }

    /// Ends the body: no batch may follow. None of the formats has anything to append.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let _ = out;
        self.body = None;
        Ok(())
    }

    fn value_error(&self, batch: &RecordBatch, column: usize, row: usize, message: &str) -> Error {
        let key: Vec<String> = self
            .columns
            .iter()
            .zip(batch.columns())
            .filter(|(column, _)| column.key)
            .map(|(column, array)| format!("{} = {}", column.name, shown(&column.flink, array, row)))
            .collect();
        let key = if key.is_empty() {
            format!("row {} of its batch", row + 1)
        } else {
            format!("row with key {}", key.join(", "))
        };
        Error::value(&self.columns[column].name, format!("{message} ({key})"))
    }
}

/// A value as a message shows it.
fn shown(flink: &FlinkType, array: &ArrayRef, row: usize) -> String {
    const LONGEST: usize = 100;
    if array.is_null(row) {
        return "NULL".to_owned();
    }
    let mut text = Vec::new();
    let written = Plan::new(flink, None, None, Zone::UTC, Quirk::NONE).is_ok_and(|plan| {
        plan.bind(array)
            .is_ok_and(|bound| json::value(&bound, row, Quirk::NONE, &mut Out::new(&mut text)).is_ok())
    });
    if !written {
        return "?".to_owned();
    }
    let text = String::from_utf8_lossy(&text);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
