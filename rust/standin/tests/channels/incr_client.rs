//! Changelog queries as a client sends them, on every channel that takes statements.

use arrow_flight::sql::client::FlightSqlServiceClient;
use chrono::{DateTime, FixedOffset};
use doris_standin::mysql::client::{Client, ClientError};
use doris_standin::{Standin, StandinConfig};
use serde_json::{Value, json};
use tonic::Status;
use tonic::transport::Channel;

use crate::support::{channel, cluster_with, http, lines, read, status};

/// A table that keeps a changelog, and another one.
const TABLES: &str = "
CREATE TABLE test.pupil (id INT NOT NULL, name VARCHAR(20)) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2
  PROPERTIES ('replication_num' = '1', 'changelog.enable' = 'true', 'changelog.need_historical_value' = 'true');
CREATE TABLE test.other (id INT NOT NULL, name VARCHAR(20)) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2
  PROPERTIES ('replication_num' = '1', 'changelog.enable' = 'true', 'changelog.need_historical_value' = 'true');
";

/// What a statement is refused with: the same failure in the form of each channel.
pub struct Refused {
    /// Status of `GetFlightInfo`, with its metadata.
    pub flight: Status,
    /// Code, SQLSTATE and text of the MySQL port.
    pub mysql: (u16, String, String),
    /// Envelope of the statement API.
    pub api: Value,
}

impl Refused {
    /// Value of a metadata key of the Flight status.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.flight.metadata().get(key)?.to_str().ok()
    }

    /// An ordinary error on every channel, whose text is `detail` after Doris' prefix.
    pub fn assert_classic(&self, is: impl Fn(&str) -> bool) {
        let detail = self.mysql.2.strip_prefix("errCode = 2, detailMessage = ");
        let detail = detail.unwrap_or_else(|| panic!("{:?}", self.mysql));
        assert!(is(detail), "{detail}");
        assert_eq!((self.mysql.0, self.mysql.1.as_str()), (1105, "HY000"));
        assert_eq!(self.flight.code(), tonic::Code::Internal);
        let text = self.flight.message();
        assert!(text.starts_with("get flight info statement failed, "), "{text}");
        assert!(
            text.contains("error code: ERR_UNKNOWN_ERROR, error msg: errCode = 2, detailMessage = "),
            "{text}"
        );
        assert_eq!(
            (
                self.metadata("doris-error-code"),
                self.metadata("doris-error-name")
            ),
            (None, None)
        );
        self.assert_api("errCode = 2, detailMessage = ");
    }

    /// The typed error of a code and a name on every channel.
    pub fn assert_typed(&self, code: u16, name: &str, reason: &str) {
        assert_eq!(self.mysql.0, code);
        assert_eq!(self.flight.code(), tonic::Code::Unavailable);
        assert_eq!(self.metadata("doris-error-code"), Some(code.to_string().as_str()));
        assert_eq!(self.metadata("doris-error-name"), Some(name));
        let begin = format!("{name}: reason={reason}, requestedEndTimestampMs=");
        for text in [self.mysql.2.as_str(), self.flight.message()] {
            let (_, text) = text.split_once(&begin).unwrap_or_else(|| panic!("{text}"));
            let names: Vec<&str> = text
                .split(", ")
                .filter_map(|part| Some(part.split_once('=')?.0))
                .collect();
            let expected = [
                "currentTSO",
                "currentTSOPhysicalTimeMs",
                "committedTSO",
                "committedTSOPhysicalTimeMs",
                "retryAfterMs",
                "timeoutMs",
            ];
            assert_eq!(names, expected, "{text}");
        }
        self.assert_api(&format!("errCode = 2, detailMessage = {begin}"));
    }

    fn assert_api(&self, begin: &str) {
        assert_eq!(
            (&self.api["code"], &self.api["msg"]),
            (&json!(1), &json!("Error"))
        );
        let text = self.api["data"].as_str().unwrap_or_default();
        let exception = text.strip_prefix("Failed to execute sql: java.sql.SQLException: (conn=");
        let told = exception.and_then(|text| text.split_once(") "));
        assert!(told.is_some_and(|(_, told)| told.starts_with(begin)), "{text}");
    }
}

