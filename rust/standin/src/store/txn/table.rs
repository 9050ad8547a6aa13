//! The transactions of a cluster by number and by label, and what time does to them.

use std::collections::{BTreeMap, HashMap, VecDeque};

use tokio_util::sync::CancellationToken;

use super::errors::TxnError;
use super::order::Order;
use super::record::{LoadKind, Record, Transaction, TxnState};
use super::{Begin, Which};
use crate::profile::load::LoadSwitches;

/// Why Doris ends a transaction by itself.
const TIMED_OUT: &str = "timeout by txn manager";

/// The table. Whoever reads it has called [`Table::pass`] with the present time before.
#[derive(Default)]
pub(super) struct Table {
    last: i64,
    records: BTreeMap<i64, Record>,
    /// The newest transaction of each label, by database and label.
    labels: HashMap<(String, String), i64>,
    /// Finished transactions of each database in the order of their end.
    finished: HashMap<String, VecDeque<i64>>,
    /// No deadline lies before this moment.
    next_deadline: i64,
    /// Commits in their order.
    pub(super) order: Order,
}

impl Table {
    /// Ends what has run out by now, and forgets what was remembered long enough.
    pub(super) fn pass(&mut self, now: i64, switches: &LoadSwitches) {
        if now < self.next_deadline {
            return;
        }
        let due: Vec<i64> = self
            .records
            .iter()
            .filter(|(_, record)| record.deadline <= now)
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            match self.records.get(&id).map(|record| record.shown.state) {
                Some(TxnState::Prepare | TxnState::Precommitted) => {
                    if let Some(record) = self.records.get(&id) {
                        record.expired.cancel();
                    }
                    self.finish(id, TxnState::Aborted, TIMED_OUT, now, switches);
                }
                Some(TxnState::Visible | TxnState::Aborted) => self.forget(id),
                Some(TxnState::Committed) | None => {}
            }
        }
        let deadlines = self.records.values().map(|record| record.deadline);
        self.next_deadline = deadlines.min().unwrap_or(i64::MAX);
    }

    /// Adds a transaction in PREPARE.
    pub(super) fn begin(
        &mut self,
        begin: &Begin<'_>,
        now: i64,
        switches: &LoadSwitches,
    ) -> Result<(i64, String, CancellationToken), TxnError> {
        if let Some(label) = begin.label
            && let Some(used) = self.newest(begin.database, label)
            && used.shown.state != TxnState::Aborted
        {
            return Err(TxnError::LabelInUse {
                label: label.to_owned(),
                id: used.shown.id,
                state: used.shown.state,
            });
        }
        let running = |record: &&Record| record.shown.db == begin.database && !record.shown.state.is_final();
        let running = self.records.values().filter(running).count();
        if running >= switches.max_running_txns {
            return Err(TxnError::TooMany {
                database: begin.database.to_owned(),
                running,
                limit: switches.max_running_txns,
            });
        }
        self.last += 1;
        let id = self.last;
        let label = begin
            .label
            .map_or_else(|| format!("label_{now:x}_{id:x}"), str::to_owned);
        let expired = CancellationToken::new();
        let timeout = begin.timeout_s.unwrap_or(switches.load_timeout_s);
        let record = Record {
            shown: Transaction {
                id,
                label: label.clone(),
                db: begin.database.to_owned(),
                table: begin.table.to_owned(),
                kind: begin.kind,
                state: TxnState::Prepare,
                reason: String::new(),
                two_phase: begin.two_phase,
                rows: 0,
                begun: now / 1000,
                precommitted: None,
                committed: None,
                tso: None,
                finished: None,
            },
            table_id: begin.table_id,
            load: None,
            deadline: after(now, timeout),
            expired: expired.clone(),
        };
        self.next_deadline = self.next_deadline.min(record.deadline);
        self.labels.insert((begin.database.to_owned(), label.clone()), id);
        self.records.insert(id, record);
        Ok((id, label, expired))
    }

    /// A transaction by number.
    pub(super) fn get(&mut self, id: i64) -> Option<&mut Record> {
        self.records.get_mut(&id)
    }

    /// The database that a transaction belongs to.
    pub(super) fn database_of(&self, id: i64) -> Option<String> {
        self.records.get(&id).map(|record| record.shown.db.clone())
    }

    /// The newest transaction of a label.
    pub(super) fn newest(&self, database: &str, label: &str) -> Option<&Record> {
        let id = self.labels.get(&(database.to_owned(), label.to_owned()))?;
        self.records.get(id)
    }

    /// The transaction that a request names. By label only those in a fitting state are looked at.
    pub(super) fn find(
        &self,
        database: &str,
        which: Which<'_>,
        fits: fn(TxnState) -> bool,
    ) -> Result<&Record, TxnError> {
        match which {
            Which::Id(id) => self
                .records
                .get(&id)
                .filter(|record| record.shown.db == database)
                .ok_or(TxnError::NotFound(id)),
            Which::Label(label) => match self.newest(database, label) {
                None => Err(TxnError::NoLabel(label.to_owned())),
                Some(record) if fits(record.shown.state) => Ok(record),
                Some(_) => Err(TxnError::NoneRunning(label.to_owned())),
            },
        }
    }

    /// Marks a transaction as changed: from now on the deadline of its new state counts.
    pub(super) fn set_deadline(&mut self, id: i64, deadline: i64) {
        self.next_deadline = self.next_deadline.min(deadline);
        if let Some(record) = self.records.get_mut(&id) {
            record.deadline = deadline;
        }
    }

    /// Brings a transaction to its end. The oldest of too many finished ones is forgotten.
    pub(super) fn finish(
        &mut self,
        id: i64,
        state: TxnState,
        reason: &str,
        now: i64,
        switches: &LoadSwitches,
    ) {
        let Some(record) = self.records.get_mut(&id) else {
            return;
        };
        record.shown.state = state;
        reason.clone_into(&mut record.shown.reason);
        record.shown.finished = Some(now / 1000);
        record.load = None;
        let keep = match record.shown.kind {
            LoadKind::StreamLoad => switches.streaming_label_keep_s,
            LoadKind::Statement => switches.label_keep_s,
        };
        let database = record.shown.db.clone();
        self.set_deadline(id, after(now, keep));
        let finished = self.finished.entry(database).or_default();
        finished.push_back(id);
        if finished.len() > switches.label_num_threshold
            && let Some(oldest) = finished.front().copied()
        {
            self.forget(oldest);
        }
    }

    /// Forgets finished transactions, of one database or label where one is given; gives how many.
    pub(super) fn purge(&mut self, database: Option<&str>, label: Option<&str>) -> usize {
        let wanted = |record: &&Record| {
            record.shown.state.is_final()
                && database.is_none_or(|wanted| wanted == record.shown.db)
                && label.is_none_or(|wanted| wanted == record.shown.label)
        };
        let ids: Vec<i64> = self
            .records
            .values()
            .filter(wanted)
            .map(|record| record.shown.id)
            .collect();
        for id in &ids {
            self.forget(*id);
        }
        ids.len()
    }

    /// The number given out last.
    pub(super) fn last(&self) -> i64 {
        self.last
    }

    /// Transactions that are neither visible nor aborted.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = &Record> {
        self.records
            .values()
            .filter(|record| !record.shown.state.is_final())
    }

    /// All transactions in the order of their numbers.
    pub(super) fn list(&self) -> Vec<Transaction> {
        self.records.values().map(|record| record.shown.clone()).collect()
    }

    fn forget(&mut self, id: i64) {
        let Some(record) = self.records.remove(&id) else {
            return;
        };
        if let Some(finished) = self.finished.get_mut(&record.shown.db) {
            finished.retain(|other| *other != id);
        }
        let key = (record.shown.db, record.shown.label);
        if self.labels.get(&key) == Some(&id) {
            self.labels.remove(&key);
        }
    }
}

/// A moment some seconds after another, in microseconds.
pub(super) fn after(now: i64, seconds: u64) -> i64 {
    let micros = i64::try_from(seconds)
        .unwrap_or(i64::MAX)
        .saturating_mul(1_000_000);
    now.saturating_add(micros)
}
