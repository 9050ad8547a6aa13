//! Bad input: one error that names the key and what to do, without waiting and without secrets.

use std::time::Instant;

use doris_client::ErrorKind;

use crate::standin::{Standin, StandinConfig};
use crate::support::*;

const INIT: &str = "
CREATE DATABASE db;
CREATE TABLE db.student (id INT NOT NULL, name VARCHAR(50), amt DECIMAL(10,2)) DUPLICATE KEY(id)
  DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1');
INSERT INTO db.student VALUES (1, 'a', 1.5), (2, NULL, NULL);
";

const COLUMNS: [(&str, &str); 1] = [("id", "INT NOT NULL")];

async fn quick(read: &Read) -> doris_client::Error {
    let start = Instant::now();
    let error = read.plan().await.unwrap_err();
    assert!(start.elapsed().as_secs() < 10, "{error}");
    error
}

#[tokio::test]
async fn a_wrong_password_is_refused_at_once() {
    let standin = cluster_with(INIT, |c| {
        c.users = vec![("reader".to_owned(), "right".to_owned())]
    })
    .await;
    for port in ["-1".to_owned(), standin.ports().fe[0].flight.to_string()] {
        let read = read(&standin, "db.student", &COLUMNS)
            .with("username", "reader")
            .with("password", "s3cret")
            .with("source.flight-sql-port", &port);
        let logins = standin.journal().len();
        let error = quick(&read).await;
        assert_error(&error, ErrorKind::Auth, &["'reader'", "127.0.0.1"]);
        assert!(!error.is_retryable());
        assert_eq!(standin.journal().len() - logins, 1, "asked once");
        let error = read.split(vec![]).await.unwrap_err();
        assert_error(&error, ErrorKind::Auth, &["'reader'", "127.0.0.1"]);
    }
}

#[tokio::test]
async fn passwords_with_every_kind_of_character_pass() {
    for password in ["p@ss:w/ö rd%", ""] {
        let standin = cluster_with(INIT, |c| {
            c.users = vec![("reader".to_owned(), password.to_owned())]
        })
        .await;
        let read = read(&standin, "db.student", &COLUMNS)
            .with("username", "reader")
            .with("password", password);
        assert_eq!(read.rows().await.unwrap(), ["1", "2"]);
    }
}

#[tokio::test]
async fn missing_database_and_table_are_told_apart() {
    let standin = cluster(INIT).await;
    let error = quick(&read(&standin, "nodb.student", &COLUMNS)).await;
    assert_error(
        &error,
        ErrorKind::NotFound,
        &["database 'nodb'", "table.identifier"],
    );
    let error = quick(&read(&standin, "db.studnet", &COLUMNS)).await;
    assert_error(
        &error,
        ErrorKind::NotFound,
        &["table 'db.studnet'", "did you mean 'student'?"],
    );
}

