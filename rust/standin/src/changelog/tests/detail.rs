//! `DETAIL`: every record in order.

use crate::sql::tests::Fixture;

const TABLE: &str = r#"CREATE TABLE t (id INT NOT NULL, name VARCHAR(20), v INT) UNIQUE KEY(id)
    DISTRIBUTED BY HASH(id) BUCKETS 4
    PROPERTIES ("changelog.enable" = "true", "changelog.need_historical_value" = "true")"#;

/// Operation and row of every change.
const ALL: &str = "SELECT __DORIS_CHANGELOG_OP__, * FROM t@incr('incrementType' = 'DETAIL') \
    ORDER BY __DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__";

#[tokio::test]
async fn every_record_is_shown_with_its_before_image() {
    let mut f = Fixture::new().await;
    f.run(TABLE).await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("INSERT INTO t VALUES (1, 'b', 2)").await;
    f.run("DELETE FROM t WHERE id = 1").await;
    f.run("INSERT INTO t VALUES (1, 'c', 3)").await;
    f.run("UPDATE t SET v = 4").await;
    assert_eq!(
        f.texts(ALL).await,
        ["0|1|a|1", "2|1|a|1", "3|1|b|2", "1|1|b|2", "0|1|c|3", "2|1|c|3", "3|1|c|4"]
    );
}
