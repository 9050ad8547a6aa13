//! Time zones as Doris names them: `+08:00`, `UTC`, `Asia/Shanghai`.

use std::str::FromStr;

use chrono::{FixedOffset, NaiveDateTime, Offset, TimeZone, Utc};

/// A session's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// An offset from UTC.
    Fixed(FixedOffset),
    /// A region with daylight rules.
    Named(chrono_tz::Tz),
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self::Named(chrono_tz::UTC);

    /// Seconds to add to the given instant (seconds of the epoch) to get the wall clock there.
    pub fn offset_at_instant(&self, epoch_seconds: i64) -> i64 {
        match self {
            Self::Fixed(offset) => i64::from(offset.local_minus_utc()),
            Self::Named(tz) => match Utc.timestamp_opt(epoch_seconds, 0).single() {
                Some(instant) => i64::from(
                    tz.offset_from_utc_datetime(&instant.naive_utc())
                        .fix()
                        .local_minus_utc(),
                ),
                None => 0,
            },
        }
    }

    /// Seconds that the wall clock is ahead of UTC when it shows the given time (seconds of the epoch, as if in
    /// UTC). Of two readings the earlier instant is taken; a time that was skipped uses the offset before the gap.
    pub fn offset_at_wall(&self, wall_seconds: i64) -> i64 {
        match self {
            Self::Fixed(offset) => i64::from(offset.local_minus_utc()),
            Self::Named(tz) => {
                let Some(wall) = Utc.timestamp_opt(wall_seconds, 0).single().map(|t| t.naive_utc()) else {
                    return 0;
                };
                match tz.offset_from_local_datetime(&wall).earliest() {
                    Some(offset) => i64::from(offset.fix().local_minus_utc()),
                    None => offset_before_gap(*tz, wall),
                }
            }
        }
    }
}

fn offset_before_gap(tz: chrono_tz::Tz, wall: NaiveDateTime) -> i64 {
    let earlier = wall - chrono::Duration::hours(24);
    i64::from(tz.offset_from_utc_datetime(&earlier).fix().local_minus_utc())
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(offset) = parse_offset(text) {
            return Ok(Self::Fixed(offset));
        }
        let name = match text {
            "CST" => "Asia/Shanghai",
            "Z" => "UTC",
            other => other,
        };
        let prefixed = name.strip_prefix("GMT").or_else(|| name.strip_prefix("UTC"));
        if let Some(offset) = prefixed.and_then(parse_offset) {
            return Ok(Self::Fixed(offset));
        }
        chrono_tz::TZ_VARIANTS
            .iter()
            .find(|tz| tz.name().eq_ignore_ascii_case(name))
            .map(|tz| Self::Named(*tz))
            .ok_or_else(|| format!("Unknown or incorrect time zone: '{text}'"))
    }
}

/// `+08:00`, `-3:30` or `+8` within Doris' limits, -12:59 to +14:00.
fn parse_offset(text: &str) -> Option<FixedOffset> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text[1..].split_once(':').unwrap_or((&text[1..], "0"));
    if hours.is_empty() || hours.len() > 2 || minutes.len() > 2 {
        return None;
    }
    let (hours, minutes) = (hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?);
    let seconds = sign * (hours * 3600 + minutes * 60);
    if minutes > 59 || !(-46_740..=50_400).contains(&seconds) {
        return None;
    }
    FixedOffset::east_opt(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_names_are_read() {
        let shanghai: Zone = "Asia/Shanghai".parse().unwrap();
        assert_eq!(shanghai.offset_at_instant(0), 8 * 3600);
        assert_eq!("+08:00".parse::<Zone>().unwrap().offset_at_wall(0), 8 * 3600);
        assert_eq!("GMT-03:30".parse::<Zone>().unwrap().offset_at_wall(0), -12_600);
        assert!("+15:00".parse::<Zone>().is_err());
        assert!("Mars/Base".parse::<Zone>().unwrap_err().contains("Mars/Base"));
    }

    #[test]
    fn a_skipped_hour_uses_the_offset_before_it() {
        let new_york: Zone = "America/New_York".parse().unwrap();
        // 2024-03-10 02:30 does not exist there.
        assert_eq!(new_york.offset_at_wall(1_710_037_800), -5 * 3600);
    }
}
