//! Requests of a load as their bytes, and their answers.

use base64::Engine;
use doris_standin::Standin;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// `root` without a password.
pub const ROOT: &str = "Authorization: Basic cm9vdDo=\r\n";
/// Where the table of most tests is loaded.
pub const PATH: &str = "/api/test/student/_stream_load";
/// Asks for `100 Continue` before the body.
pub const EXPECT: &str = "Expect: 100-continue\r\n";
/// Fields with a comma between them.
pub const CSV: &str = "column_separator: ,\r\n";

/// `Authorization` header of an account.
pub fn basic(user: &str, password: &str) -> String {
    let encoded = base64::prelude::BASE64_STANDARD.encode(format!("{user}:{password}"));
    format!("Authorization: Basic {encoded}\r\n")
}

/// An HTTP answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Head as it came, lines ended by CR LF.
    pub head: String,
    pub body: String,
    /// Whether `100 Continue` came before it.
    pub continued: bool,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A connection on which a test writes what it likes.
pub struct Raw {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Raw {
    pub async fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        Self {
            stream,
            read: Vec::new(),
        }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// The next answer, with a body of the length that it tells. `None` when the connection ends before.
    pub async fn answer(&mut self) -> Option<Answer> {
        let mut continued = false;
        loop {
            let head = self.head().await?;
            let status: u16 = head.split(' ').nth(1)?.parse().ok()?;
            if status == 100 {
                continued = true;
                continue;
            }
            let mut answer = Answer {
                status,
                head,
                body: String::new(),
                continued,
            };
            let length = answer
                .header("content-length")
                .map_or(0, |text| text.parse().unwrap());
            while self.read.len() < length {
                self.more().await?;
            }
            let body = self.read.drain(..length).collect();
            answer.body = String::from_utf8(body).unwrap();
            return Some(answer);
        }
    }

    /// Waits for `100 Continue`.
    pub async fn continued(&mut self) -> bool {
        self.head()
            .await
            .is_some_and(|head| head.starts_with("HTTP/1.1 100"))
    }

    /// True when the other side closed or reset the connection.
    pub async fn ended(&mut self) -> bool {
        while self.more().await.is_some() {}
        true
    }

    async fn head(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head: Vec<u8> = self.read.drain(..end + 4).collect();
                return String::from_utf8(head).ok();
            }
            self.more().await?;
        }
    }

    async fn more(&mut self) -> Option<()> {
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes).await {
            Ok(0) | Err(_) => None,
            Ok(count) => {
                self.read.extend_from_slice(&bytes[..count]);
                Some(())
            }
        }
    }
}

/// Sends a request and reads its answer.
pub async fn exchange(port: u16, request: impl AsRef<[u8]>) -> Answer {
    let mut raw = Raw::connect(port).await;
    raw.send(request).await;
    raw.answer().await.expect("an answer")
}

/// Head of a `PUT` as `root`; `headers` are lines that end with CR LF.
pub fn put(path: &str, headers: &str) -> String {
    format!("PUT {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{ROOT}{headers}\r\n")
}

/// Loads a body into `test.student` at the first back end.
pub async fn load(standin: &Standin, headers: &str, body: &str) -> Value {
    load_at(standin, 0, "test/student", headers, body).await
}

/// Loads a body into a table at a back end.
pub async fn load_at(standin: &Standin, backend: usize, table: &str, headers: &str, body: &str) -> Value {
    let headers = format!("Content-Length: {}\r\n{headers}", body.len());
    let request = put(&format!("/api/{table}/_stream_load"), &headers) + body;
    let answer = exchange(standin.ports().be[backend].http, request).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// A 2PC load of one row; gives its transaction.
pub async fn precommit(standin: &Standin, label: &str, row: &str) -> i64 {
    let headers = format!("label: {label}\r\ntwo_phase_commit: true\r\ncolumn_separator: ,\r\n");
    let reply = load(standin, &headers, row).await;
    assert_eq!(reply["Status"], "Success", "{reply}");
    reply["TxnId"].as_i64().unwrap()
}

/// A decision about a transaction of `test` at the first back end: status and message.
pub async fn decide(standin: &Standin, headers: &str) -> (String, String) {
    let request = put(
        "/api/test/_stream_load_2pc",
        &format!("Content-Length: 0\r\n{headers}"),
    );
    let answer = exchange(standin.ports().be[0].http, request).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let json = answer.json();
    let text = |name: &str| json[name].as_str().unwrap().to_owned();
    (text("status"), text("msg"))
}

pub async fn commit(standin: &Standin, id: i64) -> (String, String) {
    decide(standin, &format!("txn_id: {id}\r\ntxn_operation: commit\r\n")).await
}

pub async fn abort(standin: &Standin, id: i64) -> (String, String) {
    decide(standin, &format!("txn_id: {id}\r\ntxn_operation: abort\r\n")).await
}

/// State of a label of `test` at the first front end.
pub async fn state(standin: &Standin, label: &str) -> String {
    let answer = crate::support::envelope(
        standin,
        "GET",
        &format!("/api/test/get_load_state?label={label}"),
        "",
    )
    .await;
    answer["data"].as_str().unwrap().to_owned()
}

/// Rows of `test.student`.
pub fn students(standin: &Standin) -> u64 {
    let info = standin.engine().table_info("test", "student").unwrap();
    let tablets = info.partitions.iter().flat_map(|partition| &partition.tablets);
    tablets.map(|tablet| tablet.rows).sum()
}
