//! What rows on their way into a table carry beside the table's columns: delete sign, and which columns they give.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{BinaryArray, Int8Array, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::error::SqlError;
use crate::store::schema::TableSchema;

/// The hidden column that marks rows that delete.
pub const DELETE_SIGN: &str = "__DORIS_DELETE_SIGN__";
/// Bits of the columns that a row gives, as flexible partial updates carry them.
const GIVEN: &str = "__standin_given";

/// What becomes of a partial row whose key is not in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewKeys {
    /// It is inserted; columns it does not give have their defaults.
    Append,
    /// It fails the load.
    Error,
}

/// Rows that give some of their columns; the others stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// What becomes of new keys.
    pub new_keys: NewKeys,
    /// True for each column of the table that every row gives; `None` = it differs by row.
    pub columns: Option<Vec<bool>>,
}

/// What the batches of one write hold behind the table's columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowShape {
    /// Rows carry a delete sign.
    pub sign: bool,
    /// Rows give some of their columns only.
    pub partial: Option<Partial>,
}

/// A batch taken apart.
#[derive(Debug)]
pub(crate) struct ShapedRows {
    /// The table's columns.
    pub rows: RecordBatch,
    /// 1 deletes.
    pub sign: Option<Int8Array>,
    /// Bit i of a row's bytes: the row gives column i.
    pub given: Option<BinaryArray>,
}

impl RowShape {
    /// Schema of batches of this shape.
    pub fn schema(&self, table: &TableSchema) -> SchemaRef {
        let stored = table.stored_schema();
        if *self == Self::default() {
            return stored;
        }
        let mut fields: Vec<Arc<Field>> = stored.fields().iter().cloned().collect();
        if self.sign {
            fields.push(Arc::new(Field::new(DELETE_SIGN, DataType::Int8, false)));
        }
        if self.is_flexible() {
            fields.push(Arc::new(Field::new(GIVEN, DataType::Binary, false)));
        }
        Arc::new(Schema::new(fields))
    }

    /// True when each row lists the columns that it has.
    pub fn is_flexible(&self) -> bool {
        self.partial.as_ref().is_some_and(|p| p.columns.is_none())
    }

    /// Takes a batch of this shape apart.
    pub(crate) fn split(&self, table: &TableSchema, batch: RecordBatch) -> Result<ShapedRows, SqlError> {
        let width = table.columns.len();
        if batch.num_columns() == width {
            return Ok(ShapedRows {
                rows: batch,
                sign: None,
                given: None,
            });
        }
        let sign = self
            .sign
            .then(|| batch.column(width).as_primitive::<Int8Type>().clone());
        let given = self.is_flexible().then(|| {
            batch
                .column(width + usize::from(self.sign))
                .as_binary::<i32>()
                .clone()
        });
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = batch.columns()[..width].to_vec();
        let rows = RecordBatch::try_new_with_options(table.stored_schema(), columns, &options)
            .map_err(SqlError::plain)?;
        Ok(ShapedRows { rows, sign, given })
    }
}

impl ShapedRows {
    /// True when the row deletes.
    pub(crate) fn deletes(&self, row: usize) -> bool {
        self.sign.as_ref().is_some_and(|sign| sign.value(row) == 1)
    }

    /// True when the row gives the column.
    pub(crate) fn gives(&self, partial: &Partial, row: usize, column: usize) -> bool {
        match (&partial.columns, &self.given) {
            (Some(columns), _) => columns[column],
            (None, Some(given)) => bit(given.value(row), column),
            (None, None) => true,
        }
    }

    /// Some of the rows.
    pub(crate) fn slice(&self, offset: usize, length: usize) -> Self {
        Self {
            rows: self.rows.slice(offset, length),
            sign: self.sign.as_ref().map(|sign| sign.slice(offset, length)),
            given: self.given.as_ref().map(|given| given.slice(offset, length)),
        }
    }
}

/// True when the bytes of a row mark the column.
pub(crate) fn bit(bytes: &[u8], index: usize) -> bool {
    bytes
        .get(index / 8)
        .is_some_and(|byte| byte >> (index % 8) & 1 == 1)
}

/// The bytes of a row that gives the marked columns.
pub(crate) fn given_bits(columns: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, given) in columns.enumerate() {
        if index % 8 == 0 {
            out.push(0);
        }
        if let (true, Some(byte)) = (given, out.last_mut()) {
            *byte |= 1 << (index % 8);
        }
    }
    out
}
