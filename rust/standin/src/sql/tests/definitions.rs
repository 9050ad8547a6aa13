//! Definitions: what is made, what is refused, what changes.

use super::Fixture;
use crate::profile::Switches;

#[tokio::test]
async fn databases_and_tables_are_made_and_dropped() {
    let mut f = Fixture::new().await;
    f.run("CREATE DATABASE IF NOT EXISTS d").await;
    assert!(f.error("CREATE DATABASE d").await.contains("database exists"));
    assert!(f.error("USE nope").await.contains("Unknown database 'nope'"));
    f.run("CREATE TABLE t (a INT)").await;
    assert!(f.error("CREATE TABLE t (a INT)").await.contains("already exists"));
    f.run("CREATE TABLE IF NOT EXISTS t (a INT)").await;
    f.run("DROP TABLE t").await;
    assert!(f.error("DROP TABLE t").await.contains("Unknown table 't'"));
    f.run("DROP TABLE IF EXISTS t; DROP DATABASE d").await;
    assert!(
        f.error("SELECT * FROM d.t")
            .await
            .contains("Database [d] does not exist.")
    );
    assert!(
        f.error("DROP DATABASE information_schema")
            .await
            .contains("cannot be dropped")
    );
}

#[tokio::test]
async fn the_documented_statements_are_taken() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE DATABASE IF NOT EXISTS test;
        CREATE TABLE test.student_changelog_source (id INT, name VARCHAR(50), age INT)
        UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1
        PROPERTIES ("replication_num" = "1", "changelog.enable" = "true",
                    "changelog.need_historical_value" = "true", "changelog.ttl_seconds" = "86400");
        INSERT INTO test.student_changelog_source VALUES (1, 'Alice', 18);
        CREATE DATABASE IF NOT EXISTS ops;
        CREATE TABLE ops.flink_source_offsets (consumer_id VARCHAR(256) NOT NULL, offset_timestamp DATETIME NOT NULL, update_time DATETIMEV2(3) NOT NULL)
        UNIQUE KEY(consumer_id) DISTRIBUTED BY HASH(consumer_id) BUCKETS 1 PROPERTIES ("replication_num" = "1");
        INSERT INTO `ops`.`flink_source_offsets` (`consumer_id`, `offset_timestamp`, `update_time`)
        VALUES ('student-sync', '2026-10-09 10:00:00', CURRENT_TIMESTAMP(3));"#,
    )
    .await;
    assert_eq!(
        f.texts("SELECT consumer_id, offset_timestamp FROM ops.flink_source_offsets WHERE consumer_id = 'student-sync'").await,
        ["student-sync|2026-10-09 10:00:00"]
    );
    assert_eq!(
        f.texts("SELECT * FROM test.student_changelog_source").await,
        ["1|Alice|18"]
    );
}

