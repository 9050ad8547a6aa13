//! Transactions: the state of a label, commit by transaction, abort by label.
//!
//! A commit or abort may be asked for any number of times: the server says when it was done before. So everything
//! that may pass is simply asked again. What the server says on the way decides:
//!
//! | answer | commit | abort |
//! |---|---|---|
//! | success | committed | aborted |
//! | already committed or visible | committed before | finished: nothing was aborted |
//! | already aborted | fails: the rows are gone | aborted |
//! | not found | retried while the label is open, else fails: nothing is proven | by the label's state |
//! | timeouts, locks, broken connections | retried | retried |
//! | what is no answer of Doris: other statuses, HTML, nothing | retried | retried |
//! | anything else | fails | fails |

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use http::header::{AUTHORIZATION, CONTENT_LENGTH, EXPECT, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use serde_json::Value;

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::fe::envelope::beginning;
use crate::fe::{odd, segment};
use crate::net::backoff::{Backoff, Pace};
use crate::net::http::{Empty, Reply, Traffic, exchange};
use crate::net::refused::remedy;
use crate::write::backends::{BackendRequest, Purpose};
pub use crate::write::response::LabelState;
use crate::write::response::{TxnAnswer, txn_answer};
use crate::write::sink::Sink;

/// How long reading the label's state may take that only makes a failure clearer.
const LOOK: Duration = Duration::from_secs(5);

/// What became of an abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbortOutcome {
    /// The transaction is aborted, now or before.
    Aborted,
    /// It is committed or visible and stays so: nothing was aborted.
    Finished,
    /// Nothing is known under the label.
    NotFound,
}

/// What became of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// Committed by this call.
    Committed {
        /// How often it was retried.
        retries: u32,
    },
    /// Committed before.
    Already {
        /// How often it was retried.
        retries: u32,
    },
}

