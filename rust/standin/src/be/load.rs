//! Stream Load at a back end: from the headers of the request to its answer.

use std::ops::Range;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use tokio::sync::oneshot;

use super::body::{BodyReader, Broken, Received};
use super::checks::{Checked, Mode, check, too_large};
use super::ending::Ending;
use super::reply::Reply;
use super::{Node, Visit};
use crate::control::faults::{Sight, Strike};
use crate::control::rules::Point;
use crate::control::stats::OpenLoad;
use crate::net::drain::early_answer;
use crate::store::txn::{Begin, LoadKind, OpenTxn, TxnError, TxnState};
use crate::stream_load::headers::LoadHeaders;
use crate::stream_load::{LoadRefused, Staged, StreamLoad};

/// A load on a task of its own: it goes on when its client is gone, as at a real back end.
pub(super) struct Task {
    pub(super) node: Node,
    pub(super) visit: Visit,
    pub(super) http: HeaderMap,
    pub(super) headers: LoadHeaders,
    pub(super) database: String,
    pub(super) table: String,
    /// `db.table`.
    pub(super) name: String,
    pub(super) begun: Instant,
    /// For unique names.
    pub(super) random: u128,
}

/// How far a load has come when it fails: its client gets an answer either way.
pub(super) enum Failure {
    /// With a `Message`, or the whole reply filled in.
    Said,
    /// By a fault rule.
    Struck(Strike),
    /// The client has disconnected.
    Gone,
}

/// Serves a load.
pub(super) async fn serve(
    node: Node,
    visit: Visit,
    http: HeaderMap,
    body: Body,
    database: String,
    table: String,
) -> Response {
    let shared = node.shared.clone();
    let headers = LoadHeaders::of(&http);
    let task = Task {
        node,
        visit,
        headers,
        name: format!("{database}.{table}"),
        database,
        table,
        begun: Instant::now(),
        random: random(),
        http: http.clone(),
    };
    let (done, ending) = oneshot::channel();
    shared.loads.spawn(async move {
        let ended = task.run(body).await;
        // A client that has disconnected gets no answer.
        let _ = done.send(ended);
    });
    let Ok((ending, rest)) = ending.await else {
        return Ending::Torn.into_response();
    };
    match rest {
        None => ending.into_response(),
        Some(rest) => {
            let (parts, text) = ending.parts();
            early_answer(&shared.loads, &http, rest, parts, text, true)
        }
    }
}

impl Task {
    /// The whole load; gives its end, and the body where it was not read.
    async fn run(self, body: Body) -> (Ending, Option<Body>) {
        let mut reply = Reply {
            label: self.headers.text("label").unwrap_or_default().to_owned(),
            comment: self.headers.get("comment").unwrap_or_default().to_owned(),
            two_phase: self.headers.get("two_phase_commit") == Some("true"),
            ..Reply::default()
        };
        let mut received = Received::default();
        let mut body = Some(body);
        let outcome = self.load(&mut reply, &mut received, &mut body).await;
        reply.times.load = millis(self.begun.elapsed());
        let (ending, status, error) = self.ending(outcome, &reply, &received).await;
        self.note(&reply, received.bytes, status, error);
        (ending, body)
    }

