//! Front ends: which one to ask, their REST calls and the envelope of their answers.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::HeaderMap;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Method, StatusCode, redirect};
use serde_json::{Value, json};

mod answers;
pub(crate) mod envelope;
mod statement;

pub use answers::Tablet;
use answers::{Unplanned, flight_port, tablets};
use envelope::{Answered, WANTED};
pub(crate) use envelope::{number, shortened};

use crate::config::address::Address;
use crate::config::cluster::Cluster;
use crate::error::{Error, ErrorKind, walk};
use crate::net::http::{Reply, Target};
use crate::net::refused::remedy;
use crate::net::retry::{Retry, random};
use crate::read::config::Table;
use crate::write::response::LabelState;

/// How long a front end that failed is asked last.
const SHUNNED_FOR: Duration = Duration::from_secs(10);

/// Failed front ends of the whole process, so that every reader need not find out by itself.
static SHUNNED: LazyLock<Mutex<HashMap<Address, Instant>>> = LazyLock::new(Mutex::default);

/// The front ends of one cluster.
#[derive(Clone, Debug)]
pub(crate) struct Frontends {
    cluster: Arc<Cluster>,
    http: reqwest::Client,
}

impl Frontends {
    pub(crate) fn new(cluster: Arc<Cluster>) -> Result<Self, Error> {
        Self::with(cluster, reqwest::Client::builder())
    }

    /// Front ends to whom no connection stays open between calls: one that the server closes at the moment of use would break
    /// a call that must not be repeated blindly.
    pub(crate) fn without_pool(cluster: Arc<Cluster>) -> Result<Self, Error> {
        Self::with(cluster, reqwest::Client::builder().pool_max_idle_per_host(0))
    }

    fn with(cluster: Arc<Cluster>, builder: reqwest::ClientBuilder) -> Result<Self, Error> {
        let http = builder
            .connect_timeout(cluster.connect_timeout)
            .timeout(cluster.connect_timeout + cluster.read_timeout)
            .redirect(redirect::Policy::none())
            // The cluster is named by options alone, not by the environment.
            .no_proxy()
            .build()
            .map_err(|e| Error::new(ErrorKind::Internal, "the HTTP client cannot be built").with_source(e))?;
        Ok(Self { cluster, http })
    }

    /// Runs `call` with one front end after the other, a random one first and those that failed lately last, until one
    /// answers. A passing failure (`retryable`) moves on to the next; a round in which all fail is repeated within
    /// `doris.request.retries`. The error names every front end with its own cause.
    pub(crate) async fn first<T, F: Future<Output = Result<T, Error>>>(
        &self,
        what: &str,
        call: impl Fn(Address) -> F,
    ) -> Result<T, Error> {
        self.first_from(None, what, call).await
    }

