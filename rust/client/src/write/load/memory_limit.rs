//! Bytes that are counted against a limit for as long as they are held.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use tokio::sync::Notify;

/// What all loads of a sink hold, and what they may.
#[derive(Debug)]
pub(in crate::write) struct MemoryLimit {
    limit: u64,
    held: AtomicU64,
    /// Told whenever something changes that a waiting caller may look at.
    changed: Notify,
}

/// Bytes of a [`MemoryLimit`]: exactly these are given back when it is dropped.
#[derive(Debug)]
pub(in crate::write) struct Reserved {
    memory: Arc<MemoryLimit>,
    bytes: u64,
}

impl MemoryLimit {
    pub(in crate::write) fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self {
            limit,
            held: AtomicU64::new(0),
            changed: Notify::new(),
        })
    }

    pub(in crate::write) fn limit(&self) -> u64 {
        self.limit
    }

    pub(in crate::write) fn held(&self) -> u64 {
        self.held.load(SeqCst)
    }

    /// So many bytes if they fit. What is larger than the whole limit gets in when nothing else is held.
    pub(in crate::write) fn try_reserve(self: &Arc<Self>, bytes: u64) -> Option<Reserved> {
        let fits = |held: u64| {
            let sum = held.checked_add(bytes)?;
            (held == 0 || sum <= self.limit).then_some(sum)
        };
        self.held.fetch_update(SeqCst, SeqCst, fits).ok()?;
        Some(Reserved {
            memory: self.clone(),
            bytes,
        })
    }

    /// A count of bytes that are held whatever the limit is; none so far.
    pub(in crate::write) fn count(self: &Arc<Self>) -> Reserved {
        Reserved {
            memory: self.clone(),
            bytes: 0,
        }
    }

    /// Wakes those who wait for a change.
    pub(in crate::write) fn tell(&self) {
        self.changed.notify_waiters();
    }

    /// Waits until the look gives something: looks now and after each change.
    pub(in crate::write) async fn until<T>(&self, mut look: impl FnMut() -> Option<T>) -> T {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // Before the look, so that no change is missed.
            changed.as_mut().enable();
            if let Some(found) = look() {
                return found;
            }
            changed.await;
        }
    }
}

impl Reserved {
    pub(in crate::write) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Holds so many bytes from now on.
    pub(in crate::write) fn set(&mut self, bytes: u64) {
        if bytes >= self.bytes {
            self.memory.held.fetch_add(bytes - self.bytes, SeqCst);
        } else {
            self.memory.held.fetch_sub(self.bytes - bytes, SeqCst);
            self.memory.tell();
        }
        self.bytes = bytes;
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_larger_than_the_limit_gets_in_alone() {
        let memory = MemoryLimit::new(100);
        let large = memory.try_reserve(1000).unwrap();
        assert!(memory.try_reserve(1).is_none());
        drop(large);
        let small = memory.try_reserve(1).unwrap();
        assert!(memory.try_reserve(100).is_none());
        let other = memory.try_reserve(99).unwrap();
        assert_eq!(memory.held(), 100);
        drop((small, other));
        assert_eq!(memory.held(), 0);
    }

    #[tokio::test]
    async fn a_release_wakes_who_waits() {
        let memory = MemoryLimit::new(10);
        let all = memory.try_reserve(10).unwrap();
        let mut waiting = std::pin::pin!(memory.until(|| memory.try_reserve(5)));
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        drop(all);
        assert_eq!(waiting.await.bytes(), 5);
        assert_eq!(memory.held(), 0);
    }

    proptest! {
        /// Whatever comes in which order: what is held is the sum of what is there, and nothing in the end.
        #[test]
        fn exactly_what_was_taken_is_given_back(steps in prop::collection::vec((0u8..4, 0u64..150), 0..200)) {
            let memory = MemoryLimit::new(300);
            let mut there: Vec<Reserved> = Vec::new();
            for (step, bytes) in steps {
                match step {
                    0 => {
                        let before = memory.held();
                        let taken = memory.try_reserve(bytes);
                        prop_assert_eq!(taken.is_some(), before == 0 || before + bytes <= 300);
                        there.extend(taken);
                    }
                    1 => there.push(memory.count()),
                    2 => if let Some(one) = there.last_mut() { one.set(bytes) },
                    _ => if !there.is_empty() { there.swap_remove(bytes as usize % there.len()); },
                }
                prop_assert_eq!(memory.held(), there.iter().map(Reserved::bytes).sum::<u64>());
            }
            there.clear();
            prop_assert_eq!(memory.held(), 0);
        }
    }
}
