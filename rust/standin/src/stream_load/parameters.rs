//! The parameters of a load, read from its headers once and checked as the back end and the front end check them.

use super::LoadRefused;
use super::decompress::Compression;
use super::separator::decode;
use crate::profile::Switches;
use crate::profile::load::LoadSwitches;
use crate::store::row_shape::NewKeys;
use crate::stream_load::headers::LoadHeaders;
use crate::values::zone::Zone;

/// Parameters of Doris that change what the rows are, and that no client of ours sends.
const NOT_SERVED: [&str; 3] = ["jsonpaths", "json_root", "skip_lines"];

/// What the headers of a load say (Doris manual, Stream Load, "Load parameters").
#[derive(Debug)]
pub(super) struct Parameters {
    /// Form of the body.
    pub format: Format,
    /// Compression of the body.
    pub compression: Compression,
    /// `columns` as written.
    pub columns: Option<String>,
    /// Hidden columns that follow the visible ones when there is no `columns`.
    pub hidden: Vec<String>,
    /// `where` as written.
    pub predicate: Option<String>,
    /// Which rows delete.
    pub merge: Merge,
    /// Column that `function_column.sequence_col` names.
    pub sequence: Option<String>,
    /// Whether rows hold some of the columns only.
    pub update: Update,
    /// What becomes of a partial row whose key is new.
    pub new_keys: NewKeys,
    /// Largest share of filtered rows; infinite where it is not enforced.
    pub max_filter_ratio: f64,
    /// Values that do not fit filter their row.
    pub strict: bool,
    /// Zone for texts that name none; the server's when `None`.
    pub zone: Option<Zone>,
    /// Partitions to load into; all when empty.
    pub partitions: Vec<String>,
    /// The partitions are temporary ones.
    pub temporary: bool,
}

/// Form of the body.
#[derive(Debug)]
pub(super) enum Format {
    /// Lines of fields.
    Csv(CsvForm),
    /// JSON objects.
    Json(JsonForm),
    /// An Arrow IPC stream.
    Arrow,
}

/// How lines and fields are separated.
#[derive(Debug)]
pub(super) struct CsvForm {
    /// Between fields.
    pub separator: Vec<u8>,
    /// Behind lines.
    pub delimiter: Vec<u8>,
    /// Around fields that hold separators.
    pub enclose: Option<u8>,
    /// Before characters that stand for themselves.
    pub escape: Option<u8>,
    /// Quotes around a field are no part of it.
    pub trim_double_quotes: bool,
    /// Enclosing `"` stay in the value unless quotes are trimmed.
    pub keep_quotes: bool,
    /// An empty field is NULL.
    pub empty_as_null: bool,
}

/// How objects are found.
#[derive(Debug)]
pub(super) struct JsonForm {
    /// Each document is an array of rows.
    pub strip_outer_array: bool,
    /// Each line is a document; else the whole body is one.
    pub by_line: bool,
    /// Behind lines.
    pub delimiter: Vec<u8>,
    /// Numbers are read as the texts they are written as.
    pub numbers_as_texts: bool,
}

/// Which rows delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Merge {
    /// Those whose delete sign is set, where the load has one.
    Append,
    /// All.
    Delete,
    /// Those that meet the condition.
    Matching(String),
}

/// Whether rows hold some of the columns only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Update {
    /// Whole rows.
    Upsert,
    /// The same columns in all rows.
    Fixed,
    /// Each row the columns it names.
    Flexible,
}

