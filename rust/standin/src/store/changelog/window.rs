//! The parameters of `@incr`: which changes are read, and in which form.

use super::properties::worded;
use crate::cluster::clock::first_stamp;
use crate::error::SqlError;
use crate::profile::{Border, NameSet};
use crate::store::info::KeysType;
use crate::store::schema::TableSchema;
use crate::values::datetime::read_instant;
use crate::values::zone::Zone;

/// What is shown of the recorded changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncrementType {
    /// Every record in order.
    Detail,
    /// At most one net change of each key.
    MinDelta,
    /// Inserts only.
    AppendOnly,
}

/// `@incr(…)` as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Incr {
    /// Names and values in the order they were written.
    pub parameters: Vec<(String, String)>,
    /// The query has some order: else rows come tablet by tablet.
    pub ordered: bool,
}

/// A requested window, in milliseconds of the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// What is shown.
    pub increment: IncrementType,
    /// Where it starts; `None` for the oldest change that is kept.
    pub start_ms: Option<i64>,
    /// Where it ends; `None` for the newest change.
    pub end_ms: Option<i64>,
}

impl Incr {
    /// Reads the parameters for a table. Times are wall clock in `zone`.
    pub fn window(&self, schema: &TableSchema, zone: &Zone, names: NameSet) -> Result<Window, SqlError> {
        let known = ["startTimestamp", "endTimestamp", "incrementType"];
        let strange: Vec<&str> = self
            .parameters
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !known.contains(name))
            .collect();
        if !strange.is_empty() {
            return Err(SqlError::plain(format!(
                "Unsupported parameter in incr query: [{}]",
                strange.join(", ")
            )));
        }
        if schema.changelog().is_none() {
            return Err(worded(
                names,
                "INCR query requires ROW binlog enabled on base table.",
            ));
        }
        let value = |wanted: &str| {
            let given = self.parameters.iter().rev().find(|(name, _)| name == wanted);
            given.map(|(_, value)| value.as_str())
        };
        let time = |wanted| value(wanted).map(|text| read_time(text, zone)).transpose();
        Ok(Window {
            increment: read_type(value("incrementType"), schema)?,
            start_ms: time("startTimestamp")?,
            end_ms: time("endTimestamp")?,
        })
    }
}

fn read_type(text: Option<&str>, schema: &TableSchema) -> Result<IncrementType, SqlError> {
    let Some(text) = text else {
        return Ok(match schema.keys_type {
            KeysType::Duplicate => IncrementType::AppendOnly,
            KeysType::Unique | KeysType::Aggregate => IncrementType::MinDelta,
        });
    };
    match text.to_uppercase().as_str() {
        "DETAIL" => Ok(IncrementType::Detail),
        "MIN_DELTA" => Ok(IncrementType::MinDelta),
        "APPEND_ONLY" => Ok(IncrementType::AppendOnly),
        other => Err(SqlError::plain(format!(
            "Unsupported increment type in incr query: {other}"
        ))),
    }
}

