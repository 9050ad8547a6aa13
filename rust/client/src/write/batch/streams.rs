//! What the tables of a sink share: the buffers that are filled, and the memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::mpsc;

use super::table::{Message, Table};
use crate::error::Error;
use crate::write::config::{BatchConfig, WriteConfig};
use crate::write::load::memory_limit::{MemoryLimit, Reserved};
use crate::write::load::ring::Ring;
use crate::write::metrics::Counters;

/// Buffers that are filled or encoded at the same time, over all tables: one thread fills, and encoding is faster.
const BUFFERS: usize = 3;

/// What a buffer may become is let in with at most this part of all memory.
const MOST_GROWTH: u64 = 8;

/// The tables of a sink in batch mode.
#[derive(Debug)]
pub(crate) struct Streams {
    config: BatchConfig,
    buffer_size: u64,
    ring: Arc<Ring>,
    memory: Arc<MemoryLimit>,
    tables: Mutex<Vec<Weak<Table>>>,
}

impl Streams {
    /// `None` in streaming mode.
    pub(crate) fn new(config: &WriteConfig, counters: &Arc<Counters>) -> Option<Arc<Self>> {
        let batch = config.batch?;
        Some(Arc::new(Self {
            config: batch,
            buffer_size: config.buffer_size as u64,
            ring: Ring::new(config.buffer_size, BUFFERS, counters.clone()),
            memory: MemoryLimit::new(batch.memory()),
            tables: Mutex::default(),
        }))
    }

    pub(super) fn add(self: &Arc<Self>, input: mpsc::UnboundedSender<Message>) -> Arc<Table> {
        let table = Arc::new(Table::new(self.clone(), input));
        let mut tables = self.tables();
        if tables.len() == tables.capacity() {
            tables.retain(|table| table.strong_count() > 0);
        }
        tables.push(Arc::downgrade(&table));
        table
    }

    pub(super) fn config(&self) -> &BatchConfig {
        &self.config
    }

    pub(super) fn queue(&self) -> usize {
        self.config.queue
    }

    pub(super) fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    pub(super) fn memory(&self) -> &Arc<MemoryLimit> {
        &self.memory
    }

    pub(super) fn tell(&self) {
        self.memory.tell();
    }

    pub(super) async fn until<T>(&self, look: impl FnMut() -> Option<T>) -> T {
        self.memory.until(look).await
    }

    /// Waits until the table's queue and the memory have room for a buffer and for what becomes of it.
    pub(super) async fn let_in(&self, table: &Table, bytes: usize) -> Result<Reserved, Error> {
        let buffer = (bytes as u64).max(self.buffer_size);
        let grown = table.grown(bytes as u64).min(self.memory.limit() / MOST_GROWTH);
        let needed = buffer.saturating_add(grown);
        self.until(|| match table.has_room() {
            Err(error) => Some(Err(error)),
            Ok(false) => None,
            Ok(true) => {
                let reserved = self.memory.try_reserve(needed);
                if reserved.is_none() {
                    self.make_room(needed);
                }
                reserved.map(Ok)
            }
        })
        .await
    }

    /// Cuts the largest load that is being filled, unless loads that are cut already will leave enough behind.
    fn make_room(&self, needed: u64) {
        let tables: Vec<Arc<Table>> = self.tables().iter().filter_map(Weak::upgrade).collect();
        let mut cut = 0;
        for table in &tables {
            let (bytes, more) = table.cut_bytes();
            if more {
                return;
            }
            cut += bytes;
        }
        let left = self.memory.held().saturating_sub(cut);
        if cut > 0 && left.saturating_add(needed) <= self.memory.limit() {
            return;
        }
        let largest = tables.iter().max_by_key(|table| table.worth_cutting());
        if let Some(table) = largest.filter(|table| table.worth_cutting() > 0) {
            table.cut();
        }
    }

    /// Whether memory that is only kept for later should be freed.
    pub(super) fn is_scarce(&self) -> bool {
        self.memory.held() > self.memory.limit() / 2
    }

    /// Frees idle memory of buffers when nothing is held, and when memory gets scarce: it is not counted as held.
    pub(super) fn rest(&self) {
        if self.memory.held() == 0 || self.is_scarce() {
            self.ring.rest();
        }
    }

    fn tables(&self) -> MutexGuard<'_, Vec<Weak<Table>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
