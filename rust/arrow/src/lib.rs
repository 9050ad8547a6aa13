//! Types and bytes between Apache Doris and Flink.
