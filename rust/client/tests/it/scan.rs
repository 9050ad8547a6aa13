//! Reading rows: projections, filters, limits, several splits on one scan.

use doris_client::ErrorKind;
use doris_client::read::plan::present_tablets;
use doris_client::read::scan::Next;

use crate::support::*;

const INIT: &str = "
CREATE DATABASE db;
CREATE TABLE db.t (id INT NOT NULL, name VARCHAR(50), score DOUBLE) DUPLICATE KEY(id)
  DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ('replication_num' = '1');
INSERT INTO db.t VALUES (1, 'a&b=c', 0.5), (2, 'größer 😀', -1e300), (3, NULL, NULL), (4, '', 0), (5, 'it''s `x`', 1);
";

const COLUMNS: [(&str, &str); 3] = [("id", "INT NOT NULL"), ("name", "STRING"), ("score", "DOUBLE")];

const ALL: [&str; 5] = [
    "1|a&b=c|0.5",
    "2|größer 😀|-1e300",
    "3|NULL|NULL",
    "4||0.0",
    "5|it's `x`|1.0",
];

#[tokio::test]
async fn first_light() {
    let standin = cluster(INIT).await;
    assert_eq!(read(&standin, "db.t", &COLUMNS).rows().await.unwrap(), ALL);
}

#[tokio::test]
async fn canonical_columns_take_the_identity_path() {
    let standin = cluster(INIT).await;
    let read = read(&standin, "db.t", &COLUMNS);
    let scan = read.scan();
    let before = doris_client::process_counters();
    let batches = drain(&scan, vec![]).await.unwrap();
    let metrics = scan.metrics();
    assert_eq!(metrics.rows, 5);
    assert_eq!(metrics.identity_batches, batches.len() as u64);
    assert_eq!(metrics.converted_batches, 0);
    assert!(metrics.bytes > 0 && metrics.held_bytes > 0 && metrics.max_held_bytes >= metrics.held_bytes);
    assert!(doris_client::process_counters().identity >= before.identity + batches.len() as u64);
    // Batches outlive their scan; the budget comes back with them.
    bounded(scan.close()).await;
    drop(batches);
    assert_eq!(scan.metrics().held_bytes, 0);
}

#[tokio::test]
async fn projections_follow_their_own_order() {
    let standin = cluster(INIT).await;
    let swapped = read(&standin, "db.t", &COLUMNS).wanted(&[("`name`", "STRING"), ("`id`", "BIGINT")]);
    let rows = swapped.rows().await.unwrap();
    assert_eq!(rows.len(), 5);
    assert!(rows.contains(&"a&b=c|1".to_owned()), "{rows:?}");
}

#[tokio::test]
async fn rows_are_counted_without_columns() {
    let standin = cluster(INIT).await;
    let none = read(&standin, "db.t", &COLUMNS).wanted(&[]);
    assert_eq!(none.split(vec![]).await.unwrap().len(), 5);
    assert_eq!(none.rows().await.unwrap().len(), 5);
    assert_eq!(
        none.clone()
            .with("read.limit", "2")
            .split(vec![])
            .await
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        none.with("read.filter", "`id` > 99")
            .split(vec![])
            .await
            .unwrap()
            .len(),
        0
    );
}

