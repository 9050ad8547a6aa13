//! Back ends: which one takes a load, a commit or an abort, and the connection to it.
//!
//! | options | back end |
//! |---|---|
//! | `benodes` | these in turn; front ends are not used |
//! | `auto-redirect` = `true` | the one that a front end names for a request with an empty body |
//! | `auto-redirect` = `false` | the alive ones that a front end lists, in turn |
//!
//! Each request goes where the front end names at that moment, or to the next in turn: a front end spreads load, and
//! knows of nodes that come and go. One that could not be reached is passed over for a while, as long as there are
//! others. A back end counts as reachable when it accepts a connection: what it answers elsewhere (a login page, for
//! one) says nothing about loads.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;
use tokio::net::TcpStream;

use crate::config::address::Address;
use crate::error::{Error, ErrorKind, unresolved, walk};
use crate::fe::envelope::{self, WANTED, number};
use crate::fe::{Frontends, foreign, odd};
use crate::net::backoff::random;
use crate::net::http::{Reply, Target};
use crate::net::shunned::Shunned;
use crate::write::config::WriteConfig;
use crate::write::response::{LoadAnswer, Refusal};

/// How often another back end is requested from a front end when it names one that failed.
const ATTEMPTS: usize = 5;

/// Whose turn it is among listed back ends: counters for the process, so that its subtasks spread evenly. Commits
/// have one of their own: in a row of load, commit, load, commit all loads would go to every other node.
static TURNS: LazyLock<[AtomicUsize; 2]> =
    LazyLock::new(|| [(); 2].map(|()| AtomicUsize::new((random() * 1e6) as usize)));

/// The back ends as one sink sees them.
#[derive(Debug)]
pub(crate) struct Backends {
    config: Arc<WriteConfig>,
    frontends: Frontends,
    shunned: Shunned,
}

/// A request to any back end.
#[derive(Clone, Debug)]
pub(crate) struct BackendRequest<'a> {
    /// For messages: `the load of db.t under label 'x'`.
    pub(crate) what: &'a str,
    pub(crate) path: &'a str,
    /// With login and `Expect`; also sent to the front end, which judges by them.
    pub(crate) headers: &'a HeaderMap,
    pub(crate) purpose: Purpose,
}

/// What a request is for, as far as back ends take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Load,
    /// A commit or an abort.
    Transaction,
}

impl Backends {
    pub(crate) fn new(config: Arc<WriteConfig>, frontends: Frontends) -> Self {
        Self {
            config,
            frontends,
            shunned: Shunned::default(),
        }
    }

    /// A connection to a back end that shall get the request. Nothing was sent to a back end when this fails; the
    /// error lists every node with its own cause.
    pub(crate) async fn connect(&self, request: &BackendRequest<'_>) -> Result<(Target, TcpStream), Error> {
        if self.config.benodes.is_empty() && self.config.auto_redirect {
            self.redirected(request).await
        } else {
            self.listed(request).await
        }
    }

    /// Tells that a node failed: the next request goes elsewhere if there is another.
    pub(crate) fn failed(&self, node: &Address) {
        self.shunned.add(node);
    }

    /// Tells that a node did its work.
    pub(crate) fn served(&self, node: &Address) {
        self.shunned.remove(node);
    }

    /// `host:http_port` of the back ends that the cluster holds for alive.
    async fn alive(&self) -> Result<Vec<Address>, Error> {
        const PATH: &str = "/api/backends?is_alive=true";
        let frontends = &self.frontends;
        let nodes = frontends
            .first("the list of back ends", |fe| async move {
                let data = frontends.call(&fe, Method::GET, PATH, None).await?;
                match data.get("backends").and_then(Value::as_array) {
                    Some(nodes) => Ok(nodes.clone()),
                    None => Err(odd(&fe, &format!("GET {PATH}"), "without back ends", &data)),
                }
            })
            .await?;
        let node = |entry: &Value| {
            let port = entry.get("http_port").and_then(number)?;
            let host = entry.get("ip").or_else(|| entry.get("host"))?.as_str()?;
            let alive = entry.get("is_alive").and_then(Value::as_bool).unwrap_or(true);
            alive.then(|| Some(Address::new(host, u16::try_from(port).ok().filter(|p| *p > 0)?)))?
        };
        Ok(nodes.iter().filter_map(node).collect())
    }

    async fn redirected(&self, request: &BackendRequest<'_>) -> Result<(Target, TcpStream), Error> {
        let mut causes = Vec::new();
        for left in (0..ATTEMPTS).rev() {
            let target = self
                .frontends
                .first(request.what, |fe| async move { self.named_by(fe, request).await })
                .await?;
            // The front end notices a dead node some seconds after us.
            if left > 0 && self.is_shunned(&target.node) {
                continue;
            }
            match self.reach(&target.node).await {
                Ok(stream) => return Ok((target, stream)),
                Err(error) => causes.push((target.node, error)),
            }
        }
        Err(unreached(request, "named by a front end", &causes))
    }

