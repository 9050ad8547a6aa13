//! A node as a Flight service, over a listener whose connections can be torn down.

use arrow_flight::flight_service_server::{FlightService, FlightServiceServer};
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest,
    HandshakeResponse, PollInfo, PutResult, SchemaResult, Ticket,
};
use futures::stream::BoxStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use super::cut::CutLayer;
use crate::net::{Incoming, connections};

/// Serves until the listener stops. Windows are large so that one stream fills a loopback connection.
pub(crate) async fn serve<N: Node>(node: N, incoming: Incoming) {
    let service = FlightServiceServer::new(Service(node))
        .max_decoding_message_size(usize::MAX)
        .max_encoding_message_size(usize::MAX);
    let served = Server::builder()
        .initial_stream_window_size(16 << 20)
        .initial_connection_window_size(16 << 20)
        .max_frame_size((1 << 20) as u32)
        .layer(CutLayer)
        .add_service(service)
        .serve_with_incoming(connections(incoming))
        .await;
    if let Err(error) = served {
        tracing::warn!(%error, "Flight listener ended");
    }
}

/// What a node answers; calls that it does not serve are refused.
#[tonic::async_trait]
pub(crate) trait Node: Send + Sync + 'static {
    /// The refusal of a call: its name in the protocol, and as Doris' front ends name it.
    fn refusal(call: &str, of_front_end: &str) -> Status;

    async fn handshake(&self, request: Request<Streaming<HandshakeRequest>>) -> Answer<HandshakeResponse>;

    async fn do_get(&self, request: Request<Ticket>) -> Answer<FlightData>;

    async fn get_flight_info(
        &self,
        _request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        Err(Self::refusal("GetFlightInfo", ""))
    }

    async fn do_action(&self, _request: Request<Action>) -> Answer<arrow_flight::Result> {
        Err(Self::refusal("DoAction", ""))
    }

    async fn list_actions(&self) -> Answer<ActionType> {
        Err(Self::refusal("ListActions", ""))
    }
}

/// A stream of answers, or why there is none.
pub(crate) type Answer<T> = Result<Response<BoxStream<'static, Result<T, Status>>>, Status>;

/// A node as a Flight service.
struct Service<N>(N);

#[tonic::async_trait]
impl<N: Node> FlightService for Service<N> {
    type HandshakeStream = BoxStream<'static, Result<HandshakeResponse, Status>>;
    type ListFlightsStream = BoxStream<'static, Result<FlightInfo, Status>>;
    type DoGetStream = BoxStream<'static, Result<FlightData, Status>>;
    type DoPutStream = BoxStream<'static, Result<PutResult, Status>>;
    type DoActionStream = BoxStream<'static, Result<arrow_flight::Result, Status>>;
    type ListActionsStream = BoxStream<'static, Result<ActionType, Status>>;
    type DoExchangeStream = BoxStream<'static, Result<FlightData, Status>>;

    async fn handshake(&self, request: Request<Streaming<HandshakeRequest>>) -> Answer<HandshakeResponse> {
        self.0.handshake(request).await
    }

    async fn do_get(&self, request: Request<Ticket>) -> Answer<FlightData> {
        self.0.do_get(request).await
    }

    async fn get_flight_info(
        &self,
        request: Request<FlightDescriptor>,
    ) -> Result<Response<FlightInfo>, Status> {
        self.0.get_flight_info(request).await
    }

    async fn do_action(&self, request: Request<Action>) -> Answer<arrow_flight::Result> {
        self.0.do_action(request).await
    }

    async fn list_actions(&self, _request: Request<Empty>) -> Answer<ActionType> {
        self.0.list_actions().await
    }

    async fn list_flights(&self, _request: Request<Criteria>) -> Answer<FlightInfo> {
        Err(N::refusal("ListFlights", "listFlights"))
    }

    async fn poll_flight_info(
        &self,
        _request: Request<FlightDescriptor>,
    ) -> Result<Response<PollInfo>, Status> {
        Err(N::refusal("PollFlightInfo", "pollFlightInfo"))
    }

    async fn get_schema(
        &self,
        _request: Request<FlightDescriptor>,
    ) -> Result<Response<SchemaResult>, Status> {
        Err(N::refusal("GetSchema", "getSchemaStatement"))
    }

    async fn do_put(&self, _request: Request<Streaming<FlightData>>) -> Answer<PutResult> {
        Err(N::refusal("DoPut", "acceptPut"))
    }

    async fn do_exchange(&self, _request: Request<Streaming<FlightData>>) -> Answer<FlightData> {
        Err(N::refusal("DoExchange", "doExchange"))
    }
}
