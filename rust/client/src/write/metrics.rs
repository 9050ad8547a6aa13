//! Counters of one sink.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::counters::HELD_BYTES;

/// A snapshot of a sink's counters. Cheap, from any thread; the values are not taken at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkMetrics {
    /// Bytes of ring buffers, and of encoded rows that wait for the network without being kept.
    pub buffered_bytes: u64,
    /// Bytes kept for sending again.
    pub kept_bytes: u64,
    /// The most that the sum of the two has been.
    pub max_bytes: u64,
    /// Loads between their first buffer and their end.
    pub open_loads: u64,
    /// Loads that the server has taken.
    pub loads_succeeded: u64,
    /// Attempts to send a load that failed; a load that is sent again counts once for each.
    pub attempts_failed: u64,
    /// Rows submitted.
    pub rows: u64,
    /// Bytes of encoded rows before compression.
    pub encoded_bytes: u64,
    /// Bytes handed to connections, those sent again included.
    pub sent_bytes: u64,
    /// Commits and aborts that were retried.
    pub commit_retries: u64,
    /// Connections of loads that are open.
    pub open_connections: u64,
}

impl SinkMetrics {
    /// The numbers in the order in which they cross to Java: those that a sink reports to Flink.
    pub fn numbers(&self) -> [u64; 10] {
        [
            self.buffered_bytes,
            self.kept_bytes,
            self.max_bytes,
            self.open_loads,
            self.loads_succeeded,
            self.attempts_failed,
            self.rows,
            self.encoded_bytes,
            self.sent_bytes,
            self.open_connections,
        ]
    }
}

/// The counters themselves.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    buffered: AtomicU64,
    kept: AtomicU64,
    most: AtomicU64,
    open_loads: AtomicU64,
    open_connections: AtomicU64,
    pub(crate) loads_succeeded: AtomicU64,
    pub(crate) attempts_failed: AtomicU64,
    pub(crate) rows: AtomicU64,
    pub(crate) encoded_bytes: AtomicU64,
    pub(crate) sent_bytes: AtomicU64,
    pub(crate) commit_retries: AtomicU64,
}

impl Counters {
    pub(crate) fn read(&self) -> SinkMetrics {
        SinkMetrics {
            buffered_bytes: self.buffered.load(Relaxed),
            kept_bytes: self.kept.load(Relaxed),
            max_bytes: self.most.load(Relaxed),
            open_loads: self.open_loads.load(Relaxed),
            loads_succeeded: self.loads_succeeded.load(Relaxed),
            attempts_failed: self.attempts_failed.load(Relaxed),
            rows: self.rows.load(Relaxed),
            encoded_bytes: self.encoded_bytes.load(Relaxed),
            sent_bytes: self.sent_bytes.load(Relaxed),
            commit_retries: self.commit_retries.load(Relaxed),
            open_connections: self.open_connections.load(Relaxed),
        }
    }

    pub(crate) fn buffered(&self, more: usize) {
        HELD_BYTES.fetch_add(more as i64, Relaxed);
        let now = self.buffered.fetch_add(more as u64, Relaxed) + more as u64;
        self.most.fetch_max(now + self.kept.load(Relaxed), Relaxed);
    }

    pub(crate) fn unbuffered(&self, less: usize) {
        self.buffered.fetch_sub(less as u64, Relaxed);
        HELD_BYTES.fetch_sub(less as i64, Relaxed);
    }

    pub(crate) fn kept(&self, more: usize) {
        HELD_BYTES.fetch_add(more as i64, Relaxed);
        let now = self.kept.fetch_add(more as u64, Relaxed) + more as u64;
        self.most.fetch_max(now + self.buffered.load(Relaxed), Relaxed);
    }

    pub(crate) fn let_go(&self, less: usize) {
        self.kept.fetch_sub(less as u64, Relaxed);
        HELD_BYTES.fetch_sub(less as i64, Relaxed);
    }

    /// Counts an open load until the guard is dropped.
    pub(crate) fn open_load(self: &std::sync::Arc<Self>) -> impl Drop + use<> {
        Counted::new(self.clone(), |c| &c.open_loads)
    }

    /// Counts an open connection until the guard is dropped.
    pub(crate) fn open_connection(self: &std::sync::Arc<Self>) -> impl Drop + use<> {
        Counted::new(self.clone(), |c| &c.open_connections)
    }
}

struct Counted {
    counters: std::sync::Arc<Counters>,
    which: fn(&Counters) -> &AtomicU64,
}

impl Counted {
    fn new(counters: std::sync::Arc<Counters>, which: fn(&Counters) -> &AtomicU64) -> Self {
        which(&counters).fetch_add(1, Relaxed);
        Self { counters, which }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        (self.which)(&self.counters).fetch_sub(1, Relaxed);
    }
}