#[tokio::test]
async fn all_differences_are_in_one_message() {
    let standin = cluster(INIT).await;
    let columns = [("id", "STRING"), ("nmae", "STRING"), ("amt", "DECIMAL(10, 4)")];
    let error = quick(&read(&standin, "db.student", &columns)).await;
    assert_error(
        &error,
        ErrorKind::Schema,
        &[
            "db.student",
            "'id' is INT in Doris but declared STRING",
            "'nmae' does not exist",
            "did you mean 'name'?",
            "'amt' is DECIMAL(10,2)",
            "allowed",
        ],
    );
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn null_in_a_column_declared_not_null_names_the_column() {
    let standin = cluster(INIT).await;
    for r#type in ["STRING NOT NULL", "VARCHAR(50) NOT NULL"] {
        let error = read(&standin, "db.student", &[("name", r#type)])
            .rows()
            .await
            .unwrap_err();
        assert_error(
            &error,
            ErrorKind::Data,
            &["column name", "NOT NULL", "db.student"],
        );
    }
    let error = read(&standin, "db.student", &[("amt", "DECIMAL(12, 4) NOT NULL")])
        .rows()
        .await
        .unwrap_err();
    assert_error(&error, ErrorKind::Data, &["column amt", "NOT NULL"]);
}

#[tokio::test]
async fn flight_that_is_off_names_both_settings() {
    let standin = Standin::start(StandinConfig {
        init_sql: INIT.to_owned(),
        fe_flight: None,
        ..StandinConfig::default()
    })
    .await
    .unwrap();
    let error = quick(&read(&standin, "db.student", &COLUMNS)).await;
    assert_error(
        &error,
        ErrorKind::Config,
        &["arrow_flight_sql_port", "source.flight-sql-port"],
    );
}

#[tokio::test]
async fn a_port_that_is_not_flight_is_told() {
    let standin = cluster(INIT).await;
    let http = standin.ports().fe[0].http;
    let read = read(&standin, "db.student", &COLUMNS)
        .with("source.flight-sql-port", &http.to_string())
        .with("doris.request.retries", "1")
        .with("doris.request.connect.timeout", "1000")
        .with("doris.request.read.timeout", "1000");
    let error = quick(&read).await;
    let text = error.to_string();
    assert!(
        text.contains("source.flight-sql-port") || text.contains(&http.to_string()),
        "{text}"
    );
}

#[tokio::test]
async fn an_unknown_host_is_named_without_retries() {
    let standin = cluster(INIT).await;
    let error =
        quick(&read(&standin, "db.student", &COLUMNS).with("fenodes", "no-such-host.invalid:8030")).await;
    assert_error(
        &error,
        ErrorKind::Connect,
        &["no-such-host.invalid", "fenodes", "resolve"],
    );
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn when_all_front_ends_are_down_each_is_listed_with_its_cause() {
    let standin = cluster(INIT).await;
    // Ports that nobody listens on any more.
    let dead: Vec<u16> = (0..2)
        .map(|_| {
            std::net::TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port()
        })
        .collect();
    let fenodes = format!(
        "127.0.0.1:{}, 127.0.0.1:{}, no-such-host.invalid:1",
        dead[0], dead[1]
    );
    let down = read(&standin, "db.student", &COLUMNS).with("fenodes", &fenodes);
    let error = quick(&down).await;
    let (first, second) = (format!("127.0.0.1:{}", dead[0]), format!("127.0.0.1:{}", dead[1]));
    assert_error(
        &error,
        ErrorKind::Connect,
        &["fenodes", &first, &second, "no-such-host.invalid", "refused"],
    );
    // One that lives is enough, whatever the order.
    let alive = down
        .with("fenodes", &format!("{fenodes}, {}", standin.fenodes()))
        .with("doris.request.retries", "0");
    for _ in 0..3 {
        assert_eq!(alive.rows().await.unwrap(), ["1", "2"]);
    }
}

/// A front end that gives one answer to every request.
async fn answering(status: &str, body: &str) -> (String, tokio::task::JoinHandle<()>) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let task = tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut request = [0u8; 4096];
            let _ = socket.read(&mut request).await;
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    (address, task)
}

#[tokio::test]
async fn envelopes_and_statuses_of_failure() {
    let standin = cluster(INIT).await;
    let denied = r#"{"msg":"Unauthorized","code":401,"data":"Access denied for root@ip","count":0}"#;
    let told = r#"{"msg":"success","code":0,"data":"something is wrong","count":0}"#;
    for (status, body, kind, parts) in [
        (
            "303 See Other\r\nLocation: https://127.0.0.1:8050/",
            "",
            ErrorKind::Unsupported,
            ["TLS", "doris.enable.tls"],
        ),
        ("401 Unauthorized", "", ErrorKind::Auth, ["'root'", "127.0.0.1"]),
        (
            "200 OK",
            denied,
            ErrorKind::Auth,
            ["'root'", "Access denied for root@ip"],
        ),
        (
            "200 OK",
            told,
            ErrorKind::Query,
            ["something is wrong", "source.flight-sql-port"],
        ),
        (
            "503 Service Unavailable",
            "busy",
            ErrorKind::Connect,
            ["503", "busy"],
        ),
    ] {
        let (address, task) = answering(status, body).await;
        let read = read(&standin, "db.student", &COLUMNS)
            .with("fenodes", &address)
            .with("doris.request.retries", "1");
        assert_error(&quick(&read).await, kind, &parts);
        task.abort();
    }
}
