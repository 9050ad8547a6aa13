//! Queries: names, literals, functions, and what is refused.

use super::Fixture;

async fn with_table() -> Fixture {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (Id INT NOT NULL, name VARCHAR(20), amt DECIMAL(10,2), at DATETIME(3), day DATE, flag BOOLEAN, big LARGEINT, ip IPV4, old DATETIMEV1)
         DUPLICATE KEY(Id) DISTRIBUTED BY HASH(Id) BUCKETS 2",
    )
    .await;
    f.run(
        "INSERT INTO t VALUES
         (1, 'a', 1.10, '2024-01-01 00:00:00.500', '2024-01-01', true, 170141183460469231731687303715884105727, '10.0.0.1', '2024-01-01 10:00:00'),
         (2, 'b', 2.20, '2024-02-01', '2024-02-01', false, -5, '9.0.0.1', '2024-02-01 10:00:00'),
         (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    )
    .await;
    f
}

#[tokio::test]
async fn names_of_columns_have_no_case_and_results_show_what_was_written() {
    let mut f = with_table().await;
    let rows = f.rows("SELECT ID, T2.NAME, count(*) AS Total, max(amt)  FROM t AS T2 GROUP BY id, name ORDER BY total, ID").await;
    let names: Vec<&str> = rows.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["ID", "NAME", "Total", "max(amt)"]);
    let rows = f.rows("SELECT *, id + 1, id FROM t WHERE id = 1").await;
    let names: Vec<&str> = rows.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Id", "name", "amt", "at", "day", "flag", "big", "ip", "old", "id + 1", "id"
        ]
    );
    assert_eq!(
        f.texts("SELECT id, id, id AS x FROM t WHERE id = 2").await,
        ["2|2|2"]
    );
    assert!(
        f.error("SELECT nope FROM t")
            .await
            .contains("Unknown column 'nope'")
    );
    assert!(
        f.error("SELECT T.id FROM t WHERE 1 = 1")
            .await
            .contains("Unknown column")
    );
}

#[tokio::test]
async fn literals_take_the_type_of_what_they_are_compared_with() {
    let mut f = with_table().await;
    for (predicate, ids) in [
        ("at = '2024-01-01 00:00:00.5'", "1"),
        ("at > '2024-1-15'", "2"),
        ("at BETWEEN '2024-01-01' AND '2024-01-31 23:59:59'", "1"),
        ("day = '2024-02-01'", "2"),
        ("day >= '2024-01-01 00:00:00'", "1,2"),
        ("day IN ('2024-01-01', '2024-03-01')", "1"),
        ("amt = 1.1", "1"),
        ("amt > '1.10'", "2"),
        ("flag = 1", "1"),
        ("flag = TRUE", "1"),
        ("NOT flag", "2"),
        ("big > 0", "1"),
        ("big < '-4'", "2"),
        ("ip = '10.0.0.1'", "1"),
        ("ip < '10.0.0.0'", "2"),
        ("old = '2024-01-01 10:00:00'", "1"),
        ("id = '2'", "2"),
        ("name = \"a\"", "1"),
        ("name LIKE 'b%'", "2"),
        ("name IS NULL", "3"),
        ("name <=> NULL", "3"),
        ("id <> 2 AND name IS NOT NULL", "1"),
        ("`Id` IN (1, 3)", "1,3"),
    ] {
        let found = f
            .texts(&format!("SELECT id FROM t WHERE {predicate} ORDER BY id"))
            .await
            .join(",");
        assert_eq!(found, ids, "{predicate}");
    }
    assert!(
        f.error("SELECT id FROM t WHERE ip = 'never'")
            .await
            .contains("never")
    );
}

