//! Where the TSO can be read, and the stamps that commits get.

use doris_standin::{Standin, TxnState};
use serde_json::{Value, json};

use crate::incr_client::{api, api_rows, changes_cluster, changes_set, flight_rows, now_ms};
use crate::load_client::{CSV, load_at};
use crate::support::{cluster_with, envelope, http, rest, rest_as, until};

/// A row of `tso_status` that is an exact number needs no rounding: JSON numbers of the statement API are read as such.
const STATUS: &str = "SELECT * FROM information_schema.tso_status";

async fn tso_at(standin: &Standin, frontend: usize) -> Value {
    let port = standin.ports().fe[frontend].http;
    let (status, text) = http(port, "GET", "/api/tso", "", Some(("root", "")))
        .await
        .unwrap();
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn the_tso_is_told_as_recorded() {
    let standin = changes_set(&[]).await;
    let answer = envelope(&standin, "GET", "/api/tso", "").await;
    assert_eq!(
        (&answer["code"], &answer["msg"], &answer["count"]),
        (&json!(0), &json!("success"), &json!(0))
    );
    let data = &answer["data"];
    let number = |name: &str| data[name].as_i64().unwrap();
    let physical = number("current_tso_physical_time");
    assert_eq!(
        number("current_tso"),
        physical << 18 | number("current_tso_logical_counter")
    );
    assert_eq!(number("window_end_physical_time"), physical + 5000);
    assert_eq!(data.as_object().unwrap().len(), 4);
    let (status, text) = rest_as(&standin, "GET", "/api/tso", "", None).await;
    let refused: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (status, &refused["code"], &refused["data"]),
        (200, &json!(401), &json!("Need auth information."))
    );
}

#[tokio::test]
async fn reading_the_tso_does_not_advance_it() {
    let standin = changes_set(&[]).await;
    // Ahead of the machine's clock nothing but stamps moves it.
    standin
        .engine()
        .catalog()
        .clock
        .pass(u64::try_from(now_ms(&standin) + 3_600_000).unwrap() << 18 | 5);
    let first = tso_at(&standin, 0).await;
    assert_eq!(first["data"]["current_tso_logical_counter"], 5);
    api_rows(&standin, 0, STATUS).await;
    api_rows(&standin, 0, "SHOW TSO STATUS").await;
    assert_eq!(tso_at(&standin, 0).await, first);
    standin
        .execute("INSERT INTO test.pupil VALUES (1, 'a')")
        .await
        .unwrap();
    assert_eq!(
        tso_at(&standin, 0).await["data"]["current_tso_logical_counter"],
        6
    );
    let stamp = standin.transactions().last().unwrap().tso.unwrap();
    assert_eq!(json!(stamp), tso_at(&standin, 0).await["data"]["current_tso"]);
}

#[tokio::test]
async fn a_front_end_that_is_not_ready_or_not_the_master_says_so() {
    let standin = changes_cluster(|config| {
        config.frontends = 2;
        config.set.push("tso_api=master".to_owned());
    })
    .await;
    assert_eq!(tso_at(&standin, 0).await["code"], 0);
    let refused = tso_at(&standin, 1).await;
    assert_eq!(
        refused,
        json!({"msg": "Bad Request", "code": 403, "data": "Current FE is not master", "count": 0})
    );
    standin.stop_frontend(0).await.unwrap();
    assert_eq!(tso_at(&standin, 1).await["code"], 0);
    let rule = r#"{"at":"fe.api","match":{"statement":"/api/tso"},"do":{"answer":{"code":403,"message":"FE is not ready"}}}"#;
    standin.add_fault_json(rule).unwrap();
    assert_eq!(
        tso_at(&standin, 1).await,
        json!({"msg": "Bad Request", "code": 403, "data": "FE is not ready", "count": 0})
    );
}

