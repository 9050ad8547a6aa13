//! Two-phase commit: the recorded texts of every case, at front and back ends, and what time does to a transaction.

use doris_standin::{Standin, TxnState};
use serde_json::json;

use crate::load_client::{
    CSV, ROOT, Raw, abort, basic, commit, decide, exchange, load, precommit, put, state, students,
};
use crate::support::{cluster, cluster_with, http, until};

const PREFIX: &str = "TStatus: errCode = 2, detailMessage = ";

fn analysis(text: &str) -> (String, String) {
    ("ANALYSIS_ERROR".to_owned(), format!("{PREFIX}{text}"))
}

fn success(text: &str) -> (String, String) {
    ("Success".to_owned(), text.to_owned())
}

async fn with(set: &str) -> Standin {
    cluster_with(|config| config.set.push(set.to_owned())).await
}

#[tokio::test]
async fn rows_are_seen_after_the_commit_and_not_before() {
    let standin = cluster().await;
    let id = precommit(&standin, "l1", "10,a,1,1\n11,b,2,2\n").await;
    assert_eq!(
        (students(&standin), state(&standin, "l1").await.as_str()),
        (4, "PRECOMMITTED")
    );
    let txn = standin.transactions().pop().unwrap();
    assert_eq!(
        (txn.rows, txn.two_phase, txn.db.as_str(), txn.table.as_str()),
        (2, true, "test", "student")
    );
    assert_eq!(
        commit(&standin, id).await,
        success(&format!("transaction [{id}] commit successfully."))
    );
    assert_eq!(
        (students(&standin), state(&standin, "l1").await.as_str()),
        (6, "VISIBLE")
    );
    let again = format!("transaction [{id}] is already visible, not pre-committed.");
    assert_eq!(commit(&standin, id).await, analysis(&again));
    let late = format!("transaction [{id}] is already VISIBLE, could not abort.");
    assert_eq!(abort(&standin, id).await, analysis(&late));
    assert_eq!(students(&standin), 6);
}

#[tokio::test]
async fn an_aborted_transaction_leaves_nothing_and_says_so() {
    let standin = cluster().await;
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    assert_eq!(
        abort(&standin, id).await,
        success(&format!("transaction [{id}] abort successfully."))
    );
    assert_eq!(
        (students(&standin), state(&standin, "l1").await.as_str()),
        (4, "ABORTED")
    );
    let again = format!("transaction [{id}] is already aborted, abort reason: User Abort");
    assert_eq!(abort(&standin, id).await, analysis(&again));
    let late = format!("transaction [{id}] is already aborted. abort reason: User Abort");
    assert_eq!(commit(&standin, id).await, analysis(&late));
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    assert_eq!(commit(&standin, id).await.0, "Success");
}

#[tokio::test]
async fn a_label_names_a_transaction_too() {
    let standin = cluster().await;
    let none = analysis("transaction not found, label=l1");
    for operation in ["commit", "abort"] {
        let headers = format!("label: l1\r\ntxn_operation: {operation}\r\n");
        assert_eq!(decide(&standin, &headers).await, none);
    }
    precommit(&standin, "l1", "10,a,1,1\n").await;
    let by_label = "label: l1\r\ntxn_operation: abort\r\n";
    assert_eq!(
        decide(&standin, by_label).await,
        success("label [l1] abort successfully.")
    );
    // A label that is known, of a transaction that can be decided no more.
    let none = analysis("running transaction not found, label=l1");
    assert_eq!(decide(&standin, by_label).await, none);
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    let both = format!("label: l1\r\ntxn_id: {id}\r\ntxn_operation: commit\r\n");
    let text = format!("label [l1] transaction [{id}] commit successfully.");
    assert_eq!(decide(&standin, &both).await, success(&text));
    // By label only what is undecided is looked at.
    assert_eq!(
        decide(&standin, "label: l1\r\ntxn_operation: abort\r\n").await,
        none
    );
    assert_eq!(
        decide(&standin, "label: l1\r\ntxn_operation: commit\r\n").await,
        none
    );
}

