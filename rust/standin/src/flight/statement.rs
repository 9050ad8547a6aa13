//! `GetFlightInfo` of a statement: runs it, keeps its rows, returns where they are.

use arrow_array::RecordBatch;
use arrow_flight::sql::{ProstMessageExt, TicketStatementQuery};
use arrow_flight::{FlightDescriptor, FlightEndpoint, FlightInfo, Ticket};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use prost::Message;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tonic::Status;

use super::fe::FrontendFlight;
use super::forms;
use super::login::Login;
use super::results::StoredResult;
use super::stream::failure;
use super::ticket::{QueryId, backend_handle, frontend_handle};
use crate::control::faults::{Sight, Strike};
use crate::control::rules::Point;
use crate::control::stats::Open;
use crate::error::SqlError;
use crate::net::ConnectionHandle;
use crate::sql::engine::{Answer, Rows, Session};
use crate::sql::script::{FirstTable, first_table};
use crate::store::info::KeysType;

/// Rows per batch when the session sets none: Doris' default.
const BATCH_ROWS: usize = 4064;

/// Port of the rows' internal service in tickets; nothing listens there.
const BRPC_PORT: u16 = 8060;

/// Runs a statement in the session of a login and describes its result.
pub(crate) async fn run(
    fe: &FrontendFlight,
    login: &Login,
    connection: &ConnectionHandle,
    sql: &str,
    descriptor: FlightDescriptor,
) -> Result<FlightInfo, Status> {
    let shared = &fe.shared;
    let _open = Open::new(&shared.counters.flight_queries);
    shared.counters.flight_statements.fetch_add(1, Ordering::Relaxed);
    let busy = fe.flight.switches.busy.0;
    let mut session = tokio::time::timeout(busy, login.session.commands.lock()).await.map_err(|_| {
        Status::unavailable(format!(
            "another command of this Arrow Flight SQL session is still running after {} seconds, connection id: {}",
            busy.as_secs(),
            login.session.id
        ))
    })?;

    let read = first_table(sql);
    let table = qualified(&read, &session);
    let sight = Sight {
        node: &fe.node,
        statement: sql,
        table: table.as_deref(),
        ..Sight::default()
    };
    let strike = shared.strike(Point::FlightGetInfo, &sight).await;
    let failed = |strike: &Strike| failure(strike.action(), connection, "get flight info statement failed, ");
    if let Some(status) = strike.as_ref().and_then(failed) {
        return Err(status);
    }

    if fe.flight.switches.short_circuit && is_point_query(fe, &session, table.as_deref(), sql) {
        return Err(Status::internal(
            "get flight info statement failed, fetch arrow flight schema failed, no FlightSqlEndpointsLocations",
        ));
    }
    let answer = last_answer(fe, &mut session, sql)
        .await
        .map_err(|error| status_of(&error))?;
    let idle = session
        .variables
        .get("wait_timeout")
        .and_then(|seconds| seconds.parse().ok());
    login.session.set_idle_limit(idle.map(Duration::from_secs));
    let request = Asked {
        fe,
        login,
        session: &session,
        sql,
        table,
        read,
    };
    let info = match answer {
        Answer::Rows(rows) => request.keep_on_backends(rows).await?,
        Answer::FrontEndRows(rows) => request.keep_here(text_schema(&rows), rows.batches)?,
        Answer::Done { .. } => {
            let (schema, batch) = status_result()?;
            request.keep_here(schema, vec![batch])?
        }
    };
    if login.session.is_closed() {
        // It ended while the statement ran, and its results with it.
        fe.flight.results.drop_sessions(&[login.session.id]);
    }
    if strike.is_some_and(|strike| strike.action().drop_answer) {
        connection.close();
        return Err(Status::unavailable("answer dropped by a fault rule"));
    }
    Ok(info.with_descriptor(descriptor))
}

/// Whether a server looks one key up instead of running the query: the table is Unique, and every key column is
/// compared with a value by `=`.
fn is_point_query(fe: &FrontendFlight, session: &Session, table: Option<&str>, sql: &str) -> bool {
    let engine = &fe.shared.engine;
    let variable = engine.variable(session, "enable_short_circuit_query");
    if variable.is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "false" | "0" | "off")) {
        return false;
    }
    let info = table
        .and_then(|name| name.split_once('.'))
        .and_then(|(database, table)| engine.table_info(database, table));
    let (Some(info), Some((_, conditions))) = (info, sql.split_once(" WHERE ")) else {
        return false;
    };
    let conditions = conditions.replace('`', "").to_lowercase();
    let mut keys = info.columns.iter().filter(|column| column.key);
    info.keys_type == KeysType::Unique
        && keys.all(|key| conditions.contains(&format!("{} = ", key.name.to_lowercase())))
}

