//! Loads while the cluster breaks at named points: every row once after the commit, or an error and no row.

use doris_client::ErrorKind;
use doris_client::write::load::LoadOutcome;
use doris_client::write::sink::Sink;
use doris_client::write::txn::CommitOutcome;
use doris_standin::{Standin, TxnState};

use crate::load::{INIT, rows, two_columns};
use crate::sink_support::*;
use crate::support::*;

/// Loads rows 0 to 9 in two buffers.
async fn ten_rows(sink: &Sink) -> Result<std::sync::Arc<LoadOutcome>, doris_client::Error> {
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    for half in 0..2 {
        let rows: Vec<_> = (0..5).map(|id| (half * 5 + id, Some("x"))).collect();
        put_rows(&load, &rows, None).await?;
    }
    end(&load).await
}

async fn committed(standin: &Standin, sink: &Sink, outcome: &LoadOutcome) {
    let label = outcome.label.as_deref().unwrap();
    bounded(sink.commit("db", "t", outcome.txn_id.unwrap(), label))
        .await
        .unwrap();
    let expected: Vec<String> = (0..10).map(|id| format!("{id}|x")).collect();
    assert_eq!(rows(standin).await, expected);
    // Nothing but the committed transaction and what is remembered as skipped.
    for transaction in standin.transactions() {
        match transaction.state {
            TxnState::Visible => assert_eq!(transaction.label, label),
            TxnState::Aborted => {}
            _ => assert!(
                outcome.skipped.contains(&transaction.label),
                "{transaction:?} is left behind"
            ),
        }
    }
}

