//! What a gRPC status means: whose fault, and whether trying again can help.

use std::time::Duration;

use tonic::{Code, Status};

use crate::config::address::Address;
use crate::error::{Error, ErrorKind, walk};
use crate::read::window::refusal;

/// The server's text, or the causes of a connection that broke. Never shows metadata.
pub(super) fn text(status: &Status) -> String {
    let mut text = status.message().to_owned();
    if let Some(source) = std::error::Error::source(status) {
        let causes = walk(source);
        if !text.contains(&causes) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&causes);
        }
    }
    if text.is_empty() {
        text = status.code().description().to_owned();
    }
    text
}

/// Whether the connection broke, as opposed to the server having answered.
pub(super) fn is_broken(status: &Status) -> bool {
    std::error::Error::source(status).is_some()
}

/// Whether something else than a Flight service answered: an HTTP port gives text where the first byte of a message
/// is due, or a status of HTTP alone.
pub(super) fn is_foreign(status: &Status) -> bool {
    let text = status.message();
    text.contains("invalid compression flag") || text.contains("mapped from HTTP status code")
}

/// Whether the server no longer knows the token.
pub(super) fn forgot_token(status: &Status) -> bool {
    let text = status.message();
    status.code() == Code::Unauthenticated
        || text.contains("invalid bearer token")
        || text.contains("bearer token expired")
}

/// What the refusal of a changelog query means; `None` for every other refusal.
pub(super) fn changelog_refusal(status: &Status, text: &str) -> Option<ErrorKind> {
    let told = |name| status.metadata().get(name).and_then(|value| value.to_str().ok());
    refusal::kind(told("doris-error-code"), told("doris-error-name"), text)
}

/// Whether the same query may succeed a moment later: the result was not ready, or the back ends that hold the rows
/// are away.
pub(super) fn not_ready(status: &Status) -> bool {
    const PASSING: [&str; 3] = [
        "arrow flight schema",
        "no queryable replica",
        "no scanNode Backend",
    ];
    status.code() == Code::Unavailable || PASSING.iter().any(|text| status.message().contains(text))
}

/// The error for a stream that ended badly.
pub(super) fn stream_error(node: &Address, status: &Status) -> Error {
    let error = Error::new(
        ErrorKind::Transport,
        format!("the stream of rows from {node} broke: {}", text(status)),
    );
    // Another login is another token, and another node may be one of Doris.
    if forgot_token(status) || is_foreign(status) {
        return error.retryable();
    }
    match status.code() {
        // The server will answer the same again.
        Code::InvalidArgument | Code::Unimplemented | Code::PermissionDenied | Code::OutOfRange => {
            error.with_kind(ErrorKind::Query)
        }
        _ => error.retryable(),
    }
}

/// The error for something that took too long; not worth repeating, it would take as long again.
pub(crate) fn timeout(what: &str, limit: Duration, option: &str) -> Error {
    Error::new(
        ErrorKind::Timeout,
        format!("{what} did not come within {} ms ({option})", limit.as_millis()),
    )
}
