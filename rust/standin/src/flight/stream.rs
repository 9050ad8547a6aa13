//! The stream of a `DoGet`: batches cut to pieces as the client takes them, faults in between, books kept.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_flight::FlightData;
use futures::Stream;
use futures::stream::unfold;
use tonic::Status;

use super::cut;
use super::encode::{Encoder, corrupt_header, relabel, rows_within, truncate_body};
use super::results::StoredResult;
use crate::control::faults::{Sight, Strike};
use crate::control::journal::Entry;
use crate::control::rules::{Action, Close, Point};
use crate::control::stats::Open;
use crate::net::ConnectionHandle;
use crate::shared::Shared;

/// Streams a result. Nothing is encoded before the client reads it; dropping the stream frees everything at once.
pub(crate) fn serve(
    shared: &Arc<Shared>,
    piece_bytes: usize,
    channel: &'static str,
    node: &str,
    connection: ConnectionHandle,
    result: StoredResult,
) -> impl Stream<Item = Result<FlightData, Status>> + Send + use<> {
    let state = Serving {
        _open: Open::new(&shared.counters.flight_streams),
        shared: shared.clone(),
        piece_bytes,
        channel,
        node: node.to_owned(),
        connection,
        result,
        encoder: Encoder::new(),
        stage: Stage::Schema,
        current: None,
        next: 0,
        sent: 0,
        rows: 0,
        struck: false,
        damage: None,
        status: "cancelled".to_owned(),
    };
    unfold(state, |mut state| async move {
        let item = state.step().await?;
        Some((item, state))
    })
}

struct Serving {
    _open: Open,
    shared: Arc<Shared>,
    piece_bytes: usize,
    channel: &'static str,
    node: String,
    connection: ConnectionHandle,
    result: StoredResult,
    encoder: Encoder,
    stage: Stage,
    /// Batch that pieces are cut from, and the first row not yet sent.
    current: Option<(RecordBatch, usize)>,
    /// Index of the batch after `current`.
    next: usize,
    sent: u64,
    rows: u64,
    /// Whether the rules were applied at this number of sent batches.
    struck: bool,
    damage: Option<Strike>,
    status: String,
}

enum Stage {
    Schema,
    Batches,
    Over,
}

impl Serving {
    async fn step(&mut self) -> Option<Result<FlightData, Status>> {
        if matches!(self.stage, Stage::Over) {
            return None;
        }
        if let Err(status) = self.strike().await {
            return Some(Err(self.fail(status)));
        }
        if matches!(self.stage, Stage::Schema) {
            self.stage = Stage::Batches;
            return Some(Ok(self.encoder.schema(&self.result.schema)));
        }
        match self.piece() {
            Ok(Some(data)) => Some(Ok(data)),
            Ok(None) => {
                self.stage = Stage::Over;
                self.status = "ok".to_owned();
                None
            }
            Err(error) => Some(Err(self.fail(Status::internal(error.to_string())))),
        }
    }

    /// Asks the rules once for each number of sent batches.
    async fn strike(&mut self) -> Result<(), Status> {
        if std::mem::replace(&mut self.struck, true) {
            return Ok(());
        }
        let sight = Sight {
            node: &self.node,
            statement: &self.result.statement,
            table: self.result.table.as_deref(),
            batches: self.sent,
            ..Sight::default()
        };
        let Some(strike) = self.shared.strike(Point::FlightDoGet, &sight).await else {
            return Ok(());
        };
        if let Some(status) = failure(strike.action(), &self.connection, "get stream statement failed, ") {
            return Err(status);
        }
        if strike.action().truncate || strike.action().corrupt_header {
            self.damage = Some(strike);
        }
        Ok(())
    }

    /// The next piece, encoded; `None` at the end.
    fn piece(&mut self) -> Result<Option<FlightData>, arrow_schema::ArrowError> {
        let (batch, start) = loop {
            match self.current.take() {
                Some((batch, start)) if start < batch.num_rows() => break (batch, start),
                _ => match self.result.batches.get_mut(self.next) {
                    None => return Ok(None),
                    Some(stored) => {
                        // The slot is emptied, so that what was sent is not held until the end.
                        let stored = std::mem::replace(stored, RecordBatch::new_empty(stored.schema()));
                        self.next += 1;
                        self.current = Some((stored, 0));
                    }
                },
            }
        };
        let most = rows_within(&batch, self.piece_bytes).min(self.result.batch_rows.max(1));
        let rows = most.min(batch.num_rows() - start);
        let piece = if rows == batch.num_rows() {
            batch.clone()
        } else {
            batch.slice(start, rows)
        };
        self.current = Some((batch, start + rows));
        let piece = match &self.result.form {
            Some(form) => form.apply(&piece)?,
            None => relabel(&piece, &self.result.schema)?,
        };
        let mut data = self.encoder.batch(&piece)?;
        if let Some(strike) = self.damage.take() {
            if strike.action().corrupt_header {
                corrupt_header(&mut data);
            }
            if strike.action().truncate {
                truncate_body(&mut data);
            }
        }
        let bytes = (data.data_header.len() + data.data_body.len()) as u64;
        self.shared
            .counters
            .served(self.result.backend, rows as u64, bytes);
        self.sent += 1;
        self.rows += rows as u64;
        self.struck = false;
        Ok(Some(data))
    }

