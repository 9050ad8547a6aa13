//! Flight service of a front end: which call does what; logins, statements and actions are in the files beside it.

use std::sync::Arc;

use arrow_flight::sql::{Any, Command};
use arrow_flight::{
    Action, ActionType, FlightData, FlightDescriptor, FlightEndpoint, FlightInfo, HandshakeRequest,
    HandshakeResponse, Ticket,
};
use futures::StreamExt;
use futures::stream::BoxStream;
use prost::Message;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status, Streaming};

use super::Flight;
use super::be::{connection, statement_handle};
use super::login::Login;
use super::serve::{Answer, Node};
use super::ticket::{parse_backend_handle, parse_frontend_handle};
use super::{actions, login, metadata, statement, stream};
use crate::control::journal::{Entry, masked_headers};
use crate::net::ConnectionHandle;
use crate::shared::Shared;

/// The service of one front end.
pub(crate) struct FrontendFlight {
    pub(crate) shared: Arc<Shared>,
    pub(crate) flight: Arc<Flight>,
    /// Position in the cluster.
    pub(crate) index: usize,
    /// `fe0`, ….
    pub(crate) node: String,
}

impl FrontendFlight {
    pub(crate) fn new(shared: Arc<Shared>, flight: Arc<Flight>, index: usize) -> Self {
        Self {
            shared,
            flight,
            index,
            node: format!("fe{index}"),
        }
    }

    /// Location of a result that this front end keeps; `None` leaves it out.
    pub(crate) fn location(&self) -> Option<String> {
        let frontend = self.shared.cluster.frontends().into_iter().nth(self.index)?;
        self.flight
            .switches
            .fe_location
            .of(&frontend.host, frontend.flight)
    }

    async fn info(
        &self,
        login: &Login,
        connection: &ConnectionHandle,
        descriptor: FlightDescriptor,
    ) -> (String, Result<FlightInfo, Status>) {
        let command = Any::decode(&*descriptor.cmd)
            .map_err(|error| Status::invalid_argument(error.to_string()))
            .and_then(|any| {
                Command::try_from(any).map_err(|error| Status::invalid_argument(error.to_string()))
            });
        let sql = match command {
            Err(status) => return (String::new(), Err(status)),
            Ok(Command::CommandStatementQuery(query)) => query.query,
            Ok(Command::CommandPreparedStatementQuery(query)) => {
                let handle = String::from_utf8_lossy(&query.prepared_statement_handle).into_owned();
                match login.session.prepared(&handle) {
                    Some(sql) => sql,
                    None => {
                        let text =
                            format!("get flight info prepared statement failed, unknown handle {handle}");
                        return (String::new(), Err(Status::internal(text)));
                    }
                }
            }
            Ok(other) => {
                let Some((name, schema)) = metadata::described(&other) else {
                    let text = "this Flight SQL command is not implemented by a front end";
                    return (String::new(), Err(Status::unimplemented(text)));
                };
                let mut endpoint = FlightEndpoint::new().with_ticket(Ticket::new(descriptor.cmd.clone()));
                if let Some(location) = self.location() {
                    endpoint = endpoint.with_location(location);
                }
                let info = FlightInfo::new()
                    .with_endpoint(endpoint)
                    .with_descriptor(descriptor)
                    .try_with_schema(&schema)
                    .map_err(|error| Status::internal(error.to_string()));
                return (name.to_owned(), info);
            }
        };
        let info = statement::run(self, login, connection, &sql, descriptor).await;
        (sql, info)
    }

