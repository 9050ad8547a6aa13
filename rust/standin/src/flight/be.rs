//! Flight service of a back end: returns the rows of a ticket, checks no credentials, as Doris' back ends do.

use std::sync::Arc;

use arrow_flight::sql::{Any, Command};
use arrow_flight::{FlightData, HandshakeRequest, HandshakeResponse, Ticket};
use futures::StreamExt;
use futures::stream::BoxStream;
use prost::Message;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Response, Status, Streaming};

use super::Flight;
use super::serve::{Answer, Node};
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

#[tonic::async_trait]
impl Node for BackendFlight {
    fn refusal(call: &str, _: &str) -> Status {
        Status::unimplemented(format!("{call} is not implemented by a back end"))
    }

    /// A login is accepted without a look, and so is the default token that it gives.
    async fn handshake(&self, _request: Request<Streaming<HandshakeRequest>>) -> Answer<HandshakeResponse> {
        let empty = HandshakeResponse::default();
        let mut response = Response::new(futures::stream::iter([Ok(empty)]).boxed());
        response.metadata_mut().insert("authorization", default_token());
        Ok(response)
    }

    async fn do_get(&self, request: Request<Ticket>) -> Answer<FlightData> {
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
}

/// The token that a back end gives to everybody.
fn default_token() -> MetadataValue<Ascii> {
    MetadataValue::from_static("Bearer default_token")
}
