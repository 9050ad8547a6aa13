//! Windows that the server does not answer yet, or not any more; and the fence before a snapshot, which waits in the same way.

use std::time::{Duration, Instant};

use doris_client::ErrorKind;
use doris_client::read::window::WindowSpec;

use crate::changelog_window_support::*;
use crate::sink_support::{end, put, raw, write_to};
use crate::standin::Standin;
use crate::support::*;

const COLUMNS: [(&str, &str); 2] = [("id", "INT"), ("name", "STRING")];

const TABLE: &str = "CREATE DATABASE db; CREATE TABLE db.t (id INT, name VARCHAR(50)) UNIQUE KEY(id) \
    DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES ('changelog.enable' = 'true', \
    'changelog.need_historical_value' = 'true', 'changelog.ttl_seconds' = '3600');";

async fn table(set: &[&str]) -> (Standin, WindowSpec) {
    let standin = cluster_with(TABLE, |c| c.set = set.iter().map(|s| (*s).to_owned()).collect()).await;
    let start = second(&standin);
    standin
        .execute("INSERT INTO db.t VALUES (1, 'a'), (2, 'b')")
        .await
        .unwrap();
    let window = window(start, later(&standin));
    (standin, window)
}

fn follow(standin: &Standin, increment: &str) -> Read {
    following(standin, "db.t", &COLUMNS, increment)
}

fn refuses(reason: &str, times: u32) -> String {
    format!(r#"{{"at": "incr.fence", "do": {{"answer": {{"status": "{reason}"}}}}, "times": {times}}}"#)
}

#[tokio::test]
async fn a_wait_is_repeated_in_all_its_forms() {
    for form in ["typed", "classic", "classic_old"] {
        let (standin, window) = table(&[&format!("changelog_errors={form}")]).await;
        standin
            .add_fault_json(&refuses("VISIBLE_WAIT_TIMEOUT", 1))
            .unwrap();
        let read = follow(&standin, "detail").with("doris.request.retries", "0");
        let scan = read.scan();
        let begun = Instant::now();
        let found = changes_by(&scan, &read, &window).await.unwrap();
        assert_eq!(told(&found), ["+I 1|a", "+I 2|b"], "{form}");
        assert!(begun.elapsed() >= Duration::from_secs(1));
        let metrics = scan.metrics();
        assert_eq!(
            (metrics.visible_wait_retries, metrics.split_retries),
            (1, 0),
            "{form}"
        );
        assert!(metrics.visible_wait_millis >= 1000, "{metrics:?}");
        bounded(scan.close()).await;
    }
}

/// What a server refuses at the first look at its hidden columns is no matter of their names.
#[tokio::test]
async fn a_refusal_of_the_first_window_is_told_as_it_is_and_asked_for_once() {
    let (standin, window) = table(&[]).await;
    let rule = standin.add_fault_json(&refuses("TSO_RECOVERING", 100)).unwrap();
    let read = follow(&standin, "detail").with("doris.request.retries", "0");
    let error = changes(&read, &window).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("TSO timestamp is not calibrated"), "{text}");
    assert!(!text.contains("hidden columns"), "{text}");
    assert_eq!(text.matches("refused the query").count(), 1, "{text}");
    let fired = standin.faults().into_iter().find(|state| state.id == rule);
    assert_eq!(fired.map(|state| state.fired), Some(1));
}

#[tokio::test]
async fn an_open_transaction_is_waited_for_with_the_same_window() {
    let (standin, window) = table(&["change_visible_timeout_ms=200"]).await;
    let sink = write_to(&standin)
        .properties(&[("format", "csv"), ("column_separator", ",")])
        .sink();
    let load = sink.open_load(raw()).unwrap();
    put(&load, b"3,c\n", 1).await.unwrap();
    let loaded = end(&load).await.unwrap();
    let read = follow(&standin, "detail");
    let scan = read.scan();
    scan.start_window(window.clone()).unwrap();
    until("the window waits", || scan.metrics().visible_wait_retries > 0).await;
    bounded(sink.commit("db", "t", loaded.txn_id.unwrap(), &loaded.label.clone().unwrap()))
        .await
        .unwrap();
    // The row was committed behind the window.
    assert_eq!(told(&rest(&scan, &read).await.unwrap()), ["+I 1|a", "+I 2|b"]);
    let next = crate::changelog_window_support::window(window.end_millis, later(&standin));
    assert_eq!(told(&changes_by(&scan, &read, &next).await.unwrap()), ["+I 3|c"]);
    bounded(scan.close()).await;
    let queries: Vec<String> = asked(&standin)
        .into_iter()
        .filter(|s| s.contains("@incr"))
        .collect();
    let first = format!("'endTimestamp' = '{}'", window.end_text);
    assert!(queries.iter().filter(|q| q.contains(&first)).count() >= 2);
}