    fn fail(&mut self, status: Status) -> Status {
        self.stage = Stage::Over;
        self.status = format!("{:?}", status.code());
        status
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.shared.journal.add(Entry {
            channel: self.channel,
            node: self.node.clone(),
            method: "DoGet".to_owned(),
            path: format!("batches={} rows={}", self.sent, self.rows),
            statement: std::mem::take(&mut self.result.statement),
            status: self.status.clone(),
            session: Some(self.result.session),
            ..Entry::default()
        });
    }
}

/// The failure of a rule, if it has one: the connection is ended here, a status is returned.
///
/// `prefix` begins the text of a failure in Doris' own form.
pub(crate) fn failure(action: &Action, connection: &ConnectionHandle, prefix: &str) -> Option<Status> {
    if action.reset {
        connection.reset();
        return Some(Status::unavailable("connection reset by a fault rule"));
    }
    if let Some(close) = action.close {
        return Some(match close {
            Close::Stream => cut::reset(),
            Close::NoTrailers => cut::no_trailers(),
        });
    }
    if let Some(fault) = &action.status {
        let mut status = Status::new(code_of(&fault.code), fault.message.clone());
        for (key, value) in &fault.metadata {
            let key = tonic::metadata::AsciiMetadataKey::from_bytes(key.as_bytes());
            if let (Ok(key), Ok(value)) = (key, value.parse()) {
                status.metadata_mut().insert(key, value);
            }
        }
        return Some(status);
    }
    let answer = action.answer.as_ref()?;
    Some(Status::internal(format!("{prefix}{}", answer.message)))
}

/// A gRPC code by number or name, in any spelling; what is none is UNKNOWN.
fn code_of(value: &serde_json::Value) -> tonic::Code {
    if let Some(number) = value.as_i64() {
        return tonic::Code::from_i32(i32::try_from(number).unwrap_or(2));
    }
    let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
    let wanted = plain(value.as_str().unwrap_or_default());
    let matches = |code: &tonic::Code| plain(&format!("{code:?}")) == wanted;
    (0..17)
        .map(tonic::Code::from_i32)
        .find(matches)
        .unwrap_or(tonic::Code::Unknown)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use arrow_array::{Int64Array, StringArray};
    use arrow_flight::Ticket;
    use arrow_flight::flight_service_client::FlightServiceClient;
    use arrow_flight::sql::{ProstMessageExt, TicketStatementQuery};
    use arrow_schema::{DataType, Field, Schema};
    use prost::Message;

    use super::super::ticket::{QueryId, backend_handle};
    use super::*;
    use crate::{Standin, StandinConfig};

    /// A result of `batches` batches of 64 Ki rows, stored under a ticket.
    fn stored(standin: &Standin, batches: usize, batch_rows: usize) -> Ticket {
        let fields = vec![
            Field::new("k", DataType::Int64, true),
            Field::new("s", DataType::Utf8, true),
        ];
        let schema = Arc::new(Schema::new(fields));
        let numbers = Int64Array::from_iter_values(0..65_536);
        let texts = StringArray::from_iter_values((0..65_536).map(|row| format!("text of row {row:>20}")));
        let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(numbers), Arc::new(texts)]).unwrap();
        let result = StoredResult {
            session: 1,
            statement: "SELECT".to_owned(),
            table: None,
            backend: Some(0),
            schema,
            batches: vec![batch; batches],
            form: None,
            batch_rows,
        };
        let id = QueryId::new();
        standin.flight().results.put(id, result);
        let handle = TicketStatementQuery {
            statement_handle: backend_handle(id, "h", 1, "SELECT").into(),
        };
        Ticket::new(handle.as_any().encode_to_vec())
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn pieces_are_large_and_leave_fast() {
        let standin = Standin::start(StandinConfig::default()).await.unwrap();
        let ticket = stored(&standin, 200, usize::MAX);
        let url = format!("http://127.0.0.1:{}", standin.ports().be[0].flight);
        let channel = tonic::transport::Endpoint::from_shared(url)
            .unwrap()
            .initial_stream_window_size(16 << 20)
            .initial_connection_window_size(16 << 20)
            .connect()
            .await
            .unwrap();
        let mut client = FlightServiceClient::new(channel).max_decoding_message_size(usize::MAX);
        let start = Instant::now();
        let mut stream = client.do_get(ticket).await.unwrap().into_inner();
        let (mut bytes, mut messages) = (0, 0);
        while let Some(data) = stream.message().await.unwrap() {
            bytes += data.data_body.len();
            messages += 1;
        }
        let rate = bytes as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{bytes} bytes in {messages} messages, {rate:.0} MB/s with this client");
        // Three MiB a batch: two pieces each.
        assert_eq!(messages, 1 + 2 * 200);
        assert_eq!(standin.stats().rows_served, 200 * 65_536);
        assert_eq!(standin.stats().bytes_served / 1_000_000, bytes as u64 / 1_000_000);
    }

    #[test]
    fn codes_are_known_by_name_and_number() {
        assert_eq!(code_of(&"UNAVAILABLE".into()), tonic::Code::Unavailable);
        assert_eq!(
            code_of(&"RESOURCE_EXHAUSTED".into()),
            tonic::Code::ResourceExhausted
        );
        assert_eq!(code_of(&"notFound".into()), tonic::Code::NotFound);
        assert_eq!(code_of(&13.into()), tonic::Code::Internal);
        assert_eq!(code_of(&"nothing".into()), tonic::Code::Unknown);
    }
}
