//! One attempt of a load: one connection, one request, one verdict on its answer.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use http::header::HOST;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use tokio::time::Instant;

use super::body::{Flow, LoadBody};
use super::replay::ChunkLog;
use super::spec::{Input, LoadSpec};
use super::{error_log, headers};
use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::fe::envelope::{beginning, shortened};
use crate::fe::segment;
use crate::net::http::{Reply, Target, Traffic, exchange};
use crate::net::refused::remedy;
use crate::write::backends::{BackendRequest, Purpose};
use crate::write::response::{Existing, LoadAnswer, LoadStatus, Refusal};
use crate::write::sink::Sink;

/// What an attempt needs.
pub(super) struct Attempt<'a> {
    pub(super) sink: &'a Sink,
    pub(super) spec: &'a LoadSpec,
    pub(super) common: &'a HeaderMap,
    pub(super) log: &'a Arc<ChunkLog>,
    /// Rows submitted so far.
    pub(super) rows: &'a AtomicU64,
    pub(super) label: Option<String>,
    /// The attempt's number in the log.
    pub(super) reader: u64,
}

/// How an attempt ended. Every error names table, label and node.
#[derive(Debug)]
pub(super) enum End {
    /// The server has taken all rows.
    Taken(Box<LoadAnswer>),
    /// The label is in use.
    InUse(Option<Existing>, Error),
    /// Refused for a passing reason; nothing is left of it.
    Refused(Error),
    /// No back end got any of it.
    Unreached(Error),
    /// What became of it is not known.
    Unanswered(Error),
    /// Trying again cannot help.
    Failed(Error),
}

/// How much an attempt sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub(super) bytes: u64,
    /// Whether the end of the body was sent.
    pub(super) whole: bool,
}

