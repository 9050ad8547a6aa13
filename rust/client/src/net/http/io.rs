//! A connection on which an early answer is always seen.
//!
//! A server may answer and close while a body is still on its way. Then a write fails first, and the answer, which
//! lies ready to be read, would be lost with it (tried: more than half of the time). So the first failure of a write
//! is parked: from then on nothing is written, and reading goes on to the answer or to the end.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What happened on a connection.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    written: AtomicU64,
    parked: Mutex<Option<io::Error>>,
}

impl Traffic {
    /// Bytes that the operating system has taken.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// The failure of a write, if there was one.
    pub(crate) fn parked(&self) -> Option<String> {
        let parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        parked.as_ref().map(ToString::to_string)
    }
}

/// A stream that parks the first failure of a write.
pub(crate) struct Parking<S> {
    stream: S,
    traffic: Arc<Traffic>,
    broken: bool,
}

impl<S> Parking<S> {
    pub(crate) fn new(stream: S, traffic: Arc<Traffic>) -> Self {
        Self {
            stream,
            traffic,
            broken: false,
        }
    }

    fn after(&mut self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match polled {
            Poll::Ready(Ok(n)) => {
                self.traffic.written.fetch_add(n as u64, Relaxed);
                Poll::Ready(Ok(n))
            }
            Poll::Ready(Err(error)) => {
                self.broken = true;
                *self.traffic.parked.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                // Never woken from here: what the peer still sends, or its end, wakes the reading side.
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Parking<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Parking<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if self.broken {
            return Poll::Pending;
        }
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.after(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.broken {
            return Poll::Pending;
        }
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.after(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.broken {
            return Poll::Pending;
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
