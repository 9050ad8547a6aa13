//! The engine: sessions and statements in, answers out. It knows no channel.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use arrow_array::RecordBatch;

use crate::cluster::Cluster;
use crate::cluster::users::Users;
use crate::error::SqlError;
use crate::profile::Switches;
use crate::sql::explicit::Explicit;
use crate::sql::query::Planner;
pub use crate::sql::tablets_plan::PlanRefused;
use crate::store::catalog::{Catalog, Relation};
use crate::store::discard::Discards;
use crate::store::info::TableInfo;
use crate::store::txn::Transactions;
use crate::values::types::DorisType;
use crate::values::zone::Zone;

/// The storage and the SQL engine of one cluster; shared by all channels.
pub struct Engine {
    cluster: Arc<Cluster>,
    switches: Arc<Switches>,
    time_zone: String,
    sessions: AtomicU64,
    catalog: Arc<Catalog>,
    transactions: Arc<Transactions>,
    discards: Discards,
    backend_turn: AtomicUsize,
    planner: Planner,
    users: Users,
}

/// State that statements leave behind for the next one of the same client.
#[derive(Debug, Clone)]
pub struct Session {
    /// Connection id.
    pub id: u64,
    /// Account.
    pub user: String,
    /// Database that plain table names belong to.
    pub database: Option<String>,
    /// Session variables by lower-case name; those never set have their global value.
    pub variables: BTreeMap<String, String>,
    /// Index of the front end that its client is connected to; `None` for the master, whichever that is.
    pub frontend: Option<usize>,
    /// The transaction that its client opened and has not ended.
    pub(crate) transaction: Option<Arc<Explicit>>,
}

/// What one statement gave.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Rows that back ends computed: `SELECT`.
    Rows(Rows),
    /// Rows kept on the front end, all columns text: `SHOW`, `DESC`, `EXPLAIN`.
    FrontEndRows(Rows),
    /// No rows: DDL, DML, `SET`, `USE`.
    Done {
        /// Rows written or deleted.
        affected: u64,
        /// Doris' info text, such as `{'label':'…', 'status':'VISIBLE', 'txnId':'7'}`; may be empty.
        info: String,
    },
}

/// A result with its types. Batches share the table's memory for plain scans.
#[derive(Debug, Clone)]
pub struct Rows {
    /// Columns in order.
    pub columns: Vec<ResultColumn>,
    /// Every batch has exactly the Arrow types `columns[i].doris_type.arrow_type()`.
    pub batches: Vec<RecordBatch>,
}

/// One column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Name as shown.
    pub name: String,
    /// Type.
    pub doris_type: DorisType,
    /// False when the column cannot hold NULL.
    pub nullable: bool,
}

impl Rows {
    /// Number of rows of all batches.
    pub fn row_count(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Where a tablet of a query plan is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabletRoute {
    /// Tablet.
    pub tablet_id: i64,
    /// Index of its back end.
    pub backend_index: usize,
    /// Version to read.
    pub version: u64,
}

impl Engine {
    /// An empty store with the built-in databases. `time_zone` is the global value of that variable.
    pub fn new(cluster: Arc<Cluster>, switches: Arc<Switches>, time_zone: String) -> Arc<Self> {
        let catalog: Arc<Catalog> = Arc::default();
        let transactions = Transactions::new(catalog.clone(), switches.load.clone());
        Arc::new(Self {
            cluster,
            switches,
            time_zone,
            sessions: AtomicU64::new(0),
            catalog,
            transactions,
            discards: Discards::default(),
            backend_turn: AtomicUsize::new(0),
            planner: Planner::new(),
            users: Users::new([]),
        })
    }

    /// The nodes.
    pub fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// The switches.
    pub fn switches(&self) -> &Arc<Switches> {
        &self.switches
    }

    /// A session of a checked account with global values of all variables.
    pub fn open_session(&self, user: &str) -> Session {
        Session {
            id: self.sessions.fetch_add(1, Ordering::Relaxed) + 1,
            user: user.to_string(),
            database: None,
            variables: BTreeMap::new(),
            frontend: None,
            transaction: None,
        }
    }

    /// As [`Self::open_session`], of a client that is connected to a front end.
    pub fn open_session_at(&self, user: &str, frontend: usize) -> Session {
        Session {
            frontend: Some(frontend),
            ..self.open_session(user)
        }
    }

    /// The zone of a session, which text of instants is rendered in.
    pub fn zone(&self, session: &Session) -> Zone {
        let text = session.variables.get("time_zone").unwrap_or(&self.time_zone);
        text.parse().unwrap_or(Zone::UTC)
    }

    /// Databases, tables and the clock.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Global value of the time zone.
    pub(crate) fn time_zone(&self) -> &str {
        &self.time_zone
    }

    /// Transactions, and so the labels of loads.
    pub fn transactions(&self) -> &Arc<Transactions> {
        &self.transactions
    }

    /// Tables whose loads are counted and not kept.
    pub fn discards(&self) -> &Discards {
        &self.discards
    }

    /// The accounts.
    pub(crate) fn users(&self) -> &Users {
        &self.users
    }

    /// What queries are planned with.
    pub(crate) fn planner(&self) -> &Planner {
        &self.planner
    }

    /// Counts up, so that tablets go to the back ends by turns.
    pub(crate) fn next_backend(&self) -> usize {
        self.backend_turn.fetch_add(1, Ordering::Relaxed)
    }

    /// The database a plain or qualified table name belongs to.
    pub(crate) fn database_of(&self, session: &Session, named: Option<String>) -> Result<String, SqlError> {
        let database = named
            .or_else(|| session.database.clone())
            .ok_or_else(|| SqlError::plain("No database selected"))?;
        if self.catalog.has_database(&database) {
            Ok(database)
        } else {
            Err(SqlError::unknown_database(&database))
        }
    }

    /// Names of all databases, sorted.
    pub fn database_names(&self) -> Vec<String> {
        self.catalog.database_names()
    }

    /// Names of the tables (not views) of a database, sorted; `None` when it does not exist.
    pub fn table_names(&self, database: &str) -> Option<Vec<String>> {
        let relations = self.catalog.relations(database).ok()?;
        let tables = relations
            .into_iter()
            .filter(|(_, relation)| matches!(relation, Relation::Table(_)));
        Some(tables.map(|(name, _)| name).collect())
    }

    /// A table as of now; `None` when there is none (views are none).
    pub fn table_info(&self, database: &str, table: &str) -> Option<TableInfo> {
        Some(self.catalog.table(database, table).ok()?.info(database, table))
    }
}
