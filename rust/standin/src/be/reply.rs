//! The answer of a load, with its members in Doris' order.

use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Serializer, Value, json};

/// What a load reports.
#[derive(Clone, Debug, Default)]
pub(super) struct Reply {
    /// Absent: none was begun.
    pub(super) txn_id: Option<i64>,
    pub(super) label: String,
    pub(super) comment: String,
    pub(super) two_phase: bool,
    pub(super) group_commit: bool,
    pub(super) status: String,
    /// State of the load that has the label already.
    pub(super) existing: Option<&'static str>,
    pub(super) message: String,
    /// Rows were not looked at, so there are no numbers of them to report.
    pub(super) uncounted: bool,
    pub(super) total: u64,
    pub(super) loaded: u64,
    pub(super) filtered: u64,
    pub(super) unselected: u64,
    pub(super) bytes: u64,
    pub(super) times: Times,
    pub(super) error_url: Option<String>,
    pub(super) first_error: Option<String>,
}

/// How long the steps of a load took, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) load: u64,
    pub(super) begin: u64,
    pub(super) put: u64,
    pub(super) read: u64,
    pub(super) write: u64,
    pub(super) receive: u64,
    pub(super) commit: u64,
}

impl Reply {
    /// A load that failed.
    pub(super) fn fail(&mut self, message: impl Into<String>) {
        "Fail".clone_into(&mut self.status);
        self.message = message.into();
        self.loaded = 0;
    }

    /// True when its rows are in the table, or in a transaction that waits for its commit.
    pub(super) fn succeeded(&self) -> bool {
        matches!(self.status.as_str(), "Success" | "Publish Timeout")
    }

    /// The text that goes out.
    pub(super) fn text(&self) -> String {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| {
            members.insert(name.to_owned(), value);
        };
        put("TxnId", json!(self.txn_id.unwrap_or(-1)));
        put("Label", json!(self.label));
        put("Comment", json!(self.comment));
        if self.group_commit {
            put("GroupCommit", json!(true));
        } else {
            put("TwoPhaseCommit", json!(self.two_phase.to_string()));
        }
        put("Status", json!(self.status));
        if let Some(existing) = self.existing {
            put("ExistingJobStatus", json!(existing));
        }
        put("Message", json!(self.message));
        if !self.uncounted {
            put("NumberTotalRows", json!(self.total));
            put("NumberLoadedRows", json!(self.loaded));
            put("NumberFilteredRows", json!(self.filtered));
            put("NumberUnselectedRows", json!(self.unselected));
        }
        put("LoadBytes", json!(self.bytes));
        put("LoadTimeMs", json!(self.times.load));
        if !self.group_commit {
            put("BeginTxnTimeMs", json!(self.times.begin));
        }
        put("StreamLoadPutTimeMs", json!(self.times.put));
        put("ReadDataTimeMs", json!(self.times.read));
        put("WriteDataTimeMs", json!(self.times.write));
        put("ReceiveDataTimeMs", json!(self.times.receive));
        if !self.group_commit {
            put("CommitAndPublishTimeMs", json!(self.times.commit));
        }
        if let Some(url) = &self.error_url {
            put("ErrorURL", json!(url));
        }
        if let Some(line) = &self.first_error {
            put("FirstErrorMsg", json!(line));
        }
        pretty(&Value::Object(members))
    }
}

/// JSON as back ends print it: four blanks per level and a newline at the end.
pub(super) fn pretty(value: &Value) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"    "));
    // A JSON value into memory: nothing in it can fail.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    text.push(b'\n');
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_the_recorded_order() {
        let reply = Reply {
            txn_id: Some(4005),
            label: "doris_label_test_student_0_1".to_owned(),
            status: "Success".to_owned(),
            message: "OK".to_owned(),
            total: 2,
            loaded: 2,
            bytes: 34,
            times: Times {
                load: 28,
                begin: 1,
                put: 4,
                read: 0,
                write: 18,
                receive: 0,
                commit: 5,
            },
            ..Reply::default()
        };
        let recorded = r#"{
    "TxnId": 4005,
    "Label": "doris_label_test_student_0_1",
    "Comment": "",
    "TwoPhaseCommit": "false",
    "Status": "Success",
    "Message": "OK",
    "NumberTotalRows": 2,
    "NumberLoadedRows": 2,
    "NumberFilteredRows": 0,
    "NumberUnselectedRows": 0,
    "LoadBytes": 34,
    "LoadTimeMs": 28,
    "BeginTxnTimeMs": 1,
    "StreamLoadPutTimeMs": 4,
    "ReadDataTimeMs": 0,
    "WriteDataTimeMs": 18,
    "ReceiveDataTimeMs": 0,
    "CommitAndPublishTimeMs": 5
}
"#;
        assert_eq!(reply.text(), recorded);
    }

    #[test]
    fn group_commit_has_other_members() {
        let reply = Reply {
            group_commit: true,
            ..Reply::default()
        };
        let text = reply.text();
        assert!(text.contains("\"GroupCommit\": true"), "{text}");
        for absent in ["TwoPhaseCommit", "BeginTxnTimeMs", "CommitAndPublishTimeMs"] {
            assert!(!text.contains(absent), "{text}");
        }
    }
}
