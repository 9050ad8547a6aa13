//! Fault rules on every channel, and nodes that stop and come back.

use std::time::Duration;

use arrow_flight::flight_service_client::FlightServiceClient;
use doris_standin::Standin;
use doris_standin::mysql::client::{Client, ClientError, Reply};
use tonic::Code;

use crate::support::{
    channel, cluster, cluster_with, envelope, fetch, http, login, read, rows, status, until,
};

const MANY: &str = "SELECT number FROM numbers(\"number\" = \"50000\")";

fn fault(standin: &Standin, rule: &str) -> u64 {
    standin.add_fault_json(rule).unwrap()
}

/// Starts a read of many batches and gives what `DoGet` gave.
async fn fetch_many(standin: &Standin) -> Result<usize, arrow_flight::error::FlightError> {
    let mut client = login(standin).await;
    let info = client.execute(MANY.to_owned(), None).await.unwrap();
    let ticket = info.endpoint[0].ticket.clone().unwrap();
    fetch(standin.ports().be[0].flight, ticket)
        .await
        .map(|batches| rows(&batches))
}

#[tokio::test]
async fn a_stream_breaks_after_some_batches_and_only_as_often_as_told() {
    let standin = cluster().await;
    fault(
        &standin,
        r#"{"at":"flight.do_get","match":{"node":"be0"},"do":{"status":{"code":"UNAVAILABLE","message":"gone"}},"times":1,"after":3}"#,
    );
    let error = fetch_many(&standin).await.unwrap_err();
    assert_eq!(
        (status(&error).code(), status(&error).message()),
        (Code::Unavailable, "gone")
    );
    assert_eq!(standin.stats().batches_served, 3);
    assert_eq!(fetch_many(&standin).await.unwrap(), 50_000);
    let fired: Vec<_> = standin
        .journal()
        .into_iter()
        .filter(|entry| entry.channel == "fault")
        .collect();
    assert_eq!(fired.len(), 1);
    assert_eq!(
        (fired[0].method.as_str(), fired[0].node.as_str()),
        ("flight.do_get", "be0")
    );
    assert!(fired[0].statement.contains("numbers"));
    assert_eq!(standin.faults()[0].fired, 1);
}

