//! Answers that come before the body of their request was read.
//!
//! A connection that is closed with bytes unread is reset, and the reset may overtake the answer. So what the client
//! still sends is read and dropped after the answer, within bounds.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use futures::StreamExt;
use http_body::{Frame, SizeHint};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::cluster::tasks::Tasks;

/// Bytes read and dropped at most.
const MOST_BYTES: usize = 16 << 20;

/// Time for it.
const WITHIN: Duration = Duration::from_secs(2);

/// An answer to a request whose body was not read. With `read` the body is read and dropped after it; else the
/// connection is closed at once.
pub(crate) fn early_answer(
    tasks: &Tasks,
    request: &HeaderMap,
    rest: Body,
    status_and_head: http::response::Parts,
    text: String,
    read: bool,
) -> Response {
    let mut head = status_and_head;
    let sent = CancellationToken::new();
    let body = Signalled {
        bytes: Some(Bytes::from(text)).filter(|bytes| !bytes.is_empty()),
        _sent: sent.clone().drop_guard(),
    };
    if !rest.is_end_stream() || !read {
        // A client that never sends the body must not take the connection for a fresh one.
        if !read || request.contains_key(header::EXPECT) {
            head.headers
                .insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if read {
            tasks.spawn(async move {
                sent.cancelled().await;
                let _ = tokio::time::timeout(WITHIN, drop_all(rest)).await;
            });
        }
    }
    Response::from_parts(head, Body::new(body))
}

async fn drop_all(rest: Body) {
    let mut rest = rest.into_data_stream();
    let mut bytes = 0;
    while let Some(Ok(piece)) = rest.next().await {
        bytes += piece.len();
        if bytes > MOST_BYTES {
            return;
        }
    }
}

/// A body that reports when it was passed to the connection.
struct Signalled {
    bytes: Option<Bytes>,
    _sent: DropGuard,
}

impl HttpBody for Signalled {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
