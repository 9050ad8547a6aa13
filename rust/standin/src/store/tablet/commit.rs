//! Writes into tablets: a new version of the table from the old one and the rows that came.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_select::concat::concat_batches;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::hash_utils::QualityRandomState;

use crate::error::SqlError;
use crate::profile::changelog::{PredicateDelete, RecordForms};
use crate::store::changelog::log::{ChangeLog, Chunk};
use crate::store::changelog::lsn::Lsns;
use crate::store::changelog::record::Recording;
use crate::store::info::KeysType;
use crate::store::row_shape::RowShape;
use crate::store::schema::TableSchema;
use crate::store::tablet::aggregate;
use crate::store::tablet::upsert::upsert;
use crate::store::tablet::{BATCH_BYTES, BATCH_ROWS, Partition, StoredBatch, TableVersion, Tablet};

/// Small batches up to this many rows grow by later writes.
const TAIL_ROWS: usize = 8192;
/// A tablet is rewritten when it holds more deleted rows than this, and more than live ones.
const DEAD_ROWS: usize = 4096;

/// State of a table's one writer: where each key's newest row is.
#[derive(Debug, Default)]
pub struct Writer {
    indexes: HashMap<i64, Keys>,
    /// Numbers of the table's records.
    pub(crate) lsns: Lsns,
    /// What is recorded where servers differ.
    pub(crate) forms: RecordForms,
}

/// What a write makes of a tablet.
#[derive(Debug)]
pub struct Changed {
    /// Its rows.
    pub batches: Vec<Arc<StoredBatch>>,
    /// Its log; `None` = as it was.
    pub changes: Option<ChangeLog>,
}

impl From<Vec<Arc<StoredBatch>>> for Changed {
    fn from(batches: Vec<Arc<StoredBatch>>) -> Self {
        Self {
            batches,
            changes: None,
        }
    }
}

impl Changed {
    fn recorded(
        batches: Vec<Arc<StoredBatch>>,
        tablet: &Tablet,
        added: Vec<Chunk>,
    ) -> Result<Self, SqlError> {
        Ok(Self {
            batches,
            changes: match added.is_empty() {
                true => None,
                false => Some(tablet.changes.with(added)?),
            },
        })
    }
}

/// When a write happens.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Stamp (TSO).
    pub stamp: u64,
    /// Microseconds of the epoch.
    pub micros: i64,
}

/// Where the newest row of each key is.
pub(crate) type Keys = HashMap<u128, Location, QualityRandomState>;

/// Index of a batch in its tablet, and of a row in the batch.
pub(crate) type Location = (u32, u32);

impl Writer {
    /// Forgets where keys are; needed when tablets were changed other than by [`append`] and [`delete`].
    pub fn forget(&mut self) {
        self.indexes.clear();
    }
}

/// Where the keys of a tablet are; read from its rows the first time.
pub(crate) fn index<'i>(
    indexes: &'i mut HashMap<i64, Keys>,
    tablet: &Tablet,
    encoder: &KeyEncoder,
) -> Result<&'i mut Keys, SqlError> {
    use std::collections::hash_map::Entry;
    match indexes.entry(tablet.id) {
        Entry::Occupied(found) => Ok(found.into_mut()),
        Entry::Vacant(place) => {
            let mut keys = Keys::with_hasher(QualityRandomState::with_seed(1));
            for (at, batch) in tablet.batches.iter().enumerate() {
                for (row, key) in encoder.keys(&batch.data)?.into_iter().enumerate() {
                    if batch.is_live(row) {
                        keys.insert(key, (at as u32, row as u32));
                    }
                }
            }
            Ok(place.insert(keys))
        }
    }
}

/// Turns key columns into numbers: short keys into themselves, long ones into 127 bits of hash.
pub(crate) struct KeyEncoder {
    converter: RowConverter,
    indexes: Vec<usize>,
    hashers: [QualityRandomState; 2],
}

