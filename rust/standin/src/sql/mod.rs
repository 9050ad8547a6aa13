//! Doris' SQL: tokens, definitions, changes, queries.

mod alter;
mod alter_partition;
mod ast;
mod ast_functions;
mod auto_partition;
pub(crate) mod changelog_state;
mod coerce;
mod create_table;
mod create_text;
pub mod cursor;
mod ddl;
mod describe;
mod dispatch;
pub mod engine;
pub(crate) mod explicit;
mod fence;
pub mod functions;
mod in_list;
pub mod incr;
mod information;
mod insert;
pub mod lexer;
mod modify;
mod partition_clause;
mod partitions;
mod plain;
pub mod provider;
pub mod query;
pub mod relation;
mod result_types;
mod rewrite;
pub mod script;
mod show;
mod show_nodes;
mod show_transaction;
pub(crate) mod tables;
pub(crate) mod tablets_plan;
#[cfg(test)]
pub(crate) mod tests;
mod time_units;
mod transaction;
pub mod types;
mod user;
mod variables;

pub use types::parse_type;
