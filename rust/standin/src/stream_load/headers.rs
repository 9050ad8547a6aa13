//! The headers of a load as texts, by name whatever its letter case.

use std::collections::BTreeMap;

use axum::http::HeaderMap;

/// The parameters of one load. Values are decoded as UTF-8, or as Latin-1 where they are no UTF-8; blanks around them
/// are gone, as HTTP drops them. Of several headers of one name the first counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoadHeaders {
    by_name: BTreeMap<String, String>,
}

impl LoadHeaders {
    /// The headers of an HTTP request.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut by_name = BTreeMap::new();
        for name in headers.keys() {
            if let Some(value) = headers.get(name) {
                by_name.insert(name.as_str().to_owned(), decoded(value.as_bytes()));
            }
        }
        Self { by_name }
    }

    /// The value of a header, given its name in lower case; an empty value is `Some("")`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.by_name.get(name).map(String::as_str)
    }

    /// The value of a header unless it is absent or empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// Whether a header is `true`, letter case aside.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }
}

/// Headers from name and value, for loads that no HTTP request made.
impl<N: AsRef<str>, V: Into<String>> FromIterator<(N, V)> for LoadHeaders {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut by_name = BTreeMap::new();
        for (name, value) in pairs {
            by_name
                .entry(name.as_ref().to_ascii_lowercase())
                .or_insert_with(|| value.into());
        }
        Self { by_name }
    }
}

fn decoded(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn values_are_utf8_or_else_latin1() {
        let mut headers = HeaderMap::new();
        headers.insert(
            "columns",
            HeaderValue::from_bytes("größe,姓名".as_bytes()).unwrap(),
        );
        headers.insert("comment", HeaderValue::from_bytes(b"gr\xf6\xdfe").unwrap());
        headers.append("label", HeaderValue::from_static("first"));
        headers.append("label", HeaderValue::from_static("second"));
        headers.insert("compress_type", HeaderValue::from_static(""));
        let headers = LoadHeaders::of(&headers);
        assert_eq!(headers.get("columns"), Some("größe,姓名"));
        assert_eq!(headers.get("comment"), Some("größe"));
        assert_eq!(headers.get("label"), Some("first"));
        assert_eq!(
            (headers.get("compress_type"), headers.text("compress_type")),
            (Some(""), None)
        );
    }

    #[test]
    fn names_are_looked_up_in_lower_case() {
        let headers: LoadHeaders = [("Two_Phase_Commit", "TRUE"), ("FORMAT", "json")]
            .into_iter()
            .collect();
        assert!(headers.flag("two_phase_commit"));
        assert!(!headers.flag("strict_mode"));
        assert_eq!(headers.text("format"), Some("json"));
    }
}
