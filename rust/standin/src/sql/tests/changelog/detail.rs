//! `DETAIL`: every record in order.

use super::{changes, sorted_changes, unique, unique_table};
use crate::sql::tests::Fixture;

const NUMBERS: &str = "SELECT __DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__ \
    FROM t@incr('incrementType' = 'DETAIL') ORDER BY 1, 2, 3";

#[tokio::test]
async fn every_record_is_shown_with_its_before_image() {
    let mut f = unique(true, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("INSERT INTO t VALUES (1, 'b', 2)").await;
    f.run("DELETE FROM t WHERE id = 1").await;
    f.run("INSERT INTO t VALUES (1, 'c', 3)").await;
    f.run("UPDATE t SET v = 4").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        [
            "0|1|a|1", "2|1|a|1", "3|1|b|2", "1|1|b|2", "0|1|c|3", "2|1|c|3", "3|1|c|4"
        ]
    );
    // Nothing was changed, so nothing is told.
    assert_eq!(f.affected("DELETE FROM t WHERE id = 7").await, 0);
    assert_eq!(changes(&mut f, "DETAIL", "").await.len(), 7);
}

#[tokio::test]
async fn without_history_a_whole_row_is_an_insert_and_a_delete_has_its_key_alone() {
    let mut f = unique(false, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("INSERT INTO t VALUES (1, 'b', 2)").await;
    f.run("UPDATE t SET name = 'c', v = 3").await;
    f.run("DELETE FROM t WHERE id = 1").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        ["0|1|a|1", "0|1|b|2", "0|1|c|3", "1|1|NULL|NULL"]
    );
    assert_eq!(
        changes(&mut f, "APPEND_ONLY", "").await,
        ["0|1|a|1", "0|1|b|2", "0|1|c|3"]
    );
}

#[tokio::test]
async fn without_history_an_update_of_some_columns_is_a_pair_of_the_new_values() {
    let mut f = unique(false, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("UPDATE t SET v = 3").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        ["0|1|a|1", "2|1|a|3", "3|1|a|3"]
    );
    assert_eq!(changes(&mut f, "APPEND_ONLY", "").await, ["0|1|a|1"]);
}

#[tokio::test]
async fn servers_of_november_2026_tell_every_update_without_history_as_a_pair() {
    let mut f = Fixture::with(super::switches(&[
        "changelog_update_without_history=pair",
        "changelog_delete_without_history=row",
    ]))
    .await;
    f.run(&unique_table("t", false, 4, "")).await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("INSERT INTO t VALUES (1, 'b', 2), (2, 'x', 9)").await;
    f.run("DELETE FROM t WHERE id = 1").await;
    f.run("INSERT INTO t VALUES (1, 'c', 3)").await;
    let of_one = changes(&mut f, "DETAIL", "").await;
    let of_one: Vec<&String> = of_one.iter().filter(|row| row[1..].starts_with("|1|")).collect();
    assert_eq!(of_one, ["0|1|a|1", "2|1|b|2", "3|1|b|2", "1|1|b|2", "0|1|c|3"]);
    // With before images the switches change nothing.
    f.run(&unique_table("u", true, 4, "")).await;
    f.run("INSERT INTO u VALUES (1, 'a', 1)").await;
    f.run("INSERT INTO u VALUES (1, 'b', 2)").await;
    assert_eq!(
        f.texts("SELECT __DORIS_CHANGELOG_OP__, * FROM u@incr('incrementType' = 'DETAIL') ORDER BY 1")
            .await,
        ["0|1|a|1", "2|1|a|1", "3|1|b|2"]
    );
}

#[tokio::test]
async fn without_history_a_delete_has_defaults_outside_its_key() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT NOT NULL, a STRING DEFAULT 'none', b INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 \
         PROPERTIES (\"changelog.enable\" = \"true\")",
    )
    .await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("DELETE FROM t WHERE id = 1").await;
    assert_eq!(changes(&mut f, "DETAIL", "").await, ["0|1|a|1", "1|1|none|NULL"]);
}