/// Runs all statements of a text; only the last may give rows.
async fn last_answer(fe: &FrontendFlight, session: &mut Session, sql: &str) -> Result<Answer, SqlError> {
    let mut answers = fe.shared.engine.execute(session, sql).await?;
    let last = answers.pop().ok_or_else(|| SqlError::syntax("no statement"))?;
    if answers.iter().all(|answer| matches!(answer, Answer::Done { .. })) {
        return Ok(last);
    }
    Err(SqlError::plain(
        "only the last statement of an Arrow Flight SQL request may return rows",
    ))
}

/// A statement that ran, and all that is needed to describe its result.
struct Asked<'a> {
    fe: &'a FrontendFlight,
    login: &'a Login,
    session: &'a Session,
    sql: &'a str,
    table: Option<String>,
    read: FirstTable,
}

impl Asked<'_> {
    /// Keeps a result on this front end.
    fn keep_here(&self, schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<FlightInfo, Status> {
        let id = QueryId::new();
        let info = FlightInfo::new().try_with_schema(&schema).map_err(internal)?;
        let handle = frontend_handle(id, &self.login.session.peer);
        self.fe
            .flight
            .results
            .put(id, self.stored(None, schema, batches, None));
        Ok(info.with_endpoint(endpoint(handle, self.fe.location())))
    }

    /// Keeps a result on the back end that holds the tablets, or in pieces on several endpoints.
    async fn keep_on_backends(&self, rows: Rows) -> Result<FlightInfo, Status> {
        let shared = &self.fe.shared;
        let zone_text = shared
            .engine
            .variable(self.session, "time_zone")
            .unwrap_or_else(|| "+08:00".to_owned());
        let plan = || {
            forms::plan(
                &rows.columns,
                &shared.switches,
                shared.engine.zone(self.session),
                &zone_text,
            )
        };
        let (schema, _) = plan();
        let mut info = FlightInfo::new().try_with_schema(&schema).map_err(internal)?;
        let first = self.backend().await?;
        let backends = shared.cluster.backends();
        let parallel = self.flag("enable_parallel_result_sink");
        let parts = if parallel { backends.len().max(2) } else { 1 };
        let alive: Vec<usize> = (0..backends.len())
            .filter(|index| backends[*index].alive)
            .collect();
        for part in 0..parts {
            let index = if part == 0 {
                first
            } else {
                alive[(first + part) % alive.len()]
            };
            let backend = &backends[index];
            let id = QueryId::new();
            let (schema, form) = plan();
            let batches = part_of(&rows.batches, part, parts);
            self.fe
                .flight
                .results
                .put(id, self.stored(Some(index), schema, batches, form));
            let handle = backend_handle(id, &backend.host, BRPC_PORT, self.sql);
            let location = self
                .fe
                .flight
                .switches
                .be_location
                .of(&backend.host, backend.flight);
            info = info.with_endpoint(endpoint(handle, location));
        }
        Ok(info)
    }

    /// The back end of the first tablet that the statement reads; for anything else the first that is up.
    async fn backend(&self) -> Result<usize, Status> {
        let shared = &self.fe.shared;
        let routes = self.routes().await;
        if let Some(dead) = routes.iter().find(|(_, index)| !shared.backend_alive(*index)) {
            let backend = shared
                .cluster
                .backends()
                .get(dead.1)
                .map_or(0, |backend| backend.id);
            let detail = format!(
                "tablet {} has no queryable replicas. err: replica's backend {backend} does not exist or not alive",
                dead.0
            );
            return Err(status_of(&SqlError::plain(detail)));
        }
        if let Some((_, index)) = routes.first() {
            return Ok(*index);
        }
        let backends = shared.cluster.backends();
        backends
            .iter()
            .position(|backend| backend.alive)
            .ok_or_else(|| status_of(&SqlError::plain("There is no scanNode Backend available.")))
    }

    /// Tablets that are read, with their back ends; empty for what reads no single table.
    async fn routes(&self) -> Vec<(i64, usize)> {
        let Some((database, table)) = self.table.as_deref().and_then(|name| name.split_once('.')) else {
            return Vec::new();
        };
        let Some(info) = self.fe.shared.engine.table_info(database, table) else {
            return Vec::new();
        };
        let tablets = info.partitions.iter().flat_map(|partition| &partition.tablets);
        let wanted = |id: i64| self.read.tablets.is_empty() || self.read.tablets.contains(&id);
        tablets
            .filter(|tablet| wanted(tablet.id))
            .map(|tablet| (tablet.id, tablet.backend_index))
            .collect()
    }

    fn stored(
        &self,
        backend: Option<usize>,
        schema: SchemaRef,
        batches: Vec<RecordBatch>,
        form: Option<forms::Reform>,
    ) -> StoredResult {
        let rows = self.fe.shared.engine.variable(self.session, "batch_size");
        StoredResult {
            session: self.login.session.id,
            statement: self.sql.to_owned(),
            table: self.table.clone(),
            backend,
            schema,
            batches,
            form,
            batch_rows: rows.and_then(|rows| rows.parse().ok()).unwrap_or(BATCH_ROWS),
        }
    }

    fn flag(&self, name: &str) -> bool {
        let value = self.fe.shared.engine.variable(self.session, name);
        value.is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "true" | "1" | "on"))
    }
}