impl Sink {
    /// The state of a label's load, with `doris.request.retries`.
    pub async fn state(&self, database: &str, label: &str) -> Result<LabelState, Error> {
        let frontends = self.frontends();
        let path = format!(
            "/api/{}/get_load_state?label={}",
            segment(database),
            segment(label)
        );
        let what = format!("asking for the state of label '{label}' in database '{database}'");
        frontends
            .first(&what, |fe| {
            let path = path.clone();
            async move {
                let told = match frontends.data(&fe, Method::GET, &path, None).await? {
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

    /// Aborts the load of a label, retried like a commit. A load that was committed before is reported as such,
    /// never as aborted: the server answers "not found" for its label, so the label's state decides.
    pub async fn abort(&self, database: &str, label: &str) -> Result<AbortOutcome, Error> {
        let call = Call {
            what: format!("the abort of label '{label}' in database '{database}'"),
            path: format!("/api/{}/_stream_load_2pc", segment(database)),
            headers: self.txn_headers(&[("label", label), ("txn_operation", "abort")])?,
            txn_id: None,
        };
        let mut repetition = Repetition::new(self);
        loop {
            let answer = self.ask_once(&call).await;
            match answer.means {
                TxnAnswer::Done | TxnAnswer::Aborted => return Ok(AbortOutcome::Aborted),
                TxnAnswer::Finished => return Ok(AbortOutcome::Finished),
                TxnAnswer::NotFound => match self.state(database, label).await? {
                    LabelState::Unknown => return Ok(AbortOutcome::NotFound),
                    LabelState::Aborted => return Ok(AbortOutcome::Aborted),
                    LabelState::Committed | LabelState::Visible => return Ok(AbortOutcome::Finished),
                    // It has begun or ended its load in between.
                    LabelState::Prepare | LabelState::Precommitted => repetition.pause(&call, answer).await?,
                },
                TxnAnswer::Denied => return Err(answer.denied(self, &call)),
                TxnAnswer::Refused => return Err(answer.error(&call, ErrorKind::Transaction)),
                TxnAnswer::Passing => repetition.pause(&call, answer).await?,
            }
        }
    }

    /// Commits a pre-committed load by its transaction. Failures that may pass are asked again `sink.max-retries`
    /// times, after 1 s doubling to 30 s and up to half of that more by chance, each time at a node that accepts
    /// connections.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Aborted`] and [`ErrorKind::Forgotten`] where the server says that it holds the transaction no
    /// more; with any other error it may hold it still, and the same commit may succeed later.
    pub async fn commit(
        &self,
        database: &str,
        table: &str,
        txn_id: i64,
        label: &str,
    ) -> Result<CommitOutcome, Error> {
        let call = Call {
            what: format!("the commit of transaction {txn_id} (label '{label}') of {database}.{table}"),
            path: format!("/api/{}/{}/_stream_load_2pc", segment(database), segment(table)),
            headers: self.txn_headers(&[("txn_id", &txn_id.to_string()), ("txn_operation", "commit")])?,
            txn_id: Some(txn_id),
        };
        let mut repetition = Repetition::new(self);
        loop {
            let answer = self.ask_once(&call).await;
            let retries = repetition.backoff.attempts();
            match answer.means {
                TxnAnswer::Done => return Ok(CommitOutcome::Committed { retries }),
                TxnAnswer::Finished => return Ok(CommitOutcome::Already { retries }),
                TxnAnswer::Aborted => {
                    let state = self.look(database, label).await;
                    return Err(lost(&call, &answer, ErrorKind::Aborted, state));
                }
                TxnAnswer::NotFound => match self.look(database, label).await {
                    // Another node knows it: this one lags.
                    Some(LabelState::Prepare | LabelState::Precommitted) => {
                        repetition.pause(&call, answer).await?
                    }
                    state => return Err(lost(&call, &answer, ErrorKind::Forgotten, state)),
                },
                TxnAnswer::Denied => return Err(answer.denied(self, &call)),
                TxnAnswer::Refused => return Err(answer.error(&call, ErrorKind::Transaction)),
                TxnAnswer::Passing => repetition.pause(&call, answer).await?,
            }
        }
    }

    /// The state of the label, which makes a failure clearer, if it is to be had soon.
    async fn look(&self, database: &str, label: &str) -> Option<LabelState> {
        tokio::time::timeout(LOOK, self.state(database, label))
            .await
            .ok()?
            .ok()
    }

    /// One request, to one node that accepts connections.
    async fn ask_once(&self, call: &Call) -> NodeAnswer {
        let wanted = BackendRequest {
            what: &call.what,
            path: &call.path,
            headers: &call.headers,
            purpose: Purpose::Transaction,
        };
        let (target, stream) = match self.backends().connect(&wanted).await {
            Ok(connected) => connected,
            Err(error) => {
                let means = match error.kind() {
                    ErrorKind::Auth => TxnAnswer::Denied,
                    _ if error.is_retryable() => TxnAnswer::Passing,
                    _ => TxnAnswer::Refused,
                };
                return NodeAnswer {
                    means,
                    text: error.to_string(),
                    node: "no back end".to_owned(),
                };
            }
        };
        let node = target.node.clone();
        let limit = self.config().cluster.read_timeout;
        let replied = match request(&target.node, &target.path, &call.headers) {
            Ok(request) => {
                exchange(stream, request, Arc::<Traffic>::default(), async {
                    tokio::time::sleep(limit).await;
                    Error::new(
                        ErrorKind::Timeout,
                        format!("no answer within {limit:?} (doris.request.read.timeout)"),
                    )
                    .retryable()
                })
                .await
            }
            Err(error) => Err(error),
        };
        let (means, text) = match replied {
            Ok(reply) => understood(&reply, call.txn_id),
            Err(error) if error.is_retryable() => (TxnAnswer::Passing, error.to_string()),
            Err(error) => (TxnAnswer::Refused, error.to_string()),
        };
        match means {
            TxnAnswer::Passing => self.backends().failed(&node),
            _ => self.backends().served(&node),
        }
        NodeAnswer {
            means,
            text,
            node: format!("back end {node}"),
        }
    }

    fn txn_headers(&self, values: &[(&'static str, &str)]) -> Result<HeaderMap, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, self.config().cluster.login.basic()?);
        headers.insert(EXPECT, HeaderValue::from_static("100-continue"));
        for (name, value) in values {
            let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|e| {
                Error::new(ErrorKind::Internal, format!("'{name}' cannot be a header")).with_source(e)
            })?;
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(headers)
    }
}

/// One commit or abort.
struct Call {
    what: String,
    path: String,
    headers: HeaderMap,
    txn_id: Option<i64>,
}

/// What one node answered.
#[derive(Debug)]
struct NodeAnswer {
    means: TxnAnswer,
    text: String,
    node: String,
}

impl NodeAnswer {
    fn error(&self, call: &Call, kind: ErrorKind) -> Error {
        Error::new(
            kind,
            format!("{} failed at {}: {}", call.what, self.node, self.text),
        )
    }

    fn denied(&self, sink: &Sink, call: &Call) -> Error {
        let user = &sink.config().cluster.login.user;
        Error::new(
            ErrorKind::Auth,
            format!(
                "{} was refused at {} for user '{user}': {} ({})",
                call.what,
                self.node,
                self.text,
                remedy(&self.text, user)
            ),
        )
    }
}

/// The error for a transaction that can no longer be committed.
fn lost(call: &Call, answer: &NodeAnswer, kind: ErrorKind, state: Option<LabelState>) -> Error {
    let state = state.map_or_else(String::new, |s| {
        format!("; the state of its label is {}", s.name())
    });
    let means = match kind {
        ErrorKind::Aborted => "It is aborted, so its rows are not in the table",
        _ => {
            "Doris does not know it, so nothing is proven: its rows are in the table if it was committed long ago, and are not if it was dropped"
        }
    };
    Error::new(
        kind,
        format!(
            "{} failed at {}: {}{state}. {means}",
            call.what, answer.node, answer.text
        ),
    )
}

/// The repetitions that are left.
struct Repetition<'a> {
    sink: &'a Sink,
    backoff: Backoff,
}

impl<'a> Repetition<'a> {
    fn new(sink: &'a Sink) -> Self {
        let backoff = Backoff::new(Pace::TRANSACTION, sink.config().max_retries);
        Self { sink, backoff }
    }

    /// Waits before the next request; an error when none is left.
    async fn pause(&mut self, call: &Call, answer: NodeAnswer) -> Result<(), Error> {
        let Some(pause) = self.backoff.failed(Instant::now()) else {
            return Err(Error::new(
                ErrorKind::Transaction,
                format!(
                    "{} failed at {} after {} requests over {} ms (sink.max-retries = {}): {}",
                    call.what,
                    answer.node,
                    self.backoff.attempts(),
                    self.backoff.elapsed().as_millis(),
                    self.sink.config().max_retries,
                    answer.text
                ),
            )
            .retryable());
        };
        tracing::warn!(node = %answer.node, told = %answer.text, "{} is asked for again", call.what);
        self.sink.counters().commit_retries.fetch_add(1, Relaxed);
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

fn request(node: &Address, path: &str, headers: &HeaderMap) -> Result<Request<Empty>, Error> {
    let unusable = |e: http::Error| {
        Error::new(
            ErrorKind::Internal,
            format!("no request can be made for {node}{path}"),
        )
        .with_source(e)
    };
    let mut request = Request::builder()
        .method(Method::PUT)
        .uri(path)
        .body(Empty)
        .map_err(unusable)?;
    *request.headers_mut() = headers.clone();
    let host = HeaderValue::from_str(&node.to_string()).map_err(|e| unusable(e.into()))?;
    request.headers_mut().insert(HOST, host);
    request
        .headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    Ok(request)
}

fn understood(reply: &Reply, txn_id: Option<i64>) -> (TxnAnswer, String) {
    let status = reply.status;
    let with_status = || format!("status {}: {}", status.as_u16(), beginning(&reply.text));
    match status {
        StatusCode::OK => txn_answer(&reply.text, txn_id).unwrap_or_else(|| {
            (
                TxnAnswer::Passing,
                format!(
                    "status 200 and what is no answer to it: {}",
                    beginning(&reply.text)
                ),
            )
        }),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => (TxnAnswer::Denied, with_status()),
        // Doris refuses with status 200: this is of something else, or for now.
        _ => (TxnAnswer::Passing, with_status()),
    }
}
