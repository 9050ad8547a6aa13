//! Loads against a scripted server: what goes over the wire, and what the client makes of each end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use doris_client::ErrorKind;
use doris_client::write::load::Input;
use tokio::sync::Notify;

use crate::scripted::{Head, Scripted, Step, answer, fail, success};
use crate::sink_support::*;
use crate::support::{assert_error, bounded, until};

pub fn label(head: &Head) -> String {
    head.header("label").unwrap_or_default().to_owned()
}

/// Takes every load whole and answers with success.
async fn taking() -> Scripted {
    Scripted::start(|n, head| {
        vec![
            Step::Continue,
            Step::ReadAll,
            success(&label(head), n as i64 + 1, 2),
        ]
    })
    .await
}

pub fn unknown(_: &str) -> String {
    "UNKNOWN".to_owned()
}

#[tokio::test]
async fn rows_go_to_the_back_end_only_with_login_and_all_headers() {
    let be = taking().await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string())
        .properties(&[
            ("format", "csv"),
            ("compress_type", ""),
            ("timeout", "1200"),
            ("where", "名 > 1"),
        ])
        .sink();
    let input = Input::Rows {
        declared: fields("`ID` INT, `name` STRING"),
        delete_sign: true,
    };
    for n in 0..2 {
        let load = sink.open_load(spec(input.clone())).unwrap();
        put_rows(&load, &[(1, Some("a")), (2, None)], Some(&[0, 1]))
            .await
            .unwrap();
        let outcome = end(&load).await.unwrap();
        assert_eq!(outcome.label.as_deref(), Some("l_0"));
        assert_eq!((outcome.txn_id, outcome.next, outcome.rows), (Some(n + 1), 1, 2));
        assert_eq!(outcome.numbers.loaded_rows, Some(2));
    }
    let asked = fe.seen("_stream_load");
    // Each load goes where the front end names then.
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].head.header("content-length"), Some("0"));
    assert!(asked[0].body.is_empty());
    let loads = be.seen("_stream_load");
    assert_eq!(loads.len(), 2);
    for seen in asked.iter().chain(&loads) {
        let head = &seen.head;
        assert_eq!(head.method, "PUT");
        for (name, value) in [
            ("authorization", "Basic cm9vdDo="),
            ("expect", "100-continue"),
            ("label", "l_0"),
            ("two_phase_commit", "true"),
            ("format", "csv"),
            ("timeout", "1200"),
            ("where", "名 > 1"),
            ("timezone", "UTC"),
            ("columns", "`id`,`name`,`__DORIS_DELETE_SIGN__`"),
        ] {
            assert_eq!(head.header(name), Some(value), "{name}");
            assert_eq!(head.count(name), 1, "{name}");
        }
        assert_eq!(head.header("compress_type"), None);
    }
    for seen in &loads {
        assert_eq!(String::from_utf8_lossy(&seen.body), "1\ta\t0\n2\t\\N\t1");
        assert!(seen.complete);
        // NET-5
        assert_eq!(seen.head.header("transfer-encoding"), Some("chunked"));
        assert_eq!(seen.head.count("content-length"), 0);
    }
    let metrics = sink.metrics();
    assert_eq!(
        (metrics.loads_succeeded, metrics.rows, metrics.attempts_failed),
        (2, 4, 0)
    );
    until("everything is given back", || {
        let m = sink.metrics();
        (m.buffered_bytes, m.kept_bytes, m.open_loads, m.open_connections) == (0, 0, 0, 0)
    })
    .await;
}

#[tokio::test]
async fn net_3_the_body_waits_for_continue() {
    let go = Arc::new(Notify::new());
    let be = Scripted::start({
        let go = go.clone();
        move |_, head| {
            vec![
                // Ends at once if a body comes uncalled.
                Step::Wait(go.clone()),
                Step::Continue,
                Step::ReadAll,
                success(&label(head), 1, 1),
            ]
        }
    })
    .await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string()).sink();
    let load = sink.open_load(raw()).unwrap();
    put(&load, b"1,a", 1).await.unwrap();
    load.finish();
    until("the load is at the back end", || {
        be.seen("_stream_load").len() == 1
    })
    .await;
    assert!(be.seen("_stream_load")[0].body.is_empty());
    go.notify_one();
    end(&load).await.unwrap();
    assert_eq!(be.seen("_stream_load")[0].body, b"1,a");
}

