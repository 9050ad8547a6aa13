//! Changes recorded while rows are written: what a write did to each key, once it is over.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int8Array, Int64Array, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_select::interleave::interleave;

use super::log::Chunk;
use super::lsn::Lsns;
use crate::error::SqlError;
use crate::profile::changelog::{DeleteForm, RecordForms, UnknownDelete, UpdateForm};
use crate::store::defaults::default_column;
use crate::store::schema::{Column, TableSchema};
use crate::store::tablet::commit::{Location, Moment};
use crate::store::tablet::{StoredBatch, Tablet};
use crate::values::zone::Zone;

/// What the records of one write into one tablet have in common.
pub(crate) struct Recording<'w> {
    /// Of the transaction.
    pub moment: Moment,
    /// Before images are recorded.
    pub history: bool,
    /// The keys of the rows were looked for; else it is not known whether they are new.
    pub looked_up: bool,
    /// What is recorded where servers differ.
    pub forms: RecordForms,
    /// Back end of the tablet.
    pub backend: usize,
    /// Where numbers come from.
    pub lsns: &'w mut Lsns,
}

impl Recording<'_> {
    /// Rows that were added under no key, as they came.
    pub(crate) fn appended(&mut self, rows: RecordBatch) -> Chunk {
        let count = rows.num_rows();
        let first = self.lsns.take(self.backend, count);
        let count_i64 = i64::try_from(count).unwrap_or(i64::MAX);
        Chunk {
            tso: Int64Array::from(vec![self.tso(); count]),
            lsn: Int64Array::from_iter_values(first..first + count_i64),
            op: Int8Array::from(vec![0; count]),
            rows,
        }
    }

    /// Rows that a statement deletes, by batch and row of the tablet.
    pub(crate) fn deleted(
        &mut self,
        schema: &TableSchema,
        tablet: &Tablet,
        rows: &[(usize, usize)],
    ) -> Result<Chunk, SqlError> {
        let mut draft = Draft::default();
        for (number, (batch, row)) in rows.iter().enumerate() {
            draft.push(Row::Stored(*batch, *row), 1, number, self.of_deleted());
        }
        self.chunk(schema, draft, None, &tablet.batches)
    }

    /// What is recorded of a row that was found and is deleted.
    fn of_deleted(&self) -> Values {
        match self.history || self.forms.delete == DeleteForm::Row {
            true => Values::All,
            false => Values::Key,
        }
    }

    fn tso(&self) -> i64 {
        i64::try_from(self.moment.stamp).unwrap_or(i64::MAX)
    }

    /// Gathers the rows of a draft. `own`: rows that came with the write.
    fn chunk(
        &mut self,
        schema: &TableSchema,
        draft: Draft,
        own: Option<&RecordBatch>,
        stored: &[Arc<StoredBatch>],
    ) -> Result<Chunk, SqlError> {
        let first = self.lsns.take(self.backend, draft.records);
        let count = draft.rows.len();
        let columns = (0..schema.columns.len())
            .map(|column| draft.column(column, &schema.columns[column], self.moment, own, stored))
            .collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let rows = RecordBatch::try_new_with_options(schema.stored_schema(), columns, &options)
            .map_err(SqlError::plain)?;
        let numbers = draft.numbers.iter().map(|number| first + i64::from(*number));
        Ok(Chunk {
            rows,
            tso: Int64Array::from(vec![self.tso(); count]),
            lsn: Int64Array::from_iter_values(numbers),
            op: Int8Array::from(draft.ops),
        })
    }
}

/// Where a row of a record is read.
#[derive(Clone, Copy)]
enum Row {
    /// Among the rows that came.
    Own(usize),
    /// Batch and row of the tablet.
    Stored(usize, usize),
}

/// What a row of a record holds outside of its key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    All,
    /// Defaults, else NULL.
    Key,
    /// NULL.
    Nothing,
}

/// Rows of records before they are gathered.
#[derive(Default)]
struct Draft {
    rows: Vec<Row>,
    ops: Vec<i8>,
    /// Number of each row's record, from 0.
    numbers: Vec<u32>,
    values: Vec<Values>,
    records: usize,
}

impl Draft {
    fn push(&mut self, row: Row, op: i8, number: usize, values: Values) {
        self.rows.push(row);
        self.ops.push(op);
        self.numbers.push(u32::try_from(number).unwrap_or(u32::MAX));
        self.values.push(values);
        self.records = number + 1;
    }

    /// One column of all rows.
    fn column(
        &self,
        column: usize,
        declared: &Column,
        moment: Moment,
        own: Option<&RecordBatch>,
        stored: &[Arc<StoredBatch>],
    ) -> Result<ArrayRef, SqlError> {
        let nothing = new_null_array(&declared.doris_type.arrow_type(), 1);
        let default = match declared.default.is_some() && self.values.contains(&Values::Key) {
            true => default_column(declared, 1, moment.micros, &Zone::UTC)?,
            false => Arc::clone(&nothing),
        };
        // The first two sources have one row each, so that there is always one.
        let mut sources: Vec<&dyn Array> = vec![nothing.as_ref(), default.as_ref()];
        let mut own_place = None;
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut picks = Vec::with_capacity(self.rows.len());
        for (row, values) in self.rows.iter().zip(&self.values) {
            picks.push(match row {
                _ if !declared.key && *values == Values::Nothing => (0, 0),
                _ if !declared.key && *values == Values::Key => (1, 0),
                Row::Own(row) => {
                    let place = match (own_place, own) {
                        (Some(place), _) => place,
                        (None, Some(own)) => {
                            sources.push(own.column(column).as_ref());
                            *own_place.insert(sources.len() - 1)
                        }
                        (None, None) => return Err(SqlError::plain("a change without its row")),
                    };
                    (place, *row)
                }
                Row::Stored(batch, row) => {
                    let place = *places.entry(*batch).or_insert_with(|| {
                        sources.push(stored[*batch].data.column(column).as_ref());
                        sources.len() - 1
                    });
                    (place, *row)
                }
            });
        }
        interleave(&sources, &picks).map_err(SqlError::plain)
    }
}

