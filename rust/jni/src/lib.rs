//! The native core.
