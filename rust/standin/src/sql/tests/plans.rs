//! Tablets of a query, pruned by its predicate.

use super::Fixture;
use crate::sql::engine::PlanRefused;

async fn planned(f: &Fixture, sql: &str) -> usize {
    f.engine
        .plan_tablets(&f.session, "d", "t", sql)
        .await
        .unwrap_or_else(|e| panic!("{sql}: {e:?}"))
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
    f.run("INSERT INTO t VALUES ('2023-01-01', 1, ''), ('2024-01-01', 1, ''), ('2024-02-01', 1, '')")
        .await;
    for (predicate, tablets) in [
        ("", 12),
        ("WHERE k = 1", 3),
        ("WHERE 1 = k AND d = '2024-01-15'", 1),
        ("WHERE k > 1", 12),
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

/// A bucket that is left out by mistake would lose rows: whatever the type, the row is in a tablet of the plan.
#[tokio::test]
async fn buckets_are_those_of_the_rows() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (i INT, b BIGINT, l LARGEINT, c VARCHAR(20), d DATE, m DECIMAL(10, 2), dt DATETIME(3), v INT)
         DUPLICATE KEY(i) DISTRIBUTED BY HASH(i, b) BUCKETS 7",
    )
    .await;
    let row = |n: u32| {
        let (quarter, day) = (
            f64::from(n) / 4.0,
            format!("2024-{:02}-{:02}", n % 12 + 1, n % 28 + 1),
        );
        format!(
            "({n}, {}, {n}, 'k{n}', '{day}', {quarter}, '{day} 00:00:00', 1)",
            n * 7
        )
    };
    let rows: Vec<String> = (0..200).map(row).collect();
    f.run(&format!("INSERT INTO t VALUES {}", rows.join(", "))).await;
    for (column, keys) in [
        ("i", ["3", "150"]),
        ("b", ["21", "1050"]),
        ("l", ["3", "150"]),
        ("c", ["'k3'", "'k150'"]),
        ("d", ["'2024-04-04'", "'2024-07-11'"]),
        ("m", ["0.75", "37.50"]),
        ("dt", ["'2024-04-04 00:00:00'", "'2024-07-11 00:00:00.000'"]),
    ] {
        f.run("DROP TABLE IF EXISTS u").await;
        f.run(&format!("CREATE TABLE u (k INT, i INT, b BIGINT, l LARGEINT, c VARCHAR(20), d DATE, m DECIMAL(10, 2), dt DATETIME(3)) DUPLICATE KEY(k) DISTRIBUTED BY HASH({column}) BUCKETS 7")).await;
        f.run("INSERT INTO u SELECT i, i, b, l, c, d, m, dt FROM t").await;
        for predicate in [
            format!("{column} = {}", keys[0]),
            format!("{} = {column} AND k >= 0", keys[1]),
            format!("{column} IN ({}, {})", keys[0], keys[1]),
            format!("{column} = {} OR {column} = {}", keys[0], keys[1]),
        ] {
            let sql = format!("SELECT k FROM u WHERE {predicate}");
            let routes = f.engine.plan_tablets(&f.session, "d", "u", &sql).await.unwrap();
            assert!(routes.len() <= 7, "{sql}: {}", routes.len());
            let ids: Vec<String> = routes.iter().map(|route| route.tablet_id.to_string()).collect();
            let all = f.texts(&format!("{sql} ORDER BY k")).await;
            let read = format!(
                "SELECT k FROM u TABLET({}) WHERE {predicate} ORDER BY k",
                ids.join(",")
            );
            assert!(!all.is_empty(), "{sql}");
            assert_eq!(f.texts(&read).await, all, "{sql}");
        }
    }
    assert_eq!(planned(&f, "SELECT i FROM t WHERE i = 3").await, 7);
    assert_eq!(planned(&f, "SELECT i FROM t WHERE i = 3 AND b = 21").await, 1);
    assert!(planned(&f, "SELECT i FROM t WHERE i IN (1, 2) AND b IN (7, 14)").await <= 4);
    assert_eq!(planned(&f, "SELECT i FROM t WHERE i = 3 OR b = 21").await, 7);
    assert_eq!(planned(&f, "SELECT DISTINCT i FROM t").await, 7);
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
        "SELECT id FROM t LIMIT 1",
        "DELETE FROM t WHERE id = 1",
    ] {
        let error = f
            .engine
            .plan_tablets(&f.session, "d", "t", sql)
            .await
            .unwrap_err();
        let (PlanRefused::Shape(error) | PlanRefused::Query(error)) = error;
        assert!(error.message.starts_with("errCode = 2"), "{sql}: {error}");
    }
    let error = f
        .engine
        .plan_tablets(&f.session, "d", "t", "SELECT id FROM t WHERE nope = 1")
        .await
        .unwrap_err();
    assert!(
        matches!(&error, PlanRefused::Query(error) if error.message.contains("nope")),
        "{error:?}"
    );
    assert!(
        f.engine
            .plan_tablets(&f.session, "d", "gone", "SELECT id FROM gone")
            .await
            .is_err()
    );
}
