//! Commit: the decision, then the step that makes rows visible, in the order of decisions.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::order::Turn;
use super::{Transactions, TxnError, TxnState, Which};
use crate::control::faults::Strike;
use crate::control::rules::Point;
use crate::store::catalog::Relation;
use crate::store::load::Load;

/// What a load brought.
#[derive(Default)]
pub(crate) struct Work {
    /// The rows; absent where they are not kept.
    pub(crate) load: Option<Load>,
    /// Their number.
    pub(crate) rows: u64,
    /// Visible only after this pause, and the commit does not wait for it.
    pub(crate) pause: Duration,
}

/// A decision that stands.
pub(crate) struct Decided {
    /// Number of the transaction.
    pub(crate) id: i64,
    /// False while readers do not see it yet.
    pub(crate) visible: bool,
    /// A fault rule that has something to say about the answer.
    pub(crate) strike: Option<Strike>,
}

/// A decision on its way to the readers.
struct Publication {
    id: i64,
    load: Option<Load>,
    turn: Turn,
    strike: Option<Strike>,
    pause: Duration,
}

impl Transactions {
    /// Commits a PRECOMMITTED transaction.
    pub(crate) async fn commit(
        self: &Arc<Self>,
        database: &str,
        which: Which<'_>,
    ) -> Result<Decided, TxnError> {
        let precommitted = |state| state == TxnState::Precommitted;
        let id = self.now().0.find(database, which, precommitted)?.shown.id;
        self.decide(id, TxnState::Precommitted, None).await
    }

    /// Commits a transaction in PREPARE with what its load brought.
    pub(super) async fn commit_open(self: &Arc<Self>, id: i64, work: Work) -> Result<Decided, TxnError> {
        self.decide(id, TxnState::Prepare, Some(work)).await
    }

    async fn decide(
        self: &Arc<Self>,
        id: i64,
        from: TxnState,
        work: Option<Work>,
    ) -> Result<Decided, TxnError> {
        let shown = {
            let (mut table, _) = self.now();
            table.get(id).map(|record| record.shown.clone())
        };
        let shown = shown.ok_or(TxnError::NotFound(id))?;
        let strike = (shown.state == from)
            .then(|| self.strike(Point::TxnCommit, &shown))
            .flatten();
        let strike = match strike {
            Some(strike) => {
                strike.pause().await;
                if strike.action().breaks() {
                    return Err(TxnError::Struck(strike));
                }
                Some(strike)
            }
            None => None,
        };
        let (publication, done) = self.decided(id, from, work)?;
        let slow = publication.turn.slow;
        let transactions = self.clone();
        let publish = async move { transactions.publish(publication).await };
        self.publishing.spawn(publish);
        let mut visible = false;
        if !slow {
            done.cancelled().await;
            let (mut table, _) = self.now();
            // Forgotten at once: only a limit of labels that is set that low does so.
            if let Some(record) = table.get(id) {
                if record.shown.state == TxnState::Aborted {
                    return Err(TxnError::Failed(record.shown.reason.clone()));
                }
                visible = record.shown.state == TxnState::Visible;
            }
        }
        Ok(Decided { id, visible, strike })
    }

    /// The decision itself: from here on the transaction is COMMITTED, has its stamp and its place in the order.
    fn decided(
        &self,
        id: i64,
        from: TxnState,
        work: Option<Work>,
    ) -> Result<(Publication, CancellationToken), TxnError> {
        let (mut table, now) = self.now();
        let record = table.get(id).ok_or(TxnError::NotFound(id))?;
        if record.shown.state != from {
            return Err(TxnError::NotPrecommitted {
                id,
                state: record.shown.state,
                reason: record.shown.reason.clone(),
            });
        }
        let table_id = record.table_id;
        if !self.has_table(&record.shown.db, table_id) {
            return Err(TxnError::TableGone(table_id));
        }
        let mut pause = Duration::from_millis(self.switches.publish_delay_ms);
        if let Some(work) = work {
            record.shown.rows = work.rows;
            record.load = work.load;
            pause = pause.max(work.pause);
        }
        record.shown.state = TxnState::Committed;
        record.shown.committed = Some(now / 1000);
        // Under the table's lock, so that stamps and places go together.
        let stamp = self.catalog.clock.stamp();
        record.shown.tso = Some(stamp);
        let load = record.load.take();
        let shown = record.shown.clone();
        table.set_deadline(id, i64::MAX);
        let strike = self.strike(Point::TxnPublish, &shown);
        let waits = strike.as_ref().is_some_and(|strike| strike.action().waits());
        let turn = table.order.next(table_id, waits || !pause.is_zero(), stamp);
        let done = turn.done();
        let publication = Publication {
            id,
            load,
            turn,
            strike,
            pause,
        };
        Ok((publication, done))
    }

    async fn publish(&self, publication: Publication) {
        let mut turn = publication.turn;
        turn.comes().await;
        if let Some(strike) = &publication.strike {
            strike.pause().await;
        }
        if !publication.pause.is_zero() {
            tokio::time::sleep(publication.pause).await;
        }
        let outcome = match publication.load {
            Some(load) => load.commit(&self.catalog, turn.stamp).await.map(|_| ()),
            None => Ok(()),
        };
        let (mut table, now) = self.now();
        match outcome {
            Ok(()) => table.finish(publication.id, TxnState::Visible, "", now, &self.switches),
            Err(error) => {
                tracing::warn!(id = publication.id, %error, "a commit could not be made visible");
                table.finish(
                    publication.id,
                    TxnState::Aborted,
                    &error.message,
                    now,
                    &self.switches,
                );
            }
        }
        drop(table);
        turn.leave();
    }

    fn has_table(&self, database: &str, id: i64) -> bool {
        let relations = self.catalog.relations(database).unwrap_or_default();
        relations
            .iter()
            .any(|(_, relation)| matches!(relation, Relation::Table(table) if table.id == id))
    }
}
