//! Back ends: which one takes a load, a commit or an abort, and the connection to it.
//!
//! | options | who takes it |
//! |---|---|
//! | `benodes` | these in turn; a front end is never asked |
//! | `auto-redirect` = `true` | whom a front end names, asked with an empty body |
//! | `auto-redirect` = `false` | the alive ones that a front end lists, in turn |
//!
//! The back end that took the last one is asked first, until it fails. One that could not be reached is passed over for a
//! while, as long as there are others. A back end counts as reachable when it accepts a connection: what it answers elsewhere
//! (a login page, for one) says nothing about loads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::{HeaderMap, StatusCode};
use tokio::net::TcpStream;

use crate::address::Address;
use crate::error::{Error, ErrorKind, walk};
use crate::fe::{Frontends, unresolved};
use crate::http::{Reply, Target};
use crate::response::{LoadAnswer, Refusal};
use crate::retry::random;
use crate::write_config::WriteConfig;

/// How long a back end that failed is passed over.
const SHUNNED_FOR: Duration = Duration::from_secs(10);

/// How often a front end is asked for another back end when it names one that failed.
const ASKS: usize = 5;

/// Whose turn it is among listed back ends: one counter for the process, so that its subtasks spread evenly.
static TURN: LazyLock<AtomicUsize> = LazyLock::new(|| AtomicUsize::new((random() * 1e6) as usize));

/// The back ends as one sink sees them.
#[derive(Debug)]
pub(crate) struct Backends {
    config: Arc<WriteConfig>,
    frontends: Frontends,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    kept: Option<Address>,
    shunned: HashMap<Address, Instant>,
}

/// A request that some back end shall get.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    /// For messages: `the load of db.t under label 'x'`.
    pub(crate) what: &'a str,
    pub(crate) path: &'a str,
    /// With login and `Expect`; also sent to the front end, which judges by them.
    pub(crate) headers: &'a HeaderMap,
}

impl Backends {
    pub(crate) fn new(config: Arc<WriteConfig>, frontends: Frontends) -> Self {
        Self {
            config,
            frontends,
            memory: Mutex::default(),
        }
    }

    /// A connection to a back end that shall get the request. Nothing was sent to a back end when this fails; the error lists
    /// every node with its own cause.
    pub(crate) async fn connect(&self, ask: &Ask<'_>) -> Result<(Target, TcpStream), Error> {
        let mut causes = Vec::new();
        if let Some(node) = self.kept() {
            match self.reach(&node).await {
                Ok(stream) => return Ok((own(node, ask), stream)),
                Err(error) => causes.push((node, error)),
            }
        }
        if self.config.benodes.is_empty() && self.config.auto_redirect {
            self.redirected(ask, causes).await
        } else {
            self.listed(ask, causes).await
        }
    }

    /// Tells that a node failed: the next request goes elsewhere if there is another.
    pub(crate) fn failed(&self, node: &Address) {
        let mut memory = self.memory();
        if memory.kept.as_ref() == Some(node) {
            memory.kept = None;
        }
        memory.shunned.insert(node.clone(), Instant::now());
    }

    /// Tells that a node did its work: the next request goes there as well.
    pub(crate) fn served(&self, target: &Target, ask: &Ask<'_>) {
        let mut memory = self.memory();
        memory.shunned.remove(&target.node);
        // A path of the front end's choice is for this request only.
        if target.path.trim_end_matches('?') == ask.path {
            memory.kept = Some(target.node.clone());
        }
    }

