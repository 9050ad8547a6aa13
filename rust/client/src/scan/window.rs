//! Reading one window of changes: its query, its rows, and where it goes on when it broke.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use arrow_schema::Schema;
use bytes::Bytes;
use doris_arrow::normalize::{ColumnSpec, Dictionaries, Normalizer};
use doris_arrow::schema::{DorisColumn, Found, find_path};
use doris_arrow::types::natural_type;

use super::budget::Permit;
use super::drain::{Patience, Rows, drain};
use super::split::warn_once;
use super::{CLOSE_LIMIT, ScanBatch, Shared};
use crate::columns::{self, Columns};
use crate::config::{ChangelogConfig, ReadConfig};
use crate::error::{Error, ErrorKind};
use crate::flight::{Flight, SessionZone, text_cell};
use crate::retry::Retry;
use crate::sql::alias;
use crate::window::batch::{ChangeReader, Hashed, Shape};
use crate::window::position::{Mismatch, Progress, Replay, Resume};
use crate::window::sql::{Hidden, Selected};
use crate::window::visible_wait::VisibleWait;
use crate::window::{Slice, WindowSpec, sql};

/// Reads window after window over one connection, in UTC.
pub(super) struct WindowReader {
    shared: Arc<Shared>,
    flight: Flight,
    /// The hidden columns of the table, once they are known.
    hidden: Option<Hidden>,
}

