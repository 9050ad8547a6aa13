//! The addresses of the cluster's nodes, as they are once every listener is bound.

pub mod clock;
pub mod lag;
pub mod tasks;
pub mod users;

use std::sync::{Mutex, PoisonError, RwLock};

/// A front end as `SHOW FRONTENDS` lists it.
#[derive(Debug, Clone)]
pub struct Frontend {
    /// Name of the node, `fe_0` and so on.
    pub name: String,
    /// Host that clients reach it by.
    pub host: String,
    /// REST port.
    pub http: u16,
    /// MySQL port.
    pub mysql: u16,
    /// Arrow Flight SQL port; 0 = switched off, shown as -1.
    pub flight: u16,
    /// False while the node is stopped.
    pub alive: bool,
    /// True on exactly one node.
    pub master: bool,
}

/// A back end as `SHOW BACKENDS` lists it.
#[derive(Debug, Clone)]
pub struct Backend {
    /// Numeric id, from 10001 up as Doris gives them out.
    pub id: i64,
    /// Host that clients reach it by.
    pub host: String,
    /// Port for loads and health.
    pub http: u16,
    /// Arrow Flight SQL port; 0 = switched off, shown as -1.
    pub flight: u16,
    /// Port of the Thrift service: the name of a back end in a query plan, nothing listens there.
    pub thrift: u16,
    /// False while the node is stopped.
    pub alive: bool,
}

/// All nodes. Lock order: front ends before back ends; never held across an await.
#[derive(Debug, Default)]
pub struct Cluster {
    /// Front ends, the master first.
    pub frontends: RwLock<Vec<Frontend>>,
    /// Back ends; a tablet names its back end by the index in this list.
    pub backends: RwLock<Vec<Backend>>,
}

impl Cluster {
    /// A cluster of the given nodes.
    pub fn new(frontends: Vec<Frontend>, backends: Vec<Backend>) -> Self {
        Self {
            frontends: RwLock::new(frontends),
            backends: RwLock::new(backends),
        }
    }

    /// A copy of the front ends as they are now.
    pub fn frontends(&self) -> Vec<Frontend> {
        read(&self.frontends).clone()
    }

    /// Index of the master; while it is stopped, the first of the others has taken over. `None` while none is alive.
    pub fn master(&self) -> Option<usize> {
        let frontends = read(&self.frontends);
        let alive = |master: bool| {
            frontends
                .iter()
                .position(|node| node.alive && (node.master || !master))
        };
        alive(true).or_else(|| alive(false))
    }

    /// A copy of the back ends as they are now.
    pub fn backends(&self) -> Vec<Backend> {
        read(&self.backends).clone()
    }
}

/// Reads through a lock whatever became of an earlier holder: every write under our locks is one assignment.
pub(crate) fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// As [`read`], for writing.
pub(crate) fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// As [`read`], for a mutex.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A random number that a client cannot guess.
pub(crate) fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| {
        use std::hash::{BuildHasher, Hasher};
        // Each `RandomState` has keys of its own, the first of a thread from the operating system.
        std::collections::hash_map::RandomState::new()
            .build_hasher()
            .finish()
    })
}
