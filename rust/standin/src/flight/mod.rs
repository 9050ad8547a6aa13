//! Arrow Flight SQL: the service of a front end (logins, statements, its own results) and of a back end (rows).

pub(crate) mod actions;
pub(crate) mod be;
pub(crate) mod cut;
pub(crate) mod encode;
pub(crate) mod fe;
pub(crate) mod forms;
pub(crate) mod login;
pub(crate) mod metadata;
pub(crate) mod results;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod statement;
pub(crate) mod stream;
pub(crate) mod switches;
pub(crate) mod ticket;

use std::sync::Arc;

use self::results::Results;
use self::sessions::Sessions;
use self::switches::FlightSwitches;

/// What the Flight services of all nodes share.
pub(crate) struct Flight {
    pub(crate) switches: FlightSwitches,
    pub(crate) sessions: Sessions,
    pub(crate) results: Results,
}

impl Flight {
    pub(crate) fn new(switches: FlightSwitches) -> Arc<Self> {
        Arc::new(Self {
            switches,
            sessions: Sessions::default(),
            results: Results::default(),
        })
    }
}