#[tokio::test]
async fn a_key_that_comes_twice_in_one_write_gives_one_record() {
    let mut f = unique(true, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1), (2, 'x', 1), (1, 'b', 2)")
        .await;
    assert_eq!(sorted_changes(&mut f, "DETAIL").await, ["0|1|b|2", "0|2|x|1"]);
    f.run("INSERT INTO t VALUES (1, 'c', 3), (1, 'd', 4)").await;
    assert_eq!(changes(&mut f, "DETAIL", "").await[2..], ["2|1|b|2", "3|1|d|4"]);
}

#[tokio::test]
async fn rows_that_lose_by_their_sequence_value_leave_no_record() {
    let mut f = unique(true, r#", "function_column.sequence_col" = "v""#).await;
    f.run("INSERT INTO t VALUES (1, 'a', 5)").await;
    f.run("INSERT INTO t VALUES (1, 'old', 4)").await;
    f.run("INSERT INTO t VALUES (1, 'b', 7), (1, 'c', 6)").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        ["0|1|a|5", "2|1|a|5", "3|1|b|7"]
    );
    assert_eq!(f.texts("SELECT * FROM t").await, ["1|b|7"]);
}

#[tokio::test]
async fn duplicate_tables_record_inserts_only() {
    let mut f = Fixture::with(super::switches(&["changelog_predicate_delete=silent"])).await;
    f.run(
        r#"CREATE TABLE t (id INT, name STRING) DUPLICATE KEY(id) DISTRIBUTED BY RANDOM BUCKETS 3
        PROPERTIES ("changelog.enable" = "true")"#,
    )
    .await;
    f.run("INSERT INTO t VALUES (1, 'a'), (1, 'a')").await;
    f.run("INSERT INTO t VALUES (2, 'b'); DELETE FROM t WHERE id = 1")
        .await;
    let all = ["0|1|a", "0|1|a", "0|2|b"];
    assert_eq!(changes(&mut f, "DETAIL", "").await, all);
    assert_eq!(changes(&mut f, "APPEND_ONLY", "").await, all);
    assert_eq!(changes(&mut f, "MIN_DELTA", "").await, all);
    assert_eq!(
        f.texts("SELECT * FROM t@incr() ORDER BY __DORIS_CHANGELOG_TSO__")
            .await,
        ["1|a", "1|a", "2|b"]
    );
}