#[tokio::test]
async fn wrong_definitions_are_refused_with_their_reason() {
    let mut f = Fixture::new().await;
    for (sql, reason) in [
        ("CREATE TABLE t (a INT, A INT)", "Duplicate column name 'A'"),
        ("CREATE TABLE t (a FOO)", "FOO"),
        ("CREATE TABLE t (a DECIMAL(80,2))", "Precision"),
        (
            "CREATE TABLE t (a INT, b INT) UNIQUE KEY(b) DISTRIBUTED BY HASH(b) BUCKETS 1",
            "ordered prefix",
        ),
        (
            "CREATE TABLE t (a INT) UNIQUE KEY(x)",
            "Key column[x] doesn't exist",
        ),
        ("CREATE TABLE t (a FLOAT) UNIQUE KEY(a)", "Float or double"),
        (
            "CREATE TABLE t (a STRING) UNIQUE KEY(a)",
            "should not be used in key column[a]",
        ),
        (
            "CREATE TABLE t (a INT, b INT) UNIQUE KEY(a) DISTRIBUTED BY HASH(b) BUCKETS 1",
            "not key column",
        ),
        (
            "CREATE TABLE t (a INT) UNIQUE KEY(a) DISTRIBUTED BY RANDOM BUCKETS 1",
            "random distribution",
        ),
        (
            "CREATE TABLE t (a INT) DISTRIBUTED BY HASH(z) BUCKETS 1",
            "doesn't exist",
        ),
        (
            "CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a) BUCKETS 0",
            "greater than 0",
        ),
        (
            "CREATE TABLE t (a INT, b INT) AGGREGATE KEY(a) DISTRIBUTED BY HASH(a) BUCKETS 1",
            "aggregate type",
        ),
        (
            "CREATE TABLE t (a INT, b INT SUM) UNIQUE KEY(a) DISTRIBUTED BY HASH(a) BUCKETS 1",
            "cannot specify aggregate",
        ),
        (
            "CREATE TABLE t (a INT DEFAULT 'x')",
            "Invalid default value for 'a'",
        ),
        ("CREATE TABLE t (a INT NOT NULL DEFAULT NULL)", "null default"),
        (
            r#"CREATE TABLE t (a INT) PROPERTIES ("replication_num" = "9")"#,
            "replication num is 9",
        ),
        ("CREATE TABLE t (a INT) ENGINE=INNODB", "INNODB"),
        ("CREATE TABLE t (a INT", "<EOF>"),
        ("CREATE TABLE t (a INT) FOO", "mismatched input 'FOO'"),
        ("FOO BAR", "mismatched input 'FOO'"),
        ("CREATE TABLE nope.t (a INT)", "Database [nope] does not exist."),
        ("CREATE TABLE auto (a INT)", "mismatched input 'auto'"),
        (
            r#"CREATE TABLE t (a INT) PARTITION BY RANGE(a) (PARTITION `p 1` VALUES LESS THAN ("1"))"#,
            "Incorrect partition name 'p 1'",
        ),
        (
            r#"CREATE TABLE t (a INT) PARTITION BY LIST(a) (PARTITION p VALUES IN ("1"))"#,
            "PARTITION BY LIST is not served here",
        ),
        ("CREATE USER root", "already exist"),
        ("DROP USER nobody", "does not exist"),
    ] {
        let error = f.error(sql).await;
        assert!(error.contains(reason), "{sql}: {error}");
        assert!(error.starts_with("errCode = 2, detailMessage = "), "{error}");
    }
}

