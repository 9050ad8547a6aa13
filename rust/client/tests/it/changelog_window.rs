//! Windows of changes: what is asked, what comes, in which slices.

use std::collections::BTreeSet;

use doris_client::ErrorKind;
use doris_client::read::config::IncrementType;
use doris_client::read::window::{Slice, WindowSpec};

use crate::changelog_window_support::*;
use crate::support::*;

const COLUMNS: [(&str, &str); 3] = [("id", "INT"), ("name", "STRING"), ("v", "BIGINT")];

fn unique(history: bool) -> String {
    format!(
        "CREATE DATABASE db; CREATE TABLE db.t (id INT NOT NULL, name VARCHAR(20), v BIGINT) UNIQUE KEY(id) \
         DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ('changelog.enable' = 'true', \
         'changelog.need_historical_value' = '{history}');"
    )
}

const WRITES: [&str; 4] = [
    "INSERT INTO db.t VALUES (1, 'a', 10)",
    "INSERT INTO db.t VALUES (2, NULL, NULL)",
    "INSERT INTO db.t VALUES (1, 'größer 😀', -1)",
    "DELETE FROM db.t WHERE id = 2",
];

async fn write(standin: &doris_standin::Standin, statements: &[&str]) {
    for statement in statements {
        standin.execute(statement).await.unwrap();
    }
}

#[tokio::test]
async fn first_light() {
    let standin = cluster_with(&unique(true), |c| c.time_zone = "Asia/Shanghai".to_owned()).await;
    let start = second(&standin);
    write(&standin, &WRITES).await;
    let window = window(start, later(&standin));
    let read = following(&standin, "db.t", &COLUMNS, "detail");
    let scan = read.scan();
    let found = changes_by(&scan, &read, &window).await.unwrap();
    assert_eq!(
        told(&found),
        [
            "+I 1|a|10",
            "+I 2|NULL|NULL",
            "-U 1|a|10",
            "+U 1|größer 😀|-1",
            "-D 2|NULL|NULL"
        ]
    );
    assert_eq!((found[2].tso, found[2].lsn), (found[3].tso, found[3].lsn));
    assert!(found.windows(2).all(|two| two[0].tso <= two[1].tso));
    let metrics = scan.metrics();
    assert_eq!((metrics.rows, metrics.window_rows), (5, 5));
    assert!(metrics.identity_batches > 0);
    assert_eq!((metrics.converted_batches, metrics.position_mismatches), (0, 0));
    assert_eq!(standin.stats().flight_sessions, 1);
    // What was before the window, and what comes after it.
    let before = slice(
        &crate::changelog_window_support::window(start - 3_600_000, start),
        Slice::Whole,
    );
    assert!(changes_by(&scan, &read, &before).await.unwrap().is_empty());
    bounded(scan.close()).await;
    assert_eq!(standin.stats().flight_sessions, 0);
    assert_eq!(standin.stats().flight_results, 0);
    let asked = asked(&standin);
    assert_eq!(asked[0], "SET time_zone = '+00:00'");
    let queries: Vec<&String> = asked
        .iter()
        .filter(|s| s.contains("ORDER BY `__DORIS_"))
        .collect();
    assert_eq!(queries.len(), 2, "{asked:?}");
    assert!(queries[0].ends_with("_OP__`, `id`"), "{}", queries[0]);
    assert!(
        queries[0].contains(&format!(
            "@incr('startTimestamp' = '{}', 'endTimestamp' = '{}', 'incrementType' = 'DETAIL')",
            utc(window.start_millis),
            utc(window.end_millis)
        )),
        "{}",
        queries[0]
    );
    // The hidden names are asked for once.
    assert_eq!(
        asked.iter().filter(|s| s.ends_with("LIMIT 0")).count(),
        1,
        "{asked:?}"
    );
}

#[tokio::test]
async fn both_families_of_names_and_both_widths_of_the_operation() {
    for (names, op) in [("binlog", "int64"), ("changelog", "int8"), ("both", "int64")] {
        let init = unique(true);
        let init = if names == "binlog" {
            init.replace(
                "'changelog.enable' = 'true'",
                "'binlog.enable' = 'true', 'binlog.format' = 'ROW'",
            )
            .replace("changelog.need", "binlog.need")
        } else {
            init
        };
        let standin = cluster_with(&init, |c| {
            c.set = vec![format!("changelog_names={names}"), format!("changelog_op={op}")];
        })
        .await;
        let start = second(&standin);
        write(&standin, &WRITES).await;
        let read = following(&standin, "db.t", &COLUMNS, "detail");
        let found = changes(&read, &window(start, later(&standin))).await;
        assert_eq!(
            found.unwrap_or_else(|e| panic!("{names}: {e}")).len(),
            5,
            "{names}"
        );
    }
}

