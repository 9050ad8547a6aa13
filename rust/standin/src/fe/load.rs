//! Loads and 2PC at a front end: checks that need no body, then a redirect to a back end.

use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::envelope::Envelope;
use super::{Outcome, Rest, broken};
use crate::cluster::Backend;
use crate::cluster::users::parse_basic;
use crate::control::faults::Sight;
use crate::control::journal::{Entry, masked_headers};
use crate::control::rules::{Action, Point};
use crate::net::ConnectionHandle;
use crate::net::drain::early_answer;
use crate::net::url::component;
use crate::profile::load::{LoadSwitches, RedirectBody};
use crate::stream_load::headers::LoadHeaders;

/// What is redirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    TwoPhase,
}

/// Whether a request is one of these.
pub(super) fn kind(method: &Method, path: &str) -> Option<Kind> {
    if method != Method::PUT || !path.starts_with("/api/") {
        return None;
    }
    match path.rsplit('/').next() {
        Some("_stream_load") => Some(Kind::Load),
        Some("_stream_load_2pc") => Some(Kind::TwoPhase),
        _ => None,
    }
}

/// Serves a request without reading its body.
pub(super) async fn serve(
    rest: &Rest,
    kind: Kind,
    connection: ConnectionHandle,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let headers = LoadHeaders::of(&parts.headers);
    let asked = Asked {
        rest,
        kind,
        connection: &connection,
        http: &parts.headers,
        headers: &headers,
        path,
        query: parts.uri.query().unwrap_or_default(),
        names: names(parts.uri.path()),
    };
    let end = asked.end().await;
    asked.note(&end);
    let read = asked.switches().redirect_body == RedirectBody::Drain;
    asked.respond(end, body, read)
}

struct Asked<'a> {
    rest: &'a Rest,
    kind: Kind,
    connection: &'a ConnectionHandle,
    http: &'a HeaderMap,
    headers: &'a LoadHeaders,
    path: &'a str,
    query: &'a str,
    /// Parts of the path between `/api/` and the last one.
    names: Vec<&'a str>,
}

/// How a request ends.
enum End {
    /// 307 to this URL.
    Redirect(String),
    /// `{"status":"FAILED","msg":..}`
    Failed(String),
    Other(Outcome),
}

