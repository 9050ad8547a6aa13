//! The offset table over the MySQL port: what is written is read again, and whatever is wrong with it stops the start.

use std::time::Duration;

use doris_client::ErrorKind;
use doris_client::read::changelog::Changelog;
use doris_standin::{Standin, StandinConfig};

use crate::support::{Read, assert_error, bounded, cluster, cluster_with, read};

const DDL: &str = "CREATE DATABASE ops; CREATE TABLE ops.flink_source_offsets (consumer_id VARCHAR(256) NOT NULL, \
    offset_timestamp DATETIME NOT NULL, update_time DATETIMEV2(3) NOT NULL) UNIQUE KEY(consumer_id) \
    DISTRIBUTED BY HASH(consumer_id) BUCKETS 1 PROPERTIES ('replication_num' = '1');";

/// 2026-10-09 10:00:00 at +08:00, the stand-in's own zone.
const TEN: i64 = 1_791_511_200_000;

fn url(standin: &Standin) -> String {
    let ports: Vec<String> = standin
        .ports()
        .fe
        .iter()
        .map(|fe| format!("127.0.0.1:{}", fe.mysql))
        .collect();
    format!(
        "jdbc:mysql://{}/ops?useSSL=false&serverTimezone=UTC",
        ports.join(",")
    )
}

fn publishing(standin: &Standin) -> Read {
    read(standin, "db.t", &[("id", "BIGINT NOT NULL")])
        .with("changelog.increment-type", "detail")
        .with("changelog.offset-table.database", "ops")
        .with("changelog.offset-table.name", "flink_source_offsets")
        .with("changelog.consumer-id", "student-sync")
        .with("jdbc-url", &url(standin))
        .with("doris.request.retries", "1")
}

fn changelog(read: &Read) -> Changelog {
    Changelog::new(read.config()).unwrap()
}

async fn found(read: &Read) -> Result<Option<i64>, doris_client::Error> {
    bounded(changelog(read).read_offset()).await
}

async fn written(read: &Read, millis: i64) -> Result<u64, doris_client::Error> {
    bounded(changelog(read).write_offset(millis)).await
}

/// The rows of the offset table as the account sees them.
async fn table(standin: &Standin) -> Vec<Vec<Option<String>>> {
    let port = standin.ports().fe[0].mysql;
    let mut client = doris_standin::mysql::client::Client::connect("127.0.0.1", port, "root", "", None)
        .await
        .unwrap();
    let sql = "SELECT consumer_id, offset_timestamp FROM ops.flink_source_offsets ORDER BY 1, 2";
    match client.query(sql).await.unwrap().pop().unwrap() {
        doris_standin::mysql::client::Reply::Rows(table) => table.rows,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_is_written_is_read_again_rounded_down() {
    let standin = cluster(DDL).await;
    let offsets = publishing(&standin);
    assert_eq!(found(&offsets).await.unwrap(), None);
    assert_eq!(written(&offsets, TEN + 999).await.unwrap(), 1);
    assert_eq!(found(&offsets).await.unwrap(), Some(TEN));
    assert_eq!(written(&offsets, TEN + 1000).await.unwrap(), 1);
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        table(&standin).await,
        [[text("student-sync"), text("2026-10-09 10:00:01")]]
    );
    // Ids are texts, whatever is in them, and do not meet.
    let odd = offsets.clone().with("changelog.consumer-id", r"it's \ `é` -- 😀");
    assert_eq!(found(&odd).await.unwrap(), None);
    assert_eq!(written(&odd, TEN).await.unwrap(), 1);
    assert_eq!(found(&odd).await.unwrap(), Some(TEN));
    assert_eq!(found(&offsets).await.unwrap(), Some(TEN + 1000));
    assert_eq!(table(&standin).await.len(), 2);
    assert_eq!(written(&offsets, -1).await.unwrap(), 1);
    assert_eq!(found(&offsets).await.unwrap(), Some(-1000));
    // No connection stays.
    crate::support::until("connections are closed", || {
        standin.stats().mysql_connections == 0
    })
    .await;
}

#[tokio::test]
async fn the_statements_are_those_that_a_plain_account_may_send() {
    let standin = cluster(DDL).await;
    written(&publishing(&standin), TEN).await.unwrap();
    found(&publishing(&standin)).await.unwrap();
    let journal = standin.journal();
    let sent: Vec<&str> = journal
        .iter()
        .filter(|entry| entry.channel == "mysql" && !entry.statement.is_empty())
        .map(|entry| entry.statement.as_str())
        .collect();
    assert_eq!(
        sent,
        [
            "INSERT INTO `ops`.`flink_source_offsets` (`consumer_id`, `offset_timestamp`, `update_time`) VALUES ('student-sync', '2026-10-09 10:00:00', CURRENT_TIMESTAMP(3))",
            "SELECT consumer_id, offset_timestamp, update_time FROM `ops`.`flink_source_offsets` WHERE consumer_id = 'student-sync'",
        ]
    );
}

#[tokio::test]
async fn the_repeated_hour_is_read_from_its_first_pass() {
    let standin = cluster_with(DDL, |config| config.time_zone = "America/New_York".to_owned()).await;
    let offsets = publishing(&standin);
    // 01:30 for the second time: reading again beats losing.
    let (first, second) = (1_793_511_000_000, 1_793_514_600_000);
    written(&offsets, second).await.unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        table(&standin).await,
        [[text("student-sync"), text("2026-11-01 01:30:00")]]
    );
    assert_eq!(found(&offsets).await.unwrap(), Some(first));
}

