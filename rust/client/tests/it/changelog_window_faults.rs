//! Windows under faults: every change once, in order, or an error; never fewer changes.

use std::time::{Duration, Instant};

use doris_client::ErrorKind;
use doris_client::read::scan::Next;
use doris_client::read::window::WindowSpec;
use doris_standin::Standin;

use crate::changelog_window_support::*;
use crate::support::*;

const ROWS: usize = 30_000;

/// Many small messages, of three commits.
async fn long_window(backends: usize, set: &[&str]) -> (Standin, WindowSpec) {
    let standin = cluster_with(
        "CREATE DATABASE db; CREATE TABLE db.n (k INT, s STRING) UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 2 \
         PROPERTIES ('changelog.enable' = 'true', 'replication_num' = '1');",
        |c| {
            c.backends = backends;
            c.set = vec!["flight_piece_bytes=16384".to_owned()];
            c.set.extend(set.iter().map(|s| (*s).to_owned()));
        },
    )
    .await;
    let start = second(&standin);
    for part in 0..3 {
        let first = part * 10_000;
        standin
            .execute(&format!(
                "INSERT INTO db.n SELECT CAST(number AS INT) + {first}, CAST(number AS STRING) FROM numbers('number' = '10000')"
            ))
            .await
            .unwrap();
    }
    let window = window(start, later(&standin));
    (standin, window)
}

/// A read that runs ahead of the rows that are handed out by a few batches only.
fn follow(standin: &Standin) -> Read {
    following(standin, "db.n", &[("k", "INT"), ("s", "STRING")], "detail")
        .with("doris.deserialize.queue.size", "2")
        .with("source.read-buffer-size", "65536")
}

fn rule(at: &str, action: &str, times: u32, after: u32) -> String {
    format!(
        r#"{{"at": "{at}", "match": {{"statement": "ORDER BY `__DORIS"}}, "do": {action}, "times": {times}, "after": {after}}}"#
    )
}