#[tokio::test]
async fn what_cannot_be_understood_is_named() {
    let standin = cluster().await;
    let not_found = analysis("transaction [77] not found");
    assert_eq!(commit(&standin, 77).await, not_found);
    assert_eq!(abort(&standin, 77).await, not_found);
    let (status, message) = decide(&standin, "txn_id: x\r\ntxn_operation: commit\r\n").await;
    assert_ne!(status, "Success");
    assert!(
        message.starts_with("convert txn_id [x] failed, reason="),
        "{message}"
    );
    let (status, message) = decide(&standin, "txn_id: 1\r\ntxn_operation: keep\r\n").await;
    assert_ne!(status, "Success");
    assert_eq!(message, "transaction operation should be 'commit' or 'abort'");
    let be = standin.ports().be[0].http;
    let ask = |path: &'static str, headers: String| async move {
        let request = format!(
            "PUT {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\ntxn_id: 1\r\ntxn_operation: commit\r\n{headers}\r\n"
        );
        exchange(be, request).await.json()
    };
    let unknown = ask("/api/nowhere/_stream_load_2pc", ROOT.to_owned()).await;
    assert_eq!(
        unknown["msg"],
        format!("{PREFIX}unknown database, database=nowhere")
    );
    let denied = ask("/api/test/_stream_load_2pc", basic("root", "no")).await;
    assert_eq!(
        (&denied["status"], &denied["msg"]),
        (
            &json!("NOT_AUTHORIZED"),
            &json!("Access denied for user 'root@127.0.0.1' (using password: YES)")
        )
    );
    let denied = ask("/api/test/_stream_load_2pc", String::new()).await;
    assert_eq!(denied["msg"], "no valid Basic authorization");
}

#[tokio::test]
async fn a_transaction_of_another_database_is_not_found() {
    let standin = cluster().await;
    standin.execute("CREATE DATABASE other").await.unwrap();
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    let headers = format!("Content-Length: 0\r\ntxn_id: {id}\r\ntxn_operation: abort\r\n");
    let request = put("/api/other/_stream_load_2pc", &headers);
    let answer = exchange(standin.ports().be[0].http, request).await.json();
    assert_eq!(answer["msg"], format!("{PREFIX}transaction [{id}] not found"));
    assert_eq!(state(&standin, "l1").await, "PRECOMMITTED");
}

#[tokio::test]
async fn answers_are_printed_as_back_ends_print_them() {
    let standin = cluster().await;
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    let headers =
        format!("Expect: 100-continue\r\nContent-Length: 0\r\ntxn_id: {id}\r\ntxn_operation: commit\r\n");
    // The path with a table is served as well.
    let request = put("/api/test/student/_stream_load_2pc", &headers);
    let answer = exchange(standin.ports().be[0].http, request).await;
    let expected = format!(
        "{{\n    \"status\": \"Success\",\n    \"msg\": \"transaction [{id}] commit successfully.\"\n}}\n"
    );
    assert_eq!(answer.body, expected);
    let entry = standin.journal().pop().unwrap();
    assert_eq!(
        (entry.statement.as_str(), entry.label.as_deref(), entry.txn_id),
        ("commit", Some("l1"), Some(id))
    );
}

#[tokio::test]
async fn a_front_end_redirects_and_checks_the_headers() {
    let standin = cluster_with(|config| config.backends = 2).await;
    let fe = standin.ports().fe[0].http;
    let ask = |headers: &'static str| async move {
        exchange(
            fe,
            put(
                "/api/test/_stream_load_2pc",
                &format!("Content-Length: 0\r\n{headers}"),
            ),
        )
        .await
    };
    let failed = |text: &str| json!({"status": "FAILED", "msg": text});
    assert_eq!(
        ask("txn_operation: commit\r\n").await.json(),
        failed("No transaction id or label selected.")
    );
    assert_eq!(
        ask("txn_id: 1\r\n").await.json(),
        failed("No transaction operation('commit' or 'abort') selected.")
    );
    let answer = ask("txn_id: 1\r\ntxn_operation: commit\r\n").await;
    assert_eq!(answer.status, 307);
    let location = format!(
        "http://root:@127.0.0.1:{}/api/test/_stream_load_2pc?",
        standin.ports().be[0].http
    );
    assert_eq!(answer.header("location"), Some(location.as_str()));
}

#[tokio::test]
async fn any_back_end_decides_about_any_transaction() {
    let standin = cluster_with(|config| config.backends = 2).await;
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    standin.stop_backend(0).await.unwrap();
    let headers = format!("Content-Length: 0\r\ntxn_id: {id}\r\ntxn_operation: commit\r\n");
    let answer = exchange(
        standin.ports().be[1].http,
        put("/api/test/_stream_load_2pc", &headers),
    )
    .await;
    assert_eq!(answer.json()["status"], "Success");
    assert_eq!(students(&standin), 5);
}

