//! Runs a Flight service over a listener whose connections can be torn down.

use arrow_flight::flight_service_server::{FlightService, FlightServiceServer};
use tonic::transport::Server;

use super::cut::CutLayer;
use crate::net::{Incoming, connections};

/// Serves until the listener stops. Windows are large so that one stream fills a loopback connection.
pub(crate) async fn serve<S: FlightService>(service: S, incoming: Incoming) {
    let service = FlightServiceServer::new(service)
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
