//! Windows: borders, zones, texts, and what is said about bad ones.

use super::{changes, later, next_stamp_at, switches, text, unique, unique_table, window};
use crate::sql::tests::Fixture;

/// Rows 1, 2, 3 with the first stamps of a second, the next millisecond and the next second. Then time passes.
async fn three(f: &mut Fixture) -> i64 {
    let second = later(f);
    for (id, ms) in [(1, 0), (2, 1), (3, 1000)] {
        next_stamp_at(f, second + ms);
        f.run(&format!("INSERT INTO t VALUES ({id}, 'a', {id})")).await;
    }
    f.engine
        .catalog()
        .clock
        .pass(crate::cluster::clock::first_stamp(second + 10_000));
    second
}

async fn ids(f: &mut Fixture, start: i64, end: i64) -> String {
    let found = changes(f, "DETAIL", &window(start, end)).await;
    found.iter().map(|row| &row[2..3]).collect()
}

#[tokio::test]
async fn a_window_has_its_start_and_not_its_end() {
    let mut f = unique(true, "").await;
    let s = three(&mut f).await;
    assert_eq!(ids(&mut f, s, s + 1000).await, "12");
    assert_eq!(ids(&mut f, s, s + 1001).await, "123");
    assert_eq!(ids(&mut f, s + 1, s + 1000).await, "2");
    assert_eq!(ids(&mut f, s + 1000, s + 2000).await, "3");
    assert_eq!(ids(&mut f, s - 1000, s).await, "");
}

#[tokio::test]
async fn earlier_servers_have_the_end_and_not_the_start() {
    let mut f = Fixture::with(switches(&["changelog_border=end_inclusive"])).await;
    f.run(&unique_table("t", true, 2, "")).await;
    let s = three(&mut f).await;
    assert_eq!(ids(&mut f, s, s + 1000).await, "23");
    assert_eq!(ids(&mut f, s - 1000, s).await, "1");
    assert_eq!(ids(&mut f, s + 1000, s + 2000).await, "");
}

#[tokio::test]
async fn ends_may_be_left_out() {
    let mut f = unique(true, "").await;
    let s = three(&mut f).await;
    assert_eq!(changes(&mut f, "DETAIL", "").await.len(), 3);
    let start = format!(", 'startTimestamp' = '{}'", text(s + 1));
    assert_eq!(changes(&mut f, "DETAIL", &start).await.len(), 2);
    let end = format!(", 'endTimestamp' = '{}'", text(s + 1));
    assert_eq!(changes(&mut f, "DETAIL", &end).await.len(), 1);
    assert_eq!(
        changes(&mut f, "DETAIL", ", 'startTimestamp' = '0'").await.len(),
        3
    );
    // From the oldest change on, without an error.
    assert_eq!(changes(&mut f, "MIN_DELTA", "").await.len(), 3);
}

#[tokio::test]
async fn windows_without_time_are_empty() {
    let mut f = unique(true, "").await;
    let s = three(&mut f).await;
    for increment in ["DETAIL", "MIN_DELTA", "APPEND_ONLY"] {
        for parameters in [
            window(s, s),
            window(s + 1000, s),
            format!(", 'startTimestamp' = '{}'", text(s + 86_400_000)),
        ] {
            assert!(
                changes(&mut f, increment, &parameters).await.is_empty(),
                "{increment}{parameters}"
            );
        }
    }
    let future = window(s, s + 86_400_000);
    let sql = format!("SELECT * FROM t@incr('incrementType' = 'DETAIL'{future})");
    assert!(
        f.error(&sql)
            .await
            .contains("endTimestamp exceeds the maximum supported time")
    );
}

#[tokio::test]
async fn times_are_those_of_the_sessions_zone() {
    let mut f = unique(true, "").await;
    let s = three(&mut f).await;
    f.run("SET time_zone = '+08:00'").await;
    assert_eq!(
        ids(&mut f, s + 8 * 3_600_000, s + 8 * 3_600_000 + 1000).await,
        "12"
    );
    assert_eq!(ids(&mut f, s - 3_600_000, s).await, "");
    f.run("SET time_zone = 'Asia/Shanghai'").await;
    assert_eq!(
        ids(&mut f, s + 8 * 3_600_000 + 1, s + 8 * 3_600_000 + 1000).await,
        "2"
    );
}

#[tokio::test]
async fn bad_parameters_are_told() {
    let mut f = unique(false, "").await;
    f.run("CREATE TABLE plain (id INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    f.run("CREATE TABLE dup (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES (\"changelog.enable\" = \"true\")").await;
    for (relation, reason) in [
        (
            "t@incr('starttimestamp' = '0', 'x' = '1')",
            "Unsupported parameter in incr query: [starttimestamp, x]",
        ),
        (
            "t@incr('incrementType' = 'delta')",
            "Unsupported increment type in incr query: DELTA",
        ),
        (
            "plain@incr()",
            "INCR query requires ROW changelog enabled on base table.",
        ),
        (
            "t@incr()",
            "MIN_DELTA INCR query requires base table to enable changelog.need_historical_value=true",
        ),
        (
            "t@incr('startTimestamp' = 'yesterday')",
            "Invalid TIMESTAMP format in incr clause: yesterday",
        ),
        (
            "t@incr('endTimestamp' = '2026-10-09')",
            "Invalid TIMESTAMP format in incr clause: 2026-10-09",
        ),
        ("t@incr('startTimestamp' = 0)", "mismatched input"),
        ("missing@incr()", "Table [missing] does not exist"),
    ] {
        let text = f.error(&format!("SELECT * FROM {relation}")).await;
        assert!(
            text.starts_with("errCode = 2, detailMessage = ") && text.contains(reason),
            "{relation}: {text}"
        );
    }
    let mut old = Fixture::with(switches(&["changelog_names=binlog"])).await;
    old.run("CREATE TABLE t (id INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    assert!(
        old.error("SELECT * FROM t@incr()")
            .await
            .contains("INCR query requires ROW binlog enabled on base table.")
    );
    let mut without = Fixture::with(switches(&["changelog=false"])).await;
    without
        .run("CREATE TABLE t (id INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    assert!(
        without
            .error("SELECT * FROM t@incr()")
            .await
            .contains("mismatched input '@incr'")
    );
}
