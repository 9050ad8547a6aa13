//! Flight service of a back end: gives out the rows of a ticket, asks for no credentials, as Doris' back ends do.

use std::sync::Arc;

use arrow_flight::flight_service_server::FlightService;
use arrow_flight::sql::{Any, Command};
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest,
    HandshakeResponse, PollInfo, PutResult, SchemaResult, Ticket,
};
use futures::StreamExt;
use futures::stream::BoxStream;
use prost::Message;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Response, Status, Streaming};

use super::Flight;
use super::stream;
use super::ticket::parse_backend_handle;
use crate::control::journal::Entry;
use crate::net::ConnectionHandle;
use crate::shared::Shared;

/// The service of one back end.
pub(crate) struct BackendFlight {
    shared: Arc<Shared>,
    flight: Arc<Flight>,
    node: String,
}

impl BackendFlight {
    pub(crate) fn new(shared: Arc<Shared>, flight: Arc<Flight>, index: usize) -> Self {
        Self {
            shared,
            flight,
            node: format!("be{index}"),
        }
    }

    fn open(
        &self,
        ticket: &Ticket,
        connection: ConnectionHandle,
    ) -> Result<BoxStream<'static, Result<FlightData, Status>>, Status> {
        let id = parse_backend_handle(&statement_handle(ticket)?).map_err(Status::invalid_argument)?;
        let result = self.flight.results.take(id).ok_or_else(|| not_found(id))?;
        let most = self.flight.switches.piece_bytes;
        Ok(stream::serve(&self.shared, most, "be.flight", &self.node, connection, result).boxed())
    }
}

/// The statement handle inside a ticket.
pub(crate) fn statement_handle(ticket: &Ticket) -> Result<Vec<u8>, Status> {
    let malformed = || {
        Status::invalid_argument(format!(
            "Malformed ticket: {:?}, size: {}",
            ticket.ticket,
            ticket.ticket.len()
        ))
    };
    let any = Any::decode(&*ticket.ticket).map_err(|_| malformed())?;
    match Command::try_from(any) {
        Ok(Command::TicketStatementQuery(query)) => Ok(query.statement_handle.to_vec()),
        _ => Err(malformed()),
    }
}

/// What a ticket gets that was used before, or whose result is gone.
pub(crate) fn not_found(id: super::ticket::QueryId) -> Status {
    Status::not_found(format!(
        "not found arrow flight schema, maybe query has been canceled, query id: {id}"
    ))
}

/// What the connection of a call is known by.
pub(crate) fn connection<T>(request: &Request<T>) -> Result<ConnectionHandle, Status> {
    request
        .extensions()
        .get::<ConnectionHandle>()
        .cloned()
        .ok_or_else(|| Status::internal("no connection"))
}

fn unimplemented<T>(call: &str) -> Result<T, Status> {
    Err(Status::unimplemented(format!(
        "{call} is not implemented by a back end"
    )))
}

#[tonic::async_trait]
impl FlightService for BackendFlight {
    type HandshakeStream = BoxStream<'static, Result<HandshakeResponse, Status>>;
    type ListFlightsStream = BoxStream<'static, Result<FlightInfo, Status>>;
    type DoGetStream = BoxStream<'static, Result<FlightData, Status>>;
    type DoPutStream = BoxStream<'static, Result<PutResult, Status>>;
    type DoActionStream = BoxStream<'static, Result<arrow_flight::Result, Status>>;
    type ListActionsStream = BoxStream<'static, Result<ActionType, Status>>;
    type DoExchangeStream = BoxStream<'static, Result<FlightData, Status>>;

    /// A login is accepted without a look, and so is the default token that it gives.
    async fn handshake(
        &self,
        _request: Request<Streaming<HandshakeRequest>>,
    ) -> Result<Response<Self::HandshakeStream>, Status> {
        let empty = HandshakeResponse::default();
        let mut response = Response::new(futures::stream::iter([Ok(empty)]).boxed());
        response.metadata_mut().insert("authorization", default_token());
        Ok(response)
    }

    async fn do_get(&self, request: Request<Ticket>) -> Result<Response<Self::DoGetStream>, Status> {
        let opened = self.open(request.get_ref(), connection(&request)?);
        if let Err(status) = &opened {
            self.shared.journal.add(Entry {
                channel: "be.flight",
                node: self.node.clone(),
                method: "DoGet".to_owned(),
                status: format!("{:?}", status.code()),
                error: status.message().to_owned(),
                ..Entry::default()
            });
        }
        let mut response = Response::new(opened?);
        response.metadata_mut().insert("authorization", default_token());
        Ok(response)
    }

    async fn list_flights(
        &self,
        _request: Request<Criteria>,
    ) -> Result<Response<Self::ListFlightsStream>, Status> {
        unimplemented("ListFlights")
    }

    async fn get_flight_info(
        &self,
        _request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        unimplemented("GetFlightInfo")
    }

    async fn poll_flight_info(
        &self,
        _request: Request<FlightDescriptor>,
    ) -> Result<Response<PollInfo>, Status> {
        unimplemented("PollFlightInfo")
    }

    async fn get_schema(
        &self,
        _request: Request<FlightDescriptor>,
    ) -> Result<Response<SchemaResult>, Status> {
        unimplemented("GetSchema")
    }

    async fn do_put(
        &self,
        _request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoPutStream>, Status> {
        unimplemented("DoPut")
    }

    async fn do_action(&self, _request: Request<Action>) -> Result<Response<Self::DoActionStream>, Status> {
        unimplemented("DoAction")
    }

    async fn list_actions(
        &self,
        _request: Request<Empty>,
    ) -> Result<Response<Self::ListActionsStream>, Status> {
        unimplemented("ListActions")
    }

    async fn do_exchange(
        &self,
        _request: Request<Streaming<FlightData>>,
    ) -> Result<Response<Self::DoExchangeStream>, Status> {
        unimplemented("DoExchange")
    }
}

/// The token that a back end gives to everybody.
fn default_token() -> MetadataValue<Ascii> {
    MetadataValue::from_static("Bearer default_token")
}
