//! Error logs of loads: lines about rows that were left out, by the name that `ErrorURL` gives.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::cluster::lock;

/// Logs kept; the oldest go first.
const KEPT: usize = 1000;

/// The error logs of a cluster.
#[derive(Default)]
pub(crate) struct ErrorLogs {
    logs: Mutex<VecDeque<(String, String)>>,
}

impl ErrorLogs {
    /// Keeps the lines of a load; gives the name of their file.
    pub(crate) fn keep(&self, load: u128, lines: &[String]) -> String {
        let (high, low) = ((load >> 64) as u64, load as u64);
        let shard = low % 8;
        let file = format!("__shard_{shard}/error_log_insert_stmt_{high:x}-{low:x}_{high:x}_{low:x}");
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let mut logs = lock(&self.logs);
        if logs.len() == KEPT {
            logs.pop_front();
        }
        logs.push_back((file.clone(), text));
        file
    }

    /// The text of a file.
    pub(crate) fn read(&self, file: &str) -> Option<String> {
        let logs = lock(&self.logs);
        let (_, text) = logs.iter().find(|(name, _)| name == file)?;
        Some(text.clone())
    }
}
