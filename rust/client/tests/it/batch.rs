//! Batch mode against a cluster: what is cut when, in which order it is sent, and what it holds.

use std::time::Duration;

use doris_client::ErrorKind;
use doris_client::write::batch::TableStream;
use doris_client::write::load::{Input, Labels, LoadOutcome, LoadSpec};
use doris_client::write::sink::Sink;

use crate::load::{INIT, two_columns};
use crate::sink_support::*;
use crate::standin::{Standin, TxnState};
use crate::support::*;

const MIB: &str = "1048576";

/// A sink in batch mode that cuts nothing by itself for a long time.
pub fn batch_of(write: Write) -> Write {
    write
        .with("write.two-phase", "false")
        .with("write.batch", "true")
        .with("sink.buffer-size", "16384")
        .with("sink.buffer-flush.max-rows", "500000")
        .with("sink.buffer-flush.max-bytes", MIB)
        .with("sink.buffer-flush.interval", "600000")
        .with("sink.flush.queue-size", "2")
}

pub fn batch(standin: &Standin) -> Write {
    batch_of(write_to(standin))
}

/// The stream of a table whose labels begin with its name.
pub fn stream(sink: &Sink, table: &str, input: Input) -> TableStream {
    sink.open_stream(LoadSpec {
        database: "db".to_owned(),
        table: table.to_owned(),
        labels: Labels {
            base: format!("{table}_"),
            next: 0,
        },
        input,
    })
    .unwrap()
}

pub fn raw_stream(sink: &Sink, table: &str) -> TableStream {
    stream(sink, table, Input::Raw { delete_sign: false })
}

pub async fn put_raw(stream: &TableStream, bytes: &[u8], rows: usize) -> Result<(), doris_client::Error> {
    let mut buffer = bounded(stream.acquire(bytes.len())).await?;
    buffer.as_mut_slice().copy_from_slice(bytes);
    stream.submit(buffer, rows, &[bytes.len() as i64])
}

pub async fn put_pairs(
    stream: &TableStream,
    rows: &[(i32, Option<&str>)],
) -> Result<(), doris_client::Error> {
    let (body, layout) = laid_out(rows, None);
    let mut buffer = bounded(stream.acquire(body.len())).await?;
    buffer.as_mut_slice().copy_from_slice(&body);
    stream.submit(buffer, rows.len(), &layout)
}

/// All rows out, and the loads that ended since the last time.
pub async fn flush(stream: &TableStream) -> Result<Vec<LoadOutcome>, doris_client::Error> {
    stream.finish();
    bounded(stream.flushed()).await?;
    Ok(std::iter::from_fn(|| stream.ended()).collect())
}

pub async fn of(standin: &Standin, table: &str) -> Vec<String> {
    read(
        standin,
        &format!("db.{table}"),
        &[("id", "INT NOT NULL"), ("name", "STRING")],
    )
    .rows()
    .await
    .unwrap()
}

fn visible(standin: &Standin) -> Vec<String> {
    let all = standin.transactions().into_iter();
    all.filter(|t| t.state == TxnState::Visible)
        .map(|t| t.label)
        .collect()
}

fn nothing_held(sink: &Sink) {
    let metrics = sink.metrics();
    assert_eq!(
        (metrics.buffered_bytes, metrics.kept_bytes, metrics.open_loads),
        (0, 0, 0),
        "{metrics:?}"
    );
}

