//! Switches of the Flight channel: locations, limits, timeouts.

use std::time::Duration;

/// Where an endpoint says that its data are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// The node that holds them.
    Node,
    /// No location at all.
    Empty,
    /// `grpc+tcp://0.0.0.0:port`.
    Any,
    /// `arrow-flight-reuse-connection://?`.
    Reuse,
    /// The node's port on another host.
    Host(String),
}

impl std::str::FromStr for Location {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "node" => Ok(Self::Node),
            "empty" => Ok(Self::Empty),
            "any" => Ok(Self::Any),
            "reuse" => Ok(Self::Reuse),
            other => match other.strip_prefix("host:") {
                Some(host) if !host.is_empty() => Ok(Self::Host(host.to_owned())),
                _ => Err(format!("`{other}` is none of node, empty, any, reuse, host:NAME")),
            },
        }
    }
}

impl Location {
    /// The location text of a node, or none.
    pub(crate) fn of(&self, host: &str, port: u16) -> Option<String> {
        let host = match self {
            Self::Empty => return None,
            Self::Reuse => return Some("arrow-flight-reuse-connection://?".to_owned()),
            Self::Any => "0.0.0.0",
            Self::Node => host,
            Self::Host(other) => other,
        };
        let host = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        Some(format!("grpc+tcp://{host}:{port}"))
    }
}

/// Switches that only the Flight channel reads; set by name like all others.
#[derive(Clone, Debug)]
pub(crate) struct FlightSwitches {
    /// `flight_be_location`: of results that back ends hold.
    pub(crate) be_location: Location,
    /// `flight_fe_location`: of results that a front end holds.
    pub(crate) fe_location: Location,
    /// `arrow_flight_max_connections`: sessions per front end.
    pub(crate) max_connections: usize,
    /// `max_user_connections`: sessions per user and front end; half of it where tokens are a cache.
    pub(crate) max_user_connections: usize,
    /// `flight_busy_seconds`: how long a command waits for the one before it in its session.
    pub(crate) busy: Duration,
    /// `flight_wait_timeout`: seconds until an idle session ends, unless the session variable `wait_timeout` says otherwise.
    pub(crate) wait_timeout: Duration,
    /// `flight_result_seconds`: how long a result waits for its `DoGet`.
    pub(crate) result_age: Duration,
    /// `flight_piece_bytes`: size that record batches are cut to.
    pub(crate) piece_bytes: usize,
    /// `flight_short_circuit`: a query for a Unique table's whole key has no result, unless the session says otherwise.
    pub(crate) short_circuit: bool,
}

impl Default for FlightSwitches {
    fn default() -> Self {
        Self {
            be_location: Location::Node,
            fe_location: Location::Node,
            max_connections: 4096,
            max_user_connections: 100,
            busy: Duration::from_secs(10),
            wait_timeout: Duration::from_secs(28_800),
            result_age: Duration::from_secs(300),
            piece_bytes: 2 << 20,
            short_circuit: false,
        }
    }
}

impl FlightSwitches {
    /// Sets one switch; `None` when the name is not one of these.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        fn put<T: std::str::FromStr>(slot: &mut T, name: &str, value: &str) -> Result<(), String>
        where
            T::Err: std::fmt::Display,
        {
            *slot = value.parse().map_err(|error| format!("switch {name}: {error}"))?;
            Ok(())
        }
        fn seconds(slot: &mut Duration, name: &str, value: &str) -> Result<(), String> {
            let mut number = 0.0f64;
            put(&mut number, name, value)?;
            *slot = Duration::try_from_secs_f64(number).map_err(|error| format!("switch {name}: {error}"))?;
            Ok(())
        }
        Some(match name {
            "flight_be_location" => put(&mut self.be_location, name, value),
            "flight_fe_location" => put(&mut self.fe_location, name, value),
            "arrow_flight_max_connections" => put(&mut self.max_connections, name, value),
            "max_user_connections" => put(&mut self.max_user_connections, name, value),
            "flight_busy_seconds" => seconds(&mut self.busy, name, value),
            "flight_wait_timeout" => seconds(&mut self.wait_timeout, name, value),
            "flight_result_seconds" => seconds(&mut self.result_age, name, value),
            "flight_piece_bytes" => put(&mut self.piece_bytes, name, value),
            "flight_short_circuit" => put(&mut self.short_circuit, name, value),
            _ => return None,
        })
    }
}