impl Parameters {
    /// Reads the headers as a server of these switches does.
    pub(super) fn read(headers: &LoadHeaders, switches: &Switches) -> Result<Self, LoadRefused> {
        let list = |name| split_list(headers.text(name).unwrap_or_default());
        let (format, compression) = read_format(headers, switches)?;
        let group_commit = headers
            .text("group_commit")
            .is_some_and(|mode| !mode.eq_ignore_ascii_case("off_mode"));
        let partitions = list("partitions");
        let temporary = list("temporary_partitions");
        if !partitions.is_empty() && !temporary.is_empty() {
            return Err(LoadRefused::argument(
                "Can not specify both partitions and temporary partitions",
            ));
        }
        let parameters = Self {
            format,
            compression,
            columns: headers.text("columns").map(str::to_string),
            hidden: list("hidden_columns"),
            predicate: headers.text("where").map(str::to_string),
            merge: read_merge(headers)?,
            sequence: headers
                .text("function_column.sequence_col")
                .map(|name| bare(name).to_string()),
            update: read_update(headers)?,
            new_keys: read_new_keys(headers)?,
            max_filter_ratio: match group_commit {
                true => f64::INFINITY,
                false => read_ratio(headers)?,
            },
            strict: read_strict(headers)?,
            zone: headers
                .text("timezone")
                .or_else(|| headers.text("time_zone"))
                .map(read_zone)
                .transpose()?,
            temporary: !temporary.is_empty(),
            partitions: if temporary.is_empty() {
                partitions
            } else {
                temporary
            },
        };
        if parameters.update == Update::Flexible {
            parameters.check_flexible(headers)?;
        }
        Ok(parameters)
    }

    /// What `UPDATE_FLEXIBLE_COLUMNS` excludes.
    fn check_flexible(&self, headers: &LoadHeaders) -> Result<(), LoadRefused> {
        let Format::Json(_) = &self.format else {
            return Err(LoadRefused::argument(
                "flexible partial update only support json format as input file currently",
            ));
        };
        if headers.flag("fuzzy_parse") {
            return Err(LoadRefused::argument(
                "Don't support flexible partial update when 'fuzzy_parse' is enabled",
            ));
        }
        for name in [
            "columns",
            "hidden_columns",
            "function_column.sequence_col",
            "merge_type",
            "where",
        ] {
            if headers.text(name).is_some() {
                return Err(LoadRefused::argument(format!(
                    "Don't support flexible partial update when '{name}' is specified"
                )));
            }
        }
        Ok(())
    }
}

fn read_format(headers: &LoadHeaders, switches: &Switches) -> Result<(Format, Compression), LoadRefused> {
    let text = headers.text("format").unwrap_or("csv");
    let compress = headers.text("compress_type").unwrap_or_default();
    let name = text.to_ascii_lowercase();
    let unknown = || LoadRefused::internal(format!("unknown data format, format={text}"));
    if switches.compress_csv_only && name != "csv" && !compress.is_empty() {
        return Err(unknown());
    }
    let compression = match compress.to_ascii_lowercase().as_str() {
        "" | "plain" => Compression::None,
        "gz" => Compression::Gz,
        "lz4" => Compression::Lz4,
        "zstd" => Compression::Zstd,
        "bz2" | "deflate" | "lzo" | "lzop" | "lz4_block" | "lz4block" | "snappyblock" => {
            return Err(LoadRefused::internal(format!(
                "compress_type={compress} is not served here: gz, lz4 and zstd are"
            )));
        }
        _ => return Err(unknown()),
    };
    for name in NOT_SERVED {
        if headers.text(name).is_some() {
            return Err(LoadRefused::internal(format!("{name} is not served here")));
        }
    }
    let format = match name.as_str() {
        "csv" => Format::Csv(read_csv(headers, &switches.load)?),
        "json" => Format::Json(read_json(headers)?),
        "arrow" => Format::Arrow,
        "csv_with_names" | "csv_with_names_and_types" | "parquet" | "orc" => {
            return Err(LoadRefused::internal(format!(
                "format={text} is not served here: csv, json and arrow are"
            )));
        }
        _ => return Err(unknown()),
    };
    Ok((format, compression))
}

fn read_csv(headers: &LoadHeaders, switches: &LoadSwitches) -> Result<CsvForm, LoadRefused> {
    let one_byte = |name: &str| match headers.text(name) {
        None => Ok(None),
        Some(text) => match text.as_bytes() {
            [byte] => Ok(Some(*byte)),
            _ => Err(LoadRefused::argument(format!(
                "{name} must be single-char, actually is {text}"
            ))),
        },
    };
    Ok(CsvForm {
        separator: separator(headers, "column_separator", "\t")?,
        delimiter: separator(headers, "line_delimiter", "\n")?,
        enclose: one_byte("enclose")?,
        escape: one_byte("escape")?,
        trim_double_quotes: headers.flag("trim_double_quotes"),
        keep_quotes: switches.enclose_keeps_quotes,
        empty_as_null: headers.flag("empty_field_as_null"),
    })
}

