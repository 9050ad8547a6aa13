//! The fence of a changelog query: when its window is complete, and the errors while it is not.
//!
//! The rules are those of the Doris manual, Incremental Query: the master compares the end with the present, then
//! waits for transactions that could still add changes below it; a front end that lags then waits until it has seen
//! them.

mod errors;
mod status;

use std::sync::Arc;
use std::time::{Duration, Instant};

use self::errors::Refusal;
use crate::cluster::clock::{Clock, first_stamp};
use crate::control::faults::Sight;
use crate::control::rules::{Action, Point};
use crate::error::SqlError;
use crate::profile::Border;
use crate::profile::changelog::{ChangelogErrors, FenceRule};
use crate::sql::engine::{Engine, Session};
use crate::store::catalog::Relation;
use crate::store::tablet::{Table, TableVersion};

/// Pause between two looks at the transaction table, real time.
const POLL: Duration = Duration::from_millis(100);

/// A requested window, with everything that its refusal reports.
struct Window<'a> {
    clock: &'a Clock,
    form: ChangelogErrors,
    /// Milliseconds of the epoch; `None` for everything up to now.
    end_ms: Option<i64>,
    /// The first stamp after the window.
    end: u64,
    database_id: i64,
    table_id: i64,
    /// The largest stamp up to which every transaction is finished.
    committed: u64,
    timeout: Duration,
    /// The query is planned at a front end that is not the master.
    follower: bool,
}

impl Engine {
    /// Waits until a changelog query of a table may be planned: nothing that belongs below its end can come any more.
    /// `end_ms`: end of the window, milliseconds of the epoch; `None`: everything committed up to now.
    ///
    /// Fails when the end is in the future, and when the wait takes longer than the session's
    /// `change_visible_timeout_ms`. The session variable `enable_eventual_consistent_change` skips the wait.
    pub(crate) async fn incr_fence(
        &self,
        session: &Session,
        table_id: i64,
        end_ms: Option<i64>,
    ) -> Result<(), SqlError> {
        let clock = &self.catalog().clock;
        let (database, table) = self
            .table_by_id(table_id)
            .ok_or_else(|| SqlError::plain(format!("unknown table, tableId={table_id}")))?;
        let mut window = Window {
            clock,
            form: self.switches().change.errors,
            end_ms,
            end: end_ms.map_or(clock.current().stamp + 1, |ms| self.first_after(ms)),
            database_id: database_id(&database),
            table_id,
            committed: self.transactions().committed_stamp(),
            timeout: self.change_visible_timeout(session),
            follower: !self.is_master(session),
        };
        self.struck_fence(session, &window, &database).await?;
        if end_ms.is_some_and(|end| end > 0 && end.unsigned_abs() > clock.current().physical_ms()) {
            return Err(Refusal::Future.error(&window));
        }
        // Commits from now on lie behind the window, whatever the machine's clock does. What was stamped before has a
        // number up to the watermark: that is taken after.
        clock.pass(window.end.saturating_sub(1));
        let watermark = self.transactions().watermark();
        if session.flag("enable_eventual_consistent_change", false) {
            return Ok(());
        }
        let deadline = Instant::now() + window.timeout;
        let by_stamp = self.switches().change.fence == FenceRule::Cloud && end_ms.is_some();
        loop {
            let transactions = self.transactions();
            let unfinished = match by_stamp {
                true => transactions.unseen(table_id, window.end),
                false => transactions.unfinished(table_id, watermark),
            };
            let Some(id) = unfinished else { break };
            if !pause(deadline).await {
                window.committed = transactions.committed_stamp();
                return Err(Refusal::Unfinished { id, watermark }.error(&window));
            }
        }
        while self
            .view(session)
            .is_some_and(|view| table.unseen(view, window.end))
        {
            if !pause(deadline).await {
                return Err(Refusal::Behind { watermark }.error(&window));
            }
        }
        Ok(())
    }

