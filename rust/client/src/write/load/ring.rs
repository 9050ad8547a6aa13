//! The ring of buffers of one load: as many places as `sink.buffer-count`, memory that is used again until the load
//! ends.
//!
//! A place is taken by a buffer that is filled or encoded, then by what came out of it, until the network has that.
//! So that both together stay within the ring's size, memory at rest is freed while what came out of other buffers
//! waits.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::buffer::MutableBuffer;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::memory_limit::Reserved;
use crate::write::metrics::Counters;

/// The places and the idle memory.
#[derive(Debug)]
pub(in crate::write) struct Ring {
    size: usize,
    count: usize,
    places: Arc<Semaphore>,
    held: Mutex<Held>,
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Held {
    /// Idle memory.
    idle: Vec<Memory>,
    /// Pieces of memory, idle or in use.
    pieces: usize,
    /// Bytes that came out of buffers and wait for the network.
    waiting: usize,
    /// The load has ended: what comes back is freed.
    ended: bool,
}

/// Memory for rows, aligned to 64 bytes, with its place in the ring. Belongs to whoever holds it until it is
/// submitted or dropped; may be filled on any thread.
pub struct Buffer {
    lent: Lent,
    length: usize,
    // Last: a place is free when its memory is back.
    place: Place,
}

/// A place in the ring, free again when dropped.
#[derive(Debug)]
pub(in crate::write) struct Place {
    ring: Arc<Ring>,
    waiting: usize,
    _permit: Option<OwnedSemaphorePermit>,
    /// What the buffer was let in with.
    reserved: Option<Reserved>,
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
    pub(in crate::write) fn new(size: usize, count: usize, counters: Arc<Counters>) -> Arc<Self> {
        Arc::new(Self {
            size,
            count,
            places: Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS))),
            held: Mutex::default(),
            counters,
        })
    }

    /// Waits for a place.
    pub(in crate::write) async fn acquire(self: &Arc<Self>, bytes: usize) -> Buffer {
        // The semaphore is never closed.
        let permit = self.places.clone().acquire_owned().await.ok();
        let place = Place {
            ring: self.clone(),
            waiting: 0,
            _permit: permit,
            reserved: None,
        };
        let found = if bytes <= self.size {
            self.held().idle.pop()
        } else {
            None
        };
        let memory = found.unwrap_or_else(|| {
            self.held().pieces += 1;
            Memory::new(bytes.max(self.size), self.counters.clone())
        });
        Buffer {
            lent: Lent {
                memory: Some(memory),
                ring: self.clone(),
            },
            length: bytes,
            place,
        }
    }

    /// Frees what is idle, and from now on what comes back.
    pub(super) fn close(&self) {
        let mut held = self.held();
        held.ended = true;
        held.pieces -= held.idle.len();
        held.idle.clear();
    }

    /// Frees what is idle; what comes back is kept again.
    pub(in crate::write) fn rest(&self) {
        let mut held = self.held();
        held.pieces -= held.idle.len();
        held.idle.clear();
    }

    fn give_back(&self, memory: Memory) {
        let mut held = self.held();
        if memory.bytes.len() == self.size && !held.ended {
            held.idle.push(memory);
        } else {
            held.pieces -= 1;
        }
        held.trim(self.size, self.count);
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Frees idle memory that does not fit beside what waits.
    fn trim(&mut self, size: usize, count: usize) {
        let room = size.saturating_mul(count).saturating_sub(self.waiting);
        while self.pieces.saturating_mul(size) > room && self.idle.pop().is_some() {
            self.pieces -= 1;
        }
    }
}

impl Place {
    /// So many bytes that came out of the place's buffer wait for the network, until the place is dropped.
    pub(super) fn waits(&mut self, bytes: usize) {
        let mut held = self.ring.held();
        held.waiting = held.waiting + bytes - self.waiting;
        self.waiting = bytes;
        held.trim(self.ring.size, self.ring.count);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.ring.held().waiting -= self.waiting;
    }
}

