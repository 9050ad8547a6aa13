//! Front ends that ignore `@incr`, as versions do that do not know it: rows of the table are never taken for changes, and no
//! fence is passed there.

use std::time::Duration;

use doris_client::ErrorKind;
use doris_client::read::window::WindowSpec;
use doris_standin::Standin;

use crate::changelog_window_support::*;
use crate::changelog_window_wait::count_behind;
use crate::support::*;

const COLUMNS: [(&str, &str); 2] = [("id", "INT"), ("name", "STRING")];

const TABLE: &str = "CREATE DATABASE db; CREATE TABLE db.t (id INT, name VARCHAR(50)) UNIQUE KEY(id) \
    DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES ('changelog.enable' = 'true', 'changelog.need_historical_value' = 'true');";

const NO_CHANGES: &str = "does not show the changes of db.t with their hidden columns";

async fn table(frontends: usize, set: &[&str]) -> (Standin, WindowSpec) {
    let standin = cluster_with(TABLE, |c| {
        c.frontends = frontends;
        c.set = set.iter().map(|s| (*s).to_owned()).collect();
    })
    .await;
    let start = second(&standin);
    standin
        .execute("INSERT INTO db.t VALUES (1, 'a'), (2, 'b')")
        .await
        .unwrap();
    let window = window(start, later(&standin));
    (standin, window)
}

fn follow(standin: &Standin) -> Read {
    following(standin, "db.t", &COLUMNS, "detail")
}

/// Queries of changes that a front end got.
fn incr_at(standin: &Standin, node: &str) -> usize {
    standin
        .journal()
        .iter()
        .filter(|e| e.channel == "fe.flight" && e.node == node && e.statement.contains("@incr("))
        .count()
}

#[tokio::test]
async fn a_server_that_ignores_incr_gives_rows_of_the_table_and_none_is_handed_out() {
    let (standin, window) = table(1, &["incr_ignored=true"]).await;
    let ignored = standin
        .execute("SELECT id FROM db.t@incr('startTimestamp' = '2000-01-01 00:00:00', 'endTimestamp' = '2000-01-01 00:00:01')")
        .await;
    assert!(ignored.is_ok(), "{:?}", ignored.err());
    for increment in ["detail", "append_only", "min_delta"] {
        let read = following(&standin, "db.t", &COLUMNS, increment);
        let scan = read.scan();
        let error = changes_by(&scan, &read, &window).await.unwrap_err();
        assert_error(
            &error,
            ErrorKind::Query,
            &[NO_CHANGES, "Unknown column", "5.0", "127.0.0.1"],
        );
        // There is no other front end that could do better.
        assert!(!error.is_retryable());
        assert_eq!(scan.metrics().rows, 0);
        bounded(scan.close()).await;
    }
    // The probe came first: no rows were asked for.
    assert!(asked(&standin).iter().all(|s| !s.contains("ORDER BY `__DORIS")));
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn a_fence_is_none_where_incr_is_ignored() {
    let (standin, window) = table(1, &["incr_ignored=true"]).await;
    let scan = follow(&standin).scan();
    scan.start(vec![], Some(window.end_millis)).unwrap();
    let error = bounded(scan.next()).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Query,
        &["snapshot of db.t", &window.end_text, NO_CHANGES],
    );
    assert!(!error.is_retryable());
    assert_eq!(scan.metrics().rows, 0);
    bounded(scan.close()).await;
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn windows_are_read_at_the_front_ends_that_know_them() {
    let (standin, window) = table(2, &[]).await;
    standin.ignore_incr(1, true).unwrap();
    for round in 0.. {
        assert!(round < 60, "fe1 was never asked");
        let found = changes(&follow(&standin), &window).await.unwrap();
        assert_eq!(told(&found), ["+I 1|a", "+I 2|b"]);
        if incr_at(&standin, "fe1") > 0 {
            break;
        }
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn a_fail_over_to_a_front_end_that_ignores_incr_hands_out_nothing() {
    let (standin, window) = table(2, &[]).await;
    standin.ignore_incr(1, true).unwrap();
    let read = follow(&standin).with("doris.request.retries", "2");
    let scan = read.scan();
    let whole = changes_by(&scan, &read, &window).await.unwrap();
    assert_eq!(whole.len(), 2);
    standin.stop_frontend(0).await.unwrap();
    let error = changes_by(&scan, &read, &window).await.unwrap_err();
    assert_error(&error, ErrorKind::Query, &[NO_CHANGES]);
    // The other one may come back.
    assert!(error.is_retryable());
    assert_eq!(scan.metrics().rows, 2);
    standin.start_frontend(0).await.unwrap();
    assert_eq!(changes_by(&scan, &read, &window).await.unwrap(), whole);
    // Now the session's own front end turns out to be such a one.
    standin.ignore_incr(0, true).unwrap();
    standin.drop_sessions();
    let error = changes_by(&scan, &read, &window).await.unwrap_err();
    assert_error(&error, ErrorKind::Query, &[NO_CHANGES]);
    bounded(scan.close()).await;
    assert_eq!(standin.stats().flight_sessions, 0);
}

/// It would let a snapshot begin that lacks what it does not know yet.
#[tokio::test]
async fn a_snapshot_is_read_behind_a_fence_that_means_something() {
    let standin = cluster_with(TABLE, |c| c.frontends = 2).await;
    standin.lag_frontend(1, Duration::from_secs(60)).unwrap();
    standin.ignore_incr(1, true).unwrap();
    standin
        .execute("INSERT INTO db.t VALUES (1, 'a'), (2, 'b')")
        .await
        .unwrap();
    let fence = later(&standin);
    for round in 0.. {
        assert!(round < 60, "fe1 was never asked");
        let scan = follow(&standin).scan();
        assert_eq!(count_behind(&scan, fence).await, 2);
        bounded(scan.close()).await;
        if incr_at(&standin, "fe1") > 0 {
            break;
        }
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}
