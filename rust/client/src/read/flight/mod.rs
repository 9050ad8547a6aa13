//! Arrow Flight SQL: a session on a front end, and streams from where the results are.

mod channel;
mod fence;
mod fetch;
mod incr;
mod kept;
mod location;
mod owed;
mod port;
mod session;
mod status;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::{FlightData, FlightEndpoint, FlightInfo, Ticket};
use tonic::Streaming;

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::fe::Frontends;
use crate::read::config::ReadConfig;
use channel::Client;
pub(crate) use fence::Fence;
pub(crate) use fetch::text_cell;
pub(crate) use incr::is_unknown;
use location::Location;
use owed::{Closing, Opening};
pub(crate) use session::SessionZone;
use session::{Refused, Session};
pub(crate) use status::timeout;

/// How long the end of what used a session waits for it to be closed.
pub(crate) const CLOSE_LIMIT: Duration = Duration::from_millis(900);

/// How long a session that could not be set up may take to be closed.
const SET_UP_CLOSE_LIMIT: Duration = Duration::from_millis(500);

/// A connection to a cluster: one session, opened when it is first needed and re-used, and channels to back ends.
/// Dropping a future of it drops the call; a login or an end of a session goes on in a task of its own until
/// [`Flight::close`].
pub(crate) struct Flight {
    config: Arc<ReadConfig>,
    zone: SessionZone,
    frontends: Option<Frontends>,
    session: Option<Session>,
    /// What every new channel has to pass before its first query.
    fence: Option<Fence>,
    /// The session of the fence, while it is being passed.
    fence_session: Option<Session>,
    opening: Opening,
    fence_opening: Opening,
    closing: Closing,
    backends: HashMap<Address, Client>,
    warnings: Vec<String>,
}

/// The answer to a query: where its parts are.
pub(crate) struct Answer {
    pub(crate) endpoints: Vec<FlightEndpoint>,
    /// The number of rows, where the server reports it.
    pub(crate) rows: Option<u64>,
}

/// An open stream and the node that sends it.
pub(crate) struct Stream {
    pub(crate) node: Address,
    messages: Streaming<FlightData>,
}

impl Flight {
    /// In the account's zone.
    pub(crate) fn new(config: Arc<ReadConfig>) -> Self {
        Self::in_zone(config, SessionZone::Account)
    }

