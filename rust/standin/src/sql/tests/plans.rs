//! Tablets of a query, pruned by its predicate.

use super::Fixture;

async fn planned(f: &Fixture, sql: &str) -> usize {
    f.engine
        .plan_tablets(&f.session, "d", "t", sql)
        .await
        .unwrap_or_else(|e| panic!("{sql}: {e}"))
        .len()
}

#[tokio::test]
async fn ranges_are_pruned() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (d DATE, k INT, v STRING) DUPLICATE KEY(d, k)
           PARTITION BY RANGE(d) (PARTITION p1 VALUES LESS THAN ("2024-01-01"), PARTITION p2 VALUES LESS THAN ("2024-02-01"),
                                  PARTITION p3 VALUES LESS THAN ("2024-03-01"))
           DISTRIBUTED BY HASH(k) BUCKETS 4"#,
    )
    .await;
    for (predicate, tablets) in [
        ("", 12),
        ("WHERE k = 1", 12),
        ("WHERE d = '2024-01-15'", 4),
        ("WHERE d >= '2024-01-15' AND v = 'x'", 8),
        ("WHERE `d` < '2024-01-15' AND k > 3", 8),
        ("WHERE d IN ('2023-01-01', '2024-02-03')", 8),
        ("WHERE d = '2024-01-15' OR k = 1", 12),
        ("WHERE d BETWEEN '2024-01-05' AND '2024-01-06'", 4),
    ] {
        assert_eq!(
            planned(&f, &format!("select `d`,`v` from `d`.`t` {predicate}")).await,
            tablets,
            "{predicate}"
        );
    }
    f.run("INSERT INTO t VALUES ('2024-01-15', 1, 'x'), (NULL, 2, 'y')")
        .await;
    assert_eq!(f.texts("SELECT v FROM t WHERE d = '2024-01-15'").await, ["x"]);
    assert_eq!(f.texts("SELECT v FROM t WHERE d IS NULL").await, ["y"]);
}

#[tokio::test]
async fn lists_are_pruned() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (c VARCHAR(10), v INT) DUPLICATE KEY(c)
           PARTITION BY LIST(c) (PARTITION p1 VALUES IN ("a", "b"), PARTITION p2 VALUES IN ("c"))
           DISTRIBUTED BY HASH(v) BUCKETS 2"#,
    )
    .await;
    assert_eq!(planned(&f, "SELECT v FROM t WHERE c = 'c'").await, 2);
    assert_eq!(planned(&f, "SELECT v FROM t WHERE c = 'b'").await, 2);
    assert_eq!(planned(&f, "SELECT v FROM t").await, 4);
}

#[tokio::test]
async fn what_is_no_single_scan_is_refused() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT); CREATE TABLE u (id INT)").await;
    for sql in [
        "SELECT count(*) FROM t",
        "SELECT t.id FROM t JOIN u ON t.id = u.id",
        "SELECT id FROM u",
        "SELECT nope FROM t",
        "SELECT id FROM t WHERE nope = 1",
        "SELECT id FROM t WHERE id = = 1",
        "SELECT id FROM t ORDER BY id",
        "DELETE FROM t WHERE id = 1",
    ] {
        let error = f
            .engine
            .plan_tablets(&f.session, "d", "t", sql)
            .await
            .unwrap_err();
        assert!(error.message.starts_with("errCode = 2"), "{sql}: {error}");
    }
    let error = f
        .engine
        .plan_tablets(&f.session, "d", "t", "SELECT id FROM t WHERE nope = 1")
        .await
        .unwrap_err();
    assert!(error.message.contains("nope"), "{error}");
    assert!(
        f.engine
            .plan_tablets(&f.session, "d", "gone", "SELECT id FROM gone")
            .await
            .is_err()
    );
}
