//! The tokio runtime of this copy of the library: started for the first user, stopped with a bound after the last.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use doris_client::ErrorKind;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::guard::Failure;

/// How long the last user's close waits for the threads, which only blocking work (name resolution) can keep.
const STOP_BOUND: Duration = Duration::from_secs(1);

struct Shared {
    runtime: Option<Runtime>,
    leases: usize,
}

static SHARED: Mutex<Shared> = Mutex::new(Shared {
    runtime: None,
    leases: 0,
});
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// A share in the runtime. The runtime lives as long as one of these; dropping the last one stops it, which must not
/// happen on one of its own threads.
pub struct Lease {
    handle: Handle,
}

impl Lease {
    /// Takes a share; the first one starts the runtime with that many worker threads.
    pub fn new(worker_threads: usize) -> Result<Self, Failure> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let handle = match &shared.runtime {
            Some(runtime) => runtime.handle().clone(),
            None => {
                let runtime = start(worker_threads)?;
                let handle = runtime.handle().clone();
                shared.runtime = Some(runtime);
                handle
            }
        };
        shared.leases += 1;
        Ok(Self { handle })
    }

    /// The runtime itself.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Drives a future on the calling thread for at most the given time; `None` when that has passed.
    pub fn wait<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        self.handle
            .block_on(async { tokio::time::timeout(limit, future).await.ok() })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let stopped = {
            let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
            shared.leases = shared.leases.saturating_sub(1);
            if shared.leases == 0 {
                shared.runtime.take()
            } else {
                None
            }
        };
        // Outside the lock: a new user need not wait for the old threads.
        stop(stopped);
    }
}

/// Stops the runtime even if it is still shared. For unloading only.
pub fn shutdown() {
    let stopped = SHARED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .runtime
        .take();
    stop(stopped);
}

/// Threads of the runtime that are alive, blocking ones included.
pub fn threads() -> usize {
    THREADS.load(Relaxed)
}

fn start(worker_threads: usize) -> Result<Runtime, Failure> {
    Builder::new_multi_thread()
        .worker_threads(worker_threads.max(1))
        .thread_name("doris-native")
        .enable_all()
        .on_thread_start(|| {
            THREADS.fetch_add(1, Relaxed);
        })
        .on_thread_stop(|| {
            THREADS.fetch_sub(1, Relaxed);
        })
        .build()
        .map_err(|e| {
            let text = format!(
                "the native runtime with {worker_threads} worker threads (doris.native.worker-threads) did not start: {e}"
            );
            Failure::new(ErrorKind::Internal, text)
        })
}

fn stop(runtime: Option<Runtime>) {
    if let Some(runtime) = runtime {
        runtime.shutdown_timeout(STOP_BOUND);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_lives_as_long_as_a_lease_and_may_start_again() {
        for _ in 0..3 {
            let first = Lease::new(2).unwrap();
            let second = Lease::new(7).unwrap();
            assert_eq!(first.wait(Duration::from_secs(5), async { 3 }), Some(3));
            drop(first);
            assert_eq!(second.wait(Duration::ZERO, std::future::pending::<()>()), None);
            let task = second.handle().spawn(async { threads() });
            assert!(matches!(
                second.wait(Duration::from_secs(5), task),
                Some(Ok(1..=2))
            ));
            drop(second);
            assert_eq!(threads(), 0);
        }
    }
}
