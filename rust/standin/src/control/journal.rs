//! The journal: every request that a node answered and every fault rule that fired, credentials masked.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use serde::Serialize;

/// Entries kept; the oldest go first.
const KEPT: usize = 50_000;

/// One journal entry. Fields that do not apply stay empty and are not written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Entry {
    /// Position in the journal, from 1, without gaps.
    pub seq: u64,
    /// Time of the entry, UTC, milliseconds.
    pub time: String,
    /// `fe.http`, `be.http`, `mysql`, `fe.flight`, `be.flight` or `fault`.
    pub channel: &'static str,
    /// `fe0`, `be2`, ….
    pub node: String,
    /// HTTP method, gRPC method or MySQL command.
    pub method: String,
    /// HTTP path with its query string.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// SQL text, secrets masked.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub statement: String,
    /// Request headers, credentials masked.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Bytes of the request body.
    pub body_bytes: u64,
    /// HTTP status, envelope code, gRPC code or MySQL error code; `ok` for success.
    pub status: String,
    /// Text of a failure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Account that the request ran under.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// Flight or MySQL session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    /// Load label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Transaction id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txn_id: Option<i64>,
    /// What a load was answered, or would have been if the answer was not lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Rule that fired (channel `fault`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<u64>,
}

/// The journal of one cluster.
#[derive(Default)]
pub(crate) struct Journal {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    entries: VecDeque<Entry>,
}

impl Journal {
    /// Appends an entry; sequence and time are filled in here, the statement is masked here.
    pub(crate) fn add(&self, mut entry: Entry) {
        entry.time = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
        entry.statement = mask_statement(&entry.statement);
        entry.error = mask_statement(&entry.error);
        let mut state = self.lock();
        state.last += 1;
        entry.seq = state.last;
        if state.entries.len() == KEPT {
            state.entries.pop_front();
        }
        state.entries.push_back(entry);
    }

    /// The entries after sequence number `since`.
    pub(crate) fn since(&self, since: u64) -> Vec<Entry> {
        let state = self.lock();
        let start = state.entries.partition_point(|entry| entry.seq <= since);
        state.entries.range(start..).cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Headers of a request for the journal, in lower case, with credentials masked.
pub(crate) fn masked_headers<'a>(
    headers: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> BTreeMap<String, String> {
    headers
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value);
            (name.to_ascii_lowercase(), mask_header(name, &value))
        })
        .collect()
}

fn mask_header(name: &str, value: &str) -> String {
    let name = name.to_ascii_lowercase();
    if name == "authorization" || name == "proxy-authorization" {
        let scheme = value.split(' ').next().unwrap_or_default();
        return format!("{scheme} ***");
    }
    if name == "cookie" || is_secret_name(&name) {
        return "***".to_owned();
    }
    value.to_owned()
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [
        "password",
        "passwd",
        "secret",
        "access_key",
        "access-key",
        "accesskey",
        "token",
    ]
    .iter()
    .any(|word| name.contains(word))
}

/// Replaces quoted values that follow a secret's name (`'s3.secret_key' = '…'`, `IDENTIFIED BY '…'`, `PASSWORD('…')`) by `***`.
pub(crate) fn mask_statement(sql: &str) -> String {
    let mut masked = String::with_capacity(sql.len());
    let mut rest = sql;
    let mut word = String::new();
    let mut armed = false;
    while let Some(first) = rest.chars().next() {
        if first == '\'' || first == '"' || first == '`' {
            let end = quoted_end(rest, first);
            let (literal, tail) = rest.split_at(end);
            if armed && first != '`' {
                masked.push_str("'***'");
                armed = false;
            } else {
                masked.push_str(literal);
                armed = is_secret_name(literal);
            }
            word.clear();
            rest = tail;
            continue;
        }
        if first.is_alphanumeric() || matches!(first, '_' | '.' | '-') {
            word.push(first);
        } else {
            if !word.is_empty() {
                armed = is_secret_name(&word) || word.eq_ignore_ascii_case("by");
                word.clear();
            }
            if !(first.is_whitespace() || matches!(first, '=' | '(' | ':')) {
                armed = false;
            }
        }
        masked.push(first);
        rest = &rest[first.len_utf8()..];
    }
    masked
}

/// Byte length of the quoted text at the start of `text`; a doubled or escaped quote does not end it.
fn quoted_end(text: &str, quote: char) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote != '`' => at += 2,
            byte if byte == quote as u8 => {
                if bytes.get(at + 1) == Some(&(quote as u8)) {
                    at += 2;
                } else {
                    return at + 1;
                }
            }
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_statements_are_masked_and_nothing_else() {
        let sql = "INSERT INTO t SELECT * FROM S3('uri' = 's3://b/k', 's3.access_key' = 'AK', \"s3.secret_key\"=\"S'K\", 'format' = 'json')";
        let masked = mask_statement(sql);
        assert!(!masked.contains("AK") && !masked.contains("S'K"), "{masked}");
        assert!(
            masked.contains("'s3://b/k'") && masked.contains("'json'"),
            "{masked}"
        );
        assert_eq!(
            mask_statement("SET PASSWORD = PASSWORD('geheim')"),
            "SET PASSWORD = PASSWORD('***')"
        );
        assert_eq!(
            mask_statement("CREATE USER a IDENTIFIED BY 'x''y'"),
            "CREATE USER a IDENTIFIED BY '***'"
        );
        let plain = "SELECT `a`, 'it''s' FROM t WHERE name = 'by' AND x = 'y' ORDER BY `x`";
        assert_eq!(mask_statement(plain), plain);
        assert_eq!(mask_statement("SELECT 'offen"), "SELECT 'offen");
        assert_eq!(mask_statement("SELECT 'a\\"), "SELECT 'a\\");
    }

    #[test]
    fn authorization_keeps_its_scheme_only() {
        let headers = [
            ("Authorization", &b"Basic cm9vdDpzZWNyZXQ="[..]),
            ("accept", b"*/*"),
        ];
        let masked = masked_headers(headers.into_iter());
        assert_eq!(masked["authorization"], "Basic ***");
        assert_eq!(masked["accept"], "*/*");
    }

    #[test]
    fn entries_are_numbered_and_can_be_asked_for_from_a_position() {
        let journal = Journal::default();
        for method in ["a", "b", "c"] {
            journal.add(Entry {
                method: method.to_owned(),
                ..Entry::default()
            });
        }
        let tail: Vec<_> = journal
            .since(1)
            .into_iter()
            .map(|entry| (entry.seq, entry.method))
            .collect();
        assert_eq!(tail, [(2, "b".to_owned()), (3, "c".to_owned())]);
    }
}
