//! Time zones by the names that Doris, Flink and Arrow use, and the way between instants and wall clocks.

use chrono::{DateTime, NaiveDateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::Tz;

/// A zone: a fixed offset or rules by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Seconds east of UTC.
    Fixed(i32),
    /// Rules of the tz database.
    Named(Tz),
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self::Fixed(0);

    /// Parses `UTC`, `Asia/Shanghai`, `+08:00`, `GMT+08:00`, `UTC+8` and similar names; `None` for an unknown one.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(seconds) = offset(text) {
            return Some(Self::Fixed(seconds));
        }
        for prefix in ["UTC", "GMT", "UT"] {
            if let Some(rest) = text.strip_prefix(prefix) {
                if rest.is_empty() {
                    return Some(Self::UTC);
                }
                if let Some(seconds) = offset(rest) {
                    return Some(Self::Fixed(seconds));
                }
            }
        }
        match text {
            "Z" | "z" => Some(Self::UTC),
            // Doris and Java both read these as Shanghai time.
            "CST" | "CTT" => Some(Self::Named(Tz::Asia__Shanghai)),
            _ => text
                .parse::<Tz>()
                .ok()
                .or_else(|| {
                    chrono_tz::TZ_VARIANTS
                        .iter()
                        .find(|tz| tz.name().eq_ignore_ascii_case(text))
                        .copied()
                })
                .map(Self::Named),
        }
    }

    /// The wall clock that this zone shows at an instant; both in microseconds from 1970-01-01 00:00.
    pub fn wall(self, instant: i64) -> Option<i64> {
        let seconds = match self {
            Self::Fixed(seconds) => i64::from(seconds),
            Self::Named(zone) => {
                let at = DateTime::from_timestamp_micros(instant)?;
                i64::from(
                    zone.offset_from_utc_datetime(&at.naive_utc())
                        .fix()
                        .local_minus_utc(),
                )
            }
        };
        instant.checked_add(seconds * 1_000_000)
    }

    /// The instant at which this zone shows a wall clock; both in microseconds. Of two instants the earlier one; a
    /// wall clock that a gap leaves out is moved on by the gap, as Flink does.
    pub(crate) fn instant(self, wall: i64) -> Option<i64> {
        let zone = match self {
            Self::Fixed(seconds) => return wall.checked_sub(i64::from(seconds) * 1_000_000),
            Self::Named(zone) => zone,
        };
        let local: NaiveDateTime = DateTime::from_timestamp_micros(wall)?.naive_utc();
        let offset = match zone.offset_from_local_datetime(&local) {
            chrono::LocalResult::Single(offset) | chrono::LocalResult::Ambiguous(offset, _) => offset.fix(),
            // Inside a gap the offset from before it moves the wall clock on by its length.
            chrono::LocalResult::None => {
                let before = local.checked_sub_signed(TimeDelta::days(1))?;
                zone.offset_from_local_datetime(&before).earliest()?.fix()
            }
        };
        wall.checked_sub(i64::from(offset.local_minus_utc()) * 1_000_000)
    }

    /// The first instant at which this zone shows a wall clock or a later one; both in microseconds. Of two instants
    /// the earlier one; for a wall clock that a gap leaves out the end of the gap. Wall clocks are in whole seconds.
    pub fn first_instant(self, wall: i64) -> Option<i64> {
        let after = self.instant(wall)?;
        if self.wall(after)? == wall {
            return Some(after);
        }
        // In a gap: with the offset before it the instant lies after the change, with the one after it before the
        // change.
        let (mut low, mut high) = (after.checked_sub(self.wall(after)?.checked_sub(wall)?)?, after);
        while high - low > 1_000_000 {
            let middle = low + (high - low) / 2_000_000 * 1_000_000;
            if self.wall(middle)? < wall {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(high)
    }
}

/// Parses `+08:00`, `-0330`, `+8`.
fn offset(text: &str) -> Option<i32> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let digits: String = rest.chars().filter(|c| *c != ':').collect();
    if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (hours, rest) = if digits.len() <= 2 {
        digits.split_at(digits.len())
    } else {
        digits.split_at(digits.len() - (digits.len() - 1) / 2 * 2)
    };
    let part = |text: &str| {
        if text.is_empty() {
            Some(0)
        } else {
            text.parse::<i32>().ok()
        }
    };
    let (minutes, seconds) = rest.split_at(rest.len().min(2));
    let total = part(hours)? * 3600 + part(minutes)? * 60 + part(seconds)?;
    (total <= 18 * 3600).then_some(sign * total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_kinds() {
        for (text, seconds) in [
            ("+08:00", 28800),
            ("-03:30", -12600),
            ("GMT+08:00", 28800),
            ("UTC+8", 28800),
            ("UTC", 0),
            ("Z", 0),
            ("+0530", 19800),
            ("+00:00", 0),
        ] {
            assert_eq!(Zone::parse(text), Some(Zone::Fixed(seconds)), "{text}");
        }
        assert_eq!(
            Zone::parse("Asia/Shanghai"),
            Some(Zone::Named(Tz::Asia__Shanghai))
        );
        for text in ["", "+", "Mars/Base", "+99:00", "08:00"] {
            assert_eq!(Zone::parse(text), None, "{text}");
        }
    }

    #[test]
    fn gaps_and_overlaps() {
        let zone = Zone::parse("America/New_York").unwrap();
        let micros = |text: &str| {
            NaiveDateTime::parse_from_str(text, "%F %T")
                .unwrap()
                .and_utc()
                .timestamp_micros()
        };
        // The gap of 2024-03-10: 02:30 EST would be 03:30 EDT.
        assert_eq!(
            zone.instant(micros("2024-03-10 02:30:00")),
            Some(micros("2024-03-10 07:30:00"))
        );
        // The overlap of 2024-11-03: the first 01:30 is EDT.
        assert_eq!(
            zone.instant(micros("2024-11-03 01:30:00")),
            Some(micros("2024-11-03 05:30:00"))
        );
        assert_eq!(
            zone.wall(micros("2024-07-01 16:00:00")),
            Some(micros("2024-07-01 12:00:00"))
        );
    }

    #[test]
    fn the_first_instant_of_a_wall_clock() {
        let micros = |text: &str| {
            NaiveDateTime::parse_from_str(text, "%F %T")
                .unwrap()
                .and_utc()
                .timestamp_micros()
        };
        for (zone, wall, instant) in [
            ("America/New_York", "2026-07-01 12:00:00", "2026-07-01 16:00:00"),
            // The gap from 02:00 to 03:00 ends at 07:00 UTC.
            ("America/New_York", "2026-03-08 01:59:59", "2026-03-08 06:59:59"),
            ("America/New_York", "2026-03-08 02:00:00", "2026-03-08 07:00:00"),
            ("America/New_York", "2026-03-08 02:30:00", "2026-03-08 07:00:00"),
            ("America/New_York", "2026-03-08 02:59:59", "2026-03-08 07:00:00"),
            ("America/New_York", "2026-03-08 03:00:00", "2026-03-08 07:00:00"),
            // The hour that occurs twice.
            ("America/New_York", "2026-11-01 01:30:00", "2026-11-01 05:30:00"),
            ("Europe/Berlin", "2026-03-29 02:15:00", "2026-03-29 01:00:00"),
            // Half an hour, and a whole day.
            (
                "Australia/Lord_Howe",
                "2026-10-04 02:10:00",
                "2026-10-03 15:30:00",
            ),
            ("Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 10:00:00"),
            ("+08:00", "2026-10-09 10:00:00", "2026-10-09 02:00:00"),
        ] {
            let first = Zone::parse(zone).unwrap().first_instant(micros(wall));
            assert_eq!(first, Some(micros(instant)), "{zone} {wall}");
        }
    }
}
