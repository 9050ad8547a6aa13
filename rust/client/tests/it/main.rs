//! The client against the stand-in: plans, scans, types, faults, sessions, budgets.

mod bad_input;
mod budget;
mod endpoints;
mod faults;
mod load;
mod load_faults;
mod load_scripted;
mod plan;
mod redirect;
mod replay;
mod scan;
mod scripted;
mod sessions;
mod sink_support;
mod support;
mod times;
mod txn;
mod types;
