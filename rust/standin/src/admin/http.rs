//! HTTP service of the admin port.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::sql::sql;
use crate::control::rules::Rule;
use crate::net::{ConnectionHandle, Incoming};
use crate::nodes::Nodes;

/// Serves the admin port until its task is aborted.
pub(crate) async fn serve(nodes: Arc<Nodes>, incoming: Incoming) {
    let router = Router::new()
        .route("/requests", get(requests))
        .route("/stats", get(stats))
        .route("/faults", get(faults).post(add_fault).delete(clear_faults))
        .route("/faults/{id}", delete(delete_fault))
        .route("/tables/{db}/{table}", get(table))
        .route("/tables/{db}/{table}/discard", post(discard))
        .route("/tables/{db}/{table}/purge", post(purge_changes))
        .route("/transactions", get(transactions))
        .route("/sql", post(sql).layer(DefaultBodyLimit::disable()))
        .route("/labels/purge", post(purge_labels))
        .route("/sessions/drop", post(drop_sessions))
        .route("/clock", post(clock))
        .route("/backends/{index}/{what}", post(backend))
        .route("/frontends/{index}/{what}", post(frontend))
        .with_state(nodes);
    let service = router.into_make_service_with_connect_info::<ConnectionHandle>();
    if let Err(error) = axum::serve(incoming, service).await {
        tracing::warn!(%error, "admin listener ended");
    }
}

#[derive(Deserialize)]
struct Since {
    #[serde(default)]
    since: u64,
}

async fn requests(State(nodes): State<Arc<Nodes>>, Query(query): Query<Since>) -> Response {
    Json(nodes.shared().journal.since(query.since)).into_response()
}

async fn stats(State(nodes): State<Arc<Nodes>>) -> Response {
    Json(nodes.stats()).into_response()
}

async fn faults(State(nodes): State<Arc<Nodes>>) -> Response {
    Json(nodes.shared().faults.list()).into_response()
}

async fn add_fault(State(nodes): State<Arc<Nodes>>, body: String) -> Response {
    match serde_json::from_str::<Rule>(&body) {
        Ok(rule) => Json(json!({"id": nodes.shared().faults.add(rule)})).into_response(),
        Err(error) => refusal(StatusCode::BAD_REQUEST, format!("not a rule: {error}")),
    }
}

async fn clear_faults(State(nodes): State<Arc<Nodes>>) -> Response {
    nodes.shared().faults.delete(None);
    done()
}

async fn delete_fault(State(nodes): State<Arc<Nodes>>, Path(id): Path<u64>) -> Response {
    if nodes.shared().faults.delete(Some(id)) {
        return done();
    }
    refusal(StatusCode::NOT_FOUND, format!("no rule {id}"))
}