#[tokio::test]
async fn a_window_that_breaks_goes_on_behind_its_last_row() {
    let (standin, window) = long_window(1, &[]).await;
    let read = follow(&standin);
    let whole = changes(&read, &window).await.unwrap();
    assert_eq!(whole.len(), ROWS);
    for (action, after) in [
        (r#"{"reset": true}"#, 0),
        (r#"{"reset": true}"#, 20),
        (r#"{"close": "stream"}"#, 11),
        (r#"{"close": "no_trailers"}"#, 17),
        (
            r#"{"status": {"code": "INTERNAL", "message": "memory limit"}}"#,
            25,
        ),
        (
            r#"{"status": {"code": "UNAUTHENTICATED", "message": "invalid bearer token"}}"#,
            9,
        ),
    ] {
        standin
            .add_fault_json(&rule("flight.do_get", action, 2, after))
            .unwrap();
        let scan = read.scan();
        let found = changes_by(&scan, &read, &window).await.unwrap();
        assert_eq!(found.len(), whole.len(), "{action} {after}");
        assert!(found == whole, "{action} {after}");
        let metrics = scan.metrics();
        assert_eq!(
            (metrics.split_retries, metrics.position_mismatches),
            (2, 0),
            "{action}"
        );
        assert_eq!(metrics.window_rows, ROWS as u64);
        assert_eq!(metrics.replayed_rows_dropped > 0, after > 0, "{action} {after}");
        bounded(scan.close()).await;
        standin.clear_faults();
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn retries_come_to_an_end() {
    let (standin, window) = long_window(1, &[]).await;
    standin
        .add_fault_json(&rule("flight.do_get", r#"{"reset": true}"#, 1000, 3))
        .unwrap();
    let read = follow(&standin).with("doris.request.retries", "2");
    let error = changes(&read, &window).await.unwrap_err();
    let bounds = format!("[{}, {}) UTC", window.start_text, window.end_text);
    assert_error(&error, ErrorKind::Transport, &["db.n", &bounds, "3 attempts"]);
    assert!(error.is_retryable());
}

#[tokio::test]
async fn tokens_may_be_lost_at_any_time() {
    let (standin, window) = long_window(1, &[]).await;
    let read = follow(&standin);
    let whole = changes(&read, &window).await.unwrap();
    let scan = read.scan();
    // Between two windows, and in mid-window with a break.
    assert_eq!(changes_by(&scan, &read, &window).await.unwrap().len(), ROWS);
    standin.drop_sessions();
    scan.start_window(window.clone()).unwrap();
    let Next::Batch(batch) = bounded(scan.next()).await.unwrap() else {
        panic!("a batch");
    };
    let mut found = of_batch(&read, &batch);
    drop(batch);
    standin
        .add_fault_json(&rule("flight.do_get", r#"{"reset": true}"#, 1, 15))
        .unwrap();
    standin.drop_sessions();
    found.extend(rest(&scan, &read).await.unwrap());
    assert!(found == whole);
    bounded(scan.close()).await;
    // Each new token has the zone set.
    let asked = asked(&standin);
    let logins = standin.stats().flight_logins as usize;
    let zones = asked.iter().filter(|s| *s == "SET time_zone = '+00:00'").count();
    assert_eq!(zones, logins, "{asked:?}");
}

#[tokio::test]
async fn a_back_end_may_die_in_mid_window() {
    let (standin, window) = long_window(1, &[]).await;
    let read = follow(&standin).with("doris.request.retries", "8");
    let whole = changes(&read, &window).await.unwrap();
    let scan = read.scan();
    scan.start_window(window).unwrap();
    let Next::Batch(batch) = bounded(scan.next()).await.unwrap() else {
        panic!("a batch");
    };
    let mut found = of_batch(&read, &batch);
    drop(batch);
    standin.stop_backend(0).await.unwrap();
    let restart = async {
        until("the window is asked for again", || {
            scan.metrics().split_retries > 0
        })
        .await;
        standin.start_backend(0).await.unwrap();
    };
    let (rest, ()) = tokio::join!(rest(&scan, &read), restart);
    found.extend(rest.unwrap());
    assert!(found == whole);
    bounded(scan.close()).await;
}

#[tokio::test]
async fn damage_is_an_error_and_no_row_of_it_comes() {
    let (standin, window) = long_window(1, &[]).await;
    let read = follow(&standin);
    for action in [r#"{"truncate": true}"#, r#"{"corrupt_header": true}"#] {
        standin
            .add_fault_json(&rule("flight.do_get", action, 1, 4))
            .unwrap();
        let error = changes(&read, &window).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Data, "{error}");
        assert!(error.to_string().contains("db.n"), "{error}");
        standin.clear_faults();
    }
}

/// A busy session is a passing failure, not a wait for transactions.
#[tokio::test]
async fn a_busy_session_is_no_visibility_wait() {
    let (standin, window) = long_window(1, &[]).await;
    let busy = r#"{"status": {"code": "UNAVAILABLE", "message": "another command of this Arrow Flight SQL session is still running after 5 seconds, connection id: 7"}}"#;
    standin
        .add_fault_json(&rule("flight.get_info", busy, 2, 0))
        .unwrap();
    let read = follow(&standin).with("changelog.visible-wait-timeout", "0");
    let scan = read.scan();
    assert_eq!(changes_by(&scan, &read, &window).await.unwrap().len(), ROWS);
    let metrics = scan.metrics();
    assert_eq!((metrics.split_retries, metrics.visible_wait_retries), (2, 0));
    bounded(scan.close()).await;
}

/// Wherever a window stands, a close ends it at once and leaves no session.
#[tokio::test]
async fn a_close_ends_whatever_is_under_way() {
    let (standin, window) = long_window(1, &[]).await;
    let held = |at: &str, part: &str| {
        format!(r#"{{"at": "{at}", "match": {{"statement": "{part}"}}, "do": {{"hold": true}}}}"#)
    };
    let points = [
        held("flight.get_info", "SET time_zone"),
        held("flight.get_info", "SHOW VARIABLES"),
        held("flight.get_info", "information_schema"),
        held("flight.get_info", "LIMIT 0"),
        r#"{"at": "incr.fence", "do": {"hold": true}}"#.to_owned(),
        rule("flight.get_info", r#"{"hold": true}"#, 1, 0),
        rule("flight.do_get", r#"{"hold": true}"#, 1, 5),
    ];
    for point in points {
        standin.add_fault_json(&point).unwrap();
        let scan = follow(&standin).scan();
        scan.start_window(window.clone()).unwrap();
        until("the fault holds", || {
            standin.faults().iter().any(|rule| rule.holding > 0)
        })
        .await;
        let begun = Instant::now();
        bounded(scan.close()).await;
        assert!(
            begun.elapsed() < Duration::from_secs(1),
            "{point}: {:?}",
            begun.elapsed()
        );
        assert_eq!(bounded(scan.next()).await.unwrap_err().kind(), ErrorKind::Closed);
        standin.clear_faults();
        until("the session is gone", || standin.stats().flight_sessions == 0).await;
    }
}

#[tokio::test]
async fn a_wake_reaches_a_window_that_waits() {
    let (standin, window) = long_window(1, &[]).await;
    standin
        .add_fault_json(r#"{"at": "incr.fence", "do": {"hold": true}}"#)
        .unwrap();
    let scan = follow(&standin).scan();
    scan.start_window(window).unwrap();
    until("the fault holds", || {
        standin.faults().iter().any(|rule| rule.holding > 0)
    })
    .await;
    scan.wake();
    assert!(matches!(bounded(scan.next()).await, Ok(Next::Woken)));
    standin.clear_faults();
    assert_eq!(rest(&scan, &follow(&standin)).await.unwrap().len(), ROWS);
    bounded(scan.close()).await;
}
