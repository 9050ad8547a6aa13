//! The MySQL port: packets, login, commands, results; and a small client for scripts.

pub mod client;
mod login;
pub(crate) mod packet;
mod results;
mod session;

use std::sync::Arc;

use tokio::task::JoinSet;

use crate::net::Incoming;
use crate::shared::Shared;

/// Serves the MySQL port of a front end until the listener stops; then waits until its connections are over.
pub(crate) async fn serve(shared: Arc<Shared>, index: usize, mut incoming: Incoming) {
    let mut connections = JoinSet::new();
    while let Some(connection) = incoming.next_connection().await {
        connections.spawn(session::serve(shared.clone(), index, connection));
        while connections.try_join_next().is_some() {}
    }
    while connections.join_next().await.is_some() {}
}
