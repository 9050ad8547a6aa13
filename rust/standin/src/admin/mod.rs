//! The admin port: tests read here what happened and set what goes wrong.

pub(crate) mod http;
mod sql;