/// A cluster with two tables that keep a changelog, `test.pupil` and `test.other`.
pub async fn changes_cluster(change: impl FnOnce(&mut StandinConfig)) -> Standin {
    cluster_with(|config| {
        config.init_sql.push_str(TABLES);
        change(config);
    })
    .await
}

/// As [`changes_cluster`], with switches over the default profile.
pub async fn changes_set(set: &[&str]) -> Standin {
    changes_cluster(|config| config.set.extend(set.iter().map(|set| (*set).to_owned()))).await
}

/// Sends a statement that must be refused to a front end on every channel.
pub async fn refused(standin: &Standin, frontend: usize, sql: &str) -> Refused {
    let mut flight = login_at(standin, frontend).await;
    let error = flight.execute(sql.to_owned(), None).await.unwrap_err();
    let ports = &standin.ports().fe[frontend];
    let mut mysql = Client::connect("127.0.0.1", ports.mysql, "root", "", None)
        .await
        .unwrap();
    let mysql = match mysql.query(sql).await {
        Err(ClientError::Server {
            code,
            sqlstate,
            message,
        }) => (code, sqlstate, message),
        other => panic!("{other:?}"),
    };
    Refused {
        flight: status(&error).clone(),
        mysql,
        api: api(standin, frontend, sql).await,
    }
}

/// Envelope of the statement API at a front end.
pub async fn api(standin: &Standin, frontend: usize, sql: &str) -> Value {
    let port = standin.ports().fe[frontend].http;
    let body = json!({"stmt": sql}).to_string();
    let path = "/api/query/default_cluster/information_schema";
    let (_, text) = http(port, "POST", path, &body, Some(("root", ""))).await.unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Rows of a statement through the statement API, each as JSON.
pub async fn api_rows(standin: &Standin, frontend: usize, sql: &str) -> Vec<Value> {
    let answer = api(standin, frontend, sql).await;
    assert_eq!(answer["code"], 0, "{answer}");
    answer["data"]["data"].as_array().unwrap().clone()
}

/// A Flight SQL client that has logged in at a front end.
pub async fn login_at(standin: &Standin, frontend: usize) -> FlightSqlServiceClient<Channel> {
    let mut client = FlightSqlServiceClient::new(channel(standin.ports().fe[frontend].flight).await);
    client.handshake("root", "").await.unwrap();
    client
}

/// Sorted rows of a statement at a front end, by Flight.
pub async fn flight_rows(standin: &Standin, frontend: usize, sql: &str) -> Vec<String> {
    let mut client = login_at(standin, frontend).await;
    lines(&read(&mut client, sql).await.unwrap())
}

/// The present of the cluster's clock, milliseconds of the epoch.
pub fn now_ms(standin: &Standin) -> i64 {
    let now = standin.engine().catalog().clock.current();
    i64::try_from(now.physical_ms()).unwrap()
}

/// A moment as `@incr` takes it, in the clusters' zone, with its milliseconds.
pub fn text_of(ms: i64) -> String {
    let zone = FixedOffset::east_opt(8 * 3600).unwrap();
    let moment = DateTime::from_timestamp_millis(ms).unwrap().with_timezone(&zone);
    moment.format("%Y-%m-%d %H:%M:%S%.3f").to_string()
}

/// A query of the changes of a table up to a moment.
pub fn changes(table: &str, end_ms: i64) -> String {
    let end = text_of(end_ms);
    format!("SELECT id, name FROM {table}@incr('endTimestamp' = '{end}', 'incrementType' = 'DETAIL')")
}

/// As [`changes`], up to the present.
pub fn changes_till_now(standin: &Standin, table: &str) -> String {
    changes(table, now_ms(standin))
}
