//! Commits, aborts and states: every answer of doris-protocol's table in both letter cases, and how often a node is asked.

use std::time::{Duration, Instant};

use doris_client::write::txn::{AbortOutcome, CommitOutcome, LabelState};
use doris_client::{Error, ErrorKind};

use crate::scripted::{Head, Scripted, Step, answer};
use crate::sink_support::*;
use crate::support::{assert_error, bounded};

fn said(status: &str, text: &str) -> Vec<Step> {
    vec![answer(200, format!(r#"{{"status":"{status}","msg":"{text}"}}"#))]
}

fn refused(text: &str) -> Vec<Step> {
    said(
        "ANALYSIS_ERROR",
        &format!("TStatus: errCode = 2, detailMessage = {text}"),
    )
}

/// Commits transaction 4005 while the back end gives these answers, the last one for ever.
async fn commit(
    answers: Vec<Vec<Step>>,
    retries: &str,
) -> (Result<CommitOutcome, Error>, Scripted, Scripted) {
    let be = Scripted::start(move |n, _| answers[n.min(answers.len() - 1)].clone()).await;
    let fe = front_end(be.address, |_| "ABORTED".to_owned()).await;
    let sink = write(&fe.address.to_string())
        .with("sink.max-retries", retries)
        .sink();
    let outcome = bounded(sink.commit("db", "t", 4005, "l_1")).await;
    assert_eq!(sink.metrics().commit_retries as usize, be.seen("2pc").len() - 1);
    (outcome, be, fe)
}

#[tokio::test]
async fn a_commit_is_asked_for_by_transaction() {
    let (outcome, be, fe) = commit(
        vec![said("Success", "transaction [4005] commit successfully.")],
        "3",
    )
    .await;
    assert_eq!(outcome.unwrap(), CommitOutcome::Committed { retries: 0 });
    for seen in [&be.seen("")[0], &fe.seen("")[0]] {
        let head = &seen.head;
        assert_eq!(head.method, "PUT");
        assert!(
            head.path.starts_with("/api/db/t/_stream_load_2pc"),
            "{}",
            head.path
        );
        for (name, value) in [
            ("txn_id", "4005"),
            ("txn_operation", "commit"),
            ("expect", "100-continue"),
            ("content-length", "0"),
            ("authorization", "Basic cm9vdDo="),
        ] {
            assert_eq!(head.header(name), Some(value), "{name}");
        }
        assert_eq!(head.header("label"), None);
    }
}

/// Success means committed; whether readers see it yet is not asked.
#[tokio::test]
async fn two_pc_8_a_commit_does_not_wait_for_its_publication() {
    let be = Scripted::start(|_, _| said("Success", "transaction [4005] commit successfully.")).await;
    let fe = front_end(be.address, |_| "COMMITTED".to_owned()).await;
    let sink = write(&fe.address.to_string()).sink();
    let outcome = bounded(sink.commit("db", "t", 4005, "l_1")).await;
    assert_eq!(outcome.unwrap(), CommitOutcome::Committed { retries: 0 });
    assert_eq!(be.seen("2pc").len(), 1);
    assert!(fe.seen("get_load_state").is_empty());
    assert_eq!(sink.state("db", "l_1").await.unwrap(), LabelState::Committed);
    assert_eq!(fe.seen("get_load_state").len(), 1);
}

#[tokio::test]
async fn two_pc_7_committed_before_is_done() {
    for text in [
        "transaction [4005] is already visible, not pre-committed.",
        "transaction [4005] is already committed, not pre-committed.",
        "transaction [4005] is already VISIBLE, not pre-committed.",
        "transaction [4005] is already COMMITTED, not pre-committed.",
    ] {
        for status in ["ANALYSIS_ERROR", "INTERNAL_ERROR", "Fail", "Internal error"] {
            let (outcome, _, _) = commit(vec![said(status, text)], "3").await;
            assert_eq!(outcome.unwrap(), CommitOutcome::Already { retries: 0 }, "{text}");
        }
    }
    // Of another transaction it says nothing about this one.
    let (outcome, _, _) = commit(
        vec![refused(
            "transaction [4006] is already visible, not pre-committed.",
        )],
        "0",
    )
    .await;
    assert_error(&outcome.unwrap_err(), ErrorKind::Transaction, &["4006", "4005"]);
}

#[tokio::test]
async fn two_pc_5_what_doris_says_is_gone_is_told_as_such_and_only_as_what_is_proven() {
    for (text, kind, means, not) in [
        (
            "transaction [4005] is already aborted. abort reason: timeout by txn manager",
            ErrorKind::Aborted,
            "its rows are not in the table",
            "nothing is proven",
        ),
        (
            "transaction [4005] is already aborted, abort reason: User Abort",
            ErrorKind::Aborted,
            "its rows are not in the table",
            "nothing is proven",
        ),
        (
            "transaction [4005] not found",
            ErrorKind::Forgotten,
            "nothing is proven",
            "its rows are not in",
        ),
        (
            "transaction [4005] not found.",
            ErrorKind::Forgotten,
            "nothing is proven",
            "its rows are not in",
        ),
    ] {
        let (outcome, be, _) = commit(vec![refused(text)], "3").await;
        let error = outcome.unwrap_err();
        assert_error(
            &error,
            kind,
            &[
                text.trim_end_matches('.'),
                "transaction 4005",
                "'l_1'",
                "db.t",
                &be.address.to_string(),
                "the state of its label is ABORTED",
                means,
            ],
        );
        assert!(!error.to_string().contains(not), "{error}");
        assert!(!error.is_retryable());
        assert_eq!(be.seen("2pc").len(), 1, "asked once");
    }
}

/// A node that is behind may not know a transaction that is there.
#[tokio::test]
async fn a_transaction_that_is_not_found_is_asked_for_again_while_its_label_is_open() {
    for (retries, again) in [("3", true), ("0", false)] {
        let be = Scripted::start(|n, _| match n {
            0 => refused("transaction [4005] not found"),
            _ => said("Success", "transaction [4005] commit successfully."),
        })
        .await;
        let fe = front_end(be.address, |_| "PRECOMMITTED".to_owned()).await;
        let sink = write(&fe.address.to_string())
            .with("sink.max-retries", retries)
            .sink();
        let outcome = bounded(sink.commit("db", "t", 4005, "l_1")).await;
        assert_eq!(outcome.is_ok(), again);
        match outcome {
            Ok(outcome) => assert_eq!(outcome, CommitOutcome::Committed { retries: 1 }),
            Err(error) => {
                assert!(error.is_retryable(), "{error}");
                assert_error(&error, ErrorKind::Transaction, &["not found", "1 requests"]);
            }
        }
    }
}

/// What a proxy or a server that is starting says is no word on the transaction.
#[tokio::test]
async fn answers_that_are_no_refusal_of_doris_leave_the_transaction_where_it_is() {
    for step in [
        answer(500, "no"),
        answer(502, "<html><body>Bad Gateway</body></html>"),
        answer(503, "no server is available"),
        answer(200, "<html><body>welcome</body></html>"),
        answer(200, ""),
        Step::Reset,
    ] {
        let (outcome, be, _) = commit(vec![vec![step]], "1").await;
        let error = outcome.unwrap_err();
        assert_error(
            &error,
            ErrorKind::Transaction,
            &["2 requests", "transaction 4005", &be.address.to_string()],
        );
        assert!(error.is_retryable(), "{error}");
        assert_eq!(be.seen("2pc").len(), 2, "{error}");
    }
}

#[tokio::test]
async fn two_pc_6_a_commit_that_keeps_failing_is_asked_for_exactly_so_often() {
    let (outcome, be, _) = commit(vec![vec![answer(500, "no")]], "1").await;
    let error = outcome.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Transaction,
        &[
            "status 500",
            "2 requests",
            "sink.max-retries = 1",
            "db.t",
            "'l_1'",
            &be.address.to_string(),
        ],
    );
    assert!(error.is_retryable());
    assert_eq!(be.seen("2pc").len(), 2);
}

#[tokio::test]
async fn two_pc_6_each_request_goes_to_a_node_that_lives() {
    let dead = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let be = Scripted::start(|_, _| vec![answer(500, "no")]).await;
    for fenodes in ["127.0.0.1:1", &dead.to_string()] {
        // benodes: the front end is never asked, and the dead one costs no request.
        let sink = write(fenodes)
            .with("benodes", &format!("{dead}, {}", be.address))
            .with("sink.max-retries", "1")
            .sink();
        let before = be.seen("2pc").len();
        bounded(sink.commit("db", "t", 4005, "l_1")).await.unwrap_err();
        assert_eq!(be.seen("2pc").len() - before, 2);
    }
}

#[tokio::test]
async fn two_pc_18_a_lock_timeout_is_asked_again_after_a_pause() {
    let start = Instant::now();
    let busy = refused("get database write lock timeout, database=db");
    let done = said("Success", "transaction [4005] commit successfully.");
    let (outcome, be, _) = commit(vec![busy.clone(), busy, done], "3").await;
    assert_eq!(outcome.unwrap(), CommitOutcome::Committed { retries: 2 });
    assert_eq!(be.seen("2pc").len(), 3);
    assert!(start.elapsed() >= Duration::from_secs(3), "1 s, then 2 s");
}

#[tokio::test]
async fn a_lost_answer_of_a_commit_is_found_again() {
    let (outcome, _, _) = commit(
        vec![
            vec![Step::Reset],
            refused("transaction [4005] is already visible, not pre-committed."),
        ],
        "3",
    )
    .await;
    assert_eq!(outcome.unwrap(), CommitOutcome::Already { retries: 1 });
}

#[tokio::test]
async fn refusals_of_a_commit_that_cannot_pass_fail_at_once() {
    for (text, kind) in [
        (
            "transaction [4005] is prepare, not pre-committed.",
            ErrorKind::Transaction,
        ),
        ("unknown database, database=db", ErrorKind::Transaction),
        ("Access denied for user 'root'", ErrorKind::Auth),
    ] {
        let (outcome, be, _) = commit(vec![refused(text)], "3").await;
        assert_error(&outcome.unwrap_err(), kind, &[text, "4005", "'l_1'", "db.t"]);
        assert_eq!(be.seen("2pc").len(), 1);
    }
}

/// Doris refuses with status 200 and a status of its own; a commit that is asked for again is done once.
#[tokio::test]
async fn what_is_no_answer_of_doris_to_a_commit_is_asked_again() {
    let done = || said("Success", "transaction [4005] commit successfully.");
    for strange in [
        answer(404, "nowhere"),
        answer(200, "<html>welcome</html>"),
        answer(200, ""),
        answer(200, r#"{"code":1,"data":"Node is not ready"}"#),
        answer(200, r#"{"code":500,"msg":"Internal Error","data":null}"#),
    ] {
        let (outcome, be, _) = commit(vec![vec![strange], done()], "1").await;
        assert_eq!(outcome.unwrap(), CommitOutcome::Committed { retries: 1 });
        assert_eq!(be.seen("2pc").len(), 2);
    }
    let (outcome, be, _) = commit(vec![vec![answer(404, "nowhere")]], "0").await;
    let error = outcome.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Transaction,
        &["status 404", "nowhere", "4005", &be.address.to_string()],
    );
    assert!(error.is_retryable());
}

async fn abort(text: Vec<Step>, state: &'static str) -> (Result<AbortOutcome, Error>, Scripted) {
    let be = Scripted::start(move |_, head: &Head| {
        assert_eq!(head.header("label"), Some("l_1"));
        assert_eq!(head.header("txn_operation"), Some("abort"));
        assert!(head.path.starts_with("/api/db/_stream_load_2pc"), "{}", head.path);
        text.clone()
    })
    .await;
    let fe = front_end(be.address, move |_| state.to_owned()).await;
    let sink = write(&fe.address.to_string())
        .with("sink.max-retries", "0")
        .sink();
    (bounded(sink.abort("db", "l_1")).await, be)
}

#[tokio::test]
async fn aborts_by_label_never_take_a_commit_for_an_abort() {
    let not_found = || refused("running transaction not found, label=l_1");
    for (text, state, outcome) in [
        (
            said("Success", "label [l_1] abort successfully."),
            "",
            AbortOutcome::Aborted,
        ),
        (
            refused("transaction [4005] is already aborted, abort reason: User Abort"),
            "",
            AbortOutcome::Aborted,
        ),
        (
            refused("transaction [4005] is already COMMITTED, could not abort."),
            "",
            AbortOutcome::Finished,
        ),
        (
            refused("transaction [4005] is already visible, could not abort."),
            "",
            AbortOutcome::Finished,
        ),
        (not_found(), "VISIBLE", AbortOutcome::Finished),
        (not_found(), "COMMITTED", AbortOutcome::Finished),
        (not_found(), "ABORTED", AbortOutcome::Aborted),
        (not_found(), "UNKNOWN", AbortOutcome::NotFound),
    ] {
        let (done, _) = abort(text, state).await;
        assert_eq!(done.unwrap(), outcome, "{state}");
    }
    // Still there: not done.
    let (done, _) = abort(not_found(), "PRECOMMITTED").await;
    assert_error(
        &done.unwrap_err(),
        ErrorKind::Transaction,
        &["'l_1'", "not found"],
    );
}

#[tokio::test]
async fn states_are_told_as_the_server_tells_them() {
    for (text, state) in [
        ("UNKNOWN", LabelState::Unknown),
        ("PREPARE", LabelState::Prepare),
        ("PRECOMMITTED", LabelState::Precommitted),
        ("COMMITTED", LabelState::Committed),
        ("VISIBLE", LabelState::Visible),
        ("ABORTED", LabelState::Aborted),
    ] {
        let fe = front_end("127.0.0.1:1".parse().unwrap(), |label| {
            assert_eq!(label, "l%3A_1");
            text.to_owned()
        })
        .await;
        let sink = write(&fe.address.to_string()).sink();
        assert_eq!(bounded(sink.state("db", "l:_1")).await.unwrap(), state);
        assert_eq!(state.name(), text);
    }
    let fe = front_end("127.0.0.1:1".parse().unwrap(), |_| "No label selected".to_owned()).await;
    let sink = write(&fe.address.to_string()).sink();
    let error = bounded(sink.state("db", "l")).await.unwrap_err();
    assert_error(&error, ErrorKind::Query, &["No label selected", "'l'", "'db'"]);
}

#[tokio::test]
async fn a_follower_that_sends_on_to_the_master_is_followed_with_the_login() {
    let master = front_end("127.0.0.1:1".parse().unwrap(), |_| "PREPARE".to_owned()).await;
    let target = master.address;
    let follower = Scripted::start(move |_, head| {
        vec![Step::Answer(
            307,
            format!("Location: http://other:s3cret@{target}{}\r\n", head.path),
            String::new(),
        )]
    })
    .await;
    let sink = write(&follower.address.to_string()).sink();
    assert_eq!(bounded(sink.state("db", "l")).await.unwrap(), LabelState::Prepare);
    let head = &master.seen("")[0].head;
    assert_eq!(head.header("authorization"), Some("Basic cm9vdDo="));
    assert_eq!(head.count("authorization"), 1);
}
