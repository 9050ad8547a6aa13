//! Maps of text between Java's `TextMap` and the client: requests in, results out.

use std::collections::BTreeMap;

use doris_arrow::types::{FlinkField, FlinkKind, FlinkType};
use doris_client::ErrorKind;
use doris_client::write::load::{Input, Labels, LoadOutcome, LoadSpec};

use crate::guard::Failure;

/// A request from Java: texts by name.
pub struct Request(BTreeMap<String, String>);

impl Request {
    /// Reads u32 count, then per entry u32 length and UTF-8 of the name, the same of the value, big-endian.
    pub fn decode(bytes: &[u8]) -> Result<Self, Failure> {
        let mut rest = bytes;
        let map = take_map(&mut rest).filter(|_| rest.is_empty());
        map.map(Self)
            .ok_or_else(|| Failure::new(ErrorKind::Config, "a request from Java cannot be decoded"))
    }

    /// Whether there is such a value.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A value that must be there.
    pub fn text(&self, name: &str) -> Result<&str, Failure> {
        self.0
            .get(name)
            .map(String::as_str)
            .ok_or_else(|| Failure::new(ErrorKind::Config, format!("the request lacks '{name}'")))
    }

    /// A number.
    pub fn number<N: std::str::FromStr>(&self, name: &str) -> Result<N, Failure> {
        let text = self.text(name)?;
        text.parse().map_err(|_| unusable(name, text, "a number"))
    }

    /// `true` or `false`.
    pub fn flag(&self, name: &str) -> Result<bool, Failure> {
        match self.text(name)? {
            "true" => Ok(true),
            "false" => Ok(false),
            text => Err(unusable(name, text, "true or false")),
        }
    }

    /// As many parts as `count`, each read by its number.
    pub fn parts<P>(&self, part: impl Fn(&Self, usize) -> Result<P, Failure>) -> Result<Vec<P>, Failure> {
        (0..self.number("count")?).map(|i| part(self, i)).collect()
    }

    /// The declared columns; `None` when the text is empty.
    pub fn declared(&self) -> Result<Option<Vec<FlinkField>>, Failure> {
        let text = self.text("declared")?;
        if text.is_empty() {
            return Ok(None);
        }
        match FlinkType::parse(text).map(|parsed| parsed.kind) {
            Ok(FlinkKind::Row(fields)) => Ok(Some(fields)),
            _ => Err(unusable("declared", text, "a serializable ROW type")),
        }
    }
}

fn unusable(name: &str, text: &str, allowed: &str) -> Failure {
    Failure::new(
        ErrorKind::Config,
        format!("'{name}' = '{text}' is not usable; allowed: {allowed}"),
    )
}