impl Asked<'_> {
    async fn end(&self) -> End {
        for point in [Point::FeApi, Point::FeRedirect] {
            let table = self.names.join(".");
            let sight = Sight {
                node: &self.rest.node,
                statement: self.path,
                table: Some(&table),
                label: self.headers.text("label"),
                ..Sight::default()
            };
            let Some(strike) = self.rest.shared.strike(point, &sight).await else {
                continue;
            };
            if let Some(end) = self.broken(strike.action()) {
                return end;
            }
        }
        self.checked().unwrap_or_else(|end| end)
    }

    /// A load's failure has a shape of its own, unless the rule gives an envelope's code.
    fn broken(&self, action: &Action) -> Option<End> {
        if let Some(answer) = action.answer.as_ref().filter(|answer| answer.code.is_none()) {
            return Some(End::Failed(answer.message.clone()));
        }
        if action.drop_answer {
            self.connection.close();
            return Some(End::Other(Outcome::Plain(
                StatusCode::SERVICE_UNAVAILABLE,
                String::new(),
            )));
        }
        broken(action, self.connection).map(End::Other)
    }

    fn checked(&self) -> Result<End, End> {
        let failed = |text: &str| End::Failed(text.to_owned());
        let group = self.headers.get("group_commit").map(str::to_ascii_lowercase);
        if self.kind == Kind::Load
            && group.is_some_and(|mode| !matches!(mode.as_str(), "sync_mode" | "async_mode" | "off_mode"))
        {
            return Err(failed(
                "Header `group_commit` can only be `sync_mode`, `async_mode` or `off_mode`.",
            ));
        }
        self.login()?;
        if self.kind == Kind::Load && self.headers.get("expect").is_none() {
            return Err(failed("There is no 100-continue header"));
        }
        let name = |at: usize| self.names.get(at).copied().unwrap_or_default();
        if name(0).is_empty() {
            return Err(failed("No database selected."));
        }
        if self.kind == Kind::Load && name(1).is_empty() {
            return Err(failed("No table selected."));
        }
        if self.kind == Kind::TwoPhase {
            if self.headers.text("txn_id").is_none() && self.headers.text("label").is_none() {
                return Err(failed("No transaction id or label selected."));
            }
            if self.headers.text("txn_operation").is_none() {
                return Err(failed("No transaction operation('commit' or 'abort') selected."));
            }
        }
        let backend = self.backend()?;
        Ok(End::Redirect(self.location(&backend)))
    }

    fn login(&self) -> Result<(), End> {
        if let Some(token) = self.headers.text("token") {
            let refusal = format!("Invalid token: {}", "*".repeat(token.len().min(8)));
            return Err(End::Other(Outcome::Envelope(Envelope::unauthorized(refusal))));
        }
        let authorization = self.headers.get("authorization").unwrap_or_default();
        let ip = self.connection.peer.ip().to_string();
        match self.rest.check(authorization, &ip) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(End::Other(Outcome::Envelope(Envelope::unauthorized(refusal)))),
        }
    }

    /// The next of the back ends that are alive.
    fn backend(&self) -> Result<Backend, End> {
        let backends = self.rest.shared.cluster.backends();
        let alive: Vec<&Backend> = backends.iter().filter(|backend| backend.alive).collect();
        if alive.is_empty() {
            let text = "No backend load available, policy: cluster|query|load|schedule|tags|medium";
            return Err(End::Failed(text.to_owned()));
        }
        let turn = self.rest.shared.load_turn.fetch_add(1, Ordering::Relaxed);
        Ok(alive[turn % alive.len()].clone())
    }

    fn location(&self, backend: &Backend) -> String {
        let switches = self.switches();
        let authorization = self.headers.get("authorization").unwrap_or_default();
        let path = self.path.split('?').next().unwrap_or_default();
        redirect_to(
            switches,
            authorization,
            (&backend.host, backend.http),
            path,
            self.query,
        )
    }

    fn switches(&self) -> &LoadSwitches {
        &self.rest.shared.switches.load
    }

    fn respond(&self, end: End, body: Body, read: bool) -> Response {
        let (response, text) = match end {
            End::Redirect(location) | End::Other(Outcome::Redirect(location)) => {
                let location = HeaderValue::from_str(&location).unwrap_or(HeaderValue::from_static("/"));
                let head = [(header::LOCATION, location)];
                (
                    (StatusCode::TEMPORARY_REDIRECT, head).into_response(),
                    String::new(),
                )
            }
            End::Failed(text) => {
                let head = [(header::CONTENT_TYPE, "application/json")];
                let text = json!({"status": "FAILED", "msg": text}).to_string();
                ((StatusCode::OK, head).into_response(), text)
            }
            End::Other(Outcome::Envelope(envelope)) => {
                let head = [(header::CONTENT_TYPE, "application/json")];
                // Members of plain values: nothing in them can fail to serialise.
                let text = serde_json::to_string(&envelope).unwrap_or_default();
                ((StatusCode::OK, head).into_response(), text)
            }
            End::Other(Outcome::Plain(status, text)) => (status.into_response(), text),
        };
        let (mut head, _) = response.into_parts();
        head.headers.remove(header::CONTENT_LENGTH);
        early_answer(&self.rest.shared.loads, self.http, body, head, text, read)
    }

    fn note(&self, end: &End) {
        let (status, error) = match end {
            End::Redirect(_) => ("307".to_owned(), String::new()),
            End::Failed(text) => ("FAILED".to_owned(), text.clone()),
            End::Other(outcome) => (outcome.status(), outcome.error()),
        };
        let headers = self.http.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
        self.rest.shared.journal.add(Entry {
            channel: "fe.http",
            node: self.rest.node.clone(),
            method: "PUT".to_owned(),
            path: self.path.to_owned(),
            headers: masked_headers(headers),
            status,
            error,
            label: self.headers.text("label").map(str::to_owned),
            txn_id: self.headers.text("txn_id").and_then(|id| id.trim().parse().ok()),
            ..Entry::default()
        });
    }
}

/// URL at another node, with the credentials of the request where redirects carry them, and with a `?` in any case.
pub(super) fn redirect_to(
    switches: &LoadSwitches,
    authorization: &str,
    (host, port): (&str, u16),
    path: &str,
    query: &str,
) -> String {
    let userinfo = parse_basic(authorization)
        .filter(|_| switches.redirect_userinfo)
        .map(|(user, password)| format!("{}:{}@", component(&user), component(&password)))
        .unwrap_or_default();
    let host = if host.contains(':') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    format!("http://{userinfo}{host}:{port}{path}?{query}")
}

/// The names in a path; an empty one stays, so that the error can name what is missing.
fn names(path: &str) -> Vec<&str> {
    let inner = path.strip_prefix("/api/").unwrap_or_default();
    let mut names: Vec<&str> = inner.split('/').collect();
    names.pop();
    names
}