    pub(crate) fn in_zone(config: Arc<ReadConfig>, zone: SessionZone) -> Self {
        Self {
            config,
            zone,
            frontends: None,
            session: None,
            fence: None,
            fence_session: None,
            opening: Opening::default(),
            fence_opening: Opening::default(),
            closing: Closing::default(),
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

    /// Starts a query, waiting at most `limit` for its first answer. A token that the server forgot costs one new
    /// login. A passing failure is marked as retryable; a session whose connection broke is given up.
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

    /// Makes sure of a session, and of a channel that has passed the fence, where there is one.
    pub(crate) async fn prepare(&mut self) -> Result<(), Error> {
        for _ in 0..2 {
            match self.set_up().await {
                Ok(_) => return Ok(()),
                Err(Refused::Login(error)) => {
                    tracing::debug!(%error, "the server forgot a new session, logging in again");
                    self.session = None;
                }
                Err(Refused::Connection(error)) => {
                    self.session = None;
                    return Err(error);
                }
                Err(Refused::Other(error)) => return Err(error),
            }
        }
        let message = "the server forgets every session at once";
        Err(Error::new(ErrorKind::Connect, message).retryable())
    }

    async fn ask(&mut self, sql: &str, limit: Duration) -> Result<FlightInfo, Refused> {
        self.set_up().await?.execute(sql, limit).await
    }

    async fn set_up(&mut self) -> Result<&mut Session, Refused> {
        if self.session.is_none() {
            let frontends = self.frontends().map_err(Refused::Other)?;
            let config = self.config.clone();
            let login = async move { Session::open(&frontends, &config).await };
            let session = self.opening.wait(login).await.map_err(Refused::Other)?;
            // Kept before it is set up, so that a close finds it whenever this is cut short.
            let session = self.session.insert(session);
            match session.set_variables(&self.config, self.zone).await {
                Ok(warnings) => self.warnings.extend(warnings),
                Err(refused) => {
                    self.close(SET_UP_CLOSE_LIMIT).await;
                    return Err(refused);
                }
            }
        }
        self.pass_fence().await?;
        self.session
            .as_mut()
            .ok_or_else(|| Refused::Other(Error::new(ErrorKind::Internal, "a session is missing")))
    }

    /// What a refusal comes to for the caller. A session that is of no more use is given up, so that the next call
    /// opens one.
    fn lost(&mut self, refused: Refused) -> Error {
        match refused {
            Refused::Login(error) => {
                self.session = None;
                error.retryable()
            }
            Refused::Connection(error) => {
                self.session = None;
                error
            }
            Refused::Other(error) => error,
        }
    }

    /// Opens the stream of one endpoint: at its location, or at the front end that answered where it names none.
    pub(crate) async fn open(&mut self, endpoint: &FlightEndpoint) -> Result<Stream, Error> {
        open(&self.config, self.session.as_mut(), &mut self.backends, endpoint).await
    }

    /// Drops the connection to a back end that failed, so that the next stream opens a new one.
    pub(crate) fn forget(&mut self, address: &Address) {
        self.backends.remove(address);
    }

    /// Closes the session on the server, and that of the fence, waiting at most `limit`. Failures do not matter: the
    /// server forgets them by itself.
    pub(crate) async fn close(&mut self, limit: Duration) {
        self.backends.clear();
        let (late, late_fence) = futures::join!(self.opening.take(limit), self.fence_opening.take(limit));
        let sessions = [self.session.take(), self.fence_session.take(), late, late_fence];
        for session in sessions.into_iter().flatten() {
            self.closing.begin(session, limit);
        }
        self.closing.settle().await;
    }
}

impl Stream {
    /// The next message; `None` when the server ended the stream with its status. A stream that just stops is an
    /// error.
    pub(crate) async fn next(&mut self) -> Result<Option<FlightData>, Error> {
        // tonic turns an end without the trailer `grpc-status` into an error of its own.
        self.messages
            .message()
            .await
            .map_err(|status| status::stream_error(&self.node, &status))
    }
}

async fn open(
    config: &ReadConfig,
    mut session: Option<&mut Session>,
    backends: &mut HashMap<Address, Client>,
    endpoint: &FlightEndpoint,
) -> Result<Stream, Error> {
    let ticket = endpoint.ticket.clone().unwrap_or_default();
    let mut failure = None;
    let mut locations = Vec::new();
    for location in &endpoint.location {
        locations.push(Location::parse(&location.uri, &config.flight_hosts)?);
    }
    if locations.is_empty() {
        locations.push(Location::SameConnection);
    }
    // Several locations hold the same data.
    for location in locations {
        let opened = match &location {
            Location::SameConnection => match &mut session {
                Some(session) => session.stream(ticket.clone(), config.query_timeout).await,
                None => Err(Error::new(ErrorKind::Transport, "the session is gone").retryable()),
            },
            Location::Node(address) => open_at(config, backends, address, ticket.clone()).await,
        };
        match opened {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or_else(|| Error::new(ErrorKind::Internal, "an endpoint without a location")))
}

async fn open_at(
    config: &ReadConfig,
    backends: &mut HashMap<Address, Client>,
    address: &Address,
    ticket: Ticket,
) -> Result<Stream, Error> {
    let mut client = match backends.get(address) {
        Some(client) => client.clone(),
        None => {
            let client = channel::connect(address, config)
                .await
                .map_err(|e| unreachable(address, e))?;
            backends.insert(address.clone(), client.clone());
            client
        }
    };
    // The ticket is the secret here; the token is for front ends alone.
    let call = client.do_get(ticket);
    match tokio::time::timeout(config.query_timeout, call).await {
        Ok(Ok(answer)) => Ok(Stream {
            node: address.clone(),
            messages: answer.into_inner(),
        }),
        Ok(Err(status)) => {
            backends.remove(address);
            Err(status::stream_error(address, &status))
        }
        Err(_) => {
            backends.remove(address);
            Err(timeout(
                &format!("the first answer of back end {address}"),
                config.query_timeout,
                "doris.request.query.timeout",
            ))
        }
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
    let passes = error.moves_on();
    error.caused(text).retryable_if(passes)
}
