//! Logins of the Flight channel: Basic makes a session, Bearer finds one.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tonic::metadata::MetadataMap;
use tonic::{Response, Status};

use super::fe::FrontendFlight;
use super::sessions::{FlightSession, Limits};
use super::stream::failure;
use crate::control::faults::Sight;
use crate::control::rules::Point;
use crate::net::ConnectionHandle;

/// A session that a call runs in.
pub(crate) struct Login {
    pub(crate) session: Arc<FlightSession>,
    /// True when this call made the session; the answer then has its token.
    new: bool,
}

impl Login {
    /// An answer, with the token in its header when the session is new.
    pub(crate) fn respond<T>(&self, body: T) -> Response<T> {
        let mut response = Response::new(body);
        if self.new
            && let Ok(value) = format!("Bearer {}", self.session.token()).parse()
        {
            response.metadata_mut().insert("authorization", value);
        }
        response
    }
}

/// The session that the credentials of a call stand for. Basic makes a new one each time.
pub(crate) async fn authorize(
    fe: &FrontendFlight,
    metadata: &MetadataMap,
    connection: &ConnectionHandle,
) -> Result<Login, Status> {
    let value = metadata
        .get("authorization")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    if scheme.eq_ignore_ascii_case("bearer") {
        let session = fe
            .flight
            .sessions
            .get(rest.trim(), fe.index)
            .ok_or_else(|| unknown_token(fe))?;
        return Ok(Login { session, new: false });
    }
    if scheme.is_empty() {
        return Err(Status::unauthenticated("no credentials provided"));
    }
    let sight = Sight {
        node: &fe.node,
        ..Sight::default()
    };
    let strike = fe.shared.strike(Point::FlightHandshake, &sight).await;
    if let Some(status) = strike
        .as_ref()
        .and_then(|strike| failure(strike.action(), connection, ""))
    {
        return Err(status);
    }
    let ip = connection.peer.ip().to_string();
    let user = fe
        .shared
        .users
        .check_basic(value, &ip)
        .map_err(Status::unauthenticated)?;
    let session = open(fe, &user, connection)?;
    if strike.is_some_and(|strike| strike.action().drop_answer) {
        connection.close();
        return Err(Status::unavailable("answer dropped by a fault rule"));
    }
    fe.shared.strike(Point::FlightHandshakeAnswer, &sight).await;
    Ok(Login { session, new: true })
}

fn open(
    fe: &FrontendFlight,
    user: &str,
    connection: &ConnectionHandle,
) -> Result<Arc<FlightSession>, Status> {
    let shared = &fe.shared;
    let pooled = shared.switches.flight_session_pool;
    let user_limit = fe.flight.switches.max_user_connections;
    let limits = Limits {
        per_frontend: fe.flight.switches.max_connections,
        per_user: if pooled {
            user_limit
        } else {
            (user_limit / 2).max(1)
        },
        evict: !pooled,
    };
    let peer = connection.peer.to_string();
    let session = fe
        .flight
        .sessions
        .open_session(
            shared.engine.open_session_at(user, fe.index),
            user,
            &peer,
            fe.index,
            &limits,
        )
        .map_err(Status::resource_exhausted)?;
    shared.counters.flight_logins.fetch_add(1, Ordering::Relaxed);
    Ok(session)
}

/// Text for an unknown token, by generation; the token itself is not repeated.
fn unknown_token(fe: &FrontendFlight) -> Status {
    Status::unauthenticated(if fe.shared.switches.flight_session_pool {
        "Arrow Flight SQL session does not exist or is closed, please reconnect"
    } else {
        "invalid bearer token, try reconnect, bearer token may not be created, or may have been evict"
    })
}
