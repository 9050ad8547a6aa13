//! Planning: tablets, views, three-part names, filters.

use std::time::Duration;

use doris_client::ErrorKind;

use crate::support::*;

const INIT: &str = "
CREATE DATABASE db;
CREATE TABLE db.t (id INT NOT NULL, name VARCHAR(50), age SMALLINT) DUPLICATE KEY(id)
  DISTRIBUTED BY HASH(id) BUCKETS 4 PROPERTIES ('replication_num' = '1');
INSERT INTO db.t VALUES (1, 'a', 10), (2, 'b', 20), (3, NULL, NULL);
";

const COLUMNS: [(&str, &str); 2] = [("id", "INT NOT NULL"), ("name", "STRING")];

#[tokio::test]
async fn tablets_with_their_back_ends() {
    let standin = cluster_with(INIT, |c| c.backends = 2).await;
    let plan = read(&standin, "db.t", &COLUMNS).plan().await.unwrap();
    assert!(plan.has_tablets);
    assert_eq!(plan.tablets.len(), 4);
    assert!(plan.tablets.is_sorted_by_key(|t| t.id));
    assert!(
        plan.tablets
            .iter()
            .all(|t| !t.backends.is_empty() && t.backends[0].contains(':'))
    );
    assert_eq!(plan.warnings, Vec::<String>::new());
    assert_eq!(standin.stats().flight_sessions, 0);
}

/// A server that spreads results over endpoints by default, and lists no tablets where no rows ever came.
#[tokio::test]
async fn tables_of_a_4_1_server_are_read_whole_and_empty_ones_have_no_tablets() {
    let empty = "CREATE TABLE db.none (id INT NOT NULL, name VARCHAR(50)) DUPLICATE KEY(id)
        DISTRIBUTED BY HASH(id) BUCKETS 4 PROPERTIES ('replication_num' = '1');";
    let standin = cluster_with(&format!("{INIT} {empty}"), |c| {
        c.profile = "doris-4.1".to_owned();
        c.backends = 3;
    })
    .await;
    let rows = read(&standin, "db.t", &COLUMNS).rows().await.unwrap();
    assert_eq!(rows, ["1|a", "2|b", "3|NULL"]);
    let none = read(&standin, "db.none", &COLUMNS);
    let plan = none.plan().await.unwrap();
    assert!(plan.has_tablets && plan.tablets.is_empty(), "{plan:?}");
    assert_eq!(none.rows().await.unwrap(), Vec::<String>::new());
    // One bucket is left where the filter fixes the key.
    let one = read(&standin, "db.t", &COLUMNS).with("doris.filter.query", "id = 2");
    assert_eq!(one.plan().await.unwrap().tablets.len(), 1);
    assert_eq!(one.rows().await.unwrap(), ["2|b"]);
}

#[tokio::test]
async fn names_of_another_case_fit_with_a_note() {
    let standin = cluster(INIT).await;
    let plan = read(&standin, "db.t", &[("ID", "INT NOT NULL"), ("Name", "STRING")])
        .plan()
        .await
        .unwrap();
    assert_eq!(plan.warnings.len(), 2);
    assert!(
        plan.warnings[0].contains("'ID' is spelled 'id'"),
        "{:?}",
        plan.warnings
    );
    let rows = read(&standin, "db.t", &[("ID", "INT NOT NULL"), ("Name", "STRING")])
        .rows()
        .await
        .unwrap();
    assert_eq!(rows, ["1|a", "2|b", "3|NULL"]);
}

#[tokio::test]
async fn an_empty_projection_can_be_planned() {
    let standin = cluster(INIT).await;
    let plan = read(&standin, "db.t", &COLUMNS).wanted(&[]).plan().await.unwrap();
    assert_eq!(plan.tablets.len(), 4);
}

#[tokio::test]
async fn a_filter_that_the_server_refuses_is_told_with_its_text() {
    let standin = cluster(INIT).await;
    let error = read(&standin, "db.t", &COLUMNS)
        .with("doris.filter.query", "no_such_column = 1")
        .plan()
        .await
        .unwrap_err();
    assert_error(
        &error,
        ErrorKind::Query,
        &["db.t", "doris.filter.query", "no_such_column"],
    );
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn views_and_names_of_three_parts_are_one_query() {
    let standin = cluster(&format!(
        "{INIT} CREATE VIEW db.v AS SELECT id, name FROM db.t WHERE id < 3;"
    ))
    .await;
    for (table, rows) in [
        ("db.v", &["1|a", "2|b"][..]),
        ("internal.db.t", &["1|a", "2|b", "3|NULL"]),
    ] {
        let read = read(&standin, table, &[("id", "INT"), ("name", "STRING")]);
        let plan = read.plan().await.unwrap();
        assert!(!plan.has_tablets && plan.tablets.is_empty(), "{table}");
        assert_eq!(read.rows().await.unwrap(), rows, "{table}");
        assert_eq!(
            read.wanted(&[]).rows().await.unwrap().len(),
            rows.len(),
            "{table}"
        );
    }
}

#[tokio::test]
async fn what_the_planner_of_tablets_refuses_is_told() {
    let standin = cluster(INIT).await;
    let refused = r#"{"at": "fe.api", "match": {"statement": "_query_plan"}, "do": {"answer": {"code": 0, "message": "x", "data": {"status": 400, "exception": "only single table"}}}}"#;
    standin.add_fault_json(refused).unwrap();
    let error = read(&standin, "db.t", &COLUMNS).plan().await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Query,
        &["only single table", "db.t", "127.0.0.1"],
    );
}

/// What a lagging follower does not list yet would be missing from the content for ever, since its changes are older than
/// those that are followed.
#[tokio::test]
async fn the_content_behind_which_changes_are_followed_is_planned_at_the_master() {
    let partitioned = "CREATE DATABASE db;
        CREATE TABLE db.t (id INT NOT NULL, name VARCHAR(50)) UNIQUE KEY(id) PARTITION BY RANGE(id)
        (PARTITION p1 VALUES LESS THAN ('10')) DISTRIBUTED BY HASH(id) BUCKETS 1
        PROPERTIES ('replication_num' = '1', 'changelog.enable' = 'true');
        INSERT INTO db.t VALUES (1, 'a');";
    let standin = cluster_with(partitioned, |c| c.frontends = 2).await;
    let follower = format!("127.0.0.1:{}", standin.ports().fe[1].http);
    standin.lag_frontend(1, Duration::from_secs(60)).unwrap();
    standin
        .execute(
            "ALTER TABLE db.t ADD PARTITION p2 VALUES LESS THAN ('20'); INSERT INTO db.t VALUES (11, 'b')",
        )
        .await
        .unwrap();
    let content = read(&standin, "db.t", &COLUMNS).with("fenodes", &follower);
    let plan = content.plan().await.unwrap();
    assert_eq!(plan.tablets.len(), 1, "the follower does not lag");
    let plan = content
        .with("changelog.increment-type", "detail")
        .plan()
        .await
        .unwrap();
    assert_eq!(plan.tablets.len(), 2);
    assert_eq!(plan.warnings, Vec::<String>::new());
}