#[tokio::test]
async fn no_time_for_the_wait_fails_at_once() {
    let (standin, window) = table(&["changelog_errors=typed"]).await;
    standin
        .add_fault_json(&refuses("VISIBLE_WAIT_TIMEOUT", 100))
        .unwrap();
    let read = follow(&standin, "detail").with("changelog.visible-wait-timeout", "0");
    let error = changes(&read, &window).await.unwrap_err();
    let bounds = format!("[{}, {}) UTC", window.start_text, window.end_text);
    assert_error(
        &error,
        ErrorKind::VisibleWait,
        &[
            "db.t",
            &bounds,
            "1 attempt over",
            "source.changelog.visible-wait-timeout = 0 ms",
            "two-phase commit",
            "VISIBLE_WAIT_TIMEOUT",
        ],
    );
    assert_eq!(standin.faults()[0].fired, 1);
}

#[tokio::test]
async fn the_wait_ends_with_its_time() {
    let (standin, window) = table(&[]).await;
    standin
        .add_fault_json(&refuses("VISIBLE_WAIT_TIMEOUT", 100))
        .unwrap();
    let read = follow(&standin, "detail").with("changelog.visible-wait-timeout", "1500");
    let begun = Instant::now();
    let error = changes(&read, &window).await.unwrap_err();
    assert!(begun.elapsed() >= Duration::from_millis(1500));
    assert_error(
        &error,
        ErrorKind::VisibleWait,
        &["db.t", " attempts over ", "= 1500 ms"],
    );
    assert!(!error.is_retryable());
    assert_eq!(standin.faults()[0].fired, 3);
}

#[tokio::test]
async fn a_pause_ends_with_a_close() {
    let (standin, window) = table(&[]).await;
    standin
        .add_fault_json(&refuses("VISIBLE_WAIT_TIMEOUT", 100))
        .unwrap();
    let read = follow(&standin, "detail");
    let scan = read.scan();
    scan.start_window(window).unwrap();
    until("the second pause", || scan.metrics().visible_wait_retries > 1).await;
    let begun = Instant::now();
    bounded(scan.close()).await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(bounded(scan.next()).await.unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn a_window_that_is_not_there_yet_fails_at_once() {
    for (form, reason) in [
        ("typed", "END_AFTER_CURRENT_TSO"),
        ("typed", "TSO_RECOVERING"),
        ("typed", "WINDOW_NOT_READY"),
        ("classic", "END_AFTER_CURRENT_TSO"),
        ("classic", "TSO_RECOVERING"),
    ] {
        let (standin, window) = table(&[&format!("changelog_errors={form}")]).await;
        let read = follow(&standin, "detail");
        assert_eq!(changes(&read, &window).await.unwrap().len(), 2);
        standin.add_fault_json(&refuses(reason, 100)).unwrap();
        let scan = read.scan();
        let error = changes_by(&scan, &read, &window).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Query, "{form} {reason}: {error}");
        assert!(!error.is_retryable());
        let metrics = scan.metrics();
        assert_eq!(
            (metrics.visible_wait_retries, metrics.split_retries),
            (0, 0),
            "{form} {reason}"
        );
        bounded(scan.close()).await;
    }
    // By the server itself.
    let (standin, window) = table(&[]).await;
    let future = crate::changelog_window_support::window(window.start_millis, window.end_millis + 3_600_000);
    let error = changes(&follow(&standin, "detail"), &future).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Query,
        &["endTimestamp exceeds the maximum supported time"],
    );
}

#[tokio::test]
async fn expired_changes_fail_at_once_with_the_way_out() {
    for names in ["changelog", "binlog"] {
        let init = match names {
            "binlog" => TABLE.replace("changelog.", "binlog.").replace(
                "'binlog.enable' = 'true'",
                "'binlog.enable' = 'true', 'binlog.format' = 'ROW'",
            ),
            _ => TABLE.to_owned(),
        };
        let standin = cluster_with(&init, |c| c.set = vec![format!("changelog_names={names}")]).await;
        let start = second(&standin);
        standin.execute("INSERT INTO db.t VALUES (1, 'a')").await.unwrap();
        standin.shift_clock(2 * 3_600_000);
        standin.execute("INSERT INTO db.t VALUES (2, 'b')").await.unwrap();
        let window = window(start, later(&standin));
        let error = changes(&follow(&standin, "min_delta"), &window)
            .await
            .unwrap_err();
        assert_error(
            &error,
            ErrorKind::Expired,
            &[
                "db.t",
                &format!("its start, {} UTC", window.start_text),
                "source.scan.mode = 'initial'",
                "without the old checkpoint or savepoint",
                "source.changelog.consumer-id",
                "has expired according to",
            ],
        );
        assert!(!error.is_retryable());
        // The other types begin with what is left.
        let found = changes(&follow(&standin, "detail"), &window).await.unwrap();
        assert_eq!(told(&found), ["+I 2|b"], "{names}");
    }
}

