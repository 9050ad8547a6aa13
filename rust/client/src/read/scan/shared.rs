//! What the readers of a scan share.

use std::sync::Arc;

use super::budget::Budget;
use super::queue::Queue;
use crate::read::config::ReadConfig;

/// The configuration, the budget and the queue of one scan.
pub(super) struct Shared {
    pub(super) config: Arc<ReadConfig>,
    pub(super) budget: Arc<Budget>,
    pub(super) queue: Queue,
}
