//! A session on a front end: login, session variables, queries, and its end.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use arrow_flight::sql::{CommandStatementQuery, ProstMessageExt};
use arrow_flight::{Action, FlightDescriptor, FlightInfo, HandshakeRequest, Ticket};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures::{TryStreamExt, stream};
use prost::Message;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Code, Request, Status};

use super::channel::{self, Client};
use super::{Stream, status};
use crate::config::address::Address;
use crate::counters::OPEN_SESSIONS;
use crate::error::{Error, ErrorKind};
use crate::fe::Frontends;
use crate::net::refused::denied;
use crate::read::config::ReadConfig;
use crate::read::window::sql::Hidden;

/// An open session. Dropping it leaves the session on the server to its own time limit; [`Session::close`] ends it.
pub(super) struct Session {
    pub(super) frontends: Frontends,
    /// The front end as `fenodes` names it, and its Flight address.
    pub(super) fe: Address,
    pub(super) node: Address,
    client: Client,
    token: MetadataValue<Ascii>,
    /// The snapshot fence that this session's channel has passed: milliseconds since 1970.
    pub(super) fenced: Option<i64>,
    /// How long the server lets a changelog query wait, once it was read.
    pub(super) change_wait: Option<Duration>,
    /// The hidden columns of changelog queries, once they were read.
    pub(super) hidden: Option<Hidden>,
    _counted: Counted,
}

/// In which zone a session reads and prints wall clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionZone {
    /// That of the account.
    Account,
    /// UTC, whatever the account's is.
    Utc,
}

/// Why a query was not started.
pub(super) enum Refused {
    /// The server does not know the token.
    Login(Error),
    /// The connection broke: the session is of no more use.
    Connection(Error),
    /// Everything else.
    Other(Error),
}

struct Counted;

impl Counted {
    fn new() -> Self {
        OPEN_SESSIONS.fetch_add(1, Relaxed);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        OPEN_SESSIONS.fetch_sub(1, Relaxed);
    }
}

impl Session {
    /// Logs in at one of the front ends.
    pub(super) async fn open(frontends: &Frontends, config: &Arc<ReadConfig>) -> Result<Self, Error> {
        frontends
            .first("login by Arrow Flight SQL", |fe| {
                let (frontends, config) = (frontends.clone(), config.clone());
                async move {
                    let node = frontends.flight_address(&fe, config.flight_port).await?;
                    let client = channel::connect(&node, &config).await.map_err(|e| {
                        let text = format!(
                            "its Arrow Flight SQL port {} cannot be reached (arrow_flight_sql_port on the server, source.flight-sql-port here)",
                            node.port
                        );
                        // Another front end may have it elsewhere.
                        e.caused(text).unresolved()
                    })?;
                    Self::login(frontends, fe, node, client, &config).await
                }
            })
            .await
    }

    /// A session of its own over the same connection, hence at the same front end.
    pub(super) fn sibling(
        &self,
        config: &Arc<ReadConfig>,
    ) -> impl Future<Output = Result<Self, Error>> + Send + use<> {
        let (frontends, client) = (self.frontends.clone(), self.client.clone());
        let (fe, node) = (self.fe.clone(), self.node.clone());
        let config = config.clone();
        async move { Self::login(frontends, fe, node, client, &config).await }
    }

