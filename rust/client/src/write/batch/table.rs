//! What one table's stream is doing: what is filled, waits and was sent, for all who wait for a change of it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::streams::Streams;
use crate::error::Error;
use crate::write::load::LoadOutcome;
use crate::write::load::encode_task::Submitted;

/// Encoded bytes for a byte of a buffer, before there are any: most rows become longer as text.
const FIRST_GROWTH: f64 = 2.0;

/// To the task of a table, in order.
#[derive(Debug)]
pub(super) enum Message {
    /// Rows.
    Rows(Submitted),
    /// The load that is being filled is to be sent.
    Cut,
}

#[derive(Debug)]
pub(super) struct Table {
    streams: Arc<Streams>,
    input: mpsc::UnboundedSender<Message>,
    state: Mutex<State>,
}

#[derive(Debug)]
pub(super) struct State {
    /// Bytes of the load that is being filled.
    filling: u64,
    /// Bytes of cut loads.
    cut: u64,
    /// A cut for the sake of memory was requested and has not taken place.
    cutting: bool,
    /// Cut loads that wait for the one that is being sent.
    waiting: usize,
    /// Buffers that are not encoded, and loads that have not ended.
    unfinished: usize,
    /// The most that a byte of a buffer became.
    growth: f64,
    ended: VecDeque<LoadOutcome>,
    failure: Option<Error>,
}

impl Table {
    pub(super) fn new(streams: Arc<Streams>, input: mpsc::UnboundedSender<Message>) -> Self {
        Self {
            streams,
            input,
            state: Mutex::new(State {
                filling: 0,
                cut: 0,
                cutting: false,
                waiting: 0,
                unfinished: 0,
                growth: FIRST_GROWTH,
                ended: VecDeque::new(),
                failure: None,
            }),
        }
    }

    pub(super) fn streams(&self) -> &Arc<Streams> {
        &self.streams
    }

    pub(super) fn submit(&self, submitted: Submitted) -> Result<(), Error> {
        let mut state = self.state();
        state.check()?;
        state.unfinished += 1;
        // Should the task be gone, its failure is known or comes at once.
        let _ = self.input.send(Message::Rows(submitted));
        Ok(())
    }

    pub(super) fn send(&self, message: Message) {
        let _ = self.input.send(message);
    }

    /// Whether another cut load may wait; an error after a failure.
    pub(super) fn has_room(&self) -> Result<bool, Error> {
        let state = self.state();
        state.check()?;
        Ok(state.waiting < self.streams.queue())
    }

    /// Bytes that a buffer of so many will have become.
    pub(super) fn grown(&self, bytes: u64) -> u64 {
        // Lossy only where it does not matter.
        (bytes as f64 * self.state().growth) as u64
    }

    /// Bytes of cut loads, and whether there will be more at once.
    pub(super) fn cut_bytes(&self) -> (u64, bool) {
        let state = self.state();
        match state.failure {
            // It gives all back by itself.
            Some(_) => (0, false),
            None => (state.cut, state.cutting),
        }
    }

    /// Bytes that a cut would bring on their way.
    pub(super) fn worth_cutting(&self) -> u64 {
        let state = self.state();
        if state.failure.is_none() && state.waiting < self.streams.queue() {
            state.filling
        } else {
            0
        }
    }

    /// Requests a cut for the sake of memory.
    pub(super) fn cut(&self) {
        self.state().cutting = true;
        self.send(Message::Cut);
    }

    /// A load is begun.
    pub(super) fn begun(&self) {
        self.state().unfinished += 1;
    }

    /// A buffer was encoded: the load that is being filled has so many bytes now.
    pub(super) fn filled(&self, buffer: u64, encoded: u64, filling: u64) {
        let mut state = self.state();
        state.unfinished -= 1;
        state.filling = filling;
        if buffer > 0 {
            state.growth = state.growth.max(encoded as f64 / buffer as f64);
        }
    }

    /// The load that was being filled waits with so many bytes; `None` where there was none to cut.
    pub(super) fn was_cut(&self, bytes: Option<u64>) {
        let mut state = self.state();
        state.cutting = false;
        if let Some(bytes) = bytes {
            state.filling = 0;
            state.cut += bytes;
            state.waiting += 1;
        }
        drop(state);
        self.streams.tell();
    }

    /// The next load is being sent.
    pub(super) fn sending(&self) {
        self.state().waiting -= 1;
        self.streams.tell();
    }

    /// The load that was being sent has been taken.
    pub(super) fn was_sent(&self, bytes: u64, outcome: LoadOutcome) {
        let mut state = self.state();
        state.cut -= bytes;
        state.unfinished -= 1;
        state.ended.push_back(outcome);
        drop(state);
        self.streams.tell();
    }

    /// Nothing more is sent; the first failure counts.
    pub(super) fn fail(&self, error: Error) {
        let mut state = self.state();
        state.failure.get_or_insert(error);
        drop(state);
        self.streams.tell();
    }

    pub(super) fn next_ended(&self) -> Option<LoadOutcome> {
        self.state().ended.pop_front()
    }

    /// Waits until all that was submitted has been taken, or for the failure.
    pub(super) async fn idle(&self) -> Result<(), Error> {
        self.streams
            .until(|| {
                let state = self.state();
                match state.check() {
                    Err(error) => Some(Err(error)),
                    Ok(()) if state.unfinished == 0 => Some(Ok(())),
                    Ok(()) => None,
                }
            })
            .await
    }

    /// Waits for the failure.
    pub(super) async fn failure(&self) -> Error {
        self.streams.until(|| self.state().check().err()).await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn check(&self) -> Result<(), Error> {
        match &self.failure {
            Some(error) => Err(error.again()),
            None => Ok(()),
        }
    }
}
