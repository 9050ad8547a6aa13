//! Planning of a read: checks the table against its declaration and lists the tablets that hold its rows.

use crate::config::ReadConfig;
use crate::error::{Error, ErrorKind};

/// What a read of one table consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanPlan {
    /// Whether the table is read tablet by tablet; `false` for views and three-part names, which are one query.
    pub has_tablets: bool,
    /// The tablets that hold rows for the filter, ascending by id.
    pub tablets: Vec<Tablet>,
    /// What a user should know, to be logged once.
    pub warnings: Vec<String>,
}

/// One tablet and where it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tablet {
    /// Doris' id of the tablet.
    pub id: i64,
    /// `host:port` of the back ends that hold a replica.
    pub backends: Vec<String>,
}

/// Plans a read. Errors are complete: all differences of the schema are in one message.
pub async fn plan(config: &ReadConfig) -> Result<ScanPlan, Error> {
    let _ = config;
    Err(Error::new(ErrorKind::Internal, "not there yet"))
}
