//! Memory: never more than the budget and one batch, whoever is slow; batches that are kept stop the stream.

use doris_client::read::scan::{Next, ScanBatch};

use crate::support::*;

#[tokio::test]
async fn a_slow_reader_holds_no_more_than_its_budget_and_one_batch() {
    const ROWS: u64 = 300_000;
    let init = format!(
        "CREATE DATABASE db; CREATE TABLE db.n (k INT, s STRING) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 \
         PROPERTIES ('replication_num' = '1'); \
         INSERT INTO db.n SELECT CAST(number AS INT), concat('some text that takes room ', CAST(number AS STRING)) FROM numbers('number' = '{ROWS}');"
    );
    let standin = cluster_with(&init, |c| c.set = vec!["flight_piece_bytes=100000".to_owned()]).await;
    for (columns, budget) in [
        ([("k", "INT"), ("s", "STRING")], 500_000u64),
        ([("k", "BIGINT"), ("s", "STRING")], 500_000),
        // Smaller than one batch: they pass one by one.
        ([("k", "INT"), ("s", "STRING")], 1),
    ] {
        let scan = read(&standin, "db.n", &columns)
            .with("source.read-buffer-size", &budget.to_string())
            .scan();
        scan.start(vec![], None).unwrap();
        let (mut rows, mut largest) = (0, 0);
        let mut kept = Vec::new();
        loop {
            match bounded(scan.next()).await.unwrap() {
                Next::Batch(batch) => {
                    rows += batch.ipc.rows as u64;
                    largest = largest.max(batch.ipc.size() as u64);
                    kept.push(batch);
                    // Holds on to what it can without taking the last room for the next batch.
                    let bytes: u64 = kept.iter().map(|b: &ScanBatch| b.ipc.size() as u64).sum();
                    if bytes + 2 * largest > budget {
                        kept.clear();
                    }
                }
                Next::End => break,
                Next::Woken => {}
            }
        }
        drop(kept);
        let metrics = scan.metrics();
        assert_eq!(rows, ROWS);
        assert!(
            metrics.max_held_bytes <= budget + largest,
            "{metrics:?}, largest {largest}, budget {budget}"
        );
        assert_eq!(metrics.held_bytes, 0);
        bounded(scan.close()).await;
    }
}

#[tokio::test]
async fn a_batch_of_64_mb_passes_a_budget_of_one() {
    let row = "x".repeat(16_000);
    let init = format!(
        "CREATE DATABASE db; CREATE TABLE db.w (k INT, s STRING) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 \
         PROPERTIES ('replication_num' = '1'); INSERT INTO db.w SELECT CAST(number AS INT), '{row}' FROM numbers('number' = '4064');"
    );
    let standin = cluster_with(&init, |c| {
        c.set = vec!["flight_piece_bytes=1000000000".to_owned()]
    })
    .await;
    let scan = read(&standin, "db.w", &[("k", "INT"), ("s", "STRING")])
        .with("source.read-buffer-size", "1")
        .scan();
    assert_eq!(count(&scan, vec![]).await.unwrap(), 4064);
    assert!(scan.metrics().max_held_bytes > 0);
    assert_eq!(scan.metrics().held_bytes, 0);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn the_queue_reads_no_more_batches_ahead_than_asked() {
    let init = "CREATE DATABASE db; CREATE TABLE db.n (k INT) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 \
         PROPERTIES ('replication_num' = '1'); INSERT INTO db.n SELECT CAST(number AS INT) FROM numbers('number' = '100000');";
    let standin = cluster_with(init, |c| c.set = vec!["flight_piece_bytes=8192".to_owned()]).await;
    let scan = read(&standin, "db.n", &[("k", "INT")])
        .with("doris.deserialize.queue.size", "2")
        .scan();
    scan.start(vec![], None).unwrap();
    let Ok(Next::Batch(first)) = bounded(scan.next()).await else {
        panic!("no batch")
    };
    // Two in the queue, one that waits for room, one in hand.
    let room = 5 * first.ipc.size() as u64;
    assert!(scan.metrics().max_held_bytes <= room);
    let mut rows = first.ipc.rows;
    drop(first);
    loop {
        match bounded(scan.next()).await.unwrap() {
            Next::Batch(batch) => rows += batch.ipc.rows,
            Next::End => break,
            Next::Woken => {}
        }
    }
    assert_eq!(rows, 100_000);
    assert!(scan.metrics().max_held_bytes <= room, "{:?}", scan.metrics());
    bounded(scan.close()).await;
}
