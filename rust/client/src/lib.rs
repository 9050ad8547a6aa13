//! The protocol of Apache Doris as a client speaks it: FE REST and Arrow Flight SQL. Async, without JNI or Flink.
#![forbid(unsafe_code)]

mod address;
mod cluster;
mod columns;
pub mod config;
mod counters;
pub mod error;
mod fe;
mod flight;
mod keys;
pub mod plan;
mod predicate;
mod retry;
pub mod scan;
mod sql;

pub use counters::{ProcessCounters, process_counters};
pub use error::{Error, ErrorKind};
