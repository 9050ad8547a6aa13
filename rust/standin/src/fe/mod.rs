//! REST service of a front end: envelopes, credentials, and which path does what.

mod envelope;
mod label;
mod load;
mod plan;
mod schema;
mod statement;
mod tso;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use self::envelope::Envelope;
use crate::control::faults::Sight;
use crate::control::journal::{Entry, masked_headers};
use crate::control::rules::{Action, Point};
use crate::net::url::{query, segments};
use crate::net::{ConnectionHandle, Incoming};
use crate::shared::Shared;

/// Largest body of a REST call; loads do not pass here.
const BODY_MOST: usize = 64 << 20;

/// Serves the REST port of a front end until its task is aborted.
pub(crate) async fn serve(shared: Arc<Shared>, index: usize, incoming: Incoming) {
    let state = Rest {
        shared,
        node: format!("fe{index}"),
        index,
    };
    let router = Router::new().fallback(handle).with_state(state);
    let service = router.into_make_service_with_connect_info::<ConnectionHandle>();
    if let Err(error) = axum::serve(incoming, service).await {
        tracing::warn!(%error, "REST listener ended");
    }
}

#[derive(Clone)]
struct Rest {
    shared: Arc<Shared>,
    node: String,
    index: usize,
}

/// One call, with its body read.
struct Call {
    method: Method,
    /// Path segments, percent signs decoded.
    segments: Vec<String>,
    /// Query parameters, decoded.
    query: Vec<(String, String)>,
    body: Bytes,
    /// Account, once it is checked.
    user: String,
}

impl Call {
    fn parameter(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The SQL of a JSON body, under either of its names, or of the query string.
    fn sql(&self, name: &str) -> Option<String> {
        let body: Option<Value> = serde_json::from_slice(&self.body).ok();
        let text = body
            .as_ref()
            .and_then(|body| body.get(name))
            .and_then(Value::as_str);
        text.or_else(|| self.parameter(name)).map(str::to_owned)
    }
}

async fn handle(
    State(rest): State<Rest>,
    ConnectInfo(connection): ConnectInfo<ConnectionHandle>,
    request: Request,
) -> Response {
    if let Some(kind) = load::kind(request.method(), request.uri().path()) {
        return load::serve(&rest, kind, connection, request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_MOST).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let path = parts
        .uri
        .path_and_query()
        .map_or("/", |path| path.as_str())
        .to_owned();
    let mut call = Call {
        method: parts.method,
        segments: segments(parts.uri.path()),
        query: query(parts.uri.query().unwrap_or_default()),
        body,
        user: String::new(),
    };
    let authorization = parts
        .headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let outcome = rest.answer(&mut call, authorization, &connection, &path).await;
    let headers = parts
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()));
    rest.shared.journal.add(Entry {
        channel: "fe.http",
        node: rest.node.clone(),
        method: call.method.to_string(),
        path,
        statement: call.sql("stmt").or_else(|| call.sql("sql")).unwrap_or_default(),
        headers: masked_headers(headers),
        body_bytes: call.body.len() as u64,
        status: outcome.status(),
        error: outcome.error(),
        user: call.user,
        label: call
            .query
            .iter()
            .find(|(key, _)| key == "label")
            .map(|(_, label)| label.clone()),
        ..Entry::default()
    });
    outcome.into_response()
}

/// What a call is answered with.
enum Outcome {
    /// The envelope, always with HTTP 200.
    Envelope(Envelope),
    /// 307 to this URL.
    Redirect(String),
    /// Anything else.
    Plain(StatusCode, String),
}

impl Outcome {
    fn status(&self) -> String {
        match self {
            Self::Envelope(envelope) if envelope.code == 0 => "ok".to_owned(),
            Self::Envelope(envelope) => envelope.code.to_string(),
            Self::Redirect(_) => "307".to_owned(),
            Self::Plain(status, _) => status.as_u16().to_string(),
        }
    }

    fn error(&self) -> String {
        match self {
            Self::Envelope(envelope) if envelope.code != 0 => match &envelope.data {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
            _ => String::new(),
        }
    }
}

impl IntoResponse for Outcome {
    fn into_response(self) -> Response {
        match self {
            Self::Envelope(envelope) => axum::Json(envelope).into_response(),
            Self::Redirect(location) => {
                (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, location)]).into_response()
            }
            Self::Plain(status, text) => (status, Body::from(text)).into_response(),
        }
    }
}

impl Rest {
    /// Rules, then credentials, then the call itself.
    async fn answer(
        &self,
        call: &mut Call,
        authorization: &str,
        connection: &ConnectionHandle,
        path: &str,
    ) -> Outcome {
        let table = call.table();
        let statement = call.sql("stmt").unwrap_or_else(|| path.to_owned());
        let sight = Sight {
            node: &self.node,
            statement: &statement,
            table: table.as_deref(),
            label: call.parameter("label"),
            ..Sight::default()
        };
        let strike = self.shared.strike(Point::FeApi, &sight).await;
        if let Some(outcome) = strike
            .as_ref()
            .and_then(|strike| broken(strike.action(), connection))
        {
            return outcome;
        }
        let outcome = self.route(call, authorization, connection).await;
        if strike.is_some_and(|strike| strike.action().drop_answer) {
            connection.close();
        }
        outcome
    }