#[tokio::test]
async fn a_load_under_way_can_be_aborted_and_not_committed() {
    let standin = cluster().await;
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    let headers = format!("Content-Length: 9\r\nlabel: zombie\r\ntwo_phase_commit: true\r\n{CSV}");
    raw.send(put("/api/test/student/_stream_load", &headers)).await;
    until("the load has begun", || standin.stats().loads_open == 1).await;
    let id = standin.transactions().pop().unwrap().id;
    let early = format!("transaction [{id}] is prepare, not pre-committed.");
    assert_eq!(commit(&standin, id).await, analysis(&early));
    let by_label = "label: zombie\r\ntxn_operation: abort\r\n";
    assert_eq!(
        decide(&standin, by_label).await,
        success("label [zombie] abort successfully.")
    );
    // Its body is still read, and then it learns what became of it.
    raw.send("60,a,1,1\n").await;
    let reply = raw.answer().await.unwrap().json();
    let text = format!("transaction [{id}] is already aborted. abort reason: User Abort");
    assert_eq!(
        (
            &reply["Status"],
            reply["Message"].as_str().unwrap().ends_with(&text)
        ),
        (&json!("Fail"), true),
        "{reply}"
    );
    assert_eq!(
        (state(&standin, "zombie").await.as_str(), students(&standin)),
        ("ABORTED", 4)
    );
}

#[tokio::test]
async fn undecided_transactions_end_by_the_clock() {
    let standin = cluster().await;
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    standin.shift_clock(3_599_000);
    assert_eq!(state(&standin, "l1").await, "PRECOMMITTED");
    let advance = http(
        standin.ports().admin,
        "POST",
        "/clock",
        r#"{"advance_ms":2000}"#,
        None,
    );
    assert_eq!(advance.await.unwrap().0, 200);
    assert_eq!(state(&standin, "l1").await, "ABORTED");
    let late = format!("transaction [{id}] is already aborted. abort reason: timeout by txn manager");
    assert_eq!(commit(&standin, id).await, analysis(&late));
    assert_eq!(students(&standin), 4);

    let short = with("stream_load_default_precommit_timeout_second=10").await;
    precommit(&short, "l1", "10,a,1,1\n").await;
    short.shift_clock(11_000);
    assert_eq!(short.transactions().pop().unwrap().state, TxnState::Aborted);
}

#[tokio::test]
async fn other_versions_spell_otherwise() {
    let standin = with("two_phase_case=upper").await;
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    commit(&standin, id).await;
    let again = format!("transaction [{id}] is already VISIBLE, not pre-committed.");
    assert_eq!(commit(&standin, id).await, analysis(&again));
    assert_eq!(
        commit(&standin, 99).await,
        analysis("transaction [99] not found.")
    );
    let standin = with("two_phase_case=lower").await;
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    commit(&standin, id).await;
    let late = format!("transaction [{id}] is already visible, could not abort.");
    assert_eq!(abort(&standin, id).await, analysis(&late));
    for status in ["INTERNAL_ERROR", "Fail", "Internal error"] {
        let standin = with(&format!("two_phase_status={status}")).await;
        assert_eq!(commit(&standin, 99).await.0, status);
    }
}

#[tokio::test]
async fn a_server_without_two_phase_commit_says_so() {
    let standin = with("disable_stream_load_2pc=true").await;
    let text = "Two phase commit (2PC) for stream load was disabled";
    let reply = load(&standin, "two_phase_commit: true\r\n", "").await;
    assert!(reply["Message"].as_str().unwrap().ends_with(text), "{reply}");
    assert_eq!(
        commit(&standin, 1).await,
        ("INTERNAL_ERROR".to_owned(), text.to_owned())
    );
    let cloud = cluster_with(|config| config.profile = "cloud-5.0".to_owned()).await;
    let reply = load(&cloud, "two_phase_commit: true\r\n", "").await;
    let message = reply["Message"].as_str().unwrap();
    assert!(
        message.ends_with("stream load 2pc is unsupported for mow table"),
        "{reply}"
    );
    // Only this word switches it on.
    let reply = load(&standin, "two_phase_commit: TRUE\r\n", "").await;
    assert_eq!(
        (&reply["Status"], &reply["TwoPhaseCommit"]),
        (&json!("Success"), &json!("false")),
        "{reply}"
    );
}