fn separator(headers: &LoadHeaders, name: &str, default: &str) -> Result<Vec<u8>, LoadRefused> {
    decode(headers.text(name).unwrap_or(default)).map_err(LoadRefused::analysis)
}

fn read_json(headers: &LoadHeaders) -> Result<JsonForm, LoadRefused> {
    let strip_outer_array = headers.flag("strip_outer_array");
    Ok(JsonForm {
        strip_outer_array,
        by_line: headers.flag("read_json_by_line") || !strip_outer_array,
        delimiter: separator(headers, "line_delimiter", "\n")?,
        numbers_as_texts: headers.flag("num_as_string"),
    })
}

fn read_merge(headers: &LoadHeaders) -> Result<Merge, LoadRefused> {
    let condition = headers.text("delete");
    let text = headers.text("merge_type").unwrap_or("APPEND");
    match (text.to_ascii_uppercase().as_str(), condition) {
        ("MERGE", Some(condition)) => Ok(Merge::Matching(condition.to_string())),
        ("MERGE", None) => Err(LoadRefused::argument(
            "Excepted DELETE ON clause when merge type is MERGE.",
        )),
        ("APPEND" | "DELETE", Some(_)) => Err(LoadRefused::argument(
            "Not support DELETE ON clause when merge type is not MERGE.",
        )),
        ("APPEND", None) => Ok(Merge::Append),
        ("DELETE", None) => Ok(Merge::Delete),
        _ => Err(LoadRefused::argument(format!("Invalid merge type {text}"))),
    }
}

fn read_update(headers: &LoadHeaders) -> Result<Update, LoadRefused> {
    match headers.text("unique_key_update_mode") {
        None if headers.flag("partial_columns") => Ok(Update::Fixed),
        None => Ok(Update::Upsert),
        Some(text) => match text.to_ascii_uppercase().as_str() {
            "UPSERT" => Ok(Update::Upsert),
            "UPDATE_FIXED_COLUMNS" => Ok(Update::Fixed),
            "UPDATE_FLEXIBLE_COLUMNS" => Ok(Update::Flexible),
            _ => Err(LoadRefused::argument(format!(
                "Invalid unique_key_partial_mode {text}, must be one of 'UPSERT', 'UPDATE_FIXED_COLUMNS' or \
                 'UPDATE_FLEXIBLE_COLUMNS'"
            ))),
        },
    }
}

fn read_new_keys(headers: &LoadHeaders) -> Result<NewKeys, LoadRefused> {
    match headers.text("partial_update_new_key_behavior") {
        None => Ok(NewKeys::Append),
        Some(text) if text.eq_ignore_ascii_case("APPEND") => Ok(NewKeys::Append),
        Some(text) if text.eq_ignore_ascii_case("ERROR") => Ok(NewKeys::Error),
        Some(text) => Err(LoadRefused::argument(format!(
            "Invalid partial_update_new_key_behavior {text}, must be one of {{'APPEND', 'ERROR'}}"
        ))),
    }
}

fn read_ratio(headers: &LoadHeaders) -> Result<f64, LoadRefused> {
    let Some(text) = headers.text("max_filter_ratio") else {
        return Ok(0.0);
    };
    match text.trim().parse::<f64>() {
        Ok(ratio) if (0.0..=1.0).contains(&ratio) => Ok(ratio),
        _ => Err(LoadRefused::argument(format!("Invalid max_filter_ratio: {text}"))),
    }
}

fn read_strict(headers: &LoadHeaders) -> Result<bool, LoadRefused> {
    match headers.text("strict_mode") {
        None => Ok(false),
        Some(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Some(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        Some(_) => Err(LoadRefused::argument(
            "Invalid strict mode format. Must be bool type",
        )),
    }
}

fn read_zone(text: &str) -> Result<Zone, LoadRefused> {
    text.parse()
        .map_err(|_| LoadRefused::analysis(format!("Unknown or incorrect time zone: '{text}'")))
}

/// `a, b,c` as names.
fn split_list(text: &str) -> Vec<String> {
    text.split(',')
        .map(|name| bare(name).to_string())
        .filter(|name| !name.is_empty())
        .collect()
}

/// A name without blanks and backticks around it.
fn bare(name: &str) -> &str {
    name.trim().trim_matches('`')
}