#[tokio::test]
async fn two_pc_14_a_load_that_breaks_anywhere_is_sent_again_and_counted_once() {
    for (at, action, after) in [
        ("fe.redirect", r#"{"reset": true}"#, 0),
        (
            "fe.redirect",
            r#"{"status": {"code": 503, "message": "busy"}}"#,
            0,
        ),
        ("be.load.headers", r#"{"reset": true}"#, 0),
        (
            "be.load.headers",
            r#"{"status": {"code": 500, "message": "no"}}"#,
            0,
        ),
        ("be.load.body", r#"{"reset": true}"#, 0),
        ("be.load.body", r#"{"reset": true}"#, 9),
        ("be.load.body", r#"{"close": true}"#, 25),
        (
            "be.load.body",
            r#"{"status": {"code": 502, "message": "gateway"}}"#,
            9,
        ),
        ("be.load.answer", r#"{"drop_answer": true}"#, 0),
        ("be.load.answer", r#"{"reset": true}"#, 0),
        ("txn.precommit", r#"{"reset": true}"#, 0),
        (
            "be.load.headers",
            r#"{"answer": {"message": "[E-235]failed to init rowset builder. version count: 2001, exceed limit: 2000"}}"#,
            0,
        ),
    ] {
        let standin = cluster_with(INIT, |c| c.backends = 2).await;
        let rule = format!(r#"{{"at": "{at}", "do": {action}, "times": 1, "after": {after}}}"#);
        let fault = standin.add_fault_json(&rule).unwrap();
        let sink = write_to(&standin).sink();
        let outcome = ten_rows(&sink).await.unwrap_or_else(|e| panic!("{rule}: {e}"));
        assert!(
            standin.faults().iter().any(|f| f.id == fault && f.fired == 1),
            "{rule}"
        );
        committed(&standin, &sink, &outcome).await;
    }
}

#[tokio::test]
async fn lost_answers_without_two_phase_commit_count_once() {
    for (at, action) in [
        ("be.load.answer", r#"{"drop_answer": true}"#),
        ("be.load.body", r#"{"reset": true}"#),
        ("txn.commit", r#"{"reset": true}"#),
    ] {
        let standin = cluster(INIT).await;
        let rule = format!(r#"{{"at": "{at}", "do": {action}, "times": 1}}"#);
        standin.add_fault_json(&rule).unwrap();
        let sink = write_to(&standin).with("write.two-phase", "false").sink();
        let outcome = ten_rows(&sink).await.unwrap_or_else(|e| panic!("{rule}: {e}"));
        assert_eq!(outcome.label.as_deref(), Some("l_0"), "{rule}");
        assert_eq!(rows(&standin).await.len(), 10, "{rule}");
        let visible = standin.transactions();
        assert_eq!(
            visible.iter().filter(|t| t.state == TxnState::Visible).count(),
            1,
            "{rule}"
        );
    }
}

#[tokio::test]
async fn two_pc_11_a_back_end_that_stops_in_mid_load() {
    let standin = cluster_with(INIT, |c| c.backends = 2).await;
    let sink = write_to(&standin).with("sink.max-retries", "8").sink();
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    put_rows(&load, &(0..5).map(|id| (id, Some("x"))).collect::<Vec<_>>(), None)
        .await
        .unwrap();
    until("the load has begun", || !standin.transactions().is_empty()).await;
    let node = standin
        .journal()
        .iter()
        .find(|e| e.node.starts_with("be") && e.path.contains("_stream_load"))
        .map(|e| e.node.clone());
    // A load is in the journal at its end only, so both may be the one.
    for index in 0..2 {
        if node.as_deref().is_none_or(|n| n == format!("be{index}")) {
            standin.stop_backend(index).await.unwrap();
            standin.start_backend(index).await.unwrap();
        }
    }
    put_rows(
        &load,
        &(5..10).map(|id| (id, Some("x"))).collect::<Vec<_>>(),
        None,
    )
    .await
    .unwrap();
    let outcome = end(&load).await.unwrap();
    assert!(outcome.retries > 0);
    committed(&standin, &sink, &outcome).await;
}

#[tokio::test]
async fn refused_data_fails_at_once_with_counts_and_reasons() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin)
        .properties(&[("format", "csv"), ("compress_type", ""), ("strict_mode", "true")])
        .sink();
    // Rows of a serializer: those that are encoded here are measured before they are sent.
    let load = sink.open_load(raw()).unwrap();
    let long = format!("1\tx\n2\t{}", "y".repeat(300));
    put(&load, long.as_bytes(), 2).await.unwrap();
    let error = end(&load).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Load,
        &[
            "db.t",
            "'l_0'",
            "DATA_QUALITY_ERROR",
            "2 rows read",
            "1 filtered",
            "Reason: ",
            "back end 127.0.0.1",
        ],
    );
    assert!(!error.is_retryable());
    assert!(rows(&standin).await.is_empty());
    assert!(
        standin
            .transactions()
            .iter()
            .all(|t| t.state == TxnState::Aborted)
    );
}

#[tokio::test]
async fn a_value_that_csv_cannot_hold_fails_on_the_client_and_nothing_arrives() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin).sink();
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    put_rows(&load, &[(1, Some("x")), (2, Some("a\tb"))], None)
        .await
        .unwrap();
    let error = end(&load).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Data,
        &["db.t", "column name", "key id = ", "2", "enclose"],
    );
    until("the server dropped the load", || {
        standin
            .transactions()
            .iter()
            .all(|t| t.state == TxnState::Aborted)
    })
    .await;
    assert!(rows(&standin).await.is_empty());
}

#[tokio::test]
async fn a_wrong_password_or_table_fails_at_once() {
    let standin = cluster_with(INIT, |c| {
        c.users = vec![("writer".to_owned(), "right".to_owned())]
    })
    .await;
    let sink = write_to(&standin)
        .with("username", "writer")
        .with("password", "s3cret")
        .sink();
    for load in [spec(two_columns(false)), raw()] {
        let load = sink.open_load(load).unwrap();
        put(&load, &[0; 64], 0).await.unwrap();
        let error = end(&load).await.unwrap_err();
        assert_error(&error, ErrorKind::Auth, &["'writer'"]);
        assert!(!error.is_retryable());
    }
    let sink = write_to(&standin).sink();
    let mut none = raw();
    none.table = "none".to_owned();
    let load = sink.open_load(none).unwrap();
    put(&load, b"1", 1).await.unwrap();
    let error = end(&load).await.unwrap_err();
    assert_error(&error, ErrorKind::NotFound, &["db.none"]);
}

#[tokio::test]
async fn a_table_dropped_in_mid_load() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin).with("sink.max-retries", "1").sink();
    let load = sink.open_load(spec(two_columns(false))).unwrap();
    put_rows(&load, &[(1, None)], None).await.unwrap();
    until("the load has begun", || !standin.transactions().is_empty()).await;
    standin.execute("DROP TABLE db.t").await.unwrap();
    // Servers notice at the end of the load or at the commit.
    let error = match end(&load).await {
        Ok(outcome) => bounded(sink.commit("db", "t", outcome.txn_id.unwrap(), "l_0"))
            .await
            .unwrap_err(),
        Err(error) => error,
    };
    assert!(error.to_string().contains("db.t"), "{error}");
    assert!(error.to_string().contains("'l_0'"), "{error}");
}

#[tokio::test]
async fn commits_while_the_cluster_breaks() {
    for (at, action, times, already) in [
        ("2pc.request", r#"{"reset": true}"#, 1, false),
        (
            "2pc.request",
            r#"{"status": {"code": 500, "message": "no"}}"#,
            1,
            false,
        ),
        ("2pc.answer", r#"{"drop_answer": true}"#, 1, true),
        (
            "2pc.request",
            r#"{"answer": {"message": "TStatus: errCode = 2, detailMessage = get database write lock timeout, database=db"}}"#,
            2,
            false,
        ),
    ] {
        let standin = cluster(INIT).await;
        let sink = write_to(&standin).sink();
        let outcome = ten_rows(&sink).await.unwrap();
        let rule = format!(r#"{{"at": "{at}", "do": {action}, "times": {times}}}"#);
        standin.add_fault_json(&rule).unwrap();
        let done = bounded(sink.commit("db", "t", outcome.txn_id.unwrap(), "l_0"))
            .await
            .unwrap_or_else(|e| panic!("{rule}: {e}"));
        let expected = if already {
            CommitOutcome::Already { retries: times }
        } else {
            CommitOutcome::Committed { retries: times }
        };
        assert_eq!(done, expected, "{rule}");
        assert_eq!(rows(&standin).await.len(), 10);
    }
}

#[tokio::test]
async fn spellings_of_other_versions() {
    for set in [
        vec![
            "two_phase_case=lower",
            "two_phase_status=INTERNAL_ERROR",
            "label_text=old",
        ],
        vec![
            "two_phase_case=upper",
            "two_phase_status=Fail",
            "label_text=cloud",
            "redirect_userinfo=false",
        ],
    ] {
        let standin = cluster_with(INIT, |c| c.set = set.iter().map(|s| (*s).to_owned()).collect()).await;
        let sink = write_to(&standin).sink();
        let outcome = ten_rows(&sink).await.unwrap();
        let txn = outcome.txn_id.unwrap();
        // Taken already: the next number.
        let second = ten_rows(&sink).await.unwrap();
        assert_eq!(second.label.as_deref(), Some("l_1"));
        assert_eq!(second.skipped, ["l_0"]);
        committed(&standin, &sink, &second).await;
        bounded(sink.commit("db", "t", txn, "l_0")).await.unwrap();
        assert_eq!(
            bounded(sink.commit("db", "t", txn, "l_0")).await.unwrap(),
            CommitOutcome::Already { retries: 0 }
        );
        let error = ten_rows(&sink).await.unwrap_err();
        assert_error(&error, ErrorKind::Label, &["'l_0'"]);
        let error = bounded(sink.commit("db", "t", 999_999, "l_7")).await.unwrap_err();
        assert_error(
            &error,
            ErrorKind::Forgotten,
            &["999999 ", "not found", "'l_7'", "UNKNOWN"],
        );
    }
}