#[tokio::test]
async fn types_survive_planning() {
    let mut f = with_table().await;
    for sql in [
        "SELECT * FROM t LIMIT 0",
        "SELECT * FROM t WHERE id < 0",
        "SELECT * FROM (SELECT * FROM t) s ORDER BY id LIMIT 0",
    ] {
        let rows = f.rows(sql).await;
        let types: Vec<String> = rows.columns.iter().map(|c| c.doris_type.sql_name()).collect();
        assert_eq!(
            types,
            [
                "int",
                "varchar(20)",
                "decimal(10,2)",
                "datetime(3)",
                "date",
                "boolean",
                "largeint",
                "ipv4",
                "datetimev1"
            ],
            "{sql}"
        );
        assert!(!rows.columns[0].nullable && rows.columns[1].nullable);
        assert_eq!(rows.row_count(), 0);
    }
    let rows = f
        .rows("SELECT x AS y, count(*) FROM (SELECT max(at) x, min(ip) i FROM t WHERE id > 0) s GROUP BY x")
        .await;
    assert_eq!(rows.columns[0].doris_type.sql_name(), "datetime(3)");
    let rows = f.rows("SELECT min(ip), max(name), any_value(at) FROM t").await;
    let types: Vec<String> = rows.columns.iter().map(|c| c.doris_type.sql_name()).collect();
    assert_eq!(types, ["ipv4", "varchar(20)", "datetime(3)"]);
    assert_eq!(
        f.texts("SELECT min(ip), max(old) FROM t").await,
        ["9.0.0.1|2024-02-01 10:00:00"]
    );
    assert_eq!(
        f.texts("SELECT max(big), min(big), sum(amt) FROM t").await,
        ["170141183460469231731687303715884105727|-5|3.30"]
    );
}

#[tokio::test]
async fn arithmetic_is_doris() {
    let mut f = with_table().await;
    assert_eq!(
        f.texts("SELECT 1 / 2, 7 % 4, 1 / 0, 5 % 0").await,
        ["0.5|3|NULL|NULL"]
    );
    assert_eq!(
        f.texts("SELECT id / 2 FROM t ORDER BY id").await,
        ["0.5", "1", "1.5"]
    );
    assert_eq!(
        f.texts("SELECT 1.10 + 2.20, pmod(-7, 3), mod(-7, 3)").await,
        ["3.30|2|-1"]
    );
}

