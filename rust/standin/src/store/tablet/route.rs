//! The way of written rows to their tablets: rows are split, gathered, and cut into batches of a good size.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use datafusion::common::hash_utils::{RandomState, create_hashes};

use crate::error::SqlError;
use crate::store::partition::PartitionFinder;
use crate::store::schema::{Distribution, TableSchema};
use crate::store::tablet::{BATCH_BYTES, BATCH_ROWS, Partition, TableVersion};

/// Seed of the bucket hash: a row must find the same bucket every time.
const BUCKET_SEED: u64 = 0x0d0_815;

/// Splits batches in stored form over the tablets of a table's version.
pub struct Router {
    finder: PartitionFinder,
    partitions: Vec<Arc<Partition>>,
    hash_columns: Vec<usize>,
    /// Next bucket of a random distribution.
    turn: usize,
}

impl Router {
    /// For a write into the partitions, which all belong to one table of the given declaration.
    pub fn new(schema: &TableSchema, partitions: Vec<Arc<Partition>>, turn: usize) -> Result<Self, SqlError> {
        let finder = PartitionFinder::new(schema, partitions.iter().map(|p| &p.bound))?;
        let hash_columns = match &schema.distribution {
            Distribution::Hash(names) => names.iter().filter_map(|n| schema.index_of(n)).collect(),
            Distribution::Random => Vec::new(),
        };
        Ok(Self {
            finder,
            partitions,
            hash_columns,
            turn,
        })
    }

    /// For a write into the table as a whole.
    pub fn of_version(version: &TableVersion) -> Result<Self, SqlError> {
        let partitions = version.visible_partitions().cloned().collect();
        Self::new(&version.schema, partitions, version.version as usize)
    }

    /// Rows of the batch that no partition takes.
    pub fn homeless(&self, batch: &RecordBatch) -> Result<Vec<usize>, SqlError> {
        if self.finder.is_single() {
            return Ok(Vec::new());
        }
        let found = self.finder.find(batch)?;
        Ok(found
            .iter()
            .enumerate()
            .filter(|(_, p)| p.is_none())
            .map(|(row, _)| row)
            .collect())
    }

    /// Adds the rows of a batch to the tablets they belong to. Every row has a partition.
    pub fn route(&mut self, batch: RecordBatch, into: &mut WriteSet) -> Result<(), SqlError> {
        let rows = batch.num_rows();
        if rows == 0 {
            return Ok(());
        }
        let bytes = batch.get_array_memory_size();
        let buckets: Vec<usize> = self.partitions.iter().map(|p| p.tablets.len()).collect();
        if buckets.len() == 1 && (buckets[0] == 1 || self.hash_columns.is_empty()) {
            let bucket = self.turn % buckets[0];
            self.turn += 1;
            into.add(self.partitions[0].tablets[bucket].id, batch, bytes, true)?;
            return Ok(());
        }
        let first: Vec<usize> = buckets
            .iter()
            .scan(0, |sum, n| {
                let first = *sum;
                *sum += n;
                Some(first)
            })
            .collect();
        let partitions = self.finder.find(&batch)?;
        let hashes = self.hashes(&batch)?;
        let turn = self.turn;
        self.turn += 1;
        let slots: Vec<usize> = partitions
            .iter()
            .enumerate()
            .map(|(row, partition)| {
                // `homeless` rows were taken out before.
                let partition = partition.unwrap_or(0);
                let bucket = match &hashes {
                    Some(hashes) => (hashes[row] % buckets[partition] as u64) as usize,
                    None => turn % buckets[partition],
                };
                first[partition] + bucket
            })
            .collect();
        let total = buckets.iter().sum();
        let (order, ends) = counting_sort(&slots, total);
        let sorted = take_record_batch(&batch, &UInt32Array::from(order)).map_err(SqlError::plain)?;
        let ids: Vec<i64> = self
            .partitions
            .iter()
            .flat_map(|p| p.tablets.iter().map(|t| t.id))
            .collect();
        let mut start = 0;
        for (slot, end) in ends.into_iter().enumerate() {
            if end > start {
                let piece = sorted.slice(start, end - start);
                into.add(
                    ids[slot],
                    piece,
                    bytes * (end - start) / rows,
                    end - start == rows,
                )?;
            }
            start = end;
        }
        Ok(())
    }

    fn hashes(&self, batch: &RecordBatch) -> Result<Option<Vec<u64>>, SqlError> {
        if self.hash_columns.is_empty() {
            return Ok(None);
        }
        let columns: Vec<ArrayRef> = self
            .hash_columns
            .iter()
            .map(|i| batch.column(*i).clone())
            .collect();
        Ok(Some(bucket_hashes(&columns, batch.num_rows())?))
    }
}

