//! What a front end's answer to a REST call is: data, a refusal of Doris, or something that another front end, or the
//! same one later, may do better.
//!
//! | answer | is |
//! |---|---|
//! | envelope, code 0 | its data |
//! | status 401 or 403, code 401, or a text that denies access | refused: login or privilege |
//! | status 5xx, code 5xx, "not ready", "not master" | passing |
//! | envelope with another code | refused by Doris, final |
//! | anything else: HTML, nothing, other JSON, a page that is not found | no answer of Doris: passing |

use http::StatusCode;
use serde_json::Value;

use crate::net::refused::denied;

/// What every message about an address that answers otherwise than a front end ends with.
pub(crate) const WANTED: &str = "fenodes wants the http_port of front ends, 8030 by default";

/// Texts of a front end that cannot answer yet, in lower case.
const PASSING: [&str; 4] = ["not ready", "not master", "not the master", "no master"];

/// An answer as far as it decides what to do next. Texts are the server's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answered {
    Data(Value),
    Denied(String),
    Refused(String),
    /// Of Doris, but only for now.
    NotNow(String),
    /// Of something else; the beginning of the body.
    Foreign(String),
}

/// Reads the answer to a REST call.
pub(crate) fn read(status: StatusCode, text: &str) -> Answered {
    let body: Option<Value> = serde_json::from_str(text).ok();
    let code = body.as_ref().and_then(|e| e.get("code")).and_then(number);
    let data = body
        .as_ref()
        .and_then(|e| e.get("data"))
        .cloned()
        .unwrap_or(Value::Null);
    let told = match &data {
        Value::String(told) if !told.is_empty() => told.clone(),
        Value::Object(told) if told.get("exception").is_some_and(Value::is_string) => {
            told["exception"].as_str().unwrap_or_default().to_owned()
        }
        _ => body
            .as_ref()
            .and_then(|e| e.get("msg"))
            .and_then(Value::as_str)
            .map_or_else(|| beginning(text), str::to_owned),
    };
    if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
        || code == Some(401)
        || denied(&told)
    {
        return Answered::Denied(told);
    }
    let Some(code) = code else {
        return Answered::Foreign(beginning(text));
    };
    if status.is_server_error() || is_for_now(code, &told) {
        Answered::NotNow(told)
    } else if code != 0 || !status.is_success() {
        Answered::Refused(told)
    } else {
        Answered::Data(data)
    }
}

/// Whether the code or the text of a failure means that it will pass.
pub(crate) fn is_for_now(code: i64, told: &str) -> bool {
    let told = told.to_ascii_lowercase();
    (500..600).contains(&code) || (code != 0 && PASSING.iter().any(|text| told.contains(text)))
}

/// The beginning of a body, for messages.
pub(crate) fn beginning(text: &str) -> String {
    match shortened(text) {
        empty if empty.is_empty() => "(an empty body)".to_owned(),
        shown => shown,
    }
}

/// A number, or a text that is one.
pub(crate) fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

pub(crate) fn shortened(text: &str) -> String {
    const SHOWN: usize = 500;
    if text.chars().count() <= SHOWN {
        text.trim().to_owned()
    } else {
        text.chars().take(SHOWN).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(status: u16, text: &str) -> Answered {
        read(StatusCode::from_u16(status).unwrap(), text)
    }

    #[test]
    fn refusals_of_doris_are_final_and_all_else_may_pass() {
        let refused = |told: &str| Answered::Refused(told.to_owned());
        let not_now = |told: &str| Answered::NotNow(told.to_owned());
        let foreign = |told: &str| Answered::Foreign(told.to_owned());
        for (status, text, expected) in [
            (
                200,
                r#"{"code":0,"msg":"success","data":{"a":1}}"#,
                Answered::Data(json!({"a": 1})),
            ),
            (200, r#"{"code":"0","data":[]}"#, Answered::Data(json!([]))),
            (
                200,
                r#"{"code":1,"msg":"Error","data":"table type is not OLAP"}"#,
                refused("table type is not OLAP"),
            ),
            (
                200,
                r#"{"code":403,"msg":"Bad Request","data":"No SQL"}"#,
                refused("No SQL"),
            ),
            (
                404,
                r#"{"code":404,"msg":"Not Found","data":"no such thing"}"#,
                refused("no such thing"),
            ),
            (
                200,
                r#"{"code":1,"data":"Node is not ready"}"#,
                not_now("Node is not ready"),
            ),
            (
                200,
                r#"{"code":500,"msg":"Internal Error","data":null}"#,
                not_now("Internal Error"),
            ),
            (503, r#"{"code":1,"msg":"busy"}"#, not_now("busy")),
            (200, "<html>hello</html>", foreign("<html>hello</html>")),
            (200, " ", foreign("(an empty body)")),
            (404, "Not Found", foreign("Not Found")),
            (
                404,
                r#"{"status":404,"error":"Not Found"}"#,
                foreign(r#"{"status":404,"error":"Not Found"}"#),
            ),
            (503, "<h1>busy</h1>", foreign("<h1>busy</h1>")),
            (200, "[]", foreign("[]")),
            (401, "", Answered::Denied("(an empty body)".to_owned())),
            (
                200,
                r#"{"code":401,"msg":"Unauthorized","data":"Need auth"}"#,
                Answered::Denied("Need auth".to_owned()),
            ),
            (
                200,
                r#"{"code":1,"msg":"Error","data":"LOAD command denied to user 'u'"}"#,
                Answered::Denied("LOAD command denied to user 'u'".to_owned()),
            ),
        ] {
            assert_eq!(of(status, text), expected, "{status} {text}");
        }
    }

    #[test]
    fn a_long_body_is_cut() {
        let Answered::Foreign(shown) = of(200, &"x".repeat(10_000)) else {
            panic!("it is no answer of Doris");
        };
        assert!(shown.chars().count() < 600, "{shown}");
    }
}
