//! Texts that are longer than their columns: refused before they are sent, whatever the server would make of them.

use std::sync::Arc;

use doris_client::ErrorKind;
use doris_client::write::load::Input;
use doris_client::write::sink::Sink;
use doris_standin::{Standin, TxnState};

use crate::load::{INIT, rows};
use crate::sink_support::*;
use crate::support::*;

/// The text of 51 bytes for `name VARCHAR(50)`.
fn too_long() -> String {
    "é".repeat(25) + "x"
}

fn two_columns() -> Input {
    Input::Rows {
        declared: fields("`id` INT NOT NULL, `name` STRING"),
        delete_sign: false,
    }
}

async fn load_of(
    sink: &Sink,
    text: &str,
) -> Result<Arc<doris_client::write::load::LoadOutcome>, doris_client::Error> {
    bounded(sink.check_table(
        "db",
        "t",
        Some(&fields("`id` INT NOT NULL, `name` STRING")),
        false,
    ))
    .await?;
    let load = sink.open_load(spec(two_columns()))?;
    put_rows(&load, &[(1, Some("fits")), (7, Some(text))], None).await?;
    end(&load).await
}

fn visible(standin: &Standin) -> usize {
    let all = standin.transactions();
    all.iter().filter(|t| t.state == TxnState::Visible).count()
}

#[tokio::test]
async fn a_text_longer_than_its_column_is_named_and_nothing_of_the_load_stays() {
    for format in ["csv", "json", "arrow"] {
        for strict in ["false", "true"] {
            let standin = cluster(INIT).await;
            let sink = write_to(&standin)
                .with("write.two-phase", "false")
                .properties(&[
                    ("format", format),
                    ("strict_mode", strict),
                    ("max_filter_ratio", "1"),
                ])
                .sink();
            let error = load_of(&sink, &too_long()).await.unwrap_err();
            assert_error(
                &error,
                ErrorKind::Data,
                &[
                    "db.t",
                    "column name",
                    "a text of 51 bytes for VARCHAR(50)",
                    "(row with key id = \"7\")",
                    "make the column longer",
                ],
            );
            assert!(!error.is_retryable());
            assert_eq!(visible(&standin), 0, "{format}");
            assert!(rows(&standin).await.is_empty());

            let text = "é".repeat(25);
            load_of(&sink, &text).await.unwrap();
            assert_eq!(rows(&standin).await, ["1|fits".to_owned(), format!("7|{text}")]);
        }
    }
}

#[tokio::test]
async fn lengths_are_looked_up_once_for_a_table() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin).with("write.two-phase", "false").sink();
    let declared = fields("`id` INT NOT NULL, `name` STRING");
    for _ in 0..2 {
        bounded(sink.check_table("db", "t", Some(&declared), false))
            .await
            .unwrap();
    }
    load_of(&sink, "fits").await.unwrap();
    let asked = standin.journal();
    let lengths = asked
        .iter()
        .filter(|request| format!("{request:?}").contains("/api/query/"))
        .count();
    assert_eq!(lengths, 1);
}

/// Rows of a user's serializer are sent as they are, and nothing is looked up for them.
#[tokio::test]
async fn rows_of_a_serializer_are_not_measured() {
    let standin = cluster(INIT).await;
    let sink = write_to(&standin).with("write.two-phase", "false").sink();
    bounded(sink.check_table("db", "t", None, false)).await.unwrap();
    let asked = standin.journal();
    assert!(
        !asked
            .iter()
            .any(|request| format!("{request:?}").contains("/api/query/"))
    );
}

#[tokio::test]
async fn a_front_end_that_does_not_tell_lengths_is_no_reason_to_stop() {
    let standin = cluster(INIT).await;
    standin
        .add_fault_json(r#"{"at": "fe.api", "match": {"statement": "/api/query"}, "do": {"answer": {"code": 1, "message": "Error", "data": "only for administrators"}}}"#)
        .unwrap();
    let sink = write_to(&standin).with("write.two-phase", "false").sink();
    load_of(&sink, "fits").await.unwrap();
    assert_eq!(rows(&standin).await, ["1|fits", "7|fits"]);
}

/// What an expression of `columns` makes of a text is what has to fit.
#[tokio::test]
async fn columns_that_an_expression_gives_are_not_measured() {
    for format in ["csv", "json"] {
        let standin = cluster(INIT).await;
        let sink = write_to(&standin)
            .with("write.two-phase", "false")
            .properties(&[("format", format), ("columns", "id, name, name=md5(name)")])
            .sink();
        load_of(&sink, &too_long()).await.unwrap();
        let stored = rows(&standin).await;
        assert_eq!(stored.len(), 2, "{format}");
        assert!(stored.iter().all(|row| row.len() == 2 + 32), "{stored:?}");
    }
}
