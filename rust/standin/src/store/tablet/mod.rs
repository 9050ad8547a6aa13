//! Stored rows: batches, tablets, partitions and the versions of a table that readers hold.

pub mod aggregate;
pub mod commit;
pub mod route;
pub(crate) mod upsert;

use std::sync::{Arc, OnceLock, RwLock};
use std::time::Instant;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_select::filter::filter_record_batch;

use crate::cluster::lag::Lags;
use crate::cluster::{read, write};
use crate::store::changelog::log::ChangeLog;
use crate::store::info::{PartitionInfo, TableInfo, TabletInfo};
use crate::store::partition::Bound;
use crate::store::schema::TableSchema;
use crate::store::tablet::commit::Writer;

/// A stored batch holds at most this many rows.
pub const BATCH_ROWS: usize = 65_536;
/// A stored batch is cut near this many bytes.
pub const BATCH_BYTES: usize = 4 << 20;

/// Rows that were written together. Immutable; a deletion makes a new one over the same memory.
#[derive(Debug)]
pub struct StoredBatch {
    /// All rows, deleted ones too.
    pub data: RecordBatch,
    /// Rows that are not deleted; `None` = all.
    pub live: Option<BooleanBuffer>,
    /// Bytes of `data`.
    pub bytes: usize,
    visible: OnceLock<RecordBatch>,
}

impl StoredBatch {
    /// A batch of the rows that `live` marks.
    pub fn new(data: RecordBatch, live: Option<BooleanBuffer>) -> Arc<Self> {
        let live = live.filter(|live| live.count_set_bits() < data.num_rows());
        let bytes = data.get_array_memory_size();
        Arc::new(Self {
            data,
            live,
            bytes,
            visible: OnceLock::new(),
        })
    }

    /// Number of rows that are not deleted.
    pub fn rows(&self) -> usize {
        self.live
            .as_ref()
            .map_or(self.data.num_rows(), BooleanBuffer::count_set_bits)
    }

    /// The rows that are not deleted; the stored batch itself where none is.
    pub fn visible(&self) -> &RecordBatch {
        match &self.live {
            None => &self.data,
            Some(live) => self.visible.get_or_init(|| {
                // The mask has exactly one bit per row, so filtering cannot fail.
                filter_record_batch(&self.data, &BooleanArray::new(live.clone(), None))
                    .expect("mask as long as its batch")
            }),
        }
    }

    /// True when the row is not deleted.
    pub fn is_live(&self, row: usize) -> bool {
        self.live.as_ref().is_none_or(|live| live.value(row))
    }
}

/// One bucket of one partition.
#[derive(Debug, Clone)]
pub struct Tablet {
    /// Id.
    pub id: i64,
    /// Index of its back end.
    pub backend_index: usize,
    /// Rows in the order they were written.
    pub batches: Vec<Arc<StoredBatch>>,
    /// What was written, where the table has a changelog.
    pub changes: ChangeLog,
}

impl Tablet {
    /// Number of rows that are not deleted.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(|b| b.rows()).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.batches.iter().map(|b| b.bytes).sum()
    }
}

/// One partition.
#[derive(Debug, Clone)]
pub struct Partition {
    /// Id.
    pub id: i64,
    /// Name.
    pub name: String,
    /// Rows it takes.
    pub bound: Bound,
    /// Visible version, from 1 (empty) up.
    pub version: u64,
    /// Microseconds of the epoch when that version became visible.
    pub visible_micros: i64,
    /// Made by `ADD TEMPORARY PARTITION`: not read unless named.
    pub temporary: bool,
    /// Tablets in bucket order.
    pub tablets: Vec<Arc<Tablet>>,
}

/// A table at one moment. What a reader holds does not change.
#[derive(Debug, Clone)]
pub struct TableVersion {
    /// Declaration.
    pub schema: Arc<TableSchema>,
    /// Partitions in the order they were made.
    pub partitions: Vec<Arc<Partition>>,
    /// Counts the writes.
    pub version: u64,
    /// Stamp of the last write (TSO).
    pub stamp: u64,
}

impl TableVersion {
    /// Partitions that are read by default.
    pub fn visible_partitions(&self) -> impl Iterator<Item = &Arc<Partition>> {
        self.partitions.iter().filter(|p| !p.temporary)
    }