/// Why a query of a window did not end well.
enum Broken {
    /// The rows before the position are not those of before; nothing was handed out.
    Mismatch(Mismatch),
    Error(Error),
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The table as a window sees it: read again for each, since columns may be added and dropped between two.
struct Target {
    columns: Columns,
    shape: Shape,
    extra: Vec<Found>,
    order: Vec<DorisColumn>,
    keys: Vec<String>,
}

impl WindowReader {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: shared.clone(),
            flight: Flight::in_zone(shared.config.clone(), SessionZone::Utc),
            hidden: None,
        }
    }

    /// Reads a window to its end. A query that the server did not answer because it waited for transactions is sent again, for
    /// `source.changelog.visible-wait-timeout`; after a passing failure the window goes on behind its last row, at most
    /// `doris.request.retries` times; all else fails at once.
    pub(super) async fn read(&mut self, window: &WindowSpec) -> Result<(), Error> {
        let shared = self.shared.clone();
        let changes =
            shared.config.changelog.as_ref().ok_or_else(|| {
                Error::new(ErrorKind::Internal, "a window of a read that follows no changes")
            })?;
        let mut retry = Retry::new(shared.config.cluster.retries);
        let mut wait = VisibleWait::new(changes.visible_wait, shared.queue.waits.clone());
        let mut resume = window.resume();
        let mut progress = Progress::default();
        if let Some(Resume {
            exact: false,
            position,
        }) = resume
        {
            self.repeats(window, position.tso, "the columns of the read have changed since");
        }
        let mut target = None;
        loop {
            let attempt = self.attempt(window, changes, &mut target, resume, &mut progress, &mut wait);
            let error = match attempt.await {
                Ok(()) => return Ok(()),
                Err(Broken::Mismatch(found)) => {
                    if let Some(resume) = &mut resume {
                        let why = format!(
                            "{} rows with hash sum {} come before it where {} with {} were handed out",
                            found.rows, found.hash_sum, resume.position.rows_of_tso, resume.position.hash_sum
                        );
                        self.repeats(window, resume.position.tso, &why);
                        resume.exact = false;
                    }
                    progress = Progress::default();
                    continue;
                }
                Err(Broken::Error(error)) => error,
            };
            if let Some(position) = progress.position() {
                resume = Some(Resume {
                    position,
                    exact: true,
                });
            }
            let pause = if error.kind() == ErrorKind::VisibleWait {
                match wait.refused() {
                    Some(pause) => pause,
                    None => return Err(wait.ran_out(&self.what(window), error)),
                }
            } else {
                match retry.next(&error) {
                    Some(pause) => {
                        shared.queue.retries.fetch_add(1, Relaxed);
                        // The server may still be at it, and statements of one session wait for each other.
                        self.flight.close(CLOSE_LIMIT).await;
                        pause
                    }
                    None => return Err(self.given_up(window, error, &retry)),
                }
            };
            tracing::debug!(%error, ?pause, "the window is asked for again");
            tokio::time::sleep(pause).await;
        }
    }

    fn what(&self, window: &WindowSpec) -> String {
        format!("reading the changes of {} in {window}", self.shared.config.table)
    }

    fn repeats(&self, window: &WindowSpec, tso: i64, why: &str) {
        self.shared.queue.mismatches.fetch_add(1, Relaxed);
        tracing::warn!(
            "{}: the rows before the position at TSO {tso} cannot be told from those that were handed out ({why}); \
             all rows of this TSO come again, none is left out",
            self.what(window)
        );
    }

    fn given_up(&self, window: &WindowSpec, error: Error, retry: &Retry) -> Error {
        let what = self.what(window);
        let kind = error.kind();
        let retryable = error.is_retryable();
        let message = match kind {
            ErrorKind::Expired => format!(
                "{what} failed: changes at its start, {} UTC, are no longer retained (changelog.ttl_seconds of the table). The \
                 missing range cannot be rebuilt from an old position. To align with the table again, start with \
                 source.scan.mode = 'initial', without the old checkpoint or savepoint, and either with a \
                 source.changelog.consumer-id that has no row yet or without source.changelog.offset-table and \
                 source.changelog.consumer-id; 'latest' or a newer 'from-timestamp' only skip the gap",
                window.start_text
            ),
            _ if retryable => format!("{what} failed after {} attempts", retry.attempts()),
            _ => format!("{what} failed"),
        };
        let told = Error::new(kind, message).with_source(error);
        if retryable { told.retryable() } else { told }
    }

    async fn attempt(
        &mut self,
        window: &WindowSpec,
        changes: &ChangelogConfig,
        target: &mut Option<Target>,
        resume: Option<Resume>,
        progress: &mut Progress,
        wait: &mut VisibleWait,
    ) -> Result<(), Broken> {
        let config = self.shared.config.clone();
        let limit = self.flight.change_limit().await?;
        let target = match target {
            Some(target) => target,
            none => none.insert(self.look(window, changes, limit).await?),
        };
        let partition = match window.slice {
            Slice::Partition { id } => Some(self.partition(id).await?),
            _ => None,
        };
        let query = sql::window(
            &config.table,
            window,
            changes.increment_type,
            &target.selected(),
            partition.as_deref(),
        );
        let answer = self.flight.query(&query, limit).await?;
        wait.answered();
        self.flight.take_warnings().into_iter().for_each(warn_once);
        // The time spent waiting for the server is limited, not that spent waiting for Flink.
        let mut patience = Patience::new("the rows of the window", config.query_timeout);
        let shared = self.shared.clone();
        let mut rows = Changes {
            config: &config,
            shared: &shared,
            window,
            shape: &target.shape,
            reader: None,
            last: None,
            replay: Replay::new(resume),
            counted: 0,
            progress,
            received: 0,
            mismatch: None,
        };
        for endpoint in &answer.endpoints {
            let mut stream = patience.waiting(self.flight.open(endpoint)).await?;
            let drained = drain(&mut rows, &shared.budget, &mut stream, &mut patience).await;
            rows.count_dropped();
            if let Some(mismatch) = rows.mismatch {
                return Err(Broken::Mismatch(mismatch));
            }
            if let Err(error) = drained {
                self.flight.forget(&stream.node);
                return Err(error.into());
            }
        }
        if let Some(announced) = answer.rows
            && announced != rows.received
        {
            let message = format!(
                "{} rows came where the server announced {announced}",
                rows.received
            );
            return Err(Error::new(ErrorKind::Transport, message).retryable().into());
        }
        rows.replay.finish().map_err(Broken::Mismatch)?;
        // Another partition may have got the name since it was looked up.
        if let (Slice::Partition { id }, Some(name)) = (window.slice, partition)
            && self.partition(id).await? != name
        {
            let message = format!("partition {id} was renamed from '{name}' while it was read");
            return Err(Error::new(ErrorKind::PartitionGone, message).into());
        }
        Ok(())
    }

    /// The table, its columns and its hidden ones.
    async fn look(
        &mut self,
        window: &WindowSpec,
        changes: &ChangelogConfig,
        limit: Duration,
    ) -> Result<Target, Error> {
        let config = self.shared.config.clone();
        let columns = columns::resolve(&mut self.flight, &config).await?;
        let unique = match columns.unique {
            Some(unique) => unique,
            None => self.is_unique(&config).await?,
        };
        let hidden = match &self.hidden {
            Some(hidden) => hidden.clone(),
            None => {
                let hidden = self.probe(&config, window, changes, limit).await?;
                self.hidden.insert(hidden).clone()
            }
        };
        let target = Target::new(columns, unique, hidden)?;
        if let Slice::Hash { count, .. } = window.slice
            && count > 1
            && target.keys.is_empty()
        {
            let message = format!(
                "{} has no key columns, by which source.changelog.slices could cut it: use 1 or partitions",
                config.table
            );
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        Ok(target)
    }

    /// The names of the hidden columns: a server knows one of two families.
    async fn probe(
        &mut self,
        config: &ReadConfig,
        window: &WindowSpec,
        changes: &ChangelogConfig,
        limit: Duration,
    ) -> Result<Hidden, Error> {
        let mut refusals: Vec<Error> = Vec::new();
        for hidden in Hidden::families() {
            let query = sql::probe(&config.table, window, changes.increment_type, &hidden);
            match self.flight.fetch_once(&query, limit).await {
                Ok(_) => return Ok(hidden),
                Err(error) if error.kind() == ErrorKind::Query && !error.is_retryable() => {
                    refusals.push(error)
                }
                Err(error) => return Err(error),
            }
        }
        let told: Vec<String> = refusals.iter().map(ToString::to_string).collect();
        let message = format!(
            "the server does not show the changes of {} with their hidden columns: {}",
            config.table,
            told.join("; ")
        );
        Err(Error::new(ErrorKind::Query, message))
    }

    /// The model of the table, where the list of its columns does not tell it.
    async fn is_unique(&mut self, config: &ReadConfig) -> Result<bool, Error> {
        let schema = self.flight.frontends()?.schema(&config.table).await?;
        let keys = schema.get("keysType").and_then(|keys| keys.as_str());
        keys.map(|keys| keys.to_ascii_uppercase().starts_with("UNIQUE"))
            .ok_or_else(|| {
                let message = format!("the server does not tell the model of {}", config.table);
                Error::new(ErrorKind::Query, message)
            })
    }

    /// The name that a partition has now.
    async fn partition(&mut self, id: i64) -> Result<String, Error> {
        let listing = self
            .flight
            .kept(&sql::partitions(&self.shared.config.table))
            .await?;
        for batch in &listing {
            let column = |wanted: &str| {
                let schema = batch.schema();
                let place = schema
                    .fields()
                    .iter()
                    .position(|field| field.name().eq_ignore_ascii_case(wanted));
                place.ok_or_else(|| {
                    let message = format!("the listing of partitions has no column {wanted}");
                    Error::new(ErrorKind::Query, message)
                })
            };
            let (ids, names) = (column("PartitionId")?, column("PartitionName")?);
            for row in 0..batch.num_rows() {
                if text_cell(batch, ids, row).is_some_and(|text| text.trim() == id.to_string()) {
                    return text_cell(batch, names, row).ok_or_else(|| {
                        Error::new(
                            ErrorKind::Query,
                            format!("partition {id} is listed without a name"),
                        )
                    });
                }
            }
        }
        Err(Error::new(
            ErrorKind::PartitionGone,
            format!(
                "{} has no partition {id}, as this front end lists them",
                self.shared.config.table
            ),
        ))
    }

    pub(super) async fn close(&mut self, limit: Duration) {
        self.flight.close(limit).await;
    }
}