    async fn login(
        frontends: Frontends,
        fe: Address,
        node: Address,
        mut client: Client,
        config: &ReadConfig,
    ) -> Result<Self, Error> {
        let mut request = Request::new(stream::iter([HandshakeRequest::default()]));
        let basic = BASE64_STANDARD.encode(format!(
            "{}:{}",
            config.cluster.login.user, config.cluster.login.password
        ));
        let mut basic: MetadataValue<Ascii> = format!("Basic {basic}")
            .parse()
            .map_err(|_| Error::new(ErrorKind::Internal, "the login does not fit into a header"))?;
        basic.set_sensitive(true);
        request.metadata_mut().insert("authorization", basic);
        let limit = config.cluster.connect_timeout + config.cluster.read_timeout;
        let shake = async {
            let answer = client.handshake(request).await?;
            let token = answer.metadata().get("authorization").cloned();
            // The stream has nothing of interest, but a refusal may come as its status.
            answer.into_inner().try_collect::<Vec<_>>().await?;
            Ok::<_, Status>(token)
        };
        let token = match tokio::time::timeout(limit, shake).await {
            Err(_) => {
                return Err(status::timeout(
                    &format!("the login at {node}"),
                    limit,
                    "doris.request.read.timeout",
                )
                .retryable());
            }
            Ok(Err(status)) => return Err(login_error(&frontends, &node, &status)),
            Ok(Ok(token)) => token,
        };
        let mut token = token
            .filter(|t| t.as_bytes().starts_with(b"Bearer "))
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::Connect,
                    format!("{node} gave no token for the login; is it the Arrow Flight SQL port?"),
                )
                .unresolved()
            })?;
        token.set_sensitive(true);
        Ok(Self {
            frontends,
            fe,
            node,
            client,
            token,
            fenced: None,
            change_wait: None,
            hidden: None,
            _counted: Counted::new(),
        })
    }

    /// Sets the zone where it is not the account's, then the session variables that options need, by one
    /// statement; a server that knows only some of these gets those. Gives a warning for each that was refused.
    pub(super) async fn set_variables(
        &mut self,
        config: &ReadConfig,
        zone: SessionZone,
    ) -> Result<Vec<String>, Refused> {
        if zone == SessionZone::Utc {
            // Windows are given in this zone: without it they would be others.
            self.set("time_zone = '+00:00'", config).await?;
        }
        let seconds = config.query_timeout.as_millis().div_ceil(1000);
        let variables = [
            (
                "query_timeout",
                Some("doris.request.query.timeout"),
                seconds.to_string(),
            ),
            (
                "exec_mem_limit",
                Some("doris.exec.mem.limit"),
                config.memory_limit.to_string(),
            ),
            (
                "batch_size",
                Some("doris.batch.size"),
                config.batch_size.to_string(),
            ),
            // Some servers have no result on Flight for a query that they answer by a lookup of one key.
            ("enable_short_circuit_query", None, "false".to_owned()),
        ];
        let all: Vec<String> = variables
            .iter()
            .map(|(name, _, value)| format!("{name} = {value}"))
            .collect();
        let mut warnings = Vec::new();
        match self.set(&all.join(", "), config).await {
            Ok(()) => return Ok(warnings),
            Err(Refused::Other(error)) if !error.is_retryable() && error.kind() == ErrorKind::Query => {}
            Err(other) => return Err(other),
        }
        for ((name, option, _), assignment) in variables.iter().zip(&all) {
            match self.set(assignment, config).await {
                Ok(()) => {}
                Err(Refused::Other(error)) if !error.is_retryable() => match option {
                    Some(option) => warnings.push(format!(
                        "the server does not take {option} (session variable {name}): {error}"
                    )),
                    None => tracing::debug!(%error, "the server does not know the session variable {name}"),
                },
                Err(other) => return Err(other),
            }
        }
        Ok(warnings)
    }

    async fn set(&mut self, assignments: &str, config: &ReadConfig) -> Result<(), Refused> {
        let info = self
            .execute(&format!("SET {assignments}"), config.query_timeout)
            .await?;
        // The answer waits on the front end until it is fetched; its content does not matter.
        for endpoint in info.endpoint {
            let drained = async {
                let mut stream = self
                    .stream(endpoint.ticket.unwrap_or_default(), config.cluster.read_timeout)
                    .await?;
                while stream.next().await?.is_some() {}
                Ok::<_, Error>(())
            };
            match tokio::time::timeout(config.cluster.read_timeout, drained).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(%error, "the answer to SET was not fetched"),
                Err(_) => tracing::debug!("the answer to SET did not come in time"),
            }
        }
        Ok(())
    }

    /// `GetFlightInfo` for a statement, waiting at most `limit`.
    pub(super) async fn execute(&mut self, sql: &str, limit: Duration) -> Result<FlightInfo, Refused> {
        tracing::debug!(node = %self.node, sql, "query");
        let command = CommandStatementQuery {
            query: sql.to_owned(),
            transaction_id: None,
        };
        let request = self.authorized(FlightDescriptor::new_cmd(command.as_any().encode_to_vec()));
        match tokio::time::timeout(limit, self.client.get_flight_info(request)).await {
            Ok(Ok(info)) => Ok(info.into_inner()),
            Ok(Err(status)) => Err(self.refusal(&status)),
            Err(_) => Err(Refused::Other(status::timeout(
                &format!("the answer of {} to a query", self.node),
                limit,
                "doris.request.query.timeout",
            ))),
        }
    }

    fn refusal(&self, status: &Status) -> Refused {
        let text = status::text(status);
        if status::is_broken(status) {
            let message = format!("the connection to {} broke: {text}", self.node);
            return Refused::Connection(Error::new(ErrorKind::Transport, message).retryable());
        }
        if status::is_foreign(status) {
            let message = format!("{} gave no answer of Doris to a query: {text}", self.node);
            return Refused::Connection(Error::new(ErrorKind::Connect, message).retryable());
        }
        // Before the code of the status: these come as UNAVAILABLE, as a busy session does, and are not worth the
        // same.
        if let Some(kind) = status::changelog_refusal(status, &text) {
            let message = format!("{} refused the query: {text}", self.node);
            return Refused::Other(Error::new(kind, message));
        }
        if denied(&text) || status.code() == Code::PermissionDenied {
            return Refused::Other(self.frontends.refused_login(&self.node, &text));
        }
        if status::forgot_token(status) {
            return Refused::Login(self.frontends.refused_login(&self.node, &text));
        }
        if status::not_ready(status) || status.code() == Code::ResourceExhausted {
            let message = format!("{} could not answer the query: {text}", self.node);
            return Refused::Other(Error::new(ErrorKind::Transport, message).retryable());
        }
        if matches!(status.code(), Code::Cancelled | Code::Unknown) {
            let message = format!("{} gave no proper answer: {text}", self.node);
            return Refused::Connection(Error::new(ErrorKind::Transport, message).retryable());
        }
        Refused::Other(Error::new(
            ErrorKind::Query,
            format!("{} refused the query: {text}", self.node),
        ))
    }

    /// `DoGet` at this front end.
    pub(super) async fn stream(&mut self, ticket: Ticket, limit: Duration) -> Result<Stream, Error> {
        let request = self.authorized(ticket);
        match tokio::time::timeout(limit, self.client.do_get(request)).await {
            Ok(Ok(answer)) => Ok(Stream {
                node: self.node.clone(),
                messages: answer.into_inner(),
            }),
            Ok(Err(status)) => Err(status::stream_error(&self.node, &status)),
            Err(_) => Err(status::timeout(
                &format!("the first answer of {}", self.node),
                limit,
                "doris.request.query.timeout",
            )),
        }
    }

    /// Ends the session on the server, waiting at most `limit`. Older servers know no such action.
    pub(super) async fn close(mut self, limit: Duration) {
        let request = self.authorized(Action {
            r#type: "CloseSession".to_owned(),
            body: Default::default(),
        });
        let closing = async {
            self.client
                .do_action(request)
                .await?
                .into_inner()
                .try_collect::<Vec<_>>()
                .await?;
            Ok::<_, Status>(())
        };
        match tokio::time::timeout(limit, closing).await {
            Ok(Ok(())) => {}
            Ok(Err(status)) => {
                tracing::debug!(node = %self.node, reason = status::text(&status), "the session was left to the server")
            }
            Err(_) => tracing::debug!(node = %self.node, "closing the session took too long"),
        }
    }

    fn authorized<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.token.clone());
        request
    }
}