impl Buffer {
    /// Holds the reservation until the buffer is encoded or dropped.
    pub(in crate::write) fn reserving(mut self, reserved: Reserved) -> Self {
        self.place.reserved = Some(reserved);
        self
    }

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

    /// Lends the bytes out as shared ones for the duration of a call, then gives the memory back to the ring. The
    /// place stays with the caller.
    pub(super) fn used<T>(self, read: impl FnOnce(&arrow::buffer::Buffer) -> T) -> (T, Place) {
        let Self {
            mut lent,
            length,
            place,
        } = self;
        let bytes = lent.memory.as_mut().map(|m| std::mem::take(&mut m.bytes));
        let whole = arrow::buffer::Buffer::from(bytes.unwrap_or_default());
        let held = whole.len();
        let result = read(&whole.slice_with_length(0, length.min(held)));
        match (whole.into_mutable(), lent.memory.as_mut()) {
            (Ok(bytes), Some(memory)) => memory.bytes = bytes,
            // Another owner still reads it, and frees it then; it is counted no more.
            _ => lent.ring.counters.unbuffered(held),
        }
        drop(lent);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(counters: &Arc<Counters>) -> Arc<Ring> {
        Ring::new(100, 2, counters.clone())
    }

    #[tokio::test]
    async fn two_places_and_memory_that_is_used_again() {
        let counters = Arc::new(Counters::default());
        let ring = ring(&counters);
        let mut first = ring.acquire(10).await;
        assert_eq!(first.as_mut_slice().as_ptr() as usize % 64, 0);
        assert_eq!((first.len(), first.as_mut_slice().len()), (10, 10));
        let second = ring.acquire(100).await;
        {
            let waiting = ring.acquire(1);
            tokio::pin!(waiting);
            assert!(futures::poll!(waiting.as_mut()).is_pending());
        }
        assert_eq!(counters.read().buffered_bytes, 200);
        first.as_mut_slice().fill(7);
        let at = first.as_mut_slice().as_ptr() as usize;
        let (sum, place) = first.used(|bytes| bytes.iter().map(|b| u32::from(*b)).sum::<u32>());
        assert_eq!(sum, 70);
        drop(place);
        let mut third = ring.acquire(50).await;
        assert_eq!(third.as_mut_slice().as_ptr() as usize, at);
        drop((second, third));
        ring.close();
        assert_eq!(counters.read().buffered_bytes, 0);
    }

    #[tokio::test]
    async fn larger_ones_have_memory_of_their_own() {
        let counters = Arc::new(Counters::default());
        let ring = ring(&counters);
        let mut large = ring.acquire(1000).await;
        assert_eq!(large.as_mut_slice().len(), 1000);
        drop(large);
        assert_eq!(counters.read().buffered_bytes, 0);
    }

    #[tokio::test]
    async fn what_waits_and_what_is_at_rest_fit_the_ring_together() {
        let counters = Arc::new(Counters::default());
        let ring = ring(&counters);
        let (first, second) = (ring.acquire(100).await, ring.acquire(100).await);
        let ((), mut place) = first.used(|_| ());
        assert_eq!(counters.read().buffered_bytes, 200);
        place.waits(60);
        // One piece of memory is in use, 60 bytes wait.
        assert_eq!(counters.read().buffered_bytes, 100);
        let ((), other) = second.used(|_| ());
        assert_eq!(counters.read().buffered_bytes, 100);
        drop((place, other));
        drop((ring.acquire(1).await, ring.acquire(1).await));
        assert_eq!(counters.read().buffered_bytes, 200);
    }

    #[tokio::test]
    async fn after_the_end_nothing_stays() {
        let counters = Arc::new(Counters::default());
        let ring = ring(&counters);
        let (late, later) = (ring.acquire(1).await, ring.acquire(1).await);
        drop(late);
        ring.close();
        assert_eq!(counters.read().buffered_bytes, 100);
        drop(later);
        assert_eq!(counters.read().buffered_bytes, 0);
    }
}
