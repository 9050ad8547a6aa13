//! Which transactions a changelog query waits for, and what it says while it cannot be answered, in all forms.

use std::sync::Arc;

use doris_standin::{Standin, TxnState};

use crate::incr_client::{
    api, api_rows, changes, changes_cluster, changes_set, changes_till_now, flight_rows, login_at, now_ms,
    refused,
};
use crate::load_client::{CSV, abort, commit, load_at};
use crate::support::{read, until};

const PUPIL: &str = "test/pupil";
const OTHER: &str = "test/other";
const SHORT: &str = "change_visible_timeout_ms=1";

/// Loads with 2PC up to PRECOMMITTED; gives the transaction's number.
async fn precommit(standin: &Standin, table: &str, label: &str, rows: &str) -> i64 {
    let headers = format!("{CSV}label: {label}\r\ntwo_phase_commit: true\r\n");
    let answer = load_at(standin, 0, table, &headers, rows).await;
    assert_eq!(answer["Status"], "Success", "{answer}");
    answer["TxnId"].as_i64().unwrap()
}

/// A load that is committed and stays invisible until the rules are deleted; gives the transaction's number.
async fn committed(standin: &Standin, table: &str, label: &str, rows: &str) -> i64 {
    standin
        .add_fault_json(&format!(
            r#"{{"at":"txn.publish","match":{{"label":"{label}"}},"do":{{"hold":true}}}}"#
        ))
        .unwrap();
    let headers = format!("{CSV}label: {label}\r\n");
    let answer = load_at(standin, 0, table, &headers, rows).await;
    assert_eq!(answer["Status"], "Publish Timeout", "{answer}");
    answer["TxnId"].as_i64().unwrap()
}

