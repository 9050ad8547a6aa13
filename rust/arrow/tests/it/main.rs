//! What leaves the crate: batches in canonical form, or errors that name the column.

mod encode_arrow;
mod encode_csv;
mod encode_json;
mod encode_longest;
mod headers;
mod identity;
mod layouts;
mod nulls;
mod support;
mod values;
mod written;
