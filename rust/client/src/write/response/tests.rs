//! Recorded answers of several versions, and what they mean.

use super::*;

/// As Doris writes it.
const SUCCESS: &str = r#"{
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

#[test]
fn a_success_with_all_its_numbers() {
    let answer = LoadAnswer::parse(SUCCESS).unwrap();
    assert_eq!(answer.status, LoadStatus::Success);
    assert_eq!(answer.label.as_deref(), Some("doris_label_test_student_0_1"));
    assert_eq!((answer.txn_id, answer.two_phase), (Some(4005), Some(false)));
    assert_eq!(
        answer.numbers,
        LoadNumbers {
            total_rows: Some(2),
            loaded_rows: Some(2),
            filtered_rows: Some(0),
            unselected_rows: Some(0),
            load_bytes: Some(34),
            load_time_ms: Some(28),
            begin_txn_time_ms: Some(1),
            put_time_ms: Some(4),
            read_time_ms: Some(0),
            write_time_ms: Some(18),
            commit_publish_time_ms: Some(5),
        }
    );
}

#[test]
fn net_9_unknown_missing_and_doubled_keys_and_numbers_as_texts() {
    let answer = LoadAnswer::parse(
        r#"{"TxnId":"4006","Label":"l","Db":"test","User":"root","Status":"Success","Status":"Success","NumberTotalRows":"3","LoadBytes":7.0,"NewField":{"a":[1]},"TwoPhaseCommit":"true","cluster":null}"#,
    )
    .unwrap();
    assert_eq!((answer.txn_id, answer.two_phase), (Some(4006), Some(true)));
    assert_eq!(
        (answer.numbers.total_rows, answer.numbers.load_bytes),
        (Some(3), Some(7))
    );
    assert_eq!(answer.numbers.loaded_rows, None);
    assert_eq!(answer.message, "");
    for text in ["", "OK", "[]", "{", "{}", r#"{"a":1}"#, "<html>login</html>"] {
        assert!(LoadAnswer::parse(text).is_none(), "{text}");
    }
}

#[test]
fn group_commit_answers_otherwise() {
    let answer = LoadAnswer::parse(
        r#"{"TxnId": 4020, "Label": "group_commit_1a2b3c4d5e6f7081_92a3b4c5d6e7f809", "Comment": "", "GroupCommit": true, "Status": "Success", "Message": "OK", "NumberTotalRows": 2, "NumberLoadedRows": 2, "NumberFilteredRows": 0, "NumberUnselectedRows": 0, "LoadBytes": 19, "LoadTimeMs": 35, "StreamLoadPutTimeMs": 5, "ReadDataTimeMs": 0, "WriteDataTimeMs": 26, "ReceiveDataTimeMs": 0}"#,
    )
    .unwrap();
    assert_eq!(answer.two_phase, None);
    assert_eq!(answer.numbers.begin_txn_time_ms, None);
    assert_eq!(answer.numbers.commit_publish_time_ms, None);
}

#[test]
fn two_pc_9_publish_timeout_is_no_failure() {
    let answer = LoadAnswer::parse(
        r#"{"TxnId":9,"Status":"Publish Timeout","Message":"transaction commit successfully, BUT data will be visible later","NumberLoadedRows":3}"#,
    )
    .unwrap();
    assert_eq!(answer.status, LoadStatus::PublishTimeout);
}

