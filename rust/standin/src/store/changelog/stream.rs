//! Changes as batches, made one after another when they are read: long pieces of chunks are passed on as they are,
//! short ones are gathered.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int8Array, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, SchemaRef};

use super::merge::{Merge, Run, Segment};
use super::net::{NetRow, Pick, gather, net_changes};
use super::window::IncrementType;
use crate::error::SqlError;
use crate::store::schema::TableSchema;
use crate::store::tablet::BATCH_ROWS;
use crate::values::to_compute;

/// A piece of at least this many rows is not copied.
const SLICE_ROWS: usize = 4096;
/// Rows that are gathered into one batch.
const GATHER_ROWS: usize = 16_384;

/// A number that every change carries beside the table's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meta {
    /// Stamp of the transaction.
    Tso,
    /// Number of the record.
    Lsn,
    /// Operation.
    Op,
}

/// The changes of a query.
#[derive(Debug)]
pub(super) struct Changes {
    pub schema: Arc<TableSchema>,
    pub runs: Arc<[Run]>,
    /// The runs of each tablet.
    pub tablets: Vec<Range<usize>>,
    pub increment: IncrementType,
    /// In the order of stamp, number and operation; else tablet by tablet.
    pub ordered: bool,
    /// Columns behind those of the table.
    pub hidden: Vec<Meta>,
}

/// Batches of changes with some of their columns, in the form that expressions compute with.
pub(super) struct Batches {
    changes: Arc<Changes>,
    /// Indexes of columns, the table's first, then the hidden ones.
    projection: Vec<usize>,
    schema: SchemaRef,
    order: Order,
    /// Pieces that come before those of the order.
    queue: VecDeque<Segment>,
}

enum Order {
    Merged(Merge),
    /// As stored: the next run.
    Stored(usize),
    /// Net changes: all of them, and how many were handed out. `None` before they are made.
    Net(Option<(Vec<NetRow>, usize)>),
}