/// The server waits longer for transactions than a query may take otherwise.
#[tokio::test]
async fn an_answer_may_take_as_long_as_the_servers_own_wait() {
    let (standin, window) = table(&[]).await;
    standin
        .add_fault_json(r#"{"at": "incr.fence", "do": {"delay_ms": 1500}, "times": 1}"#)
        .unwrap();
    let read = follow(&standin, "detail").with("doris.request.query.timeout", "1000");
    assert_eq!(changes(&read, &window).await.unwrap().len(), 2);
}

/// A follower that lags does not know the rows of a commit before the snapshot's position; the fence makes it wait for them.
#[tokio::test]
async fn a_snapshot_with_a_fence_sees_what_was_committed_before_it() {
    let standin = cluster_with(TABLE, |c| c.frontends = 2).await;
    let follower = format!("127.0.0.1:{}", standin.ports().fe[1].http);
    standin.lag_frontend(1, Duration::from_secs(3)).unwrap();
    standin
        .execute("INSERT INTO db.t VALUES (1, 'a'), (2, 'b')")
        .await
        .unwrap();
    let fence = later(&standin);
    let read = follow(&standin, "detail").with("fenodes", &follower);
    let plain = read.scan();
    assert_eq!(
        count(&plain, vec![]).await.unwrap(),
        0,
        "the follower does not lag"
    );
    bounded(plain.close()).await;
    let scan = read.scan();
    let sessions = standin.stats().flight_logins;
    for _ in 0..3 {
        assert_eq!(count_behind(&scan, fence).await, 2);
    }
    // One session of its own for the fence, gone afterwards; one fence per connection.
    assert_eq!(standin.stats().flight_logins, sessions + 2);
    assert_eq!(standin.stats().flight_sessions, 1);
    let fences = || asked(&standin).iter().filter(|s| is_fence(s)).count();
    assert_eq!(fences(), 1);
    standin.drop_sessions();
    assert_eq!(count_behind(&scan, fence).await, 2);
    assert_eq!(fences(), 2);
    bounded(scan.close()).await;
    assert_eq!(standin.stats().flight_sessions, 0);
    let asked = asked(&standin);
    let sent = asked.iter().find(|s| is_fence(s)).unwrap();
    let bounds = format!(
        "'startTimestamp' = '{}', 'endTimestamp' = '{}', 'incrementType' = 'APPEND_ONLY') LIMIT 1",
        utc(fence - 1000),
        utc(fence)
    );
    assert!(sent.ends_with(&bounds), "{sent}");
}

fn is_fence(statement: &str) -> bool {
    statement.contains("FROM `db`.`t`@incr(") && statement.ends_with("LIMIT 1")
}

pub async fn count_behind(scan: &doris_client::read::scan::Scan, fence: i64) -> u64 {
    scan.start(vec![], Some(fence)).unwrap();
    let mut rows = 0;
    loop {
        match bounded(scan.next()).await.unwrap() {
            doris_client::read::scan::Next::Batch(batch) => rows += batch.ipc.rows as u64,
            doris_client::read::scan::Next::End => return rows,
            doris_client::read::scan::Next::Woken => {}
        }
    }
}

#[tokio::test]
async fn a_fence_waits_as_a_window_does() {
    let (standin, window) = table(&[]).await;
    let fence = window.end_millis;
    standin
        .add_fault_json(&refuses("VISIBLE_WAIT_TIMEOUT", 1))
        .unwrap();
    let scan = follow(&standin, "detail").scan();
    assert_eq!(count_behind(&scan, fence).await, 2);
    assert_eq!(scan.metrics().visible_wait_retries, 1);
    bounded(scan.close()).await;
    standin.clear_faults();
    standin
        .add_fault_json(&refuses("VISIBLE_WAIT_TIMEOUT", 100))
        .unwrap();
    let scan = follow(&standin, "detail")
        .with("changelog.visible-wait-timeout", "0")
        .scan();
    scan.start(vec![], Some(fence)).unwrap();
    let error = bounded(scan.next()).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::VisibleWait,
        &[
            "db.t",
            "snapshot",
            &format!("{} UTC", window.end_text),
            "two-phase commit",
        ],
    );
    bounded(scan.close()).await;
    assert_eq!(standin.stats().flight_sessions, 0);
    standin.clear_faults();
    // A close ends the wait of a fence too.
    standin
        .add_fault_json(r#"{"at": "incr.fence", "do": {"hold": true}}"#)
        .unwrap();
    let scan = follow(&standin, "detail").scan();
    scan.start(vec![], Some(fence)).unwrap();
    until("the fault holds", || standin.faults()[0].holding > 0).await;
    assert_eq!(standin.stats().flight_sessions, 2);
    let begun = Instant::now();
    bounded(scan.close()).await;
    assert!(begun.elapsed() < Duration::from_secs(1));
    standin.clear_faults();
    until("both sessions are gone", || standin.stats().flight_sessions == 0).await;
}

#[tokio::test]
async fn a_fence_needs_a_read_that_follows_changes() {
    let (standin, window) = table(&[]).await;
    let scan = read(&standin, "db.t", &COLUMNS).scan();
    scan.start(vec![], Some(window.end_millis)).unwrap();
    let error = bounded(scan.next()).await.unwrap_err();
    assert_error(&error, ErrorKind::Config, &["fence"]);
    bounded(scan.close()).await;
}
