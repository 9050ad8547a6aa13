//! The client against the stand-in and scripted servers: plans, scans, types, sessions, loads, labels, transactions, faults.

mod bad_input;
mod budget;
mod changelog_window;
mod changelog_window_faults;
mod changelog_window_resume;
mod changelog_window_support;
mod changelog_window_wait;
mod describe;
mod endpoints;
mod faults;
mod labels;
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
