//! The stand-in server: one process that speaks the parts of an Apache Doris cluster that a Flink connector touches.
//!
//! [`Standin::start`] runs a cluster inside a test; the binary `doris-standin` is a thin shell over it.
#![forbid(unsafe_code)]

mod admin;
mod be;
mod cluster;
mod config;
mod control;
mod error;
mod fe;
mod flight;
pub mod mysql;
mod net;
mod nodes;
mod profile;
mod shared;
mod sql;
mod standin;
mod store;
mod stream_load;
mod values;

pub use config::{BackendPorts, FrontendPorts, Ports, Result, StandinConfig, StandinError};
pub use control::journal::Entry;
pub use control::rules::{Action, AnswerFault, Close, Match, Point, Rule, RuleState, StatusFault};
pub use control::stats::{Stats, TableLoads};
pub use sql::{engine, script};
pub use standin::Standin;
pub use store::discard::Discarded;
pub use store::txn::{LoadKind, Transaction, TxnState};