    /// A partition by name, of the given kind; names are compared without regard to case.
    pub fn partition(&self, name: &str, temporary: bool) -> Option<&Arc<Partition>> {
        self.partitions
            .iter()
            .find(|p| p.temporary == temporary && p.name.eq_ignore_ascii_case(name))
    }
}

/// A table: its newest version, and the state of its one writer.
#[derive(Debug)]
pub struct Table {
    /// Id.
    pub id: i64,
    /// Microseconds of the epoch when it was made.
    pub created_micros: i64,
    versions: RwLock<Versions>,
    /// Front ends that lag, for which past versions are kept.
    lags: OnceLock<Arc<Lags>>,
    /// Held by each change of rows or declaration, from the read that the change builds on to its publication.
    pub writer: Arc<tokio::sync::Mutex<Writer>>,
}

/// The newest version, and those before it that a lagging front end still sees, each with the moment of its end.
#[derive(Debug)]
struct Versions {
    newest: Arc<TableVersion>,
    past: Vec<(Instant, Arc<TableVersion>)>,
}

impl Table {
    /// A table of the given first version.
    pub fn new(id: i64, created_micros: i64, version: TableVersion) -> Arc<Self> {
        Arc::new(Self {
            id,
            created_micros,
            versions: RwLock::new(Versions {
                newest: Arc::new(version),
                past: Vec::new(),
            }),
            lags: OnceLock::new(),
            writer: Arc::default(),
        })
    }

    /// The newest version.
    pub fn snapshot(&self) -> Arc<TableVersion> {
        read(&self.versions).newest.clone()
    }

    /// The version that was the newest at a moment that a lagging front end sees.
    pub fn snapshot_at(&self, view: Instant) -> Arc<TableVersion> {
        let versions = read(&self.versions);
        let seen = versions.past.iter().find(|(end, _)| *end > view);
        seen.map_or(&versions.newest, |(_, version)| version).clone()
    }

    /// Whether versions with a stamp below `end` were published after a moment that a lagging front end sees.
    pub fn unseen(&self, view: Instant, end: u64) -> bool {
        let versions = read(&self.versions);
        let past = versions.past.iter().filter(|(end, _)| *end > view);
        // The first of these is what it sees.
        past.map(|(_, version)| version)
            .chain([&versions.newest])
            .skip(1)
            .any(|version| version.stamp < end)
    }

    /// Makes a version the newest. The caller holds the writer.
    pub fn publish(&self, version: TableVersion) {
        let mut versions = write(&self.versions);
        let before = std::mem::replace(&mut versions.newest, Arc::new(version));
        match self.lags.get().and_then(|lags| lags.oldest()) {
            None => versions.past.clear(),
            Some(oldest) => {
                versions.past.retain(|(end, _)| *end > oldest);
                versions.past.push((Instant::now(), before));
            }
        }
    }

    /// Forgets past versions: no front end lags any more.
    pub(crate) fn forget_past(&self) {
        write(&self.versions).past.clear();
    }

    /// From now on past versions are kept while a front end lags.
    pub(crate) fn watch(&self, lags: &Arc<Lags>) {
        // A table belongs to one catalog, so a second call could only be the same again.
        let _ = self.lags.set(lags.clone());
    }

    /// The table as other modules see it.
    pub fn info(&self, database: &str, name: &str) -> TableInfo {
        let version = self.snapshot();
        let tablet = |partition: &Partition, tablet: &Tablet| TabletInfo {
            id: tablet.id,
            backend_index: tablet.backend_index,
            rows: tablet.rows() as u64,
            bytes: tablet.bytes() as u64,
            version: partition.version,
        };
        TableInfo {
            id: self.id,
            database: database.into(),
            name: name.into(),
            keys_type: version.schema.keys_type,
            columns: version.schema.columns.iter().map(|c| c.info()).collect(),
            partitions: version
                .visible_partitions()
                .map(|p| PartitionInfo {
                    id: p.id,
                    name: p.name.clone(),
                    version: p.version,
                    tablets: p.tablets.iter().map(|t| tablet(p, t)).collect(),
                })
                .collect(),
            properties: version.schema.properties.clone(),
            comment: version.schema.comment.clone(),
            version: version.version,
            stamp: version.stamp,
        }
    }
}
