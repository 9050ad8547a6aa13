//! Reading: the plan of a read, its splits, and the changes that follow.

pub mod changelog;
mod columns;
pub mod config;
pub mod describe;
mod flight;
mod master;
pub mod plan;
mod predicate;
mod query;
pub mod scan;
mod tablets;
pub mod window;
