//! One HTTP/1.1 request on a connection of its own. No pool, no task: dropping the future drops the connection.

mod io;

use std::error::Error as StdError;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use http::header::LOCATION;
use http::{Request, StatusCode};
use http_body::Body;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

pub(crate) use io::Traffic;

use crate::error::{Error, ErrorKind, walk};

/// An answer longer than this is cut.
const LONGEST_ANSWER: usize = 1 << 20;

/// A final answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    /// Where a redirect points to.
    pub(crate) location: Option<String>,
    pub(crate) text: String,
}

/// Sends a request and reads the final answer, wherever in the body it comes. `patience` ends the wait with its
/// error. Any other error means that the connection broke; it is marked as one that may pass.
pub(crate) async fn exchange<B>(
    stream: TcpStream,
    request: Request<B>,
    traffic: Arc<Traffic>,
    patience: impl Future<Output = Error>,
) -> Result<Reply, Error>
where
    B: Body<Data = Bytes> + 'static,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    let io = TokioIo::new(io::Parking::new(stream, traffic.clone()));
    let broken = |error: hyper::Error| broken(&error, &traffic);
    let (mut sender, connection) = http1::handshake(io).await.map_err(broken)?;
    let mut patience = pin!(patience);
    let mut connection = Driven::Running(pin!(connection));
    let response = connection
        .until(sender.send_request(request), patience.as_mut())
        .await?
        .map_err(broken)?;
    let (head, mut body) = response.into_parts();
    let mut text = Vec::new();
    loop {
        let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx));
        match connection.until(frame, patience.as_mut()).await? {
            None => break,
            Some(Err(error)) => return Err(broken(error)),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    let room = LONGEST_ANSWER.saturating_sub(text.len());
                    text.extend_from_slice(&data[..data.len().min(room)]);
                    if data.remaining() > room {
                        break;
                    }
                }
            }
        }
    }
    Ok(Reply {
        status: head.status,
        location: head
            .headers
            .get(LOCATION)
            .map(|l| String::from_utf8_lossy(l.as_bytes()).into_owned()),
        text: String::from_utf8_lossy(&text).into_owned(),
    })
}

/// The body of a request that has none. Its `Content-Length` must be set by hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Empty;

impl Body for Empty {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        std::task::Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        true
    }

    fn size_hint(&self) -> http_body::SizeHint {
        http_body::SizeHint::with_exact(0)
    }
}

/// A connection, which must be polled for anything to happen, and not after its end.
enum Driven<C> {
    Running(C),
    Over,
}

impl<C: Future + Unpin> Driven<C> {
    /// Waits for `wanted` while the connection is driven and the patience lasts.
    async fn until<T>(
        &mut self,
        wanted: impl Future<Output = T>,
        mut patience: Pin<&mut impl Future<Output = Error>>,
    ) -> Result<T, Error> {
        let mut wanted = pin!(wanted);
        poll_fn(|cx| {
            if let Self::Running(connection) = self
                && Pin::new(connection).poll(cx).is_ready()
            {
                // What is wanted knows why.
                *self = Self::Over;
            }
            if let std::task::Poll::Ready(found) = wanted.as_mut().poll(cx) {
                return std::task::Poll::Ready(Ok(found));
            }
            patience.as_mut().poll(cx).map(Err)
        })
        .await
    }
}

fn broken(error: &hyper::Error, traffic: &Traffic) -> Error {
    let read = walk(error);
    let text = match traffic.parked() {
        Some(written) if !read.contains(&written) => format!("{written}; {read}"),
        _ => read,
    };
    Error::new(
        ErrorKind::Transport,
        format!("the connection broke before an answer came ({text})"),
    )
    .retryable()
}

/// Where a redirect points to: `host:port` and the path with its query, without the user info that some servers put
/// in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) node: crate::config::address::Address,
    pub(crate) path: String,
}

impl Target {
    /// Reads a `Location`; the error names what is wrong with it, without repeating credentials.
    pub(crate) fn parse(location: &str) -> Result<Self, String> {
        if location.starts_with("https:") {
            return Err(
                "it wants https: the cluster asks for TLS, which doris.enable.tls would switch on and which is not supported yet; open its http port"
                    .to_owned(),
            );
        }
        let rest = location
            .strip_prefix("http://")
            .ok_or("its Location is not an http address")?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let with_port = if host.ends_with(']') || !host.contains(':') {
            format!("{host}:80")
        } else {
            host.to_owned()
        };
        Ok(Self {
            node: crate::config::address::Address::parse(&with_port)?,
            path: match path.chars().next() {
                None => "/".to_owned(),
                Some('/') => path.to_owned(),
                Some(_) => format!("/{path}"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_lose_their_user_info() {
        for (location, node, path) in [
            (
                "http://root:p%40ss@be1:8040/api/db/t/_stream_load?",
                "be1:8040",
                "/api/db/t/_stream_load?",
            ),
            ("http://[::1]:8040/a?b=c@d", "[::1]:8040", "/a?b=c@d"),
            ("http://be1/a", "be1:80", "/a"),
            ("http://be1:8040", "be1:8040", "/"),
        ] {
            let target = Target::parse(location).unwrap();
            assert_eq!(
                (target.node.to_string().as_str(), target.path.as_str()),
                (node, path)
            );
        }
        let refused = Target::parse("https://root:s3cret@be1:8443/a").unwrap_err();
        assert!(
            refused.contains("https") && !refused.contains("s3cret"),
            "{refused}"
        );
        assert!(!Target::parse("s3cret").unwrap_err().contains("s3cret"));
    }
}
