//! The fault rules of a cluster at work: which one strikes, how often, and what it holds.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::rules::{Action, Match, Point, Rule, RuleState};

/// What a request shows to the rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight<'a> {
    pub(crate) node: &'a str,
    pub(crate) statement: &'a str,
    /// `db.table` where known.
    pub(crate) table: Option<&'a str>,
    /// Label of a load or transaction.
    pub(crate) label: Option<&'a str>,
    /// Record batches sent (`flight.do_get`).
    pub(crate) batches: u64,
    /// Numbers of bytes that a body passes now (`be.load.body`).
    pub(crate) bytes: Option<Range<u64>>,
}

/// All rules of a cluster.
#[derive(Default)]
pub(crate) struct Faults {
    /// Number of rules, so that the common case costs one load.
    count: AtomicUsize,
    next: AtomicU64,
    rules: Mutex<Vec<Arc<Armed>>>,
}

struct Armed {
    id: u64,
    rule: Rule,
    fired: AtomicU64,
    holding: AtomicU64,
    released: CancellationToken,
}

/// A rule that struck; what is left to do after [`Strike::pause`].
pub(crate) struct Strike {
    armed: Arc<Armed>,
}

impl Faults {
    /// Adds a rule and gives its number.
    pub(crate) fn add(&self, rule: Rule) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let armed = Armed {
            id,
            rule,
            fired: AtomicU64::new(0),
            holding: AtomicU64::new(0),
            released: CancellationToken::new(),
        };
        let mut rules = self.lock();
        rules.push(Arc::new(armed));
        self.count.store(rules.len(), Ordering::Release);
        id
    }

    /// Deletes one rule, or all, and releases what they hold. False when the number is unknown.
    pub(crate) fn delete(&self, id: Option<u64>) -> bool {
        let mut rules = self.lock();
        let before = rules.len();
        rules.retain(|armed| {
            let kept = id.is_some_and(|id| id != armed.id);
            if !kept {
                armed.released.cancel();
            }
            kept
        });
        self.count.store(rules.len(), Ordering::Release);
        id.is_none() || rules.len() < before
    }

    pub(crate) fn list(&self) -> Vec<RuleState> {
        let state = |armed: &Arc<Armed>| RuleState {
            id: armed.id,
            rule: armed.rule.clone(),
            fired: armed.fired.load(Ordering::Acquire),
            holding: armed.holding.load(Ordering::Acquire),
        };
        self.lock().iter().map(state).collect()
    }

    /// The first rule that strikes here, if any; its count is taken.
    pub(crate) fn strike(&self, point: Point, sight: &Sight<'_>) -> Option<Strike> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let rules = self.lock();
        // Of those that a body passes now, the one that comes first; else the oldest.
        let armed = rules
            .iter()
            .filter(|armed| armed.rule.at == point && armed.fits(sight))
            .min_by_key(|armed| armed.rule.after)?;
        armed.fired.fetch_add(1, Ordering::AcqRel);
        Some(Strike { armed: armed.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Armed>>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Armed {
    /// Whether the rule strikes now. Called under the lock of the rules, so the count is exact.
    fn fits(&self, sight: &Sight<'_>) -> bool {
        let left = self
            .rule
            .times
            .is_none_or(|times| self.fired.load(Ordering::Acquire) < times);
        let here = match &sight.bytes {
            Some(passed) => passed.contains(&self.rule.after),
            None => self.rule.after == sight.batches,
        };
        left && here && self.rule.matches.holds(sight)
    }
}

impl Match {
    fn holds(&self, sight: &Sight<'_>) -> bool {
        let node = self
            .node
            .as_deref()
            .is_none_or(|node| node.eq_ignore_ascii_case(sight.node));
        let statement = self
            .statement
            .as_deref()
            .is_none_or(|pattern| contains(sight.statement, pattern));
        let table = self.table.as_deref().is_none_or(|wanted| {
            let wanted = wanted.replace('`', "");
            sight.table.is_some_and(|table| {
                let short = table.rsplit('.').next().unwrap_or(table);
                let compared = if wanted.contains('.') { table } else { short };
                compared.eq_ignore_ascii_case(&wanted)
            })
        });
        let label = self
            .label
            .as_deref()
            .is_none_or(|pattern| sight.label.is_some_and(|label| contains(label, pattern)));
        node && statement && table && label
    }
}

impl Strike {
    pub(crate) fn rule(&self) -> u64 {
        self.armed.id
    }

    pub(crate) fn action(&self) -> &Action {
        &self.armed.rule.action
    }

    pub(crate) fn point(&self) -> Point {
        self.armed.rule.at
    }

    /// Number of bytes at which it struck (`be.load.body`).
    pub(crate) fn after(&self) -> u64 {
        self.armed.rule.after
    }

    /// Text of the failure that it plays.
    pub(crate) fn text(&self) -> String {
        let action = self.action();
        let message = action.answer.as_ref().map(|answer| answer.message.clone());
        message
            .filter(|message| !message.trim().is_empty())
            .unwrap_or_else(|| format!("broken by fault rule {}", self.rule()))
    }

    /// Waits by the rule: until released, then the delay.
    pub(crate) async fn pause(&self) {
        if self.action().hold {
            let _held = Held::new(&self.armed.holding);
            self.armed.released.cancelled().await;
        }
        if let Some(delay) = self.action().delay_ms {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
    }
}

/// Counts a held request, also when the client goes away while it is held.
struct Held<'a>(&'a AtomicU64);

impl<'a> Held<'a> {
    fn new(count: &'a AtomicU64) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Whether `text` contains `pattern`, in which `*` stands for anything, letter case aside.
fn contains(text: &str, pattern: &str) -> bool {
    let text = text.to_lowercase();
    let pattern = pattern.to_lowercase();
    let mut rest = text.as_str();
    for part in pattern.split('*').filter(|part| !part.is_empty()) {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(json: &str) -> Rule {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_rule_strikes_as_often_as_it_says_and_only_where_it_matches() {
        let faults = Faults::default();
        faults.add(rule(
            r#"{"at":"flight.do_get","match":{"table":"student","node":"be1"},"do":{"reset":true},"times":2,"after":3}"#,
        ));
        let sight = |table, node, batches| Sight {
            node,
            table,
            batches,
            ..Sight::default()
        };
        let strikes = |table, node, batches| {
            faults
                .strike(Point::FlightDoGet, &sight(table, node, batches))
                .is_some()
        };
        assert!(!strikes(Some("test.student"), "be0", 3));
        assert!(!strikes(Some("test.other"), "be1", 3));
        assert!(!strikes(None, "be1", 3));
        assert!(!strikes(Some("test.student"), "be1", 2));
        assert!(strikes(Some("test.student"), "be1", 3));
        assert!(strikes(Some("test.student"), "be1", 3));
        assert!(!strikes(Some("test.student"), "be1", 3));
        assert_eq!(faults.list()[0].fired, 2);
        assert!(faults.delete(None));
        assert!(faults.list().is_empty());
    }

    #[test]
    fn statements_match_by_parts() {
        assert!(contains("SELECT * FROM `a`.`b` TABLET(1)", "from*tablet("));
        assert!(!contains("SELECT 1", "from"));
        assert!(contains("anything", "*"));
    }

    #[tokio::test]
    async fn a_held_request_goes_on_when_its_rule_is_deleted() {
        let faults = Arc::new(Faults::default());
        let id = faults.add(rule(r#"{"at":"mysql.query","do":{"hold":true}}"#));
        let strike = faults.strike(Point::MysqlQuery, &Sight::default()).unwrap();
        let waiting = tokio::spawn(async move { strike.pause().await });
        while faults.list()[0].holding == 0 {
            tokio::task::yield_now().await;
        }
        assert!(faults.delete(Some(id)));
        waiting.await.unwrap();
        assert!(!faults.delete(Some(id)));
    }
}
