//! Which label a load is sent under after each way in which an attempt can end, against a scripted server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use doris_client::ErrorKind;
use doris_client::write::load::Input;

use crate::load_scripted::{label, unknown};
use crate::scripted::{Scripted, Step, answer, exists, fail, success};
use crate::sink_support::*;
use crate::support::{assert_error, bounded};

#[tokio::test]
async fn label_in_use_takes_the_next_number_and_never_aborts() {
    for status in ["RUNNING", "PRECOMMITTED"] {
        let be = Scripted::start(move |n, head| match n {
            0 | 1 => vec![exists(status)],
            _ => vec![Step::Continue, Step::ReadAll, success(&label(head), 7, 1)],
        })
        .await;
        let fe = front_end(be.address, unknown).await;
        let sink = write(&fe.address.to_string())
            .with("sink.max-retries", "0")
            .sink();
        let outcome = load_rows(&sink, b"1", 1).await.unwrap();
        assert_eq!(outcome.label.as_deref(), Some("l_2"));
        assert_eq!(outcome.skipped, ["l_0", "l_1"]);
        assert!(be.seen("2pc").is_empty());
        assert!(fe.seen("get_load_state").is_empty());
    }
}

#[tokio::test]
async fn two_pc_1_a_finished_label_fails_with_both_remedies() {
    let be = Scripted::start(|_, _| vec![exists("FINISHED")]).await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string()).sink();
    let error = load_rows(&sink, b"1", 1).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Label,
        &[
            "'l_0'",
            "db.t",
            "FINISHED",
            "newest checkpoint or savepoint",
            "sink.label-prefix",
        ],
    );
    assert!(!error.is_retryable());
    assert_eq!(be.seen("_stream_load").len(), 1);
}

#[tokio::test]
async fn lost_answers_under_two_phase_commit() {
    // state of l_0 after the loss, the label that is then used
    for (state, then) in [
        ("UNKNOWN", Some("l_0")),
        ("PREPARE", Some("l_1")),
        ("PRECOMMITTED", Some("l_1")),
        ("ABORTED", Some("l_1")),
        ("VISIBLE", None),
        ("COMMITTED", None),
    ] {
        let be = Scripted::start(|n, head| {
            let mut steps = vec![Step::Continue, Step::ReadAll];
            steps.push(if n == 0 {
                Step::Reset
            } else {
                success(&label(head), 9, 1)
            });
            steps
        })
        .await;
        let fe = front_end(be.address, move |_| state.to_owned()).await;
        let sink = write(&fe.address.to_string()).sink();
        let ended = load_rows(&sink, b"1", 1).await;
        match then {
            Some(label) => {
                let outcome = ended.unwrap();
                assert_eq!(outcome.label.as_deref(), Some(label), "{state}");
                assert_eq!(outcome.skipped.len(), usize::from(label != "l_0"));
            }
            None => assert_error(&ended.unwrap_err(), ErrorKind::Label, &["'l_0'", state]),
        }
        assert_eq!(sink.metrics().attempts_failed, 1);
    }
}

