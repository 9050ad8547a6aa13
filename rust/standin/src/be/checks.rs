//! What a back end checks in the headers of a load before it reads the body.

use axum::http::{HeaderMap, header};

use crate::profile::load::LoadSwitches;
use crate::sql::engine::Engine;
use crate::store::info::TableInfo;
use crate::stream_load::headers::LoadHeaders;

/// Longest `timeout` of a load, in seconds.
const MOST_TIMEOUT_S: u64 = 259_200;

/// How the rows of a load become visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// At its end.
    Plain,
    /// By a later commit.
    TwoPhase,
    /// At its end, under a label of the server.
    GroupSync,
    /// Some time after its end, under a label of the server.
    GroupAsync,
}

impl Mode {
    pub(super) fn is_group(self) -> bool {
        matches!(self, Self::GroupSync | Self::GroupAsync)
    }
}

/// Headers that were found good.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    pub(super) mode: Mode,
    /// `Content-Length`; absent for a chunked body.
    pub(super) length: Option<u64>,
    /// Largest body in bytes, and the name of its switch.
    pub(super) most: (u64, &'static str),
    pub(super) timeout_s: Option<u64>,
}

/// Checks the headers of a load into a table; the error is the `Message` of the answer. `two_lengths`: there were both
/// `Content-Length` and `Transfer-Encoding`.
pub(super) fn check(
    engine: &Engine,
    http: &HeaderMap,
    headers: &LoadHeaders,
    table: &TableInfo,
    two_lengths: bool,
) -> Result<Checked, String> {
    let switches = &engine.switches().load;
    let length = length(http, two_lengths)?;
    let most = most(headers, switches);
    if let Some(length) = length.filter(|length| *length > most.0) {
        return Err(too_large(length, most));
    }
    if engine.switches().compress_csv_only && is_json(headers) && headers.text("compress_type").is_some() {
        return Err("[INTERNAL_ERROR]compress data of JSON format is not supported".to_owned());
    }
    let timeout_s = timeout(headers)?;
    let mode = mode(headers, switches, table, length)?;
    Ok(Checked {
        mode,
        length,
        most,
        timeout_s,
    })
}

/// Text for a body that is larger than the server takes.
pub(super) fn too_large(bytes: u64, most: (u64, &'static str)) -> String {
    format!(
        "[EXCEEDED_LIMIT]body size {bytes} exceed BE's conf `{}` {}. increase it if you are sure this load is reasonable",
        most.1, most.0
    )
}

fn length(http: &HeaderMap, two_lengths: bool) -> Result<Option<u64>, String> {
    let chunked = http
        .get(header::TRANSFER_ENCODING)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"chunked"));
    let length = http.get(header::CONTENT_LENGTH).map(|value| value.to_str());
    if two_lengths {
        return Err("[INTERNAL_ERROR]please do not set both content_length and transfer-encoding".to_owned());
    }
    match (length, chunked) {
        (None, false) => Err(
            "[INTERNAL_ERROR]content_length is empty and transfer-encoding!=chunked, please set content_length or transfer-encoding=chunked".to_owned(),
        ),
        (_, true) => Ok(None),
        (Some(length), false) => {
            let length = length.ok().and_then(|length| length.parse().ok());
            let length = length.ok_or("[INTERNAL_ERROR]invalid HTTP header CONTENT_LENGTH")?;
            Ok(Some(length))
        }
    }
}

fn most(headers: &LoadHeaders, switches: &LoadSwitches) -> (u64, &'static str) {
    // JSON with neither is read by line.
    if is_json(headers) && headers.flag("strip_outer_array") && !headers.flag("read_json_by_line") {
        return (switches.json_max_bytes, "streaming_load_json_max_mb");
    }
    (switches.max_bytes, "streaming_load_max_mb")
}

fn is_json(headers: &LoadHeaders) -> bool {
    headers
        .get("format")
        .is_some_and(|format| format.eq_ignore_ascii_case("json"))
}

fn timeout(headers: &LoadHeaders) -> Result<Option<u64>, String> {
    let Some(text) = headers.text("timeout") else {
        return Ok(None);
    };
    let seconds = text
        .parse()
        .map_err(|_| format!("[INVALID_ARGUMENT]Invalid timeout format, {text}"))?;
    if (1..=MOST_TIMEOUT_S).contains(&seconds) {
        return Ok(Some(seconds));
    }
    Err(format!(
        "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = Invalid timeout. Timeout should between 1 and {MOST_TIMEOUT_S} seconds"
    ))
}

fn mode(
    headers: &LoadHeaders,
    switches: &LoadSwitches,
    table: &TableInfo,
    length: Option<u64>,
) -> Result<Mode, String> {
    // Exactly this word: any other value is a load without 2PC.
    let two_phase = headers.get("two_phase_commit") == Some("true");
    if let Some(group) = group_commit(headers, table, length, two_phase)? {
        return Ok(group);
    }
    if !two_phase {
        return Ok(Mode::Plain);
    }
    if switches.two_phase_disabled {
        return Err("[INTERNAL_ERROR]Two phase commit (2PC) for stream load was disabled".to_owned());
    }
    if !switches.two_phase_on_unique && table.keys_type == crate::store::info::KeysType::Unique {
        return Err("[INTERNAL_ERROR]stream load 2pc is unsupported for mow table".to_owned());
    }
    Ok(Mode::TwoPhase)
}

/// The mode of group commit, where it applies: not to empty bodies, partial columns, partitions or 2PC.
fn group_commit(
    headers: &LoadHeaders,
    table: &TableInfo,
    length: Option<u64>,
    two_phase: bool,
) -> Result<Option<Mode>, String> {
    let asked = headers.text("group_commit");
    let property = || {
        let property = table.properties.get("group_commit_mode").map(String::as_str);
        property.filter(|_| headers.text("label").is_none())
    };
    let mode = match asked.or_else(property).map(str::to_ascii_lowercase).as_deref() {
        None | Some("off_mode") => return Ok(None),
        Some("sync_mode") => Mode::GroupSync,
        Some("async_mode") => Mode::GroupAsync,
        Some(_) => {
            return Err(
                "[INVALID_ARGUMENT]group_commit can only be [async_mode, sync_mode, off_mode]".to_owned(),
            );
        }
    };
    if length == Some(0) {
        return Ok(None);
    }
    if headers.text("label").is_some() {
        return Err("[INVALID_ARGUMENT]label and group_commit can't be set at the same time".to_owned());
    }
    let partial = headers.flag("partial_columns")
        || headers
            .text("unique_key_update_mode")
            .is_some_and(|mode| !mode.eq_ignore_ascii_case("UPSERT"));
    let partitions = ["partitions", "temporary_partitions"]
        .iter()
        .any(|name| headers.text(name).is_some());
    Ok((!partial && !partitions && !two_phase).then_some(mode))
}
