//! The body of a load on its way in: fault rules at numbers of bytes, a limit of speed, and where the bytes go.

use std::time::{Duration, Instant};

use axum::body::{Body, BodyDataStream, Bytes};
use futures::StreamExt;

use super::load::Task;
use crate::control::faults::Strike;
use crate::control::rules::Point;
use crate::stream_load::StreamLoad;

/// Why a body was not received to its end.
pub(super) enum Broken {
    /// The client is gone.
    Gone,
    /// A fault rule breaks the load.
    Struck(Strike),
    /// More bytes than the server takes.
    TooLarge(u64),
}

/// What became of a body.
#[derive(Default)]
pub(super) struct Received {
    /// Bytes that came.
    pub(super) bytes: u64,
    /// Why the rows are refused; the rest of the body was read and dropped.
    pub(super) refused: Option<String>,
    /// The answer is not to be sent.
    pub(super) drop_answer: bool,
    /// Time spent waiting for bytes.
    pub(super) reading: Duration,
    /// Time spent on them.
    pub(super) writing: Duration,
}

/// A body that is being received.
pub(super) struct BodyReader<'a> {
    task: &'a Task,
    label: &'a str,
    rows: Option<&'a mut StreamLoad>,
    most: u64,
    received: Received,
    pace: Option<Pace>,
}

/// A limit of speed.
struct Pace {
    per_second: u64,
    begun: Instant,
    bytes: u64,
}

impl<'a> BodyReader<'a> {
    /// Bytes go to `rows`, or are only counted where there are none.
    pub(super) fn new(task: &'a Task, label: &'a str, rows: Option<&'a mut StreamLoad>, most: u64) -> Self {
        Self {
            task,
            label,
            rows,
            most,
            received: Received::default(),
            pace: None,
        }
    }

    /// Takes the body to its end.
    pub(super) async fn take(mut self, body: Body) -> (Received, Result<(), Broken>) {
        let result = self.all(body.into_data_stream()).await;
        (self.received, result)
    }

    async fn all(&mut self, mut body: BodyDataStream) -> Result<(), Broken> {
        // Rules for the first byte strike before it is read.
        if let Some(strike) = self.struck(0, 1) {
            self.obey(strike).await?;
        }
        loop {
            let waited = Instant::now();
            let next = body.next().await;
            self.received.reading += waited.elapsed();
            match next {
                None => return Ok(()),
                Some(Err(_)) => return Err(Broken::Gone),
                Some(Ok(bytes)) => self.bytes(bytes).await?,
            }
        }
    }

    /// Takes bytes up to the next rule that strikes among them, then obeys it, and so on.
    async fn bytes(&mut self, mut bytes: Bytes) -> Result<(), Broken> {
        while !bytes.is_empty() {
            let at = self.received.bytes;
            let strike = self.struck(at + 1, at + bytes.len() as u64 + 1);
            let until = strike
                .as_ref()
                .map_or(bytes.len() as u64, |strike| strike.after() - at);
            let piece = bytes.split_to(usize::try_from(until).unwrap_or(bytes.len()));
            self.piece(piece).await?;
            if let Some(strike) = strike {
                self.obey(strike).await?;
            }
        }
        Ok(())
    }

    async fn piece(&mut self, mut bytes: Bytes) -> Result<(), Broken> {
        while !bytes.is_empty() {
            let most = self.pace.as_ref().map_or(bytes.len(), Pace::step);
            let part = bytes.split_to(most.min(bytes.len()));
            self.received.bytes += part.len() as u64;
            self.task.count(part.len() as u64);
            if self.received.bytes > self.most {
                return Err(Broken::TooLarge(self.received.bytes));
            }
            if let Some(pace) = &mut self.pace {
                pace.pass(part.len() as u64).await;
            }
            let begun = Instant::now();
            if self.received.refused.is_none()
                && let Some(rows) = &mut self.rows
                && let Err(refused) = rows.push(part).await
            {
                // As Doris does it, the rest is read all the same: the client learns why after it.
                self.received.refused = Some(refused.message);
            }
            self.received.writing += begun.elapsed();
        }
        Ok(())
    }

    fn struck(&self, from: u64, to: u64) -> Option<Strike> {
        self.task
            .struck(Point::BeLoadBody, Some(self.label), Some(from..to))
    }

    async fn obey(&mut self, strike: Strike) -> Result<(), Broken> {
        strike.pause().await;
        let action = strike.action();
        if let Some(per_second) = action.bytes_per_second.filter(|rate| *rate > 0) {
            self.pace = Some(Pace {
                per_second,
                begun: Instant::now(),
                bytes: 0,
            });
        }
        self.received.drop_answer |= action.drop_answer;
        if action.breaks() {
            return Err(Broken::Struck(strike));
        }
        Ok(())
    }
}

impl Pace {
    /// Bytes to take at once, so that the flow is even.
    fn step(&self) -> usize {
        usize::try_from(self.per_second / 20).unwrap_or(usize::MAX).max(1)
    }

    async fn pass(&mut self, bytes: u64) {
        self.bytes += bytes;
        let due = Duration::from_secs_f64(self.bytes as f64 / self.per_second as f64);
        tokio::time::sleep_until((self.begun + due).into()).await;
    }
}