/// The hash of every row that its bucket is chosen by, from the distribution columns in stored form.
pub fn bucket_hashes(columns: &[ArrayRef], rows: usize) -> Result<Vec<u64>, SqlError> {
    let mut hashes = vec![0; rows];
    create_hashes(columns, &RandomState::with_seed(BUCKET_SEED), &mut hashes).map_err(SqlError::plain)?;
    // The low bits of the hash of neighbouring numbers are spread by the upper half.
    Ok(hashes.into_iter().map(|h| h ^ (h >> 32)).collect())
}

/// Row numbers ordered by slot, and the end of each slot in that order.
fn counting_sort(slots: &[usize], total: usize) -> (Vec<u32>, Vec<usize>) {
    let mut ends = vec![0; total];
    for slot in slots {
        ends[*slot] += 1;
    }
    let mut sum = 0;
    let mut next: Vec<usize> = ends
        .iter_mut()
        .map(|count| {
            let start = sum;
            sum += *count;
            *count = sum;
            start
        })
        .collect();
    let mut order = vec![0; slots.len()];
    for (row, slot) in slots.iter().enumerate() {
        order[next[*slot]] = row as u32;
        next[*slot] += 1;
    }
    (order, ends)
}

/// Rows on their way into a table, by tablet, in the order they came.
#[derive(Debug)]
pub struct WriteSet {
    schema: SchemaRef,
    tablets: BTreeMap<i64, Gathered>,
    rows: usize,
}

#[derive(Debug, Default)]
struct Gathered {
    done: Vec<RecordBatch>,
    pieces: Vec<(RecordBatch, bool)>,
    rows: usize,
    bytes: usize,
}

impl WriteSet {
    /// Empty, for rows of the given stored schema.
    pub fn new(schema: SchemaRef) -> Self {
        Self {
            schema,
            tablets: BTreeMap::new(),
            rows: 0,
        }
    }

    /// Rows that [`WriteSet::finish`] gave.
    pub fn of(schema: SchemaRef, rows: BTreeMap<i64, Vec<RecordBatch>>) -> Self {
        let gathered = |done| Gathered {
            done,
            ..Gathered::default()
        };
        Self {
            schema,
            rows: rows.values().flatten().map(RecordBatch::num_rows).sum(),
            tablets: rows.into_iter().map(|(id, done)| (id, gathered(done))).collect(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds rows for a tablet. `whole` = the batch owns its memory, it is no slice of a larger one.
    fn add(&mut self, tablet: i64, batch: RecordBatch, bytes: usize, whole: bool) -> Result<(), SqlError> {
        self.rows += batch.num_rows();
        let gathered = self.tablets.entry(tablet).or_default();
        if gathered.rows + batch.num_rows() > BATCH_ROWS || gathered.bytes + bytes > BATCH_BYTES {
            gathered.flush(&self.schema)?;
        }
        gathered.rows += batch.num_rows();
        gathered.bytes += bytes;
        gathered.pieces.push((batch, whole));
        Ok(())
    }

    /// The rows of every tablet in batches of a good size.
    pub fn finish(mut self) -> Result<BTreeMap<i64, Vec<RecordBatch>>, SqlError> {
        for gathered in self.tablets.values_mut() {
            gathered.flush(&self.schema)?;
        }
        Ok(self
            .tablets
            .into_iter()
            .map(|(id, gathered)| (id, gathered.done))
            .collect())
    }
}

impl Gathered {
    fn flush(&mut self, schema: &SchemaRef) -> Result<(), SqlError> {
        let pieces = std::mem::take(&mut self.pieces);
        let (rows, bytes) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.bytes));
        let (batch, whole) = match pieces.len() {
            0 => return Ok(()),
            // One piece: neither copied nor joined.
            1 => pieces
                .into_iter()
                .next()
                .unwrap_or_else(|| (RecordBatch::new_empty(schema.clone()), true)),
            _ => {
                let batches: Vec<&RecordBatch> = pieces.iter().map(|(b, _)| b).collect();
                (concat_batches(schema, batches).map_err(SqlError::plain)?, true)
            }
        };
        let per_batch = (BATCH_BYTES * rows / bytes.max(1)).clamp(1, BATCH_ROWS);
        if rows <= BATCH_ROWS && bytes <= BATCH_BYTES + BATCH_BYTES / 4 && whole {
            self.done.push(batch);
            return Ok(());
        }
        let mut start = 0;
        while start < rows {
            let end = (start + per_batch).min(rows);
            let range = UInt32Array::from_iter_values(start as u32..end as u32);
            self.done
                .push(take_record_batch(&batch, &range).map_err(SqlError::plain)?);
            start = end;
        }
        Ok(())
    }
}