    async fn load(
        &self,
        reply: &mut Reply,
        received: &mut Received,
        body: &mut Option<Body>,
    ) -> Result<(), Failure> {
        let label = self.headers.text("label");
        if let Some(strike) = self.struck(Point::BeLoadHeaders, label, None) {
            strike.pause().await;
            if strike.action().breaks() {
                return Err(Failure::Struck(strike));
            }
        }
        let (checked, table_id) = self.checked(reply)?;
        let begun = Instant::now();
        let txn = self.begin(reply, &checked, table_id)?;
        reply.times.begin = millis(begun.elapsed());
        let _open = OpenLoad::new(&self.node.shared.counters.loads, &self.name);
        let begun = Instant::now();
        let engine = &self.node.shared.engine;
        let rows = StreamLoad::begin(engine, &self.database, &self.table, &self.headers).await;
        reply.times.put = millis(begun.elapsed());
        let rows = match rows {
            Ok(rows) => rows,
            Err(refused) => return Err(fail(reply, txn, refused.message)),
        };
        let discards = engine.discards().get(table_id).is_some();
        reply.uncounted = discards;
        let Some(whole) = body.take() else {
            return Err(fail(reply, txn, "[INTERNAL_ERROR]no body".to_owned()));
        };
        let staged = self.receive(
            reply,
            received,
            &txn,
            (!discards).then_some(rows),
            whole,
            &checked,
        );
        let staged = match staged.await {
            Ok(staged) => staged,
            Err(Stop::Refused(message)) => return Err(fail(reply, txn, message)),
            Err(Stop::Struck(strike)) => {
                txn.abort(&strike.text());
                return Err(Failure::Struck(strike));
            }
            Err(Stop::Gone) => {
                txn.abort("sender is gone");
                return Err(Failure::Gone);
            }
        };
        self.finish(reply, txn, staged, &checked).await?;
        if discards {
            engine.discards().add(table_id, received.bytes, 0);
        }
        Ok(())
    }

    /// Credentials, names and headers.
    fn checked(&self, reply: &mut Reply) -> Result<(Checked, i64), Failure> {
        let authorization = self.http.get(header::AUTHORIZATION);
        let authorization = authorization
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let ip = self.visit.connection.peer.ip().to_string();
        if let Err(refusal) = self.node.login(authorization, &ip) {
            reply.fail(format!("[NOT_AUTHORIZED]{refusal}"));
            return Err(Failure::Said);
        }
        let engine = &self.node.shared.engine;
        let analysis = "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage =";
        if !engine.catalog().has_database(&self.database) {
            reply.fail(format!("{analysis} unknown database, database={}", self.database));
            return Err(Failure::Said);
        }
        let Some(table) = engine.table_info(&self.database, &self.table) else {
            reply.fail(format!("{analysis} unknown table, table={}", self.table));
            return Err(Failure::Said);
        };
        let two_lengths = self.visit.connection.two_lengths();
        match check(engine, &self.http, &self.headers, &table, two_lengths) {
            Ok(checked) => {
                reply.two_phase = checked.mode == Mode::TwoPhase;
                reply.group_commit = checked.mode.is_group();
                Ok((checked, table.id))
            }
            Err(message) => {
                reply.fail(message);
                Err(Failure::Said)
            }
        }
    }

    fn begin(&self, reply: &mut Reply, checked: &Checked, table_id: i64) -> Result<OpenTxn, Failure> {
        if !self.node.frontend_alive() {
            reply.fail(NO_FRONTEND);
            return Err(Failure::Said);
        }
        if checked.mode.is_group() {
            let (high, low) = ((self.random >> 64) as u64, self.random as u64);
            reply.label = format!("group_commit_{high:016x}_{low:016x}");
        } else if reply.label.is_empty() {
            reply.label = uuid(self.random);
        }
        let begin = Begin {
            database: &self.database,
            table: &self.table,
            table_id,
            label: Some(&reply.label),
            kind: LoadKind::StreamLoad,
            two_phase: checked.mode == Mode::TwoPhase,
            timeout_s: checked.timeout_s,
        };
        let transactions = self.node.shared.engine.transactions();
        match transactions.begin(&begin) {
            Ok(txn) => {
                reply.txn_id = Some(txn.id());
                Ok(txn)
            }
            Err(error) => {
                let text = error.text(transactions.switches());
                if let TxnError::LabelInUse { state, .. } = error {
                    "Label Already Exists".clone_into(&mut reply.status);
                    reply.existing = Some(existing(state));
                    reply.message = match transactions.switches().label_text {
                        crate::profile::load::LabelText::Old => text,
                        _ => {
                            format!("[LABEL_ALREADY_EXISTS]TStatus: errCode = 2, detailMessage = {text}")
                        }
                    };
                } else {
                    reply.fail(analysis(&text));
                }
                Err(Failure::Said)
            }
        }
    }

