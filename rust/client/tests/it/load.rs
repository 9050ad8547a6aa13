//! Loads into a cluster: what is written is read back, once, and nothing of it before it is committed.

use std::sync::Arc;

use doris_client::ErrorKind;
use doris_client::write::load::Input;
use doris_client::write::sink::Sink;
use doris_client::write::txn::{AbortOutcome, CommitOutcome, LabelState};

use crate::sink_support::*;
use crate::standin::{Standin, TxnState};
use crate::support::*;

pub const INIT: &str = "
CREATE DATABASE db;
CREATE TABLE db.t (id INT NOT NULL, name VARCHAR(50)) UNIQUE KEY(id)
  DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES ('replication_num' = '1');
CREATE TABLE db.log (id INT NOT NULL, name VARCHAR(50)) DUPLICATE KEY(id)
  DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1');
";

const COLUMNS: [(&str, &str); 2] = [("id", "INT NOT NULL"), ("name", "STRING")];

pub async fn rows(standin: &Standin) -> Vec<String> {
    read(standin, "db.t", &COLUMNS).rows().await.unwrap()
}

pub fn two_columns(delete_sign: bool) -> Input {
    Input::Rows {
        declared: fields("`id` INT NOT NULL, `name` STRING"),
        delete_sign,
    }
}

fn states(standin: &Standin) -> Vec<(String, TxnState)> {
    standin
        .transactions()
        .into_iter()
        .map(|t| (t.label, t.state))
        .collect()
}

#[tokio::test]
async fn every_format_and_compression_with_deletes() {
    for format in ["csv", "json", "arrow"] {
        for compress in ["", "gz", "lz4", "zstd"] {
            let standin = cluster(INIT).await;
            standin
                .execute("INSERT INTO db.t VALUES (1, 'old'), (2, 'old')")
                .await
                .unwrap();
            let mut properties = vec![("format", format), ("compress_type", compress)];
            if format == "json" {
                properties.push(("read_json_by_line", "true"));
            }
            let sink = write_to(&standin).properties(&properties).sink();
            let check = bounded(sink.check_table("db", "t", Some(&fields("`id` INT, `name` STRING")), true))
                .await
                .unwrap();
            assert_eq!((check.keys.as_str(), check.delete_sign), ("UNIQUE_KEYS", true));
            let load = sink.open_load(spec(two_columns(true))).unwrap();
            put_rows(&load, &[(1, Some("new")), (2, None)], Some(&[0, 1]))
                .await
                .unwrap();
            put_rows(&load, &[(3, Some("ü\"x")), (4, None)], Some(&[0, 0]))
                .await
                .unwrap();
            let outcome = end(&load).await.unwrap();
            assert_eq!(
                (outcome.rows, outcome.numbers.total_rows),
                (4, Some(4)),
                "{format} {compress}"
            );
            // Invisible until the commit.
            assert_eq!(rows(&standin).await, ["1|old", "2|old"]);
            let (txn, label) = (outcome.txn_id.unwrap(), outcome.label.clone().unwrap());
            assert_eq!(
                bounded(sink.state("db", &label)).await.unwrap(),
                LabelState::Precommitted
            );
            assert_eq!(
                bounded(sink.commit("db", "t", txn, &label)).await.unwrap(),
                CommitOutcome::Committed { retries: 0 }
            );
            assert_eq!(
                rows(&standin).await,
                ["1|new", "3|ü\"x", "4|NULL"],
                "{format} {compress}"
            );
            assert_eq!(
                bounded(sink.commit("db", "t", txn, &label)).await.unwrap(),
                CommitOutcome::Already { retries: 0 }
            );
            assert_eq!(
                bounded(sink.abort("db", &label)).await.unwrap(),
                AbortOutcome::Finished
            );
        }
    }
}