#[tokio::test]
async fn a_commit_may_answer_before_its_rows_are_seen() {
    let standin = cluster().await;
    let rule = r#"{"at":"txn.publish","match":{"label":"slow"},"do":{"hold":true},"times":1}"#;
    let rule = standin.add_fault_json(rule).unwrap();
    let slow = precommit(&standin, "slow", "10,a,1,1\n").await;
    let next = precommit(&standin, "next", "10,b,1,1\n").await;
    assert_eq!(commit(&standin, slow).await.0, "Success");
    // Behind it in the same table nothing becomes visible, so that the order of commits is the order of versions.
    assert_eq!(commit(&standin, next).await.0, "Success");
    assert_eq!(
        (
            state(&standin, "slow").await.as_str(),
            state(&standin, "next").await.as_str()
        ),
        ("COMMITTED", "COMMITTED")
    );
    let again = format!("transaction [{slow}] is already committed, not pre-committed.");
    assert_eq!(commit(&standin, slow).await, analysis(&again));
    let late = format!("transaction [{slow}] is already COMMITTED, could not abort.");
    assert_eq!(abort(&standin, slow).await, analysis(&late));
    let reply = load(&standin, &format!("label: plain\r\n{CSV}"), "10,c,1,1\n").await;
    assert_eq!(reply["Status"], "Publish Timeout", "{reply}");
    assert!(
        reply["Message"]
            .as_str()
            .unwrap()
            .starts_with("[PUBLISH_TIMEOUT]"),
        "{reply}"
    );
    assert_eq!((&reply["NumberLoadedRows"], students(&standin)), (&json!(1), 4));
    standin.delete_fault(rule);
    until("all are visible", || {
        standin
            .transactions()
            .iter()
            .all(|txn| txn.state == TxnState::Visible)
    })
    .await;
    let rows = standin
        .execute("SELECT name FROM test.student WHERE id = 10")
        .await
        .unwrap();
    assert!(format!("{rows:?}").contains("\"c\""), "{rows:?}");
}

#[tokio::test]
async fn a_delay_of_publishing_can_be_the_rule() {
    let standin = with("publish_delay_ms=50").await;
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    assert_eq!(commit(&standin, id).await.0, "Success");
    assert_eq!(state(&standin, "l1").await, "COMMITTED");
    until("it is visible", || students(&standin) == 5).await;
    assert_eq!(state(&standin, "l1").await, "VISIBLE");
}

#[tokio::test]
async fn a_dropped_table_takes_no_commit() {
    let standin = cluster().await;
    let id = precommit(&standin, "l1", "10,a,1,1\n").await;
    standin.execute("DROP TABLE test.student").await.unwrap();
    let (status, message) = commit(&standin, id).await;
    assert!(
        status != "Success" && message.contains("unknown table, tableId="),
        "{status} {message}"
    );
    assert_eq!(state(&standin, "l1").await, "PRECOMMITTED");
    assert_eq!(abort(&standin, id).await.0, "Success");
}

#[tokio::test]
async fn every_front_end_knows_the_state_of_a_label() {
    let standin = cluster_with(|config| config.frontends = 2).await;
    precommit(&standin, "l1", "10,a,1,1\n").await;
    let (master, follower) = (standin.ports().fe[0].http, standin.ports().fe[1].http);
    let path = "/api/test/get_load_state?label=l1";
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n{ROOT}\r\n");
    let answer = exchange(follower, &request).await;
    let location = format!("http://root:@127.0.0.1:{master}{path}");
    assert_eq!(
        (answer.status, answer.header("location")),
        (307, Some(location.as_str()))
    );
    assert_eq!(
        exchange(master, &request).await.json(),
        json!({"msg": "success", "code": 0, "data": "PRECOMMITTED", "count": 0})
    );
    standin.stop_frontend(0).await.unwrap();
    assert_eq!(exchange(follower, &request).await.json()["data"], "PRECOMMITTED");
    let none = format!("GET /api/test/get_load_state HTTP/1.1\r\nHost: x\r\n{ROOT}\r\n");
    let answer = exchange(follower, none).await.json();
    assert_eq!(answer["data"], "No label selected.");
}