#[tokio::test]
async fn many_rows_without_columns_come_in_small_batches() {
    let standin = cluster("CREATE DATABASE db; CREATE TABLE db.n (k INT) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 \
        PROPERTIES ('replication_num' = '1'); INSERT INTO db.n SELECT CAST(number AS INT) FROM numbers('number' = '200000');")
    .await;
    let read = read(&standin, "db.n", &[("k", "INT")]).wanted(&[]);
    let scan = read.scan();
    let sizes: Vec<usize> = drain(&scan, vec![])
        .await
        .unwrap()
        .iter()
        .map(|b| b.ipc.rows)
        .collect();
    assert_eq!(sizes, [65536, 65536, 65536, 3392]);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn filters_are_both_kept() {
    let standin = cluster(INIT).await;
    let filtered = read(&standin, "db.t", &COLUMNS)
        .with("doris.filter.query", "id = 1 OR id = 2")
        .with("read.filter", "`name` = 'a&b=c'");
    assert_eq!(filtered.rows().await.unwrap(), ALL[..1]);
    let sent = standin
        .journal()
        .into_iter()
        .map(|e| format!("{e:?}"))
        .filter(|e| e.contains("TABLET("))
        .collect::<Vec<_>>();
    assert!(
        sent.iter()
            .any(|s| s.contains("WHERE (id = 1 OR id = 2) AND (`name` = 'a&b=c')")),
        "{sent:?}"
    );
}

#[tokio::test]
async fn limits_hold_per_split() {
    let standin = cluster(INIT).await;
    assert_eq!(
        read(&standin, "db.t", &COLUMNS)
            .with("read.limit", "2")
            .split(vec![])
            .await
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn splits_of_several_tablets_hold_all_rows_once() {
    let standin = cluster(INIT).await;
    let read = read(&standin, "db.t", &COLUMNS);
    let tablets: Vec<i64> = read.plan().await.unwrap().tablets.iter().map(|t| t.id).collect();
    let mut rows = read.split(vec![tablets[2], tablets[0]]).await.unwrap();
    rows.extend(read.split(vec![tablets[1]]).await.unwrap());
    rows.sort();
    assert_eq!(rows, ALL);
}

#[tokio::test]
async fn wake_is_kept_and_consumed_once() {
    let standin = cluster(INIT).await;
    let scan = read(&standin, "db.t", &COLUMNS).scan();
    scan.wake();
    scan.wake();
    assert!(matches!(bounded(scan.next()).await, Ok(Next::Woken)));
    assert_eq!(
        bounded(scan.next()).await.unwrap_err().kind(),
        ErrorKind::Internal
    );
    // While a call waits, too.
    standin
        .add_fault_json(
            r#"{"at": "flight.get_info", "match": {"statement": "SELECT `id`"}, "do": {"hold": true}}"#,
        )
        .unwrap();
    scan.start(vec![], None).unwrap();
    let waiting = scan.next();
    tokio::pin!(waiting);
    assert!(futures::poll!(waiting.as_mut()).is_pending());
    scan.wake();
    assert!(matches!(bounded(waiting).await, Ok(Next::Woken)));
    standin.clear_faults();
    let mut rows = 0;
    loop {
        match bounded(scan.next()).await.unwrap() {
            Next::Batch(batch) => rows += batch.ipc.rows,
            Next::End => break,
            Next::Woken => panic!("woken twice"),
        }
    }
    assert_eq!(rows, 5);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn a_closed_scan_says_so() {
    let standin = cluster(INIT).await;
    let scan = read(&standin, "db.t", &COLUMNS).scan();
    assert!(scan.start(vec![], None).is_ok());
    assert_eq!(scan.start(vec![], None).unwrap_err().kind(), ErrorKind::Internal);
    bounded(scan.close()).await;
    bounded(scan.close()).await;
    assert_eq!(bounded(scan.next()).await.unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(scan.start(vec![], None).unwrap_err().kind(), ErrorKind::Closed);
}

#[tokio::test]
async fn names_with_backticks_quotes_and_blanks() {
    let standin = cluster(
        "CREATE DATABASE `d b`; CREATE TABLE `d b`.`tx` (`a b` INT, `c``d` STRING) DUPLICATE KEY(`a b`) \
         DISTRIBUTED BY HASH(`a b`) BUCKETS 1 PROPERTIES ('replication_num' = '1'); INSERT INTO `d b`.`tx` VALUES (1, 'x');",
    )
    .await;
    let read = read(&standin, "d b.tx", &[("a b", "INT")]).wanted(&[("`c``d`", "STRING"), ("`a b`", "INT")]);
    assert_eq!(read.rows().await.unwrap(), ["x|1"]);
}

/// Doris answers a query for a tablet that it does not know with no rows. That must not look like an empty tablet.
#[tokio::test]
async fn tablets_that_are_gone_are_an_error() {
    let standin = cluster_with(
        "CREATE DATABASE db; CREATE TABLE db.t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 4; \
         INSERT INTO db.t VALUES (1), (2), (3), (4), (5), (6), (7), (8);",
        |c| c.set = vec!["unknown_tablets_ignored=true".to_owned()],
    )
    .await;
    let read = read(&standin, "db.t", &[("id", "INT")]);
    let planned = read.plan().await.unwrap().tablets;
    standin
        .execute(
            "DROP TABLE db.t; CREATE TABLE db.t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 4; \
             INSERT INTO db.t VALUES (1), (2), (3), (4), (5), (6), (7), (8);",
        )
        .await
        .unwrap();
    let ids: Vec<i64> = planned.iter().map(|t| t.id).collect();
    for split in [vec![ids[0]], ids.clone()] {
        let error = read.split(split).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        assert!(error.to_string().contains("has no tablet"), "{error}");
        assert!(!error.is_retryable(), "{error}");
    }
    let counted = read.clone().wanted(&[]).split(vec![ids[0]]).await;
    assert_eq!(counted.unwrap_err().kind(), ErrorKind::NotFound);
    // A caller who looks himself has one look for all.
    let asked = || {
        standin
            .journal()
            .iter()
            .filter(|e| e.path.contains("/_query_plan"))
            .count()
    };
    let before = asked();
    let scan = read.scan();
    for id in &ids {
        scan.start_without_look_up(vec![*id], None).unwrap();
        assert!(rest_of_split(&scan).await.unwrap().is_empty());
    }
    bounded(scan.close()).await;
    assert_eq!(asked(), before);
    let present = bounded(present_tablets(&read.config(), std::future::pending()))
        .await
        .unwrap();
    assert_eq!(present.tablets.len(), 4);
    assert!(present.tablets.iter().all(|tablet| !ids.contains(&tablet.id)));
    assert_eq!(asked(), before + 1);
    // An empty tablet of the table is one.
    standin.execute("DELETE FROM db.t WHERE id > 0").await.unwrap();
    for tablet in read.plan().await.unwrap().tablets {
        assert!(read.split(vec![tablet.id]).await.unwrap().is_empty());
    }
}