#[tokio::test]
async fn two_pc_16_a_closed_load_leaves_nothing() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin).sink();
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    put_rows(&load, &[(1, None)], None).await.unwrap();
    until("the load has begun", || {
        states(&standin) == [("l_0".to_owned(), TxnState::Prepare)]
    })
    .await;
    load.close();
    until("the server dropped it", || {
        states(&standin) == [("l_0".to_owned(), TxnState::Aborted)]
    })
    .await;
    assert!(rows(&standin).await.is_empty());
    // The label is free again.
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    put_rows(&load, &[(2, None)], None).await.unwrap();
    let outcome = end(&load).await.unwrap();
    assert_eq!(outcome.label.as_deref(), Some("l_0"));
    assert_eq!(
        bounded(sink.abort("db", "l_0")).await.unwrap(),
        AbortOutcome::Aborted
    );
    assert_eq!(
        bounded(sink.state("db", "l_0")).await.unwrap(),
        LabelState::Aborted
    );
    assert_eq!(
        bounded(sink.abort("db", "l_9")).await.unwrap(),
        AbortOutcome::NotFound
    );
    let error = bounded(sink.commit("db", "t", outcome.txn_id.unwrap(), "l_0"))
        .await
        .unwrap_err();
    assert_error(
        &error,
        ErrorKind::Aborted,
        &["aborted", "'l_0'", "ABORTED", "db.t", "not in the table"],
    );
}

#[tokio::test]
async fn many_buffers_in_order() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin)
        .properties(&[("format", "csv"), ("compress_type", "gz")])
        .sink();
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    // Each buffer changes the same keys, so that order decides.
    for round in 0..40 {
        let text = format!("round {round}");
        let rows: Vec<_> = (0..500).map(|id| (id, Some(text.as_str()))).collect();
        put_rows(&load, &rows, None).await.unwrap();
    }
    let outcome = end(&load).await.unwrap();
    assert_eq!(outcome.rows, 20_000);
    bounded(sink.commit("db", "t", outcome.txn_id.unwrap(), "l_0"))
        .await
        .unwrap();
    let read = rows(&standin).await;
    assert_eq!(read.len(), 500);
    assert!(read.iter().all(|r| r.ends_with("|round 39")), "{}", read[0]);
    let metrics = sink.metrics();
    assert_eq!(metrics.rows, 20_000);
    assert!(metrics.encoded_bytes > metrics.sent_bytes && metrics.sent_bytes > 0);
    assert_eq!((metrics.buffered_bytes, metrics.kept_bytes), (0, 0));
    assert!(metrics.max_bytes <= 3 * 65536 + 67_108_864);
}

#[tokio::test]
async fn without_two_phase_commit_and_with_group_commit_rows_are_visible() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin).with("write.two-phase", "false").sink();
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    put_rows(&load, &[(1, Some("a"))], None).await.unwrap();
    let outcome = end(&load).await.unwrap();
    assert_eq!(
        (outcome.label.as_deref(), outcome.numbers.loaded_rows),
        (Some("l_0"), Some(1))
    );
    assert_eq!(rows(&standin).await, ["1|a"]);
    let sink = write_to(&standin)
        .with("write.two-phase", "false")
        .with("write.group-commit", "true")
        .properties(&[("format", "csv"), ("group_commit", "sync_mode")])
        .sink();
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    put_rows(&load, &[(2, Some("b"))], None).await.unwrap();
    let outcome = end(&load).await.unwrap();
    assert!(outcome.label.as_deref().unwrap().starts_with("group_commit_"));
    assert_eq!(rows(&standin).await, ["1|a", "2|b"]);
}

#[tokio::test]
async fn checks_find_all_differences_and_what_kind_of_table_it_is() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin).sink();
    let declared = fields("`ID` BIGINT, `nam` STRING");
    let error = bounded(sink.check_table("db", "t", Some(&declared), true))
        .await
        .unwrap_err();
    assert_error(
        &error,
        ErrorKind::Schema,
        &[
            "db.t",
            "'ID' is INT in Doris but declared BIGINT",
            "'nam' does not exist",
            "did you mean 'name'?",
        ],
    );
    let log = bounded(sink.check_table("db", "log", None, true)).await.unwrap();
    assert_eq!((log.keys.as_str(), log.delete_sign), ("DUP_KEYS", false));
    let raw = bounded(sink.check_table("db", "t", None, true)).await.unwrap();
    assert!(raw.delete_sign);
    let key = raw.columns.iter().filter(|(_, is_key)| *is_key);
    assert_eq!(key.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["id"]);
    assert!(raw.columns.iter().any(|(name, is_key)| name == "name" && !is_key));
    let off = write_to(&standin).with("write.enable-delete", "false").sink();
    assert!(
        !bounded(off.check_table("db", "t", None, true))
            .await
            .unwrap()
            .delete_sign
    );
    for (database, table, hint) in [
        ("db", "none", ""),
        ("db", "lag", "did you mean 'log'?"),
        ("nodb", "t", ""),
    ] {
        let error = bounded(sink.check_table(database, table, None, true))
            .await
            .unwrap_err();
        assert_error(
            &error,
            ErrorKind::NotFound,
            &[&format!("{database}.{table}"), hint],
        );
        let text = error.to_string();
        assert_eq!(text.matches("front end ").count(), 1, "{text}");
        assert_eq!(text.contains("did you mean"), !hint.is_empty(), "{text}");
    }
    let view = "CREATE VIEW db.v AS SELECT id, name FROM db.t";
    standin.execute(view).await.unwrap();
    let error = bounded(sink.check_table("db", "v", None, true))
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::Schema, &["db.v", "is a view"]);
}

