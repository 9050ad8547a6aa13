//! The messages of a stream of rows, and the time that may be spent waiting for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::datatypes::Schema;
use arrow::ipc::MessageHeader;
use bytes::Bytes;
use doris_arrow::normalize::{Dictionaries, Normalizer};

use super::budget::{Budget, Permit};
use crate::error::{Error, ErrorKind};
use crate::read::flight::{Stream, timeout};

/// Who takes the rows of a stream.
pub(super) trait Rows {
    /// The stream's schema, once per stream.
    fn schema(&mut self, delivered: &Schema) -> Result<(), Error>;

    /// The normaliser that its schema led to.
    fn normalizer(&self) -> Option<&Normalizer>;

    /// A record batch; the permit counts what was received, and moves to what is made of it.
    async fn batch(
        &mut self,
        header: Bytes,
        body: Bytes,
        dictionaries: &Dictionaries,
        permit: Permit,
    ) -> Result<(), Error>;
}

/// Reads a stream up to the server's final status.
pub(super) async fn drain<R: Rows>(
    rows: &mut R,
    budget: &Arc<Budget>,
    stream: &mut Stream,
    server_time: &mut ServerTime,
) -> Result<(), Error> {
    let mut dictionaries = Dictionaries::default();
    let mut begun = false;
    loop {
        // Room comes first: what is requested will be held.
        let mut permit = budget.reserve().await;
        let Some(data) = server_time.waiting(stream.next()).await? else {
            break;
        };
        // A message may carry nothing but metadata.
        if data.data_header.is_empty() && data.data_body.is_empty() {
            continue;
        }
        let damaged = |why: String| {
            Error::new(
                ErrorKind::Data,
                format!("a message from {} is damaged: {why}", stream.node),
            )
        };
        let message = arrow::ipc::root_as_message(&data.data_header).map_err(|e| damaged(e.to_string()))?;
        match message.header_type() {
            MessageHeader::Schema => {
                let schema = message
                    .header_as_schema()
                    .ok_or_else(|| damaged("it has no schema".to_owned()))?;
                rows.schema(&arrow::ipc::convert::fb_to_schema(schema))?;
                begun = true;
            }
            MessageHeader::DictionaryBatch => match rows.normalizer().filter(|_| begun) {
                Some(normalizer) => {
                    normalizer.add_dictionary(
                        &mut dictionaries,
                        &data.data_header,
                        data.data_body.clone(),
                    )?;
                }
                None => return Err(damaged("a dictionary comes before the schema".to_owned())),
            },
            MessageHeader::RecordBatch if begun => {
                permit.resize(data.data_header.len() + data.data_body.len()).await;
                rows.batch(data.data_header, data.data_body, &dictionaries, permit)
                    .await
                    .map_err(|e| unreadable(stream, e))?;
            }
            MessageHeader::RecordBatch => return Err(damaged("rows come before the schema".to_owned())),
            other => {
                return Err(damaged(format!(
                    "it is of type {}",
                    other.variant_name().unwrap_or("unknown")
                )));
            }
        }
    }
    if !begun {
        let message = format!("the stream of rows from {} ended before its schema", stream.node);
        return Err(Error::new(ErrorKind::Transport, message).retryable());
    }
    Ok(())
}

/// The error for a batch, with the node that it came from.
fn unreadable(stream: &Stream, error: Error) -> Error {
    match error.kind() {
        ErrorKind::Data => Error::new(
            ErrorKind::Data,
            format!("a batch from {} cannot be read", stream.node),
        )
        .with_source(error),
        _ => error,
    }
}

/// The time that may still be spent on waiting for the server: `doris.request.query.timeout`, without the waits for
/// Flink.
pub(super) struct ServerTime {
    what: &'static str,
    whole: Duration,
    left: Duration,
}

impl ServerTime {
    /// `whole` is `doris.request.query.timeout`; `what` is waited for.
    pub(super) fn new(what: &'static str, whole: Duration) -> Self {
        Self {
            what,
            whole,
            left: whole,
        }
    }

    pub(super) async fn waiting<T>(
        &mut self,
        future: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let start = Instant::now();
        let result = tokio::time::timeout(self.left, future).await;
        self.left = self.left.saturating_sub(start.elapsed());
        result.unwrap_or_else(|_| Err(timeout(self.what, self.whole, "doris.request.query.timeout")))
    }
}
