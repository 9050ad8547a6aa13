//! From submitted buffers to chunks of the body.

use super::ring::Buffer;

/// A buffer with its rows.
#[derive(Debug)]
pub(super) struct Submitted {
    pub(super) buffer: Buffer,
    pub(super) rows: usize,
    pub(super) layout: Vec<i64>,
}