impl KeyEncoder {
    /// For a table's key columns.
    pub(crate) fn new(schema: &TableSchema) -> Result<Self, SqlError> {
        let indexes = schema.key_indexes();
        let fields = indexes
            .iter()
            .map(|i| SortField::new(schema.columns[*i].doris_type.arrow_type()))
            .collect();
        Ok(Self {
            converter: RowConverter::new(fields).map_err(SqlError::plain)?,
            indexes,
            hashers: [QualityRandomState::with_seed(2), QualityRandomState::with_seed(3)],
        })
    }

    /// The key of every row.
    pub(crate) fn keys(&self, batch: &RecordBatch) -> Result<Vec<u128>, SqlError> {
        let columns: Vec<ArrayRef> = self.indexes.iter().map(|i| batch.column(*i).clone()).collect();
        let rows = self
            .converter
            .convert_columns(&columns)
            .map_err(SqlError::plain)?;
        Ok(rows.iter().map(|row| self.key(row.as_ref())).collect())
    }

    fn key(&self, bytes: &[u8]) -> u128 {
        if bytes.len() < 16 {
            let mut packed = [0; 16];
            packed[0] = bytes.len() as u8;
            packed[1..=bytes.len()].copy_from_slice(bytes);
            return u128::from_be_bytes(packed);
        }
        let [first, second] = &self.hashers;
        (u128::from(first.hash_one(bytes)) << 64 | u128::from(second.hash_one(bytes))) | 1 << 127
    }
}

/// What the changelog of a table, if it has one, records of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Nothing.
    Nothing,
    /// Rows that came whole: a log without before images does not know what they replaced.
    Rows,
    /// Rows whose keys were looked for, since they gave some of their columns only.
    Updates,
}

/// The version after whole rows were added by the rules of the table's model.
pub fn append(
    version: &TableVersion,
    writer: &mut Writer,
    rows: BTreeMap<i64, Vec<RecordBatch>>,
    told: Told,
    moment: Moment,
) -> Result<TableVersion, SqlError> {
    append_shaped(version, writer, rows, &RowShape::default(), told, moment)
}

/// The version after rows of a shape were added. Only a Unique table takes another shape than the default.
pub fn append_shaped(
    version: &TableVersion,
    writer: &mut Writer,
    rows: BTreeMap<i64, Vec<RecordBatch>>,
    shape: &RowShape,
    told: Told,
    moment: Moment,
) -> Result<TableVersion, SqlError> {
    let mut left = rows;
    let schema = &version.schema;
    let changelog = schema.changelog().filter(|_| told != Told::Nothing);
    let Writer { indexes, lsns, forms } = writer;
    let next = change_tablets(version, moment, |partition, tablet| {
        let Some(batches) = left.remove(&tablet.id) else {
            return Ok(None);
        };
        let batches = batches
            .into_iter()
            .filter(|b| b.num_rows() > 0)
            .collect::<Vec<_>>();
        // Rows of a temporary partition become part of the table without being written into it.
        let mut recording = changelog
            .filter(|_| !partition.temporary)
            .map(|changelog| Recording {
                history: changelog.history,
                looked_up: changelog.history || told == Told::Updates || shape.partial.is_some(),
                forms: *forms,
                moment,
                backend: tablet.backend_index,
                lsns: &mut *lsns,
            });
        let (changed, added) = match schema.keys_type {
            KeysType::Duplicate => {
                let mut all = tablet.batches.clone();
                let mut added = Vec::new();
                for batch in batches {
                    added.extend(
                        recording
                            .as_mut()
                            .map(|recording| recording.appended(batch.clone())),
                    );
                    push_batch(&mut all, batch, None)?;
                }
                (all, added)
            }
            KeysType::Unique => upsert(schema, tablet, indexes, batches, shape, recording.as_mut())?,
            KeysType::Aggregate => (aggregate::merge(schema, tablet, batches)?, Vec::new()),
        };
        Changed::recorded(changed, tablet, added).map(Some)
    })?;
    match left.into_keys().next() {
        None => Ok(next),
        Some(id) => Err(SqlError::plain(format!(
            "tablet {id} was dropped while it was written"
        ))),
    }
}