#[tokio::test]
async fn one_transaction_has_one_stamp_and_a_pair_one_number() {
    let mut f = unique(true, "").await;
    f.run(r#"INSERT INTO t SELECT number, 'a', 0 FROM numbers("number" = "100")"#)
        .await;
    f.run("UPDATE t SET v = 1 WHERE id < 50").await;
    let rows: Vec<Vec<i64>> = f
        .texts(NUMBERS)
        .await
        .iter()
        .map(|row| row.split('|').map(|number| number.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 200);
    let committed: Vec<i64> = f
        .engine
        .transactions()
        .list()
        .iter()
        .filter_map(|txn| txn.tso)
        .map(|tso| i64::try_from(tso).unwrap())
        .collect();
    assert!(
        rows[..100]
            .iter()
            .all(|row| row[0] == committed[0] && row[2] == 0)
    );
    assert!(rows[100..].iter().all(|row| row[0] == committed[1]));
    for pair in rows[100..].chunks(2) {
        assert_eq!((pair[0][1], pair[0][2], pair[1][2]), (pair[1][1], 2, 3));
    }
    let mut numbers: Vec<i64> = rows.iter().map(|row| row[1]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 150);
    assert!(
        numbers[0] > 0 && numbers[149] - numbers[0] > 150,
        "neither from 0 nor dense: {numbers:?}"
    );
}

#[tokio::test]
async fn numbers_repeat_across_back_ends_where_the_switch_says_so() {
    let mut f = Fixture::with(super::switches(&["changelog_lsn=backend"])).await;
    f.run(&unique_table("t", true, 6, "")).await;
    f.run(r#"INSERT INTO t SELECT number, 'a', 0 FROM numbers("number" = "1000")"#)
        .await;
    let rows = f.texts(NUMBERS).await;
    assert_eq!(rows.len(), 1000);
    assert!(rows.is_sorted());
    let mut unique = rows.clone();
    unique.dedup();
    assert!(unique.len() < 500, "{} numbers", unique.len());
}

#[tokio::test]
async fn deletes_by_predicate_are_recorded_row_by_row_or_refused() {
    let light = r#", "enable_mow_light_delete" = "true""#;
    let mut f = unique(true, light).await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("DELETE FROM t WHERE id = 1").await;
    assert_eq!(changes(&mut f, "DETAIL", "").await, ["0|1|a|1", "1|1|a|1"]);
    f.run("CREATE TABLE d (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES (\"changelog.enable\" = \"true\")").await;
    let refused = f.error("DELETE FROM d WHERE id = 1").await;
    assert!(
        refused.contains("DELETE with predicates is not supported when changelog<row> is enabled"),
        "{refused}"
    );
    // Servers before September 2026 lost them without a word.
    let mut f = Fixture::with(super::switches(&["changelog_predicate_delete=silent"])).await;
    f.run(&unique_table("t", true, 4, light)).await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("DELETE FROM t WHERE id = 1").await;
    assert_eq!(changes(&mut f, "DETAIL", "").await, ["0|1|a|1"]);
}

#[tokio::test]
async fn what_replaces_partitions_as_a_whole_leaves_no_record() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (id INT NOT NULL, v INT) UNIQUE KEY(id)
        PARTITION BY RANGE(id) (PARTITION p1 VALUES LESS THAN ("10"), PARTITION p2 VALUES LESS THAN ("20"))
        DISTRIBUTED BY HASH(id) BUCKETS 1
        PROPERTIES ("changelog.enable" = "true", "changelog.need_historical_value" = "true")"#,
    )
    .await;
    f.run("INSERT INTO t VALUES (1, 1), (11, 1)").await;
    assert_eq!(sorted_changes(&mut f, "DETAIL").await, ["0|11|1", "0|1|1"]);
    f.run("INSERT OVERWRITE TABLE t VALUES (2, 2); TRUNCATE TABLE t")
        .await;
    assert_eq!(sorted_changes(&mut f, "DETAIL").await.len(), 2);
    f.run(
        r#"ALTER TABLE t ADD TEMPORARY PARTITION tp VALUES [("0"), ("10"));
        INSERT INTO t TEMPORARY PARTITION (tp) VALUES (3, 3);
        ALTER TABLE t REPLACE PARTITION (p1) WITH TEMPORARY PARTITION (tp)"#,
    )
    .await;
    assert_eq!(f.texts("SELECT * FROM t").await, ["3|3"]);
    assert_eq!(sorted_changes(&mut f, "DETAIL").await, ["0|11|1"]);
    f.run("INSERT INTO t VALUES (3, 4)").await;
    assert_eq!(
        f.texts(
            "SELECT v, __DORIS_CHANGELOG_OP__ FROM t@incr('incrementType'='DETAIL') PARTITION (p1) ORDER BY 2"
        )
        .await,
        ["3|2", "4|3"]
    );
}

#[tokio::test]
async fn columns_that_come_and_go_do_so_for_older_records_too() {
    let mut f = unique(true, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.run("ALTER TABLE t ADD COLUMN w INT DEFAULT '7'").await;
    f.run("INSERT INTO t VALUES (1, 'b', 2, 8)").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        ["0|1|a|1|7", "2|1|a|1|7", "3|1|b|2|8"]
    );
    f.run("ALTER TABLE t DROP COLUMN name").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        ["0|1|1|7", "2|1|1|7", "3|1|2|8"]
    );
    // A column that comes back under its name does not bring its old values.
    f.run("ALTER TABLE t ADD COLUMN name STRING").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        ["0|1|1|7|NULL", "2|1|1|7|NULL", "3|1|2|8|NULL"]
    );
}

#[tokio::test]
async fn tables_with_cluster_keys_record_as_others_do() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT NOT NULL, rank_of INT NOT NULL) UNIQUE KEY(id) ORDER BY(rank_of) DISTRIBUTED BY HASH(id) BUCKETS 1 \
         PROPERTIES (\"changelog.enable\" = \"true\", \"changelog.need_historical_value\" = \"true\")",
    )
    .await;
    f.run("INSERT INTO t VALUES (1, 30)").await;
    f.run("INSERT INTO t VALUES (1, 20)").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        ["0|1|30", "2|1|30", "3|1|20"]
    );
}