#[tokio::test]
async fn rows_of_all_formats_arrive_once_flushed_and_the_stream_goes_on() {
    for format in ["csv", "json", "arrow"] {
        for compress in ["", "gz"] {
            let standin = cluster(INIT).await;
            let mut properties = vec![("format", format), ("compress_type", compress)];
            if format == "json" {
                properties.push(("read_json_by_line", "true"));
            }
            let sink = batch(&standin).properties(&properties).sink();
            let stream = stream(&sink, "t", two_columns(false));
            put_pairs(&stream, &[(1, Some("a")), (2, None)]).await.unwrap();
            put_pairs(&stream, &[(3, Some("ü\"x"))]).await.unwrap();
            assert!(
                of(&standin, "t").await.is_empty(),
                "nothing is sent before it is cut"
            );
            let ended = flush(&stream).await.unwrap();
            let rows: Vec<_> = ended.iter().map(|e| (e.label.as_deref(), e.rows)).collect();
            assert_eq!(rows, [(Some("t_0"), 3)], "{format} {compress}");
            assert_eq!(of(&standin, "t").await, ["1|a", "2|NULL", "3|ü\"x"]);
            put_pairs(&stream, &[(4, Some("b"))]).await.unwrap();
            let ended = flush(&stream).await.unwrap();
            assert_eq!((ended[0].next, ended[0].numbers.loaded_rows), (2, Some(1)));
            assert_eq!(of(&standin, "t").await.len(), 4);
            assert!(flush(&stream).await.unwrap().is_empty());
            nothing_held(&sink);
        }
    }
}

#[tokio::test]
async fn a_load_is_cut_by_rows_and_never_has_more() {
    let standin = cluster(INIT).await;
    let sink = batch(&standin).with("sink.buffer-flush.max-rows", "100").sink();
    let stream = raw_stream(&sink, "log");
    for buffer in [40, 60, 70, 40, 100, 10] {
        put_raw(&stream, vec!["1\tx"; buffer].join("\n").as_bytes(), buffer)
            .await
            .unwrap();
    }
    until("four loads are taken", || visible(&standin).len() == 4).await;
    let mut sizes: Vec<u64> = std::iter::from_fn(|| stream.ended()).map(|e| e.rows).collect();
    sizes.extend(flush(&stream).await.unwrap().iter().map(|e| e.rows));
    assert_eq!(sizes, [100, 70, 40, 100, 10]);
    assert_eq!(of(&standin, "log").await.len(), 320);
    nothing_held(&sink);
}

#[tokio::test]
async fn a_load_is_cut_by_bytes_before_compression() {
    let standin = cluster(INIT).await;
    let sink = batch(&standin)
        .with("sink.buffer-flush.max-bytes", "65536")
        .with("sink.flush.queue-size", "20")
        .properties(&[("format", "csv"), ("compress_type", "gz")])
        .sink();
    let stream = raw_stream(&sink, "log");
    let row = format!("1\t{}", "x".repeat(40));
    let buffer = vec![row.as_str(); 300].join("\n");
    for _ in 0..20 {
        put_raw(&stream, buffer.as_bytes(), 300).await.unwrap();
    }
    let ended = flush(&stream).await.unwrap();
    // Five buffers of 12.9 KB each.
    let encoded = 6 * buffer.len();
    assert!(5 * buffer.len() < 65536 && encoded > 65536);
    let sizes: Vec<u64> = ended.iter().map(|e| e.rows).collect();
    assert_eq!(sizes, [1800, 1800, 1800, 600]);
    assert!(ended.iter().all(|e| e.sent_bytes < 10_000));
    assert_eq!(of(&standin, "log").await.len(), 6000);
    nothing_held(&sink);
}

#[tokio::test]
async fn a_load_is_cut_when_its_oldest_row_is_old_enough() {
    let standin = cluster(INIT).await;
    let sink = batch(&standin).with("sink.buffer-flush.interval", "100").sink();
    let stream = raw_stream(&sink, "log");
    let begun = std::time::Instant::now();
    put_raw(&stream, b"1\ta", 1).await.unwrap();
    bounded(stream.flushed()).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(90));
    assert_eq!(of(&standin, "log").await, ["1|a"]);
    assert_eq!(stream.ended().unwrap().rows, 1);
    nothing_held(&sink);
}

