//! Moments and days of different precision beside each other.

use super::Fixture;

async fn filled() -> Fixture {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT NOT NULL, s DATETIME, ms DATETIME(3), us DATETIME(6), d DATE, z TIMESTAMPTZ(0))
         UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2;
         INSERT INTO t VALUES
           (1, '2026-01-01 00:00:00', '2026-01-01 00:00:00.5', '2026-01-01 00:00:00.123456', '2026-01-01', '2026-01-01 00:00:00'),
           (2, '2026-01-01 00:00:01', '2026-01-01 00:00:01', '2026-01-01 00:00:01', '9999-12-31', '2026-01-01 00:00:01'),
           (3, NULL, NULL, NULL, NULL, NULL)",
    )
    .await;
    f
}

async fn ids(f: &mut Fixture, predicate: &str) -> String {
    f.texts(&format!("SELECT id FROM t WHERE {predicate} ORDER BY id"))
        .await
        .join(",")
}

#[tokio::test]
async fn a_datetime_is_compared_with_the_fraction_of_a_literal() {
    let mut f = filled().await;
    for (predicate, wanted) in [
        ("s > '2026-01-01 00:00:00.5'", "2"),
        ("s >= '2026-01-01 00:00:00.000001'", "2"),
        ("s < '2026-01-01 00:00:00.5'", "1"),
        ("'2026-01-01 00:00:00.5' > s", "1"),
        ("s = '2026-01-01 00:00:00.5'", ""),
        ("s = '2026-01-01 00:00:00.000'", "1"),
        ("s <> '2026-01-01 00:00:00.5'", "1,2"),
        ("s <=> '2026-01-01 00:00:00.5'", ""),
        ("s IN ('2026-01-01 00:00:00.5', '2026-01-01 00:00:01')", "2"),
        ("s NOT IN ('2026-01-01 00:00:00.5')", "1,2"),
        (
            "s BETWEEN '2025-12-31 23:59:59.9' AND '2026-01-01 00:00:00.9'",
            "1",
        ),
        (
            "s NOT BETWEEN '2026-01-01 00:00:00.1' AND '2026-01-01 00:00:00.9'",
            "1,2",
        ),
        ("s > TIMESTAMP '2026-01-01 00:00:00.5'", "2"),
        ("s > CAST('2026-01-01 00:00:00.5' AS DATETIME(6))", "2"),
        ("ms > '2026-01-01 00:00:00.499999'", "1,2"),
        ("ms > '2026-01-01 00:00:00.500001'", "2"),
        ("ms = '2026-01-01 00:00:00.5'", "1"),
        ("us <= '2026-01-01 00:00:00.123456'", "1"),
        ("z > '2026-01-01 00:00:00.5'", "2"),
    ] {
        assert_eq!(ids(&mut f, predicate).await, wanted, "{predicate}");
    }
}

#[tokio::test]
async fn datetimes_of_different_scales_are_compared_in_full() {
    let mut f = filled().await;
    for (predicate, wanted) in [
        ("s = ms", "2"),
        ("s < ms", "1"),
        ("s = us", "2"),
        ("ms > us", "1"),
        ("us BETWEEN s AND ms", "1,2"),
    ] {
        assert_eq!(ids(&mut f, predicate).await, wanted, "{predicate}");
    }
}

#[tokio::test]
async fn a_date_is_compared_with_a_moment_as_its_midnight() {
    let mut f = filled().await;
    for (predicate, wanted) in [
        ("d < '2026-01-01 00:00:01'", "1"),
        ("d > '2026-01-01 00:00:01'", "2"),
        ("d = '2026-01-01 00:00:00'", "1"),
        ("d = '2026-01-01 00:00:00.5'", ""),
        ("d = '20260101'", "1"),
        ("d < 20260101000001", "1"),
        ("d < '20260101000001'", "1"),
        ("d < TIMESTAMP '9999-12-31 00:00:01'", "1,2"),
        ("d IN ('2026-01-01 00:00:00', '9999-12-31 01:00:00')", "1"),
        ("d BETWEEN '2026-01-01' AND '9999-12-31 23:59:59.999999'", "1,2"),
        ("d BETWEEN '2026-01-01 00:00:01' AND '9999-12-31'", "2"),
        ("d = s", "1"),
        ("d > us", "2"),
        ("d <= ms", "1"),
    ] {
        assert_eq!(ids(&mut f, predicate).await, wanted, "{predicate}");
    }
}

#[tokio::test]
async fn a_delete_counts_the_fraction_too() {
    let mut f = filled().await;
    f.run("DELETE FROM t WHERE s < '2026-01-01 00:00:00.5'").await;
    assert_eq!(ids(&mut f, "TRUE").await, "2,3");
}