    async fn listed(&self, request: &BackendRequest<'_>) -> Result<(Target, TcpStream), Error> {
        let mut causes = Vec::new();
        let (mut nodes, whence) = if self.config.benodes.is_empty() {
            (self.alive().await?, "alive")
        } else {
            (self.config.benodes.clone(), "of benodes")
        };
        if !nodes.is_empty() {
            let turn = TURNS[request.purpose as usize].fetch_add(1, Relaxed) % nodes.len();
            nodes.rotate_left(turn);
        }
        nodes.sort_by_key(|node| self.is_shunned(node));
        for node in nodes {
            match self.reach(&node).await {
                Ok(stream) => return Ok((own(node, request), stream)),
                Err(error) => causes.push((node, error)),
            }
        }
        Err(unreached(request, whence, &causes))
    }

    /// Gets the back end for the request from a front end, with an empty body.
    async fn named_by(&self, fe: Address, request: &BackendRequest<'_>) -> Result<Target, Error> {
        let mut node = fe.clone();
        let mut path = request.path.to_owned();
        // A follower may send on to the master.
        for _ in 0..3 {
            let reply = self.frontends.put_empty(&node, &path, request.headers).await?;
            if !reply.status.is_redirection() {
                return Err(self.refused(&node, request, &path, &reply));
            }
            let location = reply.location.as_deref().unwrap_or_default();
            let target = Target::parse(location).map_err(|why| {
                let message = format!(
                    "front end {node} redirects {} (PUT {path}, status {}) to where it cannot go: {why}",
                    request.what,
                    reply.status.as_u16()
                );
                if location.starts_with("https:") {
                    return Error::new(ErrorKind::Unsupported, message);
                }
                // A page of something in between, such as one to log in at.
                Error::new(ErrorKind::Transport, format!("{message} ({WANTED})")).retryable()
            })?;
            if !self.config.cluster.fenodes.contains(&target.node) {
                return Ok(target);
            }
            node = target.node;
            path = target.path;
        }
        Err(Error::new(
            ErrorKind::Transport,
            format!("front end {fe} redirects {} in a circle", request.what),
        )
        .retryable())
    }

    /// The error for a front end that names no back end.
    fn refused(&self, fe: &Address, request: &BackendRequest<'_>, path: &str, reply: &Reply) -> Error {
        let answer = LoadAnswer::parse(&reply.text);
        let told = answer
            .as_ref()
            .map_or_else(|| envelope::beginning(&reply.text), |a| a.message.clone());
        let denied = matches!(
            reply.status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PROXY_AUTHENTICATION_REQUIRED
        );
        let refusal = answer.as_ref().map(LoadAnswer::refusal);
        if denied || refusal == Some(Refusal::Denied) || told.contains("Need auth information") {
            return self.frontends.refused_login(fe, &told);
        }
        let (Some(answer), Some(refusal)) = (answer, refusal) else {
            return foreign(fe, &format!("PUT {path}"), reply.status, &told);
        };
        if answer.of_back_end {
            let message = format!("{fe} answers {} as a back end does: {WANTED}", request.what);
            return Error::new(ErrorKind::Config, message).unresolved();
        }
        let status = reply.status.as_u16();
        let kind = match refusal {
            Refusal::NotFound => ErrorKind::NotFound,
            Refusal::NoBackend | Refusal::NotReady => ErrorKind::Connect,
            _ => ErrorKind::Load,
        };
        let error = Error::new(
            kind,
            format!(
                "front end {fe} refused {} (PUT {path}, status {status}): {told}",
                request.what
            ),
        );
        error.retryable_if(reply.status.is_server_error() || refusal.may_pass())
    }

    async fn reach(&self, node: &Address) -> Result<TcpStream, Error> {
        let limit = self.config.cluster.connect_timeout;
        let connecting = TcpStream::connect((node.host.as_str(), node.port));
        let error = match tokio::time::timeout(limit, connecting).await {
            Ok(Ok(stream)) => {
                // The body is written in large pieces; what is held back is only the last one.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => {
                let text = walk(&error);
                let error = Error::new(ErrorKind::Connect, format!("cannot be reached ({text})"));
                // Resolvers fail for passing reasons too, and another node may do.
                if unresolved(&text) {
                    error.unresolved().retryable()
                } else {
                    error.retryable()
                }
            }
            Err(_) => Error::new(
                ErrorKind::Timeout,
                format!("no connection within {limit:?} (doris.request.connect.timeout)"),
            )
            .retryable(),
        };
        self.failed(node);
        Err(error)
    }

    fn is_shunned(&self, node: &Address) -> bool {
        self.shunned.since(node).is_some()
    }
}

fn own(node: Address, request: &BackendRequest<'_>) -> Target {
    Target {
        node,
        path: request.path.to_owned(),
    }
}

fn unreached(request: &BackendRequest<'_>, whence: &str, causes: &[(Address, Error)]) -> Error {
    let list: Vec<String> = causes.iter().map(|(node, e)| format!("{node}: {e}")).collect();
    let list = if list.is_empty() {
        "there is none".to_owned()
    } else {
        list.join("; ")
    };
    Error::new(
        ErrorKind::Connect,
        format!("no back end {whence} takes {}: {list}", request.what),
    )
    .retryable()
}