#[tokio::test]
async fn net_3_silence_after_the_headers_is_bounded_by_the_read_timeout() {
    let be = Scripted::start(|_, _| vec![Step::Wait(Arc::new(Notify::new()))]).await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string())
        .with("doris.request.read.timeout", "200")
        .with("sink.max-retries", "0")
        .sink();
    let error = load_rows(&sink, b"1", 1).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Timeout,
        &[
            "db.t",
            "'l_0'",
            &be.address.to_string(),
            "doris.request.read.timeout",
        ],
    );
    assert!(error.is_retryable());
}

#[tokio::test]
async fn net_4_a_final_answer_that_is_no_success_shows_its_status() {
    for (status, headers, parts) in [
        (413, "", vec!["status 413", "too large"]),
        (
            307,
            "Location: http://root:s3cret@be9:8040/x\r\n",
            vec!["status 307", "be9:8040"],
        ),
        (200, "", vec!["none to a load", "too large"]),
    ] {
        let be = Scripted::start(move |_, _| {
            vec![Step::Answer(status, headers.to_owned(), "too large".to_owned())]
        })
        .await;
        let fe = front_end(be.address, unknown).await;
        let sink = write(&fe.address.to_string())
            .with("sink.max-retries", "0")
            .sink();
        let error = load_rows(&sink, b"1", 1).await.unwrap_err();
        let kind = if status == 200 {
            ErrorKind::Transport
        } else {
            ErrorKind::Load
        };
        assert_error(&error, kind, &parts);
        assert_error(&error, kind, &["db.t", "'l_0'", &be.address.to_string()]);
    }
}

#[tokio::test]
async fn net_11_an_answer_in_mid_body_is_seen_whatever_becomes_of_the_connection() {
    for round in 0..50 {
        let be = Scripted::start(move |_, _| {
            vec![
                Step::Continue,
                Step::Read(if round % 2 == 0 { 1 } else { 300_000 }),
                fail("[INTERNAL_ERROR]body exceeds max size"),
            ]
        })
        .await;
        let fe = front_end(be.address, unknown).await;
        let sink = write(&fe.address.to_string()).sink();
        let load = sink.open_load(raw()).unwrap();
        let error = loop {
            if let Err(error) = put(&load, &[b'x'; 65536], 1).await {
                break error;
            }
        };
        assert_error(&error, ErrorKind::Load, &["body exceeds max size", "'l_0'"]);
        // 2PC-12: it comes out everywhere.
        assert_error(
            &end(&load).await.unwrap_err(),
            ErrorKind::Load,
            &["body exceeds max size"],
        );
        assert_error(
            &load.acquire(1).await.unwrap_err(),
            ErrorKind::Load,
            &["body exceeds max size"],
        );
        assert!(be.seen("_stream_load").len() == 1);
    }
}

#[tokio::test]
async fn two_pc_12_a_writer_that_waits_for_a_buffer_wakes_when_the_load_breaks() {
    let go = Arc::new(Notify::new());
    let be = Scripted::start({
        let go = go.clone();
        move |_, _| vec![Step::Continue, Step::Read(1), Step::Wait(go.clone()), Step::Reset]
    })
    .await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string())
        .with("sink.replay-buffer-size", "0")
        .with("write.answer-timeout", "60000")
        .sink();
    let load = Arc::new(sink.open_load(raw()).unwrap());
    // What a script waits for with a body it reads; here the kernel's buffers have to fill.
    let writer = tokio::spawn({
        let load = load.clone();
        async move {
            for _ in 0..10_000 {
                put(&load, &[b'x'; 65536], 1).await?;
            }
            Ok(())
        }
    });
    until("rows flow", || {
        sink.metrics().sent_bytes > 0 || sink.metrics().rows > 0
    })
    .await;
    go.notify_one();
    let error: doris_client::Error = bounded(writer).await.unwrap().unwrap_err();
    assert_error(
        &error,
        ErrorKind::Transport,
        &["db.t", "'l_0'", "last checkpoint", "sink.replay-buffer-size"],
    );
}

