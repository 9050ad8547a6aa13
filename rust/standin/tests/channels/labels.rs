//! Labels: one transaction each, over all kinds of loads, until time or a purge frees them.

use serde_json::{Value, json};

use crate::load_client::{CSV, Raw, abort, commit, decide, load, precommit, put, state};
use crate::support::{cluster, cluster_with, http, until};

async fn labelled(standin: &doris_standin::Standin, label: &str) -> Value {
    load(standin, &format!("label: {label}\r\n{CSV}"), "10,a,1,1\n").await
}

#[tokio::test]
async fn a_used_label_answers_with_the_state_of_its_load() {
    let standin = cluster().await;
    let id = labelled(&standin, "doris_label_test_student_0_1").await["TxnId"]
        .as_i64()
        .unwrap();
    let reply = labelled(&standin, "doris_label_test_student_0_1").await;
    let text = format!(
        "[LABEL_ALREADY_EXISTS]TStatus: errCode = 2, detailMessage = Label [doris_label_test_student_0_1] has already been used, relate to txn [{id}], status [VISIBLE]."
    );
    let expected = json!({
        "TxnId": -1, "Label": "doris_label_test_student_0_1", "Comment": "", "TwoPhaseCommit": "false",
        "Status": "Label Already Exists", "ExistingJobStatus": "FINISHED", "Message": text,
        "NumberTotalRows": 0, "NumberLoadedRows": 0, "NumberFilteredRows": 0, "NumberUnselectedRows": 0, "LoadBytes": 0,
    });
    let members = reply.as_object().unwrap();
    let first: Vec<(&String, &Value)> = members.iter().take(12).collect();
    assert_eq!(first, expected.as_object().unwrap().iter().collect::<Vec<_>>());

    let id = precommit(&standin, "l2", "11,a,1,1\n").await;
    let reply = load(&standin, "label: l2\r\ntwo_phase_commit: true\r\n", "").await;
    assert_eq!(
        (
            &reply["ExistingJobStatus"],
            &reply["TwoPhaseCommit"],
            &reply["TxnId"]
        ),
        (&json!("PRECOMMITTED"), &json!("true"), &json!(-1))
    );
    let message = reply["Message"].as_str().unwrap();
    assert!(
        message.contains(&format!("relate to txn [{id}], status [PRECOMMITTED]")),
        "{message}"
    );

    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(put(
        "/api/test/student/_stream_load",
        &format!("Content-Length: 9\r\nlabel: l3\r\n{CSV}"),
    ))
    .await;
    until("the load has begun", || standin.stats().loads_open == 1).await;
    assert_eq!(labelled(&standin, "l3").await["ExistingJobStatus"], "RUNNING");
    raw.send("12,a,1,1\n").await;
    assert_eq!(raw.answer().await.unwrap().json()["Status"], "Success");
}

#[tokio::test]
async fn a_committed_label_that_is_not_visible_yet_is_finished() {
    let standin = cluster().await;
    let rule = standin
        .add_fault_json(r#"{"at":"txn.publish","do":{"hold":true},"times":1}"#)
        .unwrap();
    assert_eq!(labelled(&standin, "l1").await["Status"], "Publish Timeout");
    assert_eq!(state(&standin, "l1").await, "COMMITTED");
    assert_eq!(labelled(&standin, "l1").await["ExistingJobStatus"], "FINISHED");
    standin.delete_fault(rule);
}

#[tokio::test]
async fn an_aborted_label_is_free_at_once_and_a_label_belongs_to_its_database() {
    let standin = cluster().await;
    let first = precommit(&standin, "l1", "10,a,1,1\n").await;
    abort(&standin, first).await;
    assert_eq!(state(&standin, "l1").await, "ABORTED");
    let second = precommit(&standin, "l1", "10,a,1,1\n").await;
    assert!(second > first);
    assert_eq!(state(&standin, "l1").await, "PRECOMMITTED");
    standin.execute("CREATE DATABASE other; CREATE TABLE other.t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1'); INSERT INTO other.t WITH LABEL l1 VALUES (1)").await.unwrap();
    commit(&standin, second).await;
    assert_eq!(state(&standin, "l1").await, "VISIBLE");
}

#[tokio::test]
async fn statements_and_loads_share_the_labels() {
    let standin = cluster().await;
    let insert = "INSERT INTO test.student WITH LABEL l1 VALUES (20, 'a', 1, 1)";
    let answer = standin.execute(insert).await.unwrap();
    let id = standin.transactions().pop().unwrap().id;
    assert!(
        format!("{answer:?}").contains(&format!("'label':'l1', 'status':'VISIBLE', 'txnId':'{id}'")),
        "{answer:?}"
    );
    assert_eq!(labelled(&standin, "l1").await["ExistingJobStatus"], "FINISHED");
    labelled(&standin, "l2").await;
    let error = standin
        .execute(&insert.replace("l1", "l2"))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("Label [l2] has already been used, relate to txn ["),
        "{error}"
    );
    // An insert that fails gives its label back.
    let error = standin
        .execute("INSERT INTO test.student WITH LABEL l3 VALUES (NULL, 'a', 1, 1)")
        .await;
    assert!(error.is_err());
    assert_eq!(state(&standin, "l3").await, "ABORTED");
    standin.execute(&insert.replace("l1", "l3")).await.unwrap();
    standin
        .execute("DELETE FROM test.student WHERE id = 20")
        .await
        .unwrap();
    let last = standin.transactions().pop().unwrap();
    assert_eq!((last.state.name(), last.rows), ("VISIBLE", 1));
}

