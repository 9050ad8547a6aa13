//! A front end that lags: what it sees, what it waits for, and that everything else goes on.

use std::sync::Arc;
use std::time::Duration;

use doris_standin::Standin;
use serde_json::{Value, json};

use crate::incr_client::{
    api, api_rows, changes, changes_cluster, changes_till_now, flight_rows, login_at, now_ms, refused,
};
use crate::support::{http, read, until};

const HOUR: Duration = Duration::from_secs(3600);
const ALL: &str = "SELECT id, name FROM test.pupil";

/// Two front ends; the second sees nothing of what happens from now on.
async fn lagging(set: &[&str]) -> Standin {
    let standin = changes_cluster(|config| {
        config.frontends = 2;
        config.set.extend(set.iter().map(|set| (*set).to_owned()));
    })
    .await;
    standin
        .execute("INSERT INTO test.pupil VALUES (1, 'old')")
        .await
        .unwrap();
    standin.shift_clock(2000);
    standin.lag_frontend(1, HOUR).unwrap();
    standin
}

async fn admin(standin: &Standin, path: &str, body: &str) -> (u16, Value) {
    let (status, text) = http(standin.ports().admin, "POST", path, body, None)
        .await
        .unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

#[tokio::test]
async fn plain_queries_see_what_the_front_end_has_seen() {
    let standin = lagging(&[]).await;
    standin
        .execute("INSERT INTO test.pupil VALUES (2, 'new')")
        .await
        .unwrap();
    standin
        .execute("UPDATE test.pupil SET name = 'newer' WHERE id = 1")
        .await
        .unwrap();
    let planned = "SELECT id, concat(name, '') FROM test.pupil";
    for sql in [ALL, planned] {
        assert_eq!(flight_rows(&standin, 0, sql).await, ["1|newer", "2|new"]);
        assert_eq!(flight_rows(&standin, 1, sql).await, ["1|old"]);
        assert_eq!(api_rows(&standin, 1, sql).await, [json!([1, "old"])]);
    }
    // What it writes, and reads for that, is the master's work.
    assert_eq!(
        api(&standin, 1, "INSERT INTO test.other SELECT * FROM test.pupil").await["code"],
        0
    );
    assert_eq!(
        flight_rows(&standin, 0, "SELECT id, name FROM test.other").await,
        ["1|newer", "2|new"]
    );
    standin.lag_frontend(1, Duration::ZERO).unwrap();
    assert_eq!(flight_rows(&standin, 1, ALL).await, ["1|newer", "2|new"]);
}

#[tokio::test]
async fn a_front_end_follows_at_its_distance() {
    let standin = lagging(&[]).await;
    standin
        .execute("INSERT INTO test.pupil VALUES (2, 'new')")
        .await
        .unwrap();
    assert_eq!(flight_rows(&standin, 1, ALL).await, ["1|old"]);
    standin.lag_frontend(1, Duration::from_millis(50)).unwrap();
    let mut client = login_at(&standin, 1).await;
    let caught_up = tokio::time::timeout(Duration::from_secs(10), async {
        while read(&mut client, ALL)
            .await
            .unwrap()
            .iter()
            .map(|batch| batch.num_rows())
            .sum::<usize>()
            < 2
        {}
    });
    caught_up.await.unwrap();
}

#[tokio::test]
async fn a_changelog_query_waits_until_the_front_end_has_seen_all_below_its_end() {
    let standin = Arc::new(lagging(&[]).await);
    let before = changes_till_now(&standin, "test.pupil");
    standin.shift_clock(1000);
    standin
        .execute("INSERT INTO test.pupil VALUES (2, 'new')")
        .await
        .unwrap();
    standin.shift_clock(1000);
    let after = changes_till_now(&standin, "test.pupil");
    // Nothing that it has not seen lies below this end.
    assert_eq!(flight_rows(&standin, 1, &before).await, ["1|old"]);
    standin
        .add_fault_json(r#"{"at":"incr.fence","match":{"node":"fe1"},"do":{}}"#)
        .unwrap();
    let query = tokio::spawn({
        let (standin, sql) = (standin.clone(), after.clone());
        async move { flight_rows(&standin, 1, &sql).await }
    });
    until("the query is at its fence", || standin.faults()[0].fired == 1).await;
    assert!(!query.is_finished());
    // The master does not wait.
    assert_eq!(flight_rows(&standin, 0, &after).await, ["1|old", "2|new"]);
    assert!(!query.is_finished());
    standin.lag_frontend(1, Duration::ZERO).unwrap();
    assert_eq!(query.await.unwrap(), ["1|old", "2|new"]);
}

#[tokio::test]
async fn a_wait_for_the_front_end_runs_out_in_the_form_of_the_server() {
    let standin = lagging(&["change_visible_timeout_ms=1"]).await;
    standin
        .execute("INSERT INTO test.pupil VALUES (2, 'new')")
        .await
        .unwrap();
    standin.shift_clock(1000);
    let begin = "timeout waiting follower journal replay for time-based read, maxJournalId=";
    refused(&standin, 1, &changes_till_now(&standin, "test.pupil"))
        .await
        .assert_classic(|text| text.starts_with(begin));
    // Without an end everything up to now counts.
    refused(
        &standin,
        1,
        "SELECT id FROM test.pupil@incr('incrementType' = 'DETAIL')",
    )
    .await
    .assert_classic(|text| text.starts_with(begin));
    let typed = lagging(&[
        "change_visible_timeout_ms=1",
        "changelog_errors=typed",
        "changelog_fence=cloud",
    ])
    .await;
    typed
        .execute("INSERT INTO test.pupil VALUES (2, 'new')")
        .await
        .unwrap();
    typed.shift_clock(1000);
    refused(&typed, 1, &changes_till_now(&typed, "test.pupil"))
        .await
        .assert_typed(5101, "ERR_INCR_VISIBLE_WAIT_TIMEOUT", "VISIBLE_WAIT_TIMEOUT");
}

#[tokio::test]
async fn partitions_are_listed_on_the_master_as_they_are() {
    let standin = changes_cluster(|config| config.frontends = 2).await;
    standin
        .execute(
            "CREATE TABLE test.days (day DATE NOT NULL, id INT) DUPLICATE KEY(day) \
             PARTITION BY RANGE(day) (PARTITION p1 VALUES LESS THAN ('2026-10-01'), PARTITION p2 VALUES LESS THAN ('2026-11-01')) \
             DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1', 'changelog.enable' = 'true')",
        )
        .await
        .unwrap();
    standin.lag_frontend(1, HOUR).unwrap();
    standin
        .execute("ALTER TABLE test.days ADD PARTITION p3 VALUES LESS THAN ('2026-12-01')")
        .await
        .unwrap();
    let info = standin.engine().table_info("test", "days").unwrap();
    let known: Vec<Value> = info
        .partitions
        .iter()
        .map(|p| json!([p.id.to_string(), p.name]))
        .collect();
    assert_eq!(known.len(), 3);
    let sql = "SHOW PARTITIONS FROM test.days";
    let ids = |rows: Vec<Value>| rows.iter().map(|row| json!([row[0], row[1]])).collect::<Vec<_>>();
    assert_eq!(ids(api_rows(&standin, 0, sql).await), known);
    assert_eq!(ids(api_rows(&standin, 1, sql).await), known[..2]);
    let by_flight = flight_rows(&standin, 0, sql).await;
    for (line, partition) in by_flight.iter().zip(&info.partitions) {
        assert!(
            line.starts_with(&format!("{}|{}|", partition.id, partition.name)),
            "{line}"
        );
    }
    let meta = api(&standin, 0, sql).await["data"]["meta"].clone();
    assert_eq!(
        (&meta[0]["name"], &meta[1]["name"]),
        (&json!("PartitionId"), &json!("PartitionName"))
    );
    let mut mysql = doris_standin::mysql::client::Client::connect(
        "127.0.0.1",
        standin.ports().fe[0].mysql,
        "root",
        "",
        None,
    )
    .await
    .unwrap();
    let replies = mysql.query(sql).await.unwrap();
    let doris_standin::mysql::client::Reply::Rows(table) = &replies[0] else {
        panic!("{replies:?}");
    };
    let by_mysql: Vec<Value> = table.rows.iter().map(|row| json!([row[0], row[1]])).collect();
    assert_eq!(by_mysql, known);
}

/// Name, `IsMaster`, `Alive` and `CurrentConnected` of the front ends.
async fn frontends(standin: &Standin, frontend: usize) -> Vec<[String; 4]> {
    let answer = api(standin, frontend, "SHOW FRONTENDS").await;
    let names = answer["data"]["meta"].as_array().unwrap();
    let at = |name: &str| names.iter().position(|column| column["name"] == name).unwrap();
    let wanted = ["Name", "IsMaster", "Alive", "CurrentConnected"].map(at);
    let rows = answer["data"]["data"].as_array().unwrap();
    rows.iter()
        .map(|row| wanted.map(|at| row[at].as_str().unwrap().to_owned()))
        .collect()
}

#[tokio::test]
async fn the_master_is_marked_also_while_another_stands_for_it() {
    let standin = lagging(&[]).await;
    standin
        .execute("INSERT INTO test.pupil VALUES (2, 'new')")
        .await
        .unwrap();
    let text = |rows: &[[&str; 4]]| rows.iter().map(|row| row.map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(
        frontends(&standin, 1).await,
        text(&[["fe_0", "true", "true", "No"], ["fe_1", "false", "true", "Yes"]])
    );
    standin.stop_frontend(0).await.unwrap();
    assert_eq!(
        frontends(&standin, 1).await,
        text(&[["fe_0", "false", "false", "No"], ["fe_1", "true", "true", "Yes"]])
    );
    // Who takes the master's place has seen everything.
    assert_eq!(flight_rows(&standin, 1, ALL).await, ["1|old", "2|new"]);
    standin.start_frontend(0).await.unwrap();
    assert_eq!(flight_rows(&standin, 1, ALL).await, ["1|old"]);
    assert_eq!(
        frontends(&standin, 0).await[0],
        ["fe_0", "true", "true", "Yes"].map(str::to_owned)
    );
}

#[tokio::test]
async fn restarts_sessions_and_the_clock_leave_a_lag_as_it_is() {
    let standin = lagging(&[]).await;
    standin
        .execute("INSERT INTO test.pupil VALUES (2, 'new')")
        .await
        .unwrap();
    standin.stop_frontend(1).await.unwrap();
    standin.start_frontend(1).await.unwrap();
    assert_eq!(flight_rows(&standin, 1, ALL).await, ["1|old"]);
    let mut client = login_at(&standin, 1).await;
    assert_eq!(admin(&standin, "/sessions/drop", "").await.0, 200);
    assert!(read(&mut client, ALL).await.is_err());
    assert_eq!(flight_rows(&standin, 1, ALL).await, ["1|old"]);
    for (body, ahead) in [
        (r#"{"advance_ms": 7200000}"#, true),
        (r#"{"back_ms": 7200000}"#, false),
    ] {
        let before = now_ms(&standin);
        assert_eq!(admin(&standin, "/clock", body).await.0, 200);
        assert_eq!(now_ms(&standin) > before, ahead);
        assert_eq!(flight_rows(&standin, 1, ALL).await, ["1|old"]);
    }
    let end = now_ms(&standin) - 1000;
    assert_eq!(
        flight_rows(&standin, 0, &changes("test.pupil", end)).await,
        ["1|old"]
    );
}

#[tokio::test]
async fn the_admin_port_sets_a_lag() {
    let standin = changes_cluster(|config| config.frontends = 2).await;
    assert_eq!(
        admin(&standin, "/frontends/1/lag", r#"{"ms": 3600000}"#).await.0,
        200
    );
    standin
        .execute("INSERT INTO test.pupil VALUES (1, 'new')")
        .await
        .unwrap();
    assert_eq!(flight_rows(&standin, 1, ALL).await, Vec::<String>::new());
    assert_eq!(admin(&standin, "/frontends/1/lag", r#"{"ms": 0}"#).await.0, 200);
    assert_eq!(flight_rows(&standin, 1, ALL).await, ["1|new"]);
    for (path, body, status) in [
        ("/frontends/0/lag", r#"{"ms": 1}"#, 409),
        ("/frontends/7/lag", r#"{"ms": 1}"#, 409),
        ("/frontends/1/lag", r#"{"seconds": 1}"#, 400),
        ("/frontends/1/lag", "", 400),
    ] {
        let (given, answer) = admin(&standin, path, body).await;
        assert_eq!(given, status, "{path} {body}: {answer}");
    }
}
