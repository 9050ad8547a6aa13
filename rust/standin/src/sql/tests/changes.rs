//! Rows written, merged, changed and deleted.

use super::Fixture;

#[tokio::test]
async fn the_newest_row_of_a_unique_key_wins() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT, name VARCHAR(20), v INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 4",
    )
    .await;
    f.run("INSERT INTO t VALUES (1,'a',1), (2,'b',2), (1,'c',3)")
        .await;
    assert_eq!(f.texts("SELECT * FROM t ORDER BY id").await, ["1|c|3", "2|b|2"]);
    f.run("INSERT INTO t (id, v) VALUES (2, 9), (3, 1)").await;
    assert_eq!(
        f.texts("SELECT * FROM t ORDER BY id").await,
        ["1|c|3", "2|NULL|9", "3|NULL|1"]
    );
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["3"]);
    assert_eq!(
        f.affected("UPDATE t SET v = v + 1, name = concat('n', id) WHERE id >= 2")
            .await,
        2
    );
    assert_eq!(
        f.texts("SELECT * FROM t ORDER BY id").await,
        ["1|c|3", "2|n2|10", "3|n3|2"]
    );
    assert_eq!(f.affected("DELETE FROM t WHERE id = 2").await, 1);
    f.run("INSERT INTO t VALUES (2, 'back', 0)").await;
    assert_eq!(
        f.texts("SELECT * FROM t ORDER BY id").await,
        ["1|c|3", "2|back|0", "3|n3|2"]
    );
    assert!(
        f.error("UPDATE t SET id = 1 WHERE id = 2")
            .await
            .contains("Only value columns")
    );
}

#[tokio::test]
async fn many_upserts_keep_one_row_per_key() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id BIGINT, s STRING) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 3")
        .await;
    for round in 0..5 {
        f.run(&format!(
            r#"INSERT INTO t SELECT number % 9000, concat('r{round}-', number) FROM numbers("number" = "20000")"#
        ))
        .await;
    }
    assert_eq!(
        f.texts("SELECT COUNT(*), COUNT(DISTINCT id) FROM t").await,
        ["9000|9000"]
    );
    // Of keys 0 to 1999 the third writing wins, of the others the second.
    assert_eq!(f.texts("SELECT s FROM t WHERE id = 1999").await, ["r4-19999"]);
    assert_eq!(f.texts("SELECT s FROM t WHERE id = 2000").await, ["r4-11000"]);
    assert_eq!(f.texts("SELECT id FROM t").await.len(), 9000);
}

#[tokio::test]
async fn a_sequence_column_decides_which_row_is_newer() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (id INT, seq INT, v STRING) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1
           PROPERTIES ("function_column.sequence_col" = "seq")"#,
    )
    .await;
    f.run("INSERT INTO t VALUES (1, 5, 'new')").await;
    f.run("INSERT INTO t VALUES (1, 3, 'old'), (2, 1, 'x')").await;
    assert_eq!(f.texts("SELECT * FROM t ORDER BY id").await, ["1|5|new", "2|1|x"]);
    f.run("INSERT INTO t VALUES (1, 5, 'equal')").await;
    assert_eq!(f.texts("SELECT v FROM t WHERE id = 1").await, ["equal"]);
}

#[tokio::test]
async fn aggregate_tables_merge_by_column() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (dt INT, page VARCHAR(10), n BIGINT SUM, d DECIMAL(10,2) SUM, hi INT MAX, lo INT MIN, last STRING REPLACE,
         known STRING REPLACE_IF_NOT_NULL, users BITMAP BITMAP_UNION)
         AGGREGATE KEY(dt, page) DISTRIBUTED BY HASH(dt) BUCKETS 1",
    )
    .await;
    f.run("INSERT INTO t VALUES (1,'a',1,1.5,10,10,'x','x',to_bitmap(1)), (1,'a',2,2.25,5,5,'y',NULL,to_bitmap(2))").await;
    f.run("INSERT INTO t VALUES (1,'a',NULL,NULL,NULL,NULL,NULL,NULL,to_bitmap(1)), (2,'b',7,0,0,0,'z','z',to_bitmap(9))").await;
    assert_eq!(
        f.texts("SELECT dt, page, n, d, hi, lo, last, known, bitmap_count(users), bitmap_to_string(users) FROM t ORDER BY dt").await,
        ["1|a|3|3.75|10|5|NULL|x|2|1,2", "2|b|7|0.00|0|0|z|z|1|9"]
    );
}

