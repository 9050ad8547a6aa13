//! What the channels of one cluster share.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::cluster::Cluster;
use crate::cluster::tasks::Tasks;
use crate::cluster::users::Users;
use crate::control::faults::{Faults, Sight, Strike};
use crate::control::journal::{Entry, Journal};
use crate::control::rules::Point;
use crate::control::stats::Counters;
use crate::profile::Switches;
use crate::sql::engine::Engine;
use crate::stream_load::error_log::ErrorLogs;

/// The state behind every listener.
pub(crate) struct Shared {
    pub(crate) engine: Arc<Engine>,
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) switches: Arc<Switches>,
    pub(crate) users: Users,
    pub(crate) journal: Journal,
    pub(crate) faults: Faults,
    pub(crate) counters: Counters,
    /// Loads and decisions that are under way at back ends.
    pub(crate) loads: Tasks,
    pub(crate) error_logs: ErrorLogs,
    /// Counts up, so that loads go to the back ends by turns.
    pub(crate) load_turn: AtomicUsize,
}

impl Shared {
    /// The rule that strikes at this point, journalled, after its pause.
    pub(crate) async fn strike(&self, point: Point, sight: &Sight<'_>) -> Option<Strike> {
        let strike = self.struck(point, sight)?;
        strike.pause().await;
        Some(strike)
    }

    /// The rule that strikes at this point, journalled; its pause is left to the caller.
    pub(crate) fn struck(&self, point: Point, sight: &Sight<'_>) -> Option<Strike> {
        let strike = self.faults.strike(point, sight)?;
        self.journal.add(Entry {
            channel: "fault",
            node: sight.node.to_owned(),
            method: json(&strike.point()).trim_matches('"').to_owned(),
            path: json(strike.action()),
            statement: sight.statement.to_owned(),
            label: sight.label.map(str::to_owned),
            rule: Some(strike.rule()),
            status: "struck".to_owned(),
            ..Entry::default()
        });
        Some(strike)
    }

    pub(crate) fn backend_alive(&self, index: usize) -> bool {
        self.cluster
            .backends()
            .get(index)
            .is_some_and(|backend| backend.alive)
    }
}

fn json(value: &impl serde::Serialize) -> String {
    // Plain values of this crate: nothing in them can fail to serialise.
    serde_json::to_string(value).unwrap_or_default()
}