async fn table(State(nodes): State<Arc<Nodes>>, Path((database, name)): Path<(String, String)>) -> Response {
    let Some(info) = nodes.shared().engine.table_info(&database, &name) else {
        return refusal(StatusCode::NOT_FOUND, format!("no table {database}.{name}"));
    };
    let tablets = info.partitions.iter().flat_map(|partition| {
        partition.tablets.iter().map(|tablet| {
            json!({
                "id": tablet.id,
                "partition": partition.name,
                "backend": tablet.backend_index,
                "rows": tablet.rows,
                "bytes": tablet.bytes,
                "version": tablet.version,
            })
        })
    });
    let tablets: Vec<Value> = tablets.collect();
    let rows: u64 = info
        .partitions
        .iter()
        .flat_map(|partition| &partition.tablets)
        .map(|tablet| tablet.rows)
        .sum();
    Json(json!({
        "database": info.database,
        "table": info.name,
        "keys_type": info.keys_type.schema_name(),
        "rows": rows,
        "version": info.version,
        "stamp": info.stamp,
        "tablets": tablets,
        "changelog": nodes.shared().engine.changelog_state(&database, &name),
        "discarded": nodes.shared().engine.discards().get(info.id),
    }))
    .into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Discard {
    on: bool,
}

impl Default for Discard {
    fn default() -> Self {
        Self { on: true }
    }
}

async fn discard(
    State(nodes): State<Arc<Nodes>>,
    Path((database, name)): Path<(String, String)>,
    body: String,
) -> Response {
    let wanted = match body_or_default::<Discard>(&body) {
        Ok(wanted) => wanted,
        Err(error) => return refusal(StatusCode::BAD_REQUEST, error),
    };
    let engine = &nodes.shared().engine;
    let Some(info) = engine.table_info(&database, &name) else {
        return refusal(StatusCode::NOT_FOUND, format!("no table {database}.{name}"));
    };
    engine.discards().set(info.id, wanted.on);
    done()
}

/// Takes expired changes out of a table's log.
async fn purge_changes(
    State(nodes): State<Arc<Nodes>>,
    Path((database, name)): Path<(String, String)>,
) -> Response {
    match nodes.shared().engine.purge_changes(&database, &name).await {
        Ok(rows) => Json(json!({"purged": rows})).into_response(),
        Err(error) => refusal(StatusCode::NOT_FOUND, error.message),
    }
}

async fn transactions(State(nodes): State<Arc<Nodes>>) -> Response {
    Json(nodes.shared().engine.transactions().list()).into_response()
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Purge {
    database: Option<String>,
    label: Option<String>,
}

async fn purge_labels(State(nodes): State<Arc<Nodes>>, body: String) -> Response {
    match body_or_default::<Purge>(&body) {
        Ok(Purge { database, label }) => {
            let transactions = nodes.shared().engine.transactions();
            let purged = transactions.purge(database.as_deref(), label.as_deref());
            Json(json!({"purged": purged})).into_response()
        }
        Err(error) => refusal(StatusCode::BAD_REQUEST, error),
    }
}

/// Reads a body of JSON, which may be absent.
fn body_or_default<T: serde::de::DeserializeOwned + Default>(body: &str) -> Result<T, String> {
    if body.trim().is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(body).map_err(|error| error.to_string())
}

async fn drop_sessions(State(nodes): State<Arc<Nodes>>) -> Response {
    Json(json!({"dropped": nodes.drop_sessions()})).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clock {
    #[serde(default)]
    advance_ms: i64,
    #[serde(default)]
    back_ms: i64,
}

async fn clock(State(nodes): State<Arc<Nodes>>, body: String) -> Response {
    match serde_json::from_str::<Clock>(&body) {
        Ok(clock) => {
            nodes
                .shared()
                .engine
                .catalog()
                .clock
                .shift(clock.advance_ms.saturating_sub(clock.back_ms));
            done()
        }
        Err(error) => refusal(StatusCode::BAD_REQUEST, error.to_string()),
    }
}

async fn backend(State(nodes): State<Arc<Nodes>>, Path((index, what)): Path<(usize, String)>) -> Response {
    let changed = match what.as_str() {
        "stop" => nodes.stop_backend(index).await,
        "start" => nodes.start_backend(index).await,
        _ => return refusal(StatusCode::NOT_FOUND, format!("no action {what}")),
    };
    changed.map_or_else(
        |error| refusal(StatusCode::CONFLICT, error.to_string()),
        |()| done(),
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lag {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Incr {
    ignored: bool,
}

async fn frontend(
    State(nodes): State<Arc<Nodes>>,
    Path((index, what)): Path<(usize, String)>,
    body: String,
) -> Response {
    let changed = match what.as_str() {
        "lag" => match serde_json::from_str::<Lag>(&body) {
            Ok(lag) => nodes.lag_frontend(index, Duration::from_millis(lag.ms)),
            Err(error) => return refusal(StatusCode::BAD_REQUEST, error.to_string()),
        },
        "incr" => match serde_json::from_str::<Incr>(&body) {
            Ok(incr) => nodes.ignore_incr(index, incr.ignored),
            Err(error) => return refusal(StatusCode::BAD_REQUEST, error.to_string()),
        },
        "stop" => nodes.stop_frontend(index).await,
        "start" => nodes.start_frontend(index).await,
        _ => return refusal(StatusCode::NOT_FOUND, format!("no action {what}")),
    };
    changed.map_or_else(
        |error| refusal(StatusCode::CONFLICT, error.to_string()),
        |()| done(),
    )
}

fn done() -> Response {
    Json(json!({"ok": true})).into_response()
}

pub(super) fn refusal(status: StatusCode, text: String) -> Response {
    (status, Json(json!({"ok": false, "error": text}))).into_response()
}
