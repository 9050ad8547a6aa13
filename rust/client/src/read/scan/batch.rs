//! What a scan delivers.

use doris_arrow::ipc::IpcBatch;

use super::budget::Permit;

/// What [`Scan::next`](super::Scan::next) found.
#[derive(Debug)]
pub enum Next {
    /// A batch of the current split or window.
    Batch(ScanBatch),
    /// The current split or window was read completely: every endpoint up to the server's own word that nothing
    /// follows.
    End,
    /// [`Scan::wake`](super::Scan::wake) was called.
    Woken,
}

/// A batch that owns itself: its share of the byte budget comes back when it is dropped, even after the scan is
/// closed.
#[derive(Debug)]
pub struct ScanBatch {
    /// Header and body in canonical Arrow types.
    pub ipc: IpcBatch,
    pub(super) _permit: Permit,
}
