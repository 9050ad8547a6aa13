//! The Stream Load parameters of a sink, parsed once: what the body is made of, and the headers that go out with
//! every load.

use doris_arrow::encode::{CsvOptions, Format, JsonOptions};
use http::{HeaderName, HeaderValue};

use super::compress::CompressType;
use super::separator;
use crate::error::{Error, ErrorKind};

/// Parameters that this client sets by itself, or that would change how HTTP carries the body.
const RESERVED: [&str; 16] = [
    "label",
    "two_phase_commit",
    "authorization",
    "expect",
    "content-length",
    "transfer-encoding",
    "db",
    "table",
    "host",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "proxy-authorization",
    "proxy-connection",
];

/// The parameters of `sink.properties.*`, resolved.
#[derive(Clone, Debug)]
pub(crate) struct Properties {
    /// What the body is made of.
    pub(crate) format: Format,
    /// `compress_type`.
    pub(crate) compress_type: CompressType,
    /// The user's `columns`.
    pub(crate) columns: Option<String>,
    /// Whether the user gave `hidden_columns`.
    pub(crate) hidden_columns: bool,
    /// `unique_key_update_mode` = `UPDATE_FLEXIBLE_COLUMNS`: each row names its own columns.
    pub(crate) flexible: bool,
    /// Whether `merge_type` decides what is deleted.
    pub(crate) merges: bool,
    /// What goes out with every load, `columns` aside.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

/// The escape character where `enclose` is given without one.
pub(super) const DEFAULT_ESCAPE: u8 = b'\\';

impl Properties {
    /// Parses names (in lower case) and values. An error names the parameter as the user wrote it.
    pub(crate) fn parse(given: Vec<(String, String)>) -> Result<Self, Error> {
        let get = |name: &str| {
            given
                .iter()
                .find(|(n, _)| n.eq_ignore_ascii_case(name))
                .map(|(_, v)| v.as_str())
        };
        let flag = |name: &str| get(name).is_some_and(|v| v.trim().eq_ignore_ascii_case("true"));
        let line_delimiter = separator::bytes(get("line_delimiter").unwrap_or("\n"));
        if line_delimiter.is_empty() {
            return Err(unusable("line_delimiter", "it is empty"));
        }
        let flexible = get("unique_key_update_mode")
            .is_some_and(|mode| mode.trim().eq_ignore_ascii_case("UPDATE_FLEXIBLE_COLUMNS"));
        let format = match get("format")
            .unwrap_or("csv")
            .trim()
            .to_ascii_lowercase()
            .as_str()
        {
            "csv" => {
                let column_separator = separator::bytes(get("column_separator").unwrap_or("\t"));
                if column_separator.is_empty() {
                    return Err(unusable("column_separator", "it is empty"));
                }
                let enclose = single("enclose", get("enclose"))?;
                Format::Csv(CsvOptions {
                    column_separator,
                    line_delimiter,
                    enclose,
                    // Without one the server could not read back what an enclosed text may hold.
                    escape: single("escape", get("escape"))?.or(enclose.map(|_| DEFAULT_ESCAPE)),
                })
            }
            "json" if flag("strip_outer_array") => {
                return Err(unusable(
                    "strip_outer_array",
                    "rows are sent as one object per line",
                ));
            }
            "json" => Format::Json(JsonOptions {
                line_delimiter,
                skip_nulls: flexible,
            }),
            "arrow" => Format::Arrow,
            other => {
                return Err(unusable(
                    "format",
                    &format!("'{other}' is not known; allowed: csv, json, arrow"),
                ));
            }
        };
        let compress_type = match get("compress_type") {
            None => CompressType::None,
            Some(text) => CompressType::parse(text).ok_or_else(|| {
                unusable(
                    "compress_type",
                    &format!("'{text}' cannot be produced here; allowed: gz, lz4, zstd or nothing"),
                )
            })?,
        };
        let mut headers = Vec::with_capacity(given.len());
        for (name, value) in &given {
            let lower = name.to_ascii_lowercase();
            if RESERVED.contains(&lower.as_str()) {
                return Err(unusable(name, "the sink sets it by itself"));
            }
            match lower.as_str() {
                "columns" => continue,
                // Empty is the server's default, and some proxies drop headers without a value.
                "compress_type" if compress_type == CompressType::None => continue,
                _ => {}
            }
            let value = match lower.as_str() {
                "column_separator" | "line_delimiter" => separator::header(value),
                _ => value.clone(),
            };
            headers.push((header_name(name)?, header_value(name, &value)?));
        }
        Ok(Self {
            format,
            compress_type,
            columns: get("columns").map(str::to_owned).filter(|c| !c.trim().is_empty()),
            hidden_columns: get("hidden_columns").is_some(),
            flexible,
            merges: get("merge_type").is_some_and(|m| !m.trim().eq_ignore_ascii_case("APPEND")),
            headers,
        })
    }

