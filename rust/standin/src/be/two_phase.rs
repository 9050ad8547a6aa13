//! Commit and abort of transactions at a back end: `_stream_load_2pc`.

use axum::http::{HeaderMap, header};
use axum::response::Response;
use serde_json::json;
use tokio::sync::oneshot;

use super::ending::Ending;
use super::reply::pretty;
use super::{Node, Visit};
use crate::control::faults::{Sight, Strike};
use crate::control::journal::{Entry, masked_headers};
use crate::control::rules::{AnswerFault, Point};
use crate::profile::load::TwoPhaseStatus;
use crate::store::txn::{Transaction, TxnError, Which};
use crate::stream_load::headers::LoadHeaders;

/// A decision about a transaction. It is carried out also when its client does not wait for the answer.
struct Task {
    node: Node,
    visit: Visit,
    http: HeaderMap,
    database: String,
    headers: LoadHeaders,
    /// The transaction that it names, where there is one.
    named: Option<Transaction>,
}

/// What the headers request.
struct TwoPhaseRequest {
    commit: bool,
    id: Option<i64>,
    label: Option<String>,
}

/// Why nothing was decided.
enum Failure {
    Said { status: &'static str, message: String },
    Struck(Strike),
}

/// Serves a request.
pub(super) async fn serve(node: Node, visit: Visit, http: HeaderMap, database: String) -> Response {
    let shared = node.shared.clone();
    let headers = LoadHeaders::of(&http);
    let transactions = shared.engine.transactions();
    let named = asked_which(&headers).and_then(|which| transactions.shown(&database, which));
    let task = Task {
        node,
        visit,
        http,
        database,
        headers,
        named,
    };
    let (done, ending) = oneshot::channel();
    shared.loads.spawn(async move {
        let ended = task.run().await;
        // A client that has disconnected gets no answer.
        let _ = done.send(ended);
    });
    ending.await.unwrap_or(Ending::Torn).into_response()
}

fn asked_which(headers: &LoadHeaders) -> Option<Which<'_>> {
    match headers.text("txn_id") {
        Some(id) => id.trim().parse().ok().map(Which::Id),
        None => headers.text("label").map(Which::Label),
    }
}

impl Task {
    async fn run(self) -> Ending {
        let outcome = self.decide().await;
        let connection = &self.visit.connection;
        let failure_text = |fault: &AnswerFault| self.failure_text(fault);
        let (answer, status, error) = match outcome {
            Ok((message, strike)) => {
                if let Some(ending) =
                    strike.and_then(|strike| Ending::struck(strike.action(), connection, failure_text))
                {
                    self.note("ok".to_owned(), String::new());
                    return ending;
                }
                (answer("Success", &message), "ok".to_owned(), String::new())
            }
            Err(Failure::Said { status, message }) => (answer(status, &message), status.to_owned(), message),
            Err(Failure::Struck(strike)) => {
                self.note("struck".to_owned(), strike.text());
                return Ending::struck(strike.action(), connection, failure_text).unwrap_or(Ending::Torn);
            }
        };
        self.note(status, error);
        if let Some(strike) = self.struck(Point::TwoPhaseAnswer) {
            strike.pause().await;
            if let Some(ending) = Ending::struck(strike.action(), connection, failure_text) {
                return ending;
            }
        }
        Ending::Json(answer)
    }

    async fn decide(&self) -> Result<(String, Option<Strike>), Failure> {
        if let Some(strike) = self.struck(Point::TwoPhaseRequest) {
            strike.pause().await;
            if strike.action().breaks() {
                return Err(Failure::Struck(strike));
            }
        }
        let request = self.checked()?;
        let transactions = self.node.shared.engine.transactions();
        let which = match (request.id, &request.label) {
            (Some(id), _) => Which::Id(id),
            (None, Some(label)) => Which::Label(label),
            (None, None) => return Err(self.invalid("neither txn_id nor label is set".to_owned())),
        };
        let (done, strike) = if request.commit {
            match transactions.commit(&self.database, which).await {
                Ok(decided) => ("commit", decided.strike),
                Err(TxnError::Struck(strike)) => return Err(Failure::Struck(strike)),
                Err(error) => return Err(self.refused(&error)),
            }
        } else {
            match transactions.abort(&self.database, which, "User Abort") {
                Ok(_) => ("abort", None),
                Err(error) => return Err(self.refused(&error)),
            }
        };
        let label = request
            .label
            .map(|label| format!("label [{label}] "))
            .unwrap_or_default();
        let id = request
            .id
            .map(|id| format!("transaction [{id}] "))
            .unwrap_or_default();
        Ok((format!("{label}{id}{done} successfully."), strike))
    }