/// BATCH-1: whatever the server says it has loaded, nothing of a load stays behind.
#[tokio::test]
async fn batch_1_after_ten_thousand_loads_nothing_is_held() {
    let be = crate::scripted::Scripted::start(|_, head| {
        use crate::scripted::{Step, success};
        let label = crate::load_scripted::label(head);
        vec![Step::Continue, Step::ReadAll, success(&label, 9, 1)]
    })
    .await;
    let fe = front_end(be.address, crate::load_scripted::unknown).await;
    let sink = batch_of(write(&fe.address.to_string()))
        .with("sink.buffer-flush.max-rows", "1")
        .properties(&[("format", "csv"), ("compress_type", "gz")])
        .sink();
    let stream = raw_stream(&sink, "t");
    let row = "x".repeat(1000);
    for _ in 0..10_000 {
        put_raw(&stream, row.as_bytes(), 1).await.unwrap();
    }
    assert_eq!(flush(&stream).await.unwrap().len(), 10_000);
    nothing_held(&sink);
    assert_eq!(sink.metrics().loads_succeeded, 10_000);
}

const THREE: &str = "CREATE DATABASE db;
CREATE TABLE db.a (id INT NOT NULL, name VARCHAR(20000)) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1
  PROPERTIES ('replication_num' = '1');
CREATE TABLE db.b LIKE db.a;
CREATE TABLE db.c LIKE db.a;";

/// BATCH-2: three tables, each below its own threshold, fill what they share.
#[tokio::test]
async fn batch_2_the_shared_limit_cuts_the_largest_and_nothing_hangs() {
    let standin = cluster(THREE).await;
    // Two loads of 128 KB fit.
    let sink = batch(&standin)
        .with("sink.buffer-size", "8192")
        .with("sink.buffer-flush.max-bytes", "131072")
        .with("sink.flush.queue-size", "1")
        .sink();
    let streams = ["a", "b", "c"].map(|table| raw_stream(&sink, table));
    let row = format!("1\t{}", "x".repeat(7000));
    // 36 rows of 7 KB, 12 of each table: no table has the 19 that fill a load of its own.
    for _ in 0..12 {
        for stream in &streams {
            put_raw(stream, row.as_bytes(), 1).await.unwrap();
        }
    }
    let mut sizes = Vec::new();
    for stream in &streams {
        let loads = flush(stream).await.unwrap();
        sizes.push(loads.iter().map(|e| e.rows).collect::<Vec<_>>());
    }
    assert!(sizes.iter().any(|of| of.len() > 1), "{sizes:?}");
    assert!(sizes.iter().flatten().all(|rows| *rows < 19), "{sizes:?}");
    assert!(sizes.iter().all(|of| of[0] >= 8), "the largest: {sizes:?}");
    for _ in 0..100 {
        for stream in &streams {
            put_raw(stream, row.as_bytes(), 1).await.unwrap();
        }
    }
    for stream in &streams {
        flush(stream).await.unwrap();
    }
    assert!(sink.metrics().max_bytes <= 262_144, "{:?}", sink.metrics());
    for table in ["a", "b", "c"] {
        assert_eq!(of(&standin, table).await.len(), 112, "{table}");
    }
    nothing_held(&sink);
}

#[tokio::test]
async fn what_is_larger_than_the_limit_gets_in_when_nothing_else_is_held() {
    let standin = cluster(THREE).await;
    let sink = batch(&standin)
        .with("sink.buffer-size", "1024")
        .with("sink.buffer-flush.max-bytes", "4096")
        .with("sink.flush.queue-size", "1")
        .sink();
    let (a, b) = (raw_stream(&sink, "a"), raw_stream(&sink, "b"));
    let large = format!("1\t{}", "x".repeat(19_000));
    for _ in 0..5 {
        put_raw(&a, b"1\tsmall", 1).await.unwrap();
        put_raw(&b, large.as_bytes(), 1).await.unwrap();
    }
    flush(&a).await.unwrap();
    flush(&b).await.unwrap();
    assert_eq!(
        (of(&standin, "a").await.len(), of(&standin, "b").await.len()),
        (5, 5)
    );
    nothing_held(&sink);
}

