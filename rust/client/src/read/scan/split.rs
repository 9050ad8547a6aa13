//! Reading one split: its query, its endpoints, its batches, and when it is begun again.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use arrow::datatypes::{DataType, Field, Schema};
use bytes::Bytes;
use doris_arrow::ipc::{IpcBatch, Layout, empty};
use doris_arrow::normalize::{ColumnSpec, Dictionaries, Normalizer};
use doris_arrow::types::{DorisType, FlinkKind, FlinkType};

use super::batch::ScanBatch;
use super::budget::{Budget, Permit};
use super::drain::{Rows, ServerTime, drain};
use super::queue::Queue;
use super::shared::Shared;
use crate::error::{Error, ErrorKind};
use crate::net::backoff::{Backoff, Pace};
use crate::read::columns::{self, Columns};
use crate::read::config::ReadConfig;
use crate::read::flight::{CLOSE_LIMIT, Fence, Flight};
use crate::read::query;
use crate::read::window::visible_wait::VisibleWait;

/// Rows of a batch without columns.
const COUNTED_ROWS: u64 = 65_536;

/// Reads split after split over one connection.
pub(super) struct SplitReader {
    shared: Arc<Shared>,
    flight: Flight,
    columns: Option<Columns>,
}

impl SplitReader {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: shared.clone(),
            flight: Flight::new(shared.config.clone()),
            columns: None,
        }
    }

    /// From now on no split is read over a connection that may not have seen what was committed before this instant,
    /// in milliseconds since 1970.
    pub(super) fn require_fence(&mut self, millis: i64) -> Result<(), Error> {
        let config = &self.shared.config;
        let Some(changes) = &config.changelog else {
            let message = "a split of a read that follows no changes has no fence";
            return Err(Error::new(ErrorKind::Config, message));
        };
        let wait = VisibleWait::new(changes.visible_wait, self.shared.queue.waits.clone());
        self.flight.require(Fence::new(config, millis, wait)?);
        Ok(())
    }

    /// Reads a split to its end. It is begun again only while none of its rows were handed out, for passing failures,
    /// at most `doris.request.retries` times: rows have no stable order, so what was handed out cannot be skipped.
    /// Whether its tablets still exist is looked up behind it unless the caller does so.
    pub(super) async fn read(&mut self, tablets: &[i64], looks_up: bool) -> Result<(), Error> {
        let config = &self.shared.config;
        let mut backoff = Backoff::new(Pace::READ, config.cluster.retries).at_least(config.query_timeout);
        loop {
            let error = match self.attempt(tablets, looks_up).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            match error.kind() {
                // The table may have changed, which the next split has to see.
                ErrorKind::Schema | ErrorKind::Data | ErrorKind::Query => self.columns = None,
                // The server may still be at it, and statements of one session wait for each other.
                ErrorKind::Timeout => self.flight.close(CLOSE_LIMIT).await,
                _ => {}
            }
            let Some(pause) = backoff.after(&error) else {
                return Err(self.given_up(error, tablets, &backoff));
            };
            if !self.shared.queue.rewind() {
                return Err(self.given_up(error, tablets, &backoff));
            }
            tracing::debug!(%error, "the split is begun again");
            tokio::time::sleep(pause).await;
        }
    }

    fn given_up(&self, error: Error, tablets: &[i64], backoff: &Backoff) -> Error {
        let table = &self.shared.config.table;
        let of = if tablets.is_empty() {
            format!("table {table}")
        } else {
            format!("tablets {tablets:?} of table {table}")
        };
        if !error.is_retryable() {
            return error.caused(format!("reading {of} failed"));
        }
        error.caused(if self.shared.queue.handed_out() {
            format!("reading {of} broke after rows were handed out: the split must be read again")
        } else {
            format!("reading {of} failed after {backoff}")
        })
    }

    async fn attempt(&mut self, tablets: &[i64], looks_up: bool) -> Result<(), Error> {
        let config = self.shared.config.clone();
        // Before the clock of the query starts: a fence has a limit of its own.
        self.flight.prepare().await?;
        let columns = match &self.columns {
            Some(columns) => columns.clone(),
            None => {
                let columns = columns::resolve(&mut self.flight, &config).await?;
                self.columns.insert(columns).clone()
            }
        };
        // The time spent waiting for the server is limited, not that spent waiting for Flink.
        let mut server_time = ServerTime::new("the rows of the split", config.query_timeout);
        let query = query::select(&config, &columns.found, &columns.filter, tablets);
        let answer = server_time
            .waiting(self.flight.query(&query, config.query_timeout))
            .await?;
        self.flight.take_warnings().into_iter().for_each(warn_once);
        let counted = columns.found.is_empty();
        let shared = self.shared.clone();
        let mut sink = Sink::new(&config, &columns, &shared);
        for endpoint in &answer.endpoints {
            let mut stream = server_time.waiting(self.flight.open(endpoint)).await?;
            if let Err(error) = drain(&mut sink, &shared.budget, &mut stream, &mut server_time).await {
                self.flight.forget(&stream.node);
                return Err(error);
            }
        }
        let empty = if counted {
            sink.counted == Some(0)
        } else {
            sink.rows == 0
        };
        if looks_up && (empty || tablets.len() > 1) {
            self.require(tablets, &columns).await?;
        }
        if counted {
            return sink.count_out(config.limit).await;
        }
        match answer.rows {
            Some(rows) if rows != sink.rows => Err(Error::new(
                ErrorKind::Transport,
                format!("{} rows came where the server announced {rows}", sink.rows),
            )
            .retryable()),
            _ => Ok(()),
        }
    }

    /// Fails when the table no longer has one of the tablets: Doris answers a query for a tablet that it does not
    /// know with no rows, as if the tablet were empty. A rewrite of the table (overwrite, replace, change of a
    /// column's type, truncate) gives it new tablets, and those that were planned before would be lost without a
    /// word.
    async fn require(&mut self, tablets: &[i64], columns: &Columns) -> Result<(), Error> {
        if tablets.is_empty() {
            return Ok(());
        }
        let config = &self.shared.config;
        let query = query::plan_query(config, &columns.found, "", columns.first());
        let present: HashSet<i64> = self
            .flight
            .frontends()?
            .tablets(&config.table, &query)
            .await?
            .iter()
            .map(|tablet| tablet.id)
            .collect();
        let gone: Vec<i64> = tablets
            .iter()
            .copied()
            .filter(|id| !present.contains(id))
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::NotFound,
            format!(
                "the table {} has no tablet {gone:?} any more: it was overwritten, replaced, altered or truncated after the read \
                 was planned; start the job anew, without its checkpoint",
                config.table
            ),
        ))
    }

    pub(super) async fn close(&mut self, limit: Duration) {
        self.flight.close(limit).await;
    }
}