#[tokio::test]
async fn lost_answers_without_two_phase_commit() {
    for (states, loads, aborts, status) in [
        (vec!["VISIBLE"], 1, 0, "VISIBLE"),
        (vec!["COMMITTED"], 1, 0, "COMMITTED"),
        (vec!["UNKNOWN"], 2, 0, "Success"),
        (vec!["ABORTED"], 2, 0, "Success"),
        (vec!["PREPARE", "ABORTED"], 2, 1, "Success"),
        // The commit was quicker than the abort.
        (vec!["PREPARE", "VISIBLE", "VISIBLE"], 1, 1, "VISIBLE"),
    ] {
        let asked = Arc::new(AtomicUsize::new(0));
        let aborted = states[0] == "PREPARE" && states[1] == "ABORTED";
        let be = Scripted::start(move |n, head| {
            if head.path.contains("2pc") {
                let text = if aborted {
                    r#"{"status":"Success","msg":"label [l_0] abort successfully."}"#
                } else {
                    r#"{"status":"ANALYSIS_ERROR","msg":"TStatus: errCode = 2, detailMessage = running transaction not found, label=l_0"}"#
                };
                return vec![answer(200, text)];
            }
            let mut steps = vec![Step::Continue, Step::ReadAll];
            steps.push(if n == 0 { Step::Reset } else { success(&label(head), 9, 1) });
            steps
        })
        .await;
        let fe = front_end(be.address, {
            let (asked, states) = (asked.clone(), states.clone());
            move |_| states[asked.fetch_add(1, SeqCst).min(states.len() - 1)].to_owned()
        })
        .await;
        let sink = write(&fe.address.to_string())
            .with("write.two-phase", "false")
            .sink();
        let outcome = load_rows(&sink, b"1", 1).await.unwrap();
        assert_eq!(outcome.label.as_deref(), Some("l_0"), "{states:?}");
        assert_eq!(outcome.status.as_deref(), Some(status), "{states:?}");
        assert_eq!(
            be.seen("_stream_load").len() - be.seen("2pc").len(),
            loads,
            "{states:?}"
        );
        assert_eq!(be.seen("2pc").len(), aborts, "{states:?}");
    }
}

#[tokio::test]
async fn refusals_that_pass_are_sent_again_and_others_are_not() {
    for (message, again) in [
        (
            "[E-235]failed to init rowset builder. version count: 2001, exceed limit: 2000",
            true,
        ),
        (
            "[ANALYSIS_ERROR]errCode = 2, detailMessage = current running txns on db 805314 is 1000, larger than limit 1000",
            true,
        ),
        (
            "[INTERNAL_ERROR]TStatus: errCode = 2, detailMessage = get database write lock timeout",
            true,
        ),
        ("[DATA_QUALITY_ERROR]too many filtered rows", false),
        (
            "[ANALYSIS_ERROR]errCode = 2, detailMessage = unknown column 'x'",
            false,
        ),
        ("[NOT_AUTHORIZED]no valid Basic authorization", false),
    ] {
        for two_phase in ["true", "false"] {
            let be = Scripted::start(move |n, head| match n {
                0 => vec![fail(message)],
                _ => vec![Step::Continue, Step::ReadAll, success(&label(head), 3, 1)],
            })
            .await;
            let fe = front_end(be.address, unknown).await;
            let sink = write(&fe.address.to_string())
                .with("write.two-phase", two_phase)
                .sink();
            match load_rows(&sink, b"1", 1).await {
                Ok(outcome) => {
                    assert!(again, "{message}");
                    // Nothing is left under the label: with two-phase commit it may be used again.
                    let next = two_phase == "false" && !message.contains("timeout");
                    assert_eq!(
                        outcome.label.as_deref(),
                        Some(if next { "l_1" } else { "l_0" }),
                        "{message}"
                    );
                    assert!(outcome.skipped.is_empty());
                }
                Err(error) => {
                    assert!(!again, "{error}");
                    assert!(!error.is_retryable());
                    assert!(error.to_string().contains(message), "{error}");
                }
            }
        }
    }
}

#[tokio::test]
async fn retries_come_to_their_end_with_the_last_cause() {
    let be = Scripted::start(|_, _| vec![fail("current running txns on db 1 is 100, larger than limit 100")])
        .await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string())
        .with("sink.max-retries", "1")
        .sink();
    let error = load_rows(&sink, b"1", 1).await.unwrap_err();
    // 2PC-17
    assert_error(
        &error,
        ErrorKind::Load,
        &["larger than limit 100", "2 times", "sink.max-retries = 1"],
    );
    assert!(error.is_retryable());
    assert_eq!(be.seen("_stream_load").len(), 2);
    assert_eq!(sink.metrics().attempts_failed, 2);
}

