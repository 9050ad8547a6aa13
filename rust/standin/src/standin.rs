//! A running cluster: what tests and the command line hold.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::cluster::tasks::Tasks;
use crate::cluster::{Backend, Cluster, Frontend};
use crate::config::{BackendPorts, FrontendPorts, Ports, Result, StandinConfig, StandinError};
use crate::control::faults::Faults;
use crate::control::journal::{Entry, Journal, mask_statement};
use crate::control::rules::{Rule, RuleState};
use crate::control::stats::{Counters, Stats};
use crate::flight::Flight;
use crate::flight::switches::FlightSwitches;
use crate::nodes::{Bound, Nodes, Service, bind};
use crate::profile::Switches;
use crate::shared::Shared;
use crate::sql::engine::{Answer, Engine};
use crate::sql::script::statements;
use crate::store::discard::Discarded;
use crate::store::txn::Transaction;
use crate::stream_load::error_log::ErrorLogs;

/// Id of the first back end, as Doris gives them out.
const FIRST_BACKEND_ID: i64 = 10_001;

/// Thrift port of the first back end in plans; nothing listens there.
const FIRST_THRIFT_PORT: u16 = 9060;

/// A running cluster. Dropping it ends it without waiting; [`Standin::stop`] waits.
pub struct Standin {
    nodes: Arc<Nodes>,
    ports: Ports,
    host: String,
    end: CancellationToken,
}

impl Standin {
    /// Binds every listener, runs the init scripts, then serves. Fails before anything is served.
    pub async fn start(config: StandinConfig) -> Result<Self> {
        let (switches, flight) = switches(&config)?;
        let mut bound = bind_all(&config).await?;
        let host = advertised(&config.listen);
        let cluster = Arc::new(cluster_of(&bound, &host));
        let switches = Arc::new(switches);
        let engine = Engine::new(cluster.clone(), switches.clone(), config.time_zone.clone());
        engine.users().extend(config.users);
        let users = engine.users().clone();
        let ports = ports_of(&bound);
        let shared = Arc::new(Shared {
            engine,
            cluster,
            switches,
            users,
            journal: Journal::default(),
            faults: Faults::default(),
            counters: Counters::default(),
            loads: Tasks::default(),
            error_logs: ErrorLogs::default(),
            load_turn: AtomicUsize::new(0),
        });
        let weak = Arc::downgrade(&shared);
        shared
            .engine
            .transactions()
            .set_gate(Box::new(move |point, sight| weak.upgrade()?.struck(point, sight)));
        for path in &config.init {
            let sql = tokio::fs::read_to_string(path)
                .await
                .map_err(|source| StandinError::Read {
                    path: path.clone(),
                    source,
                })?;
            initialise(&shared.engine, path, &sql).await?;
        }
        initialise(&shared.engine, Path::new("init"), &config.init_sql).await?;
        let end = CancellationToken::new();
        let admin = bound.iter().position(|bound| bound.service == Service::Admin);
        let admin = admin.map(|at| bound.swap_remove(at));
        let nodes = Nodes::start(shared, Flight::new(flight), bound, end.clone()).await;
        if let Some(admin) = admin {
            // It steers the nodes, so it comes after them.
            let steered = nodes.clone();
            nodes
                .add(admin, |incoming| crate::admin::http::serve(steered, incoming))
                .await;
        }
        Ok(Self {
            nodes,
            ports,
            host,
            end,
        })
    }

    /// Ports of all listeners.
    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// Host that the cluster gives out.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// `host:port` of a front end's REST service, as `fenodes` takes it.
    pub fn fenodes(&self) -> String {
        let node = |fe: &FrontendPorts| format!("{}:{}", self.host, fe.http);
        self.ports.fe.iter().map(node).collect::<Vec<_>>().join(",")
    }

    /// Runs statements as `root`, past every channel; one answer each.
    pub async fn execute(&self, sql: &str) -> Result<Vec<Answer>> {
        let engine = &self.nodes.shared().engine;
        let mut session = engine.open_session("root");
        Ok(engine.execute(&mut session, sql).await?)
    }

