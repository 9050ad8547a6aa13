//! The protocol of Apache Doris as a client speaks it: FE REST and Arrow Flight SQL. Async, without JNI or Flink.
#![forbid(unsafe_code)]

pub mod config;
mod counters;
pub mod error;
pub mod plan;
pub mod scan;

pub use counters::{ProcessCounters, process_counters};
pub use error::{Error, ErrorKind};
