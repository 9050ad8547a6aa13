//! Counters of the whole process, over all scans and sinks: what leak tests and metrics read.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

pub(crate) static IDENTITY: AtomicU64 = AtomicU64::new(0);
pub(crate) static CONVERTED: AtomicU64 = AtomicU64::new(0);
pub(crate) static OPEN_SESSIONS: AtomicI64 = AtomicI64::new(0);
pub(crate) static HELD_BYTES: AtomicI64 = AtomicI64::new(0);

/// A snapshot of the process's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessCounters {
    /// Batches that were delivered as the server sent them.
    pub identity: u64,
    /// Batches that were decoded, converted and encoded again.
    pub converted: u64,
    /// Arrow Flight sessions that are open on servers because of this process.
    pub open_sessions: i64,
    /// Bytes held by queues and by batches that were handed out and not dropped yet, by the buffers of loads, and
    /// kept for sending again.
    pub held_bytes: i64,
}

/// Reads the process-wide counters. Cheap, from any thread; the values are not taken at one instant.
pub fn process_counters() -> ProcessCounters {
    ProcessCounters {
        identity: IDENTITY.load(Relaxed),
        converted: CONVERTED.load(Relaxed),
        open_sessions: OPEN_SESSIONS.load(Relaxed),
        held_bytes: HELD_BYTES.load(Relaxed),
    }
}
