//! A cluster with a small table, and clients for it.

use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::sql::client::FlightSqlServiceClient;
use arrow_flight::{FlightInfo, Ticket};
use doris_standin::{Standin, StandinConfig};
use futures::TryStreamExt;
use serde_json::Value;
use tonic::Status;
use tonic::transport::Channel;

pub const STUDENT: &str = "
CREATE DATABASE IF NOT EXISTS test;
CREATE TABLE test.student (
  id INT NOT NULL COMMENT 'number of the student',
  name VARCHAR(50),
  age SMALLINT,
  amt DECIMAL(10,2)
) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ('replication_num' = '1');
INSERT INTO test.student VALUES
  (1, 'Ada', 36, 1.50), (2, 'a&b=c', 41, -2.25), (3, NULL, NULL, NULL), (4, 'größer 😀', 7, 99999999.99);
";

/// A cluster of one front end and one back end with the table `test.student`.
pub async fn cluster() -> Standin {
    cluster_with(|_| {}).await
}

/// As [`cluster`], with options of the test's own.
pub async fn cluster_with(change: impl FnOnce(&mut StandinConfig)) -> Standin {
    let mut config = StandinConfig {
        init_sql: STUDENT.to_owned(),
        ..StandinConfig::default()
    };
    change(&mut config);
    Standin::start(config)
        .await
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Polls a condition until it holds; the test fails when it does not within ten seconds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(10), async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert!(waited.await.is_ok(), "waited in vain until {what}");
}

pub async fn channel(port: u16) -> Channel {
    let url = format!("http://127.0.0.1:{port}");
    Channel::from_shared(url).unwrap().connect().await.unwrap()
}

/// A Flight SQL client that has logged in at the first front end.
pub async fn login(standin: &Standin) -> FlightSqlServiceClient<Channel> {
    let mut client = FlightSqlServiceClient::new(channel(standin.ports().fe[0].flight).await);
    client.handshake("root", "").await.unwrap();
    client
}

/// Runs a statement and reads every endpoint where its location says.
pub async fn read(
    client: &mut FlightSqlServiceClient<Channel>,
    sql: &str,
) -> Result<Vec<RecordBatch>, String> {
    let info = client
        .execute(sql.to_owned(), None)
        .await
        .map_err(|error| error.to_string())?;
    read_info(client, &info).await.map_err(|error| error.to_string())
}

pub async fn read_info(
    client: &mut FlightSqlServiceClient<Channel>,
    info: &FlightInfo,
) -> Result<Vec<RecordBatch>, FlightError> {
    let mut batches = Vec::new();
    for endpoint in &info.endpoint {
        let ticket = endpoint.ticket.clone().unwrap();
        let uri = endpoint
            .location
            .first()
            .map(|location| location.uri.clone())
            .unwrap_or_default();
        match uri.strip_prefix("grpc+tcp://") {
            Some(node) if !node.starts_with("0.0.0.0") => {
                let port = node.rsplit(':').next().unwrap().parse().unwrap();
                match fetch(port, ticket.clone()).await {
                    // A front end wants the session's token.
                    Err(error) if is_unauthenticated(&error) => {
                        let stream = client.do_get(ticket).await.unwrap();
                        batches.extend(stream.try_collect::<Vec<_>>().await?);
                    }
                    fetched => batches.extend(fetched?),
                }
            }
            _ => batches.extend(
                client
                    .do_get(ticket)
                    .await
                    .unwrap()
                    .try_collect::<Vec<_>>()
                    .await?,
            ),
        }
    }
    Ok(batches)
}

/// `DoGet` at a node, without credentials.
pub async fn fetch(port: u16, ticket: Ticket) -> Result<Vec<RecordBatch>, FlightError> {
    let mut client = FlightServiceClient::new(channel(port).await).max_decoding_message_size(usize::MAX);
    let stream = client
        .do_get(ticket)
        .await
        .map_err(|status| FlightError::Tonic(Box::new(status)))?;
    let stream = stream
        .into_inner()
        .map_err(|status| FlightError::Tonic(Box::new(status)));
    FlightRecordBatchStream::new_from_flight_data(stream)
        .try_collect()
        .await
}

fn is_unauthenticated(error: &FlightError) -> bool {
    matches!(error, FlightError::Tonic(status) if status.code() == tonic::Code::Unauthenticated)
}

pub fn status(error: &FlightError) -> &Status {
    match error {
        FlightError::Tonic(status) => status,
        other => panic!("no status: {other}"),
    }
}

pub fn rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

/// Batches as sorted lines of text.
pub fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let mut lines = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| {
                arrow_cast::display::array_value_to_string(column, row)
                    .unwrap_or_else(|error| error.to_string())
            });
            lines.push(cells.collect::<Vec<_>>().join("|"));
        }
    }
    lines.sort();
    lines
}

/// A REST call as `root`; gives HTTP status and body.
pub async fn rest(standin: &Standin, method: &str, path: &str, body: &str) -> (u16, String) {
    rest_as(standin, method, path, body, Some(("root", ""))).await
}

pub async fn rest_as(
    standin: &Standin,
    method: &str,
    path: &str,
    body: &str,
    credentials: Option<(&str, &str)>,
) -> (u16, String) {
    let port = standin.ports().fe[0].http;
    http(port, method, path, body, credentials).await.unwrap()
}

pub async fn http(
    port: u16,
    method: &str,
    path: &str,
    body: &str,
    credentials: Option<(&str, &str)>,
) -> Result<(u16, String), reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let method = method.parse().unwrap();
    let mut request = client
        .request(method, format!("http://127.0.0.1:{port}{path}"))
        .body(body.to_owned());
    if let Some((user, password)) = credentials {
        request = request.basic_auth(user, Some(password));
    }
    let response = request.send().await?;
    Ok((response.status().as_u16(), response.text().await?))
}

/// A REST call whose answer is an envelope.
pub async fn envelope(standin: &Standin, method: &str, path: &str, body: &str) -> Value {
    let (status, text) = rest(standin, method, path, body).await;
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}
