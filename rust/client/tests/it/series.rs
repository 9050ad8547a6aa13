//! Series of labels and lists of aborts, against a scripted server.

use doris_client::write::series::{Label, OnFailure, Series};
use doris_client::write::sink::Sink;
use doris_client::write::txn::{AbortOutcome, LabelState};
use doris_client::{Error, ErrorKind};

use crate::scripted::{Head, Scripted, answer};
use crate::sink_support::*;
use crate::support::{assert_error, bounded};

/// Knows labels `a_3` to `a_7`, `b_0` and, in a state that no version has, `c_0`.
async fn known() -> (Scripted, Sink) {
    let fe = front_end("127.0.0.1:1".parse().unwrap(), |label| {
        let state = match label {
            "a_3" | "b_0" => "PRECOMMITTED",
            "a_4" => "ABORTED",
            "a_5" => "VISIBLE",
            "a_6" => "PREPARE",
            "a_7" => "COMMITTED",
            "c_0" => "No label selected",
            _ => "UNKNOWN",
        };
        state.to_owned()
    })
    .await;
    let sink = write(&fe.address.to_string()).sink();
    (fe, sink)
}

fn series(base: &str, first: u64) -> Series {
    Series {
        database: "db".to_owned(),
        base: base.to_owned(),
        first,
    }
}

fn labels(names: &[&str]) -> Vec<Label> {
    let label = |name: &&str| Label {
        database: "db".to_owned(),
        label: (*name).to_owned(),
    };
    names.iter().map(label).collect()
}

#[tokio::test]
async fn a_series_is_walked_to_its_first_unknown_label_or_to_the_first_that_is_finished() {
    use LabelState::{Aborted, Committed, Precommitted, Prepare, Visible};
    let all = || vec![series("a_", 3), series("none_", 9), series("b_", 0)];
    for (past_finished, of_a, asked) in [
        (false, vec![Precommitted, Aborted, Visible], 3),
        (true, vec![Precommitted, Aborted, Visible, Prepare, Committed], 6),
    ] {
        let (fe, sink) = known().await;
        let walked = bounded(sink.walk(all(), past_finished, OnFailure::EndCall)).await;
        let states: Vec<_> = walked.unwrap().into_iter().map(Result::unwrap).collect();
        assert_eq!(states, [of_a, vec![], vec![Precommitted]]);
        assert_eq!(fe.seen("label=a_").len(), asked, "none twice, none further");
        assert_eq!(fe.seen("get_load_state").len(), asked + 1 + 2);
    }
}

#[tokio::test]
async fn a_state_that_cannot_be_had_ends_the_call_or_its_series() {
    let (_fe, sink) = known().await;
    let all = || vec![series("b_", 0), series("c_", 0), series("a_", 6)];
    let error = bounded(sink.walk(all(), true, OnFailure::EndCall))
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::Query, &["'c_0'", "'db'", "No label selected"]);
    let walked = bounded(sink.walk(all(), true, OnFailure::EndPart)).await.unwrap();
    let lengths: Vec<_> = walked.iter().map(|s| s.as_ref().map(Vec::len).ok()).collect();
    assert_eq!(lengths, [Some(1), None, Some(2)]);
    assert_error(walked[1].as_ref().unwrap_err(), ErrorKind::Query, &["'c_0'"]);
}

/// Whatever happened to a load since its state was read, the abort says so.
#[tokio::test]
async fn aborts_of_many_labels_have_an_outcome_each() {
    let be = Scripted::start(|_, head: &Head| {
        let (status, text) = match head.header("label") {
            Some("open") => ("Success", "label [open] abort successfully."),
            Some("committed") => (
                "ANALYSIS_ERROR",
                "transaction [7] is already COMMITTED, could not abort.",
            ),
            Some("denied") => ("ANALYSIS_ERROR", "Access denied for user 'root'"),
            _ => ("ANALYSIS_ERROR", "running transaction not found"),
        };
        vec![answer(200, format!(r#"{{"status":"{status}","msg":"{text}"}}"#))]
    })
    .await;
    let fe = front_end(be.address, |label| match label {
        "published" => "VISIBLE".to_owned(),
        "dropped" => "ABORTED".to_owned(),
        _ => "UNKNOWN".to_owned(),
    })
    .await;
    let sink = write(&fe.address.to_string())
        .with("sink.max-retries", "0")
        .sink();
    let sound = ["open", "committed", "published", "dropped", "purged"];
    let outcomes = bounded(sink.abort_all(labels(&sound), OnFailure::EndCall))
        .await
        .unwrap();
    assert_eq!(
        outcomes.into_iter().map(Result::unwrap).collect::<Vec<_>>(),
        [
            AbortOutcome::Aborted,
            AbortOutcome::Finished,
            AbortOutcome::Finished,
            AbortOutcome::Aborted,
            AbortOutcome::NotFound,
        ]
    );
    assert_eq!(be.seen("2pc").len(), sound.len());
    let denied = |error: &Error| assert_error(error, ErrorKind::Auth, &["'denied'", "'root'"]);
    let mixed = ["denied", "open"];
    denied(
        &bounded(sink.abort_all(labels(&mixed), OnFailure::EndCall))
            .await
            .unwrap_err(),
    );
    let outcomes = bounded(sink.abort_all(labels(&mixed), OnFailure::EndPart))
        .await
        .unwrap();
    denied(outcomes[0].as_ref().unwrap_err());
    assert_eq!(*outcomes[1].as_ref().unwrap(), AbortOutcome::Aborted);
}
