//! The ring of buffers of one load: as many places as `sink.buffer-count`, memory that is used again until the load ends.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_buffer::MutableBuffer;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::sink_metrics::Counters;

/// The places and the memory at rest.
#[derive(Debug)]
pub(super) struct Ring {
    size: usize,
    places: Arc<Semaphore>,
    /// `None` once the load has ended: what comes back then is freed.
    idle: Mutex<Option<Vec<Memory>>>,
    counters: Arc<Counters>,
}

/// Memory for rows, aligned to 64 bytes, with its place in the ring. Belongs to whoever holds it until it is submitted or
/// dropped; may be filled on any thread.
pub struct Buffer {
    lent: Lent,
    length: usize,
    // Last: a place is free when its memory is back.
    place: Place,
}

/// A place in the ring, free again when dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: Option<OwnedSemaphorePermit>,
}

/// Memory that goes back to the ring when dropped.
struct Lent {
    memory: Option<Memory>,
    ring: Arc<Ring>,
}

/// Counted memory. Taken out while it is shared with a batch.
struct Memory {
    bytes: MutableBuffer,
    counters: Arc<Counters>,
}

impl Ring {
    pub(super) fn new(size: usize, count: usize, counters: Arc<Counters>) -> Arc<Self> {
        Arc::new(Self {
            size,
            places: Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS))),
            idle: Mutex::new(Some(Vec::new())),
            counters,
        })
    }

    /// Waits for a place.
    pub(super) async fn acquire(self: &Arc<Self>, bytes: usize) -> Buffer {
        // The semaphore is never closed.
        let permit = self.places.clone().acquire_owned().await.ok();
        let place = Place { _permit: permit };
        let found = self.idle().as_mut().and_then(Vec::pop);
        let memory = match found {
            Some(memory) if memory.bytes.len() >= bytes => memory,
            other => {
                drop(other);
                Memory::new(bytes.max(self.size), self.counters.clone())
            }
        };
        Buffer {
            lent: Lent {
                memory: Some(memory),
                ring: self.clone(),
            },
            length: bytes,
            place,
        }
    }

    /// Frees what is at rest, and from now on what comes back.
    pub(super) fn close(&self) {
        self.idle().take();
    }

    fn give_back(&self, memory: Memory) {
        if memory.bytes.len() == self.size
            && let Some(idle) = self.idle().as_mut()
        {
            idle.push(memory);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Option<Vec<Memory>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Buffer {
    /// The bytes to fill.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let length = self.length;
        self.lent
            .memory
            .as_mut()
            .and_then(|m| m.bytes.as_slice_mut().get_mut(..length))
            .unwrap_or_default()
    }

    /// How many bytes it shows.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it shows no byte.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Lends the bytes out as shared ones for the duration of a call, then gives the memory back to the ring. The place
    /// stays with the caller.
    pub(super) fn used<T>(self, read: impl FnOnce(&arrow_buffer::Buffer) -> T) -> (T, Place) {
        let Self {
            mut lent,
            length,
            place,
        } = self;
        let bytes = lent.memory.as_mut().map(|m| std::mem::take(&mut m.bytes));
        let whole = arrow_buffer::Buffer::from(bytes.unwrap_or_default());
        let held = whole.len();
        let result = read(&whole.slice_with_length(0, length.min(held)));
        match (whole.into_mutable(), lent.memory.as_mut()) {
            (Ok(bytes), Some(memory)) => memory.bytes = bytes,
            // Somebody still looks at it, and frees it then; it is counted no more.
            _ => lent.ring.counters.unbuffered(held),
        }
        (result, place)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.ring.give_back(memory);
        }
    }
}

impl Memory {
    fn new(bytes: usize, counters: Arc<Counters>) -> Self {
        counters.buffered(bytes);
        Self {
            bytes: MutableBuffer::from_len_zeroed(bytes),
            counters,
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.counters.unbuffered(self.bytes.len());
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes)", self.bytes.len())
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.length)
    }
}