    async fn route(&self, call: &mut Call, authorization: &str, connection: &ConnectionHandle) -> Outcome {
        let segments: Vec<&str> = call.segments.iter().map(String::as_str).collect();
        match segments.as_slice() {
            [] => return Outcome::Plain(StatusCode::OK, "<html>doris-standin</html>".to_owned()),
            ["api", "health"] => return Outcome::Envelope(self.health()),
            ["api", "bootstrap"] => return Outcome::Envelope(self.bootstrap()),
            _ => {}
        }
        let ip = connection.peer.ip().to_string();
        match self.check(authorization, &ip) {
            Ok(user) => call.user = user,
            Err(refusal) => return Outcome::Envelope(Envelope::unauthorized(refusal)),
        }
        let get = call.method == Method::GET;
        let post = call.method == Method::POST;
        let envelope = match segments.as_slice() {
            ["api", database, table, "_schema"] if get => {
                schema::answer(self, call, "internal", database, table).await
            }
            ["api", catalog, database, table, "_schema"] if get => {
                schema::answer(self, call, catalog, database, table).await
            }
            ["api", database, table, "_query_plan"] if get || post => {
                plan::answer(self, call, "internal", database, table).await
            }
            ["api", catalog, database, table, "_query_plan"] if get || post => {
                plan::answer(self, call, catalog, database, table).await
            }
            ["api", "backends"] if get => self.backends(call),
            ["api", "tso"] if get => match tso::answer(self) {
                Some(envelope) => envelope,
                None => return not_found(call),
            },
            ["api", "query", catalog, database] if post => {
                statement::answer(self, call, catalog, database).await
            }
            ["api", "query", database] if post => statement::answer(self, call, "internal", database).await,
            ["api", database, "get_load_state"] if get => {
                return label::answer(self, call, database, authorization);
            }
            _ => return not_found(call),
        };
        Outcome::Envelope(envelope)
    }

    fn check(&self, authorization: &str, ip: &str) -> Result<String, String> {
        if authorization.is_empty() {
            return Err("Need auth information.".to_owned());
        }
        self.shared.users.check_basic(authorization, ip)
    }

    fn health(&self) -> Envelope {
        let backends = self.shared.cluster.backends();
        let online = backends.iter().filter(|backend| backend.alive).count();
        Envelope::success(json!({"online_backend_num": online, "total_backend_num": backends.len()}))
    }

    fn bootstrap(&self) -> Envelope {
        Envelope::success(json!({"replayedJournalId": 0, "queryPort": 0, "rpcPort": 0, "version": ""}))
    }

    fn backends(&self, call: &Call) -> Envelope {
        let only_alive = call
            .parameter("is_alive")
            .is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let backends = self.shared.cluster.backends();
        let listed = backends
            .iter()
            .filter(|backend| backend.alive || !only_alive)
            .map(|backend| json!({"ip": backend.host, "http_port": backend.http, "is_alive": backend.alive}));
        Envelope::success(json!({"backends": listed.collect::<Vec<_>>()}))
    }
}

impl Call {
    fn path(&self) -> String {
        format!("/{}", self.segments.join("/"))
    }

    /// `db.table` of a call on a table.
    fn table(&self) -> Option<String> {
        let [.., database, table, last] = self.segments.as_slice() else {
            return None;
        };
        last.starts_with('_').then(|| format!("{database}.{table}"))
    }
}

fn not_found(call: &Call) -> Outcome {
    let text = json!({"timestamp": 0, "status": 404, "error": "Not Found", "path": call.path()});
    Outcome::Plain(StatusCode::NOT_FOUND, text.to_string())
}

/// What a rule puts in the answer's place.
fn broken(action: &Action, connection: &ConnectionHandle) -> Option<Outcome> {
    if action.reset || action.close.is_some() {
        if action.reset {
            connection.reset();
        } else {
            connection.close();
        }
        return Some(Outcome::Plain(StatusCode::SERVICE_UNAVAILABLE, String::new()));
    }
    if let Some(fault) = &action.status {
        let code = fault.code.as_u64().and_then(|code| u16::try_from(code).ok());
        let status = code.and_then(|code| StatusCode::from_u16(code).ok());
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        return Some(Outcome::Plain(status, fault.message.clone()));
    }
    let answer = action.answer.as_ref()?;
    let data = answer
        .data
        .clone()
        .unwrap_or_else(|| Value::String(answer.message.clone()));
    Some(Outcome::Envelope(Envelope::of_code(
        answer.code.unwrap_or(1),
        data,
    )))
}
