//! The end of a load: rows handed over to the transaction, then the answer to the client.

use std::time::{Duration, Instant};

use super::body::Received;
use super::checks::{Checked, Mode};
use super::ending::Ending;
use super::load::{Failure, NO_FRONTEND, Task, analysis, fail, millis};
use super::reply::Reply;
use crate::control::journal::{Entry, masked_headers};
use crate::control::rules::{AnswerFault, Point};
use crate::store::txn::{OpenTxn, TxnError, Work};
use crate::stream_load::Staged;

impl Task {
    /// Hands the rows over to the transaction.
    pub(super) async fn finish(
        &self,
        reply: &mut Reply,
        txn: OpenTxn,
        staged: Staged,
        checked: &Checked,
    ) -> Result<(), Failure> {
        reply.total = staged.total;
        reply.filtered = staged.filtered;
        reply.unselected = staged.unselected;
        reply.bytes = staged.bytes;
        if !staged.error_lines.is_empty() {
            let file = self.node.shared.error_logs.keep(self.random, &staged.error_lines);
            reply.error_url = Some(format!("{}/api/_load_error_log?file={file}", self.node.url()));
            reply.first_error = staged.error_lines.first().cloned();
        }
        if let Some(message) = staged.refused {
            return Err(fail(reply, txn, message));
        }
        if checked.mode == Mode::TwoPhase
            && let Some(strike) = self.struck(Point::TxnPrecommit, Some(txn.label()), None)
        {
            strike.pause().await;
            if strike.action().breaks() {
                txn.abort(&strike.text());
                return Err(Failure::Struck(strike));
            }
        }
        if !self.node.alive() {
            // It died with the load on it, and the front end noticed.
            txn.abort("coordinate BE is down");
            return Err(Failure::Gone);
        }
        if !self.node.frontend_alive() {
            txn.leave();
            reply.fail(NO_FRONTEND);
            return Err(Failure::Said);
        }
        let rows = staged.loaded;
        let mut work = Work {
            load: staged.load,
            rows,
            ..Work::default()
        };
        let begun = Instant::now();
        let visible = if checked.mode == Mode::TwoPhase {
            txn.precommit(work).map(|()| true)
        } else {
            if checked.mode == Mode::GroupAsync {
                let interval = self.node.shared.engine.switches().load.group_commit_interval_ms;
                work.pause = Duration::from_millis(interval);
            }
            txn.commit(work).await.map(|decided| {
                let struck = decided.strike.is_some_and(|strike| strike.action().drop_answer);
                if struck {
                    self.visit.connection.close();
                }
                decided.visible || checked.mode == Mode::GroupAsync
            })
        };
        reply.times.commit = millis(begun.elapsed());
        match visible {
            Ok(visible) => {
                reply.loaded = rows;
                let (status, message) = if visible {
                    ("Success", "OK")
                } else {
                    (
                        "Publish Timeout",
                        "[PUBLISH_TIMEOUT]transaction commit successfully, but data will be visible later",
                    )
                };
                status.clone_into(&mut reply.status);
                message.clone_into(&mut reply.message);
                self.node.shared.counters.loads.rows(&self.name, rows);
                Ok(())
            }
            Err(TxnError::Struck(strike)) => Err(Failure::Struck(strike)),
            Err(error) => {
                reply.fail(analysis(&self.text(&error)));
                Err(Failure::Said)
            }
        }
    }

    /// The end that the client sees, with status and error for the journal.
    pub(super) async fn ending(
        &self,
        outcome: Result<(), Failure>,
        reply: &Reply,
        received: &Received,
    ) -> (Ending, String, String) {
        let connection = &self.visit.connection;
        let failure_text = |fault: &AnswerFault| failure_text(fault, reply);
        match outcome {
            Err(Failure::Struck(strike)) => {
                let ending =
                    Ending::struck(strike.action(), connection, failure_text).unwrap_or(Ending::Torn);
                return (ending, "struck".to_owned(), strike.text());
            }
            Err(Failure::Gone) => return (Ending::Torn, "gone".to_owned(), "sender is gone".to_owned()),
            Ok(()) | Err(Failure::Said) => {}
        }
        let status = if reply.status == "Success" {
            "ok"
        } else {
            &reply.status
        };
        let error = if reply.succeeded() { "" } else { &reply.message };
        let told = (status.to_owned(), error.to_owned());
        if received.drop_answer {
            connection.close();
            return (Ending::Torn, told.0, told.1);
        }
        if let Some(strike) = self.struck(Point::BeLoadAnswer, Some(&reply.label), None) {
            strike.pause().await;
            if let Some(ending) = Ending::struck(strike.action(), connection, failure_text) {
                return (ending, told.0, told.1);
            }
        }
        (Ending::Json(reply.text()), told.0, told.1)
    }

    pub(super) fn note(&self, reply: &Reply, bytes: u64, status: String, error: String) {
        let headers = self.http.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
        self.node.shared.journal.add(Entry {
            channel: "be.http",
            node: self.node.name.clone(),
            method: "PUT".to_owned(),
            path: self.visit.path.clone(),
            headers: masked_headers(headers),
            body_bytes: bytes,
            status,
            error,
            label: Some(reply.label.clone()).filter(|label| !label.is_empty()),
            txn_id: reply.txn_id,
            answer: Some(reply.text()),
            ..Entry::default()
        });
    }
}

/// The answer that a fault rule gives in place of the load's own.
fn failure_text(fault: &AnswerFault, reply: &Reply) -> String {
    if let Some(whole) = &fault.data {
        return super::reply::pretty(whole);
    }
    let mut reply = reply.clone();
    reply.status = fault.status.clone().unwrap_or_else(|| "Fail".to_owned());
    reply.message.clone_from(&fault.message);
    if !reply.succeeded() {
        reply.loaded = 0;
    }
    reply.text()
}