fn take_map(rest: &mut &[u8]) -> Option<BTreeMap<String, String>> {
    let mut map = BTreeMap::new();
    for _ in 0..take_u32(rest)? {
        let name = take_text(rest)?;
        map.insert(name, take_text(rest)?);
    }
    Some(map)
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = take_u32(rest)?;
    let (text, tail) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = tail;
    String::from_utf8(text.to_vec()).ok()
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    let (number, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(u32::from_be_bytes(*number))
}

/// The load that Java describes.
pub fn load_spec(bytes: &[u8]) -> Result<LoadSpec, Failure> {
    let request = Request::decode(bytes)?;
    let delete_sign = request.flag("delete-sign")?;
    let declared = request.declared()?;
    let input = match (request.text("input")?, declared) {
        ("rows", Some(declared)) => Input::Rows {
            declared,
            delete_sign,
        },
        ("rows", None) => return Err(unusable("declared", "", "the columns of the rows")),
        ("raw", _) => Input::Raw { delete_sign },
        (other, _) => return Err(unusable("input", other, "rows or raw")),
    };
    Ok(LoadSpec {
        database: request.text("database")?.to_owned(),
        table: request.text("table")?.to_owned(),
        labels: Labels {
            base: request.text("labels.base")?.to_owned(),
            next: request.number("labels.next")?,
        },
        input,
    })
}

/// An outcome as `NativeLoad.result` reads it; what the server's answer lacks is absent.
pub fn outcome_bytes(outcome: &LoadOutcome) -> Vec<u8> {
    let mut map = Answer::default();
    map.put_some("label", outcome.label.as_ref());
    map.put_some("txn.id", outcome.txn_id);
    map.put("next", outcome.next);
    map.put_some("status", outcome.status.as_ref());
    map.put("rows", outcome.rows);
    map.put("sent.bytes", outcome.sent_bytes);
    let numbers = &outcome.numbers;
    for (name, number) in [
        ("total.rows", numbers.total_rows),
        ("loaded.rows", numbers.loaded_rows),
        ("filtered.rows", numbers.filtered_rows),
        ("unselected.rows", numbers.unselected_rows),
        ("load.bytes", numbers.load_bytes),
        ("load.time.ms", numbers.load_time_ms),
        ("begin.txn.time.ms", numbers.begin_txn_time_ms),
        ("put.time.ms", numbers.put_time_ms),
        ("read.time.ms", numbers.read_time_ms),
        ("write.time.ms", numbers.write_time_ms),
        ("commit.publish.time.ms", numbers.commit_publish_time_ms),
    ] {
        map.put_some(name, number);
    }
    map.put("retries", outcome.retries);
    map.put("skipped.count", outcome.skipped.len());
    for (i, label) in outcome.skipped.iter().enumerate() {
        map.put(&format!("skipped.{i}"), label);
    }
    map.into_bytes()
}

/// A map on its way to Java.
#[derive(Default)]
pub struct Answer {
    entries: u32,
    bytes: Vec<u8>,
}

impl Answer {
    /// Adds an entry; each name once.
    pub fn put(&mut self, name: &str, value: impl ToString) {
        self.entries += 1;
        self.put_text(name);
        self.put_text(&value.to_string());
    }

    /// Adds an entry if there is a value.
    pub fn put_some(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    /// u32 count, then per entry u32 length and UTF-8 of the name, the same of the value, big-endian.
    pub fn into_bytes(self) -> Vec<u8> {
        [&self.entries.to_be_bytes()[..], &self.bytes].concat()
    }

    fn put_text(&mut self, text: &str) {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(&length.to_be_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut map = Answer::default();
        entries.iter().for_each(|(name, value)| map.put(name, value));
        map.into_bytes()
    }

    const SPEC: [(&str, &str); 7] = [
        ("database", "db"),
        ("table", "é"),
        ("labels.base", "a_"),
        ("labels.next", "7"),
        ("input", "rows"),
        ("declared", "ROW<`id` BIGINT NOT NULL>"),
        ("delete-sign", "true"),
    ];

    fn with(name: &str, value: &str) -> Vec<u8> {
        let mut entries = SPEC;
        entries
            .iter_mut()
            .filter(|(n, _)| *n == name)
            .for_each(|entry| entry.1 = value);
        bytes(&entries)
    }

    #[test]
    fn a_load_is_described_completely() {
        let spec = load_spec(&bytes(&SPEC)).unwrap();
        assert_eq!((&*spec.database, &*spec.table), ("db", "é"));
        assert_eq!((&*spec.labels.base, spec.labels.next), ("a_", 7));
        match spec.input {
            Input::Rows {
                declared,
                delete_sign: true,
            } => assert_eq!(declared[0].name, "id"),
            other => panic!("{other:?}"),
        }
        let raw = load_spec(&with("input", "raw")).unwrap();
        assert_eq!(raw.input, Input::Raw { delete_sign: true });
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for left_out in 0..SPEC.len() {
            let mut entries = SPEC.to_vec();
            let (name, _) = entries.remove(left_out);
            let failure = load_spec(&bytes(&entries)).unwrap_err();
            assert_eq!(failure.kind(), ErrorKind::Config);
            assert_eq!(failure.message(), format!("the request lacks '{name}'"));
        }
        for (name, value) in [
            ("labels.next", "-1"),
            ("input", "cells"),
            ("declared", ""),
            ("declared", "BIGINT"),
            ("declared", "ROW<"),
            ("delete-sign", "yes"),
        ] {
            let failure = load_spec(&with(name, value)).unwrap_err();
            let start = format!("'{name}' = '{value}' is not usable; allowed: ");
            assert!(failure.message().starts_with(&start), "{}", failure.message());
        }
    }

    #[test]
    fn damaged_bytes_are_no_request() {
        let whole = bytes(&SPEC);
        for length in 0..whole.len() {
            assert!(Request::decode(&whole[..length]).is_err());
        }
        assert!(Request::decode(&[&whole[..], &[0]].concat()).is_err());
        assert!(Request::decode(&[0, 0, 0, 1, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0]).is_err());
        assert!(Request::decode(&[0xFF; 4]).is_err());
    }

    #[test]
    fn an_outcome_has_what_the_answer_had() {
        let outcome = LoadOutcome {
            label: Some("a_3".into()),
            txn_id: Some(-5),
            next: 4,
            skipped: vec!["a_1".into(), "a_2".into()],
            ..LoadOutcome::default()
        };
        let map = Request::decode(&outcome_bytes(&outcome)).unwrap().0;
        let entries: Vec<_> = map.iter().map(|(n, v)| (&**n, &**v)).collect();
        assert_eq!(
            entries,
            [
                ("label", "a_3"),
                ("next", "4"),
                ("retries", "0"),
                ("rows", "0"),
                ("sent.bytes", "0"),
                ("skipped.0", "a_1"),
                ("skipped.1", "a_2"),
                ("skipped.count", "2"),
                ("txn.id", "-5"),
            ]
        );
    }
}
