//! Fault rules as they are given: where they strike, what they match, what they break, and how often.

use serde::{Deserialize, Serialize};

/// Where a rule strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Point {
    /// Any REST call of a front end, loads too.
    #[serde(rename = "fe.api")]
    FeApi,
    /// A load or 2PC request at a front end, before it is sent on.
    #[serde(rename = "fe.redirect")]
    FeRedirect,
    /// A load at a back end, before its headers are looked at and its transaction begins.
    #[serde(rename = "be.load.headers")]
    BeLoadHeaders,
    /// The body of a load, once `after` bytes of it were taken (0: before the first).
    #[serde(rename = "be.load.body")]
    BeLoadBody,
    /// A load that has done its work, before its answer.
    #[serde(rename = "be.load.answer")]
    BeLoadAnswer,
    /// A load with 2PC whose body is complete, before it becomes PRECOMMITTED.
    #[serde(rename = "txn.precommit")]
    TxnPrecommit,
    /// Before a transaction is committed: by a load, a statement or 2PC.
    #[serde(rename = "txn.commit")]
    TxnCommit,
    /// Between COMMITTED and VISIBLE; only `delay_ms` and `hold` have an effect, and the commit answers before.
    #[serde(rename = "txn.publish")]
    TxnPublish,
    /// A 2PC request at a back end, before anything is done.
    #[serde(rename = "2pc.request")]
    TwoPhaseRequest,
    /// A 2PC request that is done, before its answer.
    #[serde(rename = "2pc.answer")]
    TwoPhaseAnswer,
    /// A Flight login: the Handshake call, or Basic credentials on any other call.
    #[serde(rename = "flight.handshake")]
    FlightHandshake,
    /// The same, after the session was opened and before its token goes out; `delay_ms` and `hold` have an effect.
    #[serde(rename = "flight.handshake.answer")]
    FlightHandshakeAnswer,
    /// The planning of a changelog query, before its window is looked at; `delay_ms`, `hold` and `answer` have an effect.
    #[serde(rename = "incr.fence")]
    IncrFence,
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
    /// Part of the label of a load or transaction, letter case aside; `*` stands for anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
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
    /// Loads and 2PC: the status, such as `Fail` (the default of loads) or `Publish Timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Text of the failure.
    #[serde(default)]
    pub message: String,
    /// REST: the whole `data` member instead of the text. Loads and 2PC: the whole answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

/// What a rule does. `hold` and `delay_ms` come first, then at most one of the others, besides `bytes_per_second`.
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
    /// `be.load.body`: takes the rest of the body no faster than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_per_second: Option<u64>,
}

impl Action {
    /// Whether it stands in the place of what would be done.
    pub(crate) fn breaks(&self) -> bool {
        self.reset || self.close.is_some() || self.status.is_some() || self.answer.is_some()
    }

    /// Whether it takes time.
    pub(crate) fn waits(&self) -> bool {
        self.hold || self.delay_ms.is_some_and(|ms| ms > 0)
    }
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
    /// `flight.do_get`: strikes when exactly this many record batches of the stream were sent. `be.load.body`: when
    /// exactly this many bytes of the body, as it is on the wire, were taken.
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
}