fn login_error(frontends: &Frontends, node: &Address, status: &Status) -> Error {
    let text = status::text(status);
    if status::is_broken(status) {
        return Error::new(
            ErrorKind::Connect,
            format!("the connection to {node} broke during the login: {text} (is it the port of arrow_flight_sql_port?)"),
        )
        .retryable();
    }
    if matches!(status.code(), Code::Unauthenticated | Code::PermissionDenied) || denied(&text) {
        return frontends.refused_login(node, &text);
    }
    match status.code() {
        Code::Unimplemented | Code::InvalidArgument => not_flight(node, &text),
        // What is in between may answer so for a while.
        Code::Unavailable => login_failed(node, &text),
        _ if status::is_foreign(status) => not_flight(node, &text),
        Code::ResourceExhausted => Error::new(
            ErrorKind::Connect,
            format!("{node} has no room for another session: {text}"),
        )
        .retryable(),
        _ => login_failed(node, &text),
    }
}

fn login_failed(node: &Address, text: &str) -> Error {
    Error::new(ErrorKind::Connect, format!("the login at {node} failed: {text}")).retryable()
}

fn not_flight(node: &Address, text: &str) -> Error {
    Error::new(
        ErrorKind::Config,
        format!(
            "{node} is not an Arrow Flight SQL port ({text}); see source.flight-sql-port and arrow_flight_sql_port of the server"
        ),
    )
    // Another front end may have it there.
    .unresolved()
}