/// Makes the offset table in another way, and says how the start fails.
async fn refused(ddl: &str, fill: &str, parts: &[&str]) {
    let standin = cluster(ddl).await;
    if !fill.is_empty() {
        standin.execute(fill).await.unwrap();
    }
    let error = found(&publishing(&standin)).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Offset,
        &[&["ops.flink_source_offsets"], parts].concat(),
    );
    assert!(!error.is_retryable(), "{error}");
}

#[tokio::test]
async fn a_table_that_is_not_there_or_lacks_a_column_stops_the_start() {
    refused(
        "CREATE DATABASE ops;",
        "",
        &["cannot be used", "flink_source_offsets"],
    )
    .await;
    refused("", "", &["cannot be used"]).await;
    for column in ["consumer_id", "offset_timestamp", "update_time"] {
        let ddl = DDL.replace(column, "other");
        refused(&ddl, "", &["cannot be used", column, "VARCHAR(256)"]).await;
    }
}

#[tokio::test]
async fn a_row_that_is_no_position_stops_the_start() {
    let duplicate = DDL.replace("UNIQUE KEY", "DUPLICATE KEY");
    let two = "INSERT INTO ops.flink_source_offsets VALUES ('student-sync', '2026-10-09 10:00:00', NOW(3)), \
               ('student-sync', '2026-10-09 10:00:00', NOW(3))";
    refused(
        &duplicate,
        two,
        &["holds 2 rows", "'student-sync'", "UNIQUE KEY(consumer_id)"],
    )
    .await;
    let nullable = DDL.replace(
        "offset_timestamp DATETIME NOT NULL",
        "offset_timestamp DATETIME NULL",
    );
    let null = "INSERT INTO ops.flink_source_offsets VALUES ('student-sync', NULL, NOW(3))";
    refused(&nullable, null, &["NULL", "'student-sync'"]).await;
    for (r#type, value) in [
        ("VARCHAR(64)", "'soon'"),
        ("DATE", "'2026-10-09'"),
        ("BIGINT", "1791511200000"),
    ] {
        let ddl = DDL.replace(
            "offset_timestamp DATETIME",
            &format!("offset_timestamp {}", r#type),
        );
        let fill = format!("INSERT INTO ops.flink_source_offsets VALUES ('student-sync', {value}, NOW(3))");
        refused(&ddl, &fill, &["no time", value.trim_matches('\'')]).await;
    }
    // Finer than seconds is a position all the same.
    let fine = DDL.replace("offset_timestamp DATETIME", "offset_timestamp DATETIME(3)");
    let standin = cluster(&fine).await;
    standin
        .execute(
            "INSERT INTO ops.flink_source_offsets VALUES ('student-sync', '2026-10-09 10:00:00.999', NOW(3))",
        )
        .await
        .unwrap();
    assert_eq!(found(&publishing(&standin)).await.unwrap(), Some(TEN));
}

#[tokio::test]
async fn a_table_that_may_not_be_read_names_the_privileges() {
    let standin = cluster(DDL).await;
    standin
        .add_fault_json(
            r#"{"at": "mysql.query", "match": {"statement": "FROM `ops`"}, "do": {"answer": {"code": 1142, "message": "SELECT command denied to user 'root'@'127.0.0.1' for table 'flink_source_offsets'"}}}"#,
        )
        .unwrap();
    let error = found(&publishing(&standin)).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Offset,
        &["SELECT command denied", "'root' needs SELECT_PRIV and LOAD_PRIV"],
    );
}

