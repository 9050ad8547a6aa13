//! HTTP service of a back end: loads, decisions about their transactions, error logs, health.

mod body;
mod checks;
mod ending;
mod load;
mod outcome;
mod reply;
mod two_phase;

use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::cluster::users::parse_basic;
use crate::control::journal::{Entry, masked_headers};
use crate::net::url::segments;
use crate::net::{ConnectionHandle, Incoming};
use crate::shared::Shared;

/// Serves the HTTP port of a back end until its task is aborted.
pub(crate) async fn serve(shared: Arc<Shared>, index: usize, incoming: Incoming) {
    let node = Node {
        shared,
        index,
        name: format!("be{index}"),
    };
    let router = Router::new().fallback(handle).with_state(node);
    let service = router.into_make_service_with_connect_info::<ConnectionHandle>();
    if let Err(error) = axum::serve(incoming, service).await {
        tracing::warn!(%error, "back end listener ended");
    }
}

/// The back end that serves a request.
#[derive(Clone)]
struct Node {
    shared: Arc<Shared>,
    index: usize,
    /// `be0` and so on.
    name: String,
}

/// Where a request came from, and its method and path.
struct Visit {
    connection: ConnectionHandle,
    /// Path with query string.
    path: String,
}

impl Node {
    /// Checks an `Authorization` value; gives the user.
    fn login(&self, authorization: &str, ip: &str) -> Result<String, String> {
        if parse_basic(authorization).is_none() {
            return Err("no valid Basic authorization".to_owned());
        }
        self.shared.users.check_basic(authorization, ip)
    }

    fn alive(&self) -> bool {
        self.shared.backend_alive(self.index)
    }

    /// Whether a front end is alive, which decides on transactions.
    fn frontend_alive(&self) -> bool {
        self.shared
            .cluster
            .frontends()
            .iter()
            .any(|frontend| frontend.alive)
    }

    fn url(&self) -> String {
        let backends = self.shared.cluster.backends();
        let address = |backend: &crate::cluster::Backend| format!("http://{}:{}", backend.host, backend.http);
        backends.get(self.index).map(address).unwrap_or_default()
    }
}

async fn handle(
    State(node): State<Node>,
    ConnectInfo(connection): ConnectInfo<ConnectionHandle>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let visit = Visit {
        connection,
        path: path.to_owned(),
    };
    let segments = segments(parts.uri.path());
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if parts.method == Method::PUT {
        match segments.as_slice() {
            ["api", database, table, "_stream_load"] => {
                let (database, table) = ((*database).to_owned(), (*table).to_owned());
                return load::serve(node, visit, parts.headers, body, database, table).await;
            }
            ["api", database, "_stream_load_2pc"] | ["api", database, _, "_stream_load_2pc"] => {
                return two_phase::serve(node, visit, parts.headers, (*database).to_owned()).await;
            }
            _ => {}
        }
    }
    let response = match segments.as_slice() {
        [] => (StatusCode::OK, "<html>doris-standin back end</html>").into_response(),
        ["api", "health"] => axum::Json(json!({"status": "OK", "msg": "To Be Added"})).into_response(),
        ["api", "_load_error_log"] => error_log(&node, parts.uri.query().unwrap_or_default()),
        _ => StatusCode::NOT_FOUND.into_response(),
    };
    let headers = parts.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
    node.shared.journal.add(Entry {
        channel: "be.http",
        node: node.name,
        method: parts.method.to_string(),
        path: visit.path,
        headers: masked_headers(headers),
        status: response.status().as_u16().to_string(),
        ..Entry::default()
    });
    response
}

fn error_log(node: &Node, query: &str) -> Response {
    let query = crate::net::url::query(query);
    let file = query.iter().find(|(name, _)| name == "file");
    match file.and_then(|(_, file)| node.shared.error_logs.read(file)) {
        Some(text) => (StatusCode::OK, text).into_response(),
        None => (StatusCode::NOT_FOUND, "file not exist").into_response(),
    }
}
