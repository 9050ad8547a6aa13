//! The bytes that a reader may hold, and who holds them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::counters::HELD_BYTES;

/// Permits count units of this many bytes, so that large budgets fit their type.
const UNIT: u64 = 256;

/// The byte budget of one scan. A batch larger than all of it passes alone.
#[derive(Debug)]
pub(crate) struct Budget {
    permits: Arc<Semaphore>,
    units: u32,
    held: AtomicU64,
    most: AtomicU64,
}

/// Bytes that are held. They come back to the budget when this is dropped, whether or not the scan still lives.
pub(crate) struct Permit {
    budget: Arc<Budget>,
    bytes: u64,
    units: Option<OwnedSemaphorePermit>,
}

impl Budget {
    pub(crate) fn new(bytes: u64) -> Arc<Self> {
        let units = u32::try_from(bytes.div_ceil(UNIT))
            .unwrap_or(u32::MAX)
            .clamp(1, Semaphore::MAX_PERMITS as u32);
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(units as usize)),
            units,
            held: AtomicU64::new(0),
            most: AtomicU64::new(0),
        })
    }

    pub(crate) fn held(&self) -> u64 {
        self.held.load(Relaxed)
    }

    pub(crate) fn most(&self) -> u64 {
        self.most.load(Relaxed)
    }

    /// Waits until there is room at all, before a batch is requested whose size is not known yet. One scan has one
    /// such permit at a time, which is how the budget can be passed by one batch and no more.
    pub(crate) async fn reserve(self: &Arc<Self>) -> Permit {
        let mut permit = Permit {
            budget: self.clone(),
            bytes: 0,
            units: None,
        };
        permit.fit().await;
        permit
    }

    fn units(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(UNIT))
            .unwrap_or(u32::MAX)
            .clamp(1, self.units)
    }
}

impl Permit {
    /// Counts the bytes that are really held, waiting until they fit where there are more than before.
    pub(crate) async fn resize(&mut self, bytes: usize) {
        let bytes = bytes as u64;
        if bytes >= self.bytes {
            self.grow(bytes - self.bytes);
        } else {
            self.shrink(self.bytes - bytes);
        }
        self.fit().await;
    }

    async fn fit(&mut self) {
        let wanted = self.budget.units(self.bytes);
        let have = self.units.as_ref().map_or(0, |u| u.num_permits() as u32);
        if wanted < have {
            // Splitting off and dropping gives back.
            drop(
                self.units
                    .as_mut()
                    .and_then(|u| u.split((have - wanted) as usize)),
            );
        } else if wanted > have {
            // The semaphore is never closed.
            if let Ok(more) = self
                .budget
                .permits
                .clone()
                .acquire_many_owned(wanted - have)
                .await
            {
                match &mut self.units {
                    Some(units) => units.merge(more),
                    None => self.units = Some(more),
                }
            }
        }
    }

    fn grow(&mut self, bytes: u64) {
        self.bytes += bytes;
        let held = self.budget.held.fetch_add(bytes, Relaxed) + bytes;
        self.budget.most.fetch_max(held, Relaxed);
        HELD_BYTES.fetch_add(bytes as i64, Relaxed);
    }

    fn shrink(&mut self, bytes: u64) {
        self.bytes -= bytes;
        self.budget.held.fetch_sub(bytes, Relaxed);
        HELD_BYTES.fetch_sub(bytes as i64, Relaxed);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.shrink(self.bytes);
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Permit({} bytes)", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waits_at_the_limit_and_lets_one_large_batch_pass() {
        let budget = Budget::new(10 * UNIT);
        let mut large = budget.reserve().await;
        assert_eq!(budget.held(), 0);
        large.resize(100 * UNIT as usize).await;
        assert_eq!((budget.held(), budget.most()), (100 * UNIT, 100 * UNIT));
        {
            let waiting = budget.reserve();
            tokio::pin!(waiting);
            assert!(futures::poll!(waiting.as_mut()).is_pending());
        }
        drop(large);
        let mut first = budget.reserve().await;
        first.resize(4 * UNIT as usize).await;
        let mut second = budget.reserve().await;
        {
            // What waits is counted: it has arrived.
            let waiting = second.resize(7 * UNIT as usize);
            tokio::pin!(waiting);
            assert!(futures::poll!(waiting.as_mut()).is_pending());
            assert_eq!(budget.held(), 11 * UNIT);
        }
        second.resize(6 * UNIT as usize).await;
        first.resize(UNIT as usize).await;
        let mut third = budget.reserve().await;
        third.resize(3 * UNIT as usize).await;
        assert_eq!(budget.held(), 10 * UNIT);
        drop((first, second, third));
        assert_eq!(budget.held(), 0);
        assert_eq!(budget.permits.available_permits(), 10);
    }
}
