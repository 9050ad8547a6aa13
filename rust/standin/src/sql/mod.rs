//! Doris' SQL: tokens, definitions, queries.

pub mod cursor;
pub mod functions;
pub mod lexer;
pub mod types;

pub use types::parse_type;
