//! The stand-in server: one process that speaks the parts of an Apache Doris cluster that a Flink connector touches.
//!
//! [`Standin::start`] runs a cluster inside a test; the binary `doris-standin` is a thin shell over it.
#![forbid(unsafe_code)]

mod admin;
mod be;
pub mod clock;
mod config;
mod drain;
mod fe;
mod flight;
pub mod mysql;
mod net;
mod nodes;
pub mod script;
mod shared;
mod standin;
mod users;

pub use admin::journal::Entry;
pub use admin::rules::{Action, AnswerFault, Close, Match, Point, Rule, RuleState, StatusFault};
pub use admin::stats::{Stats, TableLoads};
pub use config::{BackendPorts, FrontendPorts, Ports, Result, StandinConfig, StandinError};
pub use discard::Discarded;
pub use standin::Standin;
pub use txn::{LoadKind, Transaction, TxnState};

pub mod catalog;
pub mod catalog_partition;
pub mod catalog_schema;
pub mod changelog;
pub mod cluster;
pub mod discard;
pub mod engine;
mod error;
pub mod fence;
mod load;
mod load_adapt;
pub mod profile;
pub mod profile_changelog;
pub mod profile_load;
pub mod row_shape;
pub mod sql;
mod stream_load;
pub mod tablet;
pub mod tablet_aggregate;
pub mod tablet_commit;
pub mod tablet_route;
mod tablet_upsert;
mod tasks;
pub mod text;
pub mod txn;
pub mod types;
mod url;
pub mod values;
pub mod zone;