/// Where the messages of a split's streams go.
struct Sink<'a> {
    config: &'a ReadConfig,
    specs: Vec<ColumnSpec>,
    counts: bool,
    budget: &'a Arc<Budget>,
    queue: &'a Queue,
    normalizer: Option<Normalizer>,
    rows: u64,
    counted: Option<u64>,
}

impl Rows for Sink<'_> {
    fn schema(&mut self, delivered: &Schema) -> Result<(), Error> {
        let mut specs = self.specs.clone();
        if let (true, Some(field)) = (self.counts, delivered.fields().first()) {
            specs[0].name.clone_from(field.name());
        }
        let normalizer = Normalizer::new(delivered, specs, self.config.local_zone).map_err(|e| {
            Error::new(
                ErrorKind::Schema,
                format!("the rows of {} cannot be read", self.config.table),
            )
            .with_source(Error::from(e))
        })?;
        self.normalizer = Some(normalizer);
        Ok(())
    }

    fn normalizer(&self) -> Option<&Normalizer> {
        self.normalizer.as_ref()
    }

    async fn batch(
        &mut self,
        header: Bytes,
        body: Bytes,
        dictionaries: &Dictionaries,
        mut permit: Permit,
    ) -> Result<(), Error> {
        let Some(normalizer) = &self.normalizer else {
            return Err(Error::new(ErrorKind::Internal, "rows come before their schema"));
        };
        let normalized = normalizer.apply(header, body, dictionaries)?;
        if self.counts {
            return self.count(&normalized.batch);
        }
        permit.resize(normalized.batch.size()).await;
        self.rows += normalized.batch.rows as u64;
        if normalized.batch.rows > 0 {
            let batch = ScanBatch {
                ipc: normalized.batch,
                _permit: permit,
            };
            self.queue.push(batch, normalized.identity).await;
        }
        Ok(())
    }
}

impl<'a> Sink<'a> {
    fn new(config: &'a ReadConfig, columns: &Columns, shared: &'a Shared) -> Self {
        let counts = columns.found.is_empty();
        let specs = if counts {
            vec![count_column()]
        } else {
            columns.specs.clone()
        };
        Self {
            config,
            specs,
            counts,
            budget: &shared.budget,
            queue: &shared.queue,
            normalizer: None,
            rows: 0,
            counted: None,
        }
    }

    /// Adds the numbers of a batch that holds the count.
    fn count(&mut self, batch: &IpcBatch) -> Result<(), Error> {
        let fields = vec![Field::new("count", DataType::Int64, true)].into();
        let layout = Layout::verify(&batch.header, &batch.body, &fields)?;
        // One column of numbers: validity and values.
        let values = &batch.body[layout.buffers[1].clone()];
        for value in values.chunks_exact(8).take(layout.rows) {
            let mut bytes = [0u8; 8];
            bytes.copy_from_slice(value);
            let count = u64::try_from(i64::from_le_bytes(bytes))
                .map_err(|_| Error::new(ErrorKind::Data, "the server counted less than no rows"))?;
            self.counted = Some(self.counted.unwrap_or(0) + count);
        }
        Ok(())
    }

    /// Hands out as many rows without columns as were counted, up to the limit.
    async fn count_out(&mut self, limit: Option<u64>) -> Result<(), Error> {
        let counted = self.counted.ok_or_else(|| {
            Error::new(ErrorKind::Transport, "the server gave no number for COUNT(*)").retryable()
        })?;
        let mut left = counted.min(limit.unwrap_or(u64::MAX));
        while left > 0 {
            let rows = left.min(COUNTED_ROWS);
            left -= rows;
            let ipc = empty(rows as usize);
            let mut permit = self.budget.reserve().await;
            permit.resize(ipc.size()).await;
            self.queue.push(ScanBatch { ipc, _permit: permit }, false).await;
        }
        Ok(())
    }
}

fn count_column() -> ColumnSpec {
    ColumnSpec {
        label: "COUNT(*)".to_owned(),
        name: String::new(),
        doris: DorisType::BigInt,
        flink: FlinkType {
            kind: FlinkKind::BigInt,
            nullable: false,
        },
    }
}

/// Logs what a user should know once per process, not once per session.
pub(super) fn warn_once(warning: String) {
    static TOLD: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    if TOLD
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(warning.clone())
    {
        tracing::warn!("{warning}");
    }
}