#[tokio::test]
async fn inserts_check_and_fill_columns() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT NOT NULL, name VARCHAR(10) NOT NULL DEFAULT 'none', at DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3), x INT NOT NULL)
         DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    let error = f.error("INSERT INTO t (id, x) VALUES (NULL, 1)").await;
    assert!(error.contains("null value for not null column"), "{error}");
    assert!(
        f.error("INSERT INTO t (id) VALUES (1)")
            .await
            .contains("no default value, column=x")
    );
    assert!(
        f.error("INSERT INTO t (id, nope) VALUES (1, 1)")
            .await
            .contains("Unknown column 'nope'")
    );
    assert!(
        f.error("INSERT INTO t VALUES (1, 'a')")
            .await
            .contains("Column count")
    );
    assert!(
        f.error("INSERT INTO t SELECT 1")
            .await
            .contains("Expected: 4, Actual: 1")
    );
    f.run("INSERT INTO t (x, id) VALUES (2, 1), (1 + 2 * 3, 2)").await;
    f.run("INSERT INTO t VALUES (3, DEFAULT, '2024-01-01', 5)").await;
    assert_eq!(
        f.texts("SELECT id, name, x FROM t ORDER BY id").await,
        ["1|none|2", "2|none|7", "3|none|5"]
    );
    assert_eq!(
        f.texts("SELECT COUNT(*) FROM t WHERE at > '2024-06-01'").await,
        ["2"]
    );
    assert_eq!(
        f.affected("INSERT INTO t WITH LABEL l1 SELECT id + 10, name, at, x FROM t")
            .await,
        3
    );
    assert!(
        f.error("INSERT INTO t WITH LABEL l1 SELECT * FROM t")
            .await
            .contains("Label [l1] has already been used")
    );
}

#[tokio::test]
async fn failed_inserts_leave_nothing() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT NOT NULL) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2")
        .await;
    f.error(r#"INSERT INTO t SELECT IF(number = 199999, NULL, number) FROM numbers("number" = "200000")"#)
        .await;
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["0"]);
    f.run("SET enable_insert_strict = 0").await;
    let filtered =
        r#"INSERT INTO t SELECT IF(number = 199999, NULL, number) FROM numbers("number" = "200000")"#;
    assert_eq!(f.affected(filtered).await, 199_999);
}

#[tokio::test]
async fn numbers_fill_tables_of_many_tablets() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id BIGINT, s STRING, d DECIMAL(10,2)) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 32").await;
    f.run(
        r#"INSERT INTO t SELECT number, concat('name-', number), number / 100 FROM numbers("number" = "300000")"#,
    )
    .await;
    assert_eq!(
        f.texts("SELECT COUNT(*), SUM(id), MIN(d), MAX(d) FROM t").await,
        ["300000|44999850000|0.00|2999.99"]
    );
    let info = f.engine.table_info("d", "t").unwrap();
    let tablets = &info.partitions[0].tablets;
    assert_eq!(tablets.len(), 32);
    assert!(tablets.iter().all(|t| t.rows > 7000), "{tablets:?}");
    assert_eq!(tablets.iter().map(|t| t.backend_index).max(), Some(2));
    let mut rows = 0;
    for tablet in tablets {
        rows += f
            .rows(&format!("SELECT `id`, s FROM `d`.`t`  TABLET({}) ", tablet.id))
            .await
            .row_count();
    }
    assert_eq!(rows, 300_000);
    assert!(
        f.error("SELECT id FROM t TABLET(1)")
            .await
            .contains("Invalid tablet id")
    );
    assert_eq!(
        f.affected("INSERT OVERWRITE TABLE t SELECT id, s, d FROM t WHERE id < 10")
            .await,
        10
    );
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["10"]);
    f.run("TRUNCATE TABLE t").await;
    assert!(f.texts("SELECT id FROM t").await.is_empty());
}

#[tokio::test]
async fn a_reader_keeps_its_version() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1; INSERT INTO t VALUES (1)").await;
    let before = f.engine.catalog().table("d", "t").unwrap().snapshot();
    f.run("INSERT INTO t VALUES (2); DELETE FROM t WHERE id = 1")
        .await;
    assert_eq!(before.partitions[0].tablets[0].rows(), 1);
    let after = f.engine.table_info("d", "t").unwrap();
    assert!(after.stamp > before.stamp && after.version == before.version + 2);
    assert_eq!(f.texts("SELECT * FROM t").await, ["2"]);
}

#[tokio::test]
async fn plain_scans_share_the_memory_of_the_table() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id BIGINT, s STRING) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    f.run(r#"INSERT INTO t SELECT number, 'x' FROM numbers("number" = "100000")"#)
        .await;
    let first = f.rows("SELECT s, id FROM t").await;
    let second = f.rows("SELECT id AS other, s FROM d.t").await;
    for (a, b) in first.batches.iter().zip(&second.batches) {
        assert!(std::sync::Arc::ptr_eq(a.column(1), b.column(0)));
        assert!(a.num_rows() <= crate::store::tablet::BATCH_ROWS);
    }
    assert_eq!(second.columns[0].name, "other");
    assert_eq!(f.rows("SELECT id FROM t LIMIT 70000").await.row_count(), 70_000);
    assert_eq!(f.rows("SELECT id FROM t LIMIT 99999, 5").await.row_count(), 1);
}
