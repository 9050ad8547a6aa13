//! Sending again: what is kept, for how long, and what happens when it is not.

use doris_client::ErrorKind;

use crate::load::{INIT, rows, two_columns};
use crate::sink_support::*;
use crate::support::*;

/// Breaks the first load after so many bytes of its body.
fn breaks_after(bytes: u64) -> String {
    format!(r#"{{"at": "be.load.body", "do": {{"reset": true}}, "times": 1, "after": {bytes}}}"#)
}

async fn load_of(sink: &doris_client::write::sink::Sink, buffers: i32) -> Result<(), doris_client::Error> {
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    let text = "t".repeat(40);
    for n in 0..buffers {
        let rows: Vec<_> = (0..1000).map(|id| (n * 1000 + id, Some(text.as_str()))).collect();
        put_rows(&load, &rows, None).await?;
    }
    let outcome = end(&load).await?;
    let label = outcome.label.clone().unwrap();
    bounded(sink.commit("db", "t", outcome.txn_id.unwrap(), &label))
        .await
        .unwrap();
    Ok(())
}

#[tokio::test]
async fn kept_bytes_are_sent_again_from_the_first() {
    for compress in ["", "gz"] {
        for limit in ["67108864", "-1"] {
            let standin = cluster(INIT).await;
            standin
                .add_fault_json(&breaks_after(if compress.is_empty() { 500_000 } else { 20_000 }))
                .unwrap();
            let sink = write_to(&standin)
                .with("sink.replay-buffer-size", limit)
                .properties(&[("format", "csv"), ("compress_type", compress)])
                .sink();
            load_of(&sink, 30).await.unwrap();
            assert_eq!(standin.faults()[0].fired, 1);
            assert_eq!(rows(&standin).await.len(), 30_000);
            let metrics = sink.metrics();
            assert_eq!((metrics.attempts_failed, metrics.loads_succeeded), (1, 1));
            assert_eq!(metrics.kept_bytes, 0);
        }
    }
}

#[tokio::test]
async fn what_is_not_kept_any_more_fails_with_advice() {
    for limit in ["0", "100000"] {
        let standin = cluster(INIT).await;
        standin.add_fault_json(&breaks_after(500_000)).unwrap();
        let sink = write_to(&standin).with("sink.replay-buffer-size", limit).sink();
        let error = load_of(&sink, 30).await.unwrap_err();
        assert_error(
            &error,
            ErrorKind::Transport,
            &[
                "db.t",
                "'l_0'",
                "last checkpoint",
                "sink.replay-buffer-size",
                "Shorter checkpoint",
                "more subtasks",
            ],
        );
        assert!(error.is_retryable());
        assert!(rows(&standin).await.is_empty());
        assert_eq!(sink.metrics().kept_bytes, 0);
    }
}

#[tokio::test]
async fn one_budget_for_all_loads_of_a_sink() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin)
        .with("sink.replay-buffer-size", "150000")
        .sink();
    let mut loads = Vec::new();
    for n in 0..3 {
        let mut spec = spec(two_columns(false));
        spec.labels.base = format!("l_{n}_");
        let load = sink.open_load(spec).unwrap();
        let text = "t".repeat(40);
        for i in 0..2 {
            let rows: Vec<_> = (0..1000).map(|id| (i * 1000 + id, Some(text.as_str()))).collect();
            put_rows(&load, &rows, None).await.unwrap();
        }
        loads.push(load);
        assert!(sink.metrics().kept_bytes <= 150_000);
    }
    for load in &loads {
        end(load).await.unwrap();
    }
    assert!(sink.metrics().max_bytes <= 150_000 + 3 * 3 * 2 * 65536);
    assert_eq!(sink.metrics().kept_bytes, 0);
}

#[tokio::test]
async fn a_load_larger_than_the_server_takes_says_what_helps() {
    let standin = cluster_with(INIT, |c| {
        c.set = vec!["streaming_load_max_bytes=100000".to_owned()]
    })
    .await;
    let sink = write_to(&standin).with("sink.max-retries", "1").sink();
    let error = load_of(&sink, 30).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("db.t") && text.contains("'l_0'"), "{text}");
    assert!(rows(&standin).await.is_empty());
}
