//! What a load has produced for its body: chunks that wait for the connection, and chunks that are kept for sending
//! again.
//!
//! Everything that was produced is kept while it fits the budget of the sink. Once it does not, what was sent is let
//! go and the load cannot begin again: all or nothing, since a body is sent again from its first byte only.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use super::ring::Place;
use crate::write::metrics::Counters;

/// The bytes that all loads of a sink may keep.
#[derive(Debug)]
pub(crate) struct ReplayBudget {
    /// `None`: no limit.
    limit: Option<u64>,
    used: AtomicU64,
    counters: Arc<Counters>,
}

impl ReplayBudget {
    pub(crate) fn new(limit: Option<u64>, counters: Arc<Counters>) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicU64::new(0),
            counters,
        })
    }

    fn is_off(&self) -> bool {
        self.limit == Some(0)
    }

    fn take(&self, bytes: usize) -> bool {
        let bytes = bytes as u64;
        let fits = |used: u64| {
            let sum = used.checked_add(bytes)?;
            self.limit.is_none_or(|limit| sum <= limit).then_some(sum)
        };
        let taken = self.used.fetch_update(Relaxed, Relaxed, fits).is_ok();
        if taken {
            self.counters.kept(bytes as usize);
        }
        taken
    }

    fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes as u64, Relaxed);
        self.counters.let_go(bytes);
    }
}

/// The chunks of one load. One side pushes, the body of the current attempt takes.
pub(in crate::write) struct ChunkLog {
    inner: Mutex<Inner>,
    budget: Arc<ReplayBudget>,
}

struct Inner {
    /// Whether all chunks from the first one on are here and stay.
    keeping: bool,
    /// Number of the first chunk that is here.
    first: usize,
    chunks: VecDeque<Chunk>,
    /// Number of the chunk that the body takes next.
    next: usize,
    /// Which body may take; older ones belong to attempts that are over.
    reader: u64,
    end: End,
    waker: Option<Waker>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Open,
    Finished,
    Broken,
}

/// Bytes, counted as kept or as waiting.
struct Chunk {
    bytes: Bytes,
    kept: bool,
    budget: Arc<ReplayBudget>,
    /// The place in the ring that the rows came from: free when the network has taken them.
    place: Option<Place>,
}

impl Chunk {
    /// Counts the bytes as waiting, no longer as kept.
    fn let_go(&mut self) {
        if std::mem::take(&mut self.kept) {
            self.budget.give(self.bytes.len());
            if let Some(place) = &mut self.place {
                place.waits(self.bytes.len());
            }
            self.budget.counters.buffered(self.bytes.len());
        }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if self.kept {
            self.budget.give(self.bytes.len());
        } else {
            self.budget.counters.unbuffered(self.bytes.len());
        }
    }
}

/// The body cannot continue: its rows did not come to an end, or its attempt is over.
#[derive(Debug)]
pub(super) struct Truncated;

impl fmt::Display for Truncated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the rows of the load did not come to their end")
    }
}

impl std::error::Error for Truncated {}

impl ChunkLog {
    pub(in crate::write) fn new(budget: Arc<ReplayBudget>) -> Arc<Self> {
        Arc::new(Self {
            inner: Mutex::new(Inner {
                keeping: !budget.is_off(),
                first: 0,
                chunks: VecDeque::new(),
                next: 0,
                reader: 0,
                end: End::Open,
                waker: None,
            }),
            budget,
        })
    }

    /// Appends a chunk. Never waits: the places in the ring bound what can be here unsent.
    fn push(&self, bytes: Bytes, mut place: Option<Place>) {
        let mut inner = self.lock();
        let kept = inner.keeping && self.budget.take(bytes.len());
        if !kept {
            if inner.keeping {
                inner.stop_keeping();
            }
            if let Some(place) = &mut place {
                place.waits(bytes.len());
            }
            self.budget.counters.buffered(bytes.len());
        }
        inner.chunks.push_back(Chunk {
            bytes,
            kept,
            budget: self.budget.clone(),
            place,
        });
        inner.wake();
    }

    fn end(&self, end: End) {
        let mut inner = self.lock();
        if inner.end == End::Open {
            inner.end = end;
            inner.wake();
        }
    }