/// The version after the given rows, (batch, row) by tablet, were deleted.
pub fn delete(
    version: &TableVersion,
    writer: &mut Writer,
    rows: &HashMap<i64, Vec<(usize, usize)>>,
    moment: Moment,
) -> Result<TableVersion, SqlError> {
    let light = version.schema.properties.get("enable_mow_light_delete");
    let light = light.is_some_and(|value| value.eq_ignore_ascii_case("true"))
        && writer.forms.predicate_delete == PredicateDelete::Silent;
    let unique = version.schema.keys_type == KeysType::Unique;
    let changelog = version.schema.changelog().filter(|_| unique && !light);
    change_tablets(version, moment, |partition, tablet| {
        let Some(rows) = rows.get(&tablet.id) else {
            return Ok(None);
        };
        // Locations of other keys stay as they are; keys of deleted rows would point at dead rows.
        writer.indexes.remove(&tablet.id);
        let mut masks = Masks::default();
        for (batch, row) in rows {
            masks.kill(&tablet.batches, *batch, *row);
        }
        let mut added = Vec::new();
        if let Some(changelog) = changelog.filter(|_| !partition.temporary) {
            let mut recording = Recording {
                history: changelog.history,
                looked_up: true,
                forms: writer.forms,
                moment,
                backend: tablet.backend_index,
                lsns: &mut writer.lsns,
            };
            added.push(recording.deleted(&version.schema, tablet, rows)?);
        }
        let mut batches = tablet.batches.clone();
        masks.apply(&mut batches);
        let batches = compact(&version.schema, batches)?.0;
        Changed::recorded(batches, tablet, added).map(Some)
    })
}

/// Applies `change` to every tablet; a changed partition gets its next version.
pub fn change_tablets<C: Into<Changed>>(
    version: &TableVersion,
    moment: Moment,
    mut change: impl FnMut(&Partition, &Tablet) -> Result<Option<C>, SqlError>,
) -> Result<TableVersion, SqlError> {
    let mut partitions = Vec::with_capacity(version.partitions.len());
    for partition in &version.partitions {
        let mut tablets = partition.tablets.clone();
        let mut changed = false;
        for tablet in &mut tablets {
            if let Some(made) = change(partition, tablet)? {
                let Changed { batches, changes } = made.into();
                *tablet = Arc::new(Tablet {
                    batches,
                    changes: changes.unwrap_or_else(|| tablet.changes.clone()),
                    id: tablet.id,
                    backend_index: tablet.backend_index,
                });
                changed = true;
            }
        }
        partitions.push(match changed {
            false => Arc::clone(partition),
            true => Arc::new(Partition {
                tablets,
                version: partition.version + 1,
                visible_micros: moment.micros,
                ..(**partition).clone()
            }),
        });
    }
    Ok(TableVersion {
        schema: Arc::clone(&version.schema),
        partitions,
        version: version.version + 1,
        stamp: moment.stamp,
    })
}

/// The same rows with other logs, where `change` gives one: no version of its own.
pub(crate) fn change_logs(
    version: &TableVersion,
    change: impl Fn(&Tablet) -> Option<ChangeLog>,
) -> TableVersion {
    let partitions = version.partitions.iter().map(|partition| {
        let tablets = partition.tablets.iter().map(|tablet| match change(tablet) {
            None => Arc::clone(tablet),
            Some(changes) => Arc::new(Tablet {
                changes,
                ..(**tablet).clone()
            }),
        });
        Arc::new(Partition {
            tablets: tablets.collect(),
            ..(**partition).clone()
        })
    });
    TableVersion {
        partitions: partitions.collect(),
        ..version.clone()
    }
}

