//! Answers of load endpoints. Every text of the server is understood here: loads, label states, commits and aborts.
//!
//! Servers of several versions and proxies are in between, so unknown, missing and doubled keys are no fault, numbers
//! may be texts, and letter case does not count where versions differ.

use serde_json::{Map, Value};

use crate::fe::envelope::is_for_now;
use crate::net::refused::{absent, denied};

/// The numbers of a load's answer. `None`: the answer lacks it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct LoadNumbers {
    pub total_rows: Option<i64>,
    pub loaded_rows: Option<i64>,
    pub filtered_rows: Option<i64>,
    pub unselected_rows: Option<i64>,
    pub load_bytes: Option<i64>,
    pub load_time_ms: Option<i64>,
    pub begin_txn_time_ms: Option<i64>,
    pub put_time_ms: Option<i64>,
    pub read_time_ms: Option<i64>,
    pub write_time_ms: Option<i64>,
    pub commit_publish_time_ms: Option<i64>,
}

/// What the server calls the end of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadStatus {
    /// Visible; pre-committed with two-phase commit.
    Success,
    /// Committed, visible later: a success.
    PublishTimeout,
    /// Nothing happened: the label is in use.
    LabelExists,
    /// Nothing was loaded, the label is free again.
    Fail,
}

/// What is under way under a label that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    Running,
    Precommitted,
    /// Committed or visible.
    Finished,
}

/// The answer to a load.
#[derive(Clone, Debug)]
pub(crate) struct LoadAnswer {
    pub(crate) status: LoadStatus,
    /// The status as the server words it.
    pub(crate) status_text: String,
    pub(crate) message: String,
    pub(crate) label: Option<String>,
    /// Only real ones: the server writes -1 for none.
    pub(crate) txn_id: Option<i64>,
    /// `None` where the answer lacks it.
    pub(crate) two_phase: Option<bool>,
    /// Only with `LabelExists`; `None` where the answer lacks it.
    pub(crate) existing: Option<Existing>,
    pub(crate) numbers: LoadNumbers,
    pub(crate) error_url: Option<String>,
    pub(crate) first_error: Option<String>,
    /// The code of a front end's envelope; `None` in answers of other shapes.
    pub(crate) code: Option<i64>,
    /// Whether it has the shape of a back end's answer.
    pub(crate) of_back_end: bool,
}

/// Why a load was refused, as far as it decides what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Rows that the table does not take.
    Data,
    /// A tablet has too many versions (-235): compaction has to catch up.
    TooManyVersions,
    /// The database has too many running transactions.
    TooManyTransactions,
    /// No back end is alive for it.
    NoBackend,
    /// A front end cannot answer yet.
    NotReady,
    /// Something took too long; what became of the load is not known.
    Timeout,
    /// The back end could not talk to others; what became of the load is not known.
    Network,
    /// The server cannot read compressed JSON.
    JsonCompression,
    /// Login or privilege.
    Denied,
    /// No such database or table.
    NotFound,
    /// Anything else.
    Other,
}

impl Refusal {
    /// Whether the same load may succeed later.
    pub(crate) fn may_pass(self) -> bool {
        matches!(
            self,
            Self::TooManyVersions
                | Self::TooManyTransactions
                | Self::NoBackend
                | Self::NotReady
                | Self::Timeout
                | Self::Network
        )
    }

    /// Whether it is certain that nothing was loaded and nothing is under way.
    pub(crate) fn is_definite(self) -> bool {
        !matches!(self, Self::Timeout | Self::Network)
    }
}

