//! The stand-in server.
pub mod cluster;
pub mod engine;
pub mod profile;
pub mod sql;
pub mod text;
pub mod types;
pub mod zone;
