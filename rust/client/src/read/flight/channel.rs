//! Connections for Flight, set up for large batches.

use std::time::Duration;

use arrow_flight::flight_service_client::FlightServiceClient;
use tonic::transport::{Channel, Endpoint};

use super::status;
use crate::config::address::Address;
use crate::error::{Error, ErrorKind, unresolved, walk};
use crate::read::config::ReadConfig;

pub(crate) type Client = FlightServiceClient<Channel>;

/// What the server may send ahead of what is read. Part of a reader's memory, so small budgets get a small window.
const LARGEST_WINDOW: u64 = 16 << 20;
const SMALLEST_WINDOW: u64 = 1 << 16;
const FRAME: u32 = 1 << 20;

/// Connects, waiting at most `doris.request.connect.timeout`.
pub(crate) async fn connect(address: &Address, config: &ReadConfig) -> Result<Client, Error> {
    let limit = config.cluster.connect_timeout;
    let window = (config.buffer_size / 4).clamp(SMALLEST_WINDOW, LARGEST_WINDOW) as u32;
    let endpoint = Endpoint::from_shared(format!("http://{address}"))
        .map_err(|e| Error::new(ErrorKind::Config, format!("'{address}' is not an address")).with_source(e))?
        .connect_timeout(limit)
        .tcp_nodelay(true)
        // Pings of HTTP/2 are not used: servers of gRPC take frequent ones as an attack and hang up.
        .tcp_keepalive(Some(Duration::from_secs(30)))
        .initial_stream_window_size(window)
        .initial_connection_window_size(window)
        .max_frame_size(FRAME)
        // Errors of a server may carry a whole stack trace in their status.
        .http2_max_header_list_size(1 << 20);
    match tokio::time::timeout(limit, endpoint.connect()).await {
        Ok(Ok(channel)) => Ok(FlightServiceClient::new(channel).max_decoding_message_size(usize::MAX)),
        Ok(Err(error)) => {
            let text = walk(&error);
            if unresolved(&text) {
                return Err(Error::new(
                    ErrorKind::Connect,
                    format!("the host name '{}' cannot be resolved", address.host),
                )
                .unresolved());
            }
            Err(Error::new(
                ErrorKind::Connect,
                format!("Flight at {address} cannot be reached ({text})"),
            )
            .retryable())
        }
        Err(_) => Err(status::timeout(
            &format!("a connection to {address}"),
            limit,
            "doris.request.connect.timeout",
        )
        .with_kind(ErrorKind::Timeout)
        .retryable()),
    }
}