    async fn get(
        &self,
        login: &Login,
        ticket: &Ticket,
        connection: ConnectionHandle,
    ) -> Result<BoxStream<'static, Result<FlightData, Status>>, Status> {
        if let Some(command) = metadata::asked(ticket) {
            return metadata::answer(self, &login.session.user, command).await;
        }
        let handle = statement_handle(ticket).map_err(|status| {
            Status::internal(format!("get stream statement failed, {}", status.message()))
        })?;
        // A client that got the location of re-use, or none, presents tickets of back ends here.
        let id = parse_backend_handle(&handle)
            .ok()
            .or_else(|| parse_frontend_handle(&handle));
        let result = id.and_then(|id| self.flight.results.take(id)).ok_or_else(|| {
            let handle = String::from_utf8_lossy(&handle);
            Status::internal(format!(
                "get stream statement failed, cannot find the result of ticket {handle}"
            ))
        })?;
        let most = self.flight.switches.piece_bytes;
        Ok(stream::serve(&self.shared, most, "fe.flight", &self.node, connection, result).boxed())
    }

    async fn login(&self, metadata: &MetadataMap, connection: &ConnectionHandle) -> Result<Login, Status> {
        login::authorize(self, metadata, connection).await
    }

    /// Journals a call that is over.
    pub(crate) fn note<T>(
        &self,
        method: &str,
        metadata: &MetadataMap,
        login: Option<&Login>,
        statement: String,
        bytes: usize,
        outcome: &Result<T, Status>,
    ) {
        let headers = metadata
            .as_ref()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()));
        self.shared.journal.add(Entry {
            channel: "fe.flight",
            node: self.node.clone(),
            method: method.to_owned(),
            statement,
            headers: masked_headers(headers),
            body_bytes: bytes as u64,
            status: outcome
                .as_ref()
                .map_or_else(|status| format!("{:?}", status.code()), |_| "ok".to_owned()),
            error: outcome
                .as_ref()
                .err()
                .map_or_else(String::new, |status| status.message().to_owned()),
            user: login.map_or_else(String::new, |login| login.session.user.clone()),
            session: login.map(|login| login.session.id),
            ..Entry::default()
        });
    }
}

#[tonic::async_trait]
impl Node for FrontendFlight {
    fn refusal(_: &str, call: &str) -> Status {
        Status::unimplemented(format!("{call} unimplemented"))
    }

    async fn handshake(&self, request: Request<Streaming<HandshakeRequest>>) -> Answer<HandshakeResponse> {
        let connection = connection(&request)?;
        let metadata = request.metadata().clone();
        let login = self.login(&metadata, &connection).await;
        self.note(
            "Handshake",
            &metadata,
            login.as_ref().ok(),
            String::new(),
            0,
            &login,
        );
        let login = login?;
        let answer = HandshakeResponse {
            payload: login.session.token().to_owned().into(),
            ..Default::default()
        };
        Ok(login.respond(futures::stream::iter([Ok(answer)]).boxed()))
    }

    async fn get_flight_info(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        let connection = connection(&request)?;
        let (metadata, _, descriptor) = request.into_parts();
        let bytes = descriptor.cmd.len();
        let login = self.login(&metadata, &connection).await;
        let (statement, outcome) = match &login {
            Ok(login) => self.info(login, &connection, descriptor).await,
            Err(status) => (String::new(), Err(status.clone())),
        };
        self.note(
            "GetFlightInfo",
            &metadata,
            login.as_ref().ok(),
            statement,
            bytes,
            &outcome,
        );
        Ok(login?.respond(outcome?))
    }

    async fn do_get(&self, request: Request<Ticket>) -> Answer<FlightData> {
        let connection = connection(&request)?;
        let (metadata, _, ticket) = request.into_parts();
        let login = self.login(&metadata, &connection).await;
        let outcome = match &login {
            Ok(login) => self.get(login, &ticket, connection).await,
            Err(status) => Err(status.clone()),
        };
        if outcome.is_err() {
            self.note(
                "DoGet",
                &metadata,
                login.as_ref().ok(),
                String::new(),
                ticket.ticket.len(),
                &outcome,
            );
        }
        Ok(login?.respond(outcome?))
    }

    async fn do_action(&self, request: Request<Action>) -> Answer<arrow_flight::Result> {
        let connection = connection(&request)?;
        let (metadata, _, action) = request.into_parts();
        let login = self.login(&metadata, &connection).await;
        let outcome = match &login {
            Ok(login) => actions::act(self, login, &action).await,
            Err(status) => Err(status.clone()),
        };
        let note = login.as_ref().ok();
        self.note(
            &action.r#type,
            &metadata,
            note,
            String::new(),
            action.body.len(),
            &outcome,
        );
        Ok(login?.respond(futures::stream::iter(outcome?.into_iter().map(Ok)).boxed()))
    }

    async fn list_actions(&self) -> Answer<ActionType> {
        Ok(Response::new(
            futures::stream::iter(actions::list().into_iter().map(Ok)).boxed(),
        ))
    }
}
