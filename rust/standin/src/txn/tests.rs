//! The transaction table alone.