    async fn redirected(
        &self,
        ask: &Ask<'_>,
        mut causes: Vec<(Address, Error)>,
    ) -> Result<(Target, TcpStream), Error> {
        for left in (0..ASKS).rev() {
            let target = self
                .frontends
                .first(ask.what, |fe| async move { self.ask(fe, ask).await })
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
        Err(unreached(ask, "named by a front end", &causes))
    }

    async fn listed(
        &self,
        ask: &Ask<'_>,
        mut causes: Vec<(Address, Error)>,
    ) -> Result<(Target, TcpStream), Error> {
        let (mut nodes, whence) = if self.config.benodes.is_empty() {
            (self.frontends.alive_backends().await?, "alive")
        } else {
            (self.config.benodes.clone(), "of benodes")
        };
        nodes.retain(|node| causes.iter().all(|(failed, _)| failed != node));
        if !nodes.is_empty() {
            let turn = TURN.fetch_add(1, Relaxed) % nodes.len();
            nodes.rotate_left(turn);
        }
        nodes.sort_by_key(|node| self.is_shunned(node));
        for node in nodes {
            match self.reach(&node).await {
                Ok(stream) => return Ok((own(node, ask), stream)),
                Err(error) => causes.push((node, error)),
            }
        }
        Err(unreached(ask, whence, &causes))
    }

    /// Asks a front end, with an empty body, which back end shall get the request.
    async fn ask(&self, fe: Address, ask: &Ask<'_>) -> Result<Target, Error> {
        let mut node = fe.clone();
        let mut path = ask.path.to_owned();
        // A follower may send on to the master.
        for _ in 0..3 {
            let reply = self.frontends.put_empty(&node, &path, ask.headers).await?;
            if reply.status != StatusCode::TEMPORARY_REDIRECT && !reply.status.is_redirection() {
                return Err(self.refused(&node, ask, &reply));
            }
            let target = Target::parse(reply.location.as_deref().unwrap_or_default()).map_err(|why| {
                Error::new(
                    ErrorKind::Unsupported,
                    format!(
                        "front end {node} redirects {} (status {}) to where it cannot go: {why}",
                        ask.what,
                        reply.status.as_u16()
                    ),
                )
            })?;
            if !self.config.cluster.fenodes.contains(&target.node) {
                return Ok(target);
            }
            node = target.node;
            path = target.path;
        }
        Err(Error::new(
            ErrorKind::Transport,
            format!("front end {fe} redirects {} in a circle", ask.what),
        ))
    }

    /// The error for a front end that names no back end.
    fn refused(&self, fe: &Address, ask: &Ask<'_>, reply: &Reply) -> Error {
        let answer = LoadAnswer::parse(&reply.text);
        let told = answer
            .as_ref()
            .map_or_else(|| crate::fe::shortened(&reply.text), |a| a.message.clone());
        let denied = matches!(
            reply.status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PROXY_AUTHENTICATION_REQUIRED
        );
        let refusal = answer.map(|a| a.refusal());
        if denied || refusal == Some(Refusal::Denied) || told.contains("Need auth information") {
            return self.frontends.refused_login(fe, &told);
        }
        let status = match reply.status {
            StatusCode::OK => String::new(),
            other => format!(" with status {}", other.as_u16()),
        };
        let kind = match refusal {
            Some(Refusal::NotFound) => ErrorKind::NotFound,
            Some(Refusal::NoBackend) => ErrorKind::Connect,
            _ => ErrorKind::Load,
        };
        let error = Error::new(
            kind,
            format!("front end {fe} refused {}{status}: {told}", ask.what),
        );
        if reply.status.is_server_error() || refusal.is_some_and(Refusal::may_pass) {
            error.retryable()
        } else {
            error
        }
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

    fn kept(&self) -> Option<Address> {
        self.memory().kept.clone()
    }

    fn is_shunned(&self, node: &Address) -> bool {
        let mut memory = self.memory();
        memory.shunned.retain(|_, since| since.elapsed() < SHUNNED_FOR);
        memory.shunned.contains_key(node)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn own(node: Address, ask: &Ask<'_>) -> Target {
    Target {
        node,
        path: ask.path.to_owned(),
    }
}

fn unreached(ask: &Ask<'_>, whence: &str, causes: &[(Address, Error)]) -> Error {
    let list: Vec<String> = causes.iter().map(|(node, e)| format!("{node}: {e}")).collect();
    let list = if list.is_empty() {
        "there is none".to_owned()
    } else {
        list.join("; ")
    };
    Error::new(
        ErrorKind::Connect,
        format!("no back end {whence} takes {}: {list}", ask.what),
    )
    .retryable()
}
