//! A replacement over the MySQL port: made, found, swapped in once, dropped; whatever is lost or refused on the way.

use std::time::Duration;

use doris_client::ErrorKind;
use doris_client::write::overwrite::{Overwrite, SwapOutcome};
use doris_client::write::sink::Sink;

use crate::sink_support::write_to;
use crate::standin::Standin;
use crate::support::{assert_error, bounded, cluster, cluster_with};

const DDL: &str = "CREATE DATABASE `test-db`; CREATE TABLE `test-db`.`order` (id INT, name STRING) UNIQUE KEY(id) \
    DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES ('replication_num' = '1'); \
    INSERT INTO `test-db`.`order` VALUES (1, 'old');";

const SOON: Duration = Duration::from_secs(20);

fn sink(standin: &Standin) -> Sink {
    let url = format!("jdbc:mysql://127.0.0.1:{}", standin.ports().fe[0].mysql);
    write_to(standin)
        .with("jdbc-url", &url)
        .with("sink.max-retries", "1")
        .sink()
}

fn overwrite(run: &str) -> Overwrite {
    Overwrite {
        database: "test-db".to_owned(),
        table: "order".to_owned(),
        prefix: "nightly".to_owned(),
        run: run.to_owned(),
    }
}

async fn tables(standin: &Standin) -> Vec<String> {
    let answer = standin.execute("SHOW TABLES FROM `test-db`").await.unwrap();
    let rows = answer.into_iter().flat_map(|a| a.rows);
    rows.filter_map(|row| row.into_iter().next().flatten()).collect()
}

async fn names(standin: &Standin) -> Vec<String> {
    let answer = standin
        .execute("SELECT name FROM `test-db`.`order`")
        .await
        .unwrap();
    let rows = answer.into_iter().flat_map(|a| a.rows);
    rows.filter_map(|row| row.into_iter().next().flatten()).collect()
}

async fn fill(standin: &Standin, table: &str) {
    let sql = format!("INSERT INTO `test-db`.`{table}` VALUES (2, 'new')");
    standin.execute(&sql).await.unwrap();
}

#[tokio::test]
async fn what_is_made_is_found_and_swapped_in_once() {
    let standin = cluster_with(DDL, |config| config.frontends = 2).await;
    let (sink, one) = (sink(&standin), overwrite("00000a"));
    let made = bounded(sink.create_replacement(&one, "00000b")).await.unwrap();
    assert!(made.name.ends_with("_00000a_00000b"), "{}", made.name);
    assert_eq!(
        bounded(sink.find_replacement(&one, SOON)).await.unwrap(),
        made.name
    );
    fill(&standin, &made.name).await;
    assert_eq!(names(&standin).await, ["old"]);
    let swapped = bounded(sink.swap_in(&one, &made)).await.unwrap();
    assert_eq!(swapped, SwapOutcome::Swapped);
    assert_eq!(names(&standin).await, ["new"]);
    assert_eq!(tables(&standin).await, ["order"]);
    let again = bounded(sink.swap_in(&one, &made)).await.unwrap();
    assert_eq!(again, SwapOutcome::Already);
    assert_eq!(bounded(sink.drop_replacements(&one)).await.unwrap(), 0);
    assert_eq!(names(&standin).await, ["new"]);
    let gone = bounded(sink.find_replacement(&one, Duration::ZERO))
        .await
        .unwrap_err();
    assert_error(
        &gone,
        ErrorKind::NotFound,
        &["test-db.order", "sink.label-prefix"],
    );
}

#[tokio::test]
async fn a_start_drops_what_others_under_the_prefix_left() {
    let standin = cluster(DDL).await;
    let sink = sink(&standin);
    let (one, two) = (overwrite("00000a"), overwrite("00000b"));
    let other = Overwrite {
        prefix: "hourly".to_owned(),
        ..overwrite("00000c")
    };
    bounded(sink.create_replacement(&one, "000001")).await.unwrap();
    let kept = bounded(sink.create_replacement(&other, "000001")).await.unwrap();
    let second = bounded(sink.create_replacement(&two, "000001")).await.unwrap();
    let third = bounded(sink.create_replacement(&two, "000002")).await.unwrap();
    assert_ne!(second.name, third.name);
    let mut left = tables(&standin).await;
    left.sort();
    let mut expected = vec!["order".to_owned(), kept.name, third.name];
    expected.sort();
    assert_eq!(left, expected);
    // The first is gone, and that is not taken for a swap.
    let error = bounded(sink.swap_in(&two, &second)).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::NotFound,
        &["is gone", "keeps its former rows", "sink.label-prefix"],
    );
    assert_eq!(bounded(sink.drop_replacements(&two)).await.unwrap(), 1);
    assert_eq!(names(&standin).await, ["old"]);
}

#[tokio::test]
async fn an_answer_that_is_lost_costs_nothing() {
    let standin = cluster(DDL).await;
    let (sink, one) = (sink(&standin), overwrite("00000a"));
    for statement in ["CREATE TABLE", "REPLACE WITH", "DROP TABLE"] {
        let rule = format!(
            r#"{{"at":"mysql.answer","match":{{"statement":"{statement}"}},"do":{{"drop_answer":true}},"times":1}}"#
        );
        standin.add_fault_json(&rule).unwrap();
    }
    let made = bounded(sink.create_replacement(&one, "00000b")).await.unwrap();
    fill(&standin, &made.name).await;
    let swapped = bounded(sink.swap_in(&one, &made)).await.unwrap();
    assert_eq!(swapped, SwapOutcome::Swapped);
    assert_eq!(names(&standin).await, ["new"]);
    bounded(sink.create_replacement(&one, "00000c")).await.unwrap();
    assert_eq!(bounded(sink.drop_replacements(&one)).await.unwrap(), 1);
    assert_eq!(tables(&standin).await, ["order"]);
    let swaps = standin
        .journal()
        .into_iter()
        .filter(|e| e.statement.contains("REPLACE WITH"));
    assert_eq!(swaps.filter(|e| e.channel == "mysql").count(), 1);
}

#[tokio::test]
async fn refusals_name_statement_and_remedy() {
    let standin = cluster(DDL).await;
    let (sink, one) = (sink(&standin), overwrite("00000a"));
    let nothing = Overwrite {
        table: "nothing".to_owned(),
        ..one.clone()
    };
    let error = bounded(sink.create_replacement(&nothing, "00000b"))
        .await
        .unwrap_err();
    assert_error(
        &error,
        ErrorKind::NotFound,
        &["INSERT OVERWRITE", "test-db.nothing", "table.identifier"],
    );
    let denied = r#"{"at":"mysql.query","match":{"statement":"CREATE TABLE"},"do":{"answer":{"code":1142,"message":"CREATE command denied to user 'root'@'h' for table 'x'"}}}"#;
    let rule = standin.add_fault_json(denied).unwrap();
    let error = bounded(sink.create_replacement(&one, "00000b"))
        .await
        .unwrap_err();
    assert_error(
        &error,
        ErrorKind::Auth,
        &["CREATE_PRIV", "ALTER_PRIV", "DROP_PRIV", "'root'"],
    );
    standin.delete_fault(rule);
    let made = bounded(sink.create_replacement(&one, "00000b")).await.unwrap();
    let busy = r#"{"at":"mysql.query","match":{"statement":"REPLACE WITH"},"do":{"answer":{"message":"table is busy"}}}"#;
    standin.add_fault_json(busy).unwrap();
    let error = bounded(sink.swap_in(&one, &made)).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Query,
        &["table is busy", "2 attempts", "test-db.order"],
    );
    assert_eq!(names(&standin).await, ["old"]);
}
