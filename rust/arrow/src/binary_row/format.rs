//! Which field of a row comes from which column of a batch, and where each row of a batch begins.

use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::{Field, Fields};

use super::cells::{Block, Cells};
use super::shape::Shape;
use super::{WIDE_DECIMAL, WORD, behind, head};
use crate::change::change_fields;
use crate::error::{Error, Result};
use crate::ipc::{IpcBatch, Layout};
use crate::types::FlinkType;

/// Metadata of a change, as a field of the row; NULL in rows of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeColumn {
    /// `+I`, `-D`, `-U` or `+U`, as text.
    Op,
    /// Commit order number, `BIGINT`.
    Tso,
    /// Order among the changes of one tablet with the same TSO, `BIGINT`.
    Lsn,
    /// The clock part of the TSO, `TIMESTAMP_LTZ(3)`.
    CommitTime,
}

impl ChangeColumn {
    /// The column with this key.
    pub fn parse(key: &str) -> Option<Self> {
        match key {
            "op" => Some(Self::Op),
            "tso" => Some(Self::Tso),
            "lsn" => Some(Self::Lsn),
            "commit_time" => Some(Self::CommitTime),
            _ => None,
        }
    }
}

/// The rows that a scan produces, as fields of binary rows. Made once per scan; any thread.
#[derive(Debug)]
pub struct RowFormat {
    shapes: Vec<Shape>,
    changes: Vec<ChangeColumn>,
    of_content: Fields,
    of_window: Fields,
}

impl RowFormat {
    /// Rows of the columns, then the metadata of the change. `None` where a column has no place in such a row: arrays,
    /// maps and rows, which cross as Arrow alone.
    pub fn new(columns: &[(String, FlinkType)], changes: &[ChangeColumn]) -> Option<Self> {
        let mut shapes = Vec::with_capacity(columns.len());
        let mut fields = Vec::with_capacity(columns.len() + 4);
        for (name, r#type) in columns {
            shapes.push(Shape::of(r#type)?);
            fields.push(Arc::new(Field::new(name, r#type.canonical()?, true)));
        }
        let of_content = fields.clone().into();
        fields.extend(change_fields().map(Arc::new));
        Some(Self {
            shapes,
            changes: changes.to_vec(),
            of_content,
            of_window: fields.into(),
        })
    }

    /// Fields of a row.
    pub fn fields(&self) -> usize {
        self.shapes.len() + self.changes.len()
    }

    /// Looks at a batch of the content or, with the four columns more of a change, of a window. Everything that can be
    /// wrong with the batch is an error here or in [`BatchRows::encode`]; nothing panics.
    pub fn rows(self: &Arc<Self>, batch: &IpcBatch) -> Result<BatchRows> {
        // Flat columns have one node each.
        let of_window = nodes(batch)? != self.shapes.len();
        let fields = if of_window {
            &self.of_window
        } else {
            &self.of_content
        };
        let layout = Layout::verify(&batch.header, &batch.body, fields)?;
        let fixed = head(self.fields()) + self.fields() * WORD;
        let mut sizes = vec![fixed; layout.rows];
        for (column, shape) in self.shapes.iter().enumerate() {
            let cells = Cells::new(&layout, column, batch, fields[column].name());
            match shape {
                Shape::Text => {
                    for (row, size) in sizes.iter_mut().enumerate() {
                        if !cells.is_null(row) {
                            *size += behind(cells.range(row)?.len());
                        }
                    }
                }
                Shape::WideDecimal { .. } => widen(&mut sizes, &cells, WIDE_DECIMAL),
                Shape::Timestamp => widen(&mut sizes, &cells, WORD),
                Shape::Bit | Shape::Bytes(_) | Shape::Decimal { .. } | Shape::Millis => {}
            }
        }
        let mut ends = Vec::with_capacity(sizes.len());
        let mut end = 0usize;
        for size in sizes {
            end += size;
            let end = i32::try_from(end).map_err(|_| {
                Error::corrupt(format!(
                    "{} rows take more than 2 GiB as rows of Flink: lower doris.batch.size",
                    layout.rows
                ))
            })?;
            ends.push(end);
        }
        Ok(BatchRows {
            format: Arc::clone(self),
            batch: batch.clone(),
            layout,
            of_window,
            ends,
        })
    }
}

fn widen(sizes: &mut [usize], cells: &Cells<'_>, by: usize) {
    for (row, size) in sizes.iter_mut().enumerate() {
        if !cells.is_null(row) {
            *size += by;
        }
    }
}

/// Arrays of a batch, nested ones included.
fn nodes(batch: &IpcBatch) -> Result<usize> {
    let message = arrow::ipc::root_as_message(&batch.header)
        .map_err(|e| Error::corrupt(format!("the header is not a valid message ({e})")))?;
    Ok(message
        .header_as_record_batch()
        .and_then(|record| record.nodes())
        .map_or(0, |nodes| nodes.len()))
}

/// The rows of one batch, which it keeps alive.
#[derive(Debug)]
pub struct BatchRows {
    format: Arc<RowFormat>,
    batch: IpcBatch,
    layout: Layout,
    of_window: bool,
    ends: Vec<i32>,
}

impl BatchRows {
    /// Where each row ends, counted from the start of the first, in bytes; a row begins where the one before ends.
    pub fn ends(&self) -> &[i32] {
        &self.ends
    }

    /// Writes rows one after the other into `out`, whose content is lost. A value that its type cannot hold is an
    /// error, as is a range of rows that the batch does not have.
    pub fn encode(&self, rows: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        if rows.start > rows.end || rows.end > self.ends.len() {
            return Err(Error::corrupt(format!(
                "rows {} to {} of {}",
                rows.start,
                rows.end,
                self.ends.len()
            )));
        }
        let start = |row: usize| if row == 0 { 0 } else { self.ends[row - 1] as usize };
        let first = start(rows.start);
        out.clear();
        out.resize(start(rows.end) - first, 0);
        let fields = self.format.fields();
        let starts: Vec<usize> = rows.clone().map(|row| start(row) - first).collect();
        let mut block = Block::new(out, starts, rows.start, fields);
        let named = if self.of_window {
            &self.format.of_window
        } else {
            &self.format.of_content
        };
        let column = |at: usize| Cells::new(&self.layout, at, &self.batch, named[at].name());
        for (field, shape) in self.format.shapes.iter().enumerate() {
            block.write(field, *shape, &column(field))?;
        }
        let wanted = self.format.shapes.len();
        for (at, change) in self.format.changes.iter().enumerate() {
            let field = wanted + at;
            match (self.of_window, change) {
                (false, _) => block.nulls(field),
                (true, ChangeColumn::Op) => block.operations(field, &column(wanted)),
                (true, ChangeColumn::Tso) => block.write(field, Shape::Bytes(8), &column(wanted + 1))?,
                (true, ChangeColumn::Lsn) => block.write(field, Shape::Bytes(8), &column(wanted + 2))?,
                (true, ChangeColumn::CommitTime) => block.commit_times(field, &column(wanted + 1)),
            }
        }
        Ok(())
    }
}
