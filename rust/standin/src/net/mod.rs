//! Listeners and connections that can be torn down at any moment, as a node that dies tears them down.

pub(crate) mod drain;
pub(crate) mod url;

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Bytes of a request's head that are looked at.
const HEAD_MOST: usize = 16 << 10;

/// The connections of one listener, in the forms that axum, tonic and the MySQL server take.
///
/// Ends when its token is cancelled; every connection it gave out ends with it, by a TCP reset.
pub(crate) struct Incoming {
    listener: TcpListener,
    stop: CancellationToken,
}

impl Incoming {
    pub(crate) fn new(listener: TcpListener, stop: CancellationToken) -> Self {
        Self { listener, stop }
    }

    /// The next connection, or `None` once the listener is to stop.
    pub(crate) async fn next_connection(&mut self) -> Option<Connection> {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => return Some(Connection::new(stream, peer, &self.stop)),
                // Out of file descriptors, or a peer that was gone before it was accepted: neither ends the server.
                Err(error) => {
                    tracing::warn!(%error, "accept failed");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
    }
}

impl axum::serve::Listener for Incoming {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        match self.next_connection().await {
            Some(connection) => {
                let peer = connection.handle.peer;
                (connection, peer)
            }
            // The serving task is aborted by the code that cancelled the token.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl axum::extract::connect_info::Connected<axum::serve::IncomingStream<'_, Incoming>> for ConnectionHandle {
    fn connect_info(stream: axum::serve::IncomingStream<'_, Incoming>) -> Self {
        stream.io().handle.clone()
    }
}

/// The same connections as a stream, for tonic.
pub(crate) fn connections(incoming: Incoming) -> impl Stream<Item = io::Result<Connection>> {
    futures::stream::unfold(incoming, |mut incoming| async move {
        let connection = incoming.next_connection().await?;
        Some((Ok(connection), incoming))
    })
}

/// What a handler holds of the connection it answers on.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionHandle {
    /// Address of the client.
    pub(crate) peer: SocketAddr,
    end: CancellationToken,
    gentle: Arc<AtomicBool>,
    two_lengths: Arc<AtomicBool>,
}

impl ConnectionHandle {
    /// Whether the last request gave both `Content-Length` and `Transfer-Encoding`. The HTTP library hides the former
    /// then.
    pub(crate) fn two_lengths(&self) -> bool {
        self.two_lengths.load(Ordering::Acquire)
    }

    /// Tears the connection down with a TCP reset; nothing that is not yet on the wire is sent.
    pub(crate) fn reset(&self) {
        self.end.cancel();
    }

    /// Ends the connection in the ordinary way, without sending what is not yet on the wire.
    pub(crate) fn close(&self) {
        self.gentle.store(true, Ordering::Release);
        self.end.cancel();
    }

    /// Resolves when the connection is torn down from this side.
    pub(crate) async fn ended(&self) {
        self.end.cancelled().await;
    }
}

/// A TCP connection that its [`ConnectionHandle`] can end between any two reads or writes.
pub(crate) struct Connection {
    stream: TcpStream,
    handle: ConnectionHandle,
    wait: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Begin of a request that is being read.
    head: Vec<u8>,
}

impl Connection {
    fn new(stream: TcpStream, peer: SocketAddr, stop: &CancellationToken) -> Self {
        // Answers are small and a client waits for each.
        let _ = stream.set_nodelay(true);
        let end = stop.child_token();
        let wait = Box::pin(end.clone().cancelled_owned());
        let handle = ConnectionHandle {
            peer,
            end,
            gentle: Arc::default(),
            two_lengths: Arc::default(),
        };
        Self {
            stream,
            handle,
            wait,
            head: Vec::new(),
        }
    }

    pub(crate) fn handle(&self) -> ConnectionHandle {
        self.handle.clone()
    }

    fn ended(&mut self) -> Option<io::Error> {
        if !self.handle.end.is_cancelled() {
            return None;
        }
        if !self.handle.gentle.load(Ordering::Acquire) {
            let _ = self.stream.set_zero_linger();
        }
        Some(io::Error::new(
            io::ErrorKind::ConnectionReset,
            "connection torn down",
        ))
    }

    /// Looks at the head of each `PUT`, which begins a read, for what the HTTP library does not show.
    fn watch(&mut self, bytes: &[u8]) {
        if self.head.is_empty() && !bytes.starts_with(b"PUT ") {
            return;
        }
        self.head.extend_from_slice(&bytes[..bytes.len().min(HEAD_MOST)]);
        let end = self.head.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let head = &self.head[..end];
            let two = has_header(head, b"content-length") && has_header(head, b"transfer-encoding");
            self.handle.two_lengths.store(two, Ordering::Release);
        }
        if end.is_some() || self.head.len() >= HEAD_MOST {
            self.head.clear();
        }
    }

    /// Turns "not ready" into an error when the connection ends, and wakes the task when that happens later.
    fn guard<T>(&mut self, context: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() || self.wait.as_mut().poll(context).is_pending() {
            return poll;
        }
        self.ended()
            .map_or(Poll::Pending, |error| Poll::Ready(Err(error)))
    }
}

impl Drop for Connection {
    /// A connection that is dropped without another read or write is reset all the same.
    fn drop(&mut self) {
        self.ended();
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(error) = self.ended() {
            return Poll::Ready(Err(error));
        }
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.watch(&buffer.filled()[before..]);
        self.guard(context, poll)
    }
}

fn has_header(head: &[u8], name: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').any(|line| {
        let named = line
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name));
        named && line.get(name.len()) == Some(&b':')
    })
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Some(error) = self.ended() {
            return Poll::Ready(Err(error));
        }
        let poll = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.guard(context, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Some(error) = self.ended() {
            return Poll::Ready(Err(error));
        }
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.guard(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(error) = self.ended() {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl tonic::transport::server::Connected for Connection {
    type ConnectInfo = ConnectionHandle;

    fn connect_info(&self) -> ConnectionHandle {
        self.handle.clone()
    }
}