#[tokio::test]
async fn an_insert_is_committed_before_it_is_visible_where_publishing_is_slow() {
    let standin = cluster().await;
    let rule = standin
        .add_fault_json(r#"{"at":"txn.publish","match":{"table":"student"},"do":{"hold":true}}"#)
        .unwrap();
    let answer = standin
        .execute("INSERT INTO test.student WITH LABEL l1 VALUES (20, 'a', 1, 1)")
        .await
        .unwrap();
    assert!(
        format!("{answer:?}").contains("'status':'COMMITTED'"),
        "{answer:?}"
    );
    standin.delete_fault(rule);
    // A change that follows sees it.
    standin
        .execute("UPDATE test.student SET name = 'b' WHERE id = 20")
        .await
        .unwrap();
    let rows = standin
        .execute("SELECT name FROM test.student WHERE id = 20")
        .await
        .unwrap();
    assert!(format!("{rows:?}").contains("\"b\""), "{rows:?}");
}

#[tokio::test]
async fn labels_are_forgotten_by_time_by_number_and_by_hand() {
    let standin = cluster().await;
    labelled(&standin, "l1").await;
    let id = precommit(&standin, "open", "10,a,1,1\n").await;
    standin
        .execute("INSERT INTO test.student WITH LABEL s1 VALUES (20, 'a', 1, 1)")
        .await
        .unwrap();
    standin.shift_clock(3_000_000);
    commit(&standin, id).await;
    standin.shift_clock(43_200_000 - 3_000_000 + 1000);
    assert_eq!(state(&standin, "l1").await, "UNKNOWN");
    assert_eq!(
        state(&standin, "s1").await,
        "VISIBLE",
        "statements are remembered for three days"
    );
    assert_eq!(
        state(&standin, "open").await,
        "VISIBLE",
        "its end counts, not its begin"
    );
    standin.shift_clock(3_000_000);
    let (_, message) = commit(&standin, id).await;
    assert!(
        message.ends_with(&format!("transaction [{id}] not found")),
        "{message}"
    );
    assert_eq!(labelled(&standin, "l1").await["Status"], "Success");

    let few = cluster_with(|config| config.set.push("label_num_threshold=3".into())).await;
    let open = precommit(&few, "open", "10,a,1,1\n").await;
    for n in 0..4 {
        assert_eq!(labelled(&few, &format!("n{n}")).await["Status"], "Success");
    }
    assert_eq!(
        (state(&few, "n0").await.as_str(), state(&few, "n1").await.as_str()),
        ("UNKNOWN", "VISIBLE")
    );
    assert_eq!(state(&few, "open").await, "PRECOMMITTED");
    let admin = few.ports().admin;
    let purge = |body: &'static str| async move {
        let (status, text) = http(admin, "POST", "/labels/purge", body, None).await.unwrap();
        (status, serde_json::from_str::<Value>(&text).unwrap())
    };
    assert_eq!(purge(r#"{"label":"n1"}"#).await, (200, json!({"purged": 1})));
    assert_eq!(state(&few, "n1").await, "UNKNOWN");
    assert_eq!(purge(r#"{"database":"other"}"#).await.1, json!({"purged": 0}));
    assert_eq!(purge("").await.1, json!({"purged": 2}));
    assert_eq!(purge(r#"{"name":"x"}"#).await.0, 400);
    assert_eq!(commit(&few, open).await.0, "Success");
}

#[tokio::test]
async fn too_many_transactions_are_refused() {
    let standin = cluster_with(|config| config.set.push("max_running_txn_num_per_db=1".into())).await;
    precommit(&standin, "l1", "10,a,1,1\n").await;
    let reply = labelled(&standin, "l2").await;
    assert_eq!(reply["Status"], "Fail");
    let message = reply["Message"].as_str().unwrap();
    assert!(
        message.ends_with("current running txns on db test is 1, larger than limit 1"),
        "{message}"
    );
    decide(&standin, "label: l1\r\ntxn_operation: abort\r\n").await;
    assert_eq!(labelled(&standin, "l2").await["Status"], "Success");
}

#[tokio::test]
async fn older_texts_of_a_used_label() {
    for (text, end) in [
        ("old", "relate to txn [2]"),
        ("cloud", "relate to txn [2], status=[TXN_STATUS_VISIBLE]"),
    ] {
        let standin = cluster_with(|config| config.set.push(format!("label_text={text}"))).await;
        labelled(&standin, "l1").await;
        let reply = labelled(&standin, "l1").await;
        assert!(reply["Message"].as_str().unwrap().ends_with(end), "{reply}");
        assert_eq!(reply["ExistingJobStatus"], "FINISHED");
    }
}

#[tokio::test]
async fn the_transaction_table_is_shown() {
    let standin = cluster().await;
    precommit(&standin, "l1", "10,a,1,1\n").await;
    let (_, text) = http(standin.ports().admin, "GET", "/transactions", "", None)
        .await
        .unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    let shown = list.as_array().unwrap().last().unwrap();
    for (member, value) in [
        ("label", json!("l1")),
        ("db", json!("test")),
        ("table", json!("student")),
        ("kind", json!("stream_load")),
        ("state", json!("PRECOMMITTED")),
        ("reason", json!("")),
        ("two_phase", json!(true)),
        ("rows", json!(1)),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
    assert!(
        shown["precommitted"].is_i64() && shown["committed"].is_null(),
        "{shown}"
    );
    assert_eq!(list[0]["kind"], "statement");
}
