//! The admin port: what happened, how much is open, and rules that break things.

pub(crate) mod faults;
pub(crate) mod http;
pub(crate) mod journal;
pub(crate) mod rules;
mod sql;
pub(crate) mod stats;
