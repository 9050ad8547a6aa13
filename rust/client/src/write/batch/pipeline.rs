//! The task of one table: rows are encoded into the load that is being filled while the loads before it are sent.

use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::filling::{CutLoad, Filling};
use super::table::{Message, Table};
use crate::error::{Error, panicked};
use crate::write::load::LoadSpec;
use crate::write::load::driver::unsendable;
use crate::write::load::sender::Sender;
use crate::write::sink::Sink;

/// Rows come from Java up to a tenth of the interval after Java got them.
const HANDED_OVER: u32 = 10;

/// Runs until the stream is closed or a load fails for good. Dropping the future drops all that is not sent.
pub(super) async fn run(
    sink: Sink,
    table: Arc<Table>,
    spec: LoadSpec,
    messages: mpsc::UnboundedReceiver<Message>,
) {
    let (cut, queue) = mpsc::unbounded_channel();
    let filler = Filler {
        sink: &sink,
        table: &table,
        spec: &spec,
        cut,
    };
    let both = async {
        // Whichever fails first ends the other.
        tokio::try_join!(filler.run(messages), send(&sink, &table, spec.clone(), queue)).map(|_| ())
    };
    let guarded = AssertUnwindSafe(both).catch_unwind();
    let ended = guarded.await.unwrap_or_else(|payload| Err(panicked(&*payload)));
    if let Err(error) = ended {
        // The table may have changed, which a new attempt has to see.
        sink.tables().forget(&spec.database, &spec.table);
        table.streams().rest();
        table.fail(error);
    }
}

/// Sends the cut loads, each until it is taken.
async fn send(
    sink: &Sink,
    table: &Table,
    mut spec: LoadSpec,
    mut queue: mpsc::UnboundedReceiver<CutLoad>,
) -> Result<(), Error> {
    while let Some(load) = queue.recv().await {
        table.sending();
        let (headers, log, rows) = (load.headers.clone(), load.log.clone(), load.rows.clone());
        let outcome = Sender::new(sink, &spec, headers, log, rows).run().await?;
        spec.labels.next = outcome.next;
        let held = load.held();
        drop(load);
        table.streams().rest();
        table.was_sent(held, outcome);
    }
    Ok(())
}

/// The side that fills and cuts loads.
struct Filler<'a> {
    sink: &'a Sink,
    table: &'a Table,
    spec: &'a LoadSpec,
    cut: mpsc::UnboundedSender<CutLoad>,
}

impl Filler<'_> {
    async fn run(self, mut messages: mpsc::UnboundedReceiver<Message>) -> Result<(), Error> {
        let config = *self.table.streams().config();
        let mut filling: Option<Filling> = None;
        loop {
            let message = tokio::select! {
                biased;
                () = self.due(filling.as_ref().map(Filling::since)) => Message::Cut,
                message = messages.recv() => match message {
                    Some(message) => message,
                    None => return Ok(()),
                },
            };
            let Message::Rows(submitted) = message else {
                self.cut(filling.take()).await?;
                continue;
            };
            if filling
                .as_ref()
                .is_some_and(|load| load.rows() + submitted.rows > config.max_rows)
            {
                self.cut(filling.take()).await?;
            }
            let load = match filling.take() {
                Some(load) => load,
                None => {
                    let load = Filling::begin(self.sink, self.table.streams(), self.spec).await?;
                    self.table.begun();
                    load
                }
            };
            let before = load.encoded();
            let bytes = submitted.buffer.len() as u64;
            let (load, place) = load
                .add(submitted, self.table.streams().is_scarce())
                .await
                .map_err(|e| unsendable(self.spec, e))?;
            self.table.filled(bytes, load.encoded() - before, load.held());
            // Who waits for memory has to see first what could be cut.
            drop(place);
            self.table.streams().rest();
            if load.rows() >= config.max_rows || load.encoded() >= config.max_bytes {
                self.cut(Some(load)).await?;
            } else {
                filling = Some(load);
            }
        }
    }

    /// Waits until the oldest row is old enough and the queue has room.
    async fn due(&self, since: Option<Instant>) {
        let Some(since) = since else {
            return pending().await;
        };
        let interval = self.table.streams().config().interval;
        tokio::time::sleep_until(since + (interval - interval / HANDED_OVER)).await;
        let streams = self.table.streams();
        streams
            .until(|| self.table.has_room().unwrap_or_default().then_some(()))
            .await;
    }

    async fn cut(&self, load: Option<Filling>) -> Result<(), Error> {
        let cut = match load {
            Some(load) => Some(load.cut().await.map_err(|e| unsendable(self.spec, e))?),
            None => None,
        };
        self.table.was_cut(cut.as_ref().map(CutLoad::held));
        if let Some(load) = cut {
            // The other side ends with this one.
            let _ = self.cut.send(load);
        }
        Ok(())
    }
}