#[tokio::test]
async fn net_8_subtasks_spread_over_the_back_ends() {
    for auto_redirect in ["true", "false"] {
        let standin = cluster_with(INIT, |c| c.backends = 3).await;
        let mut sinks: Vec<Sink> = Vec::new();
        for n in 0..6 {
            let sink = write_to(&standin).with("auto-redirect", auto_redirect).sink();
            let mut spec = spec(two_columns(false));
            spec.labels.next = n;
            let load = sink.open_load(spec).unwrap();
            put_rows(&load, &[(n as i32, None)], None).await.unwrap();
            end(&load).await.unwrap();
            sinks.push(sink);
        }
        let taken = |node: &str| {
            let journal = standin.journal();
            journal
                .iter()
                .filter(|e| e.node == node && e.path.contains("_stream_load") && e.method == "PUT")
                .count()
        };
        let all = [taken("be0"), taken("be1"), taken("be2")];
        assert_eq!(all.iter().sum::<usize>(), 6);
        if auto_redirect == "true" {
            assert_eq!(all, [2, 2, 2]);
        } else {
            // Other tests of the process take turns as well.
            assert!(all.iter().all(|n| *n > 0), "{all:?}");
        }
    }
}

#[tokio::test]
async fn mem_2_tables_without_an_open_load_hold_nothing() {
    let tables: String = (0..30)
        .map(|i| {
            format!(
                "CREATE TABLE db.t{i} (id INT NOT NULL, name VARCHAR(50)) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1');"
            )
        })
        .collect();
    let standin = cluster(&format!("{INIT}{tables}")).await;
    let sink = write_to(&standin).sink();
    let mut open = Vec::new();
    for i in 0..30 {
        let mut spec = spec(two_columns(false));
        spec.table = format!("t{i}");
        spec.labels.base = format!("l_{i}_");
        let load = Arc::new(sink.open_load(spec).unwrap());
        put_rows(&load, &[(1, None)], None).await.unwrap();
        if i % 10 > 0 {
            end(&load).await.unwrap();
        } else {
            open.push(load);
        }
    }
    until("five per cent are open", || {
        let m = sink.metrics();
        (m.open_loads, m.open_connections) == (3, 3)
    })
    .await;
    let held = sink.metrics().buffered_bytes;
    assert!(held <= 3 * 3 * 65536, "{held}");
    for load in open {
        end(&load).await.unwrap();
    }
    let m = sink.metrics();
    assert_eq!(
        (m.buffered_bytes, m.kept_bytes, m.open_loads, m.open_connections),
        (0, 0, 0, 0)
    );
}

#[tokio::test]
async fn mem_3_a_slow_server_holds_the_writer_back_at_a_fixed_limit() {
    let standin = cluster(INIT).await;
    standin
        .add_fault_json(r#"{"at": "be.load.body", "do": {"bytes_per_second": 2000000}}"#)
        .unwrap();
    let budget = 200_000;
    let sink = write_to(&standin)
        .with("sink.replay-buffer-size", &budget.to_string())
        .sink();
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    let text = "x".repeat(40);
    let rows: Vec<_> = (0..1000).map(|id| (id, Some(text.as_str()))).collect();
    for _ in 0..100 {
        put_rows(&load, &rows, None).await.unwrap();
    }
    let outcome = end(&load).await.unwrap();
    assert_eq!(outcome.rows, 100_000);
    let most = sink.metrics().max_bytes;
    // Places in the ring, what comes out of them while it waits, and what is kept.
    assert!(most <= 2 * 3 * 65536 + budget, "{most}");
}
