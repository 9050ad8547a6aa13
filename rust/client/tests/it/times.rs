//! TIME columns: times of day, texts and microseconds, whatever unit a server generation sends.

use doris_client::ErrorKind;

use crate::standin::Standin;
use crate::support::*;

/// Times of day in three scales, and times beyond a day.
const INIT: &str = "
CREATE DATABASE db;
CREATE TABLE db.t (k INT, t0 TIME(0), t3 TIME(3), t6 TIME(6), a ARRAY<TIME(3)>) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1
  PROPERTIES ('replication_num' = '1');
INSERT INTO db.t VALUES
  (1, '00:00:00', '00:00:00.001', '00:00:00.000001', ['00:00:01.5', NULL]),
  (2, '23:59:59', '23:59:59.999', '23:59:59.999999', []),
  (3, NULL, NULL, NULL, NULL);
CREATE TABLE db.long (k INT, l TIME(0), n TIME(3)) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1
  PROPERTIES ('replication_num' = '1');
INSERT INTO db.long VALUES (1, '838:59:59', '-00:00:00.001'), (2, '24:00:00', '-838:59:59');
";

/// Microseconds, seconds, and microseconds beside the older forms of all other types.
const PROFILES: [(&str, &[&str]); 3] = [
    ("doris-5.0", &[]),
    ("doris-2.1", &[]),
    ("doris-2.1", &["time_form=micros"]),
];

async fn servers() -> Vec<(String, Standin)> {
    let mut servers = Vec::new();
    for (profile, set) in PROFILES {
        let standin = cluster_with(INIT, |c| {
            c.profile = profile.to_owned();
            c.set = set.iter().map(|s| (*s).to_owned()).collect();
        })
        .await;
        servers.push((format!("{profile} {set:?}"), standin));
    }
    servers
}

#[tokio::test]
async fn times_of_day_texts_and_microseconds() {
    for (server, standin) in servers().await {
        for (column, flink, expected) in [
            ("t0", "TIME(0)", ["0", "86399000"]),
            ("t0", "TIME(3)", ["0", "86399000"]),
            ("t0", "STRING", ["00:00:00", "23:59:59"]),
            ("t0", "DOUBLE", ["0.0", "86399000000.0"]),
            ("t3", "TIME(3)", ["1", "86399999"]),
            ("t3", "STRING", ["00:00:00.001", "23:59:59.999"]),
            ("t3", "DOUBLE", ["1000.0", "86399999000.0"]),
            ("t6", "STRING", ["00:00:00.000001", "23:59:59.999999"]),
            ("t6", "DOUBLE", ["1.0", "86399999999.0"]),
            ("a", "ARRAY<TIME(3)>", ["[1500, NULL]", "[]"]),
            ("a", "ARRAY<DOUBLE>", ["[1500000.0, NULL]", "[]"]),
            ("a", "ARRAY<STRING>", ["[00:00:01.500, NULL]", "[]"]),
        ] {
            let rows = read(&standin, "db.t", &[("k", "INT"), (column, flink)])
                .rows()
                .await
                .unwrap_or_else(|e| panic!("{server} {column} {flink}: {e}"));
            let expected = [
                format!("1|{}", expected[0]),
                format!("2|{}", expected[1]),
                "3|NULL".to_owned(),
            ];
            assert_eq!(rows, expected, "{server} {column} as {flink}");
        }
    }
}

#[tokio::test]
async fn times_beyond_a_day_are_texts_or_numbers_and_never_wrapped() {
    for (server, standin) in servers().await {
        let texts = read(&standin, "db.long", &[("l", "STRING"), ("n", "STRING")]);
        assert_eq!(
            texts.rows().await.unwrap(),
            ["24:00:00|-838:59:59.000", "838:59:59|-00:00:00.001"],
            "{server}"
        );
        let numbers = read(&standin, "db.long", &[("l", "DOUBLE"), ("n", "DOUBLE")]);
        assert_eq!(
            numbers.rows().await.unwrap(),
            ["3020399000000.0|-1000.0", "86400000000.0|-3020399000000.0"],
            "{server}"
        );
        for (column, flink) in [("l", "TIME(0)"), ("n", "TIME(3)")] {
            let error = read(&standin, "db.long", &[(column, flink)])
                .rows()
                .await
                .unwrap_err();
            assert_error(&error, ErrorKind::Data, &[column, "STRING"]);
        }
    }
}

#[tokio::test]
async fn declarations_that_would_lose_digits_are_refused() {
    for (server, standin) in servers().await {
        for (column, flink, advice) in [
            ("t3", "TIME(0)", "TIME(p) with 3 <= p <= 3"),
            ("t6", "TIME(3)", "STRING or DOUBLE"),
            ("t0", "BIGINT", "STRING or DOUBLE"),
        ] {
            let error = read(&standin, "db.t", &[(column, flink)])
                .plan()
                .await
                .unwrap_err();
            assert_error(&error, ErrorKind::Schema, &[column, advice]);
            assert!(!error.is_retryable(), "{server}");
        }
    }
}
