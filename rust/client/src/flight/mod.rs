//! Arrow Flight SQL: a session on a front end, and streams from where the results are.

mod channel;
mod location;
mod session;
mod status;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use arrow_flight::{FlightData, FlightEndpoint, FlightInfo};
use arrow_schema::SchemaRef;
use futures::{StreamExt, TryStreamExt};
use tonic::Streaming;

use crate::address::Address;
use crate::config::ReadConfig;
use crate::error::{Error, ErrorKind};
use crate::fe::Frontends;
use crate::retry::Retry;
use channel::Client;
use location::Location;
use session::{Refused, Session};
pub(crate) use status::timeout;

/// How long a session that could not be set up may take to be closed.
const SET_UP_CLOSE_LIMIT: Duration = Duration::from_millis(500);

/// A connection to a cluster: one session, opened when it is first needed and re-used, and channels to back ends. Holds no
/// task; dropping a future of it drops the call.
pub(crate) struct Flight {
    config: Arc<ReadConfig>,
    frontends: Option<Frontends>,
    session: Option<Session>,
    backends: HashMap<Address, Client>,
    warnings: Vec<String>,
}

/// The answer to a query: where its parts are.
pub(crate) struct Answer {
    pub(crate) endpoints: Vec<FlightEndpoint>,
    /// The number of rows, where the server tells it.
    pub(crate) rows: Option<u64>,
}

/// An open stream and the node that sends it.
pub(crate) struct Stream {
    pub(crate) node: Address,
    messages: Streaming<FlightData>,
}

impl Flight {
    pub(crate) fn new(config: Arc<ReadConfig>) -> Self {
        Self {
            config,
            frontends: None,
            session: None,
            backends: HashMap::new(),
            warnings: Vec::new(),
        }
    }

    pub(crate) fn frontends(&mut self) -> Result<Frontends, Error> {
        match &self.frontends {
            Some(frontends) => Ok(frontends.clone()),
            None => Ok(self
                .frontends
                .insert(Frontends::new(self.config.cluster.clone())?)
                .clone()),
        }
    }

    /// What a user should know about the session.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Starts a query, waiting at most `limit` for its first answer. A token that the server forgot costs one new login. A
    /// passing failure is marked as retryable; a session whose connection broke is given up.
    pub(crate) async fn query(&mut self, sql: &str, limit: Duration) -> Result<Answer, Error> {
        match self.ask(sql, limit).await {
            Err(Refused::Login(_)) => {
                tracing::debug!("the server forgot the session, logging in again");
                self.session = None;
                match self.ask(sql, limit).await {
                    Err(Refused::Login(error))
                    | Err(Refused::Connection(error))
                    | Err(Refused::Other(error)) => {
                        self.session = None;
                        Err(error)
                    }
                    Ok(info) => answer(info),
                }
            }
            Err(Refused::Connection(error)) => {
                self.session = None;
                Err(error)
            }
            Err(Refused::Other(error)) => Err(error),
            Ok(info) => answer(info),
        }
    }

    async fn ask(&mut self, sql: &str, limit: Duration) -> Result<FlightInfo, Refused> {
        if self.session.is_none() {
            let frontends = self.frontends().map_err(Refused::Other)?;
            let session = Session::open(&frontends, &self.config)
                .await
                .map_err(Refused::Other)?;
            // Kept before it is set up, so that a close finds it whenever this is cut short.
            let session = self.session.insert(session);
            match session.set_variables(&self.config).await {
                Ok(warnings) => self.warnings.extend(warnings),
                Err(refused) => {
                    self.close(SET_UP_CLOSE_LIMIT).await;
                    return Err(refused);
                }
            }
        }
        match &mut self.session {
            Some(session) => session.execute(sql, limit).await,
            None => Err(Refused::Other(Error::new(
                ErrorKind::Internal,
                "a session is missing",
            ))),
        }
    }

    /// Opens the stream of one endpoint: at its location, or at the front end that answered where it names none.
    pub(crate) async fn open(&mut self, endpoint: &FlightEndpoint) -> Result<Stream, Error> {
        let ticket = endpoint.ticket.clone().unwrap_or_default();
        let mut failure = None;
        let mut locations = Vec::new();
        for location in &endpoint.location {
            locations.push(Location::parse(&location.uri, &self.config.flight_hosts)?);
        }
        if locations.is_empty() {
            locations.push(Location::SameConnection);
        }
        // Several locations hold the same data.
        for location in locations {
            let opened = match &location {
                Location::SameConnection => match &mut self.session {
                    Some(session) => session.stream(ticket.clone(), self.config.query_timeout).await,
                    None => Err(Error::new(ErrorKind::Transport, "the session is gone").retryable()),
                },
                Location::Node(address) => self.open_at(address, ticket.clone()).await,
            };
            match opened {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| Error::new(ErrorKind::Internal, "an endpoint without a location")))
    }