#[tokio::test]
async fn two_pc_13_a_quiet_load_stays_open_longer_than_every_timeout() {
    let be =
        Scripted::start(|_, head| vec![Step::Continue, Step::ReadAll, success(&label(head), 1, 2)]).await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string())
        .with("doris.request.read.timeout", "100")
        .with("write.answer-timeout", "100")
        .sink();
    let load = sink.open_load(raw()).unwrap();
    put(&load, b"1\n", 1).await.unwrap();
    until("the first row arrived", || {
        be.seen("_stream_load").first().is_some_and(|s| s.body == b"1\n")
    })
    .await;
    // Time itself is what is tested here.
    tokio::time::sleep(Duration::from_millis(500)).await;
    put(&load, b"2", 1).await.unwrap();
    let outcome = end(&load).await.unwrap();
    assert_eq!((outcome.rows, outcome.retries), (2, 0));
    assert_eq!(be.seen("_stream_load").len(), 1);
}

#[tokio::test]
async fn a_back_end_that_never_answers_is_left_after_the_answer_timeout() {
    let be = Scripted::start(|n, head| {
        let mut steps = vec![Step::Continue, Step::ReadAll];
        if n == 0 {
            steps.push(Step::Wait(Arc::new(Notify::new())));
        }
        steps.push(success(&label(head), 2, 1));
        steps
    })
    .await;
    // What the first one left may still end well: never adopted, passed over.
    let fe = front_end(be.address, |label| {
        if label == "l_0" { "PRECOMMITTED" } else { "UNKNOWN" }.to_owned()
    })
    .await;
    let sink = write(&fe.address.to_string())
        .with("write.answer-timeout", "200")
        .sink();
    let outcome = load_rows(&sink, b"1", 1).await.unwrap();
    assert_eq!(outcome.label.as_deref(), Some("l_1"));
    assert_eq!(outcome.skipped, ["l_0"]);
    assert_eq!((outcome.next, outcome.retries), (2, 1));
    let loads = be.seen("_stream_load");
    assert!(loads.iter().all(|l| l.body == b"1" && l.complete));
    assert!(fe.seen("_stream_load_2pc").is_empty() && be.seen("_stream_load_2pc").is_empty());
}

#[tokio::test]
async fn an_unfinished_load_never_looks_whole_when_it_is_closed() {
    for round in 0..30 {
        let be = taking().await;
        let fe = front_end(be.address, unknown).await;
        let sink = write(&fe.address.to_string()).sink();
        let load = sink.open_load(raw()).unwrap();
        put(&load, b"1\n", 1).await.unwrap();
        if round % 3 > 0 {
            until("rows arrive", || {
                be.seen("_stream_load")
                    .first()
                    .is_some_and(|s| !s.body.is_empty())
            })
            .await;
        }
        let start = Instant::now();
        if round % 2 == 0 {
            load.close();
            assert_error(&load.outcome().await.unwrap_err(), ErrorKind::Closed, &["closed"]);
        }
        drop(load);
        until("all is given back", || {
            let m = sink.metrics();
            be.open() == 0
                && (m.open_connections, m.open_loads) == (0, 0)
                && (m.buffered_bytes, m.kept_bytes) == (0, 0)
        })
        .await;
        assert!(start.elapsed() < Duration::from_secs(1));
        assert!(be.seen("_stream_load").iter().all(|s| !s.complete));
    }
}

#[tokio::test]
async fn two_pc_9_publish_timeout_is_a_success() {
    let be = Scripted::start(|_, _| {
        vec![
            Step::Continue,
            Step::ReadAll,
            answer(
                200,
                r#"{"TxnId":9,"Status":"Publish Timeout","Message":"transaction commit successfully, BUT data will be visible later","NumberLoadedRows":3}"#,
            ),
        ]
    })
    .await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string())
        .with("write.two-phase", "false")
        .sink();
    let outcome = load_rows(&sink, b"1\n2\n3", 3).await.unwrap();
    assert_eq!(outcome.status.as_deref(), Some("Publish Timeout"));
    assert_eq!(outcome.numbers.loaded_rows, Some(3));
    assert_eq!(be.seen("").len(), 1);
}

#[tokio::test]
async fn net_6_json_that_cannot_be_compressed_names_the_option() {
    let be = Scripted::start(|_, _| {
        vec![fail(
            "[INTERNAL_ERROR]compress data of JSON format is not supported.",
        )]
    })
    .await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string())
        .properties(&[
            ("format", "json"),
            ("read_json_by_line", "true"),
            ("compress_type", "gz"),
        ])
        .sink();
    let error = load_rows(&sink, b"{}", 1).await.unwrap_err();
    assert_error(&error, ErrorKind::Load, &["'sink.properties.compress_type' = ''"]);
    assert_eq!(
        be.seen("_stream_load")[0].head.header("compress_type"),
        Some("gz")
    );
}

