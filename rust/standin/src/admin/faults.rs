//! Fault rules: where they strike, what they match, what they break, and how often.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// Where a rule strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Point {
    /// Any REST call of a front end.
    #[serde(rename = "fe.api")]
    FeApi,
    /// A Flight login: the Handshake call, or Basic credentials on any other call.
    #[serde(rename = "flight.handshake")]
    FlightHandshake,
    /// `GetFlightInfo` of a front end, before the statement runs.
    #[serde(rename = "flight.get_info")]
    FlightGetInfo,
    /// `DoGet`, before batch number `after` (0: before the schema message).
    #[serde(rename = "flight.do_get")]
    FlightDoGet,
    /// A MySQL command, before it runs.
    #[serde(rename = "mysql.query")]
    MysqlQuery,
    /// A MySQL command, after it ran and before its answer.
    #[serde(rename = "mysql.answer")]
    MysqlAnswer,
}

/// What a request must look like. An absent field matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Match {
    /// `table` or `db.table`, letter case aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Part of the statement or path, letter case aside; `*` stands for anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// `fe0`, `be1`, ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

/// How `close` ends things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Close {
    /// Flight: the HTTP/2 stream is reset, the connection lives on. REST, MySQL: the connection is closed without an answer.
    Stream,
    /// Flight: the HTTP/2 stream ends in order, but without the trailers that hold the gRPC status. Elsewhere as `stream`.
    NoTrailers,
}

/// A gRPC or HTTP status with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusFault {
    /// gRPC code by name (`UNAVAILABLE`) or number; for REST the HTTP status.
    pub code: serde_json::Value,
    /// Description, or HTTP body.
    #[serde(default)]
    pub message: String,
    /// Trailing metadata (Flight only).
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub metadata: std::collections::BTreeMap<String, String>,
}

/// A failure as Doris words it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerFault {
    /// Envelope code (REST) or MySQL error code; Flight has none.
    #[serde(default)]
    pub code: Option<u16>,
    /// Text of the failure.
    pub message: String,
    /// REST: the whole `data` member instead of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

/// What a rule does. `hold` and `delay_ms` come first, then at most one of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Action {
    /// Waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Waits until the rule is deleted.
    #[serde(skip_serializing_if = "is_false")]
    pub hold: bool,
    /// Tears the TCP connection down.
    #[serde(skip_serializing_if = "is_false")]
    pub reset: bool,
    /// Ends stream or connection without an answer.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "close_or_true")]
    pub close: Option<Close>,
    /// `flight.do_get`: sends half of the next record batch's body under its full header, then goes on.
    #[serde(skip_serializing_if = "is_false")]
    pub truncate: bool,
    /// `flight.do_get`: damages the header of the next record batch, then goes on.
    #[serde(skip_serializing_if = "is_false")]
    pub corrupt_header: bool,
    /// Fails with this status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusFault>,
    /// Fails as Doris fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerFault>,
    /// Does the work, then ends the connection instead of answering.
    #[serde(skip_serializing_if = "is_false")]
    pub drop_answer: bool,
}

/// One rule, in the form of the admin port's JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Where it strikes.
    pub at: Point,
    /// What it matches.
    #[serde(default, rename = "match")]
    pub matches: Match,
    /// What it does.
    #[serde(rename = "do")]
    pub action: Action,
    /// How often it strikes; absent: until it is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// `flight.do_get`: strikes when exactly this many record batches of the stream were sent.
    #[serde(default)]
    pub after: u64,
}

/// A rule with its history, as `GET /faults` shows it.
#[derive(Clone, Debug, Serialize)]
pub struct RuleState {
    /// Number by which the rule is deleted.
    pub id: u64,
    /// The rule as it was given.
    #[serde(flatten)]
    pub rule: Rule,
    /// How often it struck.
    pub fired: u64,
    /// Requests that it holds at this moment.
    pub holding: u64,
}

/// What a request shows to the rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight<'a> {
    pub(crate) node: &'a str,
    pub(crate) statement: &'a str,
    /// `db.table` where known.
    pub(crate) table: Option<&'a str>,
    pub(crate) batches: u64,
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
        let armed = rules
            .iter()
            .find(|armed| armed.rule.at == point && armed.take(sight))?;
        Some(Strike { armed: armed.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Armed>>> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Armed {
    /// Whether the rule strikes now. Called under the lock of the rules, so the count is exact.
    fn take(&self, sight: &Sight<'_>) -> bool {
        let fired = self.fired.load(Ordering::Acquire);
        let left = self.rule.times.is_none_or(|times| fired < times);
        let strikes = left && self.rule.after == sight.batches && self.rule.matches.holds(sight);
        if strikes {
            self.fired.store(fired + 1, Ordering::Release);
        }
        strikes
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
        node && statement && table
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

    /// Waits as the rule says: until released, then the delay.
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

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Accepts `true` for the plain kind, besides the names.
fn close_or_true<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Close>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Flag(bool),
        Kind(Close),
    }
    Ok(match Option::<Either>::deserialize(deserializer)? {
        None | Some(Either::Flag(false)) => None,
        Some(Either::Flag(true)) => Some(Close::Stream),
        Some(Either::Kind(kind)) => Some(kind),
    })
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
            statement: "",
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

    #[test]
    fn unknown_members_are_refused() {
        assert!(serde_json::from_str::<Rule>(r#"{"at":"fe.api","do":{"resett":true}}"#).is_err());
        assert!(serde_json::from_str::<Rule>(r#"{"at":"fe.apy","do":{}}"#).is_err());
        let close = rule(r#"{"at":"flight.do_get","do":{"close":"no_trailers"}}"#);
        assert_eq!(close.action.close, Some(Close::NoTrailers));
        assert_eq!(
            rule(r#"{"at":"fe.api","do":{"close":true}}"#).action.close,
            Some(Close::Stream)
        );
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
