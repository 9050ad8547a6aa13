//! Column lists, expressions, conditions, partitions.

use super::{Counts, all, load, refusal};
use crate::sql::tests::Fixture;

#[tokio::test]
async fn csv_8_bitmaps_are_made_from_a_field() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE pv (dt INT, page VARCHAR(20), user_id BITMAP BITMAP_UNION) AGGREGATE KEY(dt, page)
         DISTRIBUTED BY HASH(dt) BUCKETS 2",
    )
    .await;
    let headers = [
        ("columns", "dt,page,user_id,user_id=to_bitmap(user_id)"),
        ("column_separator", ","),
    ];
    assert_eq!(
        load(&f, "pv", &headers, "1,a,7\n1,a,8\n1,a,7\n2,b,9").await,
        all(4)
    );
    assert_eq!(
        f.texts("SELECT dt, page, bitmap_to_string(user_id) FROM pv ORDER BY dt")
            .await,
        ["1|a|7,8", "2|b|9"]
    );
}

#[tokio::test]
async fn columns_are_derived() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT, `the name` STRING, n BIGINT, d DATETIME, raw STRING DEFAULT 'none')
         DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    let headers = [
        (
            "columns",
            "first, ` last `, id, x, `the name` = concat(first, ', ', ` last `), n=ifnull(x, 0) + 1, d = concat('2024-01', '-02')",
        ),
        ("column_separator", "|"),
    ];
    assert_eq!(
        load(&f, "t", &headers, "Ada|Lovelace|1|41\nBob|Ä|2|\\N").await,
        all(2)
    );
    assert_eq!(
        f.texts("SELECT * FROM t ORDER BY id").await,
        [
            "1|Ada, Lovelace|42|2024-01-02 00:00:00|none",
            "2|Bob, Ä|1|2024-01-02 00:00:00|none"
        ]
    );
    f.run("TRUNCATE TABLE t").await;
    // A number of the table is computed with as one.
    let headers = [
        ("columns", "id,n,tmp,n=n*2,raw=from_base64(tmp)"),
        ("column_separator", ","),
    ];
    assert_eq!(load(&f, "t", &headers, "1,21,aGk=").await, all(1));
    assert_eq!(f.texts("SELECT id, n, raw FROM t").await, ["1|42|hi"]);
}

#[tokio::test]
async fn columns_may_be_in_any_order_and_case() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (a INT, b STRING) DUPLICATE KEY(a) DISTRIBUTED BY HASH(a) BUCKETS 1")
        .await;
    assert_eq!(
        load(&f, "t", &[("columns", "B, unused, A")], "x\t9\t1").await,
        all(1)
    );
    let json = [("format", "json"), ("columns", "b,a")];
    assert_eq!(load(&f, "t", &json, "{\"a\":2,\"b\":\"y\"}").await, all(1));
    assert_eq!(f.texts("SELECT * FROM t ORDER BY a").await, ["1|x", "2|y"]);
}

#[tokio::test]
async fn rows_are_selected() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT, v INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    let headers = [
        ("columns", "id,v,extra"),
        ("where", "v >= 10 and extra = 'yes'"),
        ("column_separator", ","),
    ];
    let counts = load(
        &f,
        "t",
        &headers,
        "1,10,yes\n2,9,yes\n3,11,no\n4,\\N,yes\n5,12,yes",
    )
    .await;
    let expected = Counts {
        total: 5,
        loaded: 2,
        filtered: 0,
        unselected: 3,
    };
    assert_eq!(counts, expected);
    assert_eq!(f.texts("SELECT id FROM t ORDER BY id").await, ["1", "5"]);
}

#[tokio::test]
async fn partitions_take_their_rows_only() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT, v INT) DUPLICATE KEY(id)
         PARTITION BY RANGE(id) (PARTITION p1 VALUES LESS THAN ('10'), PARTITION p2 VALUES LESS THAN ('20'))
         DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    let headers = [("partitions", "p1"), ("max_filter_ratio", "1")];
    let counts = load(&f, "t", &headers, "1\t1\n15\t1").await;
    assert_eq!((counts.loaded, counts.filtered), (1, 1));
    assert_eq!(
        load(&f, "t", &[("partitions", "p1, p2")], "2\t1\n16\t1").await,
        all(2)
    );
    assert_eq!(f.texts("SELECT id FROM t ORDER BY id").await, ["1", "2", "16"]);
    assert!(
        refusal(&f, "t", &[("partitions", "p9")])
            .await
            .contains("Unknown partition 'p9'")
    );
    let both = [("partitions", "p1"), ("temporary_partitions", "p2")];
    assert!(
        refusal(&f, "t", &both)
            .await
            .contains("both partitions and temporary partitions")
    );
}

#[tokio::test]
async fn wrong_lists_are_told() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT, v INT NOT NULL) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    for (columns, part) in [
        ("id", "column has no source field, column=v"),
        ("id,,v", "invalid column name in columns"),
        ("id,v,id", "Duplicate column: id"),
        ("id,x,v=nothing(x)", "nothing"),
        ("id,v=missing+1", "Unknown column 'missing'"),
        ("id,v=sum(id)", "only plain expressions"),
        ("id,v,w=id+1", "Unknown column 'w'"),
    ] {
        let message = refusal(&f, "t", &[("columns", columns)]).await;
        assert!(
            message.starts_with("[ANALYSIS_ERROR]TStatus: errCode = 2"),
            "{message}"
        );
        assert!(message.contains(part), "{columns}: {message}");
    }
    assert!(
        refusal(&f, "t", &[("where", "nope = 1")])
            .await
            .contains("Unknown column 'nope'")
    );
}
