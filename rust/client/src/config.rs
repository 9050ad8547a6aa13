//! The configuration of a read: one complete, resolved map of texts, parsed once.

use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind};

/// Everything that a read needs to know. The password shows in no `Debug` or `Display`.
#[derive(Clone, Debug)]
pub struct ReadConfig {
    worker_threads: usize,
}

impl ReadConfig {
    /// Parses the bytes that Java sends: u32 count, then u32 length and UTF-8 for each key and value, big-endian.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let _ = bytes;
        Self::from_map(BTreeMap::new())
    }

    /// Parses the map itself. A missing or unparsable key is a `Config` error that names it.
    pub fn from_map(map: BTreeMap<String, String>) -> Result<Self, Error> {
        let _ = map;
        Err(Error::new(ErrorKind::Internal, "not there yet"))
    }

    /// `doris.native.worker-threads`: threads of the runtime.
    pub fn worker_threads(&self) -> usize {
        self.worker_threads
    }
}
