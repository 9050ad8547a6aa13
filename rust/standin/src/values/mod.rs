//! Values: their calendar, numbers and texts, and arrays built from cells or cast from other arrays.

pub mod bitmap;
pub mod build;
pub mod cast;
mod cast_nested;
pub mod civil;
pub mod compute;
pub mod datetime;
pub(crate) mod json_text;
pub mod nested;
pub mod number;
pub mod text;
pub mod types;
pub mod zone;

pub use build::build_array;
pub use cast::cast_array;
pub use compute::{from_compute, to_compute};
pub use nested::{Cell, read_cell, read_escaped_cell};
