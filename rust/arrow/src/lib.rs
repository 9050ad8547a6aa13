//! Types and bytes between Apache Doris and Flink: no I/O, no protocol.
#![forbid(unsafe_code)]

pub mod ipc;
