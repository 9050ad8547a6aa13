//! Front ends of other versions, as far as a client meets them: one that ignores `@incr`, one that cuts point queries short.

use doris_standin::Standin;

use crate::incr_client::{api, api_rows, changes_set, changes_till_now};
use crate::support::{cluster_with, http, login, read, rows};

async fn ignored(standin: &Standin, frontend: usize) -> bool {
    // A column that changes alone have.
    let sql =
        changes_till_now(standin, "test.pupil").replacen("SELECT ", "SELECT __DORIS_CHANGELOG_TSO__, ", 1);
    let answer = api(standin, frontend, &sql).await;
    match answer["code"].as_i64() {
        Some(0) => false,
        _ => {
            let told = answer.to_string().to_uppercase();
            assert!(
                told.contains("UNKNOWN COLUMN '__DORIS_CHANGELOG_TSO__'"),
                "{told}"
            );
            true
        }
    }
}

#[tokio::test]
async fn incr_is_ignored_by_a_switch() {
    let standin = changes_set(&["incr_ignored=true"]).await;
    standin
        .execute("INSERT INTO test.pupil VALUES (1, 'a')")
        .await
        .unwrap();
    let past = "SELECT id FROM test.pupil@incr('startTimestamp' = '2000-01-01 00:00:00', 'endTimestamp' = '2000-01-01 00:00:01')";
    assert_eq!(api_rows(&standin, 0, past).await.len(), 1, "a row of the table");
    assert!(ignored(&standin, 0).await);
    let older = cluster_with(|config| config.profile = "doris-4.1".to_owned()).await;
    older
        .execute("CREATE DATABASE d; CREATE TABLE d.t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await
        .unwrap();
    let rows = api_rows(
        &older,
        0,
        "SELECT id FROM d.t@incr('startTimestamp' = '2000-01-01 00:00:00')",
    )
    .await;
    assert_eq!(rows.len(), 0);
}

#[tokio::test]
async fn one_front_end_of_two_ignores_incr() {
    let standin = crate::incr_client::changes_cluster(|config| config.frontends = 2).await;
    let path = "/frontends/1/incr";
    let set = async |path: &str, body: &str| {
        http(standin.ports().admin, "POST", path, body, None)
            .await
            .unwrap()
            .0
    };
    assert_eq!(
        (ignored(&standin, 0).await, ignored(&standin, 1).await),
        (false, false)
    );
    assert_eq!(set(path, r#"{"ignored": true}"#).await, 200);
    assert_eq!(
        (ignored(&standin, 0).await, ignored(&standin, 1).await),
        (false, true)
    );
    assert_eq!(set(path, r#"{"ignored": false}"#).await, 200);
    assert!(!ignored(&standin, 1).await);
    assert_eq!(set("/frontends/7/incr", r#"{"ignored": true}"#).await, 409);
    assert_eq!(set(path, r#"{"on": true}"#).await, 400);
}

#[tokio::test]
async fn a_point_query_has_no_result_unless_the_session_asks_for_one() {
    let standin = cluster_with(|config| config.set = vec!["flight_short_circuit=true".to_owned()]).await;
    standin
        .execute(
            "CREATE DATABASE d; CREATE TABLE d.t (id INT, name STRING) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1; \
             INSERT INTO d.t VALUES (1, 'a'), (2, 'b')",
        )
        .await
        .unwrap();
    let mut client = login(&standin).await;
    let point = "SELECT `name` FROM `d`.`t` WHERE (`id` = 1)";
    assert_eq!(
        rows(&read(&mut client, "SELECT `name` FROM `d`.`t`").await.unwrap()),
        2
    );
    let refused = read(&mut client, point).await.unwrap_err();
    assert!(refused.contains("no FlightSqlEndpointsLocations"), "{refused}");
    read(&mut client, "SET enable_short_circuit_query = false")
        .await
        .unwrap();
    assert_eq!(rows(&read(&mut client, point).await.unwrap()), 1);
}