#[tokio::test]
async fn increment_types() {
    let standin = cluster(&unique(true)).await;
    let start = second(&standin);
    write(&standin, &WRITES).await;
    let window = window(start, later(&standin));
    for (increment, expected) in [
        ("min_delta", vec!["+I 1|größer 😀|-1"]),
        ("append_only", vec!["+I 1|a|10", "+I 2|NULL|NULL"]),
    ] {
        let read = following(&standin, "db.t", &COLUMNS, increment);
        assert_eq!(
            told(&changes(&read, &window).await.unwrap()),
            expected,
            "{increment}"
        );
    }
    // The window's own type counts: behind a snapshot every change is read.
    let read = following(&standin, "db.t", &COLUMNS, "min_delta");
    let every = WindowSpec {
        increment_type: Some(IncrementType::Detail),
        ..window.clone()
    };
    assert_eq!(changes(&read, &every).await.unwrap().len(), 5);
    let filtered =
        following(&standin, "db.t", &COLUMNS, "append_only").with("read.filter", "`id` = 2 OR `id` = 7");
    assert_eq!(
        told(&changes(&filtered, &window).await.unwrap()),
        ["+I 2|NULL|NULL"]
    );
    let sliced = slice(&window, Slice::Hash { index: 0, count: 1 });
    assert_eq!(changes(&filtered, &sliced).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_table_without_history_gives_keys_for_deletes() {
    let standin = cluster(&unique(false)).await;
    let start = second(&standin);
    write(&standin, &WRITES).await;
    let window = window(start, later(&standin));
    let read = following(&standin, "db.t", &COLUMNS, "detail");
    let found = changes(&read, &window).await.unwrap();
    assert_eq!(
        told(&found),
        [
            "+I 1|a|10",
            "+I 2|NULL|NULL",
            "+I 1|größer 😀|-1",
            "-D 2|NULL|NULL"
        ]
    );
    // Declared otherwise than the row of a delete can be.
    let strict = following(
        &standin,
        "db.t",
        &[("id", "INT"), ("name", "STRING NOT NULL")],
        "detail",
    );
    let error = changes(&strict, &window).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Data,
        &["name", "NULL", "declare it nullable", "need_historical_value"],
    );
}

#[tokio::test]
async fn projections_keep_the_hash_of_the_key() {
    let standin = cluster(&unique(true)).await;
    let start = second(&standin);
    write(&standin, &WRITES).await;
    let window = window(start, later(&standin));
    let whole = following(&standin, "db.t", &COLUMNS, "detail");
    let expected = changes(&whole, &window).await.unwrap();
    let hashes: Vec<i64> = expected.iter().map(|c| c.hash).collect();
    for wanted in [
        vec![("`v`", "BIGINT")],
        vec![("`name`", "STRING"), ("`id`", "BIGINT")],
        vec![],
    ] {
        let read = whole.clone().wanted(&wanted);
        let found = changes(&read, &window).await.unwrap();
        assert_eq!(
            found.iter().map(|c| c.hash).collect::<Vec<_>>(),
            hashes,
            "{wanted:?}"
        );
        assert_eq!(found.iter().map(|c| c.op).collect::<Vec<_>>(), [0, 0, 2, 3, 1]);
        let columns = wanted.len().max(1);
        assert!(
            found.iter().all(|c| c.row.split('|').count() == columns),
            "{found:?}"
        );
    }
}

#[tokio::test]
async fn all_rows_are_in_exactly_one_slice() {
    let standin = cluster(
        "CREATE DATABASE db; CREATE TABLE db.t (k1 INT, k2 VARCHAR(20), v INT) UNIQUE KEY(k1, k2) \
         DISTRIBUTED BY HASH(k1) BUCKETS 2 PROPERTIES ('changelog.enable' = 'true', \
         'changelog.need_historical_value' = 'true');",
    )
    .await;
    let start = second(&standin);
    standin
        .execute(
            "INSERT INTO db.t VALUES (NULL, NULL, 1), (NULL, '', 2), (0, NULL, 3), (0, '', 4), (-5, 'x', 5), (7, 'ü', 6); \
             INSERT INTO db.t SELECT CAST(number AS INT) - 100, CAST(number AS STRING), 1 FROM numbers('number' = '200'); \
             INSERT INTO db.t VALUES (NULL, NULL, 7), (0, '', 8); DELETE FROM db.t WHERE k1 < -50",
        )
        .await
        .unwrap();
    let window = window(start, later(&standin));
    let read = following(
        &standin,
        "db.t",
        &[("k1", "INT"), ("k2", "STRING"), ("v", "INT")],
        "detail",
    );
    let whole = told(&changes(&read, &window).await.unwrap());
    assert!(whole.len() > 250, "{}", whole.len());
    for count in [1, 2, 3, 7] {
        let mut all = Vec::new();
        let mut empty = 0;
        let mut keys: Vec<BTreeSet<String>> = Vec::new();
        for index in 0..count {
            let spec = slice(&window, Slice::Hash { index, count });
            let part = told(&changes(&read, &spec).await.unwrap());
            empty += u32::from(part.is_empty());
            let key = |line: &String| line[3..].rsplit_once('|').unwrap().0.to_owned();
            keys.push(part.iter().map(key).collect());
            all.extend(part);
        }
        assert_eq!(empty, 0, "{count}");
        // A key is in one slice alone, with all of its changes.
        let distinct: BTreeSet<&String> = keys.iter().flatten().collect();
        assert_eq!(
            distinct.len(),
            keys.iter().map(BTreeSet::len).sum::<usize>(),
            "{count}"
        );
        let mut expected = whole.clone();
        expected.sort();
        all.sort();
        assert_eq!(all, expected, "{count}");
    }
}

const PARTITIONED: &str = "CREATE DATABASE db; CREATE TABLE db.t (id INT, v INT) UNIQUE KEY(id) \
    PARTITION BY RANGE(id) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (20)) \
    DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('changelog.enable' = 'true');";

#[tokio::test]
async fn partitions_are_slices_by_their_ids() {
    let standin = cluster(PARTITIONED).await;
    let start = second(&standin);
    write(
        &standin,
        &[
            "INSERT INTO db.t VALUES (1, 1), (11, 1), (2, 2)",
            "INSERT INTO db.t VALUES (1, 3)",
        ],
    )
    .await;
    let window = window(start, later(&standin));
    let read = following(&standin, "db.t", &[("id", "INT"), ("v", "INT")], "detail");
    let whole = told(&changes(&read, &window).await.unwrap());
    assert_eq!(whole.len(), 4);
    let ids = partition_ids(&standin).await;
    let mut all = Vec::new();
    for (id, rows) in ids.iter().zip([3, 1]) {
        let part = told(
            &changes(&read, &slice(&window, Slice::Partition { id: *id }))
                .await
                .unwrap(),
        );
        assert_eq!(part.len(), rows);
        all.extend(part);
    }
    all.sort();
    let mut expected = whole;
    expected.sort();
    assert_eq!(all, expected);
    let gone = slice(&window, Slice::Partition { id: 1 });
    let error = changes(&read, &gone).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::PartitionGone,
        &["db.t", "no partition 1", "UTC of partition 1"],
    );
    assert!(!error.is_retryable());
}