#[tokio::test]
async fn a_stream_can_end_in_every_wrong_way() {
    let cases = [
        (r#"{"reset":true}"#, "connection"),
        (r#"{"close":true}"#, "stream"),
        (r#"{"close":"no_trailers"}"#, "trailers"),
        (r#"{"corrupt_header":true}"#, "header"),
        (r#"{"truncate":true}"#, "body"),
    ];
    for (action, what) in cases {
        let standin = cluster().await;
        fault(
            &standin,
            &format!(r#"{{"at":"flight.do_get","do":{action},"times":1,"after":2}}"#),
        );
        // A decoder that is handed a damaged batch may refuse it in its own way; it must not pass for good rows.
        let outcome =
            tokio::spawn(async move { fetch_many(&standin).await.map_err(|error| error.to_string()) }).await;
        if let Ok(Ok(rows)) = outcome {
            assert_ne!(rows, 50_000, "{what}");
        }
    }
}

#[tokio::test]
async fn a_missing_trailer_is_no_success() {
    let standin = cluster().await;
    fault(
        &standin,
        r#"{"at":"flight.do_get","do":{"close":"no_trailers"},"after":2}"#,
    );
    let mut client = login(&standin).await;
    let info = client.execute(MANY.to_owned(), None).await.unwrap();
    let mut node = FlightServiceClient::new(channel(standin.ports().be[0].flight).await);
    let mut stream = node
        .do_get(info.endpoint[0].ticket.clone().unwrap())
        .await
        .unwrap()
        .into_inner();
    let mut messages = 0;
    let end = loop {
        match stream.message().await {
            Ok(Some(_)) => messages += 1,
            other => break other,
        }
    };
    assert_eq!(messages, 3, "schema and two batches");
    // What a client makes of it differs; here the status is missing and nothing says OK.
    assert!(end.is_err() || stream.trailers().await.is_ok_and(|trailers| trailers.is_none()));
}

#[tokio::test]
async fn a_query_fails_as_told_before_it_runs() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    fault(
        &standin,
        r#"{"at":"flight.get_info","match":{"table":"student"},"do":{"answer":{"message":"errCode = 2, detailMessage = no"}},"times":1}"#,
    );
    let error = read(&mut client, "SELECT id FROM test.student")
        .await
        .unwrap_err();
    assert!(
        error.contains("get flight info statement failed, errCode = 2, detailMessage = no"),
        "{error}"
    );
    fault(
        &standin,
        r#"{"at":"flight.get_info","match":{"statement":"from*student"},"do":{"status":{"code":"UNAVAILABLE","message":"m","metadata":{"doris-error-code":"5101"}}},"times":1}"#,
    );
    let error = client
        .execute("SELECT id FROM test.student".to_owned(), None)
        .await
        .unwrap_err();
    assert_eq!(status(&error).code(), Code::Unavailable);
    assert_eq!(status(&error).metadata().get("doris-error-code").unwrap(), "5101");
    assert_eq!(
        rows(&read(&mut client, "SELECT id FROM test.student").await.unwrap()),
        4
    );
    fault(
        &standin,
        r#"{"at":"flight.handshake","do":{"reset":true},"times":1}"#,
    );
    let mut other =
        arrow_flight::sql::client::FlightSqlServiceClient::new(channel(standin.ports().fe[0].flight).await);
    assert!(other.handshake("root", "").await.is_err());
    other.handshake("root", "").await.unwrap();
}

#[tokio::test]
async fn a_dropped_answer_leaves_the_work_done() {
    let standin = cluster().await;
    fault(
        &standin,
        r#"{"at":"mysql.answer","match":{"statement":"insert"},"do":{"drop_answer":true},"times":1}"#,
    );
    let port = standin.ports().fe[0].mysql;
    let mut client = Client::connect("127.0.0.1", port, "root", "", None)
        .await
        .unwrap();
    let lost = client
        .query("INSERT INTO test.student VALUES (9, 'i', 1, 1)")
        .await
        .unwrap_err();
    assert!(matches!(lost, ClientError::Io(_)), "{lost}");
    let mut client = Client::connect("127.0.0.1", port, "root", "", None)
        .await
        .unwrap();
    let replies = client.query("SELECT COUNT(*) FROM test.student").await.unwrap();
    assert!(matches!(&replies[0], Reply::Rows(table) if table.rows[0][0].as_deref() == Some("5")));
    fault(
        &standin,
        r#"{"at":"mysql.query","do":{"answer":{"code":1105,"message":"no"}},"times":1}"#,
    );
    let error = client.query("SELECT 1").await.unwrap_err();
    assert!(
        matches!(&error, ClientError::Server { code: 1105, message, .. } if message == "no"),
        "{error}"
    );
    assert!(client.query("SELECT 1").await.is_ok());
}

#[tokio::test]
async fn rest_calls_break_as_told() {
    let standin = cluster().await;
    let port = standin.ports().fe[0].http;
    let call = || http(port, "GET", "/api/backends", "", Some(("root", "")));
    for action in [
        r#"{"reset":true}"#,
        r#"{"close":true}"#,
        r#"{"drop_answer":true}"#,
    ] {
        fault(&standin, &format!(r#"{{"at":"fe.api","do":{action},"times":1}}"#));
        assert!(call().await.is_err(), "{action}");
        assert!(call().await.is_ok());
    }
    fault(
        &standin,
        r#"{"at":"fe.api","do":{"status":{"code":503,"message":"busy"}},"times":1}"#,
    );
    assert_eq!(call().await.unwrap(), (503, "busy".to_owned()));
    fault(
        &standin,
        r#"{"at":"fe.api","match":{"table":"test.student"},"do":{"answer":{"code":0,"message":"errCode = 2, x"}},"times":1}"#,
    );
    let answer = envelope(&standin, "GET", "/api/test/student/_schema", "").await;
    assert_eq!(
        (answer["code"].as_u64(), answer["data"].as_str()),
        (Some(0), Some("errCode = 2, x"))
    );
}

#[tokio::test]
async fn a_held_call_goes_on_when_it_is_released() {
    let standin = cluster().await;
    let id = fault(&standin, r#"{"at":"flight.get_info","do":{"hold":true}}"#);
    let mut client = login(&standin).await;
    let held = tokio::spawn(async move { read(&mut client, "SELECT id FROM test.student").await });
    until("the query is held", || standin.faults()[0].holding == 1).await;
    assert_eq!(standin.stats().flight_queries, 1);
    assert!(standin.delete_fault(id));
    assert_eq!(rows(&held.await.unwrap().unwrap()), 4);
    until("no query is open", || standin.stats().flight_queries == 0).await;
}

#[tokio::test]
async fn a_held_call_ends_with_its_client() {
    let standin = cluster().await;
    fault(&standin, r#"{"at":"flight.get_info","do":{"hold":true}}"#);
    let mut client = login(&standin).await;
    let held = tokio::spawn(async move { read(&mut client, "SELECT id FROM test.student").await });
    until("the query is held", || standin.faults()[0].holding == 1).await;
    held.abort();
    until("nothing is held", || standin.faults()[0].holding == 0).await;
    until("no query is open", || standin.stats().flight_queries == 0).await;
}

#[tokio::test]
async fn commands_of_one_session_wait_for_each_other() {
    let standin = cluster_with(|config| config.set.push("flight_busy_seconds=0.2".into())).await;
    let id = fault(
        &standin,
        r#"{"at":"flight.get_info","do":{"hold":true},"times":1}"#,
    );
    let mut client = login(&standin).await;
    let mut same_session = client.clone();
    let held = tokio::spawn(async move { read(&mut client, "SELECT id FROM test.student").await });
    until("the query is held", || standin.faults()[0].holding == 1).await;
    let error = read(&mut same_session, "SELECT 1").await.unwrap_err();
    assert!(
        error.contains("another command of this Arrow Flight SQL session is still running after"),
        "{error}"
    );
    assert!(error.contains("connection id: "), "{error}");
    standin.delete_fault(id);
    held.await.unwrap().unwrap();
    assert!(read(&mut same_session, "SELECT 1").await.is_ok());
}

#[tokio::test]
async fn a_delay_delays() {
    let standin = cluster().await;
    fault(&standin, r#"{"at":"fe.api","do":{"delay_ms":150},"times":1}"#);
    let start = std::time::Instant::now();
    envelope(&standin, "GET", "/api/backends", "").await;
    assert!(start.elapsed() >= Duration::from_millis(150));
}

#[tokio::test]
async fn a_back_end_stops_in_mid_stream_and_comes_back_on_its_ports() {
    let standin = cluster().await;
    let port = standin.ports().be[0].flight;
    let mut client = login(&standin).await;
    let big = "SELECT number, CAST(number AS STRING) AS s FROM numbers(\"number\" = \"2000000\")";
    let info = client.execute(big.to_owned(), None).await.unwrap();
    let mut node = FlightServiceClient::new(channel(port).await).max_decoding_message_size(usize::MAX);
    let mut stream = node
        .do_get(info.endpoint[0].ticket.clone().unwrap())
        .await
        .unwrap()
        .into_inner();
    stream.message().await.unwrap().unwrap();
    standin.stop_backend(0).await.unwrap();
    let ended = async {
        while stream.message().await?.is_some() {}
        Ok::<(), tonic::Status>(())
    };
    assert!(
        tokio::time::timeout(Duration::from_secs(10), ended)
            .await
            .unwrap()
            .is_err()
    );
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err());
    assert!(read(&mut client, "SELECT id FROM test.student").await.is_err());
    standin.start_backend(0).await.unwrap();
    assert_eq!(
        rows(&read(&mut client, "SELECT id FROM test.student").await.unwrap()),
        4
    );
}

#[tokio::test]
async fn a_front_end_stops_with_its_sessions_and_comes_back_without_them() {
    let standin = cluster_with(|config| config.frontends = 2).await;
    let mut client = login(&standin).await;
    let port = standin.ports().fe[0].mysql;
    let mut mysql = Client::connect("127.0.0.1", port, "root", "", None)
        .await
        .unwrap();
    standin.stop_frontend(0).await.unwrap();
    assert!(read(&mut client, "SELECT 1").await.is_err());
    assert!(mysql.query("SELECT 1").await.is_err());
    assert!(
        http(standin.ports().fe[0].http, "GET", "/", "", None)
            .await
            .is_err()
    );
    assert!(
        http(standin.ports().fe[1].http, "GET", "/", "", None)
            .await
            .is_ok()
    );
    standin.start_frontend(0).await.unwrap();
    assert!(
        read(&mut client, "SELECT 1")
            .await
            .unwrap_err()
            .contains("session")
    );
    assert!(read(&mut login(&standin).await, "SELECT 1").await.is_ok());
}
