//! Writing: loads, the transactions that they end with, and the check of the table before.

mod backends;
pub mod batch;
pub mod config;
pub mod load;
mod metrics;
mod response;
pub mod series;
pub mod sink;
pub mod table_check;
pub mod txn;

pub use metrics::SinkMetrics;
pub use response::LoadNumbers;
