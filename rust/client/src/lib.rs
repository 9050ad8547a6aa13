//! The protocol of Apache Doris as a client speaks it: FE REST, Arrow Flight SQL and Stream Load. Async, without JNI
//! or Flink.
//!
//! [`read`] and [`write`](mod@write) know nothing of each other. Both stand on front ends (`fe`), those on what talks
//! to any server (`net`), and all on `config` and [`error`].
#![forbid(unsafe_code)]

mod config;
mod counters;
pub mod error;
mod fe;
mod net;
pub mod read;
mod sql;
pub mod write;

pub use counters::{ProcessCounters, process_counters};
pub use error::{Error, ErrorKind};
