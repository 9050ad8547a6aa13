//! Broken streams, lost tokens, dead nodes: either every row once or an error, never fewer rows.

use std::time::Instant;

use doris_client::ErrorKind;
use doris_client::read::scan::Next;
use doris_standin::Standin;

use crate::support::*;

const ROWS: u64 = 300_000;

async fn numbers(backends: usize) -> Standin {
    let init = format!(
        "CREATE DATABASE db; CREATE TABLE db.n (k INT, s STRING) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 2 \
         PROPERTIES ('replication_num' = '1'); \
         INSERT INTO db.n SELECT CAST(number AS INT), CAST(number AS STRING) FROM numbers('number' = '{ROWS}');"
    );
    // Small pieces, so that faults can strike between batches.
    cluster_with(&init, |c| {
        c.backends = backends;
        c.set = vec!["flight_piece_bytes=65536".to_owned()];
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

/// A rule for the streams of the table's rows.
fn rule(at: &str, action: &str, times: u32, after: u32) -> String {
    format!(
        r#"{{"at": "{at}", "match": {{"statement": "SELECT `k`"}}, "do": {action}, "times": {times}, "after": {after}}}"#
    )
}

/// Reads a split while a fault strikes before a row was handed out: retried inside, complete, counted.
async fn retried(action: &str, at: &str, after: u32) {
    let standin = numbers(1).await;
    standin.add_fault_json(&rule(at, action, 1, after)).unwrap();
    let scan = all(&standin).scan();
    scan.start(vec![], None).unwrap();
    // Nothing is taken until the fault has struck and the split is begun again.
    until("the split is begun again", || scan.metrics().split_retries == 1).await;
    let mut rows = 0;
    loop {
        match bounded(scan.next()).await.unwrap() {
            Next::Batch(batch) => rows += batch.ipc.rows as u64,
            Next::End => break,
            Next::Woken => {}
        }
    }
    assert_eq!(rows, ROWS);
    assert_eq!(scan.metrics().rows, ROWS);
    bounded(scan.close()).await;
}

/// Reads a split while a fault strikes after rows were handed out: an error, never an end.
async fn broken(action: &str) {
    let standin = numbers(1).await;
    // Far enough into the stream that the server cannot have come there before rows were handed out.
    standin
        .add_fault_json(&rule("flight.do_get", action, 1, 20))
        .unwrap();
    let scan = short_of_breath(&standin).scan();
    scan.start(vec![], None).unwrap();
    assert!(matches!(bounded(scan.next()).await, Ok(Next::Batch(_))));
    let error = loop {
        match bounded(scan.next()).await {
            Ok(Next::Batch(_)) => {}
            Ok(other) => panic!("{action}: {other:?} after a broken stream, {:?}", scan.metrics()),
            Err(error) => break error,
        }
    };
    assert_error(&error, ErrorKind::Transport, &["db.n", "must be read again"]);
    assert!(error.is_retryable());
    assert_eq!(scan.metrics().split_retries, 0);
    // The scan lives on: the split can be read again from its start.
    assert_eq!(count(&scan, vec![]).await.unwrap(), ROWS);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn a_stream_that_is_reset_is_begun_again() {
    retried(r#"{"reset": true}"#, "flight.do_get", 2).await;
}

#[tokio::test]
async fn a_stream_without_its_last_word_is_begun_again() {
    retried(r#"{"close": "no_trailers"}"#, "flight.do_get", 2).await;
}

#[tokio::test]
async fn a_stream_that_is_cancelled_by_the_server_is_begun_again() {
    retried(r#"{"close": "stream"}"#, "flight.do_get", 2).await;
}

#[tokio::test]
async fn a_stream_that_fails_with_a_status_is_begun_again() {
    retried(
        r#"{"status": {"code": "INTERNAL", "message": "memory limit"}}"#,
        "flight.do_get",
        1,
    )
    .await;
}

#[tokio::test]
async fn a_schema_that_is_not_ready_is_asked_for_again() {
    let status = r#"{"status": {"code": "NOT_FOUND", "message": "not found arrow flight schema, maybe query has been canceled"}}"#;
    retried(status, "flight.get_info", 0).await;
    retried(
        r#"{"status": {"code": "UNAVAILABLE", "message": "busy"}}"#,
        "flight.get_info",
        0,
    )
    .await;
}

#[tokio::test]
async fn rows_that_were_handed_out_are_not_read_twice() {
    broken(r#"{"reset": true}"#).await;
    broken(r#"{"close": "stream"}"#).await;
    broken(r#"{"close": "no_trailers"}"#).await;
    broken(r#"{"status": {"code": "UNKNOWN", "message": "cancelled"}}"#).await;
}

#[tokio::test]
async fn retries_come_to_an_end() {
    let standin = numbers(1).await;
    standin
        .add_fault_json(&rule("flight.do_get", r#"{"reset": true}"#, 1000, 0))
        .unwrap();
    let error = all(&standin)
        .with("doris.request.retries", "2")
        .split(vec![])
        .await
        .unwrap_err();
    assert_error(
        &error,
        ErrorKind::Transport,
        &["db.n", "after 3 attempts", "127.0.0.1"],
    );
    assert!(error.is_retryable());
    let error = all(&standin)
        .with("doris.request.retries", "0")
        .split(vec![])
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::Transport, &["after 1 attempt"]);
}

#[tokio::test]
async fn damaged_batches_are_told_and_not_retried() {
    for action in [r#"{"corrupt_header": true}"#, r#"{"truncate": true}"#] {
        let standin = numbers(1).await;
        standin
            .add_fault_json(&rule("flight.do_get", action, 1, 1))
            .unwrap();
        let scan = all(&standin).scan();
        let error = drain(&scan, vec![]).await.unwrap_err();
        assert_error(&error, ErrorKind::Data, &["db.n", "127.0.0.1"]);
        assert_eq!(scan.metrics().split_retries, 0);
        bounded(scan.close()).await;
    }
}

#[tokio::test]
async fn a_query_that_is_refused_is_not_repeated() {
    let standin = numbers(1).await;
    standin
        .add_fault_json(&rule(
            "flight.get_info",
            r#"{"answer": {"message": "no such thing"}}"#,
            1000,
            0,
        ))
        .unwrap();
    let scan = all(&standin).scan();
    let error = drain(&scan, vec![]).await.unwrap_err();
    assert_error(&error, ErrorKind::Query, &["no such thing", "db.n"]);
    assert_eq!(scan.metrics().split_retries, 0);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn a_lost_token_costs_one_login() {
    let standin = numbers(1).await;
    let scan = all(&standin).scan();
    assert_eq!(count(&scan, vec![]).await.unwrap(), ROWS);
    assert_eq!(standin.stats().flight_logins, 1);
    assert!(standin.drop_sessions() >= 1);
    assert_eq!(count(&scan, vec![]).await.unwrap(), ROWS);
    assert_eq!(standin.stats().flight_logins, 2);
    assert_eq!(scan.metrics().split_retries, 0);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn a_token_that_is_lost_in_mid_read_loses_no_row() {
    let standin = numbers(1).await;
    let scan = short_of_breath(&standin).scan();
    scan.start(vec![], None).unwrap();
    let mut rows = 0;
    loop {
        match bounded(scan.next()).await {
            Ok(Next::Batch(batch)) => {
                if rows == 0 {
                    standin.drop_sessions();
                }
                rows += batch.ipc.rows as u64;
            }
            Ok(Next::End) => break assert_eq!(rows, ROWS),
            Ok(Next::Woken) => {}
            Err(error) => break assert_error(&error, ErrorKind::Transport, &["must be read again"]),
        }
    }
    assert_eq!(count(&scan, vec![]).await.unwrap(), ROWS);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn a_back_end_that_stops_in_mid_read_gives_an_error_and_then_all_rows() {
    let standin = numbers(1).await;
    let scan = short_of_breath(&standin)
        .with("doris.request.retries", "30")
        .scan();
    scan.start(vec![], None).unwrap();
    assert!(matches!(bounded(scan.next()).await, Ok(Next::Batch(_))));
    standin.stop_backend(0).await.unwrap();
    let error = loop {
        match bounded(scan.next()).await {
            Ok(Next::Batch(_)) => {}
            Ok(other) => panic!("{other:?} from a dead back end"),
            Err(error) => break error,
        }
    };
    assert_error(&error, ErrorKind::Transport, &["must be read again"]);
    // Begun again while it is still down: waits for it within the retries.
    scan.start(vec![], None).unwrap();
    until("the split is begun again", || scan.metrics().split_retries >= 1).await;
    standin.start_backend(0).await.unwrap();
    let mut rows = 0;
    loop {
        match bounded(scan.next()).await.unwrap() {
            Next::Batch(batch) => rows += batch.ipc.rows as u64,
            Next::End => break,
            Next::Woken => {}
        }
    }
    assert_eq!(rows, ROWS);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn closing_while_the_server_holds_its_answer_takes_no_time() {
    for at in ["flight.get_info", "flight.do_get"] {
        let standin = numbers(1).await;
        standin
            .add_fault_json(&rule(at, r#"{"hold": true}"#, 1, 0))
            .unwrap();
        let scan = all(&standin).scan();
        scan.start(vec![], None).unwrap();
        until("the fault has struck", || {
            standin.faults().iter().any(|f| f.holding == 1)
        })
        .await;
        let start = Instant::now();
        bounded(scan.close()).await;
        assert!(start.elapsed().as_millis() < 1000, "{at}: {:?}", start.elapsed());
        assert_eq!(bounded(scan.next()).await.unwrap_err().kind(), ErrorKind::Closed);
        standin.clear_faults();
        until("the session is gone", || {
            standin.stats().flight_sessions == 0 && standin.stats().flight_streams == 0
        })
        .await;
    }
}

#[tokio::test]
async fn an_answer_that_never_comes_ends_with_the_query_timeout() {
    for at in ["flight.get_info", "flight.do_get"] {
        let standin = numbers(1).await;
        standin
            .add_fault_json(&rule(at, r#"{"hold": true}"#, 1, 0))
            .unwrap();
        let error = all(&standin)
            .with("doris.request.query.timeout", "1000")
            .split(vec![])
            .await
            .unwrap_err();
        assert_error(
            &error,
            ErrorKind::Timeout,
            &["doris.request.query.timeout", "1000 ms"],
        );
        standin.clear_faults();
    }
}

/// The server has opened the session when the read is given up, and nobody has its token yet.
#[tokio::test]
async fn a_login_that_is_under_way_when_a_read_is_closed_leaves_no_session() {
    let standin = numbers(1).await;
    standin
        .add_fault_json(r#"{"at": "flight.handshake.answer", "do": {"delay_ms": 100}}"#)
        .unwrap();
    for _ in 0..5 {
        let scan = all(&standin).scan();
        scan.start(vec![], None).unwrap();
        until("the server has a session", || {
            standin.stats().flight_sessions == 1
        })
        .await;
        bounded(scan.close()).await;
        assert_eq!(standin.stats().flight_sessions, 0);
    }
    standin.clear_faults();
}

#[tokio::test]
async fn a_login_that_is_never_answered_ends_with_the_read_timeout() {
    let standin = numbers(1).await;
    standin
        .add_fault_json(r#"{"at": "flight.handshake", "do": {"hold": true}}"#)
        .unwrap();
    let error = all(&standin)
        .with("doris.request.connect.timeout", "500")
        .with("doris.request.read.timeout", "500")
        .with("doris.request.retries", "0")
        .split(vec![])
        .await
        .unwrap_err();
    assert_error(
        &error,
        ErrorKind::Timeout,
        &["doris.request.read.timeout", "127.0.0.1"],
    );
    standin.clear_faults();
}
