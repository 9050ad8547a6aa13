//! Single values between numbers and Doris' texts for them.

use std::fmt::Write;

use chrono::{DateTime, Datelike, NaiveDate, Timelike};

/// Days from 1970-01-01 of `yyyy-MM-dd`.
pub(super) fn parse_date(text: &str) -> Option<i32> {
    let (date, rest) = date(text.trim())?;
    // Legacy DATE columns may carry a time of midnight.
    let midnight = rest.trim_start_matches([' ', 'T', ':', '0', '.']).is_empty();
    midnight.then(|| days(date))
}

fn days(date: NaiveDate) -> i32 {
    date.num_days_from_ce() - UNIX_EPOCH_FROM_CE
}

/// Days from 0001-01-01 (counted as 1) to 1970-01-01.
const UNIX_EPOCH_FROM_CE: i32 = 719_163;

fn date(text: &str) -> Option<(NaiveDate, &str)> {
    let mut parts = text.splitn(3, '-');
    let (year, month, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let (day, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    if year.len() != 4 {
        return None;
    }
    NaiveDate::from_ymd_opt(digits(year)? as i32, digits(month)?, digits(day)?).map(|date| (date, rest))
}

fn digits(text: &str) -> Option<u32> {
    (!text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

/// A timestamp as text: microseconds of the wall clock and the seconds east of UTC, if the text names an offset.
pub(super) fn parse_timestamp(text: &str) -> Option<(i64, Option<i64>)> {
    let (date, rest) = date(text.trim())?;
    let start = i64::from(days(date)) * 86_400_000_000;
    let rest = rest.trim_start_matches([' ', 'T']);
    if rest.is_empty() {
        return Some((start, None));
    }
    let clock_end = rest.find(['+', '-', 'Z', ' ']).unwrap_or(rest.len());
    let (clock, offset) = rest.split_at(clock_end);
    let micros = parse_time(clock).filter(|micros| (0..86_400_000_000).contains(micros))?;
    let offset = match offset.trim() {
        "" => None,
        "Z" => Some(0),
        text => Some(parse_time(text)? / 1_000_000),
    };
    Some((start + micros, offset))
}

/// Microseconds of `[-]HHH:mm[:ss[.ffffff]]`.
pub(super) fn parse_time(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, text) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':');
    let hours = digits(parts.next()?)?;
    let minutes = digits(parts.next()?)?;
    let seconds = parts.next().map_or(Some(0), digits)?;
    if parts.next().is_some() || minutes > 59 || seconds > 59 {
        return None;
    }
    let mut micros = 0;
    if !fraction.is_empty() {
        // Digits beyond microseconds must not be lost.
        let (kept, cut) = fraction.split_at(fraction.len().min(6));
        if cut.bytes().any(|b| b != b'0') {
            return None;
        }
        micros = digits(kept)? * 10u32.pow(6 - kept.len() as u32);
    }
    let total = (i64::from(hours) * 3600 + i64::from(minutes) * 60 + i64::from(seconds)) * 1_000_000
        + i64::from(micros);
    Some(sign * total)
}

/// A decimal number as text → its digits at the given scale; `None` when it is no number or digits would be lost.
pub(super) fn parse_decimal(text: &str, scale: i8) -> Option<i128> {
    let text = text.trim();
    let (negative, text) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let scale = usize::try_from(scale).ok()?;
    let (kept, cut) = fraction.split_at(fraction.len().min(scale));
    if whole.is_empty() || cut.bytes().any(|b| b != b'0') {
        return None;
    }
    let mut value: i128 = 0;
    let zeros = std::iter::repeat_n(b'0', scale - kept.len());
    for digit in whole.bytes().chain(kept.bytes()).chain(zeros) {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    Some(if negative { -value } else { value })
}

/// `yyyy-MM-dd`; `None` outside the years 0000 to 9999.
pub(super) fn date_text(days: i32, out: &mut String) -> Option<()> {
    let date = NaiveDate::from_num_days_from_ce_opt(days.checked_add(UNIX_EPOCH_FROM_CE)?)?;
    if !(0..=9999).contains(&date.year()) {
        return None;
    }
    write!(out, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day()).ok()
}

/// `yyyy-MM-dd HH:mm:ss[.ffffff]` with `scale` digits.
pub(super) fn timestamp_text(micros: i64, scale: u8, out: &mut String) -> Option<()> {
    let at = DateTime::from_timestamp_micros(micros)?.naive_utc();
    date_text(days(at.date()), out)?;
    write!(out, " {:02}:{:02}:{:02}", at.hour(), at.minute(), at.second()).ok()?;
    fraction_text(at.nanosecond() / 1000, scale, out)
}

/// `[-]HH:mm:ss[.ffffff]` with `scale` digits.
pub(super) fn time_text(micros: i64, scale: u8, out: &mut String) -> Option<()> {
    let (seconds, fraction) = (
        micros.unsigned_abs() / 1_000_000,
        micros.unsigned_abs() % 1_000_000,
    );
    let sign = if micros < 0 { "-" } else { "" };
    write!(
        out,
        "{sign}{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
    .ok()?;
    fraction_text(fraction as u32, scale, out)
}

fn fraction_text(micros: u32, scale: u8, out: &mut String) -> Option<()> {
    match scale {
        0 => Some(()),
        scale => {
            let scale = u32::from(scale.min(6));
            write!(
                out,
                ".{:0width$}",
                micros / 10u32.pow(6 - scale),
                width = scale as usize
            )
            .ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        assert_eq!(parse_date("1970-01-02"), Some(1));
        assert_eq!(parse_date("0000-01-01"), Some(-719_528));
        assert_eq!(parse_date("9999-12-31 00:00:00"), Some(2_932_896));
        for bad in ["", "2024-02-30", "24-01-01", "2024-01-01 01:00:00", "2024-01"] {
            assert_eq!(parse_date(bad), None, "{bad}");
        }
        assert_eq!(parse_timestamp("1970-01-01 00:00:01.5"), Some((1_500_000, None)));
        assert_eq!(
            parse_timestamp("1970-01-01T08:00:00+08:00"),
            Some((8 * 3_600_000_000, Some(28800)))
        );
        assert_eq!(parse_timestamp("1970-01-01 00:00:00.0000001"), None);
        assert_eq!(parse_time("-838:59:59.999999"), Some(-3_020_399_999_999));
        for (micros, scale, text) in [
            (-62_167_219_200_000_000, 0, "0000-01-01 00:00:00"),
            (253_402_300_799_999_999, 6, "9999-12-31 23:59:59.999999"),
        ] {
            let mut out = String::new();
            timestamp_text(micros, scale, &mut out).unwrap();
            assert_eq!(out, text);
            assert_eq!(parse_timestamp(text), Some((micros, None)));
        }
        let mut out = String::new();
        time_text(-3_020_399_999_999, 3, &mut out).unwrap();
        assert_eq!(out, "-838:59:59.999");
    }

    #[test]
    fn decimals() {
        assert_eq!(parse_decimal("-12.5", 2), Some(-1250));
        assert_eq!(parse_decimal("1.230", 2), Some(123));
        assert_eq!(parse_decimal("1.234", 2), None);
        assert_eq!(parse_decimal("170141183460469231731687303715884105728", 0), None);
        assert_eq!(parse_decimal("abc", 0), None);
    }
}
