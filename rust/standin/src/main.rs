//! Command line of the stand-in server.
fn main() {}
