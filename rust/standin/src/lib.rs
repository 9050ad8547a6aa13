//! The stand-in server: one process that speaks the parts of an Apache Doris cluster that a Flink connector touches.
//!
//! [`Standin::start`] runs a cluster inside a test; the binary `doris-standin` is a thin shell over it.
#![forbid(unsafe_code)]

mod admin;
mod be;
pub mod cluster;
mod config;
pub mod control;
mod error;
mod fe;
mod flight;
pub mod mysql;
mod net;
mod nodes;
pub mod profile;
mod shared;
pub mod sql;
mod standin;
pub mod store;
mod stream_load;
pub mod values;

pub use config::{BackendPorts, FrontendPorts, Ports, Result, StandinConfig, StandinError};
pub use control::journal::Entry;
pub use control::rules::{Action, AnswerFault, Close, Match, Point, Rule, RuleState, StatusFault};
pub use control::stats::{Stats, TableLoads};
pub use sql::engine;
pub use standin::Standin;
pub use store::discard::Discarded;
pub use store::txn::{LoadKind, Transaction, TxnState};