#[tokio::test]
async fn an_end_in_the_future_is_refused_in_classic_words() {
    let standin = changes_set(&[]).await;
    let end = now_ms(&standin) + 3_600_000;
    let begin = format!(
        "endTimestamp exceeds the maximum supported time for an INCR read: requestedEndTimestampMs={end}, \
         CURRENT_TSO_PHYSICAL_TIME="
    );
    let refused = refused(&standin, 0, &changes("test.pupil", end)).await;
    refused.assert_classic(|text| {
        let number = text.strip_prefix(&begin).map(str::parse::<i64>);
        matches!(number, Some(Ok(current)) if current < end)
    });
    // The present itself is allowed.
    let sql = changes_till_now(&standin, "test.pupil");
    assert_eq!(api_rows(&standin, 0, &sql).await, Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn an_end_in_the_future_is_5100_where_errors_are_typed() {
    let standin = changes_cluster(|config| config.profile = "cloud-5.0".to_owned()).await;
    let end = now_ms(&standin) + 3_600_000;
    let refused = refused(&standin, 0, &changes("test.pupil", end)).await;
    refused.assert_typed(5100, "ERR_INCR_WINDOW_NOT_READY", "END_AFTER_CURRENT_TSO");
    let text = format!("requestedEndTimestampMs={end}, currentTSO=");
    assert!(refused.mysql.2.contains(&text), "{}", refused.mysql.2);
}

#[tokio::test]
async fn a_wait_that_runs_out_names_watermark_and_table() {
    let standin = changes_set(&[SHORT]).await;
    let id = precommit(&standin, PUPIL, "l1", "1,a\n").await;
    let table = standin.engine().table_info("test", "pupil").unwrap().id;
    let refused = refused(&standin, 0, &changes_till_now(&standin, "test.pupil")).await;
    refused.assert_classic(|text| {
        text.starts_with(&format!(
            "timeout waiting previous transactions finish for time-based read, txnIdWatermark={id} dbId="
        )) && text.ends_with(&format!(" tableIds=[{table}]"))
    });
}

#[tokio::test]
async fn a_wait_that_runs_out_names_the_transaction_on_earlier_servers() {
    let standin = changes_set(&[SHORT, "changelog_errors=classic_old"]).await;
    let id = committed(&standin, PUPIL, "l1", "1,a\n").await;
    let table = standin.engine().table_info("test", "pupil").unwrap().id;
    let end = now_ms(&standin);
    let refused = refused(&standin, 0, &changes("test.pupil", end)).await;
    refused.assert_classic(|text| {
        text.starts_with(&format!(
            "timeout waiting transaction become visible for time-based read, txnId={id} dbId="
        )) && text.ends_with(&format!(" tableId={table} endTSO={}", end << 18))
    });
}

#[tokio::test]
async fn a_wait_that_runs_out_is_5101_where_errors_are_typed() {
    let standin = changes_cluster(|config| {
        config.profile = "cloud-5.0".to_owned();
        config.set.push(SHORT.to_owned());
    })
    .await;
    committed(&standin, PUPIL, "l1", "1,a\n").await;
    standin.shift_clock(1000);
    let sql = changes_till_now(&standin, "test.pupil");
    let refused_bounded = refused(&standin, 0, &sql).await;
    refused_bounded.assert_typed(5101, "ERR_INCR_VISIBLE_WAIT_TIMEOUT", "VISIBLE_WAIT_TIMEOUT");
    assert!(
        refused_bounded.mysql.2.ends_with(", timeoutMs=1"),
        "{}",
        refused_bounded.mysql.2
    );
    // Without an end these servers wait and speak as the others do.
    let open = "SELECT id FROM test.pupil@incr('incrementType' = 'DETAIL')";
    let refused_open = refused(&standin, 0, open).await;
    refused_open.assert_classic(|text| text.starts_with("timeout waiting previous transactions finish"));
    standin.clear_faults();
    until("the load is visible", || {
        standin.transactions().last().unwrap().state == TxnState::Visible
    })
    .await;
    assert_eq!(flight_rows(&standin, 0, &sql).await, ["1|a"]);
}

#[tokio::test]
async fn every_unfinished_transaction_that_began_before_is_waited_for() {
    let standin = Arc::new(changes_set(&[]).await);
    let seen = r#"{"at":"incr.fence","do":{}}"#;
    for (label, decide) in [("l1", true), ("l2", false)] {
        let id = precommit(&standin, PUPIL, label, &format!("{},{label}\n", &label[1..])).await;
        let rule = standin.add_fault_json(seen).unwrap();
        // Even a window that ends before the load began waits.
        let sql = changes("test.pupil", now_ms(&standin) - 60_000);
        let query = tokio::spawn({
            let standin = standin.clone();
            async move { flight_rows(&standin, 0, &sql).await }
        });
        until("the query is at its fence", || standin.faults()[0].fired == 1).await;
        assert!(!query.is_finished());
        if decide {
            assert_eq!(commit(&standin, id).await.0, "Success");
        } else {
            assert_eq!(abort(&standin, id).await.0, "Success");
        }
        assert_eq!(query.await.unwrap(), Vec::<String>::new());
        standin.delete_fault(rule);
    }
    standin.shift_clock(1000);
    let sql = changes_till_now(&standin, "test.pupil");
    assert_eq!(flight_rows(&standin, 0, &sql).await, ["1|l1"]);
}

#[tokio::test]
async fn a_window_has_the_rows_of_a_commit_that_became_visible_during_its_wait() {
    let standin = Arc::new(changes_set(&[]).await);
    committed(&standin, PUPIL, "l1", "1,a\n").await;
    standin.shift_clock(1000);
    standin.add_fault_json(r#"{"at":"incr.fence","do":{}}"#).unwrap();
    let sql = changes_till_now(&standin, "test.pupil");
    let query = tokio::spawn({
        let standin = standin.clone();
        async move { flight_rows(&standin, 0, &sql).await }
    });
    until("the query is at its fence", || standin.faults()[1].fired == 1).await;
    standin.clear_faults();
    assert_eq!(query.await.unwrap(), ["1|a"]);
}

#[tokio::test]
async fn transactions_of_other_tables_and_later_ones_are_not_waited_for() {
    let standin = changes_set(&[SHORT]).await;
    precommit(&standin, OTHER, "l1", "1,a\n").await;
    let sql = changes_till_now(&standin, "test.pupil");
    assert_eq!(api(&standin, 0, &sql).await["code"], 0);
    // One that begins while the query waits has a number above the watermark.
    let standin = Arc::new(changes_set(&[]).await);
    let first = precommit(&standin, PUPIL, "l1", "1,a\n").await;
    let sql = changes_till_now(&standin, "test.pupil");
    standin.add_fault_json(r#"{"at":"incr.fence","do":{}}"#).unwrap();
    let query = tokio::spawn({
        let standin = standin.clone();
        async move { api(&standin, 0, &sql).await }
    });
    until("the query is at its fence", || standin.faults()[0].fired == 1).await;
    precommit(&standin, PUPIL, "l2", "2,b\n").await;
    assert!(!query.is_finished());
    assert_eq!(commit(&standin, first).await.0, "Success");
    assert_eq!(query.await.unwrap()["code"], 0);
}

#[tokio::test]
async fn a_commit_before_the_window_is_looked_at_is_waited_for_however_late_it_began() {
    let standin = Arc::new(changes_set(&[SHORT]).await);
    let held = standin
        .add_fault_json(r#"{"at":"incr.fence","do":{"hold":true}}"#)
        .unwrap();
    // This end is in the future as long as the query is held.
    let sql = changes("test.pupil", now_ms(&standin) + 60_000);
    let query = tokio::spawn({
        let standin = standin.clone();
        async move { api(&standin, 0, &sql).await }
    });
    until("the query is held", || standin.faults()[0].holding == 1).await;
    let id = committed(&standin, PUPIL, "l1", "1,a\n").await;
    standin.shift_clock(120_000);
    standin.delete_fault(held);
    let answer = query.await.unwrap();
    let text = answer["data"].as_str().unwrap_or_default();
    assert!(
        text.contains(&format!(
            "timeout waiting previous transactions finish for time-based read, txnIdWatermark={id} "
        )),
        "{answer}"
    );
}

#[tokio::test]
async fn in_the_cloud_a_window_waits_for_decided_transactions_below_its_end_only() {
    let standin = changes_cluster(|config| {
        config.profile = "cloud-5.0".to_owned();
        config
            .set
            .extend([SHORT.to_owned(), "two_phase_on_unique=true".to_owned()]);
    })
    .await;
    precommit(&standin, PUPIL, "open", "1,a\n").await;
    let before = now_ms(&standin);
    standin.shift_clock(2000);
    committed(&standin, PUPIL, "decided", "2,b\n").await;
    standin.shift_clock(2000);
    assert_eq!(
        api(&standin, 0, &changes("test.pupil", before + 1000)).await["code"],
        0
    );
    let refused = refused(&standin, 0, &changes_till_now(&standin, "test.pupil")).await;
    refused.assert_typed(5101, "ERR_INCR_VISIBLE_WAIT_TIMEOUT", "VISIBLE_WAIT_TIMEOUT");
    assert_eq!(
        api(&standin, 0, &changes_till_now(&standin, "test.other")).await["code"],
        0
    );
}

#[tokio::test]
async fn a_session_may_go_without_the_wait_but_not_into_the_future() {
    let standin = changes_set(&[SHORT]).await;
    precommit(&standin, PUPIL, "l1", "1,a\n").await;
    let mut client = login_at(&standin, 0).await;
    let sql = changes_till_now(&standin, "test.pupil");
    assert!(
        read(&mut client, &sql)
            .await
            .unwrap_err()
            .contains("timeout waiting previous transactions")
    );
    read(&mut client, "SET enable_eventual_consistent_change = true")
        .await
        .unwrap();
    assert_eq!(read(&mut client, &sql).await.unwrap().len(), 0);
    let future = changes("test.pupil", now_ms(&standin) + 3_600_000);
    let error = read(&mut client, &future).await.unwrap_err();
    assert!(
        error.contains("endTimestamp exceeds the maximum supported time"),
        "{error}"
    );
}

#[tokio::test]
async fn the_length_of_the_wait_is_a_session_variable_with_a_global_value() {
    let shown = "SHOW VARIABLES LIKE 'change_visible_timeout_ms'";
    let value = async |standin: &Standin| api_rows(standin, 0, shown).await[0][1].clone();
    assert_eq!(value(&changes_set(&[]).await).await, "60000");
    let standin = changes_set(&["change_visible_timeout_ms=77"]).await;
    assert_eq!(value(&standin).await, "77");
    precommit(&standin, PUPIL, "l1", "1,a\n").await;
    let sql = changes_till_now(&standin, "test.pupil");
    let text = api(&standin, 0, &format!("SET change_visible_timeout_ms = 1; {sql}")).await;
    assert!(
        text["data"].as_str().unwrap().contains("timeout waiting"),
        "{text}"
    );
    let wrong = api(&standin, 0, "SET change_visible_timeout_ms = 'soon'").await;
    assert!(
        wrong["data"]
            .as_str()
            .unwrap()
            .contains("can't be set to the value of 'soon'"),
        "{wrong}"
    );
    let absent = crate::support::cluster_with(|config| config.profile = "doris-4.1".to_owned()).await;
    assert_eq!(api_rows(&absent, 0, shown).await.len(), 0);
}

#[tokio::test]
async fn a_master_that_recovers_is_played_by_a_rule() {
    let rule =
        r#"{"at":"incr.fence","match":{"table":"test.pupil"},"do":{"answer":{"status":"TSO_RECOVERING"}}}"#;
    let standin = changes_set(&[]).await;
    standin.add_fault_json(rule).unwrap();
    let sql = changes_till_now(&standin, "test.pupil");
    let classic = refused(&standin, 0, &sql).await;
    classic.assert_classic(|text| text == "TSO timestamp is not calibrated, please check");
    assert_eq!(
        api(&standin, 0, &changes_till_now(&standin, "test.other")).await["code"],
        0
    );

    let cloud = changes_cluster(|config| config.profile = "cloud-5.0".to_owned()).await;
    cloud.add_fault_json(rule).unwrap();
    let typed = refused(&cloud, 0, &changes_till_now(&cloud, "test.pupil")).await;
    typed.assert_typed(5100, "ERR_INCR_WINDOW_NOT_READY", "TSO_RECOVERING");
    cloud.clear_faults();
    cloud
        .add_fault_json(
            r#"{"at":"incr.fence","do":{"answer":{"code":1064,"message":"as the rule says"}},"times":3}"#,
        )
        .unwrap();
    let told = refused(&cloud, 0, &changes_till_now(&cloud, "test.pupil")).await;
    assert_eq!(
        (told.mysql.0, told.mysql.2.as_str()),
        (1064, "errCode = 2, detailMessage = as the rule says")
    );
}

#[tokio::test]
async fn a_busy_session_is_unavailable_without_metadata() {
    let standin = Arc::new(changes_set(&["flight_busy_seconds=0.01"]).await);
    let rule = standin
        .add_fault_json(r#"{"at":"incr.fence","do":{"hold":true}}"#)
        .unwrap();
    let mut client = login_at(&standin, 0).await;
    let sql = changes_till_now(&standin, "test.pupil");
    let first = tokio::spawn({
        let (mut client, sql) = (client.clone(), sql.clone());
        async move { client.execute(sql, None).await.map(drop) }
    });
    until("the first command is held", || standin.faults()[0].holding == 1).await;
    let error = client.execute(sql, None).await.unwrap_err();
    let status = crate::support::status(&error).clone();
    assert_eq!(status.code(), tonic::Code::Unavailable);
    let text =
        "another command of this Arrow Flight SQL session is still running after 0 seconds, connection id: ";
    assert!(status.message().starts_with(text), "{}", status.message());
    assert!(status.metadata().get("doris-error-code").is_none());
    standin.delete_fault(rule);
    first.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_followers_refusal_names_the_master() {
    let standin = changes_cluster(|config| {
        config.frontends = 2;
        config.set.push(SHORT.to_owned());
    })
    .await;
    precommit(&standin, PUPIL, "l1", "1,a\n").await;
    let sql = changes_till_now(&standin, "test.pupil");
    let begin =
        "acquire time-based read fence from master FE failed: timeout waiting previous transactions finish";
    refused(&standin, 1, &sql)
        .await
        .assert_classic(|text| text.starts_with(begin));
    let future = changes("test.pupil", now_ms(&standin) + 3_600_000);
    let begin = "acquire time-based read fence from master FE failed: endTimestamp exceeds";
    refused(&standin, 1, &future)
        .await
        .assert_classic(|text| text.starts_with(begin));
    // Once the master is gone, the other one is it.
    standin.stop_frontend(0).await.unwrap();
    refused(&standin, 1, &sql)
        .await
        .assert_classic(|text| text.starts_with("timeout waiting previous transactions finish"));
}