    /// The engine, for what no channel shows.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.nodes.shared().engine
    }

    /// What the Flight services share, for tests of single parts.
    #[cfg(test)]
    pub(crate) fn flight(&self) -> &Arc<Flight> {
        self.nodes.flight()
    }

    /// Adds a fault rule and gives its number.
    pub fn add_fault(&self, rule: Rule) -> u64 {
        self.nodes.shared().faults.add(rule)
    }

    /// Adds a fault rule in the JSON of the admin port.
    pub fn add_fault_json(&self, rule: &str) -> Result<u64> {
        let rule = serde_json::from_str(rule).map_err(|error| StandinError::Config(error.to_string()))?;
        Ok(self.add_fault(rule))
    }

    /// All rules with their history.
    pub fn faults(&self) -> Vec<RuleState> {
        self.nodes.shared().faults.list()
    }

    /// Deletes all rules and releases what they hold.
    pub fn clear_faults(&self) {
        self.nodes.shared().faults.delete(None);
    }

    /// Deletes one rule and releases what it holds; false when there is none of that number.
    pub fn delete_fault(&self, id: u64) -> bool {
        self.nodes.shared().faults.delete(Some(id))
    }

    /// All transactions that are remembered, in the order of their numbers.
    pub fn transactions(&self) -> Vec<Transaction> {
        self.engine().transactions().list()
    }

    /// Forgets finished transactions, of one database or label where one is given, and so frees their labels; gives
    /// how many.
    pub fn purge_labels(&self, database: Option<&str>, label: Option<&str>) -> usize {
        self.engine().transactions().purge(database, label)
    }

    /// Lets a table count its loads instead of keeping them, from zero, or keep them again; false when there is no
    /// such table.
    pub fn discard(&self, database: &str, table: &str, on: bool) -> bool {
        let found = self.engine().table_info(database, table);
        if let Some(table) = &found {
            self.engine().discards().set(table.id, on);
        }
        found.is_some()
    }

    /// What a discarding table was sent; `None` when it keeps its rows or does not exist.
    pub fn discarded(&self, database: &str, table: &str) -> Option<Discarded> {
        let table = self.engine().table_info(database, table)?;
        self.engine().discards().get(table.id)
    }

    /// Counters.
    pub fn stats(&self) -> Stats {
        self.nodes.stats()
    }

    /// The journal from its begin.
    pub fn journal(&self) -> Vec<Entry> {
        self.journal_since(0)
    }

    /// The journal after sequence number `since`.
    pub fn journal_since(&self, since: u64) -> Vec<Entry> {
        self.nodes.shared().journal.since(since)
    }

    /// Closes the listeners of a back end and resets its connections; results it holds are gone.
    pub async fn stop_backend(&self, index: usize) -> Result<()> {
        self.nodes.stop_backend(index).await
    }

    /// Brings a back end back on its ports.
    pub async fn start_backend(&self, index: usize) -> Result<()> {
        self.nodes.start_backend(index).await
    }

    /// Closes the listeners of a front end and resets its connections; its Flight sessions are gone.
    pub async fn stop_frontend(&self, index: usize) -> Result<()> {
        self.nodes.stop_frontend(index).await
    }

    /// Brings a front end back on its ports.
    pub async fn start_frontend(&self, index: usize) -> Result<()> {
        self.nodes.start_frontend(index).await
    }

    /// Lets a front end plan plain queries with versions as old as `behind`, as a follower that lags; zero ends it. The
    /// master does not lag: that is an error.
    pub fn lag_frontend(&self, index: usize, behind: Duration) -> Result<()> {
        self.nodes.lag_frontend(index, behind)
    }

    /// Lets a front end ignore `@incr`, as one of an older version in the middle of an upgrade, or know it again.
    pub fn ignore_incr(&self, index: usize, ignored: bool) -> Result<()> {
        self.nodes.ignore_incr(index, ignored)
    }

    /// Forgets all Flight tokens; gives how many.
    pub fn drop_sessions(&self) -> usize {
        self.nodes.drop_sessions()
    }

    /// Moves the cluster's clock by `ms`, which may be negative.
    pub fn shift_clock(&self, ms: i64) {
        self.engine().catalog().clock.shift(ms);
    }

    /// Ends everything and waits until all listeners are closed.
    pub async fn stop(self) {
        self.nodes.end().await;
    }
}

impl Drop for Standin {
    fn drop(&mut self) {
        self.nodes.shared().faults.delete(None);
        self.end.cancel();
    }
}

