//! Functions with Doris' results.

pub mod bitmap;
