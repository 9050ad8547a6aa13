//! Fault rules on loads and transactions, at each of their points.

use std::time::{Duration, Instant};

use doris_standin::{Standin, TxnState};
use serde_json::json;

use crate::load_client::{CSV, PATH, Raw, commit, exchange, load, load_at, precommit, put, state, students};
use crate::support::{cluster, cluster_with, until};

const ROW: &str = "10,a,1,1\n";

fn fault(standin: &Standin, rule: &str) -> u64 {
    standin.add_fault_json(rule).unwrap()
}

/// A request of a load of [`ROW`].
fn request(label: &str, headers: &str) -> String {
    let length = ROW.len();
    put(
        PATH,
        &format!("Content-Length: {length}\r\nlabel: {label}\r\n{CSV}{headers}"),
    ) + ROW
}

async fn answered(port: u16, request: &str) -> Option<crate::load_client::Answer> {
    let mut raw = Raw::connect(port).await;
    raw.send(request).await;
    raw.answer().await
}

fn struck(standin: &Standin, point: &str) -> usize {
    let entries = standin.journal();
    let hits = entries
        .iter()
        .filter(|entry| entry.channel == "fault" && entry.method == point);
    hits.count()
}

#[tokio::test]
async fn a_redirect_breaks_in_every_way() {
    let standin = cluster().await;
    let fe = standin.ports().fe[0].http;
    let ask = put(PATH, "Expect: 100-continue\r\nContent-Length: 0\r\nlabel: l1\r\n");
    let rule = |action: &str| {
        format!(
            r#"{{"at":"fe.redirect","match":{{"label":"l*1","table":"test.student","node":"fe0"}},"do":{action},"times":1}}"#
        )
    };
    for action in [
        r#"{"reset":true}"#,
        r#"{"close":true}"#,
        r#"{"drop_answer":true}"#,
    ] {
        fault(&standin, &rule(action));
        assert!(answered(fe, &ask).await.is_none(), "{action}");
    }
    fault(&standin, &rule(r#"{"status":{"code":503,"message":"busy"}}"#));
    let answer = answered(fe, &ask).await.unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (503, "busy"));
    fault(&standin, &rule(r#"{"answer":{"message":"no"}}"#));
    assert_eq!(
        answered(fe, &ask).await.unwrap().json(),
        json!({"status": "FAILED", "msg": "no"})
    );
    let privilege = "Access denied; you need (at least one of) the LOAD privilege(s) for this operation";
    fault(
        &standin,
        &rule(&format!(r#"{{"answer":{{"code":401,"message":"{privilege}"}}}}"#)),
    );
    let envelope = answered(fe, &ask).await.unwrap().json();
    assert_eq!(
        (&envelope["code"], &envelope["msg"], &envelope["data"]),
        (&json!(401), &json!("Unauthorized"), &json!(privilege))
    );
    assert_eq!(struck(&standin, "fe.redirect"), 6);
    fault(
        &standin,
        r#"{"at":"fe.redirect","match":{"label":"other"},"do":{"reset":true}}"#,
    );
    assert_eq!(answered(fe, &ask).await.unwrap().status, 307);
}

#[tokio::test]
async fn a_load_that_breaks_at_its_headers_has_not_begun() {
    let standin = cluster().await;
    let be = standin.ports().be[0].http;
    fault(
        &standin,
        r#"{"at":"be.load.headers","do":{"reset":true},"times":1}"#,
    );
    assert!(answered(be, &request("l1", "")).await.is_none());
    assert_eq!(state(&standin, "l1").await, "UNKNOWN");
    fault(
        &standin,
        r#"{"at":"be.load.headers","do":{"answer":{"message":"[E-235]too many versions"}},"times":1}"#,
    );
    let reply = answered(be, &request("l1", "")).await.unwrap().json();
    assert_eq!(
        (&reply["Status"], &reply["Message"], &reply["TxnId"]),
        (&json!("Fail"), &json!("[E-235]too many versions"), &json!(-1))
    );
    let reply = answered(be, &request("l1", "")).await.unwrap().json();
    assert_eq!(reply["Status"], "Success");
}

#[tokio::test]
async fn a_dead_client_may_still_begin_a_load() {
    let standin = cluster().await;
    let rule = fault(
        &standin,
        r#"{"at":"be.load.headers","match":{"label":"zombie"},"do":{"hold":true}}"#,
    );
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(request("zombie", "two_phase_commit: true\r\n")).await;
    until("it is held", || standin.faults()[0].holding == 1).await;
    drop(raw);
    assert_eq!(state(&standin, "zombie").await, "UNKNOWN");
    standin.delete_fault(rule);
    let standing = || {
        standin
            .transactions()
            .iter()
            .any(|txn| txn.label == "zombie" && txn.state == TxnState::Precommitted)
    };
    until("its rows are precommitted", standing).await;
}

#[tokio::test]
async fn a_complete_body_becomes_a_transaction_without_its_client() {
    let standin = cluster().await;
    let rule = fault(&standin, r#"{"at":"txn.precommit","do":{"hold":true}}"#);
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(request("zombie", "two_phase_commit: true\r\n")).await;
    until("it is held", || standin.faults()[0].holding == 1).await;
    assert_eq!(state(&standin, "zombie").await, "PREPARE");
    drop(raw);
    standin.delete_fault(rule);
    let standing = || standin.transactions().pop().unwrap().state == TxnState::Precommitted;
    until("its rows are precommitted", standing).await;
}

#[tokio::test]
async fn a_body_breaks_after_exactly_so_many_bytes() {
    let standin = cluster().await;
    let be = standin.ports().be[0].http;
    let body: String = (0..50_000).map(|n| format!("{},a,1,1\n", 1000 + n)).collect();
    let head = format!("Content-Length: {}\r\nlabel: l1\r\n{CSV}", body.len());
    let whole = put(PATH, &head) + &body;
    fault(
        &standin,
        r#"{"at":"be.load.body","do":{"reset":true},"times":1,"after":123457}"#,
    );
    assert!(answered(be, &whole).await.is_none());
    until("it has ended", || standin.stats().loads_open == 0).await;
    assert_eq!(standin.stats().bytes_taken, 123_457);
    assert_eq!(state(&standin, "l1").await, "ABORTED");
    fault(
        &standin,
        r#"{"at":"be.load.body","do":{"answer":{"message":"[MEM_LIMIT_EXCEEDED]no"}},"times":1,"after":7}"#,
    );
    let reply = answered(be, &whole).await.unwrap().json();
    assert_eq!(
        (&reply["Status"], &reply["Message"]),
        (&json!("Fail"), &json!("[MEM_LIMIT_EXCEEDED]no"))
    );
    assert_eq!(state(&standin, "l1").await, "ABORTED");
    // Two rules in one body, the later one added first; both only wait.
    fault(
        &standin,
        r#"{"at":"be.load.body","do":{"delay_ms":1},"after":400000}"#,
    );
    fault(&standin, r#"{"at":"be.load.body","do":{"delay_ms":1},"after":0}"#);
    fault(
        &standin,
        r#"{"at":"be.load.body","do":{"reset":true},"after":100000000}"#,
    );
    let reply = answered(be, &whole).await.unwrap().json();
    assert_eq!(
        (&reply["Status"], &reply["NumberLoadedRows"]),
        (&json!("Success"), &json!(50_000))
    );
    let fired: Vec<u64> = standin.faults().iter().map(|rule| rule.fired).collect();
    assert_eq!(fired, [1, 1, 1, 1, 0]);
}

#[tokio::test]
async fn a_held_body_stalls_its_client_and_goes_on() {
    let standin = cluster().await;
    let rule = fault(
        &standin,
        r#"{"at":"be.load.body","match":{"node":"be1"},"do":{"hold":true},"after":3}"#,
    );
    let other = load(&standin, &format!("label: l0\r\n{CSV}"), ROW).await;
    assert_eq!(other["Status"], "Success", "other nodes are not matched");
    standin.delete_fault(rule);
    let rule = fault(&standin, r#"{"at":"be.load.body","do":{"hold":true},"after":3}"#);
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(request("l1", "")).await;
    until("it is held", || standin.faults()[0].holding == 1).await;
    assert_eq!(
        (
            state(&standin, "l1").await.as_str(),
            standin.stats().loads["test.student"].open
        ),
        ("PREPARE", 1)
    );
    standin.delete_fault(rule);
    assert_eq!(raw.answer().await.unwrap().json()["Status"], "Success");
}

#[tokio::test]
async fn a_slow_server_takes_a_body_at_its_own_speed() {
    let standin = cluster().await;
    standin.discard("test", "student", true);
    fault(
        &standin,
        r#"{"at":"be.load.body","do":{"bytes_per_second":4000000}}"#,
    );
    let body = "x".repeat(1_200_000);
    let begun = Instant::now();
    let reply = load(&standin, "", &body).await;
    assert_eq!(reply["Status"], "Success");
    assert!(
        begun.elapsed() >= Duration::from_millis(290),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn an_answer_is_lost_after_the_work_was_done() {
    let standin = cluster().await;
    let be = standin.ports().be[0].http;
    for (label, action) in [("l1", "drop_answer"), ("l2", "reset"), ("l3", "close")] {
        fault(
            &standin,
            &format!(
                r#"{{"at":"be.load.answer","match":{{"label":"{label}"}},"do":{{"{action}":true}},"times":1}}"#
            ),
        );
        assert!(answered(be, &request(label, "")).await.is_none(), "{action}");
        assert_eq!(state(&standin, label).await, "VISIBLE");
        let again = load(&standin, &format!("label: {label}\r\n{CSV}"), ROW).await;
        assert_eq!(again["ExistingJobStatus"], "FINISHED");
    }
    fault(
        &standin,
        r#"{"at":"be.load.answer","match":{"label":"l4"},"do":{"answer":{"status":"Publish Timeout","message":"[PUBLISH_TIMEOUT]later"}}}"#,
    );
    let reply = answered(be, &request("l4", "")).await.unwrap().json();
    assert_eq!(
        (&reply["Status"], &reply["NumberLoadedRows"]),
        (&json!("Publish Timeout"), &json!(1))
    );
    fault(
        &standin,
        r#"{"at":"be.load.answer","match":{"label":"l5"},"do":{"status":{"code":502,"message":"proxy"}}}"#,
    );
    let answer = answered(be, &request("l5", "")).await.unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (502, "proxy"));
}

#[tokio::test]
async fn a_commit_is_refused_or_its_answer_lost() {
    let standin = cluster().await;
    let be = standin.ports().be[0].http;
    let id = precommit(&standin, "l1", ROW).await;
    let headers = format!("Content-Length: 0\r\ntxn_id: {id}\r\ntxn_operation: commit\r\n");
    let ask = put("/api/test/_stream_load_2pc", &headers);
    // Before anything was done …
    for point in ["2pc.request", "txn.commit"] {
        fault(
            &standin,
            &format!(r#"{{"at":"{point}","match":{{"label":"l1"}},"do":{{"reset":true}},"times":1}}"#),
        );
        assert!(answered(be, &ask).await.is_none(), "{point}");
        fault(
            &standin,
            &format!(
                r#"{{"at":"{point}","match":{{"table":"student"}},"do":{{"answer":{{"message":"refused"}}}},"times":1}}"#
            ),
        );
        let refused = answered(be, &ask).await.unwrap().json();
        assert_eq!(
            refused,
            json!({"status": "ANALYSIS_ERROR", "msg": "refused"}),
            "{point}"
        );
        assert_eq!(state(&standin, "l1").await, "PRECOMMITTED", "{point}");
    }
    // … and after it was.
    fault(
        &standin,
        r#"{"at":"2pc.answer","match":{"statement":"commit"},"do":{"drop_answer":true},"times":1}"#,
    );
    assert!(answered(be, &ask).await.is_none());
    assert_eq!(state(&standin, "l1").await, "VISIBLE");
    let (_, message) = commit(&standin, id).await;
    assert!(
        message.ends_with("is already visible, not pre-committed."),
        "{message}"
    );
    let id = precommit(&standin, "l2", "11,a,1,1\n").await;
    fault(
        &standin,
        r#"{"at":"txn.commit","match":{"label":"l2"},"do":{"drop_answer":true},"times":1}"#,
    );
    let ask = ask.replace(&format!("txn_id: {}", id - 1), &format!("txn_id: {id}"));
    assert!(answered(be, &ask).await.is_none());
    assert_eq!(
        (state(&standin, "l2").await.as_str(), students(&standin)),
        ("VISIBLE", 6)
    );
}

#[tokio::test]
async fn a_commit_goes_on_when_its_client_does_not_wait() {
    let standin = cluster().await;
    let id = precommit(&standin, "l1", ROW).await;
    let rule = fault(&standin, r#"{"at":"txn.commit","do":{"hold":true}}"#);
    let headers = format!("Content-Length: 0\r\ntxn_id: {id}\r\ntxn_operation: commit\r\n");
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(put("/api/test/_stream_load_2pc", &headers)).await;
    until("it is held", || standin.faults()[0].holding == 1).await;
    drop(raw);
    standin.delete_fault(rule);
    until("it is visible", || students(&standin) == 5).await;
}

#[tokio::test]
async fn a_load_that_cannot_commit_is_aborted() {
    let standin = cluster().await;
    let be = standin.ports().be[0].http;
    fault(
        &standin,
        r#"{"at":"txn.commit","match":{"label":"l1"},"do":{"answer":{"message":"[INTERNAL_ERROR]no quorum"}},"times":1}"#,
    );
    let reply = answered(be, &request("l1", "")).await.unwrap().json();
    assert_eq!(
        (&reply["Status"], &reply["Message"], &reply["NumberLoadedRows"]),
        (&json!("Fail"), &json!("[INTERNAL_ERROR]no quorum"), &json!(0))
    );
    let txn = standin.transactions().pop().unwrap();
    assert_eq!(
        (txn.state, txn.reason.as_str()),
        (TxnState::Aborted, "[INTERNAL_ERROR]no quorum")
    );
    let error = standin
        .execute("INSERT INTO test.student WITH LABEL l1 VALUES (12, 'a', 1, 1)")
        .await;
    assert!(error.is_ok(), "the rule is used up");
}

#[tokio::test]
async fn loads_on_a_back_end_that_stops_are_lost() {
    let standin = cluster_with(|config| config.backends = 2).await;
    let be = standin.ports().be[0].http;
    // One whose body is under way, and one whose body is complete.
    let mut open = Raw::connect(be).await;
    open.send(put(PATH, &format!("Content-Length: 100\r\nlabel: open\r\n{CSV}")))
        .await;
    let rule = fault(
        &standin,
        r#"{"at":"txn.precommit","match":{"label":"whole"},"do":{"hold":true}}"#,
    );
    let mut whole = Raw::connect(be).await;
    whole.send(request("whole", "two_phase_commit: true\r\n")).await;
    until("both have come that far", || {
        standin.stats().loads_open == 2 && standin.faults()[0].holding == 1
    })
    .await;
    standin.stop_backend(0).await.unwrap();
    standin.delete_fault(rule);
    assert!(open.ended().await && whole.ended().await);
    until("both are aborted", || {
        let states = standin.transactions();
        states.iter().filter(|txn| txn.state == TxnState::Aborted).count() == 2
    })
    .await;
    let reply = load_at(&standin, 1, "test/student", &format!("label: open\r\n{CSV}"), ROW).await;
    assert_eq!(reply["Status"], "Success");
    assert_eq!(standin.stats().loads_open_max, 2);
}

#[tokio::test]
async fn a_cluster_that_stops_does_not_wait_for_what_is_held() {
    let standin = cluster().await;
    fault(&standin, r#"{"at":"be.load.body","do":{"hold":true}}"#);
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(request("l1", "")).await;
    until("it is held", || standin.faults()[0].holding == 1).await;
    let stopped = tokio::time::timeout(Duration::from_secs(2), standin.stop());
    assert!(stopped.await.is_ok());
    assert!(raw.ended().await);
}

#[tokio::test]
async fn a_rule_of_any_rest_call_strikes_loads_too() {
    let standin = cluster().await;
    fault(
        &standin,
        r#"{"at":"fe.api","match":{"statement":"_stream_load"},"do":{"answer":{"code":500,"message":"no"}},"times":1}"#,
    );
    let ask = put(PATH, "Expect: 100-continue\r\nContent-Length: 0\r\n");
    let envelope = exchange(standin.ports().fe[0].http, ask).await.json();
    assert_eq!(
        (&envelope["code"], &envelope["data"]),
        (&json!(500), &json!("no"))
    );
}