#[tokio::test]
async fn functions_give_doris_results() {
    let mut f = Fixture::new().await;
    for (expression, result) in [
        ("if(1 < 2, 'y', 'n')", "y"),
        ("IFNULL(NULL, 7)", "7"),
        ("concat('a', NULL)", "NULL"),
        ("concat('a', 1, 2.50)", "a12.50"),
        ("concat_ws('-', 'a', NULL, 'b')", "a-b"),
        ("concat_ws(',', array('x', 'y'))", "x,y"),
        ("length('ää')", "4"),
        ("char_length('ää')", "2"),
        ("upper('abc')", "ABC"),
        ("from_unixtime(0)", "1970-01-01 00:00:00"),
        ("unix_timestamp('1970-01-02 00:00:01')", "86401"),
        (
            "date_trunc('2024-02-05 13:04:05', 'month')",
            "2024-02-01 00:00:00",
        ),
        ("date_add('2024-01-31', INTERVAL 1 DAY)", "2024-02-01 00:00:00"),
        ("struct_element(named_struct('a', 1, 'b', 'x'), 'B')", "x"),
        ("element_at(array(1, 2, 3), -1)", "3"),
        ("element_at(map('k', 5), 'k')", "5"),
        ("map('k', 5)", r#"{"k":5}"#),
        ("array(1, NULL, 3)", "[1, null, 3]"),
        ("size(array(1, 2))", "2"),
        ("named_struct('a', 1, 'b', array('x'))", r#"{"a":1, "b":["x"]}"#),
        ("bitmap_count(to_bitmap(3))", "1"),
        ("bitmap_to_string(bitmap_from_string('3,1'))", "1,3"),
        ("CAST('2024-01-01' AS DATE)", "2024-01-01"),
        (
            "CAST('2024-01-01 1:2:3.45' AS DATETIME(1))",
            "2024-01-01 01:02:03.5",
        ),
        ("CAST('x' AS INT)", "NULL"),
        ("CAST(1.56 AS DECIMAL(5,1))", "1.6"),
        ("CAST(12345 AS VARCHAR(3))", "123"),
        ("CAST(true AS STRING)", "1"),
        ("CAST(array('a') AS STRING)", r#"["a"]"#),
        ("CAST('[1,2]' AS ARRAY<BIGINT>)", "[1, 2]"),
        ("CAST('99999999999999999999' AS LARGEINT)", "99999999999999999999"),
        ("CAST('1.2.3.4' AS IPV4)", "1.2.3.4"),
        ("coalesce(NULL, 'x')", "x"),
        ("hex('ab')", "6162"),
        ("murmur_hash3_32('test') = murmur_hash3_32('test')", "1"),
        ("database()", "d"),
        ("current_user()", "'root'@'%'"),
    ] {
        assert_eq!(
            f.texts(&format!("SELECT {expression}")).await,
            [result],
            "{expression}"
        );
    }
    assert!(
        f.error("SELECT no_such_function(1)")
            .await
            .contains("no_such_function")
    );
    assert!(
        f.error("SELECT struct_element(named_struct('a', 1), 'z')")
            .await
            .contains("z")
    );
}

#[tokio::test]
async fn the_clock_is_on_the_sessions_zone() {
    let mut f = Fixture::new().await;
    let rows = f.rows("SELECT NOW(), CURRENT_TIMESTAMP(3), now(6)").await;
    let types: Vec<String> = rows.columns.iter().map(|c| c.doris_type.sql_name()).collect();
    assert_eq!(types, ["datetime", "datetime(3)", "datetime(6)"]);
    f.run("SET time_zone = '+08:00'").await;
    assert_eq!(
        f.texts("SELECT unix_timestamp(now()) BETWEEN unix_timestamp() - 1 AND unix_timestamp() + 1")
            .await,
        ["1"]
    );
    assert_eq!(f.texts("SELECT from_unixtime(0)").await, ["1970-01-01 08:00:00"]);
    f.run("SET time_zone = 'UTC'").await;
    assert_eq!(f.texts("SELECT from_unixtime(0)").await, ["1970-01-01 00:00:00"]);
}

#[tokio::test]
async fn comments_hints_and_quotes_are_read() {
    let mut f = with_table().await;
    let sql = "/* ApplicationName=Flink ArrowFlightSQL Query */ SELECT `Id`,`name` FROM `d`.`t`  WHERE `Id` = 1 LIMIT 1";
    assert_eq!(f.texts(sql).await, ["1|a"]);
    assert_eq!(
        f.texts("SELECT 'it''s', \"a\\\"b\", 'a;b'; -- end").await,
        ["it's|a\"b|a;b"]
    );
    let ids = f.engine.table_info("d", "t").unwrap().partitions[0]
        .tablets
        .iter()
        .map(|t| t.id.to_string())
        .collect::<Vec<_>>();
    let sql = format!("SELECT count(*) FROM t TABLET({}) WHERE id > 0", ids.join(","));
    assert_eq!(f.texts(&sql).await, ["3"]);
    let sql = format!(
        "SELECT a.id FROM t TABLET({}) a JOIN t b ON a.id = b.id WHERE b.name = 'a'",
        ids.join(",")
    );
    assert_eq!(f.texts(&sql).await, ["1"]);
}

#[tokio::test]
async fn joins_unions_and_subqueries_run() {
    let mut f = with_table().await;
    assert_eq!(
        f.texts("SELECT id FROM t WHERE id IN (SELECT max(Id) FROM t) UNION ALL SELECT 9 ORDER BY 1")
            .await,
        ["3", "9"]
    );
    assert_eq!(
        f.texts("WITH c AS (SELECT ID x FROM t) SELECT sum(X) FROM c")
            .await,
        ["6"]
    );
    assert_eq!(
        f.texts("SELECT name FROM t ORDER BY name").await,
        ["NULL", "a", "b"]
    );
    assert_eq!(
        f.texts(r#"SELECT count(*) FROM numbers("number" = "1000")"#)
            .await,
        ["1000"]
    );
    assert_eq!(
        f.texts(r#"SELECT number FROM numbers("number" = "3") ORDER BY number DESC"#)
            .await,
        ["2", "1", "0"]
    );
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_by_name() {
    let mut f = with_table().await;
    assert!(
        f.error("SELECT * FROM nope")
            .await
            .contains("[nope] does not exist")
    );
    assert!(f.error("SELECT * FROM T").await.contains("[T] does not exist"));
    assert!(
        f.error("SELECT * FROM nope.t")
            .await
            .contains("Database [nope] does not exist.")
    );
    assert!(f.error("SELECT FROM").await.starts_with("errCode = 2"));
    assert!(
        f.error("SELECT id FROM t WHERE id = = 2")
            .await
            .starts_with("errCode = 2")
    );
    f.session.database = None;
    assert!(f.error("SELECT * FROM t").await.contains("No database selected"));
}

#[tokio::test]
async fn predicates_that_a_connector_pushes_are_answered() {
    let mut f = with_table().await;
    for (predicate, ids) in [
        ("at = TIMESTAMP '2024-01-01 00:00:00.500'", "1"),
        ("day < DATE '2024-01-02'", "1"),
        ("at < '9999-12-31 23:59:59'", "1,2"),
        ("at >= CAST('2024-02-01' AS DATETIME(3))", "2"),
        ("(flag = true) IS TRUE", "1"),
        ("flag IS NOT TRUE", "2,3"),
        ("flag IS FALSE", "2"),
        ("NOT (id = 1 OR id = 2)", "3"),
        ("name NOT IN ('a')", "2"),
        ("amt BETWEEN 1.1 AND 2", "1"),
        ("amt IN (1.10, 2.2)", "1,2"),
        ("amt + 1 > 3", "2"),
        ("CAST(id AS BIGINT) >= 2", "2,3"),
        ("big = 170141183460469231731687303715884105727", "1"),
        ("big IN (-5, 7)", "2"),
        ("id = 1.0", "1"),
        ("id > 1.5", "2,3"),
        ("name = 5", ""),
        ("name LIKE '%\\_%'", ""),
        ("name REGEXP '^[ab]$'", "1,2"),
        ("length(name) = 1 AND lower(name) = 'a'", "1"),
        ("at > date_sub('2024-01-02', INTERVAL 1 DAY) AND id < 2", "1"),
        ("CASE WHEN id = 1 THEN 'x' ELSE 'y' END = 'x'", "1"),
        ("id = 1 AND 1 = 1", "1"),
        ("NULL", ""),
        ("EXISTS (SELECT 1 FROM t b WHERE b.id = 1) AND id = 3", "3"),
    ] {
        let found = f
            .texts(&format!("SELECT id FROM t WHERE {predicate} ORDER BY id"))
            .await
            .join(",");
        assert_eq!(found, ids, "{predicate}");
    }
}

#[tokio::test]
async fn names_may_hold_anything() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE `Tä ble` (`Ä b.c` INT, `select` STRING, `S` STRUCT<`In ner`:STRUCT<`B`:INT>>)")
        .await;
    f.run("INSERT INTO `Tä ble` VALUES (1, 'x', '{\"In ner\":{\"B\":5}}')")
        .await;
    let sql = "SELECT CAST(`Ä b.c` AS STRING) AS `Ä b.c`, `SELECT`, struct_element(struct_element(`s`,'In ner'),'b') AS `S``.B` \
               FROM `d`.`Tä ble` WHERE `ä b.c` = 1";
    let rows = f.rows(sql).await;
    let names: Vec<String> = rows
        .columns
        .iter()
        .map(|c| format!("{} {}", c.name, c.doris_type.sql_name()))
        .collect();
    assert_eq!(names, ["Ä b.c text", "SELECT text", "S`.B int"]);
    assert_eq!(f.texts(sql).await, ["1|x|5"]);
    assert_eq!(f.texts("SELECT `select`, `ä b.c` FROM `Tä ble`").await, ["x|1"]);
}

#[tokio::test]
async fn decimal_literals_are_compared_with_floats_as_doubles() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE floats (id INT, f FLOAT, d DOUBLE) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    f.run("INSERT INTO floats VALUES (1, 0.5, 0.1), (2, -3.4028235e38, 1e300), (3, 0.1, NULL)")
        .await;
    for (predicate, ids) in [
        ("f = 0.5", "1"),
        ("f = '0.5'", "1"),
        ("f < -1.25", "2"),
        ("d = 0.1", "1"),
        ("d > 0.1", "2"),
        // The nearest FLOAT is another number.
        ("f = 0.1", ""),
    ] {
        let query = format!("SELECT id FROM floats WHERE {predicate} ORDER BY id");
        assert_eq!(f.texts(&query).await.join(","), ids, "{predicate}");
    }
}

#[tokio::test]
async fn json_is_compared_with_nothing() {
    for profile in ["doris-5.0", "doris-4.1"] {
        let mut f = Fixture::with(crate::profile::Switches::profile(profile).unwrap()).await;
        f.run(
            r#"CREATE TABLE t (k INT, j JSON) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1;
               INSERT INTO t VALUES (1, '{"a": 1}'), (2, NULL)"#,
        )
        .await;
        for predicate in [
            "j = 'x'",
            "'x' <> j",
            "NOT (j < 'x')",
            "k = 1 AND j >= '{}'",
            "j BETWEEN 'a' AND 'b'",
            "CASE j WHEN 'x' THEN TRUE END",
            "CAST(k AS JSON) = j",
        ] {
            let error = f.error(&format!("SELECT k FROM t WHERE {predicate}")).await;
            assert!(
                error.starts_with(
                    "errCode = 2, detailMessage = comparison predicate could not contains json type: ("
                ),
                "{predicate}: {error}"
            );
        }
        let error = f.error("SELECT a.k FROM t a JOIN t b ON a.j = b.j").await;
        assert!(error.contains("could not contains json type"), "{error}");
        // Its text is a text, and it may be missing.
        assert_eq!(
            f.texts(r#"SELECT k FROM t WHERE CAST(j AS STRING) = '{"a":1}'"#)
                .await,
            ["1"]
        );
        assert_eq!(f.texts("SELECT k FROM t WHERE j IS NULL").await, ["2"]);
    }
}

#[tokio::test]
async fn a_text_that_is_no_date_is_null_beside_one() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (d DATE, t DATETIME(3)) DUPLICATE KEY(d) DISTRIBUTED BY HASH(d) BUCKETS 1;
         INSERT INTO t VALUES ('2026-01-01', '2026-01-01 10:00:00'), (NULL, NULL)",
    )
    .await;
    for (predicate, rows) in [
        ("d = 'x'", 0),
        ("d <> 'x'", 0),
        ("NOT (d >= '2026-13-01')", 0),
        ("d BETWEEN 'x' AND '2027-01-01'", 0),
        ("(d = 'x') IS NULL", 2),
        ("d IN ('x', '2026-01-01')", 1),
        ("d NOT IN ('x')", 0),
        ("t = 'x' OR d = '2026-01-01'", 1),
    ] {
        let found = f.texts(&format!("SELECT d FROM t WHERE {predicate}")).await;
        assert_eq!(found.len(), rows, "{predicate}: {found:?}");
    }
}
