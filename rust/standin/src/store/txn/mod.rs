//! The transaction table of a cluster: every load is a transaction under a label.
//!
//! A transaction without commit or abort ends by the cluster's clock. Every read of the table is as of that moment.

mod commit;
mod errors;
mod open;
mod order;
mod record;
mod table;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

pub(crate) use commit::{Decided, Work};
pub(crate) use errors::TxnError;
pub(crate) use open::OpenTxn;
pub(crate) use order::Turn;
pub use record::{LoadKind, Transaction, TxnState};

use self::table::Table;
use crate::cluster::lock;
use crate::cluster::tasks::Tasks;
use crate::control::faults::{Sight, Strike};
use crate::control::rules::Point;
use crate::profile::load::LoadSwitches;
use crate::store::catalog::Catalog;

/// Asks the fault rules, which the engine does not know, what strikes at a point.
pub(crate) type Gate = Box<dyn Fn(Point, &Sight<'_>) -> Option<Strike> + Send + Sync>;

/// What a transaction begins with.
pub(crate) struct Begin<'a> {
    pub(crate) database: &'a str,
    pub(crate) table: &'a str,
    pub(crate) table_id: i64,
    /// Absent: one is made up.
    pub(crate) label: Option<&'a str>,
    pub(crate) kind: LoadKind,
    pub(crate) two_phase: bool,
    /// Seconds it may stay in PREPARE; absent: the server's default.
    pub(crate) timeout_s: Option<u64>,
}

/// How a request names a transaction.
#[derive(Clone, Copy)]
pub(crate) enum Which<'a> {
    Id(i64),
    Label(&'a str),
}

/// All transactions of a cluster.
pub struct Transactions {
    catalog: Arc<Catalog>,
    switches: LoadSwitches,
    table: Mutex<Table>,
    gate: OnceLock<Gate>,
    /// Commits that are decided and not yet visible.
    publishing: Tasks,
}

impl Transactions {
    pub(crate) fn new(catalog: Arc<Catalog>, switches: LoadSwitches) -> Arc<Self> {
        Arc::new(Self {
            catalog,
            switches,
            table: Mutex::default(),
            gate: OnceLock::new(),
            publishing: Tasks::default(),
        })
    }

    /// Lets fault rules strike from now on.
    pub(crate) fn set_gate(&self, gate: Gate) {
        // A cluster is started once; a second gate could only be the same again.
        let _ = self.gate.set(gate);
    }

    /// Begins a transaction in PREPARE. Dropping it aborts it.
    pub(crate) fn begin(self: &Arc<Self>, begin: &Begin<'_>) -> Result<OpenTxn, TxnError> {
        if let Some(label) = begin.label.filter(|label| !is_label(label)) {
            return Err(TxnError::BadLabel(label.to_owned()));
        }
        let (mut table, now) = self.now();
        let (id, label, expired) = table.begin(begin, now, &self.switches)?;
        drop(table);
        Ok(OpenTxn::new(self.clone(), id, label, expired))
    }

    /// Aborts a transaction that is neither committed nor aborted; returns its number.
    pub(crate) fn abort(&self, database: &str, which: Which<'_>, reason: &str) -> Result<i64, TxnError> {
        let (mut table, now) = self.now();
        let shown = &table.find(database, which, TxnState::is_undecided)?.shown;
        let id = shown.id;
        if !shown.state.is_undecided() {
            return Err(TxnError::Decided {
                id,
                state: shown.state,
                reason: shown.reason.clone(),
            });
        }
        table.finish(id, TxnState::Aborted, reason, now, &self.switches);
        Ok(id)
    }

    /// State of the newest transaction of a label; `None` when it is unknown.
    pub fn state(&self, database: &str, label: &str) -> Option<TxnState> {
        let (table, _) = self.now();
        Some(table.newest(database, label)?.shown.state)
    }

    /// All transactions that are remembered, in the order of their numbers.
    pub fn list(&self) -> Vec<Transaction> {
        self.now().0.list()
    }

    /// A transaction that a request names, in whatever state it is.
    pub(crate) fn shown(&self, database: &str, which: Which<'_>) -> Option<Transaction> {
        let (table, _) = self.now();
        let record = table.find(database, which, |_| true).ok()?;
        Some(record.shown.clone())
    }

    /// Forgets finished transactions and so frees their labels; gives how many.
    pub fn purge(&self, database: Option<&str>, label: Option<&str>) -> usize {
        self.now().0.purge(database, label)
    }

    /// A place in the commit order of its table, with a stamp, for a transaction in PREPARE whose change is visible as
    /// soon as it is done.
    pub(crate) fn turn(&self, open: &OpenTxn, table_id: i64) -> Turn {
        let (mut table, _) = self.now();
        let stamp = self.catalog.clock.stamp();
        if let Some(record) = table.get(open.id()) {
            record.shown.tso = Some(stamp);
        }
        table.order.next(table_id, false, stamp)
    }

    /// The newest number: every transaction that begins from now on has a larger one.
    pub(crate) fn watermark(&self) -> i64 {
        self.now().0.last()
    }

    /// The first unfinished transaction on a table up to a number.
    pub(crate) fn unfinished(&self, table_id: i64, watermark: i64) -> Option<i64> {
        let (table, _) = self.now();
        let mut found = table
            .unfinished()
            .filter(|record| record.table_id == table_id && record.shown.id <= watermark);
        found.next().map(|record| record.shown.id)
    }

    /// The first transaction on a table that has a stamp below `end` and is not finished.
    pub(crate) fn unseen(&self, table_id: i64, end: u64) -> Option<i64> {
        let (table, _) = self.now();
        let mut found = table.unfinished().filter(|record| {
            record.table_id == table_id && record.shown.tso.is_some_and(|stamp| stamp < end)
        });
        found.next().map(|record| record.shown.id)
    }

    /// The largest stamp up to which every transaction is finished, given the present one.
    pub(crate) fn committed_stamp(&self) -> u64 {
        let (table, _) = self.now();
        let current = self.catalog.clock.current().stamp;
        let pending = table.unfinished().filter_map(|record| record.shown.tso);
        pending.min().map_or(current, |oldest| current.min(oldest - 1))
    }

    /// The rule that strikes at a point, its pause left to the caller.
    pub(crate) fn struck(&self, point: Point, sight: &Sight<'_>) -> Option<Strike> {
        self.gate.get()?(point, sight)
    }

    /// Ends what has run out, also without a read.
    pub(crate) fn sweep(&self) {
        drop(self.now());
    }

    /// Ends commits that are not visible yet, with the cluster.
    pub(crate) async fn end(&self) {
        self.publishing.end().await;
    }

    /// Switches of loads.
    pub(crate) fn switches(&self) -> &LoadSwitches {
        &self.switches
    }

    /// The table as it is now, and the time in microseconds.
    fn now(&self) -> (MutexGuard<'_, Table>, i64) {
        let mut table = lock(&self.table);
        let now = self.catalog.clock.now_micros();
        table.pass(now, &self.switches);
        (table, now)
    }

    fn strike(&self, point: Point, shown: &Transaction) -> Option<Strike> {
        let table = format!("{}.{}", shown.db, shown.table);
        let sight = Sight {
            table: Some(&table),
            label: Some(&shown.label),
            ..Sight::default()
        };
        self.struck(point, &sight)
    }
}

/// `^[\-_A-Za-z0-9:\p{L}]{1,128}$`
fn is_label(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_digit() || c.is_alphabetic() || matches!(c, '-' | '_' | ':');
    (1..=128).contains(&text.chars().count()) && text.chars().all(fits)
}