/// A query names its partition, so what it gives may be of another one that has the name by then.
#[tokio::test]
async fn a_name_that_goes_to_another_partition_is_noticed() {
    for (rows, kind, told) in [
        (1, ErrorKind::Data, "went from partition"),
        (0, ErrorKind::PartitionGone, "lost its name 'p1'"),
    ] {
        let standin = cluster(PARTITIONED).await;
        let start = second(&standin);
        // Into p1, or p2, where this slice sees nothing.
        let id = if rows == 1 { 1 } else { 11 };
        write(&standin, &[&format!("INSERT INTO db.t VALUES ({id}, 1)")]).await;
        let window = window(start, later(&standin));
        let read = following(&standin, "db.t", &[("id", "INT"), ("v", "INT")], "detail");
        let p1 = slice(
            &window,
            Slice::Partition {
                id: partition_ids(&standin).await[0],
            },
        );
        assert_eq!(changes(&read, &p1).await.unwrap().len(), rows);
        standin
            .add_fault_json(
                r#"{"at": "flight.do_get", "match": {"statement": "ORDER BY `__DORIS"}, "do": {"hold": true}, "times": 1}"#,
            )
            .unwrap();
        let scan = read.scan();
        scan.start_window(p1).unwrap();
        until("the query waits", || {
            standin.faults().iter().any(|f| f.holding == 1)
        })
        .await;
        for swap in [
            "ALTER TABLE db.t DROP PARTITION p1",
            "ALTER TABLE db.t ADD PARTITION p1 VALUES LESS THAN ('10')",
        ] {
            standin.execute(swap).await.unwrap();
        }
        standin.clear_faults();
        let error = rest(&scan, &read).await.unwrap_err();
        bounded(scan.close()).await;
        assert_error(&error, kind, &["db.t", told]);
        assert!(!error.is_retryable());
    }
}