impl Attempt<'_> {
    pub(super) async fn run(&self) -> (End, Sent) {
        let config = self.sink.config();
        let what = self.what();
        let path = format!(
            "/api/{}/{}/_stream_load",
            segment(&self.spec.database),
            segment(&self.spec.table)
        );
        let headers = match headers::labelled(self.common, self.label.as_deref()) {
            Ok(headers) => headers,
            Err(error) => return (End::Failed(error), Sent::default()),
        };
        let request = BackendRequest {
            what: &what,
            path: &path,
            headers: &headers,
            purpose: Purpose::Load,
        };
        let (target, stream) = match self.sink.backends().connect(&request).await {
            Ok(connected) => connected,
            Err(error) if error.is_retryable() => return (End::Unreached(error), Sent::default()),
            Err(error) => return (End::Failed(error), Sent::default()),
        };
        let _open = self.sink.counters().open_connection();
        let flow = Arc::new(Flow::default());
        let traffic = Arc::new(Traffic::default());
        let request = match self.request(&target, headers.clone(), &flow) {
            Ok(request) => request,
            Err(error) => return (End::Failed(error), Sent::default()),
        };
        let silence = silence(
            &flow,
            &traffic,
            config.cluster.read_timeout,
            config.answer_timeout,
        );
        let replied = exchange(stream, request, traffic.clone(), silence).await;
        let sent = Sent {
            bytes: flow.taken(),
            whole: flow.is_complete(),
        };
        self.sink.counters().sent_bytes.fetch_add(sent.bytes, Relaxed);
        let end = match replied {
            Ok(reply) => self.judge(&reply, &target.node, sent).await,
            Err(error) if error.is_retryable() => {
                let error = self
                    .failed(&target.node, error.kind(), &error.to_string())
                    .retryable();
                // Rows wait for `100 Continue`, so that without a label it is known that none was taken.
                if config.group_commit && sent.bytes == 0 && !sent.whole {
                    End::Unreached(error)
                } else {
                    End::Unanswered(error)
                }
            }
            Err(error) => End::Failed(self.failed(&target.node, error.kind(), &error.to_string())),
        };
        match &end {
            End::Unanswered(_) | End::Unreached(_) => self.sink.backends().failed(&target.node),
            _ => self.sink.backends().served(&target.node),
        }
        (end, sent)
    }

    fn request(
        &self,
        target: &Target,
        mut headers: HeaderMap,
        flow: &Arc<Flow>,
    ) -> Result<Request<LoadBody>, Error> {
        let unusable = |e: http::Error| {
            Error::new(
                ErrorKind::Internal,
                format!("no request can be made for {}{}", target.node, target.path),
            )
            .with_source(e)
        };
        let host = HeaderValue::from_str(&target.node.to_string()).map_err(|e| unusable(e.into()))?;
        headers.insert(HOST, host);
        let body = LoadBody::new(
            self.log.clone(),
            self.reader,
            flow.clone(),
            self.sink.counters().clone(),
        );
        let mut request = Request::builder()
            .method(Method::PUT)
            .uri(&target.path)
            .body(body)
            .map_err(unusable)?;
        *request.headers_mut() = headers;
        let flow = flow.clone();
        hyper::ext::on_informational(&mut request, move |informational| {
            if informational.status() == StatusCode::CONTINUE {
                flow.open();
            }
        });
        Ok(request)
    }

    /// What a final answer means. Only Doris' own words count as a success, never a status alone.
    async fn judge(&self, reply: &Reply, node: &Address, sent: Sent) -> End {
        let status = reply.status;
        if status != StatusCode::OK {
            let mut told = format!("it answered with status {}", status.as_u16());
            if let Some(reason) = status.canonical_reason() {
                let _ = write!(told, " ({reason})");
            }
            if let Some(Ok(target)) = reply.location.as_deref().map(Target::parse) {
                let _ = write!(told, " and points to {}{}", target.node, target.path);
            }
            let _ = write!(told, ": {}", beginning(&reply.text));
            return match status {
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                    let _ = write!(told, " ({})", self.remedy(&told));
                    End::Failed(self.failed(node, ErrorKind::Auth, &told))
                }
                _ if status.is_redirection() => End::Failed(self.failed(node, ErrorKind::Load, &told)),
                // Doris refuses loads with status 200: else this is of something in between, or of another port.
                _ => {
                    let kind = if status.is_server_error() {
                        ErrorKind::Transport
                    } else {
                        ErrorKind::Load
                    };
                    let error = self.failed(node, kind, &told).retryable();
                    if self.sink.config().group_commit && sent.bytes == 0 && !sent.whole {
                        End::Unreached(error)
                    } else {
                        End::Unanswered(error)
                    }
                }
            };
        }
        let Some(answer) = LoadAnswer::parse(&reply.text) else {
            let told = format!(
                "its answer is none to a load: status 200, {}",
                beginning(&reply.text)
            );
            return End::Unanswered(self.failed(node, ErrorKind::Transport, &told).retryable());
        };
        match answer.status {
            LoadStatus::Success | LoadStatus::PublishTimeout => match self.doubt(&answer, sent) {
                None => End::Taken(Box::new(answer)),
                Some(doubt) => End::Failed(self.failed(node, ErrorKind::Load, &doubt)),
            },
            LoadStatus::LabelExists => {
                let told = format!("{}: {}", answer.status_text, answer.message);
                End::InUse(answer.existing, self.failed(node, ErrorKind::Label, &told))
            }
            LoadStatus::Fail => self.refused(&answer, node).await,
        }
    }

    /// Why a success cannot be taken for one of this load.
    fn doubt(&self, answer: &LoadAnswer, sent: Sent) -> Option<String> {
        let said = &answer.status_text;
        if !sent.whole {
            return Some(format!("it answered {said} before it had all rows"));
        }
        let config = self.sink.config();
        if let (Some(label), Some(theirs)) = (&self.label, &answer.label)
            && label != theirs
        {
            return Some(format!("it answered {said} for label '{theirs}'"));
        }
        if config.two_phase {
            if answer.label.is_none() || answer.txn_id.is_none() {
                return Some(format!(
                    "it answered {said} without label or transaction, so the load cannot be committed"
                ));
            }
            if answer.two_phase == Some(false) {
                return Some(format!(
                    "it answered {said} for a load without two-phase commit (transaction {}): the rows are visible already, so it may not be repeated; switch two-phase commit on at the server, or off here (sink.enable-2pc = false)",
                    answer.txn_id.unwrap_or_default()
                ));
            }
        }
        let rows = self.rows.load(Relaxed);
        match answer.numbers.total_rows {
            Some(total) if self.counts_rows() && u64::try_from(total) != Ok(rows) => Some(format!(
                "it answered {said} but read {total} rows of {rows}: {}",
                if config.two_phase {
                    "the load is not committed"
                } else {
                    "rows are missing or doubled"
                }
            )),
            _ => None,
        }
    }

    /// Whether the server must have read exactly the rows that were submitted.
    fn counts_rows(&self) -> bool {
        let properties = &self.sink.config().properties;
        matches!(self.spec.input, Input::Rows { .. }) && !properties.has("skip_lines")
    }

    /// The verdict on a refusal, with the counts and lines of the server's error log.
    async fn refused(&self, answer: &LoadAnswer, node: &Address) -> End {
        let refusal = answer.refusal();
        let mut told = format!("{} ({})", answer.message.trim(), answer.status_text);
        let numbers = &answer.numbers;
        if let (Some(total), Some(filtered)) = (numbers.total_rows, numbers.filtered_rows)
            && total > 0
        {
            let _ = write!(
                told,
                "; {total} rows read, {} loaded, {filtered} filtered, {} unselected",
                numbers.loaded_rows.unwrap_or(0),
                numbers.unselected_rows.unwrap_or(0)
            );
        }
        if let Some(first) = &answer.first_error {
            let _ = write!(told, "; first error: {}", shortened(first));
        }
        if let Some(url) = &answer.error_url {
            let lines = error_log::first_lines(self.sink.config(), node, url).await;
            let _ = write!(told, "; {lines}");
        }
        if refusal == Refusal::JsonCompression {
            told.push_str(
                "; this server cannot read compressed JSON: set 'sink.properties.compress_type' = ''",
            );
        }
        told.push_str(&self.helps(refusal, answer));
        if refusal == Refusal::Denied {
            let _ = write!(told, " ({})", self.remedy(&answer.message));
        }
        let kind = match refusal {
            Refusal::Denied => ErrorKind::Auth,
            Refusal::NotFound => ErrorKind::NotFound,
            Refusal::Timeout => ErrorKind::Timeout,
            Refusal::NoBackend | Refusal::NotReady => ErrorKind::Connect,
            Refusal::Network => ErrorKind::Transport,
            _ => ErrorKind::Load,
        };
        let error = self.failed(node, kind, &told);
        match (refusal.may_pass(), refusal.is_definite()) {
            (true, true) => End::Refused(error.retryable()),
            (true, false) => End::Unanswered(error.retryable()),
            (false, _) => End::Failed(error),
        }
    }

    /// What a user can do about a refusal that comes again and again.
    fn helps(&self, refusal: Refusal, answer: &LoadAnswer) -> String {
        match refusal {
            Refusal::Timeout if answer.message.to_ascii_lowercase().contains("txn manager") => {
                let took = answer
                    .numbers
                    .load_time_ms
                    .map_or_else(String::new, |ms| format!(" after {ms} ms (LoadTimeMs)"));
                let limit = self
                    .sink
                    .config()
                    .properties
                    .timeout()
                    .map_or_else(|| "what the server allows".to_owned(), |s| format!("{s} s"));
                let advice = if self.sink.config().batch.is_some() {
                    ". Make loads smaller (sink.buffer-flush.max-bytes), or raise that parameter"
                } else {
                    ", and it is open from one checkpoint to the next. Take checkpoints more often, or raise that parameter"
                };
                format!("; Doris ended it{took}: a load may take {limit} (sink.properties.timeout){advice}")
            }
            Refusal::TooManyVersions => {
                let fewer_loads = if self.sink.config().batch.is_some() {
                    "fewer and larger loads (sink.buffer-flush.interval, sink.buffer-flush.max-rows, sink.buffer-flush.max-bytes, and the checkpoint interval)"
                } else {
                    "a longer checkpoint interval"
                };
                format!(
                    "; every load adds a version to each tablet that it writes to, faster than Doris merges them. What helps, in this order: {fewer_loads}, fewer sink subtasks (sink.parallelism), fewer buckets or partitions that get rows at the same time, then more compaction or a higher max_tablet_version_num in be.conf"
                )
            }
            _ => String::new(),
        }
    }

    fn remedy(&self, told: &str) -> String {
        remedy(told, &self.sink.config().cluster.login.user)
    }

    fn what(&self) -> String {
        let (database, table) = (&self.spec.database, &self.spec.table);
        match &self.label {
            Some(label) => format!("the load of {database}.{table} under label '{label}'"),
            None => format!("the load of {database}.{table} (group commit)"),
        }
    }

    fn failed(&self, node: &Address, kind: ErrorKind, told: &str) -> Error {
        Error::new(kind, format!("{} failed at back end {node}: {told}", self.what()))
    }
}

