//! Changes that expire, and those that come back.

use super::{changes, later, next_stamp_at, text, unique};
use crate::sql::tests::Fixture;

/// Rows 1, 2, 3 an hour apart in a table that keeps changes for 5400 seconds. Gives the moment of the last.
async fn three() -> (Fixture, i64) {
    let mut f = unique(true, r#", "changelog.ttl_seconds" = "5400""#).await;
    let first = later(&f);
    for id in 1..=3 {
        next_stamp_at(&f, first + (id - 1) * 3_600_000);
        f.run(&format!("INSERT INTO t VALUES ({id}, 'a', {id})")).await;
    }
    (f, first + 2 * 3_600_000)
}

const EXPIRED: &str = "Changelog offset has expired according to changelog.ttl_seconds";

async fn refusal(f: &mut Fixture, increment: &str, start: &str) -> String {
    f.error(&format!(
        "SELECT * FROM t@incr('incrementType' = '{increment}', 'startTimestamp' = '{start}')"
    ))
    .await
}

#[tokio::test]
async fn expired_changes_are_left_out_and_come_back_with_a_longer_time() {
    let (mut f, last) = three().await;
    let from_start = ", 'startTimestamp' = '2020-01-01 00:00:00'";
    for increment in ["DETAIL", "APPEND_ONLY"] {
        assert_eq!(
            changes(&mut f, increment, from_start).await,
            ["0|2|a|2", "0|3|a|3"]
        );
    }
    assert_eq!(changes(&mut f, "MIN_DELTA", "").await.len(), 2);
    f.run(r#"ALTER TABLE t SET ("changelog.ttl_seconds" = "86400")"#)
        .await;
    assert_eq!(changes(&mut f, "DETAIL", from_start).await.len(), 3);
    f.run(r#"ALTER TABLE t SET ("changelog.ttl_seconds" = "5400")"#)
        .await;
    let state = f.engine.changelog_state("d", "t").unwrap();
    assert_eq!((state.rows, state.ttl_seconds, state.history), (3, 5400, true));
    assert_eq!(state.expired_to_ms, last - 5_400_000);
    let version = f.engine.table_info("d", "t").unwrap().version;
    assert_eq!(f.engine.purge_changes("d", "t").await, Ok(1));
    assert_eq!(f.engine.purge_changes("d", "t").await, Ok(0));
    assert_eq!(f.engine.table_info("d", "t").unwrap().version, version);
    f.run(r#"ALTER TABLE t SET ("changelog.ttl_seconds" = "86400")"#)
        .await;
    assert_eq!(
        changes(&mut f, "DETAIL", from_start).await,
        ["0|2|a|2", "0|3|a|3"]
    );
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["3"]);
}

#[tokio::test]
async fn a_change_expires_with_the_millisecond_of_its_commit() {
    let (mut f, last) = three().await;
    // Row 2 is 3600 seconds old; the time that changes are kept makes it 1800 seconds more.
    next_stamp_at(&f, last + 1_800_000 - 1);
    f.run("INSERT INTO t VALUES (4, 'a', 4)").await;
    assert_eq!(changes(&mut f, "DETAIL", "").await.len(), 3);
    next_stamp_at(&f, last + 1_800_000);
    f.run("INSERT INTO t VALUES (5, 'a', 5)").await;
    assert_eq!(
        changes(&mut f, "DETAIL", "").await,
        ["0|3|a|3", "0|4|a|4", "0|5|a|5"]
    );
}

#[tokio::test]
async fn net_changes_from_an_expired_start_are_refused() {
    let (mut f, last) = three().await;
    let border = last - 5_400_000;
    for start in ["0".to_owned(), "1971-01-01 00:00:00".to_owned(), text(border)] {
        assert!(
            refusal(&mut f, "MIN_DELTA", &start).await.contains(EXPIRED),
            "{start}"
        );
    }
    let kept = format!(", 'startTimestamp' = '{}'", text(border + 1));
    assert_eq!(changes(&mut f, "MIN_DELTA", &kept).await.len(), 2);
    f.run("CREATE TABLE dup (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES (\"changelog.enable\" = \"true\")").await;
    let text = f
        .error(
            "SELECT * FROM dup@incr('incrementType' = 'MIN_DELTA', 'startTimestamp' = '1971-01-01 00:00:00')",
        )
        .await;
    assert!(text.contains(EXPIRED), "{text}");
    let mut old = Fixture::with(super::switches(&["changelog_names=binlog"])).await;
    old.run("CREATE TABLE t (id INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES (\"binlog.enable\" = \"true\", \"binlog.format\" = \"ROW\", \"binlog.need_historical_value\" = \"true\")").await;
    let text = refusal(&mut old, "MIN_DELTA", "0").await;
    assert!(
        text.contains("Row binlog offset has expired according to binlog.ttl_seconds"),
        "{text}"
    );
}

#[tokio::test]
async fn moving_the_clock_expires_changes() {
    let mut f = unique(true, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    f.engine.catalog().clock.shift(86_400_000 - 60_000);
    assert_eq!(changes(&mut f, "DETAIL", "").await.len(), 1);
    f.engine.catalog().clock.shift(60_000);
    assert!(changes(&mut f, "DETAIL", "").await.is_empty());
}