impl Batches {
    pub fn new(changes: Arc<Changes>, projection: Vec<usize>, schema: SchemaRef) -> Self {
        let order = match (changes.increment, changes.ordered) {
            (IncrementType::MinDelta, _) => Order::Net(None),
            (_, true) => Order::Merged(Merge::new(Arc::clone(&changes.runs))),
            (_, false) => Order::Stored(0),
        };
        Self {
            changes,
            projection,
            schema,
            order,
            queue: VecDeque::new(),
        }
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, SqlError> {
        if let Order::Net(net) = &mut self.order {
            let (rows, at) = match net {
                Some(made) => made,
                None => net.insert((net_rows(&self.changes)?, 0)),
            };
            let from = *at;
            let to = (from + BATCH_ROWS).min(rows.len());
            *at = to;
            return match from < to {
                true => self.net_batch(from..to).map(Some),
                false => Ok(None),
            };
        }
        let mut picks: Vec<Pick> = Vec::new();
        while picks.len() < GATHER_ROWS {
            let Some(segment) = self.next_segment() else { break };
            if segment.rows.len() < SLICE_ROWS {
                picks.extend(segment.rows.map(|row| (segment.run, row)));
            } else if picks.is_empty() {
                return self.slice(&segment).map(Some);
            } else {
                self.queue.push_front(segment);
                break;
            }
        }
        if picks.is_empty() {
            return Ok(None);
        }
        self.gathered(&picks).map(Some)
    }

    fn next_segment(&mut self) -> Option<Segment> {
        loop {
            if let Some(segment) = self.queue.pop_front() {
                return Some(segment);
            }
            let segment = match &mut self.order {
                Order::Merged(merge) => merge.next()?,
                Order::Stored(next) => {
                    let run = *next;
                    *next += 1;
                    let rows = self.changes.runs.get(run)?.rows.clone();
                    Segment { run, rows }
                }
                Order::Net(_) => return None,
            };
            if self.changes.increment != IncrementType::AppendOnly {
                return Some(segment);
            }
            self.queue_inserts(&segment);
        }
    }

    /// The pieces of a piece that are inserts.
    fn queue_inserts(&mut self, segment: &Segment) {
        let chunk = &self.changes.runs[segment.run].chunk;
        let mut from = segment.rows.start;
        for row in segment.rows.clone() {
            if !chunk.is_insert(row) {
                if from < row {
                    let run = segment.run;
                    self.queue.push_back(Segment { run, rows: from..row });
                }
                from = row + 1;
            }
        }
        if from < segment.rows.end {
            let run = segment.run;
            self.queue.push_back(Segment {
                run,
                rows: from..segment.rows.end,
            });
        }
    }

    fn slice(&self, segment: &Segment) -> Result<RecordBatch, SqlError> {
        let chunk = &self.changes.runs[segment.run].chunk;
        let (start, length) = (segment.rows.start, segment.rows.len());
        self.batch(
            length,
            |column| Ok(chunk.rows.column(column).slice(start, length)),
            |meta| match meta {
                Meta::Tso => Arc::new(chunk.tso.slice(start, length)),
                Meta::Lsn => Arc::new(chunk.lsn.slice(start, length)),
                Meta::Op => Arc::new(chunk.op.slice(start, length)),
            },
        )
    }

    fn gathered(&self, picks: &[Pick]) -> Result<RecordBatch, SqlError> {
        let runs = &self.changes.runs;
        let numbers = |of: &dyn Fn(&Run, usize) -> i64| -> ArrayRef {
            let values = picks.iter().map(|(run, row)| of(&runs[*run], *row));
            Arc::new(Int64Array::from_iter_values(values))
        };
        self.batch(
            picks.len(),
            |column| gather(runs, column, picks),
            |meta| match meta {
                Meta::Tso => numbers(&|run, row| run.chunk.tso.value(row)),
                Meta::Lsn => numbers(&|run, row| run.chunk.lsn.value(row)),
                Meta::Op => {
                    let ops = picks.iter().map(|(run, row)| runs[*run].chunk.op.value(*row));
                    Arc::new(Int8Array::from_iter_values(ops))
                }
            },
        )
    }

    fn net_batch(&self, range: Range<usize>) -> Result<RecordBatch, SqlError> {
        let Order::Net(Some((rows, _))) = &self.order else {
            return Err(SqlError::plain("net changes were not made"));
        };
        let rows = &rows[range];
        let picks: Vec<Pick> = rows.iter().map(|row| row.pick).collect();
        self.batch(
            rows.len(),
            |column| gather(&self.changes.runs, column, &picks),
            |meta| match meta {
                Meta::Tso => Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.tso))),
                Meta::Lsn => Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.lsn))),
                Meta::Op => Arc::new(Int8Array::from_iter_values(rows.iter().map(|row| row.op))),
            },
        )
    }

    fn batch(
        &self,
        rows: usize,
        column: impl Fn(usize) -> Result<ArrayRef, SqlError>,
        meta: impl Fn(Meta) -> ArrayRef,
    ) -> Result<RecordBatch, SqlError> {
        let declared = &self.changes.schema.columns;
        let columns = self
            .projection
            .iter()
            .zip(self.schema.fields())
            .map(|(index, field)| match declared.get(*index) {
                Some(declared) => Ok(to_compute(&declared.doris_type, &column(*index)?)),
                None => {
                    let array = meta(self.changes.hidden[*index - declared.len()]);
                    match field.data_type() == &DataType::Int64 && array.data_type() == &DataType::Int8 {
                        true => arrow_cast::cast(&array, field.data_type()).map_err(SqlError::plain),
                        false => Ok(array),
                    }
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(SqlError::plain)
    }
}

fn net_rows(changes: &Changes) -> Result<Vec<NetRow>, SqlError> {
    let mut rows = Vec::new();
    for tablet in &changes.tablets {
        net_changes(&changes.schema, &changes.runs, tablet.clone(), &mut rows)?;
    }
    if changes.ordered {
        rows.sort_unstable_by_key(|row| (row.tso, row.lsn, row.op));
    }
    Ok(rows)
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, SqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}