async fn partition_ids(standin: &doris_standin::Standin) -> Vec<i64> {
    use arrow::array::cast::AsArray;
    let answers = standin.execute("SHOW PARTITIONS FROM db.t").await.unwrap();
    let doris_standin::engine::Answer::FrontEndRows(rows) = &answers[0] else {
        panic!("rows");
    };
    rows.batches
        .iter()
        .flat_map(|batch| {
            let ids = batch.column_by_name("PartitionId").unwrap().as_string::<i32>();
            ids.iter()
                .map(|id| id.unwrap().parse().unwrap())
                .collect::<Vec<i64>>()
        })
        .collect()
}

#[tokio::test]
async fn duplicate_tables_are_ordered_by_their_rows() {
    let standin = cluster(
        "CREATE DATABASE db; CREATE TABLE db.t (k INT, j JSON, a ARRAY<INT>) DUPLICATE KEY(k) \
         DISTRIBUTED BY HASH(k) BUCKETS 2 PROPERTIES ('changelog.enable' = 'true');",
    )
    .await;
    let start = second(&standin);
    write(
        &standin,
        &["INSERT INTO db.t VALUES (1, '{\"a\":1}', [1, 2]), (2, NULL, NULL), (1, '{\"a\":1}', [1, 2]), (3, '[]', [])"],
    )
    .await;
    let window = window(start, later(&standin));
    let columns = [("k", "INT"), ("j", "STRING"), ("a", "ARRAY<INT>")];
    let read = following(&standin, "db.t", &columns, "detail");
    let found = changes(&read, &window).await.unwrap();
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|c| c.op == 0));
    let query = asked(&standin)
        .into_iter()
        .find(|s| s.contains("ORDER BY `__DORIS"))
        .unwrap();
    assert!(
        query.ends_with("`, `k`, md5(cast(`j` as string)), md5(cast(`a` as string))"),
        "{query}"
    );
    for rows in 1..=4 {
        let rest = changes(&read, &behind(&window, &found, rows)).await.unwrap();
        assert_eq!(rest, found[rows..], "{rows}");
    }
    let mut parts = 0;
    for index in 0..3 {
        let spec = slice(&window, Slice::Hash { index, count: 3 });
        parts += changes(&read, &spec).await.unwrap().len();
    }
    assert_eq!(parts, 4);
}

