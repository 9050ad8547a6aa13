//! The client against the stand-in: plans, scans, types, faults, sessions, budgets.

mod bad_input;
mod budget;
mod endpoints;
mod faults;
mod plan;
mod scan;
mod sessions;
mod support;
mod times;
mod types;