#[tokio::test]
async fn group_commit_has_no_label_and_is_sent_again_only_when_nothing_was_taken() {
    let shared = |steps: Vec<Vec<Step>>| async move {
        let be = Scripted::start(move |n, _| steps[n.min(steps.len() - 1)].clone()).await;
        let fe = front_end(be.address, unknown).await;
        let sink = write(&fe.address.to_string())
            .with("write.two-phase", "false")
            .with("write.group-commit", "true")
            .properties(&[("format", "csv"), ("group_commit", "sync_mode")])
            .sink();
        let ended = load_rows(&sink, b"1", 1).await;
        for seen in be.seen("_stream_load").iter().chain(&fe.seen("_stream_load")) {
            assert_eq!(seen.head.count("label"), 0);
            assert_eq!(seen.head.header("group_commit"), Some("sync_mode"));
        }
        assert!(fe.seen("get_load_state").is_empty());
        (ended, be.seen("_stream_load").len())
    };
    let taken = || {
        vec![
            Step::Continue,
            Step::ReadAll,
            answer(
                200,
                r#"{"TxnId": 4020, "Label": "group_commit_1a2b", "Comment": "", "GroupCommit": true, "Status": "Success", "Message": "OK", "NumberTotalRows": 1, "NumberLoadedRows": 1}"#,
            ),
        ]
    };
    let (ended, loads) = shared(vec![vec![fail("[E-235]too many versions")], taken()]).await;
    let outcome = ended.unwrap();
    assert_eq!(
        (outcome.label.as_deref(), outcome.next, loads),
        (Some("group_commit_1a2b"), 0, 2)
    );
    // The connection ends before a row could be taken.
    let (ended, loads) = shared(vec![vec![Step::Reset], taken()]).await;
    assert_eq!((ended.unwrap().retries, loads), (1, 2));
    // The answer is lost: the rows may be there.
    let (ended, loads) = shared(vec![vec![Step::Continue, Step::ReadAll, Step::Reset], taken()]).await;
    assert_error(
        &ended.unwrap_err(),
        ErrorKind::Transport,
        &["group commit", "no label"],
    );
    assert_eq!(loads, 1);
}

#[tokio::test]
async fn a_success_that_is_not_ours_is_none() {
    let ok = |text: &str| answer(200, text.to_owned());
    for (step, part) in [
        (success("other", 5, 1), "for label 'other'"),
        (
            ok(r#"{"Status": "Success", "Label": "l_0", "TxnId": -1}"#),
            "without label or transaction",
        ),
        (
            ok(r#"{"Status": "Success", "TxnId": 7}"#),
            "without label or transaction",
        ),
        (
            ok(r#"{"Status": "Success", "Label": "l_0", "TxnId": 7, "TwoPhaseCommit": "false"}"#),
            "without two-phase commit",
        ),
    ] {
        let be = Scripted::start(move |_, _| vec![Step::Continue, Step::ReadAll, step.clone()]).await;
        let fe = front_end(be.address, unknown).await;
        let sink = write(&fe.address.to_string()).sink();
        assert_error(
            &load_rows(&sink, b"1", 1).await.unwrap_err(),
            ErrorKind::Load,
            &[part, "'l_0'", "db.t"],
        );
    }
    // Before the last row it cannot be one.
    let be =
        Scripted::start(|_, head| vec![Step::Continue, Step::Read(1), success(&label(head), 5, 1)]).await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string()).sink();
    let load = sink.open_load(raw()).unwrap();
    put(&load, b"1\n", 1).await.unwrap();
    let error = bounded(load.outcome()).await.unwrap_err();
    assert_error(&error, ErrorKind::Load, &["before it had all rows"]);
    // Rows that the server read as fewer or more.
    let be =
        Scripted::start(|_, head| vec![Step::Continue, Step::ReadAll, success(&label(head), 5, 3)]).await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string()).sink();
    let input = Input::Rows {
        declared: fields("`id` INT, `name` STRING"),
        delete_sign: false,
    };
    let load = sink.open_load(spec(input)).unwrap();
    put_rows(&load, &[(1, None), (2, Some("x"))], None).await.unwrap();
    assert_error(
        &end(&load).await.unwrap_err(),
        ErrorKind::Load,
        &["read 3 rows of 2"],
    );
}
