//! Types and bytes between Apache Doris and Flink: no I/O, no protocol.
//!
//! [`types`] knows both sides' types and which fits which, [`schema`] compares a table with its declaration,
//! [`normalize`] turns what a server delivers into canonical Arrow types, [`ipc`] is the form in which rows go on and
//! come back, [`binary_row`] turns them into rows of Flink, [`encode`] into what a load sends, [`hash`] distinguishes
//! rows, [`change`] is the metadata of a change.
#![forbid(unsafe_code)]

pub mod binary_row;
pub mod change;
pub mod encode;
pub mod error;
pub mod hash;
pub mod ipc;
pub mod normalize;
pub mod schema;
pub mod types;

pub use error::Error;