/// Adds a batch; a small last one grows instead, its rows keep their places.
pub(crate) fn push_batch(
    batches: &mut Vec<Arc<StoredBatch>>,
    batch: RecordBatch,
    live: Option<BooleanBuffer>,
) -> Result<(), SqlError> {
    let joins = batches.last().is_some_and(|last| {
        last.data.num_rows() + batch.num_rows() <= TAIL_ROWS
            && last.bytes + batch.get_array_memory_size() <= BATCH_BYTES
    });
    if !joins {
        batches.push(StoredBatch::new(batch, live));
        return Ok(());
    }
    let Some(last) = batches.pop() else { return Ok(()) };
    let joined = concat_batches(batch.schema_ref(), [&last.data, &batch]).map_err(SqlError::plain)?;
    let mask = (last.live.is_some() || live.is_some()).then(|| {
        let mut bits = BooleanBufferBuilder::new(joined.num_rows());
        append_mask(&mut bits, last.live.as_ref(), last.data.num_rows());
        append_mask(&mut bits, live.as_ref(), batch.num_rows());
        bits.finish()
    });
    batches.push(StoredBatch::new(joined, mask));
    Ok(())
}

fn append_mask(bits: &mut BooleanBufferBuilder, mask: Option<&BooleanBuffer>, rows: usize) {
    match mask {
        Some(mask) => bits.append_buffer(mask),
        None => bits.append_n(rows, true),
    }
}

/// Rows to delete, by batch.
#[derive(Default)]
pub(crate) struct Masks {
    dead: HashMap<usize, BooleanBufferBuilder>,
}

impl Masks {
    /// Marks a row as deleted.
    pub(crate) fn kill(&mut self, batches: &[Arc<StoredBatch>], batch: usize, row: usize) {
        let bits = self.dead.entry(batch).or_insert_with(|| {
            let stored = &batches[batch];
            let mut bits = BooleanBufferBuilder::new(stored.data.num_rows());
            append_mask(&mut bits, stored.live.as_ref(), stored.data.num_rows());
            bits
        });
        bits.set_bit(row, false);
    }

    /// Deletes the marked rows.
    pub(crate) fn apply(self, batches: &mut [Arc<StoredBatch>]) {
        for (at, mut bits) in self.dead {
            batches[at] = StoredBatch::new(batches[at].data.clone(), Some(bits.finish()));
        }
    }
}

/// Rewrites a tablet that is mostly dead rows; true when rows moved.
pub(crate) fn compact(
    schema: &TableSchema,
    batches: Vec<Arc<StoredBatch>>,
) -> Result<(Vec<Arc<StoredBatch>>, bool), SqlError> {
    let all: usize = batches.iter().map(|b| b.data.num_rows()).sum();
    let live: usize = batches.iter().map(|b| b.rows()).sum();
    if all - live <= DEAD_ROWS || all - live <= live {
        return Ok((batches, false));
    }
    let visible: Vec<RecordBatch> = batches
        .iter()
        .map(|b| b.visible().clone())
        .filter(|b| b.num_rows() > 0)
        .collect();
    Ok((join(&schema.stored_schema(), visible)?, true))
}

/// Joins batches into as few of a good size as they fit in.
pub(crate) fn join(
    schema: &arrow_schema::SchemaRef,
    batches: Vec<RecordBatch>,
) -> Result<Vec<Arc<StoredBatch>>, SqlError> {
    let mut out = Vec::new();
    let mut group: Vec<RecordBatch> = Vec::new();
    let (mut rows, mut bytes) = (0, 0);
    let mut flush = |group: &mut Vec<RecordBatch>| -> Result<(), SqlError> {
        if !group.is_empty() {
            let joined = concat_batches(schema, group.iter()).map_err(SqlError::plain)?;
            out.push(StoredBatch::new(joined, None));
            group.clear();
        }
        Ok(())
    };
    for batch in batches {
        let size = batch.get_array_memory_size();
        if rows + batch.num_rows() > BATCH_ROWS || bytes + size > BATCH_BYTES {
            flush(&mut group)?;
            (rows, bytes) = (0, 0);
        }
        rows += batch.num_rows();
        bytes += size;
        group.push(batch);
    }
    flush(&mut group)?;
    Ok(out)
}