/// BATCH-3: a definite refusal takes the next label, up to `sink.max-retries`.
#[tokio::test]
async fn batch_3_each_attempt_after_a_refusal_has_a_label_of_its_own() {
    let standin = cluster(INIT).await;
    let busy = r#"{"at": "be.load.headers", "do": {"answer": {"message": "[E-235]version count: 2001"}}, "times": 2}"#;
    standin.add_fault_json(busy).unwrap();
    let sink = batch(&standin).sink();
    let stream = raw_stream(&sink, "log");
    put_raw(&stream, b"1\ta", 1).await.unwrap();
    let ended = flush(&stream).await.unwrap();
    assert_eq!(
        (ended[0].label.as_deref(), ended[0].retries, ended[0].next),
        (Some("log_2"), 2, 3)
    );
    assert_eq!(of(&standin, "log").await, ["1|a"]);

    standin
        .add_fault_json(&busy.replace("\"times\": 2", "\"times\": 9"))
        .unwrap();
    let sink = batch(&standin).with("sink.max-retries", "1").sink();
    let stream = raw_stream(&sink, "log");
    put_raw(&stream, b"2\ta", 1).await.unwrap();
    let error = flush(&stream).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Load,
        &[
            "db.log",
            "[E-235]",
            "sink.buffer-flush.max-rows",
            "sent 2 times",
            "sink.max-retries = 1",
        ],
    );
    nothing_held(&sink);

    // Here it is not known what is under the label. It is used again once the server says that nothing is.
    standin.clear_faults();
    let locked = busy.replace("[E-235]version count: 2001", "get tableList write lock timeout");
    standin.add_fault_json(&locked).unwrap();
    let sink = batch(&standin).sink();
    let stream = raw_stream(&sink, "t");
    put_raw(&stream, b"3\ta", 1).await.unwrap();
    assert_eq!(flush(&stream).await.unwrap()[0].retries, 2);
    assert_eq!(of(&standin, "t").await, ["3|a"]);
}

/// BATCH-4: no label with group commit, at no attempt.
#[tokio::test]
async fn batch_4_group_commit_has_no_label_and_is_sent_again() {
    let rules = [
        (
            r#"{"at": "be.load.headers", "do": {"status": {"code": 500, "message": "no"}}, "times": 1}"#,
            1,
        ),
        // Here the rows may be there already: at least once.
        (
            r#"{"at": "be.load.answer", "do": {"drop_answer": true}, "times": 1}"#,
            2,
        ),
    ];
    for (rule, copies) in rules {
        let standin = cluster(INIT).await;
        standin.add_fault_json(rule).unwrap();
        let sink = batch(&standin)
            .with("write.group-commit", "true")
            .properties(&[("format", "csv"), ("group_commit", "sync_mode")])
            .sink();
        let stream = raw_stream(&sink, "log");
        put_raw(&stream, b"1\ta", 1).await.unwrap();
        let ended = flush(&stream).await.unwrap();
        assert_eq!(ended[0].retries, 1, "{rule}");
        assert_eq!(of(&standin, "log").await.len(), copies, "{rule}");
        let labels: Vec<_> = standin.transactions().into_iter().map(|t| t.label).collect();
        assert!(
            labels.iter().all(|l| l.starts_with("group_commit_")),
            "{labels:?}"
        );
        nothing_held(&sink);
    }
}

