//! How a stand-in cluster is to be started: the command line's options as fields.

use std::path::PathBuf;

/// Options of a cluster. The default suits tests: one front end, one back end, 127.0.0.1, any free ports.
///
/// Port 0 means any free port. With several front or back ends the first takes the given ports, the others free ones.
#[derive(Clone, Debug)]
pub struct StandinConfig {
    /// Address that every listener binds to; also the host that the cluster gives out, unless it is `0.0.0.0` or `::`.
    pub listen: String,
    /// REST port of the first front end.
    pub fe_http: u16,
    /// MySQL port of the first front end.
    pub mysql: u16,
    /// Arrow Flight SQL port of the first front end; `None` leaves Flight off, and `SHOW FRONTENDS` shows -1.
    pub fe_flight: Option<u16>,
    /// HTTP port of the first back end.
    pub be_http: u16,
    /// Arrow Flight SQL port of the first back end.
    pub be_flight: u16,
    /// Admin port.
    pub admin: u16,
    /// Number of front ends, at least 1.
    pub frontends: usize,
    /// Number of back ends, at least 1.
    pub backends: usize,
    /// Accounts besides `root` with an empty password (or that give `root` another one).
    pub users: Vec<(String, String)>,
    /// Global `time_zone`.
    pub time_zone: String,
    /// Name of a profile, such as `doris-5.0`.
    pub profile: String,
    /// `NAME=VALUE`, applied over the profile.
    pub set: Vec<String>,
    /// SQL files that run before the listeners accept.
    pub init: Vec<PathBuf>,
    /// SQL text that runs after the files of `init`.
    pub init_sql: String,
}

impl Default for StandinConfig {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1".to_owned(),
            fe_http: 0,
            mysql: 0,
            fe_flight: Some(0),
            be_http: 0,
            be_flight: 0,
            admin: 0,
            frontends: 1,
            backends: 1,
            users: Vec::new(),
            time_zone: "+08:00".to_owned(),
            profile: "doris-5.0".to_owned(),
            set: Vec::new(),
            init: Vec::new(),
            init_sql: String::new(),
        }
    }
}

/// Ports of a running cluster, in the form of the ports file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ports {
    /// Front ends in order.
    pub fe: Vec<FrontendPorts>,
    /// Back ends in order.
    pub be: Vec<BackendPorts>,
    /// Admin port.
    pub admin: u16,
    /// Process that serves them.
    pub pid: u32,
}

/// Ports of one front end.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FrontendPorts {
    /// REST.
    pub http: u16,
    /// Arrow Flight SQL; 0 when it is off.
    pub flight: u16,
    /// MySQL.
    pub mysql: u16,
}

/// Ports of one back end.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BackendPorts {
    /// Loads and health.
    pub http: u16,
    /// Arrow Flight SQL.
    pub flight: u16,
}

/// Why a cluster did not start, or a node did not come back.
#[derive(Debug, thiserror::Error)]
pub enum StandinError {
    /// An option has no meaning.
    #[error("{0}")]
    Config(String),
    /// A port cannot be bound.
    #[error("cannot listen on {address} ({option}): {source}")]
    Listen {
        /// Address with port.
        address: String,
        /// Option that names the port, such as `--fe-http`.
        option: &'static str,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An `--init` file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A statement of an `--init` file failed.
    #[error("{origin}: {message}\nin statement: {statement}")]
    Init {
        /// File that holds the statement.
        origin: String,
        /// Doris' text.
        message: String,
        /// The statement, secrets masked.
        statement: String,
    },
    /// A statement given to [`crate::Standin::execute`] failed.
    #[error("{0}")]
    Sql(#[from] crate::error::SqlError),
}

/// Result of starting and steering a cluster.
pub type Result<T> = std::result::Result<T, StandinError>;
