//! How a request at a back end ends: with an answer, or with what a fault rule puts in its place.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::control::rules::{Action, AnswerFault};
use crate::net::ConnectionHandle;

/// The end of a request.
pub(super) enum Ending {
    /// JSON, HTTP status 200.
    Json(String),
    /// Anything else.
    Http(StatusCode, String),
    /// The connection is torn down.
    Torn,
}

impl Ending {
    /// What an action puts in the answer's place, if anything; `failure_text` makes the text of a failure.
    pub(super) fn struck(
        action: &Action,
        connection: &ConnectionHandle,
        failure_text: impl FnOnce(&AnswerFault) -> String,
    ) -> Option<Self> {
        if action.reset {
            connection.reset();
            return Some(Self::Torn);
        }
        if action.close.is_some() || action.drop_answer {
            connection.close();
            return Some(Self::Torn);
        }
        if let Some(fault) = &action.status {
            let code = fault.code.as_u64().and_then(|code| u16::try_from(code).ok());
            let status = code.and_then(|code| StatusCode::from_u16(code).ok());
            return Some(Self::Http(
                status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
                fault.message.clone(),
            ));
        }
        let answer = action.answer.as_ref()?;
        Some(Self::Json(failure_text(answer)))
    }

    /// Status and text that go out.
    pub(super) fn parts(self) -> (http::response::Parts, String) {
        let (status, text) = match self {
            Self::Json(text) => (StatusCode::OK, text),
            Self::Http(status, text) => (status, text),
            Self::Torn => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
        };
        let kind = [(header::CONTENT_TYPE, "application/json")];
        let (parts, _) = (status, kind, ()).into_response().into_parts();
        (parts, text)
    }

    pub(super) fn into_response(self) -> Response {
        let (parts, text) = self.parts();
        Response::from_parts(parts, text.into())
    }
}
