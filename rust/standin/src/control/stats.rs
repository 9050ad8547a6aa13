//! Counters of what is open now and what was served so far.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde::Serialize;

use crate::cluster::lock;

/// Counters of one cluster; gauges go up and down by [`Open`] guards.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) flight_queries: Arc<Gauge>,
    pub(crate) flight_streams: Arc<Gauge>,
    pub(crate) mysql_connections: Arc<Gauge>,
    pub(crate) flight_logins: AtomicU64,
    pub(crate) flight_statements: AtomicU64,
    pub(crate) rows_served: AtomicU64,
    pub(crate) bytes_served: AtomicU64,
    pub(crate) batches_served: AtomicU64,
    pub(crate) loads: Arc<LoadCounters>,
    per_backend: RwLock<Vec<u64>>,
}

/// A snapshot of the counters, as `GET /stats` gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Flight sessions that are open now, over all front ends.
    pub flight_sessions: u64,
    /// Most Flight sessions that were open at once.
    pub flight_sessions_max: u64,
    /// Flight logins so far; each made a session.
    pub flight_logins: u64,
    /// Statements that `GetFlightInfo` runs at this moment.
    pub flight_queries: u64,
    /// Statements that `GetFlightInfo` ran so far.
    pub flight_statements: u64,
    /// `DoGet` streams that are open now.
    pub flight_streams: u64,
    /// Most `DoGet` streams that were open at once.
    pub flight_streams_max: u64,
    /// Results that wait for their `DoGet`.
    pub flight_results: u64,
    /// Prepared statements that are open.
    pub flight_prepared: u64,
    /// MySQL connections that are open now.
    pub mysql_connections: u64,
    /// Rows served by Flight so far.
    pub rows_served: u64,
    /// Bytes of record batches (header and body) served by Flight so far.
    pub bytes_served: u64,
    /// Record batches served by Flight so far.
    pub batches_served: u64,
    /// Rows served so far by each back end.
    pub rows_per_backend: Vec<u64>,
    /// Stream Loads that are open now.
    pub loads_open: u64,
    /// Most Stream Loads that were open at once.
    pub loads_open_max: u64,
    /// Bytes of load bodies taken so far, as they came.
    pub bytes_taken: u64,
    /// Rows that Stream Loads brought so far; those of discarding tables are not counted.
    pub rows_taken: u64,
    /// The same for each table, by `db.table`.
    pub loads: BTreeMap<String, TableLoads>,
}

/// Stream Loads into one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TableLoads {
    /// Begun so far.
    pub begun: u64,
    /// Open now.
    pub open: u64,
    /// Most that were open at once.
    pub open_max: u64,
    /// Bytes of their bodies, as they came.
    pub bytes: u64,
    /// Rows of those that succeeded.
    pub rows: u64,
}

/// Counters of Stream Loads.
#[derive(Default)]
pub(crate) struct LoadCounters {
    pub(crate) open: Arc<Gauge>,
    tables: Mutex<BTreeMap<String, TableLoads>>,
}

impl LoadCounters {
    /// Counts bytes of a body.
    pub(crate) fn bytes(&self, table: &str, bytes: u64) {
        self.change(table, |loads| loads.bytes += bytes);
    }

    /// Counts rows of a load that succeeded.
    pub(crate) fn rows(&self, table: &str, rows: u64) {
        self.change(table, |loads| loads.rows += rows);
    }

    /// The counters of each table.
    pub(crate) fn tables(&self) -> BTreeMap<String, TableLoads> {
        lock(&self.tables).clone()
    }

    fn change(&self, table: &str, change: impl FnOnce(&mut TableLoads)) {
        let mut tables = lock(&self.tables);
        match tables.get_mut(table) {
            Some(loads) => change(loads),
            None => change(tables.entry(table.to_owned()).or_default()),
        }
    }
}

/// Counts a load as open until it is dropped.
pub(crate) struct OpenLoad {
    counters: Arc<LoadCounters>,
    table: String,
    _open: Open,
}

impl OpenLoad {
    pub(crate) fn new(counters: &Arc<LoadCounters>, table: &str) -> Self {
        counters.change(table, |loads| {
            loads.begun += 1;
            loads.open += 1;
            loads.open_max = loads.open_max.max(loads.open);
        });
        Self {
            counters: counters.clone(),
            table: table.to_owned(),
            _open: Open::new(&counters.open),
        }
    }
}

impl Drop for OpenLoad {
    fn drop(&mut self) {
        self.counters.change(&self.table, |loads| loads.open -= 1);
    }
}

/// A number of open things and the most that were open at once.
#[derive(Default)]
pub(crate) struct Gauge {
    now: AtomicU64,
    most: AtomicU64,
}

impl Gauge {
    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::Acquire)
    }

    pub(crate) fn most(&self) -> u64 {
        self.most.load(Ordering::Acquire)
    }

    pub(crate) fn up(&self) {
        let now = self.now.fetch_add(1, Ordering::AcqRel) + 1;
        self.most.fetch_max(now, Ordering::AcqRel);
    }

    pub(crate) fn down(&self) {
        self.now.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Counts something as open until it is dropped.
pub(crate) struct Open(Arc<Gauge>);

impl Open {
    pub(crate) fn new(gauge: &Arc<Gauge>) -> Self {
        gauge.up();
        Self(gauge.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.down();
    }
}

impl Counters {
    pub(crate) fn served(&self, backend: Option<usize>, rows: u64, bytes: u64) {
        self.rows_served.fetch_add(rows, Ordering::Relaxed);
        self.bytes_served.fetch_add(bytes, Ordering::Relaxed);
        self.batches_served.fetch_add(1, Ordering::Relaxed);
        if let Some(backend) = backend {
            let mut per = self.per_backend.write().unwrap_or_else(PoisonError::into_inner);
            if per.len() <= backend {
                per.resize(backend + 1, 0);
            }
            per[backend] += rows;
        }
    }

    pub(crate) fn rows_per_backend(&self) -> Vec<u64> {
        self.per_backend
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
