//! MySQL port: login, commands, result sets.

use doris_standin::mysql::client::{Client, ClientError, Reply, Table};

use crate::support::{cluster, cluster_with, rest_as, until};

async fn connect(port: u16) -> Client {
    Client::connect("127.0.0.1", port, "root", "", None)
        .await
        .unwrap()
}

async fn table(client: &mut Client, sql: &str) -> Table {
    match client.query(sql).await.unwrap().pop() {
        Some(Reply::Rows(table)) => table,
        other => panic!("{other:?}"),
    }
}

fn code(error: ClientError) -> (u16, String, String) {
    match error {
        ClientError::Server {
            code,
            sqlstate,
            message,
        } => (code, sqlstate, message),
        ClientError::Io(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_login_is_checked() {
    let password = "p@ss:w/ö rd%";
    let standin = cluster_with(|config| config.users.push(("flink".into(), password.into()))).await;
    let port = standin.ports().fe[0].mysql;
    let client = Client::connect("127.0.0.1", port, "flink", password, Some("test"))
        .await
        .unwrap();
    assert_eq!(client.server_version, "5.7.99");

    let wrong = Client::connect("127.0.0.1", port, "flink", "wrong", None)
        .await
        .err()
        .unwrap();
    let (number, state, text) = code(wrong);
    assert_eq!((number, state.as_str()), (1045, "28000"));
    assert_eq!(
        text,
        "Access denied for user 'flink@127.0.0.1' (using password: YES)"
    );
    let nobody = Client::connect("127.0.0.1", port, "nobody", "", None)
        .await
        .err()
        .unwrap();
    assert_eq!(
        code(nobody).2,
        "Access denied for user 'nobody@127.0.0.1' (using password: NO)"
    );
    let database = Client::connect("127.0.0.1", port, "root", "", Some("nowhere"))
        .await
        .err()
        .unwrap();
    assert_eq!(code(database).0, 1049);

    let journal = serde_json::to_string(&standin.journal()).unwrap();
    assert!(
        !journal.contains("wrong") && !journal.contains(password),
        "{journal}"
    );
}

/// Almost every refusal has one number, so that a client has to read the text.
#[tokio::test]
async fn refusals_are_1105_but_for_a_database_to_be_used() {
    let standin = cluster().await;
    let mut client = connect(standin.ports().fe[0].mysql).await;
    for (sql, number, text) in [
        ("USE nowhere", 1049, "Unknown database 'nowhere'"),
        (
            "SELECT * FROM nowhere.t",
            1105,
            "Database [nowhere] does not exist.",
        ),
        (
            "SELECT * FROM test.missing",
            1105,
            "Table [missing] does not exist in database [test]",
        ),
        (
            "SELECT nothing FROM test.student",
            1105,
            "Unknown column 'nothing' in 'table list'",
        ),
        ("SELECT 1 FROM t", 1105, "No database selected"),
        ("SET no_such = 1", 1105, "Unknown system variable 'no_such'"),
        ("SET time_zone = 'Mars'", 1105, "Mars"),
        ("SET version = '8'", 1105, "read only"),
        ("CREATE DATABASE test", 1105, "database exists"),
        ("DROP DATABASE nowhere", 1105, "database doesn't exist"),
        ("CREATE TABLE test.student (a INT)", 1105, "already exists"),
        ("DROP TABLE test.missing", 1105, "Unknown table 'missing' in test"),
        ("SELEKT 1", 1105, ""),
    ] {
        let (found, _, message) = code(client.query(sql).await.err().unwrap());
        assert_eq!(found, number, "{sql}: {message}");
        assert!(
            message.starts_with("errCode = 2, detailMessage = ") && message.contains(text),
            "{sql}: {message}"
        );
    }
}

#[tokio::test]
async fn an_account_that_a_statement_makes_may_log_in() {
    let standin = cluster().await;
    let port = standin.ports().fe[0].mysql;
    let mut client = connect(port).await;
    client
        .query("CREATE USER IF NOT EXISTS 'jack'@'%' IDENTIFIED BY 's3cret'")
        .await
        .unwrap();
    assert!(
        Client::connect("127.0.0.1", port, "jack", "s3cret", None)
            .await
            .is_ok()
    );
    let (status, text) = rest_as(&standin, "GET", "/api/backends", "", Some(("jack", "s3cret"))).await;
    assert!(status == 200 && text.contains("success"), "{text}");
    client.query("DROP USER jack").await.unwrap();
    let gone = Client::connect("127.0.0.1", port, "jack", "s3cret", None).await;
    assert_eq!(code(gone.err().unwrap()).0, 1045);
}

/// What one back end cannot hold is refused, whichever generation is played.
#[tokio::test]
async fn more_replicas_than_back_ends_are_refused() {
    let standin = cluster().await;
    let mut client = connect(standin.ports().fe[0].mysql).await;
    let three = "CREATE TABLE test.three (a INT) DISTRIBUTED BY HASH(a) BUCKETS 1 PROPERTIES ('replication_num' = '3')";
    let (number, _, text) = code(client.query(three).await.err().unwrap());
    assert_eq!(number, 1105);
    assert!(text.contains("replication num is 3"), "{text}");
}

#[tokio::test]
async fn rows_come_as_text_with_types() {
    let standin = cluster().await;
    let mut client = connect(standin.ports().fe[0].mysql).await;
    let table = table(&mut client, "SELECT id, name, amt FROM test.student ORDER BY id").await;
    let names: Vec<_> = table
        .columns
        .iter()
        .map(|(name, kind)| (name.as_str(), *kind))
        .collect();
    // INT, VAR_STRING, NEWDECIMAL
    assert_eq!(names, [("id", 3), ("name", 253), ("amt", 246)]);
    let text = |value: &str| Some(value.to_owned());
    assert_eq!(table.rows[0], [text("1"), text("Ada"), text("1.50")]);
    assert_eq!(table.rows[2], [text("3"), None, None]);
    assert_eq!(table.rows[3], [text("4"), text("größer 😀"), text("99999999.99")]);
}

#[tokio::test]
async fn several_statements_give_several_answers_until_one_fails() {
    let standin = cluster().await;
    let mut client = connect(standin.ports().fe[0].mysql).await;
    let replies = client
        .query("USE test; SELECT COUNT(*) FROM student; SET time_zone = '+00:00'")
        .await
        .unwrap();
    assert_eq!(replies.len(), 3);
    assert!(matches!(&replies[1], Reply::Rows(table) if table.rows == [[Some("4".to_owned())]]));
    assert!(matches!(replies[2], Reply::Done { .. }));
    assert!(
        client
            .query("SELECT 1; SELECT * FROM nowhere; SELECT 2")
            .await
            .is_err()
    );
    // The connection serves on.
    assert_eq!(
        table(&mut client, "SELECT 1").await.rows,
        [[Some("1".to_owned())]]
    );
}

#[tokio::test]
async fn inserted_rows_are_counted() {
    let standin = cluster().await;
    let mut client = connect(standin.ports().fe[0].mysql).await;
    let replies = client
        .query("INSERT INTO test.student VALUES (7, 'x', 1, 1), (8, 'y', 1, 1)")
        .await
        .unwrap();
    assert!(
        matches!(replies[0], Reply::Done { affected: 2, .. }),
        "{replies:?}"
    );
}

#[tokio::test]
async fn plain_commands_are_answered() {
    let standin = cluster().await;
    let mut client = connect(standin.ports().fe[0].mysql).await;
    let ok = |payload: Vec<u8>| payload[0] == 0x00;
    assert!(ok(client.command(0x0e, b"").await.unwrap()), "ping");
    assert!(ok(client.command(0x02, b"test").await.unwrap()), "init db");
    assert_eq!(
        client.command(0x1b, &[0, 0]).await.unwrap()[0],
        0xfe,
        "set option"
    );
    let unknown = client.command(0x02, b"nowhere").await.unwrap();
    assert_eq!(
        (unknown[0], u16::from_le_bytes([unknown[1], unknown[2]])),
        (0xff, 1049)
    );
    let prepare = client.command(0x16, b"SELECT ?").await.unwrap();
    assert_eq!(prepare[0], 0xff);
    assert!(String::from_utf8_lossy(&prepare).contains("text protocol"));
    // The database of the init command serves plain names.
    assert_eq!(
        table(&mut client, "SELECT COUNT(*) FROM student").await.rows,
        [[Some("4".to_owned())]]
    );
}

#[tokio::test]
async fn values_above_sixteen_megabytes_cross_both_ways() {
    let standin = cluster().await;
    let mut client = connect(standin.ports().fe[0].mysql).await;
    let long = "x".repeat((16 << 20) + 10);
    let found = table(&mut client, &format!("SELECT '{long}' AS v")).await;
    assert!(found.rows[0][0].as_deref() == Some(&long));
}

#[tokio::test]
async fn connections_are_counted() {
    let standin = cluster().await;
    let port = standin.ports().fe[0].mysql;
    let (first, second) = (connect(port).await, connect(port).await);
    assert_eq!(standin.stats().mysql_connections, 2);
    drop((first, second));
    until("no connection is open", || standin.stats().mysql_connections == 0).await;
}