/// `yyyy-MM-dd HH:mm:ss`, with a fraction where one is given, as milliseconds of the epoch; `0` is the epoch.
fn read_time(text: &str, zone: &Zone) -> Result<i64, SqlError> {
    let invalid = || SqlError::plain(format!("Invalid TIMESTAMP format in incr clause: {text}"));
    if text == "0" {
        return Ok(0);
    }
    let (seconds, fraction) = text.split_at_checked(19).ok_or_else(invalid)?;
    let shape = "dddd-dd-dd dd:dd:dd".bytes().zip(seconds.bytes());
    let fits = shape.into_iter().all(|(form, byte)| match form {
        b'd' => byte.is_ascii_digit(),
        other => byte == other,
    });
    let fraction_fits = fraction.is_empty()
        || fraction.strip_prefix('.').is_some_and(|digits| {
            (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
    if !fits || !fraction_fits {
        return Err(invalid());
    }
    let seconds = read_instant(seconds, 0, zone)
        .ok_or_else(invalid)?
        .div_euclid(1000);
    let digits = fraction.strip_prefix('.').unwrap_or_default();
    let ms: i64 = format!("{digits:0<3}")[..3].parse().unwrap_or(0);
    Ok(seconds + ms)
}

impl Window {
    /// The stamps that belong to the window: from the first to the one after the last.
    pub fn stamps(&self, border: Border) -> (u64, u64) {
        let at = |ms: i64| match border {
            Border::StartInclusive => first_stamp(ms),
            Border::EndInclusive => first_stamp(ms.saturating_add(1)),
        };
        let start = self.start_ms.map_or(0, at);
        let end = self.end_ms.map_or(u64::MAX, at);
        (start, end.max(start))
    }

    /// What is shown of the table's changes.
    pub fn shown(&self, schema: &TableSchema) -> IncrementType {
        match schema.keys_type {
            KeysType::Duplicate => IncrementType::AppendOnly,
            KeysType::Unique | KeysType::Aggregate => self.increment,
        }
    }

    /// Fails where `MIN_DELTA` cannot be computed: changes that it would need are expired, or were never recorded.
    /// `expired_to_ms`: changes up to this millisecond are expired.
    pub fn check(&self, schema: &TableSchema, expired_to_ms: i64, names: NameSet) -> Result<(), SqlError> {
        if self.increment != IncrementType::MinDelta {
            return Ok(());
        }
        let empty = matches!((self.start_ms, self.end_ms), (Some(start), Some(end)) if start >= end);
        if !empty && self.start_ms.is_some_and(|start| start <= expired_to_ms) {
            return Err(SqlError::plain(match names {
                NameSet::Binlog => "Row binlog offset has expired according to binlog.ttl_seconds",
                NameSet::Changelog | NameSet::Both => {
                    "Changelog offset has expired according to changelog.ttl_seconds"
                }
            }));
        }
        // Nothing of a Duplicate table can be netted: the rows are those of APPEND_ONLY.
        if schema.keys_type == KeysType::Duplicate {
            return Ok(());
        }
        if schema.keys_type != KeysType::Unique {
            return Err(SqlError::plain(
                "MIN_DELTA INCR query requires base table to be UNIQUE KEY with enable_unique_key_merge_on_write=true",
            ));
        }
        if !schema.changelog().is_some_and(|changelog| changelog.history) {
            return Err(worded(
                names,
                "MIN_DELTA INCR query requires base table to enable binlog.need_historical_value=true",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_wall_clock_with_a_fraction_or_not() {
        let shanghai: Zone = "Asia/Shanghai".parse().unwrap();
        assert_eq!(
            read_time("2026-10-09 10:00:00", &Zone::UTC).unwrap(),
            1_791_540_000_000
        );
        assert_eq!(
            read_time("2026-10-09 10:00:00", &shanghai).unwrap(),
            1_791_511_200_000
        );
        assert_eq!(
            read_time("2026-10-09 10:00:00.1239", &Zone::UTC).unwrap(),
            1_791_540_000_123
        );
        assert_eq!(
            read_time("2026-10-09 10:00:00.5", &Zone::UTC).unwrap(),
            1_791_540_000_500
        );
        assert_eq!(read_time("0", &shanghai).unwrap(), 0);
        for bad in [
            "",
            "1",
            "2026-10-09",
            "2026-13-09 10:00:00",
            "2026-10-09T10:00:00",
            "2026-10-09 10:00:00.",
        ] {
            let text = read_time(bad, &Zone::UTC).unwrap_err().message;
            assert!(
                text.ends_with(&format!("Invalid TIMESTAMP format in incr clause: {bad}")),
                "{text}"
            );
        }
    }

    #[test]
    fn a_window_takes_the_stamps_of_its_border_rule() {
        let window = Window {
            increment: IncrementType::Detail,
            start_ms: Some(1),
            end_ms: Some(3),
        };
        assert_eq!(window.stamps(Border::StartInclusive), (1 << 18, 3 << 18));
        assert_eq!(window.stamps(Border::EndInclusive), (2 << 18, 4 << 18));
        let open = Window {
            start_ms: None,
            end_ms: None,
            ..window
        };
        assert_eq!(open.stamps(Border::StartInclusive), (0, u64::MAX));
        let turned = Window {
            start_ms: Some(3),
            end_ms: Some(1),
            ..window
        };
        assert_eq!(turned.stamps(Border::StartInclusive), (3 << 18, 3 << 18));
    }
}