impl Target {
    fn new(columns: Columns, unique: bool, hidden: Hidden) -> Result<Self, Error> {
        let keys: Vec<DorisColumn> = columns.table.iter().filter(|c| c.key).cloned().collect();
        let mut extra = Vec::new();
        let mut extra_specs = Vec::new();
        let mut hashed = Vec::new();
        let order = if unique {
            for key in &keys {
                match columns
                    .found
                    .iter()
                    .position(|f| f.path.len() == 1 && f.path[0] == key.name)
                {
                    Some(wanted) => hashed.push(Hashed::Wanted(wanted)),
                    None => {
                        hashed.push(Hashed::Extra(extra.len()));
                        let (found, spec) = as_it_is(key)?;
                        extra.push(found);
                        extra_specs.push(spec);
                    }
                }
            }
            keys.clone()
        } else {
            hashed.extend((0..columns.found.len()).map(Hashed::Wanted));
            // Rows that do not differ in a wanted column may change places.
            let wanted = |column: &&DorisColumn| columns.found.iter().any(|f| f.path[0] == column.name);
            columns.table.iter().filter(wanted).cloned().collect()
        };
        Ok(Self {
            shape: Shape {
                wanted: columns.specs.clone(),
                hidden,
                extra: extra_specs,
                hashed,
            },
            columns,
            extra,
            order,
            keys: keys.into_iter().map(|key| key.name).collect(),
        })
    }

