//! The channels of the stand-in server against a running cluster, each by a client of its own kind.

mod admin;
mod faults;
mod flight;
mod flight_forms;
mod incr_client;
mod incr_fence;
mod labels;
mod lag;
mod load;
mod load_client;
mod load_faults;
mod load_redirect;
mod mysql;
mod older;
mod process;
mod rest;
mod stock_clients;
mod support;
mod throughput;
mod tso;
mod two_phase;