#[tokio::test]
async fn every_front_end_tells_the_tso_of_the_master() {
    let standin = changes_cluster(|config| config.frontends = 2).await;
    for frontend in [0, 1] {
        let told = tso_at(&standin, frontend).await["data"]["current_tso_physical_time"].as_i64();
        assert!(
            told.is_some_and(|told| (now_ms(&standin) - told).abs() < 60_000),
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn servers_without_it_know_no_tso() {
    for set in [None, Some(["tso_api=absent", "tso_status=absent"])] {
        let standin = cluster_with(|config| match set {
            None => config.profile = "doris-4.1".to_owned(),
            Some(set) => config.set.extend(set.map(str::to_owned)),
        })
        .await;
        assert_eq!(rest(&standin, "GET", "/api/tso", "").await.0, 404);
        let table = api(&standin, 0, STATUS).await;
        assert_eq!(table["code"], 1);
        assert!(table["data"].as_str().unwrap().contains("tso_status"), "{table}");
        assert_eq!(api(&standin, 0, "SHOW TSO STATUS").await["code"], 1);
        let tables = api_rows(&standin, 0, "SHOW TABLES FROM information_schema").await;
        assert!(!tables.contains(&json!(["tso_status"])), "{tables:?}");
    }
}

#[tokio::test]
async fn the_status_table_has_its_columns_on_every_channel() {
    let standin = changes_set(&[]).await;
    for sql in [STATUS, "SHOW TSO STATUS"] {
        let answer = api(&standin, 0, sql).await;
        let names: Vec<&str> = answer["data"]["meta"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| column["name"].as_str().unwrap())
            .collect();
        let expected = [
            "WINDOW_END_PHYSICAL_TIME",
            "CURRENT_TSO",
            "CURRENT_TSO_PHYSICAL_TIME",
            "CURRENT_TSO_LOGICAL_COUNTER",
            "COMMITTED_TSO",
            "COMMITTED_TSO_PHYSICAL_TIME",
        ];
        assert_eq!(names, expected);
        let row = &answer["data"]["data"][0];
        // Servers with a shared-nothing storage do not know what is committed.
        assert_eq!((&row[4], &row[5]), (&Value::Null, &Value::Null), "{row}");
    }
    let answer = api(&standin, 0, STATUS).await;
    assert!(
        answer["data"]["meta"]
            .as_array()
            .unwrap()
            .iter()
            .all(|column| column["type"] == "BIGINT")
    );
    let row = &answer["data"]["data"][0];
    let number = |at: usize| row[at].as_i64().unwrap();
    assert_eq!(number(1), number(2) << 18 | number(3));
    assert_eq!(number(0), number(2) + 5000);
    let by_flight = flight_rows(&standin, 0, STATUS).await;
    assert!(by_flight[0].ends_with("||"), "{by_flight:?}");
    let old = cluster_with(|config| config.profile = "doris-5.0-binlog".to_owned()).await;
    let answer = api(&old, 0, STATUS).await;
    assert_eq!(answer["data"]["meta"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn the_present_is_read_as_text_of_the_session_by_one_query() {
    let standin = changes_set(&[]).await;
    let sql = "SELECT FROM_UNIXTIME(CURRENT_TSO_PHYSICAL_TIME / 1000, '%Y-%m-%d %H:%i:%s') FROM information_schema.tso_status";
    let before = crate::incr_client::text_of(now_ms(&standin));
    let text = api_rows(&standin, 0, sql).await[0][0]
        .as_str()
        .unwrap()
        .to_owned();
    let after = crate::incr_client::text_of(now_ms(&standin));
    assert!(
        before[..19] <= *text.as_str() && *text.as_str() <= after[..19],
        "{before} {text} {after}"
    );
    // The connector's former way: the milliseconds of `/api/tso`, rounded down.
    let sql = "SELECT FROM_UNIXTIME(1791540000999 / 1000, '%Y-%m-%d %H:%i:%s')";
    assert_eq!(api_rows(&standin, 0, sql).await, [json!(["2026-10-09 18:00:00"])]);
}

#[tokio::test]
async fn in_the_cloud_the_committed_tso_stays_below_what_is_not_visible() {
    let standin = changes_cluster(|config| config.profile = "cloud-5.0".to_owned()).await;
    let sql = "SELECT CURRENT_TSO_PHYSICAL_TIME, COMMITTED_TSO, COMMITTED_TSO_PHYSICAL_TIME FROM information_schema.tso_status";
    let idle = api_rows(&standin, 0, sql).await[0].clone();
    assert_eq!(idle[0], idle[2], "nothing is pending");
    standin
        .add_fault_json(r#"{"at":"txn.publish","do":{"hold":true}}"#)
        .unwrap();
    standin
        .execute("INSERT INTO test.pupil VALUES (1, 'a')")
        .await
        .unwrap();
    let txn = standin.transactions().pop().unwrap();
    let stamp = txn.tso.unwrap();
    assert_eq!(txn.state, TxnState::Committed);
    standin.shift_clock(5000);
    let pending = api_rows(&standin, 0, sql).await[0].clone();
    assert_eq!(pending[1], json!(stamp - 1));
    assert_eq!(pending[2], json!((stamp - 1) >> 18));
    assert!(pending[0].as_u64() > Some(stamp >> 18));
    standin.clear_faults();
    until("the insert is visible", || {
        standin.transactions().last().unwrap().state == TxnState::Visible
    })
    .await;
    let done = api_rows(&standin, 0, sql).await[0].clone();
    assert!(done[1].as_u64() > Some(stamp), "{done}");
}

#[tokio::test]
async fn a_commit_is_stamped_when_it_is_decided_and_seen_when_it_is_published() {
    let standin = changes_set(&[]).await;
    let undecided = standin
        .add_fault_json(r#"{"at":"txn.publish","match":{"label":"slow"},"do":{"hold":true}}"#)
        .unwrap();
    let headers = format!("{CSV}label: slow\r\n");
    load_at(&standin, 0, "test/pupil", &headers, "1,first\n").await;
    let decided = standin.transactions().pop().unwrap();
    assert_eq!((decided.state, decided.rows), (TxnState::Committed, 1));
    standin.shift_clock(60_000);
    // Statements of every kind stand in the same order behind it.
    let engine = standin.engine().clone();
    let behind = tokio::spawn(async move {
        let mut session = engine.open_session("root");
        let sql = "UPDATE test.pupil SET name = 'second' WHERE id = 1; DELETE FROM test.pupil WHERE id = 1; \
                   INSERT INTO test.pupil VALUES (1, 'fourth')";
        engine.execute(&mut session, sql).await.unwrap();
    });
    until("the update waits", || {
        standin.transactions().len() > usize::try_from(decided.id).unwrap()
    })
    .await;
    assert_eq!(
        standin.engine().table_info("test", "pupil").unwrap().partitions[0]
            .tablets
            .iter()
            .map(|t| t.rows)
            .sum::<u64>(),
        0
    );
    standin.delete_fault(undecided);
    behind.await.unwrap();
    standin.shift_clock(1000);
    let sql = crate::incr_client::changes_till_now(&standin, "test.pupil").replace(
        "SELECT id, name",
        "SELECT __DORIS_CHANGELOG_TSO__ tso, __DORIS_CHANGELOG_OP__ op, name",
    );
    let rows = api_rows(&standin, 0, &format!("{sql} ORDER BY tso, op")).await;
    let shown: Vec<(u64, i64, &str)> = rows
        .iter()
        .map(|row| {
            (
                row[0].as_u64().unwrap(),
                row[1].as_i64().unwrap(),
                row[2].as_str().unwrap(),
            )
        })
        .collect();
    let changes: Vec<_> = shown.iter().map(|(_, op, name)| (*op, *name)).collect();
    assert_eq!(
        changes,
        [
            (0, "first"),
            (2, "first"),
            (3, "second"),
            (1, "second"),
            (0, "fourth")
        ]
    );
    // The stamp is that of the decision, a minute before the rows were seen.
    assert_eq!(shown[0].0, decided.tso.unwrap());
    assert!(shown[1].0 >> 18 >= (shown[0].0 >> 18) + 60_000);
    let stamps: Vec<u64> = standin.transactions().iter().filter_map(|txn| txn.tso).collect();
    assert!(stamps.is_sorted(), "{stamps:?}");
}