    /// The next chunk for the body of an attempt; `None` when all were taken and the rows came to their end.
    pub(super) fn poll_take(
        &self,
        reader: u64,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Truncated>>> {
        let mut inner = self.lock();
        if inner.reader != reader {
            return Poll::Ready(Some(Err(Truncated)));
        }
        let at = inner.next - inner.first;
        if let Some(chunk) = inner.chunks.get_mut(at) {
            let bytes = chunk.bytes.clone();
            chunk.place = None;
            inner.next += 1;
            if !inner.keeping {
                inner.drop_taken();
            }
            return Poll::Ready(Some(Ok(bytes)));
        }
        match inner.end {
            End::Finished => Poll::Ready(None),
            End::Broken => Poll::Ready(Some(Err(Truncated))),
            End::Open => {
                inner.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Begins again from the first chunk for a new attempt, whose number this gives; `None` when what was taken is
    /// gone.
    pub(super) fn rewind(&self) -> Option<u64> {
        let mut inner = self.lock();
        // The body of the attempt before must not take any more.
        inner.reader += 1;
        if inner.first > 0 {
            return None;
        }
        inner.next = 0;
        Some(inner.reader)
    }

    /// Whether all that was produced is here.
    pub(super) fn is_whole(&self) -> bool {
        self.lock().first == 0
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn stop_keeping(&mut self) {
        self.keeping = false;
        self.drop_taken();
        for chunk in &mut self.chunks {
            chunk.let_go();
        }
    }

    fn drop_taken(&mut self) {
        self.chunks.drain(..self.next - self.first);
        self.first = self.next;
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl fmt::Debug for ChunkLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = self.lock();
        write!(
            f,
            "ChunkLog(from {}, {} here, {:?})",
            inner.first,
            inner.chunks.len(),
            inner.end
        )
    }
}

/// The side that pushes. Dropped without [`finish`](Self::finish), it makes the body fail: half a load must never
/// look like a whole one.
#[derive(Debug)]
pub(in crate::write) struct Producer(Arc<ChunkLog>);

impl Producer {
    pub(in crate::write) fn new(log: Arc<ChunkLog>) -> Self {
        Self(log)
    }

    pub(in crate::write) fn push(&self, bytes: Bytes, place: Option<Place>) {
        self.0.push(bytes, place);
    }

    /// All rows were pushed.
    pub(in crate::write) fn finish(self) {
        self.0.end(End::Finished);
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.0.end(End::Broken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(limit: Option<u64>) -> (Arc<ChunkLog>, Producer, Arc<Counters>) {
        let counters = Arc::new(Counters::default());
        let log = ChunkLog::new(ReplayBudget::new(limit, counters.clone()));
        (log.clone(), Producer::new(log), counters)
    }

    fn take(log: &ChunkLog, reader: u64) -> Option<String> {
        let mut context = Context::from_waker(Waker::noop());
        match log.poll_take(reader, &mut context) {
            Poll::Ready(Some(Ok(bytes))) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Poll::Ready(None) => Some("end".to_owned()),
            Poll::Ready(Some(Err(_))) => Some("broken".to_owned()),
            Poll::Pending => None,
        }
    }

    #[test]
    fn what_fits_is_sent_again_from_the_start() {
        let (log, producer, counters) = log(Some(10));
        let first = log.rewind().unwrap();
        producer.push(Bytes::from_static(b"abc"), None);
        assert_eq!(take(&log, first).as_deref(), Some("abc"));
        assert_eq!(take(&log, first), None);
        producer.push(Bytes::from_static(b"def"), None);
        let second = log.rewind().unwrap();
        assert_eq!(take(&log, first).as_deref(), Some("broken"));
        assert_eq!(take(&log, second).as_deref(), Some("abc"));
        producer.finish();
        assert_eq!(take(&log, second).as_deref(), Some("def"));
        assert_eq!(take(&log, second).as_deref(), Some("end"));
        let read = counters.read();
        assert_eq!((read.kept_bytes, read.buffered_bytes, read.max_bytes), (6, 0, 6));
        drop(log);
        assert_eq!(counters.read().kept_bytes, 0);
    }

    #[test]
    fn what_outgrows_the_budget_is_let_go_once_sent() {
        let (log, producer, counters) = log(Some(5));
        let reader = log.rewind().unwrap();
        producer.push(Bytes::from_static(b"abc"), None);
        producer.push(Bytes::from_static(b"defg"), None);
        // Nothing was sent yet, so all is here.
        let read = counters.read();
        assert_eq!((read.kept_bytes, read.buffered_bytes), (0, 7));
        let reader = log.rewind().map_or(reader, |r| r);
        assert_eq!(take(&log, reader).as_deref(), Some("abc"));
        assert_eq!(log.rewind(), None);
        assert_eq!(counters.read().buffered_bytes, 4);
    }

    #[test]
    fn switched_off_nothing_stays() {
        let (log, producer, counters) = log(Some(0));
        let reader = log.rewind().unwrap();
        producer.push(Bytes::from_static(b"abc"), None);
        assert_eq!(take(&log, reader).as_deref(), Some("abc"));
        assert_eq!(log.rewind(), None);
        assert_eq!(counters.read().max_bytes, 3);
        assert_eq!(counters.read().buffered_bytes, 0);
    }

    #[test]
    fn rows_that_stop_coming_break_the_body() {
        let (log, producer, _) = log(None);
        let reader = log.rewind().unwrap();
        drop(producer);
        assert_eq!(take(&log, reader).as_deref(), Some("broken"));
    }
}