/// BATCH-5: whatever breaks, each row is there once in a table that keeps every copy.
#[tokio::test]
async fn batch_5_a_load_that_breaks_anywhere_is_sent_unchanged_and_counted_once() {
    for (at, action, times) in [
        ("be.load.answer", r#"{"drop_answer": true}"#, 1),
        ("be.load.answer", r#"{"reset": true}"#, 1),
        ("be.load.body", r#"{"reset": true}"#, 3),
        (
            "be.load.headers",
            r#"{"status": {"code": 500, "message": "no"}}"#,
            3,
        ),
        ("fe.redirect", r#"{"reset": true}"#, 1),
        ("txn.commit", r#"{"reset": true}"#, 1),
        (
            "be.load.headers",
            r#"{"answer": {"message": "[E-235]failed to init rowset builder. version count: 2001, exceed limit: 2000"}}"#,
            3,
        ),
    ] {
        let standin = cluster_with(INIT, |c| c.backends = 2).await;
        let rule = format!(r#"{{"at": "{at}", "do": {action}, "times": {times}}}"#);
        let fault = standin.add_fault_json(&rule).unwrap();
        let sink = batch(&standin).with("sink.max-retries", "5").sink();
        let stream = stream(&sink, "log", two_columns(false));
        for id in 0..10 {
            put_pairs(&stream, &[(id, Some("x"))]).await.unwrap();
        }
        let ended = flush(&stream).await.unwrap_or_else(|e| panic!("{rule}: {e}"));
        assert_eq!(ended.len(), 1, "{rule}");
        assert!(
            standin.faults().iter().any(|f| f.id == fault && f.fired == times),
            "{rule}"
        );
        let expected: Vec<String> = (0..10).map(|id| format!("{id}|x")).collect();
        assert_eq!(of(&standin, "log").await, expected, "{rule}");
        assert_eq!(visible(&standin).len(), 1, "{rule}");
        nothing_held(&sink);
    }
}

/// BATCH-6: buffers of raw rows are joined by the delimiter of their format, if it has one.
#[tokio::test]
async fn batch_6_buffers_are_joined_as_their_format_wants_it() {
    let standin = cluster(INIT).await;
    let sink = batch(&standin)
        .properties(&[("format", "csv"), ("line_delimiter", r"\x02")])
        .sink();
    let csv = raw_stream(&sink, "log");
    for rows in [&b"1\ta"[..], b"2\tb\x023\tc", b"4\td"] {
        put_raw(&csv, rows, 1).await.unwrap();
    }
    flush(&csv).await.unwrap();
    assert_eq!(of(&standin, "log").await, ["1|a", "2|b", "3|c", "4|d"]);

    let sink = batch(&standin).properties(&[("format", "arrow")]).sink();
    let arrow = stream(&sink, "t", two_columns(false));
    for id in 0..3 {
        put_pairs(&arrow, &[(id, Some("x"))]).await.unwrap();
    }
    assert_eq!(flush(&arrow).await.unwrap().len(), 1);
    assert_eq!(of(&standin, "t").await, ["0|x", "1|x", "2|x"]);
}

/// BATCH-7: the wait ends when the server has taken everything, not before.
#[tokio::test]
async fn batch_7_a_flush_waits_for_every_row_before_it() {
    let standin = cluster(INIT).await;
    let held = standin
        .add_fault_json(r#"{"at": "be.load.answer", "do": {"hold": true}}"#)
        .unwrap();
    let sink = batch(&standin).with("sink.buffer-flush.max-rows", "1").sink();
    let stream = raw_stream(&sink, "log");
    for row in [b"1\ta", b"2\tb"] {
        put_raw(&stream, row, 1).await.unwrap();
    }
    stream.finish();
    until("the first load is held", || {
        standin.faults().iter().any(|f| f.holding == 1)
    })
    .await;
    assert!(
        tokio::time::timeout(Duration::from_millis(50), stream.flushed())
            .await
            .is_err()
    );
    standin.delete_fault(held);
    bounded(stream.flushed()).await.unwrap();
    assert_eq!(of(&standin, "log").await, ["1|a", "2|b"]);
}

/// BATCH-8: a close in the middle of a load ends all at once and leaves nothing.
#[tokio::test]
async fn batch_8_a_close_ends_what_runs_and_what_waits() {
    let standin = cluster(INIT).await;
    standin
        .add_fault_json(r#"{"at": "be.load.body", "do": {"hold": true}}"#)
        .unwrap();
    let sink = batch(&standin).with("sink.buffer-flush.max-rows", "1").sink();
    let stream = raw_stream(&sink, "log");
    for _ in 0..3 {
        put_raw(&stream, b"1\ta", 1).await.unwrap();
    }
    until("the first load is held", || {
        standin.faults().iter().any(|f| f.holding == 1)
    })
    .await;
    {
        let mut waiting = std::pin::pin!(stream.acquire(10));
        assert!(
            tokio::time::timeout(Duration::from_millis(50), waiting.as_mut())
                .await
                .is_err(),
            "the queue is full"
        );
        stream.close();
        let error = bounded(waiting).await.unwrap_err();
        assert_error(&error, ErrorKind::Closed, &["closed"]);
    }
    assert_eq!(
        bounded(stream.flushed()).await.unwrap_err().kind(),
        ErrorKind::Closed
    );
    assert_eq!(
        put_raw(&stream, b"1\ta", 1).await.unwrap_err().kind(),
        ErrorKind::Closed
    );
    stream.close();
    until("nothing is held", || {
        let metrics = sink.metrics();
        (metrics.kept_bytes, metrics.open_loads, metrics.open_connections) == (0, 0, 0)
    })
    .await;
    standin.clear_faults();
}

/// BATCH-9: while the queue is full, age alone cuts nothing.
#[tokio::test]
async fn batch_9_a_full_queue_is_waited_for_and_gets_no_small_loads() {
    let standin = cluster(INIT).await;
    let held = standin
        .add_fault_json(r#"{"at": "be.load.answer", "do": {"hold": true}}"#)
        .unwrap();
    let sink = batch(&standin)
        .with("sink.buffer-flush.interval", "100")
        .with("sink.flush.queue-size", "1")
        // Few rows are compressed when their load is cut.
        .properties(&[("format", "csv"), ("compress_type", "gz")])
        .sink();
    let stream = raw_stream(&sink, "log");
    // One is being sent, one waits.
    put_raw(&stream, b"1\ta", 1).await.unwrap();
    until("it is cut", || sink.metrics().kept_bytes > 0).await;
    let one = sink.metrics().kept_bytes;
    put_raw(&stream, b"1\ta", 1).await.unwrap();
    let mut late = bounded(stream.acquire(3)).await.unwrap();
    late.as_mut_slice().copy_from_slice(b"1\tl");
    until("it is cut", || sink.metrics().kept_bytes == 2 * one).await;
    stream.submit(late, 1, &[3]).unwrap();
    assert!(
        tokio::time::timeout(Duration::from_millis(300), stream.acquire(10))
            .await
            .is_err(),
        "the queue is full"
    );
    // The third is old enough by far.
    assert_eq!(
        (sink.metrics().open_loads, sink.metrics().kept_bytes),
        (3, 2 * one)
    );
    standin.delete_fault(held);
    put_raw(&stream, b"1\tb\n1\tc", 2).await.unwrap();
    flush(&stream).await.unwrap();
    assert_eq!(of(&standin, "log").await.len(), 5);
    nothing_held(&sink);
}

/// BATCH-11: tables have nothing to do with each other.
#[tokio::test]
async fn batch_11_each_table_gets_its_own_rows() {
    let tables: String = (0..5)
        .map(|i| format!("CREATE TABLE db.t{i} (id INT NOT NULL, name VARCHAR(50)) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1');"))
        .collect();
    let standin = cluster(&format!("CREATE DATABASE db; {tables}")).await;
    let sink = batch(&standin).with("sink.buffer-flush.max-rows", "7").sink();
    let streams: Vec<_> = (0..5)
        .map(|i| stream(&sink, &format!("t{i}"), two_columns(false)))
        .collect();
    for id in 0..40 {
        for (i, stream) in streams.iter().enumerate() {
            put_pairs(stream, &[(id, Some(&format!("of {i}")))])
                .await
                .unwrap();
            if id % 10 == i as i32 {
                stream.finish();
            }
        }
    }
    for (i, stream) in streams.iter().enumerate() {
        flush(stream).await.unwrap();
        let mut expected: Vec<String> = (0..40).map(|id| format!("{id}|of {i}")).collect();
        expected.sort();
        let mut rows = of(&standin, &format!("t{i}")).await;
        rows.sort();
        assert_eq!(rows, expected);
    }
    nothing_held(&sink);
}

/// BATCH-12: loads of one table follow each other; the last value stays.
#[tokio::test]
async fn batch_12_loads_of_a_table_are_sent_in_order() {
    let standin = cluster(INIT).await;
    // The first one takes long.
    standin
        .add_fault_json(r#"{"at": "be.load.answer", "do": {"delay_ms": 300}, "times": 1}"#)
        .unwrap();
    let sink = batch(&standin).with("sink.buffer-flush.max-rows", "3").sink();
    let stream = stream(&sink, "t", two_columns(false));
    for v in 1..=30 {
        put_pairs(&stream, &[(1, Some(&format!("v{v}")))]).await.unwrap();
    }
    let ended = flush(&stream).await.unwrap();
    assert_eq!(ended.len(), 10);
    let labels: Vec<_> = ended.iter().filter_map(|e| e.label.clone()).collect();
    let expected: Vec<_> = (0..10).map(|n| format!("t_{n}")).collect();
    assert_eq!(labels, expected);
    assert_eq!(of(&standin, "t").await, ["1|v30"]);
}

#[tokio::test]
async fn data_that_is_refused_fails_at_once_and_nothing_later_of_the_table_is_sent() {
    let standin = cluster(INIT).await;
    let sink = batch(&standin)
        .with("sink.buffer-flush.max-rows", "1")
        .properties(&[("format", "csv"), ("strict_mode", "true")])
        .sink();
    let (log, other) = (raw_stream(&sink, "log"), raw_stream(&sink, "t"));
    let held = standin
        .add_fault_json(r#"{"at": "be.load.answer", "do": {"hold": true}}"#)
        .unwrap();
    put_raw(&log, b"1\ta", 1).await.unwrap();
    put_raw(&log, b"no number\tb", 1).await.unwrap();
    put_raw(&log, b"3\tc", 1).await.unwrap();
    standin.delete_fault(held);
    let error = bounded(log.flushed()).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Load,
        &["db.log", "log_1", "1 rows read", "1 filtered"],
    );
    assert!(!error.is_retryable());
    // At each call, and the load before it is told of all the same.
    assert_eq!(
        put_raw(&log, b"4\td", 1).await.unwrap_err().to_string(),
        error.to_string()
    );
    assert_eq!(log.ended().map(|e| e.rows), Some(1));
    assert!(log.ended().is_none());
    assert_eq!(of(&standin, "log").await, ["1|a"]);
    put_raw(&other, b"1\ta", 1).await.unwrap();
    flush(&other).await.unwrap();
    assert_eq!(of(&standin, "t").await, ["1|a"]);
    nothing_held(&sink);
}

#[tokio::test]
async fn rows_that_cannot_be_encoded_fail_the_table() {
    let standin = cluster(INIT).await;
    let sink = batch(&standin).sink();
    let stream = stream(&sink, "t", two_columns(false));
    put_pairs(&stream, &[(7, Some(&"x".repeat(51)))]).await.unwrap();
    let error = flush(&stream).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Data,
        &["rows for db.t cannot be sent", "VARCHAR(50)", "id = \"7\""],
    );
    nothing_held(&sink);
}

#[tokio::test]
async fn a_sink_in_streaming_mode_has_no_streams() {
    let sink = write("127.0.0.1:1").sink();
    let error = sink
        .open_stream(spec(Input::Raw { delete_sign: false }))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}
