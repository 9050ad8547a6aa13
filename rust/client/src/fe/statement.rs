//! The statement API of a front end: single queries over REST, answered in text.

use reqwest::Method;
use serde_json::{Value, json};

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::fe::{Frontends, odd, segment};
use crate::net::text_rows::TextRows;

/// Rows that are requested. A server returns 1,000 without a number, and has a bound of its own above.
const LIMIT: usize = 1_000_000;

/// Numbers of rows at which servers are known to cut.
const CUTS: [usize; 3] = [1_000, 10_000, LIMIT];

impl Frontends {
    /// Runs one query at one front end, with the database as the current one. An answer that the server may have cut
    /// is an error: what is read here must be complete.
    pub(crate) async fn statement(&self, fe: &Address, database: &str, sql: &str) -> Result<TextRows, Error> {
        let path = format!("/api/query/internal/{}", segment(database));
        let body = json!({ "stmt": sql, "is_sync": true, "limit": LIMIT });
        let data = self.call(fe, Method::POST, &path, Some(body)).await?;
        let rows = read(&data).ok_or_else(|| odd(fe, &format!("POST {path}"), "without rows", &data))?;
        if CUTS.contains(&rows.rows.len()) {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "front end {fe} gave exactly {} rows, and it may have more: its statement API cuts answers there",
                    rows.rows.len()
                ),
            ));
        }
        Ok(rows)
    }
}

/// Reads `{"meta": [{"name": ..}, ..], "data": [[..], ..]}`; `None` where it is something else.
fn read(data: &Value) -> Option<TextRows> {
    let columns: Vec<String> = data
        .get("meta")?
        .as_array()?
        .iter()
        .map(|column| Some(column.get("name")?.as_str()?.to_owned()))
        .collect::<Option<_>>()?;
    let cell = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let mut rows = Vec::new();
    for row in data.get("data")?.as_array()? {
        let row: Vec<Option<String>> = row.as_array()?.iter().map(cell).collect();
        if row.len() != columns.len() {
            return None;
        }
        rows.push(row);
    }
    Some(TextRows { columns, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_text_and_large_numbers_keep_their_digits() {
        let answer = r#"{"type":"result_set","meta":[{"name":"A","type":"BIGINT"},{"name":"b","type":"CHAR"}],
            "data":[[461373440032243713,"x"],[null,""]],"time":1}"#;
        let rows = read(&serde_json::from_str(answer).unwrap()).unwrap();
        assert_eq!(rows.first("a").unwrap(), Some("461373440032243713"));
        assert_eq!(rows.rows[1], [None, Some(String::new())]);
        assert!(rows.first("c").unwrap_err().to_string().contains("only: A, b"));
        for damaged in [
            r#"{"type":"exec_status","status":{},"time":1}"#,
            r#"{"meta":[{"name":"A"}],"data":[[1,2]]}"#,
            r#"{"meta":[{}],"data":[]}"#,
            r#"{"meta":[],"data":[1]}"#,
        ] {
            assert!(
                read(&serde_json::from_str(damaged).unwrap()).is_none(),
                "{damaged}"
            );
        }
    }
}
