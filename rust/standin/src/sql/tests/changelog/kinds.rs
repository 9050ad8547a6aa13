//! `MIN_DELTA` and `APPEND_ONLY`.

use super::{changes, later, next_stamp_at, sorted_changes, text, unique};
use crate::cluster::clock::first_stamp;
use crate::sql::tests::Fixture;

/// A fixture whose key 1 is there before the window when `there`, and the parameters of a window that starts now.
async fn prepared(there: bool) -> (Fixture, String) {
    let mut f = unique(true, "").await;
    if there {
        f.run("INSERT INTO t VALUES (1, 'before', 0)").await;
    }
    let start = later(&f);
    next_stamp_at(&f, start);
    (f, format!(", 'startTimestamp' = '{}'", text(start)))
}

const WRITE: &str = "INSERT INTO t VALUES (1, 'new', 1)";
const AGAIN: &str = "INSERT INTO t VALUES (1, 'newer', 2)";
const DELETE: &str = "DELETE FROM t WHERE id = 1";

#[tokio::test]
async fn net_changes_follow_the_matrix_of_first_and_last_record() {
    let pair = ["2|1|before|0", "3|1|newer|2"];
    let gone = ["1|1|before|0"];
    let cases: [(bool, &[&str], &[&str]); 9] = [
        (false, &[WRITE, DELETE, AGAIN], &["0|1|newer|2"]),
        (false, &[WRITE, AGAIN], &["0|1|newer|2"]),
        (false, &[WRITE, AGAIN, DELETE], &[]),
        (true, &[WRITE, DELETE, AGAIN], &pair),
        (true, &[WRITE, AGAIN], &pair),
        (true, &[WRITE, AGAIN, DELETE], &gone),
        (true, &[DELETE, AGAIN], &pair),
        (true, &[DELETE, WRITE, AGAIN], &pair),
        (true, &[DELETE, WRITE, AGAIN, DELETE], &gone),
    ];
    for (there, writes, expected) in cases {
        let (mut f, from) = prepared(there).await;
        for write in writes {
            f.run(write).await;
        }
        assert_eq!(
            changes(&mut f, "MIN_DELTA", &from).await,
            expected,
            "{there} {writes:?}"
        );
    }
}

#[tokio::test]
async fn a_net_update_begins_with_the_stamp_of_its_first_record() {
    let (mut f, from) = prepared(true).await;
    f.run("INSERT INTO t VALUES (1, 'new', 1)").await;
    f.run("INSERT INTO t VALUES (2, 'other', 1)").await;
    f.run("INSERT INTO t VALUES (1, 'newer', 2)").await;
    let sql = format!(
        "SELECT __DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__ FROM t@incr('incrementType' = '{}'{from}) ORDER BY 1, 2, 3",
        "MIN_DELTA"
    );
    let net = f.texts(&sql).await;
    let detail = f.texts(&sql.replace("MIN_DELTA", "DETAIL")).await;
    let ops: Vec<&str> = net.iter().map(|row| &row[row.len() - 1..]).collect();
    // The other key's change stands between the two halves.
    assert_eq!(ops, ["2", "0", "3"]);
    assert_eq!(net[2], detail[detail.len() - 1]);
    let parts = |row: &String| row.split('|').map(str::to_owned).collect::<Vec<_>>();
    let (before, first, last) = (parts(&net[0]), parts(&detail[0]), parts(&net[2]));
    // Its number is that of the last record all the same.
    assert_eq!((&before[0], &before[1]), (&first[0], &last[1]));
}

#[tokio::test]
async fn a_key_that_ends_as_it_was_gives_no_pair() {
    let (mut f, from) = prepared(true).await;
    f.run(WRITE).await;
    f.run("INSERT INTO t VALUES (1, 'before', 0), (2, NULL, NULL)")
        .await;
    assert_eq!(changes(&mut f, "MIN_DELTA", &from).await, ["0|2|NULL|NULL"]);
    assert_eq!(changes(&mut f, "DETAIL", &from).await.len(), 5);
    // Values that cannot be compared are told again.
    f.run("CREATE TABLE u (id INT, d DOUBLE) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES (\"changelog.enable\" = \"true\", \"changelog.need_historical_value\" = \"true\")").await;
    f.run("INSERT INTO u VALUES (1, 1.5)").await;
    let start = later(&f) + 3_600_000;
    next_stamp_at(&f, start);
    f.run("INSERT INTO u VALUES (1, 1.5)").await;
    let sql = format!("SELECT * FROM u@incr('startTimestamp' = '{}')", text(start));
    assert_eq!(f.texts(&sql).await, ["1|1.5", "1|1.5"]);
}

