//! REST calls: one request to one front end, and the error for an answer that is none.

use http::HeaderMap;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Method, StatusCode};
use serde_json::Value;

use super::Frontends;
use super::envelope::{self, Answered, WANTED, shortened};
use crate::config::address::Address;
use crate::error::{Error, ErrorKind, unresolved, walk};
use crate::net::http::{Reply, Target};
use crate::net::refused::remedy;

impl Frontends {
    /// A PUT with an empty body, whose final answer is given whatever it is. Redirects are not followed.
    pub(crate) async fn put_empty(
        &self,
        fe: &Address,
        path: &str,
        headers: &HeaderMap,
    ) -> Result<Reply, Error> {
        let answer = self
            .http
            .put(format!("http://{fe}{path}"))
            .headers(headers.clone())
            .header(reqwest::header::CONTENT_LENGTH, "0")
            .send()
            .await
            .map_err(|e| unreachable(fe, e))?;
        reply(fe, answer).await
    }

    /// A GET whose answer is given whatever it is. Redirects are not followed.
    pub(crate) async fn get(&self, fe: &Address, path: &str) -> Result<Reply, Error> {
        let login = &self.cluster.login;
        let request = self
            .http
            .get(format!("http://{fe}{path}"))
            .basic_auth(&login.user, Some(&login.password));
        reply(fe, request.send().await.map_err(|e| unreachable(fe, e))?).await
    }

    /// One REST call. Gives the `data` of an answer that is a success in every respect, and an object or array.
    pub(crate) async fn call(
        &self,
        fe: &Address,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, Error> {
        let call = format!("{method} {path}");
        match self.data(fe, method, path, body).await? {
            data @ (Value::Object(_) | Value::Array(_)) => Ok(data),
            // An ordinary failure may come as code 0 with its text as data.
            Value::String(told) => Err(Error::new(ErrorKind::Query, format!("front end {fe}: {told}"))),
            other => Err(odd(fe, &call, "without data", &other)),
        }
    }

    /// One REST call. Gives the `data` of an answer whose status and code are those of a success.
    pub(crate) async fn data(
        &self,
        fe: &Address,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, Error> {
        let login = &self.cluster.login;
        let call = format!("{method} {path}");
        let mut url = format!("http://{fe}{path}");
        for _ in 0..2 {
            let mut request = self
                .http
                .request(method.clone(), &url)
                .basic_auth(&login.user, Some(&login.password));
            if let Some(body) = &body {
                request = request
                    .header(CONTENT_TYPE, "application/json;charset=UTF-8")
                    .body(body.to_string());
            }
            let answer = request.send().await.map_err(|e| unreachable(fe, e))?;
            let status = answer.status();
            if status.is_redirection() {
                url = self.redirected(fe, &call, &answer)?;
                continue;
            }
            let text = answer.text().await.map_err(|e| unreachable(fe, e))?;
            return self.open_envelope(fe, &call, status, &text);
        }
        Err(Error::new(
            ErrorKind::Transport,
            format!("front end {fe} redirects {call} in a circle"),
        )
        .retryable())
    }

    fn redirected(&self, fe: &Address, call: &str, answer: &reqwest::Response) -> Result<String, Error> {
        let target = answer
            .headers()
            .get(LOCATION)
            .and_then(|l| l.to_str().ok())
            .unwrap_or_default();
        if target.starts_with("https:") {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "front end {fe} answers only by https (status {}): the cluster wants TLS, which doris.enable.tls would switch on and which is not supported yet; open its http port",
                    answer.status().as_u16()
                ),
            ));
        }
        // User info in the address would become a second login.
        let target = Target::parse(target).map_err(|why| {
            let status = answer.status().as_u16();
            let message = format!(
                "front end {fe} redirects {call} (status {status}) to where it cannot go: {why} ({WANTED})"
            );
            Error::new(ErrorKind::Transport, message).retryable()
        })?;
        Ok(format!("http://{}{}", target.node, target.path))
    }

    /// The data of an answer to `call`, which names method and path for messages.
    pub(crate) fn open_envelope(
        &self,
        fe: &Address,
        call: &str,
        status: StatusCode,
        text: &str,
    ) -> Result<Value, Error> {
        match envelope::read(status, text) {
            Answered::Data(data) => Ok(data),
            Answered::Denied(told) => Err(self.refused_login(fe, &told)),
            Answered::Refused(told) => Err(Error::new(ErrorKind::Query, format!("front end {fe}: {told}"))),
            Answered::NotNow(told) => {
                let message = format!(
                    "front end {fe} answered {call} with status {}: {told}",
                    status.as_u16()
                );
                Err(Error::new(ErrorKind::Connect, message).retryable())
            }
            Answered::Foreign(told) => Err(foreign(fe, call, status, &told)),
        }
    }

    /// The error for a login or privilege that a node refused.
    pub(crate) fn refused_login(&self, node: &Address, told: &str) -> Error {
        let user = &self.cluster.login.user;
        Error::new(
            ErrorKind::Auth,
            format!(
                "user '{user}' was refused by {node}: {told} ({})",
                remedy(told, user)
            ),
        )
    }
}

async fn reply(fe: &Address, answer: reqwest::Response) -> Result<Reply, Error> {
    Ok(Reply {
        status: answer.status(),
        location: answer
            .headers()
            .get(LOCATION)
            .map(|l| String::from_utf8_lossy(l.as_bytes()).into_owned()),
        text: answer.text().await.map_err(|e| unreachable(fe, e))?,
    })
}

/// The error for an answer that is none of Doris; its sender may be a front end later.
pub(crate) fn foreign(fe: &Address, call: &str, status: StatusCode, told: &str) -> Error {
    Error::new(
        ErrorKind::Connect,
        format!(
            "{fe} answered {call} with status {} and what is no answer of Doris: {told} ({WANTED})",
            status.as_u16()
        ),
    )
    .retryable()
}

/// The error for a success that is none to this call.
pub(crate) fn odd(fe: &Address, call: &str, what: &str, data: &Value) -> Error {
    let told = shortened(&data.to_string());
    Error::new(
        ErrorKind::Connect,
        format!("front end {fe} answered {call} with status 200 {what}: {told}"),
    )
    .retryable()
}

fn unreachable(fe: &Address, error: reqwest::Error) -> Error {
    // The text of the error itself repeats the URL.
    let error = error.without_url();
    let text = walk(&error);
    if unresolved(&text) {
        return Error::new(
            ErrorKind::Connect,
            format!("the host name '{}' of fenodes cannot be resolved", fe.host),
        )
        .unresolved();
    }
    if foreign_protocol(&text) {
        let message = format!("this port does not speak HTTP ({text}): {WANTED}");
        return Error::new(ErrorKind::Config, message).unresolved();
    }
    let kind = if error.is_timeout() {
        ErrorKind::Timeout
    } else {
        ErrorKind::Connect
    };
    Error::new(kind, format!("cannot be reached ({text})")).retryable()
}

/// Whether the text of a failed call means that the answer was no HTTP, as a MySQL or Flight port does.
fn foreign_protocol(text: &str) -> bool {
    const TEXTS: [&str; 4] = [
        "invalid HTTP version parsed",
        "received unexpected message from connection",
        "invalid HTTP header parsed",
        "invalid HTTP status-code parsed",
    ];
    TEXTS.iter().any(|part| text.contains(part))
}

/// A name as a segment of a path.
pub(crate) fn segment(name: &str) -> String {
    let mut out = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
