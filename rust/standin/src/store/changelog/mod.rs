//! The changelog: what tables record of their writes, and the queries `@incr` over it.
//!
//! The rules are those of the Doris manual, Row Binlog and Incremental Query. Each tablet has a log
//! ([`log::ChangeLog`]) that is part of its version, so that a reader sees rows and changes of one moment. Rows are
//! stored as `DETAIL` shows them; the other two types are made of that when they are read.

pub mod log;
pub mod lsn;
mod merge;
mod net;
pub mod properties;
pub(crate) mod record;
mod stream;
pub mod table;
pub mod window;