impl LoadAnswer {
    /// Reads the body of an answer to a load, whichever node wrote it; `None` if it is no such answer.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let Value::Object(map) = serde_json::from_str(text).ok()? else {
            return None;
        };
        let Some(status_text) = string(&map, "Status") else {
            return front_end(&map);
        };
        let status = match status_text.to_ascii_lowercase().as_str() {
            "success" => LoadStatus::Success,
            "publish timeout" => LoadStatus::PublishTimeout,
            "label already exists" => LoadStatus::LabelExists,
            _ => LoadStatus::Fail,
        };
        let message = string(&map, "Message").unwrap_or_default();
        let existing = string(&map, "ExistingJobStatus")
            .as_deref()
            .and_then(existing)
            .or_else(|| existing_in(&message));
        Some(Self {
            status,
            label: string(&map, "Label").filter(|l| !l.is_empty()),
            txn_id: number(&map, "TxnId").filter(|id| *id > 0),
            two_phase: flag(&map, "TwoPhaseCommit"),
            existing: existing.filter(|_| status == LoadStatus::LabelExists),
            numbers: LoadNumbers {
                total_rows: number(&map, "NumberTotalRows"),
                loaded_rows: number(&map, "NumberLoadedRows"),
                filtered_rows: number(&map, "NumberFilteredRows"),
                unselected_rows: number(&map, "NumberUnselectedRows"),
                load_bytes: number(&map, "LoadBytes"),
                load_time_ms: number(&map, "LoadTimeMs"),
                begin_txn_time_ms: number(&map, "BeginTxnTimeMs"),
                put_time_ms: number(&map, "StreamLoadPutTimeMs"),
                read_time_ms: number(&map, "ReadDataTimeMs"),
                write_time_ms: number(&map, "WriteDataTimeMs"),
                commit_publish_time_ms: number(&map, "CommitAndPublishTimeMs"),
            },
            error_url: string(&map, "ErrorURL").filter(|u| !u.is_empty()),
            first_error: string(&map, "FirstErrorMsg").filter(|m| !m.is_empty()),
            code: None,
            of_back_end: true,
            status_text,
            message,
        })
    }

    /// Why it failed.
    pub(crate) fn refusal(&self) -> Refusal {
        let text = self.message.to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|p| text.contains(p));
        if has(&["data_quality_error", "too many filtered rows"]) {
            Refusal::Data
        } else if has(&["compress data of json format is not supported"]) {
            Refusal::JsonCompression
        } else if denied(&text) || has(&["not_authorized", "no valid basic authorization"]) {
            Refusal::Denied
        } else if absent(&text).is_some() {
            Refusal::NotFound
        } else if has(&["-235", "too many version", "too_many_version"]) {
            Refusal::TooManyVersions
        } else if has(&["current running txns on db", "too many running transactions"]) {
            Refusal::TooManyTransactions
        } else if has(&[
            "no backend load available",
            "no available backend",
            "no alive backend",
            "backend available",
            "enough backend",
        ]) {
            Refusal::NoBackend
        } else if has(&["timeout", "timed out", "time out"]) {
            Refusal::Timeout
        } else if has(&[
            "thrift_rpc_error",
            "[rpc_error]",
            "network_error",
            "rpc failed",
            "open transport",
            "connection refused",
            "connection reset",
            "broken pipe",
        ]) {
            Refusal::Network
        } else if !self.of_back_end && is_for_now(self.code.unwrap_or(1), &text) {
            Refusal::NotReady
        } else {
            Refusal::Other
        }
    }
}

/// Answers of a front end that refuses a load: `{"status":"FAILED","msg":..}` or the envelope `{"msg","code","data"}`.
fn front_end(map: &Map<String, Value>) -> Option<LoadAnswer> {
    let told = match map.get("data") {
        Some(Value::String(data)) if !data.is_empty() => data.clone(),
        _ => string(map, "msg")?,
    };
    let status_text = string(map, "status").or_else(|| number(map, "code").map(|c| format!("code {c}")))?;
    Some(LoadAnswer {
        status: LoadStatus::Fail,
        status_text,
        message: told,
        label: None,
        txn_id: None,
        two_phase: None,
        existing: None,
        numbers: LoadNumbers::default(),
        error_url: None,
        first_error: None,
        code: number(map, "code"),
        of_back_end: false,
    })
}

fn existing(text: &str) -> Option<Existing> {
    let text = text.trim().to_ascii_uppercase();
    match text.strip_prefix("TXN_STATUS_").unwrap_or(&text) {
        "RUNNING" | "PREPARE" | "PREPARED" | "UNKNOWN" => Some(Existing::Running),
        "PRECOMMITTED" => Some(Existing::Precommitted),
        "FINISHED" | "COMMITTED" | "VISIBLE" => Some(Existing::Finished),
        _ => None,
    }
}

/// `.. relate to txn [4005], status [VISIBLE].`
fn existing_in(message: &str) -> Option<Existing> {
    let (_, tail) = message.split_once("status")?;
    let (_, tail) = tail.split_once('[')?;
    existing(tail.split_once(']')?.0)
}