fn switches(config: &StandinConfig) -> Result<(Switches, FlightSwitches)> {
    let mut switches = Switches::profile(&config.profile).map_err(StandinError::Config)?;
    let mut flight = FlightSwitches::default();
    for assignment in &config.set {
        let own = assignment
            .split_once('=')
            .and_then(|(name, value)| flight.set_one(name.trim(), value.trim()));
        own.unwrap_or_else(|| switches.set(assignment))
            .map_err(|error| StandinError::Config(format!("--set {assignment}: {error}")))?;
    }
    if config.frontends == 0 || config.backends == 0 {
        return Err(StandinError::Config(
            "--frontends and --backends are at least 1".to_owned(),
        ));
    }
    Ok((switches, flight))
}

async fn bind_all(config: &StandinConfig) -> Result<Vec<Bound>> {
    let listen = config.listen.as_str();
    // Given ports first, so that a free port of another listener does not take one of them.
    let mut wanted = Vec::new();
    for index in 0..config.frontends {
        let port = |port: u16| if index == 0 { port } else { 0 };
        wanted.push((Service::FrontendHttp(index), port(config.fe_http)));
        wanted.push((Service::FrontendMysql(index), port(config.mysql)));
        if let Some(flight) = config.fe_flight {
            wanted.push((Service::FrontendFlight(index), port(flight)));
        }
    }
    for index in 0..config.backends {
        let port = |port: u16| if index == 0 { port } else { 0 };
        wanted.push((Service::BackendHttp(index), port(config.be_http)));
        wanted.push((Service::BackendFlight(index), port(config.be_flight)));
    }
    wanted.push((Service::Admin, config.admin));
    wanted.sort_by_key(|(_, port)| *port == 0);
    let mut bound = Vec::with_capacity(wanted.len());
    for (service, port) in wanted {
        bound.push(bind(service, listen, port).await?);
    }
    Ok(bound)
}

fn port_of(bound: &[Bound], service: Service) -> u16 {
    bound
        .iter()
        .find(|bound| bound.service == service)
        .map_or(0, |bound| bound.address.port())
}

fn ports_of(bound: &[Bound]) -> Ports {
    let count = |is: fn(&Service) -> bool| bound.iter().filter(|bound| is(&bound.service)).count();
    let frontends = count(|service| matches!(service, Service::FrontendHttp(_)));
    let backends = count(|service| matches!(service, Service::BackendHttp(_)));
    Ports {
        fe: (0..frontends)
            .map(|index| FrontendPorts {
                http: port_of(bound, Service::FrontendHttp(index)),
                flight: port_of(bound, Service::FrontendFlight(index)),
                mysql: port_of(bound, Service::FrontendMysql(index)),
            })
            .collect(),
        be: (0..backends)
            .map(|index| BackendPorts {
                http: port_of(bound, Service::BackendHttp(index)),
                flight: port_of(bound, Service::BackendFlight(index)),
            })
            .collect(),
        admin: port_of(bound, Service::Admin),
        pid: std::process::id(),
    }
}

fn cluster_of(bound: &[Bound], host: &str) -> Cluster {
    let ports = ports_of(bound);
    let frontends = ports.fe.iter().enumerate().map(|(index, ports)| Frontend {
        name: format!("fe_{index}"),
        host: host.to_owned(),
        http: ports.http,
        mysql: ports.mysql,
        flight: ports.flight,
        alive: true,
        master: index == 0,
    });
    let backends = ports.be.iter().zip(0u16..).map(|(ports, index)| Backend {
        id: FIRST_BACKEND_ID + i64::from(index),
        host: host.to_owned(),
        http: ports.http,
        flight: ports.flight,
        thrift: FIRST_THRIFT_PORT + index,
        alive: true,
    });
    Cluster::new(frontends.collect(), backends.collect())
}

/// Host that clients are given: the address that is listened on, unless that stands for all of them.
fn advertised(listen: &str) -> String {
    match listen {
        "0.0.0.0" => "127.0.0.1".to_owned(),
        "::" => "::1".to_owned(),
        other => other.to_owned(),
    }
}

/// Runs a script statement by statement in one session; the error names file and statement.
async fn initialise(engine: &Engine, origin: &Path, sql: &str) -> Result<()> {
    let mut session = engine.open_session("root");
    for statement in statements(sql) {
        engine
            .execute(&mut session, statement)
            .await
            .map_err(|error| StandinError::Init {
                origin: origin.display().to_string(),
                message: mask_statement(&error.message),
                statement: mask_statement(statement),
            })?;
    }
    Ok(())
}