    /// The version of a table that a session's plain queries read: an older one at a front end that lags.
    pub(crate) fn version_at(&self, session: &Session, table: &Table) -> Arc<TableVersion> {
        match self.view(session) {
            None => table.snapshot(),
            Some(view) => table.snapshot_at(view),
        }
    }

    /// Lets a front end fall `behind` the others, or catch up with zero. The master does not lag, nor does a front end
    /// that took its place.
    pub(crate) fn set_lag(&self, frontend: usize, behind: Duration) {
        let lags = &self.catalog().lags;
        lags.set(frontend, behind);
        if lags.oldest().is_none() {
            for (_, table) in self.catalog().tables() {
                table.forget_past();
            }
        }
    }

    /// The moment that a session's front end sees; `None` for the present.
    fn view(&self, session: &Session) -> Option<Instant> {
        let frontend = session.frontend?;
        let view = self.catalog().lags.view(frontend)?;
        (!self.is_master(session)).then_some(view)
    }

    /// Whether a session's front end is the master, or stands for it.
    fn is_master(&self, session: &Session) -> bool {
        session
            .frontend
            .is_none_or(|own| self.cluster().master().is_none_or(|master| master == own))
    }

    /// The first stamp after a window that ends at a millisecond.
    fn first_after(&self, end_ms: i64) -> u64 {
        match self.switches().changelog_border {
            Border::StartInclusive => first_stamp(end_ms),
            Border::EndInclusive => first_stamp(end_ms.saturating_add(1)),
        }
    }

    fn change_visible_timeout(&self, session: &Session) -> Duration {
        let text = self.variable(session, "change_visible_timeout_ms");
        let ms = text.and_then(|text| text.parse().ok());
        Duration::from_millis(ms.unwrap_or(self.switches().change.change_visible_timeout_ms))
    }

    fn table_by_id(&self, id: i64) -> Option<(String, Arc<Table>)> {
        self.catalog()
            .tables()
            .into_iter()
            .find(|(_, table)| table.id == id)
    }

    /// What a fault rule does to the fence.
    async fn struck_fence(
        &self,
        session: &Session,
        window: &Window<'_>,
        database: &str,
    ) -> Result<(), SqlError> {
        let table = self.table_name(database, window.table_id);
        let node = session
            .frontend
            .map_or_else(String::new, |index| format!("fe{index}"));
        let sight = Sight {
            node: &node,
            table: table.as_deref(),
            ..Sight::default()
        };
        let Some(strike) = self.transactions().struck(Point::IncrFence, &sight) else {
            return Ok(());
        };
        strike.pause().await;
        let Action {
            answer: Some(answer), ..
        } = strike.action()
        else {
            return Ok(());
        };
        let reason = answer.status.as_deref().unwrap_or_default();
        Err(
            match Refusal::of_reason(reason, self.transactions().watermark()) {
                Some(refusal) => refusal.error(window),
                None => SqlError {
                    code: answer.code.unwrap_or(1105),
                    ..SqlError::plain(&answer.message)
                },
            },
        )
    }

    /// `db.table` of a table.
    fn table_name(&self, database: &str, id: i64) -> Option<String> {
        let relations = self.catalog().relations(database).ok()?;
        let is_it = |relation: &Relation| matches!(relation, Relation::Table(table) if table.id == id);
        let (name, _) = relations.into_iter().find(|(_, relation)| is_it(relation))?;
        Some(format!("{database}.{name}"))
    }
}

/// A number that stands for a database in messages: databases have none here, so one is made of the name.
pub(crate) fn database_id(name: &str) -> i64 {
    let hash = name.bytes().fold(0_u32, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    10_000 + i64::from(hash >> 8)
}

/// Waits before the next look; false once the time is over.
async fn pause(deadline: Instant) -> bool {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return false;
    }
    tokio::time::sleep(left.min(POLL)).await;
    true
}