#[tokio::test]
async fn columns_are_added_and_dropped() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT, v VARCHAR(5)) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2")
        .await;
    f.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')").await;
    f.run("ALTER TABLE t ADD COLUMN n INT NOT NULL DEFAULT '7' AFTER id")
        .await;
    f.run("ALTER TABLE t ADD COLUMN (x STRING, y DATETIME)").await;
    assert_eq!(
        f.texts("SELECT * FROM t ORDER BY id").await,
        ["1|7|a|NULL|NULL", "2|7|b|NULL|NULL"]
    );
    f.run("ALTER TABLE t DROP COLUMN x, DROP COLUMN y").await;
    f.run("INSERT INTO t VALUES (1, 8, 'c')").await;
    assert_eq!(
        f.texts("SELECT id, n, v FROM t ORDER BY id").await,
        ["1|8|c", "2|7|b"]
    );
    assert_eq!(
        f.texts("DESC t").await,
        [
            "id|int|Yes|true|NULL|",
            "n|int|No|false|7|NONE",
            "v|varchar(5)|Yes|false|NULL|NONE"
        ]
    );
    assert!(
        f.error("ALTER TABLE t DROP COLUMN id")
            .await
            .contains("key column")
    );
    assert!(f.error("ALTER TABLE t DROP COLUMN nope").await.contains("nope"));
    assert!(
        f.error("ALTER TABLE t ADD COLUMN N INT")
            .await
            .contains("already exists")
    );
    f.run(r#"ALTER TABLE t SET ("in_memory" = "false", "dynamic_partition.enable" = "false")"#)
        .await;
    assert!(
        f.error(r#"ALTER TABLE t SET ("in_memry" = "false")"#)
            .await
            .contains("Unknown table property: [in_memry]")
    );
    assert!(f.error("ALTER TABLE t FROB").await.contains("mismatched input"));
}

#[tokio::test]
async fn tables_take_each_others_names() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE a (id INT); CREATE TABLE b (id INT); INSERT INTO a VALUES (1); INSERT INTO b VALUES (2)").await;
    f.run("ALTER TABLE a REPLACE WITH TABLE b").await;
    assert_eq!(
        (f.texts("SELECT * FROM a").await, f.texts("SELECT * FROM b").await),
        (vec!["2".into()], vec!["1".into()])
    );
    f.run(r#"ALTER TABLE a REPLACE WITH TABLE b PROPERTIES("swap" = "false")"#)
        .await;
    assert_eq!(f.texts("SELECT * FROM a").await, ["1"]);
    assert!(f.error("SELECT * FROM b").await.contains("does not exist"));
    f.run("ALTER TABLE a RENAME c").await;
    assert_eq!(f.texts("SELECT * FROM c").await, ["1"]);
}

#[tokio::test]
async fn partitions_hold_their_rows() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (d DATE, v INT) DUPLICATE KEY(d)
           PARTITION BY RANGE(d) (PARTITION p1 VALUES LESS THAN ("2024-01-01"), PARTITION p2 VALUES LESS THAN ("2024-02-01"),
                                  PARTITION p3 VALUES [("2024-03-01"), ("2024-04-01")))
           DISTRIBUTED BY HASH(v) BUCKETS 2"#,
    )
    .await;
    f.run("INSERT INTO t VALUES ('2023-05-05', 1), ('2024-01-01', 2), ('2024-03-31', 3), (NULL, 4)")
        .await;
    assert_eq!(
        f.texts("SELECT v FROM t PARTITION(p1) ORDER BY v").await,
        ["1", "4"]
    );
    assert_eq!(
        f.texts("SELECT v FROM t PARTITION(p2, p3) ORDER BY v").await,
        ["2", "3"]
    );
    for day in ["2024-02-01", "2024-04-01"] {
        assert!(
            f.error(&format!("INSERT INTO t VALUES ('{day}', 1)"))
                .await
                .contains("no partition for this tuple")
        );
    }
    f.run(r#"ALTER TABLE t ADD PARTITION p4 VALUES LESS THAN ("2024-06-01")"#)
        .await;
    f.run("INSERT INTO t VALUES ('2024-05-01', 5)").await;
    let error = f
        .error(r#"ALTER TABLE t ADD PARTITION p5 VALUES [("2024-05-01"), ("2024-07-01"))"#)
        .await;
    assert!(error.contains("intersected"), "{error}");
    f.run("ALTER TABLE t DROP PARTITION p4").await;
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["4"]);
    f.run("TRUNCATE TABLE t PARTITION(p1)").await;
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["2"]);
    assert!(f.error("SELECT v FROM t PARTITION(nope)").await.contains("nope"));
}

#[tokio::test]
async fn temporary_partitions_replace_others() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (k INT, v INT) DUPLICATE KEY(k) PARTITION BY RANGE(k) (PARTITION p VALUES [("0"), ("10")))
           DISTRIBUTED BY HASH(k) BUCKETS 1;
           INSERT INTO t VALUES (1, 1);
           ALTER TABLE t ADD TEMPORARY PARTITION tp VALUES [("0"), ("10"));
           INSERT INTO t TEMPORARY PARTITION(tp) VALUES (1, 2)"#,
    )
    .await;
    assert_eq!(f.texts("SELECT v FROM t").await, ["1"]);
    assert_eq!(f.texts("SELECT v FROM t TEMPORARY PARTITION(tp)").await, ["2"]);
    f.run("ALTER TABLE t REPLACE PARTITION (p) WITH TEMPORARY PARTITION (tp)")
        .await;
    assert_eq!(f.texts("SELECT v FROM t PARTITION(p)").await, ["2"]);
}