#[tokio::test]
async fn bitmaps_have_before_images() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT, b BITMAP NOT NULL) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 \
         PROPERTIES (\"changelog.enable\" = \"true\", \"changelog.need_historical_value\" = \"true\")",
    )
    .await;
    f.run("INSERT INTO t VALUES (1, BITMAP_FROM_STRING('7,8,9'))")
        .await;
    let start = later(&f);
    next_stamp_at(&f, start);
    f.run("INSERT INTO t VALUES (1, BITMAP_FROM_STRING('7'))").await;
    f.run("DELETE FROM t WHERE id = 1").await;
    for (increment, told) in [("DETAIL", &["2|3", "3|1", "1|1"][..]), ("MIN_DELTA", &["1|3"])] {
        let sql = format!(
            "SELECT __DORIS_CHANGELOG_OP__, BITMAP_COUNT(b) FROM \
             t@incr('incrementType' = '{increment}', 'startTimestamp' = '{}') \
             ORDER BY __DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__",
            text(start)
        );
        assert_eq!(f.texts(&sql).await, told, "{increment}");
    }
}

#[tokio::test]
async fn net_changes_over_loads_that_overlap_are_one_insert_for_each_key() {
    let (mut f, from) = prepared(false).await;
    f.run(r#"INSERT INTO t SELECT number, 'a', number FROM numbers("number" = "50")"#)
        .await;
    f.run(r#"INSERT INTO t SELECT number + 25, 'b', number FROM numbers("number" = "50")"#)
        .await;
    let net = changes(&mut f, "MIN_DELTA", &from).await;
    assert_eq!(net.len(), 75);
    assert_eq!(net.iter().filter(|row| row.contains("|b|")).count(), 50);
    assert!(net.iter().all(|row| row.starts_with("0|")), "{net:?}");
    let appended = changes(&mut f, "APPEND_ONLY", &from).await;
    assert_eq!(appended.iter().filter(|row| row.contains("|b|")).count(), 25);
}

#[tokio::test]
async fn append_only_drops_all_but_inserts() {
    let mut f = unique(true, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)").await;
    f.run("INSERT INTO t VALUES (1, 'c', 3), (3, 'd', 4)").await;
    f.run("DELETE FROM t WHERE id = 2").await;
    f.run("INSERT INTO t VALUES (2, 'e', 5)").await;
    assert_eq!(
        sorted_changes(&mut f, "APPEND_ONLY").await,
        ["0|1|a|1", "0|2|b|2", "0|2|e|5", "0|3|d|4"]
    );
    assert_eq!(
        sorted_changes(&mut f, "append_only").await.len(),
        4,
        "the type's case does not matter"
    );
}

#[tokio::test]
async fn changes_of_every_type_come_without_an_order_too() {
    let mut f = unique(true, "").await;
    f.run(r#"INSERT INTO t SELECT number, 'a', 0 FROM numbers("number" = "70000")"#)
        .await;
    f.run("UPDATE t SET v = 1 WHERE id < 60000").await;
    for (increment, count) in [
        ("DETAIL", 190_000),
        ("MIN_DELTA", 70_000),
        ("APPEND_ONLY", 70_000),
    ] {
        let sql = format!("SELECT id, __DORIS_BINLOG_OP__ FROM t@incr('incrementType' = '{increment}')");
        let rows = f.rows(&sql).await;
        assert_eq!(rows.row_count(), count, "{increment}");
        assert!(
            rows.batches
                .iter()
                .all(|batch| batch.num_rows() <= crate::store::tablet::BATCH_ROWS)
        );
        let ordered = f
            .rows(&format!(
                "{sql} ORDER BY __DORIS_BINLOG_TSO__, __DORIS_BINLOG_LSN__, __DORIS_BINLOG_OP__"
            ))
            .await;
        assert_eq!(ordered.row_count(), count, "{increment}");
    }
    assert!(f.engine.catalog().clock.current().stamp > first_stamp(1));
}