/// What became of a row that came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Another row of the same write came after it, or it lost by its sequence value.
    Nothing,
    Written,
    Deletes,
}

#[derive(Clone, Copy)]
struct Change {
    fate: Fate,
    /// Row of the key before the write.
    before: Option<Location>,
}

/// Rows that came in one batch, and where they were put.
struct Span {
    batch: u32,
    first_row: u32,
    first_change: usize,
    rows: RecordBatch,
}

/// Follows the rows of one write into a tablet of a Unique table: each key gives at most one record, whatever happened
/// to it in between.
#[derive(Default)]
pub(crate) struct Recorder {
    spans: Vec<Span>,
    changes: Vec<Change>,
    /// Changes that deleted keys which the index does not know any more.
    gone: HashMap<u128, usize>,
}

impl Recorder {
    /// Rows were put into a batch of the tablet, from its row `first_row` on. Each of them is recorded next, in order.
    pub(crate) fn placed(&mut self, batch: usize, first_row: usize, rows: RecordBatch) {
        self.spans.push(Span {
            batch: batch as u32,
            first_row: first_row as u32,
            first_change: self.changes.len(),
            rows,
        });
    }

    /// The next row lost by its sequence value.
    pub(crate) fn lost(&mut self) {
        self.changes.push(Change {
            fate: Fate::Nothing,
            before: None,
        });
    }

    /// The next row took the place of `old` (with whether that is live) or, without it, of nothing that the index
    /// knows.
    pub(crate) fn took(&mut self, key: u128, old: Option<(Location, bool)>, deletes: bool) {
        let earlier = match old {
            Some((location, _)) => self.own(location),
            None => self.gone.remove(&key),
        };
        let before = match (earlier, old) {
            (Some(at), _) => {
                let change = &mut self.changes[at];
                change.fate = Fate::Nothing;
                change.before
            }
            (None, Some((location, true))) => Some(location),
            (None, _) => None,
        };
        if deletes {
            self.gone.insert(key, self.changes.len());
        }
        let fate = if deletes { Fate::Deletes } else { Fate::Written };
        self.changes.push(Change { fate, before });
    }

    /// The change that put a row at a place, if it was put there by this write.
    fn own(&self, (batch, row): Location) -> Option<usize> {
        // Places rise from span to span.
        let after = self
            .spans
            .partition_point(|span| (span.batch, span.first_row) <= (batch, row));
        let span = &self.spans[after.checked_sub(1)?];
        let at = (row - span.first_row.min(row)) as usize;
        (span.batch == batch && at < span.rows.num_rows()).then(|| span.first_change + at)
    }

    /// The records. `stored`: the tablet's batches with every row, old and new, where it was put.
    pub(crate) fn finish(
        self,
        schema: &TableSchema,
        stored: &[Arc<StoredBatch>],
        recording: &mut Recording<'_>,
    ) -> Result<Vec<Chunk>, SqlError> {
        let mut chunks = Vec::with_capacity(self.spans.len());
        for span in &self.spans {
            let count = span.rows.num_rows();
            let changes = &self.changes[span.first_change..span.first_change + count];
            let inserted = |change: &Change| change.fate == Fate::Written && change.before.is_none();
            if changes.iter().all(inserted) {
                chunks.push(recording.appended(span.rows.clone()));
                continue;
            }
            let mut draft = Draft::default();
            for (row, change) in changes.iter().enumerate() {
                let number = draft.records;
                let own = Row::Own(row);
                let before = change
                    .before
                    .map(|(batch, row)| Row::Stored(batch as usize, row as usize));
                let pair = recording.looked_up || recording.forms.update == UpdateForm::Pair;
                let unknown = recording.forms.unknown_delete == UnknownDelete::Recorded;
                match (change.fate, before) {
                    (Fate::Nothing, _) => {}
                    (Fate::Written, Some(before)) if pair => {
                        // Where no row is kept as it was, the one that comes stands for it.
                        let before = if recording.history { before } else { own };
                        draft.push(before, 2, number, Values::All);
                        draft.push(own, 3, number, Values::All);
                    }
                    (Fate::Written, _) => draft.push(own, 0, number, Values::All),
                    (Fate::Deletes, Some(_))
                        if !recording.looked_up && recording.of_deleted() == Values::Key =>
                    {
                        draft.push(own, 1, number, Values::All);
                    }
                    (Fate::Deletes, Some(before)) => draft.push(before, 1, number, recording.of_deleted()),
                    (Fate::Deletes, None) if !unknown => {}
                    (Fate::Deletes, None) if recording.history => draft.push(own, 1, number, Values::Nothing),
                    (Fate::Deletes, None) if recording.looked_up => draft.push(own, 1, number, Values::Key),
                    (Fate::Deletes, None) => draft.push(own, 1, number, Values::All),
                }
            }
            if draft.records > 0 {
                chunks.push(recording.chunk(schema, draft, Some(&span.rows), stored)?);
            }
        }
        Ok(chunks)
    }
}