/// Waits until the server has been silent for too long while it was its turn: to ask for the body, to take what was
/// sent, or to give the final answer. Does not count while the body waits for rows.
async fn silence(flow: &Flow, traffic: &Traffic, read: Duration, answer: Duration) -> Error {
    if tokio::time::timeout(read, flow.opened()).await.is_err() {
        return Error::new(
            ErrorKind::Timeout,
            format!("no answer to its headers within {read:?} (doris.request.read.timeout)"),
        )
        .retryable();
    }
    let look = (answer / 8).clamp(Duration::from_millis(5), Duration::from_secs(1));
    let mut seen = (traffic.written(), flow.taken(), flow.is_complete());
    let mut since = Instant::now();
    loop {
        tokio::time::sleep(look).await;
        let now = (traffic.written(), flow.taken(), flow.is_complete());
        let waits_for_rows = flow.is_starved() && !flow.is_complete();
        if now != seen || waits_for_rows {
            seen = now;
            since = Instant::now();
        } else if since.elapsed() >= answer {
            let what = if flow.is_complete() {
                "no final answer"
            } else {
                "it took no rows"
            };
            return Error::new(
                ErrorKind::Timeout,
                format!("{what} within {answer:?}, the longest wait for the answer to a load"),
            )
            .retryable();
        }
    }
}
