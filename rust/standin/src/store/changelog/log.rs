//! The change log of one tablet: what was written, in the order of the commits, as Arrow batches.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int8Array, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use arrow_select::concat::{concat, concat_batches};

use crate::error::SqlError;
use crate::store::tablet::{BATCH_BYTES, BATCH_ROWS};

/// Small chunks up to this many rows grow by later writes.
const TAIL_ROWS: usize = 8192;

/// Rows as `DETAIL` shows them: an update with its before image takes two rows. Immutable.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The table's columns in stored form.
    pub rows: RecordBatch,
    /// Stamp of the row's transaction. Never falls within a chunk.
    pub tso: Int64Array,
    /// Number of the row's record. Never falls among the rows of one stamp.
    pub lsn: Int64Array,
    /// Operation as shown: 0 insert, 1 delete, 2 before and 3 after an update.
    pub op: Int8Array,
}

impl Chunk {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.num_rows()
    }

    /// True when it holds no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when the row was inserted, as far as the log knows.
    pub fn is_insert(&self, row: usize) -> bool {
        self.op.value(row) == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.rows.get_array_memory_size() + self.len() * 17
    }

    /// The rows with stamps from `lower` up to, but not including, `upper`.
    pub fn range(&self, lower: i64, upper: i64) -> std::ops::Range<usize> {
        let tso = self.tso.values();
        let start = tso.partition_point(|tso| *tso < lower);
        let end = tso.partition_point(|tso| *tso < upper);
        start..end.max(start)
    }

    fn slice(&self, offset: usize, length: usize) -> Self {
        Self {
            rows: self.rows.slice(offset, length),
            tso: self.tso.slice(offset, length),
            lsn: self.lsn.slice(offset, length),
            op: self.op.slice(offset, length),
        }
    }

    /// This chunk and the one after it as one.
    fn joined(&self, next: &Self) -> Result<Self, SqlError> {
        use arrow_array::cast::AsArray;
        let schema = self.rows.schema();
        let numbers = |a: &dyn Array, b: &dyn Array| concat(&[a, b]).map_err(SqlError::plain);
        let tso = numbers(&self.tso, &next.tso)?;
        let lsn = numbers(&self.lsn, &next.lsn)?;
        let op = numbers(&self.op, &next.op)?;
        Ok(Self {
            rows: concat_batches(&schema, [&self.rows, &next.rows]).map_err(SqlError::plain)?,
            tso: tso.as_primitive().clone(),
            lsn: lsn.as_primitive().clone(),
            op: op.as_primitive().clone(),
        })
    }
}

/// The log of a tablet at one moment. Versions of a table share chunks.
#[derive(Debug, Clone, Default)]
pub struct ChangeLog {
    chunks: Vec<Arc<Chunk>>,
}

impl ChangeLog {
    /// Chunks in the order of their writes. Their stamps rise from one to the next unless the clock was set back.
    pub fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// The log with more at its end.
    pub fn with(&self, added: Vec<Chunk>) -> Result<Self, SqlError> {
        let mut chunks = self.chunks.clone();
        for chunk in added {
            let mut start = 0;
            // Rows of pairs make a chunk longer than what was written.
            while start < chunk.len() {
                let length = (chunk.len() - start).min(BATCH_ROWS);
                let whole = length == chunk.len();
                push(
                    &mut chunks,
                    if whole {
                        chunk.clone()
                    } else {
                        chunk.slice(start, length)
                    },
                )?;
                start += length;
            }
        }
        Ok(Self { chunks })
    }

    /// The log without changes whose stamp lies below `border`; `None` when it holds none of them.
    pub fn purged(&self, border: i64) -> Option<Self> {
        let mut changed = false;
        let mut chunks = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let gone = chunk.range(i64::MIN, border).end;
            changed |= gone > 0;
            match gone {
                0 => chunks.push(Arc::clone(chunk)),
                gone if gone < chunk.len() => chunks.push(Arc::new(chunk.slice(gone, chunk.len() - gone))),
                _ => {}
            }
        }
        changed.then_some(Self { chunks })
    }

    /// The log with other columns: `map` gives those of a chunk's rows.
    pub fn mapped(
        &self,
        schema: &SchemaRef,
        map: &dyn Fn(&RecordBatch) -> Result<Vec<ArrayRef>, SqlError>,
    ) -> Result<Self, SqlError> {
        let chunks = self.chunks.iter().map(|chunk| {
            let options = RecordBatchOptions::new().with_row_count(Some(chunk.len()));
            let rows = RecordBatch::try_new_with_options(Arc::clone(schema), map(&chunk.rows)?, &options)
                .map_err(SqlError::plain)?;
            Ok(Arc::new(Chunk {
                rows,
                ..(**chunk).clone()
            }))
        });
        Ok(Self {
            chunks: chunks.collect::<Result<_, SqlError>>()?,
        })
    }
}

/// Adds a chunk; a small last one grows instead.
fn push(chunks: &mut Vec<Arc<Chunk>>, chunk: Chunk) -> Result<(), SqlError> {
    let joins = chunks.last().is_some_and(|last| {
        let stamps = last.tso.values().last() <= chunk.tso.values().first();
        stamps && last.len() + chunk.len() <= TAIL_ROWS && last.bytes() + chunk.bytes() <= BATCH_BYTES
    });
    let chunk = match chunks.pop_if(|_| joins) {
        Some(last) => last.joined(&chunk)?,
        None => chunk,
    };
    chunks.push(Arc::new(chunk));
    Ok(())
}
