//! HTTP service of a back end: health.

pub(crate) mod headers;

use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::admin::journal::{Entry, masked_headers};
use crate::net::{ConnectionHandle, Incoming};
use crate::shared::Shared;

/// Serves the HTTP port of a back end until its task is aborted.
pub(crate) async fn serve(shared: Arc<Shared>, index: usize, incoming: Incoming) {
    let router = Router::new()
        .fallback(handle)
        .with_state((shared, format!("be{index}")));
    let service = router.into_make_service_with_connect_info::<ConnectionHandle>();
    if let Err(error) = axum::serve(incoming, service).await {
        tracing::warn!(%error, "back end listener ended");
    }
}

async fn handle(
    State((shared, node)): State<(Arc<Shared>, String)>,
    ConnectInfo(_connection): ConnectInfo<ConnectionHandle>,
    request: Request,
) -> Response {
    let path = request.uri().path().to_owned();
    let response = match path.as_str() {
        "/" => (StatusCode::OK, "<html>doris-standin back end</html>").into_response(),
        "/api/health" => axum::Json(json!({"status": "OK", "msg": "To Be Added"})).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    };
    let headers = request
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()));
    shared.journal.add(Entry {
        channel: "be.http",
        node,
        method: request.method().to_string(),
        path,
        headers: masked_headers(headers),
        status: response.status().as_u16().to_string(),
        ..Entry::default()
    });
    response
}
