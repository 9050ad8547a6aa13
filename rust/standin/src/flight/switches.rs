//! Switches of the Flight channel: locations, limits, timeouts.

use std::time::Duration;

use crate::profile::{put, switches};

/// The location that an endpoint names.
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

/// A time in seconds, fractions too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Duration);

impl Seconds {
    fn of(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }
}

impl std::str::FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
        let time = Duration::try_from_secs_f64(number).map_err(|error| error.to_string())?;
        Ok(Self(time))
    }
}

switches! {
    /// Switches that only the Flight channel reads; set by name like all others.
    #[derive(Clone, Debug)]
    FlightSwitches {
        /// Of results that back ends hold.
        be_location: Location = Location::Node, "flight_be_location";
        /// Of results that a front end holds.
        fe_location: Location = Location::Node, "flight_fe_location";
        /// Sessions per front end.
        max_connections: usize = 4096, "arrow_flight_max_connections";
        /// Sessions per user and front end; half of it where tokens are a cache.
        max_user_connections: usize = 100, "max_user_connections";
        /// How long a command waits for the one before it in its session.
        busy: Seconds = Seconds::of(10), "flight_busy_seconds";
        /// Seconds until an idle session ends, unless the session sets `wait_timeout`.
        wait_timeout: Seconds = Seconds::of(28_800), "flight_wait_timeout";
        /// How long a result waits for its `DoGet`.
        result_age: Seconds = Seconds::of(300), "flight_result_seconds";
        /// Size that record batches are cut to.
        piece_bytes: usize = 2 << 20, "flight_piece_bytes";
        /// A query for a Unique table's whole key has no result, unless the session switches that off.
        short_circuit: bool = false, "flight_short_circuit";
    }
}