/// Where the load of a label stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelState {
    /// No load is known under the label.
    Unknown,
    /// Under way.
    Prepare,
    /// Complete and invisible, awaiting commit or abort.
    Precommitted,
    /// Committed, visible in a moment.
    Committed,
    /// Visible.
    Visible,
    /// Dropped; the label is free.
    Aborted,
}

impl LabelState {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text.trim().to_ascii_uppercase().as_str() {
            "UNKNOWN" => Self::Unknown,
            "PREPARE" => Self::Prepare,
            "PRECOMMITTED" => Self::Precommitted,
            "COMMITTED" => Self::Committed,
            "VISIBLE" => Self::Visible,
            "ABORTED" => Self::Aborted,
            _ => return None,
        })
    }

    /// Whether the rows are in the table for good.
    pub(crate) fn is_finished(self) -> bool {
        matches!(self, Self::Committed | Self::Visible)
    }

    /// As the server spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Prepare => "PREPARE",
            Self::Precommitted => "PRECOMMITTED",
            Self::Committed => "COMMITTED",
            Self::Visible => "VISIBLE",
            Self::Aborted => "ABORTED",
        }
    }
}

/// A node's answer to a commit or an abort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TxnAnswer {
    /// Done now.
    Done,
    /// The transaction was committed before.
    Finished,
    /// The transaction was aborted before.
    Aborted,
    /// No such transaction, or none that could be committed or aborted.
    NotFound,
    /// Login or privilege.
    Denied,
    /// May succeed later: timeouts, locks, nodes that cannot be reached.
    Passing,
    /// Refused for another reason.
    Refused,
}

/// Reads `{"status":..,"msg":..}` of a commit or an abort: what it means and the server's words; `None` if it is no
/// such answer. `txn_id` is the transaction that was meant, where it was named: words about another one decide
/// nothing.
pub(crate) fn txn_answer(text: &str, txn_id: Option<i64>) -> Option<(TxnAnswer, String)> {
    let Value::Object(map) = serde_json::from_str(text).ok()? else {
        return None;
    };
    let told = match map.get("data") {
        Some(Value::String(data)) if !data.is_empty() => data.clone(),
        _ => string(&map, "msg").or_else(|| string(&map, "Message"))?,
    };
    let status = string(&map, "status").or_else(|| string(&map, "Status"));
    if status.is_some_and(|s| s.eq_ignore_ascii_case("success")) {
        return Some((TxnAnswer::Done, told));
    }
    let lower = told.to_ascii_lowercase();
    let ours = match (named_transaction(&lower), txn_id) {
        (Some(named), Some(meant)) => named == meant,
        _ => true,
    };
    let has = |parts: &[&str]| parts.iter().any(|p| lower.contains(p));
    let answer = if ours && has(&["is already committed", "is already visible"]) {
        TxnAnswer::Finished
    } else if ours && has(&["is already aborted"]) {
        TxnAnswer::Aborted
    } else if ours && has(&["not found"]) {
        TxnAnswer::NotFound
    } else if denied(&lower) || has(&["not_authorized", "no valid basic authorization"]) {
        TxnAnswer::Denied
    } else if has(&[
        "timeout",
        "timed out",
        "time out",
        "try again",
        "thrift_rpc_error",
        "[rpc_error]",
        "network_error",
        "open transport",
        "connection refused",
        "connection reset",
        "broken pipe",
        "backend available",
        "available backend",
        "no backend load available",
        "alive backend",
    ]) || is_for_now(number(&map, "code").unwrap_or(1), &told)
    {
        TxnAnswer::Passing
    } else {
        TxnAnswer::Refused
    };
    Some((answer, told))
}

/// The number in `transaction [4005]`.
fn named_transaction(text: &str) -> Option<i64> {
    let (_, tail) = text.split_once("transaction [")?;
    tail.split_once(']')?.0.trim().parse().ok()
}

fn string(map: &Map<String, Value>, key: &str) -> Option<String> {
    match map.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn number(map: &Map<String, Value>, key: &str) -> Option<i64> {
    match map.get(key)? {
        Value::Number(number) => number
            .as_i64()
            .or_else(|| number.as_f64().map(|float| float as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn flag(map: &Map<String, Value>, key: &str) -> Option<bool> {
    match map.get(key)? {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