#[tokio::test]
async fn a_table_made_like_another_takes_its_place_and_keeps_its_time() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (k INT, v INT) DUPLICATE KEY(k) PARTITION BY RANGE(k) (PARTITION p VALUES [("0"), ("10")))
           DISTRIBUTED BY HASH(k) BUCKETS 3;
           INSERT INTO t VALUES (1, 1);
           CREATE TABLE IF NOT EXISTS n LIKE t WITH ROLLUP;
           INSERT INTO n VALUES (2, 2);
           SYNC"#,
    )
    .await;
    let error = f.error("CREATE TABLE m LIKE t WITH ROLLUP (r)").await;
    assert!(error.contains("Rollup index does not exist"), "{error}");
    let time = "SELECT CREATE_TIME FROM information_schema.tables WHERE TABLE_SCHEMA = 'd' AND TABLE_NAME =";
    let made = f.texts(&format!("{time} 'n'")).await;
    f.run("ALTER TABLE t REPLACE WITH TABLE n PROPERTIES('swap' = 'false')")
        .await;
    assert_eq!(f.texts("SELECT v FROM t PARTITION(p)").await, ["2"]);
    assert_eq!(f.texts("SHOW TABLES FROM d").await, ["t"]);
    assert_eq!(f.texts(&format!("{time} 't'")).await, made);
}

/// Names of the partitions of `t`, in the order they were made.
fn partition_names(f: &Fixture) -> Vec<String> {
    let partitions = f.engine.table_info("d", "t").unwrap().partitions;
    partitions.into_iter().map(|partition| partition.name).collect()
}

#[tokio::test]
async fn partitions_are_made_for_the_rows_that_come() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (at DATETIME(3) NOT NULL, v INT) DUPLICATE KEY(at) AUTO PARTITION BY RANGE (date_trunc(`at`, 'day')) ()
           DISTRIBUTED BY HASH(v) BUCKETS 2"#,
    )
    .await;
    assert!(f.texts("SELECT * FROM t").await.is_empty());
    assert!(f.texts("SHOW PARTITIONS FROM t").await.is_empty());
    f.run("INSERT INTO t VALUES ('2026-01-02 03:04:05.678', 1), ('2026-01-01', 2), ('2026-01-02', 3)")
        .await;
    assert_eq!(partition_names(&f), ["p20260101000000", "p20260102000000"]);
    assert_eq!(
        f.texts("SELECT v FROM t PARTITION(p20260102000000) ORDER BY v")
            .await,
        ["1", "3"]
    );
    let shown = f.texts("SHOW PARTITIONS FROM t").await;
    assert!(
        shown[0]
            .contains("keys: [2026-01-01 00:00:00]; ..types: [DATETIMEV2]; keys: [2026-01-02 00:00:00]; )"),
        "{shown:?}"
    );
    // A query's rows make them, too, and one that is there serves again.
    f.run("INSERT INTO t SELECT date_add(at, INTERVAL 1 DAY), v + 10 FROM t")
        .await;
    assert_eq!(
        partition_names(&f),
        ["p20260101000000", "p20260102000000", "p20260103000000"]
    );
    let session = f.session.clone();
    let planned = async |f: &Fixture, predicate: &str| {
        let sql = format!("SELECT v FROM d.t WHERE {predicate}");
        f.engine
            .plan_tablets(&session, "d", "t", &sql)
            .await
            .unwrap()
            .len()
    };
    assert_eq!(planned(&f, "at > '2026-01-02'").await, 4);
    assert_eq!(planned(&f, "at = '2026-02-01'").await, 0);
    // They stay when the insert fails.
    assert!(
        f.error("INSERT INTO t VALUES ('2026-05-05', 'x')")
            .await
            .contains("Invalid value")
    );
    f.run("BEGIN; INSERT INTO t VALUES ('2026-02-01', 1); ROLLBACK")
        .await;
    assert_eq!(partition_names(&f)[3..], ["p20260201000000"]);
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["6"]);
    f.run("ALTER TABLE t DROP PARTITION p20260101000000; INSERT OVERWRITE TABLE t VALUES ('2026-01-01', 7)")
        .await;
    assert_eq!(f.texts("SELECT v FROM t").await, ["7"]);
    let text = f.texts("SHOW CREATE TABLE t").await.remove(0);
    assert!(
        text.contains("AUTO PARTITION BY RANGE (date_trunc(`at`, 'day'))\n(PARTITION p2026"),
        "{text}"
    );
    f.run("DROP TABLE t").await;
    f.run(text.strip_prefix("t|").unwrap()).await;
    assert_eq!(partition_names(&f).len(), 4);
}