    fn selected(&self) -> Selected<'_> {
        Selected {
            hidden: &self.shape.hidden,
            wanted: &self.columns.found,
            extra: &self.extra,
            order: &self.order,
            keys: &self.keys,
            filter: &self.columns.filter,
        }
    }
}

/// A key column that nobody wants, read for its hash.
fn as_it_is(key: &DorisColumn) -> Result<(Found, ColumnSpec), Error> {
    let unreadable = |why: String| Error::new(ErrorKind::Schema, format!("key column '{}': {why}", key.name));
    let flink =
        natural_type(&key.r#type).ok_or_else(|| unreadable(format!("{} cannot be read", key.r#type)))?;
    let table = std::slice::from_ref(key);
    let found = find_path(std::slice::from_ref(&key.name), &flink, table).map_err(unreadable)?;
    let spec = ColumnSpec {
        label: key.name.clone(),
        name: alias(&found),
        doris: found.r#type.clone(),
        flink,
    };
    Ok((found, spec))
}

/// Where the rows of a window's streams go.
struct Changes<'a> {
    config: &'a ReadConfig,
    shared: &'a Shared,
    window: &'a WindowSpec,
    shape: &'a Shape,
    reader: Option<ChangeReader>,
    /// The row before, over all streams of the query.
    last: Option<(i64, i64, i8)>,
    replay: Replay,
    /// Dropped rows that are in the figures already.
    counted: u64,
    progress: &'a mut Progress,
    received: u64,
    mismatch: Option<Mismatch>,
}

impl Changes<'_> {
    fn count_dropped(&mut self) {
        let dropped = self.replay.dropped();
        self.shared
            .queue
            .dropped_rows
            .fetch_add(dropped - self.counted, Relaxed);
        self.counted = dropped;
    }
}

impl Rows for Changes<'_> {
    fn schema(&mut self, delivered: &Schema) -> Result<(), Error> {
        self.reader = Some(ChangeReader::new(self.shape, delivered, self.config.local_zone)?);
        Ok(())
    }

    fn normalizer(&self) -> Option<&Normalizer> {
        self.reader.as_ref().map(ChangeReader::normalizer)
    }

    async fn batch(
        &mut self,
        header: Bytes,
        body: Bytes,
        dictionaries: &Dictionaries,
        mut permit: Permit,
    ) -> Result<(), Error> {
        let Some(reader) = &self.reader else {
            return Err(Error::new(ErrorKind::Internal, "rows come before their schema"));
        };
        let batch = reader.read(header, body, dictionaries, self.window, &mut self.last)?;
        self.received += batch.rows.len() as u64;
        let dropped = match self.replay.pass(&batch.rows) {
            Ok(dropped) => dropped,
            Err(mismatch) => {
                self.mismatch = Some(mismatch);
                return Err(Error::new(
                    ErrorKind::Internal,
                    "the rows before the position are others",
                ));
            }
        };
        if dropped == batch.rows.len() {
            return Ok(());
        }
        let identity = batch.identity && dropped == 0;
        let ipc = reader.without(batch.ipc, dropped)?;
        permit.resize(ipc.size()).await;
        self.shared
            .queue
            .push(ScanBatch { ipc, _permit: permit }, identity)
            .await;
        self.progress.pass(&batch.rows, dropped);
        Ok(())
    }
}
