//! Work that outlives the request that began it, with an owner that ends it.

use std::sync::Mutex;

use tokio::task::JoinSet;

use crate::cluster::lock;

/// Tasks of one owner. Dropping it ends them at their next pause.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    running: Mutex<JoinSet<()>>,
}

impl Tasks {
    /// Starts a task. The caller is inside a runtime.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut running = lock(&self.running);
        while running.try_join_next().is_some() {}
        running.spawn(work);
    }

    /// Ends all tasks and waits for their end.
    pub(crate) async fn end(&self) {
        let mut running = std::mem::take(&mut *lock(&self.running));
        running.shutdown().await;
    }
}
