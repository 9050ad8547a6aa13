//! Ends an HTTP/2 stream as no gRPC server would: reset, or in order but without its trailers.
//!
//! A handler requests it by a status of [`reset`] or [`no_trailers`]; the layer finds the mark in headers or trailers.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tonic::Status;

const MARK: &str = "standin-cut";

/// A status that becomes a reset of the HTTP/2 stream.
pub(crate) fn reset() -> Status {
    marked("reset")
}

/// A status that becomes the end of the HTTP/2 stream, without status.
pub(crate) fn no_trailers() -> Status {
    marked("end")
}

fn marked(kind: &'static str) -> Status {
    let mut status = Status::aborted("stream cut");
    status
        .metadata_mut()
        .insert(MARK, tonic::metadata::MetadataValue::from_static(kind));
    status
}

/// Layer that executes the marks.
#[derive(Clone, Copy, Default)]
pub(crate) struct CutLayer;

impl<S> tower::Layer<S> for CutLayer {
    type Service = CutService<S>;

    fn layer(&self, inner: S) -> CutService<S> {
        CutService { inner }
    }
}

/// See [`CutLayer`].
#[derive(Clone)]
pub(crate) struct CutService<S> {
    inner: S,
}

impl<S, R, B> tower::Service<R> for CutService<S>
where
    S: tower::Service<R, Response = http::Response<B>>,
    S::Future: Send + 'static,
{
    type Response = http::Response<CutBody<B>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let answer = self.inner.call(request);
        Box::pin(async move {
            let (mut parts, body) = answer.await?.into_parts();
            let cut = cut_of(&parts.headers);
            if cut.is_some() {
                for name in [MARK, "grpc-status", "grpc-message"] {
                    parts.headers.remove(name);
                }
            }
            Ok(http::Response::from_parts(parts, CutBody { inner: body, cut }))
        })
    }
}

#[derive(Clone, Copy)]
enum Cut {
    Reset,
    End,
}

fn cut_of(headers: &http::HeaderMap) -> Option<Cut> {
    match headers.get(MARK)?.as_bytes() {
        b"reset" => Some(Cut::Reset),
        _ => Some(Cut::End),
    }
}

/// Body that stops at a mark.
pub(crate) struct CutBody<B> {
    inner: B,
    cut: Option<Cut>,
}

impl<B> Body for CutBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.cut.is_none() {
            let frame = std::task::ready!(Pin::new(&mut self.inner).poll_frame(context));
            self.cut = match &frame {
                Some(Ok(frame)) => frame.trailers_ref().and_then(cut_of),
                _ => None,
            };
            if self.cut.is_none() {
                return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
            }
        }
        Poll::Ready(match self.cut {
            Some(Cut::Reset) => Some(Err("stream cut by a fault rule".into())),
            _ => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        match self.cut {
            Some(Cut::Reset) => false,
            Some(Cut::End) => true,
            None => self.inner.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        if self.cut.is_some() {
            SizeHint::default()
        } else {
            self.inner.size_hint()
        }
    }
}
