//! A sink: what the loads, checks and transactions of one Flink subtask share.

use std::sync::Arc;

use crate::error::Error;
use crate::fe::Frontends;
use crate::write::backends::Backends;
use crate::write::batch::Streams;
use crate::write::config::WriteConfig;
use crate::write::load::compress::Compressor;
use crate::write::load::replay::ReplayBudget;
use crate::write::metrics::{Counters, SinkMetrics};
use crate::write::table_check::tables::Tables;

/// One per writer or committer; clones share it. Holds no connection, task or buffer by itself.
#[derive(Clone, Debug)]
pub struct Sink {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: Arc<WriteConfig>,
    frontends: Frontends,
    backends: Backends,
    tables: Tables,
    compressor: Arc<Compressor>,
    budget: Arc<ReplayBudget>,
    streams: Option<Arc<Streams>>,
    counters: Arc<Counters>,
}

impl Sink {
    /// Makes a sink. No I/O, no task.
    pub fn new(config: Arc<WriteConfig>) -> Result<Self, Error> {
        let counters = Arc::new(Counters::default());
        let frontends = Frontends::without_pool(config.cluster.clone())?;
        // In batch mode the loads are bounded by themselves, and each can be sent again.
        let kept = if config.batch.is_some() {
            None
        } else {
            config.replay_limit
        };
        Ok(Self {
            inner: Arc::new(Inner {
                backends: Backends::new(config.clone(), frontends.clone()),
                frontends,
                tables: Tables::default(),
                compressor: Arc::new(Compressor::new(
                    config.properties.compress_type,
                    config.compress_level,
                )?),
                budget: ReplayBudget::new(kept, counters.clone()),
                streams: Streams::new(&config, &counters),
                counters,
                config,
            }),
        })
    }

    /// What the sink has done and holds at this moment.
    pub fn metrics(&self) -> SinkMetrics {
        self.inner.counters.read()
    }

    pub(crate) fn config(&self) -> &Arc<WriteConfig> {
        &self.inner.config
    }

    pub(crate) fn frontends(&self) -> &Frontends {
        &self.inner.frontends
    }

    pub(crate) fn backends(&self) -> &Backends {
        &self.inner.backends
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.inner.tables
    }

    pub(crate) fn compressor(&self) -> &Arc<Compressor> {
        &self.inner.compressor
    }

    pub(crate) fn budget(&self) -> &Arc<ReplayBudget> {
        &self.inner.budget
    }

    pub(crate) fn streams(&self) -> Option<&Arc<Streams>> {
        self.inner.streams.as_ref()
    }

    pub(crate) fn counters(&self) -> &Arc<Counters> {
        &self.inner.counters
    }
}
