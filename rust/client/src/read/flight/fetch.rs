//! Small answers, read whole.

use arrow::array::cast::AsArray;
use arrow::array::{Array, RecordBatch};
use arrow::datatypes::SchemaRef;
use arrow::util::display::array_value_to_string;
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use futures::{StreamExt, TryStreamExt};
use std::time::Duration;

use super::{Flight, Stream, status, timeout};
use crate::error::{Error, ErrorKind};
use crate::net::backoff::{Backoff, Pace};

/// The rows of a small query.
pub(crate) struct Table {
    pub(crate) schema: Option<SchemaRef>,
    pub(crate) batches: Vec<RecordBatch>,
}

impl Flight {
    /// Runs a small query to its end and gives all of its rows; repeated within `doris.request.retries`.
    pub(crate) async fn fetch(&mut self, sql: &str) -> Result<Table, Error> {
        let mut backoff =
            Backoff::new(Pace::READ, self.config.cluster.retries).at_least(self.config.query_timeout);
        loop {
            match self.fetch_once(sql, self.config.query_timeout).await {
                Ok(rows) => return Ok(rows),
                Err(error) => match backoff.after(&error) {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => return Err(backoff.given_up(error)),
                },
            }
        }
    }

    /// The same without repetition, waiting at most `limit` for the first answer and for the rows.
    pub(crate) async fn fetch_once(&mut self, sql: &str, limit: Duration) -> Result<Table, Error> {
        let answer = self.query(sql, limit).await?;
        let mut table = Table {
            schema: None,
            batches: Vec::new(),
        };
        for endpoint in &answer.endpoints {
            let stream = self.open(endpoint).await?;
            let node = stream.node.clone();
            let read = tokio::time::timeout(limit, stream.whole(&mut table.schema)).await;
            let batches = read.unwrap_or_else(|_| {
                Err(timeout(
                    &format!("a result of {node}"),
                    limit,
                    "doris.request.query.timeout",
                ))
            })?;
            table.batches.extend(batches);
        }
        Ok(table)
    }

    /// The rows of a statement whose answer the front end keeps, as `SHOW` has it: texts throughout.
    pub(crate) async fn kept(&mut self, sql: &str) -> Result<Vec<RecordBatch>, Error> {
        self.prepare().await?;
        let config = self.config.clone();
        let Some(session) = &mut self.session else {
            return Err(Error::new(ErrorKind::Internal, "a session is missing"));
        };
        match session.kept(sql, &config).await {
            Ok(rows) => Ok(rows),
            Err(refused) => Err(self.lost(refused)),
        }
    }

    /// How long the answer to a changelog query may take at this server.
    pub(crate) async fn change_limit(&mut self) -> Result<Duration, Error> {
        self.prepare().await?;
        let config = self.config.clone();
        let Some(session) = &mut self.session else {
            return Err(Error::new(ErrorKind::Internal, "a session is missing"));
        };
        match session.change_limit(&config).await {
            Ok(limit) => Ok(limit),
            Err(refused) => Err(self.lost(refused)),
        }
    }
}

impl Stream {
    /// All rows up to the server's final status; the schema is put in its place if that is empty.
    pub(super) async fn whole(self, schema: &mut Option<SchemaRef>) -> Result<Vec<RecordBatch>, Error> {
        let node = self.node;
        let messages = self
            .messages
            .map_err(|status| FlightError::Tonic(Box::new(status)));
        let mut stream = FlightRecordBatchStream::new_from_flight_data(messages);
        let mut batches = Vec::new();
        while let Some(batch) = stream.next().await {
            batches.push(batch.map_err(|e| {
                match e {
                    FlightError::Tonic(status) => status::stream_error(&node, &status),
                    other => Error::new(ErrorKind::Data, format!("a result of {node} cannot be read"))
                        .with_source(other),
                }
            })?);
        }
        if schema.is_none() {
            *schema = stream.schema().cloned();
        }
        Ok(batches)
    }
}

/// A cell as text; `None` for NULL and for what has no text.
pub(crate) fn text_cell(batch: &RecordBatch, column: usize, row: usize) -> Option<String> {
    let array = batch.columns().get(column)?;
    if row >= array.len() || array.is_null(row) {
        return None;
    }
    match array.as_binary_opt::<i32>() {
        Some(bytes) => Some(String::from_utf8_lossy(bytes.value(row)).into_owned()),
        None => array_value_to_string(array, row).ok(),
    }
}
