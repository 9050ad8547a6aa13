//! The protocol of Apache Doris.