#[test]
fn labels_in_use_by_what() {
    let used = |status: &str, message: &str| {
        let answer = LoadAnswer::parse(&format!(
            r#"{{"TxnId": -1, "Label": "l", "TwoPhaseCommit": "false", "Status": "Label Already Exists"{status}, "Message": "{message}"}}"#
        ))
        .unwrap();
        assert_eq!((answer.status, answer.txn_id), (LoadStatus::LabelExists, None));
        answer.existing
    };
    let long = "[LABEL_ALREADY_EXISTS]TStatus: errCode = 2, detailMessage = Label [l] has already been used, relate to txn [4005], status [VISIBLE].";
    assert_eq!(
        used(r#", "ExistingJobStatus": "FINISHED""#, long),
        Some(Existing::Finished)
    );
    assert_eq!(
        used(r#", "ExistingJobStatus": "RUNNING""#, ""),
        Some(Existing::Running)
    );
    assert_eq!(
        used(r#", "ExistingJobStatus": "PRECOMMITTED""#, ""),
        Some(Existing::Precommitted)
    );
    // Where the key is missing the text may decide.
    assert_eq!(used("", long), Some(Existing::Finished));
    assert_eq!(
        used(
            "",
            "Label [l] has already been used, relate to txn [4005], status=[TXN_STATUS_PRECOMMITTED]"
        ),
        Some(Existing::Precommitted)
    );
    assert_eq!(
        used(
            "",
            "Label [l] has already been used, relate to txn [4005], status [PREPARE]."
        ),
        Some(Existing::Running)
    );
    assert_eq!(
        used("", "Label [l] has already been used, relate to txn [4005]"),
        None
    );
}

#[test]
fn why_a_load_was_refused() {
    use Refusal as R;
    for (message, refusal, passes, definite) in [
        ("[DATA_QUALITY_ERROR]too many filtered rows", R::Data, false, true),
        (
            "[E-235]failed to init rowset builder. version count: 2001, exceed limit: 2000, tablet: 10011",
            R::TooManyVersions,
            true,
            true,
        ),
        (
            "[ANALYSIS_ERROR]errCode = 2, detailMessage = current running txns on db 805314 is 1000, larger than limit 1000",
            R::TooManyTransactions,
            true,
            true,
        ),
        ("No backend load available, policy: x", R::NoBackend, true, true),
        (
            "[INTERNAL_ERROR]TStatus: errCode = 2, detailMessage = get database write lock timeout",
            R::Timeout,
            true,
            false,
        ),
        (
            "[THRIFT_RPC_ERROR]failed to call frontend service",
            R::Network,
            true,
            false,
        ),
        (
            "[INTERNAL_ERROR]compress data of JSON format is not supported.",
            R::JsonCompression,
            false,
            true,
        ),
        (
            "[NOT_AUTHORIZED]no valid Basic authorization",
            R::Denied,
            false,
            true,
        ),
        (
            "[ANALYSIS_ERROR]errCode = 2, detailMessage = Access denied for user",
            R::Denied,
            false,
            true,
        ),
        (
            "[ANALYSIS_ERROR]errCode = 2, detailMessage = unknown table, table=t",
            R::NotFound,
            false,
            true,
        ),
        (
            "[ANALYSIS_ERROR]errCode = 2, detailMessage = Unknown column 'x'",
            R::Other,
            false,
            true,
        ),
        (
            "stream load 2pc is unsupported for mow table",
            R::Other,
            false,
            true,
        ),
    ] {
        let text = format!(r#"{{"TxnId": -1, "Status": "Fail", "Message": "{message}"}}"#);
        let found = LoadAnswer::parse(&text).unwrap().refusal();
        assert_eq!(found, refusal, "{message}");
        assert_eq!(
            (found.may_pass(), found.is_definite()),
            (passes, definite),
            "{message}"
        );
    }
}

#[test]
fn front_ends_refuse_in_two_shapes() {
    let failed = LoadAnswer::parse(r#"{"status":"FAILED","msg":"There is no 100-continue header"}"#).unwrap();
    assert_eq!(
        (failed.status, failed.message.as_str()),
        (LoadStatus::Fail, "There is no 100-continue header")
    );
    let envelope = LoadAnswer::parse(
        r#"{"msg":"Unauthorized","code":401,"data":"Access denied for user@127.0.0.1","count":0}"#,
    )
    .unwrap();
    assert_eq!(envelope.refusal(), Refusal::Denied);
}

#[test]
fn answers_to_commits_and_aborts() {
    use TxnAnswer as T;
    for (status, msg, answer) in [
        ("Success", "transaction [4005] commit successfully.", T::Done),
        (
            "SUCCESS",
            "label [l] transaction [4005] abort successfully.",
            T::Done,
        ),
        (
            "ANALYSIS_ERROR",
            "TStatus: errCode = 2, detailMessage = transaction [4005] is already visible, not pre-committed.",
            T::Finished,
        ),
        (
            "Fail",
            "transaction [4005] is already COMMITTED, not pre-committed.",
            T::Finished,
        ),
        (
            "INTERNAL_ERROR",
            "transaction [4005] is already VISIBLE, could not abort.",
            T::Finished,
        ),
        (
            "ANALYSIS_ERROR",
            "transaction [4005] is already aborted. abort reason: timeout by txn manager",
            T::Aborted,
        ),
        (
            "ANALYSIS_ERROR",
            "transaction [4005] is already ABORTED, abort reason: User Abort",
            T::Aborted,
        ),
        ("ANALYSIS_ERROR", "transaction [4005] not found.", T::NotFound),
        (
            "ANALYSIS_ERROR",
            "running transaction not found, label=l",
            T::NotFound,
        ),
        (
            "ANALYSIS_ERROR",
            "transaction [4005] is prepare, not pre-committed.",
            T::Refused,
        ),
        (
            "ANALYSIS_ERROR",
            "get database write lock timeout, database=db",
            T::Passing,
        ),
        ("Internal error", "unknown database, database=x", T::Refused),
        ("FAILED", "No transaction id or label selected.", T::Refused),
        // Another transaction than the one that was meant.
        (
            "ANALYSIS_ERROR",
            "transaction [77] is already visible, not pre-committed.",
            T::Refused,
        ),
        ("ANALYSIS_ERROR", "transaction [77] not found", T::Refused),
    ] {
        let text = format!(r#"{{"status":"{status}","msg":"{msg}"}}"#);
        let (found, told) = txn_answer(&text, Some(4005)).unwrap();
        assert_eq!((found, told.as_str()), (answer, msg));
    }
    let (found, _) = txn_answer(
        r#"{"msg":"Unauthorized","code":401,"data":"Access denied for user@x","count":0}"#,
        None,
    )
    .unwrap();
    assert_eq!(found, T::Denied);
    assert_eq!(txn_answer("<html>", None), None);
}