    /// Whether a header of this name goes out with every load.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(n, _)| n.as_str() == name)
    }

    /// Seconds that the server lets a load take, as each load requests.
    pub(crate) fn timeout(&self) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(n, _)| n.as_str() == "timeout")?;
        value.to_str().ok()
    }
}

/// A value as UTF-8, which is what Doris reads.
pub(super) fn header_value(name: &str, value: &str) -> Result<HeaderValue, Error> {
    HeaderValue::from_bytes(value.trim().as_bytes())
        .map_err(|_| unusable(name, "its value has a line break or control character"))
}

fn header_name(name: &str) -> Result<HeaderName, Error> {
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable(name, "it cannot be the name of a header"))
}

fn single(name: &str, value: Option<&str>) -> Result<Option<u8>, Error> {
    match value.map(separator::bytes).as_deref() {
        None | Some([]) => Ok(None),
        Some([byte]) => Ok(Some(*byte)),
        Some(_) => Err(unusable(name, "it must be one character")),
    }
}

fn unusable(name: &str, why: &str) -> Error {
    Error::new(
        ErrorKind::Config,
        format!("'sink.properties.{name}' is not usable: {why}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(given: &[(&str, &str)]) -> Result<Properties, Error> {
        Properties::parse(
            given
                .iter()
                .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn values_go_out_unchanged_and_are_understood() {
        let properties = parse(&[
            ("format", "csv"),
            ("column_separator", ", "),
            ("line_delimiter", "\\n"),
            ("compress_type", ""),
            ("where", "名 > 1"),
            ("columns", "a, b"),
        ])
        .unwrap();
        let Format::Csv(csv) = &properties.format else {
            panic!("{properties:?}")
        };
        assert_eq!(
            (csv.column_separator.as_slice(), csv.line_delimiter.as_slice()),
            (&b", "[..], &b"\n"[..])
        );
        assert_eq!(properties.compress_type, CompressType::None);
        assert_eq!(properties.columns.as_deref(), Some("a, b"));
        let sent: Vec<(&str, &[u8])> = properties
            .headers
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_bytes()))
            .collect();
        assert_eq!(
            sent,
            [
                ("format", &b"csv"[..]),
                ("column_separator", b"\\x2c20"),
                ("line_delimiter", b"\\n"),
                ("where", "名 > 1".as_bytes()),
            ]
        );
    }

    #[test]
    fn net_5_what_frames_the_body_cannot_be_set() {
        for name in ["Transfer-Encoding", "content-length", "label", "Authorization"] {
            let error = parse(&[(name, "x")]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn unusable_parameters_are_named() {
        for (name, value) in [
            ("format", "orc"),
            ("column_separator", ""),
            ("enclose", "ab"),
            ("where", "a\nb"),
            ("a b", "c"),
        ] {
            let error = parse(&[(name, value)]).unwrap_err().to_string();
            assert!(error.contains(&format!("sink.properties.{name}")), "{error}");
        }
        assert!(parse(&[("format", "json"), ("strip_outer_array", "true")]).is_err());
    }
}
