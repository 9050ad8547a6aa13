//! What a table has, asked by a read that declares nothing.

use doris_client::ErrorKind;
use doris_client::read::describe::describe_until;

use crate::support::*;

const INIT: &str = "
CREATE DATABASE db;
CREATE TABLE db.t (id INT NOT NULL, flag BOOLEAN, name VARCHAR(50), moment DATETIME(3), big LARGEINT, parts STRUCT<a:INT, b:STRING>)
  DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1');
";

#[tokio::test]
async fn columns_come_in_their_order_with_types_that_keep_their_values() {
    let standin = cluster(INIT).await;
    // The shortest form of an empty row is what Java sends.
    let config = read(&standin, "db.t", &[])
        .with("read.declared", "ROW<>")
        .config();
    let columns = bounded(describe_until(&config, std::future::pending()))
        .await
        .unwrap();
    let found: Vec<(&str, String)> = columns
        .iter()
        .map(|column| (column.name.as_str(), column.natural.as_ref().unwrap().to_string()))
        .collect();
    let expected = [
        ("id", "INT"),
        ("flag", "BOOLEAN"),
        ("name", "STRING"),
        ("moment", "TIMESTAMP(3)"),
        ("big", "STRING"),
        ("parts", "ROW<`a` INT, `b` STRING>"),
    ];
    assert_eq!(found, expected.map(|(name, text)| (name, text.to_owned())));
    assert_eq!(columns[2].doris, "VARCHAR(50)");
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn a_table_that_is_missing_is_named_and_a_cancel_is_told() {
    let standin = cluster(INIT).await;
    let config = read(&standin, "db.tt", &[])
        .with("read.declared", "ROW<>")
        .config();
    let error = bounded(describe_until(&config, std::future::pending()))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("did you mean 't'"), "{error}");
    let error = bounded(describe_until(&config, std::future::ready(())))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
}