/// What comes again and again until somebody changes something is told with what to change.
#[tokio::test]
async fn a_refusal_that_goes_on_is_told_with_what_helps() {
    for (message, words) in [
        (
            "[INTERNAL_ERROR]transaction [4006] is already aborted. abort reason: timeout by txn manager",
            [
                "after 7201000 ms (LoadTimeMs)",
                "a load may take 7200 s (sink.properties.timeout)",
                "Take checkpoints more often",
            ],
        ),
        (
            "[E-235]failed to init rowset builder. version count: 2001, exceed limit: 2000",
            [
                "a longer checkpoint interval, fewer sink subtasks (sink.parallelism)",
                "max_tablet_version_num",
                "sent 1 times",
            ],
        ),
    ] {
        let be = Scripted::start(move |_, _| {
            vec![
                Step::Continue,
                Step::ReadAll,
                answer(
                    200,
                    format!(
                        r#"{{"TxnId": 4006, "Label": "l_0", "Status": "Fail", "Message": "{message}", "NumberTotalRows": 0, "LoadTimeMs": 7201000}}"#
                    ),
                ),
            ]
        })
        .await;
        let fe = front_end(be.address, |_| "ABORTED".to_owned()).await;
        let sink = write(&fe.address.to_string())
            .with("sink.max-retries", "0")
            .properties(&[("format", "csv"), ("compress_type", ""), ("timeout", "7200")])
            .sink();
        let error = load_rows(&sink, b"1", 1).await.unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{word}: {error}");
        }
    }
}

#[tokio::test]
async fn net_10_the_first_lines_of_the_error_log_are_in_the_failure() {
    let own = Arc::new(std::sync::OnceLock::new());
    let be = Scripted::start({
        let own = own.clone();
        move |_, head| {
            if head.path.contains("_load_error_log") {
                let lines: String = (0..50).map(|i| format!("Reason: bad {i}. src line [{i}]; \n")).collect();
                return vec![answer(200, lines)];
            }
            let address: &std::net::SocketAddr = own.get().unwrap();
            vec![
                Step::Continue,
                Step::ReadAll,
                answer(
                    200,
                    format!(
                        r#"{{"TxnId": 4006, "Label": "l_0", "Status": "Fail", "Message": "[DATA_QUALITY_ERROR]too many filtered rows", "NumberTotalRows": 1000, "NumberLoadedRows": 998, "NumberFilteredRows": 2, "NumberUnselectedRows": 0, "ErrorURL": "http://{address}/api/_load_error_log?file=x", "FirstErrorMsg": "first"}}"#
                    ),
                ),
            ]
        }
    })
    .await;
    own.set(be.address).unwrap();
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string()).sink();
    let error = load_rows(&sink, b"1", 1).await.unwrap_err();
    // NET-12: how many.
    assert_error(
        &error,
        ErrorKind::Load,
        &[
            "1000 rows read",
            "2 filtered",
            "first error: first",
            "Reason: bad 0",
            "Reason: bad 4",
            "…",
        ],
    );
    assert!(!error.to_string().contains("bad 5"));
    let log = be.seen("_load_error_log");
    assert_eq!(log[0].head.header("authorization"), Some("Basic cm9vdDo="));
}

#[tokio::test]
async fn nothing_is_sent_for_a_load_without_rows() {
    let be = taking().await;
    let fe = front_end(be.address, unknown).await;
    let sink = write(&fe.address.to_string()).sink();
    let load = sink.open_load(raw()).unwrap();
    drop(bounded(load.acquire(10)).await.unwrap());
    let outcome = end(&load).await.unwrap();
    assert_eq!(
        (outcome.label.as_deref(), outcome.next, outcome.rows),
        (None, 0, 0)
    );
    // 2PC-19
    assert!(fe.seen("").is_empty() && be.seen("").is_empty());
    assert!(
        load.submit(
            bounded(sink.open_load(raw()).unwrap().acquire(1)).await.unwrap(),
            1,
            &[1]
        )
        .is_err()
    );
}
