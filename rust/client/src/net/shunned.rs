//! Nodes that failed lately.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::config::address::Address;

/// How long a node that failed comes after all others.
const SHUNNED_FOR: Duration = Duration::from_secs(10);

/// The nodes that failed within the last ten seconds.
#[derive(Debug, Default)]
pub(crate) struct Shunned(Mutex<HashMap<Address, Instant>>);

impl Shunned {
    /// The node failed now.
    pub(crate) fn add(&self, node: &Address) {
        self.lock().insert(node.clone(), Instant::now());
    }

    /// The node works.
    pub(crate) fn remove(&self, node: &Address) {
        self.lock().remove(node);
    }

    /// When the node failed, if that was lately.
    pub(crate) fn since(&self, node: &Address) -> Option<Instant> {
        let mut shunned = self.lock();
        shunned.retain(|_, since| since.elapsed() < SHUNNED_FOR);
        shunned.get(node).copied()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Address, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
