//! The protocol of Apache Doris as a client speaks it: FE REST, Arrow Flight SQL and Stream Load. Async, without JNI or Flink.
#![forbid(unsafe_code)]

mod address;
mod backends;
pub mod changelog;
mod cluster;
mod columns;
pub mod config;
mod counters;
pub mod describe;
mod envelope;
pub mod error;
mod fe;
mod flight;
mod http;
mod keys;
pub mod load;
mod master;
mod mysql;
pub mod plan;
mod predicate;
mod refused;
mod response;
mod retry;
pub mod scan;
pub mod sink;
mod sink_metrics;
mod sql;
mod statement;
pub mod table_check;
mod text_rows;
pub mod txn;
pub mod window;
pub mod write_config;

pub use counters::{ProcessCounters, process_counters};
pub use error::{Error, ErrorKind};
pub use response::LoadNumbers;
pub use sink_metrics::SinkMetrics;