    /// As [`Frontends::first`], but begins with the front end that is `wanted`, unless it failed lately.
    pub(crate) async fn first_from<T, F: Future<Output = Result<T, Error>>>(
        &self,
        wanted: Option<&Address>,
        what: &str,
        call: impl Fn(Address) -> F,
    ) -> Result<T, Error> {
        let mut retry = Retry::new(self.cluster.retries);
        loop {
            let mut causes: Vec<(Address, Error)> = Vec::new();
            for fe in self.order(wanted) {
                match call(fe.clone()).await {
                    Ok(answer) => {
                        shunned().remove(&fe);
                        return Ok(answer);
                    }
                    Err(error) if error.moves_on() => {
                        tracing::debug!(frontend = %fe, %error, "front end failed, trying the next");
                        shunned().insert(fe.clone(), Instant::now());
                        causes.push((fe, error));
                    }
                    Err(error) => return Err(error),
                }
            }
            let error = all_failed(what, &causes);
            match retry.next(&error) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(error),
            }
        }
    }

    /// Asks a front end last for a while: it answered, but not as the cluster should.
    pub(crate) fn pass_over(&self, fe: &Address) {
        shunned().insert(fe.clone(), Instant::now());
    }

    fn order(&self, wanted: Option<&Address>) -> Vec<Address> {
        let mut order = self.cluster.fenodes.clone();
        let start = (random() * order.len() as f64) as usize;
        let last = order.len().saturating_sub(1);
        order.rotate_left(start.min(last));
        order.sort_by_key(|fe| Some(fe) != wanted);
        let mut shunned = shunned();
        shunned.retain(|_, since| since.elapsed() < SHUNNED_FOR);
        // Of those that failed the one whose failure is oldest.
        order.sort_by_key(|fe| shunned.get(fe).copied());
        order
    }

    /// The tablets that a query reads, ascending by id.
    pub(crate) async fn tablets(&self, table: &Table, sql: &str) -> Result<Vec<Tablet>, Error> {
        let what = format!("planning the read of {table}");
        self.first(&what, |fe| async move { self.tablets_at(&fe, table, sql).await })
            .await
    }

    /// The tablets as one front end plans them.
    pub(crate) async fn tablets_at(
        &self,
        fe: &Address,
        table: &Table,
        sql: &str,
    ) -> Result<Vec<Tablet>, Error> {
        let path = format!(
            "/api/{}/{}/_query_plan",
            segment(&table.database),
            segment(&table.name)
        );
        let data = self
            .call(fe, Method::POST, &path, Some(json!({ "sql": sql })))
            .await?;
        tablets(&data).map_err(|unplanned| match unplanned {
            Unplanned::Refused(text) => Error::new(
                ErrorKind::Query,
                format!("front end {fe} refused to plan the read of {table}: {text}"),
            ),
            Unplanned::Odd(what) => odd(fe, &format!("POST {path}"), &what, &data),
        })
    }

    /// Where the Flight service of a front end is: at the configured port, else at the one that the cluster tells.
    pub(crate) async fn flight_address(
        &self,
        fe: &Address,
        configured: Option<u16>,
    ) -> Result<Address, Error> {
        if let Some(port) = configured {
            return Ok(Address::new(&fe.host, port));
        }
        const ADVICE: &str =
            "set arrow_flight_sql_port in fe.conf and be.conf of the cluster, or source.flight-sql-port here";
        let body = json!({ "stmt": "SHOW FRONTENDS" });
        let data = match self
            .call(
                fe,
                Method::POST,
                "/api/query/default_cluster/information_schema",
                Some(body),
            )
            .await
        {
            // Seeing the front ends takes a privilege that readers need not have.
            Err(e) if e.kind() == ErrorKind::Query => {
                let message =
                    format!("front end {fe} does not tell its Flight port; set source.flight-sql-port");
                return Err(Error::new(ErrorKind::Query, message).with_source(e));
            }
            other => other?,
        };
        match flight_port(&data, fe) {
            Some(port) => Ok(Address::new(&fe.host, port)),
            None => Err(Error::new(
                ErrorKind::Config,
                format!("front end {fe} has no Arrow Flight SQL port; {ADVICE}"),
            )
            // Another one may have it.
            .unresolved()),
        }
    }

    /// `host:http_port` of the back ends that the cluster holds for alive.
    pub(crate) async fn alive_backends(&self) -> Result<Vec<Address>, Error> {
        const PATH: &str = "/api/backends?is_alive=true";
        let nodes = self
            .first("the list of back ends", |fe| async move {
                let data = self.call(&fe, Method::GET, PATH, None).await?;
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

    /// The columns of a table and its model, as `_schema` has them.
    pub(crate) async fn schema(&self, table: &Table) -> Result<Value, Error> {
        let path = format!(
            "/api/{}/{}/_schema",
            segment(&table.database),
            segment(&table.name)
        );
        self.first(&format!("reading the schema of {table}"), |fe| {
            let path = path.clone();
            async move { self.call(&fe, Method::GET, &path, None).await }
        })
        .await
    }

    /// Where the load of a label stands.
    pub(crate) async fn label_state(&self, database: &str, label: &str) -> Result<LabelState, Error> {
        let path = format!(
            "/api/{}/get_load_state?label={}",
            segment(database),
            segment(label)
        );
        let what = format!("asking for the state of label '{label}' in database '{database}'");
        self.first(&what, |fe| {
            let path = path.clone();
            async move {
                let told = match self.data(&fe, Method::GET, &path, None).await? {
                    Value::String(told) => told,
                    other => return Err(odd(&fe, &format!("GET {path}"), "without a state", &other)),
                };
                LabelState::parse(&told).ok_or_else(|| {
                    Error::new(
                        ErrorKind::Query,
                        format!(
                            "front end {fe} does not tell the state of label '{label}' in database '{database}': {told}"
                        ),
                    )
                })
            }
        })
        .await
    }

    /// A PUT with an empty body, whose final answer is given whatever it is. Redirects are not followed.
    pub(crate) async fn put_empty(
        &self,
        fe: &Address,
        path: &str,
        headers: &HeaderMap,
    ) -> Result<Reply, Error> {
        let answer = self
            .http
            .put(format!("http://{fe}{path}"))
            .headers(headers.clone())
            .header(reqwest::header::CONTENT_LENGTH, "0")
            .send()
            .await
            .map_err(|e| unreachable(fe, e))?;
        reply(fe, answer).await
    }

    /// A GET whose answer is given whatever it is. Redirects are not followed.
    pub(crate) async fn get(&self, fe: &Address, path: &str) -> Result<Reply, Error> {
        let login = &self.cluster.login;
        let request = self
            .http
            .get(format!("http://{fe}{path}"))
            .basic_auth(&login.user, Some(&login.password));
        reply(fe, request.send().await.map_err(|e| unreachable(fe, e))?).await
    }

    /// One REST call. Gives the `data` of an answer that is a success in every respect, and an object or array.
    pub(crate) async fn call(
        &self,
        fe: &Address,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, Error> {
        let call = format!("{method} {path}");
        match self.data(fe, method, path, body).await? {
            data @ (Value::Object(_) | Value::Array(_)) => Ok(data),
            // An ordinary failure may come as code 0 with its text as data.
            Value::String(told) => Err(Error::new(ErrorKind::Query, format!("front end {fe}: {told}"))),
            other => Err(odd(fe, &call, "without data", &other)),
        }
    }

    /// One REST call. Gives the `data` of an answer whose status and code are those of a success.
    async fn data(
        &self,
        fe: &Address,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, Error> {
        let login = &self.cluster.login;
        let call = format!("{method} {path}");
        let mut url = format!("http://{fe}{path}");
        for _ in 0..2 {
            let mut request = self
                .http
                .request(method.clone(), &url)
                .basic_auth(&login.user, Some(&login.password));
            if let Some(body) = &body {
                request = request
                    .header(CONTENT_TYPE, "application/json;charset=UTF-8")
                    .body(body.to_string());
            }
            let answer = request.send().await.map_err(|e| unreachable(fe, e))?;
            let status = answer.status();
            if status.is_redirection() {
                url = self.redirected(fe, &call, &answer)?;
                continue;
            }
            let text = answer.text().await.map_err(|e| unreachable(fe, e))?;
            return self.open_envelope(fe, &call, status, &text);
        }
        Err(Error::new(
            ErrorKind::Transport,
            format!("front end {fe} redirects {call} in a circle"),
        )
        .retryable())
    }

    fn redirected(&self, fe: &Address, call: &str, answer: &reqwest::Response) -> Result<String, Error> {
        let target = answer
            .headers()
            .get(LOCATION)
            .and_then(|l| l.to_str().ok())
            .unwrap_or_default();
        if target.starts_with("https:") {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "front end {fe} answers only by https (status {}): the cluster wants TLS, which doris.enable.tls would switch on and which is not supported yet; open its http port",
                    answer.status().as_u16()
                ),
            ));
        }
        // User info in the address would become a second login.
        let target = Target::parse(target).map_err(|why| {
            let status = answer.status().as_u16();
            let message = format!(
                "front end {fe} redirects {call} (status {status}) to where it cannot go: {why} ({WANTED})"
            );
            Error::new(ErrorKind::Transport, message).retryable()
        })?;
        Ok(format!("http://{}{}", target.node, target.path))
    }

    /// The data of an answer to `call`, which names method and path for messages.
    pub(crate) fn open_envelope(
        &self,
        fe: &Address,
        call: &str,
        status: StatusCode,
        text: &str,
    ) -> Result<Value, Error> {
        match envelope::read(status, text) {
            Answered::Data(data) => Ok(data),
            Answered::Denied(told) => Err(self.refused_login(fe, &told)),
            Answered::Refused(told) => Err(Error::new(ErrorKind::Query, format!("front end {fe}: {told}"))),
            Answered::NotNow(told) => {
                let message = format!(
                    "front end {fe} answered {call} with status {}: {told}",
                    status.as_u16()
                );
                Err(Error::new(ErrorKind::Connect, message).retryable())
            }
            Answered::Foreign(told) => Err(foreign(fe, call, status, &told)),
        }
    }

    /// The error for a login or privilege that a node refused.
    pub(crate) fn refused_login(&self, node: &Address, told: &str) -> Error {
        let user = &self.cluster.login.user;
        Error::new(
            ErrorKind::Auth,
            format!(
                "user '{user}' was refused by {node}: {told} ({})",
                remedy(told, user)
            ),
        )
    }
}

async fn reply(fe: &Address, answer: reqwest::Response) -> Result<Reply, Error> {
    Ok(Reply {
        status: answer.status(),
        location: answer
            .headers()
            .get(LOCATION)
            .map(|l| String::from_utf8_lossy(l.as_bytes()).into_owned()),
        text: answer.text().await.map_err(|e| unreachable(fe, e))?,
    })
}

fn shunned() -> std::sync::MutexGuard<'static, HashMap<Address, Instant>> {
    SHUNNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error for an answer that is none of Doris; whoever gives it now may be a front end later.
pub(crate) fn foreign(fe: &Address, call: &str, status: StatusCode, told: &str) -> Error {
    Error::new(
        ErrorKind::Connect,
        format!(
            "{fe} answered {call} with status {} and what is no answer of Doris: {told} ({WANTED})",
            status.as_u16()
        ),
    )
    .retryable()
}

/// The error for a success that is none to this call.
pub(crate) fn odd(fe: &Address, call: &str, what: &str, data: &Value) -> Error {
    let told = shortened(&data.to_string());
    Error::new(
        ErrorKind::Connect,
        format!("front end {fe} answered {call} with status 200 {what}: {told}"),
    )
    .retryable()
}

fn all_failed(what: &str, causes: &[(Address, Error)]) -> Error {
    let list: Vec<String> = causes.iter().map(|(fe, e)| format!("{fe}: {e}")).collect();
    let kind = match causes {
        [(_, first), rest @ ..] if rest.iter().all(|(_, e)| e.kind() == first.kind()) => first.kind(),
        _ => ErrorKind::Connect,
    };
    let error = Error::new(
        kind,
        format!("{what} failed on every front end of fenodes: {}", list.join("; ")),
    );
    // A name that nobody knows does not appear within a moment.
    if causes.iter().any(|(_, e)| e.is_retryable()) {
        error.retryable()
    } else {
        error
    }
}

fn unreachable(fe: &Address, error: reqwest::Error) -> Error {
    // The text of the error itself repeats the URL.
    let error = error.without_url();
    let text = walk(&error);
    if unresolved(&text) {
        return Error::new(
            ErrorKind::Connect,
            format!("the host name '{}' of fenodes cannot be resolved", fe.host),
        )
        .unresolved();
    }
    if foreign_protocol(&text) {
        let message = format!("this port does not speak HTTP ({text}): {WANTED}");
        return Error::new(ErrorKind::Config, message).unresolved();
    }
    let kind = if error.is_timeout() {
        ErrorKind::Timeout
    } else {
        ErrorKind::Connect
    };
    Error::new(kind, format!("cannot be reached ({text})")).retryable()
}

/// Whether the text of a failed call says that what answered was no HTTP, as a MySQL or Flight port does.
fn foreign_protocol(text: &str) -> bool {
    const TEXTS: [&str; 4] = [
        "invalid HTTP version parsed",
        "received unexpected message from connection",
        "invalid HTTP header parsed",
        "invalid HTTP status-code parsed",
    ];
    TEXTS.iter().any(|part| text.contains(part))
}

/// Whether the text of a failed connection says that a name could not be resolved.
pub(crate) fn unresolved(text: &str) -> bool {
    text.contains("dns error") || text.contains("failed to lookup address")
}

/// A name as a segment of a path.
pub(crate) fn segment(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
