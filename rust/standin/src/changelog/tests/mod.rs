//! The changelog as a client sees it.

mod detail;
