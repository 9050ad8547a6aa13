//! The body of a load's request: waits for `100 Continue`, then gives chunk after chunk. It ends only when the rows
//! came to their end; in every other case it fails, and the server drops the load.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::task::AtomicWaker;
use http_body::{Body, Frame};
use tokio::sync::Notify;

use super::replay::{ChunkLog, Truncated};
use crate::write::metrics::Counters;

/// How one attempt proceeds: what its body, its connection and its watch share.
#[derive(Debug, Default)]
pub(super) struct Flow {
    open: AtomicBool,
    opened: Notify,
    waker: AtomicWaker,
    complete: AtomicBool,
    starved: AtomicBool,
    taken: AtomicU64,
}

impl Flow {
    /// The server wants the body.
    pub(super) fn open(&self) {
        self.open.store(true, Ordering::Release);
        self.waker.wake();
        self.opened.notify_one();
    }

    /// Whether the server wants the body.
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Waits until the server wants the body. For one waiter.
    pub(super) async fn opened(&self) {
        while !self.is_open() {
            self.opened.notified().await;
        }
    }

    /// Whether the end of the body went to the connection.
    pub(super) fn is_complete(&self) -> bool {
        self.complete.load(Ordering::Acquire)
    }

    /// Whether the body waits for rows.
    pub(super) fn is_starved(&self) -> bool {
        self.starved.load(Ordering::Acquire)
    }

    /// Bytes that went to the connection.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

/// The body of one attempt.
pub(super) struct LoadBody {
    log: Arc<ChunkLog>,
    reader: u64,
    flow: Arc<Flow>,
    counters: Arc<Counters>,
}

impl LoadBody {
    /// The body of attempt `reader`, as [`ChunkLog::rewind`] counts them.
    pub(super) fn new(log: Arc<ChunkLog>, reader: u64, flow: Arc<Flow>, counters: Arc<Counters>) -> Self {
        Self {
            log,
            reader,
            flow,
            counters,
        }
    }
}

impl Body for LoadBody {
    type Data = Bytes;
    type Error = Truncated;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Truncated>>> {
        let flow = &self.flow;
        if !flow.is_open() {
            flow.waker.register(context.waker());
            // It may have opened in between.
            if !flow.is_open() {
                return Poll::Pending;
            }
        }
        let polled = self.log.poll_take(self.reader, context);
        flow.starved.store(polled.is_pending(), Ordering::Release);
        polled.map(|taken| match taken {
            Some(Ok(bytes)) => {
                let length = bytes.len() as u64;
                flow.taken.fetch_add(length, Ordering::Relaxed);
                self.counters.sent_bytes.fetch_add(length, Ordering::Relaxed);
                Some(Ok(Frame::data(bytes)))
            }
            Some(Err(truncated)) => Some(Err(truncated)),
            None => {
                flow.complete.store(true, Ordering::Release);
                None
            }
        })
    }
}
