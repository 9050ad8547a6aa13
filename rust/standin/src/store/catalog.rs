//! Databases, tables and views by name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, RwLock};

use crate::cluster::clock::Clock;
use crate::cluster::lag::Lags;
use crate::cluster::{read, write};
use crate::error::SqlError;
use crate::store::tablet::Table;
use crate::store::tablet::commit::Moment;

/// Databases that exist without being made.
pub const BUILT_IN: [&str; 3] = ["__internal_schema", "information_schema", "mysql"];

/// A view: a query with names for its columns.
#[derive(Debug, Clone)]
pub struct View {
    /// Text of the query.
    pub query: String,
    /// Database that plain names in the query belong to.
    pub database: String,
}

/// What a name in a database stands for.
#[derive(Debug, Clone)]
pub enum Relation {
    /// A table.
    Table(Arc<Table>),
    /// A view.
    View(Arc<View>),
}

/// All names. Reading copies handles out, so no lock is held while a statement runs.
#[derive(Debug)]
pub struct Catalog {
    databases: RwLock<BTreeMap<String, BTreeMap<String, Relation>>>,
    next_id: AtomicI64,
    next_number: AtomicI64,
    /// Clock of all writes.
    pub clock: Clock,
    /// Front ends that lag.
    pub lags: Arc<Lags>,
    /// Front ends that do not know `@incr`, as those of an older version in the middle of an upgrade.
    without_incr: RwLock<BTreeSet<usize>>,
}

impl Default for Catalog {
    fn default() -> Self {
        let databases = BUILT_IN
            .iter()
            .map(|name| ((*name).to_string(), BTreeMap::new()))
            .collect();
        Self {
            databases: RwLock::new(databases),
            next_id: AtomicI64::new(10_001),
            next_number: AtomicI64::new(1),
            clock: Clock::default(),
            lags: Arc::default(),
            without_incr: RwLock::default(),
        }
    }
}

impl Catalog {
    /// Lets a front end ignore `@incr`, or know it again.
    pub(crate) fn ignore_incr(&self, frontend: usize, ignored: bool) {
        let mut without = write(&self.without_incr);
        if ignored {
            without.insert(frontend);
        } else {
            without.remove(&frontend);
        }
    }

    /// Whether a front end is set to ignore `@incr`.
    pub(crate) fn ignores_incr(&self, frontend: usize) -> bool {
        read(&self.without_incr).contains(&frontend)
    }

    /// The next id of a table, partition or tablet.
    pub fn next_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The first of `rows` numbers for `AUTO_INCREMENT` columns; they rise over all tables.
    pub fn auto_increment(&self, rows: usize) -> i64 {
        self.next_number.fetch_add(rows as i64, Ordering::Relaxed)
    }

    /// Stamp and time of a write that happens now.
    pub fn moment(&self) -> Moment {
        Moment {
            stamp: self.clock.stamp(),
            micros: self.clock.now_micros(),
        }
    }

    /// Time of a write that becomes visible now, with the stamp of its commit.
    pub fn moment_of(&self, stamp: u64) -> Moment {
        Moment {
            stamp,
            micros: self.clock.now_micros(),
        }
    }

    /// Names of all databases, sorted.
    pub fn database_names(&self) -> Vec<String> {
        read(&self.databases).keys().cloned().collect()
    }

    /// True when the database exists; the built-in ones under any case.
    pub fn has_database(&self, name: &str) -> bool {
        read(&self.databases).contains_key(name) || is_built_in(name)
    }

    /// All tables, each with its database.
    pub fn tables(&self) -> Vec<(String, Arc<Table>)> {
        let mut tables = Vec::new();
        for (database, relations) in read(&self.databases).iter() {
            for relation in relations.values() {
                if let Relation::Table(table) = relation {
                    tables.push((database.clone(), Arc::clone(table)));
                }
            }
        }
        tables
    }