    async fn open_at(&mut self, address: &Address, ticket: arrow_flight::Ticket) -> Result<Stream, Error> {
        let mut client = match self.backends.get(address) {
            Some(client) => client.clone(),
            None => {
                let client = channel::connect(address, &self.config)
                    .await
                    .map_err(|e| unreachable(address, e))?;
                self.backends.insert(address.clone(), client.clone());
                client
            }
        };
        // The ticket is the secret here; the token is for front ends alone.
        let call = client.do_get(ticket);
        match tokio::time::timeout(self.config.query_timeout, call).await {
            Ok(Ok(answer)) => Ok(Stream {
                node: address.clone(),
                messages: answer.into_inner(),
            }),
            Ok(Err(status)) => {
                self.forget(address);
                Err(status::stream_error(address, &status))
            }
            Err(_) => {
                self.forget(address);
                Err(timeout(
                    &format!("the first answer of back end {address}"),
                    self.config.query_timeout,
                    "doris.request.query.timeout",
                ))
            }
        }
    }

    /// Drops the connection to a back end that failed, so that the next stream opens a new one.
    pub(crate) fn forget(&mut self, address: &Address) {
        self.backends.remove(address);
    }

    /// Runs a small query to its end and gives all of its rows; repeated within `doris.request.retries`.
    pub(crate) async fn fetch(&mut self, sql: &str) -> Result<Table, Error> {
        let mut retry = Retry::new(self.config.cluster.retries);
        loop {
            match self.fetch_once(sql).await {
                Ok(rows) => return Ok(rows),
                Err(error) => match retry.next(&error) {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => return Err(error),
                },
            }
        }
    }

    async fn fetch_once(&mut self, sql: &str) -> Result<Table, Error> {
        let limit = self.config.query_timeout;
        let answer = self.query(sql, limit).await?;
        let mut table = Table {
            schema: None,
            batches: Vec::new(),
        };
        for endpoint in &answer.endpoints {
            let stream = self.open(endpoint).await?;
            let node = stream.node.clone();
            let messages = stream
                .messages
                .map_err(|status| FlightError::Tonic(Box::new(status)));
            let mut batches = FlightRecordBatchStream::new_from_flight_data(messages);
            let all = async {
                while let Some(batch) = batches.next().await {
                    table.batches.push(batch.map_err(|e| {
                        match e {
                            FlightError::Tonic(status) => status::stream_error(&node, &status),
                            other => {
                                Error::new(ErrorKind::Data, format!("a result of {node} cannot be read"))
                                    .with_source(other)
                            }
                        }
                    })?);
                }
                table.schema = table.schema.take().or_else(|| batches.schema().cloned());
                Ok(())
            };
            let read = tokio::time::timeout(limit, all).await;
            read.unwrap_or_else(|_| {
                Err(timeout(
                    &format!("a result of {node}"),
                    limit,
                    "doris.request.query.timeout",
                ))
            })?;
        }
        Ok(table)
    }

    /// Closes the session on the server, waiting at most `limit`. Failures do not matter: the server forgets it by itself.
    pub(crate) async fn close(&mut self, limit: Duration) {
        self.backends.clear();
        if let Some(session) = self.session.take() {
            session.close(limit).await;
        }
    }
}

/// The rows of a small query.
pub(crate) struct Table {
    pub(crate) schema: Option<SchemaRef>,
    pub(crate) batches: Vec<RecordBatch>,
}

impl Stream {
    /// The next message; `None` when the server said that the stream is complete. A stream that just stops is an error.
    pub(crate) async fn next(&mut self) -> Result<Option<FlightData>, Error> {
        // tonic turns an end without the trailer `grpc-status` into an error of its own.
        self.messages
            .message()
            .await
            .map_err(|status| status::stream_error(&self.node, &status))
    }
}

fn answer(info: FlightInfo) -> Result<Answer, Error> {
    if info.endpoint.is_empty() {
        return Err(Error::new(
            ErrorKind::Transport,
            "the server named no endpoint for the result",
        )
        .retryable());
    }
    Ok(Answer {
        endpoints: info.endpoint,
        rows: u64::try_from(info.total_records).ok(),
    })
}

fn unreachable(address: &Address, error: Error) -> Error {
    let text = format!(
        "the server says that the rows are at {address}, which cannot be reached from here; if another address leads there, \
         name it by source.flight-host-mapping = '{address}=host:port'"
    );
    let retry = error.moves_on();
    let error = Error::new(error.kind(), text).with_source(error);
    if retry { error.retryable() } else { error }
}