/// Doris casts none of these to text. With numbers of changes that are unique on a back end only, rows differ in them alone.
#[tokio::test]
async fn duplicate_tables_are_ordered_by_bitmaps_and_sketches_too() {
    let standin = cluster_with(
        "CREATE DATABASE db; CREATE TABLE db.t (k INT, b BITMAP, h HLL, q QUANTILE_STATE) DUPLICATE KEY(k) \
         DISTRIBUTED BY RANDOM BUCKETS 4 PROPERTIES ('changelog.enable' = 'true');",
        |c| {
            c.backends = 2;
            c.set = vec!["changelog_lsn=backend".to_owned()];
        },
    )
    .await;
    let start = second(&standin);
    let values: Vec<String> = (0..8)
        .map(|n| {
            format!(
                "(1, to_bitmap({n}), hll_hash('{}'), to_quantile_state('{}', 2048))",
                n % 4,
                n % 2
            )
        })
        .collect();
    write(
        &standin,
        &[&format!("INSERT INTO db.t VALUES {}", values.join(", "))],
    )
    .await;
    let window = window(start, later(&standin));
    let columns = [("k", "INT"), ("b", "BYTES"), ("h", "BYTES"), ("q", "BYTES")];
    let read = following(&standin, "db.t", &columns, "detail");
    let found = changes(&read, &window).await.unwrap();
    assert_eq!(found.len(), 8);
    for rows in 1..=8 {
        let scan = read.scan();
        let rest = changes_by(&scan, &read, &behind(&window, &found, rows))
            .await
            .unwrap();
        assert_eq!(rest, found[rows..], "{rows}");
        assert_eq!(scan.metrics().position_mismatches, 0);
        bounded(scan.close()).await;
    }
    for name in ["b", "h", "q"] {
        let cast = format!("SELECT md5(cast({name} as string)) FROM db.t");
        let error = standin.execute(&cast).await.unwrap_err().to_string();
        assert!(
            error.contains("cannot cast") && error.contains("to TEXT"),
            "{error}"
        );
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn columns_that_are_converted_keep_their_metadata() {
    let standin = cluster(
        "CREATE DATABASE db; CREATE TABLE db.t (id LARGEINT, d DECIMAL(10, 2), s STRUCT<a:INT,b:STRING>, m MAP<STRING,INT>) \
         UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('changelog.enable' = 'true', \
         'changelog.need_historical_value' = 'true');",
    )
    .await;
    let start = second(&standin);
    write(
        &standin,
        &[
            "INSERT INTO db.t VALUES (170141183460469231731687303715884105727, 1.5, STRUCT(1, 'x'), MAP('a', 1)), (-1, NULL, NULL, NULL)",
            "INSERT INTO db.t VALUES (-1, -0.25, STRUCT(NULL, ''), MAP('', NULL))",
        ],
    )
    .await;
    let window = window(start, later(&standin));
    let columns = [
        ("id", "STRING"),
        ("d", "DECIMAL(20, 4)"),
        ("s", "ROW<`a` BIGINT, `b` STRING>"),
        ("m", "MAP<STRING, BIGINT>"),
    ];
    let read = following(&standin, "db.t", &columns, "detail");
    let scan = read.scan();
    let found = changes_by(&scan, &read, &window).await.unwrap();
    assert!(scan.metrics().converted_batches > 0);
    bounded(scan.close()).await;
    assert_eq!(found.iter().map(|c| c.op).collect::<Vec<_>>(), [0, 0, 2, 3]);
    for rows in 1..=4 {
        let rest = changes(&read, &behind(&window, &found, rows)).await.unwrap();
        assert_eq!(rest, found[rows..], "{rows}");
    }
}

#[tokio::test]
async fn columns_may_come_and_go_between_windows() {
    let standin = cluster(&unique(true)).await;
    let start = second(&standin);
    write(&standin, &WRITES[..1]).await;
    let read = following(&standin, "db.t", &COLUMNS, "detail");
    let scan = read.scan();
    let middle = later(&standin);
    assert_eq!(
        changes_by(&scan, &read, &window(start, middle))
            .await
            .unwrap()
            .len(),
        1
    );
    write(
        &standin,
        &[
            "ALTER TABLE db.t ADD COLUMN more INT",
            "INSERT INTO db.t VALUES (5, 'x', 1, 2)",
        ],
    )
    .await;
    let end = later(&standin);
    let found = changes_by(&scan, &read, &window(middle, end)).await.unwrap();
    assert_eq!(told(&found), ["+I 5|x|1"]);
    write(&standin, &["ALTER TABLE db.t DROP COLUMN v"]).await;
    let error = changes_by(&scan, &read, &window(end, later(&standin)))
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::Schema, &["'v'", "db.t"]);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn what_cannot_be_a_window_is_refused_at_once() {
    let standin = cluster(&unique(true)).await;
    let start = second(&standin);
    let snapshot = read(&standin, "db.t", &COLUMNS).scan();
    let error = snapshot.start_window(window(start, start + 1000)).unwrap_err();
    assert_error(&error, ErrorKind::Config, &["snapshot mode"]);
    let scan = following(&standin, "db.t", &COLUMNS, "detail").scan();
    let error = scan.start_window(window(start, start)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    // A table without a changelog, and one that is not there.
    standin
        .execute("CREATE TABLE db.plain (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await
        .unwrap();
    let plain = following(&standin, "db.plain", &[("id", "INT")], "detail");
    let error = changes(&plain, &window(start, later(&standin)))
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::Query, &["db.plain", "INCR query requires"]);
    let missing = following(&standin, "db.tt", &COLUMNS, "detail");
    let error = changes(&missing, &window(start, later(&standin)))
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::NotFound, &["db.tt"]);
}