    /// Names in a database, sorted, with what they stand for.
    pub fn relations(&self, database: &str) -> Result<Vec<(String, Relation)>, SqlError> {
        let databases = read(&self.databases);
        let relations = databases
            .get(database)
            .or_else(|| {
                databases
                    .get(&database.to_ascii_lowercase())
                    .filter(|_| is_built_in(database))
            })
            .ok_or_else(|| SqlError::unknown_database(database))?;
        Ok(relations
            .iter()
            .map(|(name, relation)| (name.clone(), relation.clone()))
            .collect())
    }

    /// What a name stands for.
    pub fn relation(&self, database: &str, name: &str) -> Result<Relation, SqlError> {
        let databases = read(&self.databases);
        let relations = databases
            .get(database)
            .ok_or_else(|| SqlError::unknown_database(database))?;
        relations
            .get(name)
            .cloned()
            .ok_or_else(|| SqlError::unknown_table(database, name))
    }

    /// The table of a name; a view is an error.
    pub fn table(&self, database: &str, name: &str) -> Result<Arc<Table>, SqlError> {
        match self.relation(database, name)? {
            Relation::Table(table) => Ok(table),
            Relation::View(_) => Err(SqlError::plain(format!(
                "{database}.{name} is not a table but a view"
            ))),
        }
    }

    /// Makes a database; false when it exists.
    pub fn create_database(&self, name: &str) -> bool {
        let mut databases = write(&self.databases);
        if databases.contains_key(name) {
            return false;
        }
        databases.insert(name.to_string(), BTreeMap::new());
        true
    }

    /// Drops a database with all in it; false when there is none.
    pub fn drop_database(&self, name: &str) -> Result<bool, SqlError> {
        if is_built_in(name) {
            return Err(SqlError::plain(format!(
                "Access denied; database {name} cannot be dropped"
            )));
        }
        Ok(write(&self.databases).remove(name).is_some())
    }

    /// Gives a name to a relation; false when the name is taken.
    pub fn create(&self, database: &str, name: &str, relation: Relation) -> Result<bool, SqlError> {
        let mut databases = write(&self.databases);
        let relations = databases
            .get_mut(database)
            .ok_or_else(|| SqlError::unknown_database(database))?;
        if relations.contains_key(name) {
            return Ok(false);
        }
        if let Relation::Table(table) = &relation {
            table.watch(&self.lags);
        }
        relations.insert(name.to_string(), relation);
        Ok(true)
    }

    /// Takes a name away; false when there is none.
    pub fn remove(&self, database: &str, name: &str) -> Result<bool, SqlError> {
        let mut databases = write(&self.databases);
        let relations = databases
            .get_mut(database)
            .ok_or_else(|| SqlError::unknown_database(database))?;
        Ok(relations.remove(name).is_some())
    }

    /// Gives a relation another name in its database.
    pub fn rename(&self, database: &str, from: &str, to: &str) -> Result<(), SqlError> {
        let mut databases = write(&self.databases);
        let relations = databases
            .get_mut(database)
            .ok_or_else(|| SqlError::unknown_database(database))?;
        if relations.contains_key(to) {
            return Err(SqlError::plain(format!("Table name[{to}] is already used")));
        }
        let relation = relations
            .remove(from)
            .ok_or_else(|| SqlError::unknown_table(database, from))?;
        relations.insert(to.to_string(), relation);
        Ok(())
    }

    /// `REPLACE WITH TABLE`: `name` becomes what `with` was; with `swap` the other way round too, else the old one
    /// is dropped.
    pub fn replace(&self, database: &str, name: &str, with: &str, swap: bool) -> Result<(), SqlError> {
        let mut databases = write(&self.databases);
        let relations = databases
            .get_mut(database)
            .ok_or_else(|| SqlError::unknown_database(database))?;
        let old = relations
            .get(name)
            .cloned()
            .ok_or_else(|| SqlError::unknown_table(database, name))?;
        let new = relations
            .remove(with)
            .ok_or_else(|| SqlError::unknown_table(database, with))?;
        relations.insert(name.to_string(), new);
        if swap {
            relations.insert(with.to_string(), old);
        }
        Ok(())
    }
}

/// True for a database that exists without being made; their names are compared without regard to case.
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN
        .iter()
        .any(|built_in| built_in.eq_ignore_ascii_case(name))
}
