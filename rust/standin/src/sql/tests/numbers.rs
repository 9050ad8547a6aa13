//! Numbers: types of literals, texts beside numbers.

use super::Fixture;
use crate::profile::Switches;

#[tokio::test]
async fn integer_literals_have_the_smallest_type_that_holds_them() {
    let mut f = Fixture::new().await;
    for (literal, doris_type) in [
        ("1", "tinyint"),
        ("-128", "tinyint"),
        ("128", "smallint"),
        ("-32769", "int"),
        ("2147483648", "bigint"),
        ("9223372036854775807", "bigint"),
        ("9223372036854775808", "largeint"),
        ("18446744073709551615", "largeint"),
    ] {
        for sql in [
            format!("SELECT {literal}"),
            format!("SELECT {literal} AS x"),
            format!("SELECT x FROM (SELECT {literal} AS x) t WHERE x IS NOT NULL ORDER BY x LIMIT 1"),
            format!("SELECT max(x) FROM (SELECT {literal} AS x) t"),
        ] {
            let rows = f.rows(&sql).await;
            assert_eq!(rows.columns[0].doris_type.sql_name(), doris_type, "{sql}");
            assert_eq!(f.texts(&sql).await, [literal], "{sql}");
        }
    }
    // What is computed is wider.
    assert_eq!(
        f.texts("SELECT 127 + 1, 100 * 100, sum(x) FROM (SELECT 127 AS x UNION ALL SELECT 127) t")
            .await,
        ["128|10000|254"]
    );
    assert_eq!(
        f.texts("SELECT 1 UNION ALL SELECT 300 ORDER BY 1").await,
        ["1", "300"]
    );
}

#[tokio::test]
async fn texts_beside_numbers_in_lists_and_ranges() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE s (k INT, s STRING, li LARGEINT) DISTRIBUTED BY HASH(k) BUCKETS 1;
         INSERT INTO s VALUES (1, '1', 170141183460469231731687303715884105727), (2, '01', 2), (3, '2.0', 3), (4, 'x', 4), (5, NULL, 5),
           (6, '9007199254740993', 6), (7, '5', 7)",
    )
    .await;
    let new: [(&str, &[&str]); 8] = [
        ("s IN (1, 2)", &["1", "2", "3"]),
        ("s IN (1, '5')", &["1", "2", "7"]),
        ("s IN (2.0)", &["3"]),
        ("s IN (9007199254740992)", &[]),
        ("s IN (CAST(1 AS DOUBLE))", &["1", "2"]),
        ("s NOT IN (1, 2)", &["6", "7"]),
        ("s BETWEEN 1 AND 10", &["1", "2", "3", "7"]),
        (
            "li IN ('170141183460469231731687303715884105727', 'y', 2)",
            &["1", "2"],
        ),
    ];
    for (predicate, keys) in new {
        assert_eq!(
            f.texts(&format!("SELECT k FROM s WHERE {predicate} ORDER BY k"))
                .await,
            keys,
            "{predicate}"
        );
    }

    let mut f = Fixture::with(Switches::profile("doris-2.1").unwrap()).await;
    f.run("CREATE TABLE s (k INT, s STRING) DISTRIBUTED BY HASH(k) BUCKETS 1; INSERT INTO s VALUES (1, '1'), (2, '01'), (3, '2.0'), (4, 'x')").await;
    let old: [(&str, &[&str]); 3] = [
        ("s IN (1, 2)", &["1"]),
        ("s NOT IN (1, 2)", &["2", "3", "4"]),
        ("s IN (1, 2.0)", &["1", "2", "3"]),
    ];
    for (predicate, keys) in old {
        assert_eq!(
            f.texts(&format!("SELECT k FROM s WHERE {predicate} ORDER BY k"))
                .await,
            keys,
            "{predicate}"
        );
    }
}
