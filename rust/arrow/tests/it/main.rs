//! What leaves the crate: batches in canonical form, or errors that name the column.

mod headers;
mod identity;
mod nulls;
mod support;
mod values;
