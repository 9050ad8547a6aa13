//! Results that lie on several endpoints: all of them are read, each once, and what was handed out of one counts for all.

use std::collections::BTreeSet;

use doris_client::ErrorKind;
use doris_client::read::scan::Next;
use doris_standin::Standin;

use crate::support::*;

const ROWS: u64 = 200_000;

/// One tablet whose rows are served from as many endpoints as there are back ends, two at least.
async fn spread(backends: usize) -> Standin {
    let init = format!(
        "CREATE DATABASE db; CREATE TABLE db.n (k INT, s STRING) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 \
         PROPERTIES ('replication_num' = '1'); \
         INSERT INTO db.n SELECT CAST(number AS INT), CAST(number AS STRING) FROM numbers('number' = '{ROWS}');"
    );
    cluster_with(&init, |c| {
        c.backends = backends;
        c.set = vec![
            "enable_parallel_result_sink=true".to_owned(),
            // Small pieces, so that faults can strike between batches.
            "flight_piece_bytes=65536".to_owned(),
        ];
    })
    .await
}

fn all(standin: &Standin) -> Read {
    read(standin, "db.n", &[("k", "INT"), ("s", "STRING")])
}

/// A read that runs ahead of the rows that are handed out by a few batches only.
fn short_of_breath(standin: &Standin) -> Read {
    all(standin)
        .with("doris.deserialize.queue.size", "1")
        .with("source.read-buffer-size", "262144")
}

/// The back end of the second endpoint of two.
fn second(standin: &Standin) -> usize {
    let table = standin.engine().table_info("db", "n").unwrap();
    1 - table.partitions[0].tablets[0].backend_index
}

/// A rule for the stream of the second endpoint.
fn break_second(standin: &Standin, action: &str, after: u32) {
    let node = second(standin);
    standin
        .add_fault_json(&format!(
            r#"{{"at": "flight.do_get", "match": {{"node": "be{node}", "statement": "SELECT `k`"}}, "do": {action}, "times": 1, "after": {after}}}"#
        ))
        .unwrap();
}

/// Takes what is left of a split that has begun; keys of rows already taken are in `keys`.
async fn take(read: &Read, scan: &doris_client::read::scan::Scan, keys: &mut Vec<String>) {
    loop {
        match bounded(scan.next()).await.unwrap() {
            Next::Batch(batch) => keys.extend(lines(&read.decode(&batch))),
            Next::End => break,
            Next::Woken => {}
        }
    }
}

fn assert_every_row_once(rows: &[String]) {
    let distinct: BTreeSet<&String> = rows.iter().collect();
    assert_eq!(
        (rows.len() as u64, distinct.len() as u64),
        (ROWS, ROWS),
        "rows and distinct rows"
    );
    assert!(distinct.contains(&"0|0".to_owned()) && distinct.contains(&format!("{0}|{0}", ROWS - 1)));
}

#[tokio::test]
async fn every_row_of_every_endpoint_is_read_once() {
    for backends in [1, 2, 3] {
        let standin = spread(backends).await;
        assert_every_row_once(&all(&standin).rows().await.unwrap());
        let served = standin.stats().rows_per_backend;
        assert!(
            served.iter().all(|rows| *rows > ROWS / 10),
            "each serves its part: {served:?}"
        );
    }
}

#[tokio::test]
async fn rows_are_counted_and_limited_over_all_endpoints() {
    let standin = spread(3).await;
    let none = all(&standin).wanted(&[]);
    assert_eq!(count(&none.scan(), vec![]).await.unwrap(), ROWS);
    let limited = all(&standin).with("read.limit", "7");
    assert_eq!(count(&limited.scan(), vec![]).await.unwrap(), 7);
    // Endpoints without rows are complete answers, too.
    let nothing = all(&standin).with("read.filter", "`k` < 0");
    assert_eq!(count(&nothing.scan(), vec![]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_break_in_the_second_endpoint_begins_the_split_again_while_nothing_was_handed_out() {
    for (action, after) in [
        (r#"{"reset": true}"#, 0),
        (r#"{"close": "stream"}"#, 3),
        (r#"{"close": "no_trailers"}"#, 3),
        (
            r#"{"status": {"code": "INTERNAL", "message": "memory limit"}}"#,
            0,
        ),
    ] {
        let standin = spread(2).await;
        break_second(&standin, action, after);
        let read = all(&standin);
        let scan = read.scan();
        scan.start(vec![], None).unwrap();
        // The first endpoint was read to its end by then, and none of its rows may come twice.
        until("the split is begun again", || scan.metrics().split_retries == 1).await;
        let mut rows = Vec::new();
        take(&read, &scan, &mut rows).await;
        assert_every_row_once(&rows);
        assert_eq!(scan.metrics().rows, ROWS, "{action}");
        bounded(scan.close()).await;
    }
}

#[tokio::test]
async fn a_break_in_the_second_endpoint_is_told_when_rows_of_the_first_were_handed_out() {
    for (action, after) in [
        (r#"{"reset": true}"#, 0),
        (r#"{"close": "stream"}"#, 0),
        (r#"{"close": "no_trailers"}"#, 2),
        (r#"{"status": {"code": "UNAVAILABLE", "message": "gone"}}"#, 0),
    ] {
        let standin = spread(2).await;
        break_second(&standin, action, after);
        let read = short_of_breath(&standin);
        let scan = read.scan();
        scan.start(vec![], None).unwrap();
        let mut rows = 0;
        let error = loop {
            match bounded(scan.next()).await {
                Ok(Next::Batch(batch)) => rows += batch.ipc.rows as u64,
                Ok(other) => panic!("{action}: {other:?} after {rows} rows"),
                Err(error) => break error,
            }
        };
        assert!(rows > 0 && rows < ROWS, "{action}: {rows}");
        assert_error(&error, ErrorKind::Transport, &["db.n", "must be read again"]);
        assert!(error.is_retryable());
        assert_eq!(scan.metrics().split_retries, 0);
        // The scan lives on: the split can be read again from its start.
        scan.start(vec![], None).unwrap();
        let mut again = Vec::new();
        take(&read, &scan, &mut again).await;
        assert_every_row_once(&again);
        bounded(scan.close()).await;
    }
}

#[tokio::test]
async fn a_second_back_end_that_is_gone_does_not_end_the_split() {
    let standin = spread(2).await;
    let read = short_of_breath(&standin);
    let scan = read.scan();
    scan.start(vec![], None).unwrap();
    assert!(matches!(bounded(scan.next()).await, Ok(Next::Batch(_))));
    standin.stop_backend(second(&standin)).await.unwrap();
    let error = loop {
        match bounded(scan.next()).await {
            Ok(Next::Batch(_)) => {}
            Ok(other) => panic!("{other:?} without the second back end"),
            Err(error) => break error,
        }
    };
    assert!(error.is_retryable(), "{error}");
    assert!(error.to_string().contains("must be read again"), "{error}");
    bounded(scan.close()).await;
}