#[tokio::test]
async fn an_answer_that_is_lost_is_asked_for_again_when_reading_only() {
    let standin = cluster(DDL).await;
    let offsets = publishing(&standin);
    written(&offsets, TEN).await.unwrap();
    let lost = r#"{"at": "mysql.answer", "match": {"statement": "flink_source_offsets"}, "do": {"drop_answer": true}, "times": 1}"#;
    standin.add_fault_json(lost).unwrap();
    assert_eq!(found(&offsets).await.unwrap(), Some(TEN));
    standin.add_fault_json(lost).unwrap();
    let error = written(&offsets, TEN + 5000).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Transport,
        &["ops.flink_source_offsets", "broke"],
    );
    assert!(error.is_retryable());
    // It was written all the same, and writing it again is the same.
    assert_eq!(found(&offsets).await.unwrap(), Some(TEN + 5000));
    assert_eq!(written(&offsets, TEN + 5000).await.unwrap(), 1);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let standin = cluster(DDL).await;
    let rule = standin
        .add_fault_json(
            r#"{"at": "mysql.query", "match": {"statement": "INSERT INTO `ops`"}, "do": {"hold": true}}"#,
        )
        .unwrap();
    let hasty = publishing(&standin).with("doris.request.read.timeout", "300");
    let error = written(&hasty, TEN).await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Timeout,
        &["ops.flink_source_offsets", "300 ms"],
    );
    standin.delete_fault(rule);
}

#[tokio::test]
async fn nodes_and_accounts() {
    let standin = cluster_with(DDL, |config: &mut StandinConfig| {
        config.frontends = 2;
        config.users = vec![("reader".to_owned(), "s3cret".to_owned())];
    })
    .await;
    let offsets = publishing(&standin)
        .with("username", "reader")
        .with("password", "s3cret");
    standin.stop_frontend(0).await.unwrap();
    assert_eq!(written(&offsets, TEN).await.unwrap(), 1);
    standin.start_frontend(0).await.unwrap();
    assert_eq!(found(&offsets).await.unwrap(), Some(TEN));
    let wrong = offsets.clone().with("password", "s3cret but wrong");
    let error = found(&wrong).await.unwrap_err();
    assert_error(&error, ErrorKind::Auth, &["'reader'"]);
    let nobody = offsets
        .clone()
        .with("jdbc-url", "jdbc:mysql://127.0.0.1:1,127.0.0.1:2/ops");
    let error = tokio::time::timeout(Duration::from_secs(20), changelog(&nobody).read_offset())
        .await
        .unwrap()
        .unwrap_err();
    assert_error(&error, ErrorKind::Connect, &["127.0.0.1:1", "127.0.0.1:2"]);
    let tls = offsets.with(
        "jdbc-url",
        "jdbc:mysql://127.0.0.1:1/ops?sslMode=REQUIRED&password=s3cret",
    );
    assert_error(
        &found(&tls).await.unwrap_err(),
        ErrorKind::Unsupported,
        &["'sslMode'", "TLS"],
    );
}

#[tokio::test]
async fn without_a_table_there_is_nothing_to_publish_in() {
    let standin = cluster("").await;
    let none =
        read(&standin, "db.t", &[("id", "BIGINT NOT NULL")]).with("changelog.increment-type", "detail");
    for error in [
        found(&none).await.unwrap_err(),
        written(&none, TEN).await.unwrap_err(),
    ] {
        assert_error(&error, ErrorKind::Config, &["source.changelog.offset-table"]);
    }
}