/// `db.table` of the first table read, with the session's database where none is named.
fn qualified(read: &FirstTable, session: &Session) -> Option<String> {
    let table = read.table.as_deref()?;
    let database = read.database.as_deref().or(session.database.as_deref())?;
    Some(format!("{database}.{table}"))
}

/// Part `part` of `parts` of every batch; the parts share the batches' memory.
fn part_of(batches: &[RecordBatch], part: usize, parts: usize) -> Vec<RecordBatch> {
    if parts == 1 {
        return batches.to_vec();
    }
    let cut = |batch: &RecordBatch| {
        let (start, end) = (
            batch.num_rows() * part / parts,
            batch.num_rows() * (part + 1) / parts,
        );
        batch.slice(start, end - start)
    };
    batches
        .iter()
        .map(cut)
        .filter(|batch| batch.num_rows() > 0)
        .collect()
}

fn endpoint(handle: String, location: Option<String>) -> FlightEndpoint {
    let ticket = TicketStatementQuery {
        statement_handle: handle.into(),
    };
    let endpoint = FlightEndpoint::new().with_ticket(Ticket::new(ticket.as_any().encode_to_vec()));
    match location {
        Some(location) => endpoint.with_location(location),
        None => endpoint,
    }
}

/// What a front end keeps is text throughout.
fn text_schema(rows: &Rows) -> SchemaRef {
    let fields = rows
        .columns
        .iter()
        .map(|column| Field::new(&column.name, DataType::Utf8, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The one row that `SET` and DDL give.
fn status_result() -> Result<(SchemaRef, RecordBatch), Status> {
    let schema = Arc::new(Schema::new(vec![Field::new(
        "StatusResult",
        DataType::Utf8,
        true,
    )]));
    let column = Arc::new(arrow_array::StringArray::from(vec!["0"]));
    let batch = RecordBatch::try_new(schema.clone(), vec![column]).map_err(internal)?;
    Ok((schema, batch))
}

/// A statement's failure as `GetFlightInfo` reports it.
pub(crate) fn status_of(error: &SqlError) -> Status {
    let typed = match error.code {
        5100 => Some("ERR_INCR_WINDOW_NOT_READY"),
        5101 => Some("ERR_INCR_VISIBLE_WAIT_TIMEOUT"),
        _ => None,
    };
    if let Some(name) = typed {
        let mut status = Status::unavailable(error.message.clone());
        status
            .metadata_mut()
            .insert("doris-error-code", error.code.into());
        status.metadata_mut().insert(
            "doris-error-name",
            tonic::metadata::MetadataValue::from_static(name),
        );
        return status;
    }
    let name = match error.code {
        1049 => "ERR_BAD_DB_ERROR".to_owned(),
        1105 => "ERR_UNKNOWN_ERROR".to_owned(),
        other => other.to_string(),
    };
    // What is told twice before the state of the session is the server's own exception, not the statement's.
    let exception = "after executeQueryStatement handleQuery";
    Status::internal(format!(
        "get flight info statement failed, get flight info statement failed, {exception}, RuntimeException: {exception}, error code: {name}, error msg: {}",
        error.message
    ))
}

fn internal(error: arrow_schema::ArrowError) -> Status {
    Status::internal(format!("get flight info statement failed, {error}"))
}