#[tokio::test]
async fn partitions_are_made_beside_those_that_were_declared() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (d DATE NOT NULL, v INT) UNIQUE KEY(d) AUTO PARTITION BY RANGE (date_trunc(d, 'month'))
           (PARTITION old VALUES LESS THAN ("2026-01-15")) DISTRIBUTED BY HASH(d) BUCKETS 1"#,
    )
    .await;
    f.run("INSERT INTO t VALUES ('2020-05-05', 1), ('2026-03-05', 2), ('9999-12-31', 3)")
        .await;
    assert_eq!(partition_names(&f), ["old", "p20260301000000", "p99991201000000"]);
    let error = f.error("INSERT INTO t VALUES ('2026-01-20', 4)").await;
    assert!(error.contains("is intersected with another partition"), "{error}");
    // Where partitions are named, no others are made.
    let error = f
        .error("INSERT INTO t PARTITION(old) VALUES ('2026-04-20', 4)")
        .await;
    assert!(error.contains("no partition for this tuple"), "{error}");
    f.run("INSERT INTO t VALUES ('2026-03-05', 5)").await;
    assert_eq!(f.texts("SELECT * FROM t ORDER BY d").await[1], "2026-03-05|5");
}

#[tokio::test]
async fn partitions_by_themselves_want_a_moment_that_is_there() {
    let mut f = Fixture::new().await;
    for (by, reason) in [
        ("RANGE (n)", "Auto Range Partition need FunctionCallExpr"),
        (
            "RANGE (date(d))",
            "auto create partition only support function call expr is",
        ),
        ("RANGE (date_trunc(d))", "partition expr date_trunc is illegal!"),
        (
            "RANGE (date_trunc(n, 'year'))",
            "partition expr date_trunc is illegal!",
        ),
        (
            "RANGE (date_trunc(e, 'year'))",
            "AUTO RANGE PARTITION doesn't support NULL column",
        ),
        ("LIST (n)", "AUTO PARTITION BY LIST is not served here"),
    ] {
        let error = f
            .error(&format!(
                "CREATE TABLE t (n INT NOT NULL, d DATE NOT NULL, e DATE) DUPLICATE KEY(n) AUTO PARTITION BY {by} () \
                 DISTRIBUTED BY HASH(n) BUCKETS 1"
            ))
            .await;
        assert!(error.contains(reason), "{by}: {error}");
    }
    // A unit that is none is met by the first row.
    f.run(
        "CREATE TABLE t (d DATE NOT NULL) AUTO PARTITION BY RANGE (date_trunc(d, 'yeear')) () DISTRIBUTED BY HASH(d) BUCKETS 1",
    )
    .await;
    let error = f.error("INSERT INTO t VALUES ('2026-01-01')").await;
    assert!(error.contains("date_trunc function"), "{error}");
}

#[tokio::test]
async fn views_are_read_and_refused_where_a_table_is_needed() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (Id INT, s STRING, n LARGEINT); INSERT INTO t VALUES (1, 'a', 5), (2, 'b', 6)")
        .await;
    f.run("CREATE VIEW v AS SELECT Id, s AS Name, n FROM t WHERE id > 1")
        .await;
    f.run("CREATE VIEW w AS SELECT name AS x, n AS y FROM v").await;
    let rows = f.rows("SELECT * FROM v").await;
    let names: Vec<String> = rows
        .columns
        .iter()
        .map(|c| format!("{} {}", c.name, c.doris_type.sql_name()))
        .collect();
    assert_eq!(names, ["Id int", "Name text", "n largeint"]);
    assert_eq!(f.texts("SELECT * FROM w").await, ["b|6"]);
    assert_eq!(
        f.texts("DESC w").await,
        ["x|text|Yes|false|NULL|", "y|largeint|Yes|false|NULL|"]
    );
    assert!(
        f.error("CREATE VIEW z AS SELECT nope FROM t")
            .await
            .contains("nope")
    );
    assert!(
        f.error("CREATE VIEW v AS SELECT 1")
            .await
            .contains("already exists")
    );
    assert!(f.error("DROP TABLE v").await.contains("not a TABLE"));
    assert!(
        f.error("INSERT INTO v VALUES (1, 'x', 1)")
            .await
            .contains("not a table")
    );
    let session = f.session.clone();
    assert!(
        f.engine
            .plan_tablets(&session, "d", "v", "SELECT * FROM v")
            .await
            .is_err()
    );
    f.run("DROP VIEW w; DROP VIEW IF EXISTS w").await;
}