    fn checked(&self) -> Result<TwoPhaseRequest, Failure> {
        let shared = &self.node.shared;
        let authorization = self.http.get(header::AUTHORIZATION);
        let authorization = authorization
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let ip = self.visit.connection.peer.ip().to_string();
        if let Err(message) = self.node.login(authorization, &ip) {
            return Err(self.failed("NOT_AUTHORIZED", message));
        }
        if shared.engine.switches().load.two_phase_disabled {
            let text = "Two phase commit (2PC) for stream load was disabled";
            return Err(self.failed("INTERNAL_ERROR", text.to_owned()));
        }
        let id = match self.headers.text("txn_id") {
            None => None,
            Some(text) => match text.trim().parse() {
                Ok(id) => Some(id),
                Err(_) => return Err(self.invalid(format!("convert txn_id [{text}] failed, reason=stoull"))),
            },
        };
        let commit = match self
            .headers
            .get("txn_operation")
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            Some("commit") => true,
            Some("abort") => false,
            _ => {
                return Err(self.invalid("transaction operation should be 'commit' or 'abort'".to_owned()));
            }
        };
        if !self.node.frontend_alive() {
            let text = "failed to call frontend service, no front end answers";
            return Err(self.failed("THRIFT_RPC_ERROR", text.to_owned()));
        }
        if !shared.engine.catalog().has_database(&self.database) {
            return Err(self.analysis(&format!("unknown database, database={}", self.database)));
        }
        Ok(TwoPhaseRequest {
            commit,
            id,
            label: self.headers.text("label").map(str::to_owned),
        })
    }

    fn refused(&self, error: &TxnError) -> Failure {
        self.analysis(&error.text(self.node.shared.engine.transactions().switches()))
    }

    fn analysis(&self, text: &str) -> Failure {
        let message = format!("TStatus: errCode = 2, detailMessage = {text}");
        self.failed("ANALYSIS_ERROR", message)
    }

    fn invalid(&self, message: String) -> Failure {
        self.failed("INVALID_ARGUMENT", message)
    }

    /// The newest servers name the kind of error in `status`; others have one word for all.
    fn failed(&self, status: &'static str, message: String) -> Failure {
        let status = match self.node.shared.engine.switches().load.two_phase_status {
            TwoPhaseStatus::AnalysisError => status,
            TwoPhaseStatus::InternalError => "INTERNAL_ERROR",
            TwoPhaseStatus::InternalErrorWords => "Internal error",
            TwoPhaseStatus::Fail => "Fail",
        };
        Failure::Said { status, message }
    }

    fn failure_text(&self, fault: &AnswerFault) -> String {
        if let Some(whole) = &fault.data {
            return pretty(whole);
        }
        answer(
            fault.status.as_deref().unwrap_or("ANALYSIS_ERROR"),
            &fault.message,
        )
    }

    fn label(&self) -> Option<&str> {
        let named = self.named.as_ref().map(|named| named.label.as_str());
        named.or_else(|| self.headers.text("label"))
    }

    fn struck(&self, point: Point) -> Option<Strike> {
        let table = self
            .named
            .as_ref()
            .map(|named| format!("{}.{}", named.db, named.table));
        let operation = self.headers.get("txn_operation").unwrap_or_default();
        let sight = Sight {
            node: &self.node.name,
            statement: &format!("{operation} {}", self.visit.path),
            table: table.as_deref(),
            label: self.label(),
            ..Sight::default()
        };
        self.node.shared.struck(point, &sight)
    }

    fn note(&self, status: String, error: String) {
        let headers = self.http.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
        let txn_id = self.headers.text("txn_id").and_then(|id| id.trim().parse().ok());
        self.node.shared.journal.add(Entry {
            channel: "be.http",
            node: self.node.name.clone(),
            method: "PUT".to_owned(),
            path: self.visit.path.clone(),
            statement: self.headers.get("txn_operation").unwrap_or_default().to_owned(),
            headers: masked_headers(headers),
            status,
            error,
            label: self.label().map(str::to_owned),
            txn_id: txn_id.or(self.named.as_ref().map(|named| named.id)),
            ..Entry::default()
        });
    }
}

fn answer(status: &str, message: &str) -> String {
    pretty(&json!({"status": status, "msg": message}))
}
