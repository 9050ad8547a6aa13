//! What a cluster holds: tables and their rows, the transactions that wrote them, the changes that these recorded.

pub mod catalog;
pub mod changelog;
pub(crate) mod defaults;
pub mod discard;
pub mod info;
pub(crate) mod load;
mod load_adapt;
pub mod partition;
pub mod row_shape;
pub mod schema;
pub mod tablet;
pub mod txn;