    /// Takes the body and makes rows of it, unless the transaction runs out of time.
    async fn receive(
        &self,
        reply: &mut Reply,
        received: &mut Received,
        txn: &OpenTxn,
        mut rows: Option<StreamLoad>,
        body: Body,
        checked: &Checked,
    ) -> Result<Staged, Stop> {
        let begun = Instant::now();
        let reader = BodyReader::new(self, txn.label(), rows.as_mut(), checked.most.0);
        let result = tokio::select! {
            biased;
            () = txn.expired() => return Err(Stop::Refused(self.ended(txn.id()))),
            (now, result) = reader.take(body) => {
                *received = now;
                result
            }
        };
        reply.times.receive = millis(begun.elapsed());
        reply.times.read = millis(received.reading);
        reply.bytes = received.bytes;
        match result {
            Ok(()) => {}
            Err(Broken::Gone) => return Err(Stop::Gone),
            Err(Broken::Struck(strike)) => return Err(Stop::Struck(strike)),
            Err(Broken::TooLarge(bytes)) => return Err(Stop::Refused(too_large(bytes, checked.most))),
        }
        if checked.length.is_some_and(|length| length != received.bytes) {
            return Err(Stop::Refused(
                "[INTERNAL_ERROR]receive body don't equal with body bytes".to_owned(),
            ));
        }
        if let Some(message) = received.refused.take() {
            return Err(Stop::Refused(message));
        }
        let begun = Instant::now();
        let staged = match rows {
            Some(rows) => rows.finish().await,
            None => Ok(Staged::discarded(received.bytes)),
        };
        reply.times.write = millis(received.writing + begun.elapsed());
        staged.map_err(|LoadRefused { message }| Stop::Refused(message))
    }

    /// The rule that strikes at a point of this load; its pause is left to the caller.
    pub(super) fn struck(
        &self,
        point: Point,
        label: Option<&str>,
        bytes: Option<Range<u64>>,
    ) -> Option<Strike> {
        let sight = Sight {
            node: &self.node.name,
            statement: &self.visit.path,
            table: Some(&self.name),
            label,
            bytes,
            ..Sight::default()
        };
        self.node.shared.struck(point, &sight)
    }

    /// Counts bytes that came.
    pub(super) fn count(&self, bytes: u64) {
        self.node.shared.counters.loads.bytes(&self.name, bytes);
    }

    /// `Message` for a load whose transaction has ended before it.
    fn ended(&self, id: i64) -> String {
        let transactions = self.node.shared.engine.transactions();
        let shown = transactions.shown(&self.database, crate::store::txn::Which::Id(id));
        let error = shown.map_or(TxnError::NotFound(id), |shown| TxnError::NotPrecommitted {
            id,
            state: shown.state,
            reason: shown.reason,
        });
        analysis(&self.text(&error))
    }

    pub(super) fn text(&self, error: &TxnError) -> String {
        error.text(self.node.shared.engine.transactions().switches())
    }
}

/// Why a body became no rows.
enum Stop {
    Refused(String),
    Struck(Strike),
    Gone,
}

/// `Message` when no front end is alive.
pub(super) const NO_FRONTEND: &str =
    "[THRIFT_RPC_ERROR]failed to call frontend service, no front end answers";

/// Ends a load as failed, and its transaction with it.
pub(super) fn fail(reply: &mut Reply, txn: OpenTxn, message: String) -> Failure {
    txn.abort(&message);
    reply.fail(message);
    Failure::Said
}

pub(super) fn analysis(text: &str) -> String {
    format!("[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = {text}")
}

fn existing(state: TxnState) -> &'static str {
    match state {
        TxnState::Prepare | TxnState::Aborted => "RUNNING",
        TxnState::Precommitted => "PRECOMMITTED",
        TxnState::Committed | TxnState::Visible => "FINISHED",
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn random() -> u128 {
    let mut bytes = [0; 16];
    // Without random bytes the name is less unique; nothing depends on it.
    let _ = getrandom::fill(&mut bytes);
    u128::from_be_bytes(bytes)
}

fn uuid(random: u128) -> String {
    let hex = format!("{random:032x}");
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

impl Staged {
    /// A load into a table that discards: nothing was looked at.
    fn discarded(bytes: u64) -> Self {
        Self {
            load: None,
            total: 0,
            loaded: 0,
            filtered: 0,
            unselected: 0,
            bytes,
            error_lines: Vec::new(),
            refused: None,
        }
    }
}