#[tokio::test]
async fn more_replicas_than_back_ends_are_refused() {
    let mut f = Fixture::new().await;
    f.run(r#"CREATE TABLE a (k INT) PROPERTIES ("replication_num" = "3")"#)
        .await;
    let error = f
        .error(r#"CREATE TABLE b (k INT) PROPERTIES ("replication_num" = "4")"#)
        .await;
    assert!(
        error.contains("replication num is 4, available backend num is 3"),
        "{error}"
    );
}

/// A server without a changelog has a binlog that is no changelog, and TIME in expressions only.
#[tokio::test]
async fn a_server_before_the_changelog_takes_its_own_properties_and_types() {
    let mut f = Fixture::with(Switches::profile("doris-4.1").unwrap()).await;
    f.run(r#"CREATE TABLE t (a INT) UNIQUE KEY(a) DISTRIBUTED BY HASH(a) BUCKETS 1 PROPERTIES ("binlog.enable" = "true")"#)
        .await;
    f.run("INSERT INTO t VALUES (1)").await;
    assert!(f.texts("SHOW CREATE TABLE t").await[0].contains("\"binlog.enable\" = \"true\""));
    for property in ["binlog.format", "changelog.enable"] {
        let error = f
            .error(&format!(
                r#"CREATE TABLE u (a INT) PROPERTIES ("{property}" = "ROW")"#
            ))
            .await;
        assert!(error.contains("Unknown properties"), "{error}");
    }
    let refused = "Time type is not supported for olap table";
    for sql in [
        "CREATE TABLE u (a INT, b TIME(3))",
        "ALTER TABLE t ADD COLUMN b TIME",
    ] {
        let error = f.error(sql).await;
        assert!(error.ends_with(refused), "{error}");
    }
    f.run("CREATE TABLE `auto` (a INT)").await;
}

#[tokio::test]
async fn a_transaction_is_shown_by_number_and_by_label() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (a INT); INSERT INTO t WITH LABEL l1 VALUES (1)")
        .await;
    let by_label = f.texts("SHOW TRANSACTION WHERE label = 'l1'").await.remove(0);
    let cells: Vec<&str> = by_label.split('|').collect();
    assert_eq!((cells[1], cells[3], cells.len()), ("l1", "VISIBLE", 15));
    let by_id = f
        .texts(&format!("SHOW TRANSACTION FROM d WHERE id = {}", cells[0]))
        .await;
    assert_eq!(by_id, [by_label.as_str()]);
    for (condition, reason) in [
        ("id = 999", "transaction with id 999 does not exist"),
        ("label = 'none'", "transaction with label none does not exist"),
    ] {
        let error = f.error(&format!("SHOW TRANSACTION WHERE {condition}")).await;
        assert!(error.ends_with(reason), "{error}");
    }
}

#[tokio::test]
async fn show_create_table_can_be_run_again() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (k INT NOT NULL COMMENT 'it''s', d DATE, v DECIMAL(10,2) DEFAULT "1.5", s STRUCT<a:INT,b:ARRAY<STRING>>)
           UNIQUE KEY(k, d) COMMENT 'c' PARTITION BY RANGE(d) (PARTITION p1 VALUES LESS THAN ("2024-01-01"), PARTITION p2 VALUES LESS THAN MAXVALUE)
           DISTRIBUTED BY HASH(k) BUCKETS 3 PROPERTIES ("replication_num" = "1")"#,
    )
    .await;
    let text = f.texts("SHOW CREATE TABLE t").await.remove(0);
    let statement = text.strip_prefix("t|").unwrap().replacen("`t`", "`u`", 1);
    f.run(&statement).await;
    let again = f.texts("SHOW CREATE TABLE u").await.remove(0);
    assert_eq!(
        text.replacen("t|", "", 1).replacen("`t`", "`u`", 1),
        again.replacen("u|", "", 1)
    );
}
