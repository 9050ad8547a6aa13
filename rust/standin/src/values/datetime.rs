//! Dates, times and instants read from text and written to it, in the forms that Doris takes and prints.

use std::fmt::Write;

use super::civil::{Civil, DAY, MICROS, max_micros, min_micros};
use crate::values::zone::Zone;

/// A reading of a date-time text: its wall clock, and its offset from UTC where the text names a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Microseconds of the wall clock.
    pub micros: i64,
    /// Seconds ahead of UTC.
    pub offset: Option<i64>,
}

/// Reads `2024-01-31`, `2024-1-31 8:00`, `20240131`, `20240131080000`, `2024/01/31T08:00:00.5`, each with an optional
/// zone (`Z`, `+08:00`, `Asia/Shanghai`). `None` when the text is no date or names a day that does not exist.
pub fn read_datetime(text: &str) -> Option<Reading> {
    let text = text.trim();
    let (date, rest) = read_date_part(text)?;
    let (civil, zone) = match rest {
        Rest::Compact(civil, zone) => (civil, zone),
        Rest::Text(rest) => read_time_part(date, rest)?,
    };
    if !civil.is_valid() {
        return None;
    }
    let micros = civil.micros();
    let zone = zone.trim();
    let offset = match zone {
        "" => None,
        name => Some(
            name.parse::<Zone>()
                .ok()?
                .offset_at_wall(micros.div_euclid(MICROS)),
        ),
    };
    Some(Reading { micros, offset })
}

enum Rest<'a> {
    Text(&'a str),
    Compact(Civil, &'a str),
}

fn read_date_part(text: &str) -> Option<(Civil, Rest<'_>)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = |range: std::ops::Range<usize>| text[range].parse::<u32>().ok();
    let date = |year: i64, month, day| Civil {
        year,
        month,
        day,
        hour: 0,
        minute: 0,
        second: 0,
        micro: 0,
    };
    match digits {
        8 | 14 => {
            let mut civil = date(number(0..4)?.into(), number(4..6)?, number(6..8)?);
            if digits == 8 {
                return Some((civil, Rest::Text(&text[8..])));
            }
            (civil.hour, civil.minute, civil.second) = (number(8..10)?, number(10..12)?, number(12..14)?);
            let (micro, rest) = read_fraction(&text[14..]);
            civil.micro = micro;
            Some((civil, Rest::Compact(civil, rest)))
        }
        1..=4 => {
            let year = match (digits, i64::from(number(0..digits)?)) {
                (2, y) if y < 70 => 2000 + y,
                (2, y) => 1900 + y,
                (_, y) => y,
            };
            let separator = text[digits..]
                .chars()
                .next()
                .filter(|c| matches!(c, '-' | '/' | '.'))?;
            let (month, rest) = read_number(text[digits..].strip_prefix(separator)?)?;
            let (day, rest) = read_number(rest.strip_prefix(separator)?)?;
            Some((date(year, month, day), Rest::Text(rest)))
        }
        _ => None,
    }
}

fn read_time_part(mut civil: Civil, rest: &str) -> Option<(Civil, &str)> {
    let Some(rest) = rest.strip_prefix([' ', 'T', 't', ':']) else {
        return Some((civil, rest));
    };
    let rest = rest.trim_start();
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return Some((civil, rest));
    }
    let (hour, rest) = read_number(rest)?;
    civil.hour = hour;
    let Some(rest) = rest.strip_prefix(':') else {
        return Some((civil, rest));
    };
    let (minute, rest) = read_number(rest)?;
    civil.minute = minute;
    let Some(rest) = rest.strip_prefix(':') else {
        return Some((civil, rest));
    };
    let (second, rest) = read_number(rest)?;
    civil.second = second;
    let (micro, rest) = read_fraction(rest);
    civil.micro = micro;
    Some((civil, rest))
}

/// One or two digits and what follows them.
fn read_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// `.123456…` as microseconds; digits after the sixth are cut.
fn read_fraction(text: &str) -> (u32, &str) {
    let Some(rest) = text.strip_prefix('.') else {
        return (0, text);
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let micro = rest[..digits].bytes().chain(std::iter::repeat(b'0')).take(6);
    (
        micro.fold(0, |n, digit| n * 10 + u32::from(digit - b'0')),
        &rest[digits..],
    )
}

/// Microseconds rounded to a scale, half up; `None` past year 9999 or before year 0000.
pub fn round_micros(micros: i64, scale: u8) -> Option<i64> {
    let step = 10_i64.pow(6 - u32::from(scale.min(6)));
    let rounded = (micros + step / 2).div_euclid(step) * step;
    (min_micros()..=max_micros())
        .contains(&rounded)
        .then_some(rounded)
}

/// Day number of a date text.
pub fn read_date(text: &str) -> Option<i32> {
    let micros = read_datetime(text)?.micros;
    i32::try_from(micros.div_euclid(DAY * MICROS)).ok()
}

/// Wall clock of a date-time text in the session's zone, rounded to the scale.
pub fn read_wall(text: &str, scale: u8, zone: &Zone) -> Option<i64> {
    let reading = read_datetime(text)?;
    let wall = match reading.offset {
        None => reading.micros,
        Some(offset) => {
            let instant = reading.micros - offset * MICROS;
            instant + zone.offset_at_instant(instant.div_euclid(MICROS)) * MICROS
        }
    };
    round_micros(wall, scale)
}

/// Instant of a date-time text; without a zone it is on the session's clock.
pub fn read_instant(text: &str, scale: u8, zone: &Zone) -> Option<i64> {
    let reading = read_datetime(text)?;
    let offset = reading
        .offset
        .unwrap_or_else(|| zone.offset_at_wall(reading.micros.div_euclid(MICROS)));
    round_micros(reading.micros, scale).map(|micros| micros - offset * MICROS)
}

/// Largest `TIME`, 838:59:59.999999, in microseconds.
const TIME_MAX: i64 = (838 * 3600 + 59 * 60 + 59) * MICROS + 999_999;

/// Microseconds of a `TIME` text, `[-]HHH:MM[:SS[.ffffff]]`, rounded to the scale.
pub fn read_time(text: &str, scale: u8) -> Option<i64> {
    let text = text.trim();
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut parts = text.splitn(3, ':');
    let hours: i64 = parts
        .next()
        .filter(|h| !h.is_empty() && h.len() <= 3)?
        .parse()
        .ok()?;
    let (minutes, rest) = read_number(parts.next()?)?;
    let (seconds, micro) = match parts.next() {
        Some(seconds) if rest.is_empty() => {
            let (seconds, rest) = read_number(seconds)?;
            let (micro, rest) = read_fraction(rest);
            if !rest.is_empty() {
                return None;
            }
            (seconds, micro)
        }
        Some(_) => return None,
        None if rest.is_empty() => (0, 0),
        None => return None,
    };
    if minutes > 59 || seconds > 59 || hours < 0 {
        return None;
    }
    let micros = (hours * 3600 + i64::from(minutes * 60 + seconds)) * MICROS + i64::from(micro);
    let step = 10_i64.pow(6 - u32::from(scale.min(6)));
    let rounded = (micros + step / 2) / step * step;
    (rounded <= TIME_MAX).then_some(if negative { -rounded } else { rounded })
}

/// `2024-01-31`.
pub fn write_date(out: &mut String, days: i64) {
    let (year, month, day) = super::civil::date_of(days);
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
}

/// `2024-01-31 08:00:00.123` with as many fractional digits as the scale has.
pub fn write_datetime(out: &mut String, micros: i64, scale: u8) {
    let c = Civil::at(micros);
    let _ = write!(
        out,
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
        c.year, c.month, c.day, c.hour, c.minute, c.second
    );
    write_fraction(out, c.micro, scale);
}

/// An instant on the clock of a zone, with its offset: `2024-01-31 08:00:00.123+08:00`.
pub fn write_instant(out: &mut String, micros: i64, scale: u8, zone: &Zone) {
    let offset = zone.offset_at_instant(micros.div_euclid(MICROS));
    write_datetime(out, micros + offset * MICROS, scale);
    let minutes = offset.abs() / 60;
    let sign = if offset < 0 { '-' } else { '+' };
    let _ = write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
}

/// `[-]HH:MM:SS[.ffffff]`.
pub fn write_time(out: &mut String, micros: i64, scale: u8) {
    let (sign, micros) = if micros < 0 { ("-", -micros) } else { ("", micros) };
    let seconds = micros / MICROS;
    let _ = write!(
        out,
        "{sign}{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    write_fraction(out, (micros % MICROS) as u32, scale);
}

fn write_fraction(out: &mut String, micro: u32, scale: u8) {
    let scale = usize::from(scale.min(6));
    if scale > 0 {
        let digits = format!("{micro:06}");
        out.push('.');
        out.push_str(&digits[..scale]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(text: &str, scale: u8) -> String {
        let mut out = String::new();
        write_datetime(&mut out, read_wall(text, scale, &Zone::UTC).unwrap(), scale);
        out
    }

    #[test]
    fn every_form_is_read() {
        assert_eq!(wall("2024-1-2", 0), "2024-01-02 00:00:00");
        assert_eq!(wall("20240102030405.5", 1), "2024-01-02 03:04:05.5");
        assert_eq!(wall("2024/01/02T03:04", 0), "2024-01-02 03:04:00");
        assert_eq!(
            wall("0000-01-01 00:00:00.000001", 6),
            "0000-01-01 00:00:00.000001"
        );
        assert_eq!(
            wall("9999-12-31 23:59:59.999999", 6),
            "9999-12-31 23:59:59.999999"
        );
        assert_eq!(wall("2024-01-01 00:00:00+08:00", 0), "2023-12-31 16:00:00");
        assert_eq!(wall("2023-12-31 23:59:59.6", 0), "2024-01-01 00:00:00");
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "x",
            "0000-00-00",
            "2023-02-29",
            "2024-01-01 25:00:00",
            "2024-13-01",
            "2024-01-01 00:00:00 nowhere",
        ] {
            assert_eq!(read_datetime(text), None, "{text}");
        }
        assert_eq!(read_wall("9999-12-31 23:59:59.9", 0, &Zone::UTC), None);
    }

    #[test]
    fn an_instant_is_shown_on_the_clock_of_the_zone() {
        let zone: Zone = "+08:00".parse().unwrap();
        let micros = read_instant("2024-01-01 00:00:00.25", 3, &zone).unwrap();
        let mut out = String::new();
        write_instant(&mut out, micros, 3, &zone);
        assert_eq!(out, "2024-01-01 00:00:00.250+08:00");
    }

    #[test]
    fn times_pass_a_day_and_zero() {
        for text in ["-838:59:59", "838:59:59", "00:00:00", "-00:00:01", "24:00:00"] {
            let mut out = String::new();
            write_time(&mut out, read_time(text, 0).unwrap(), 0);
            assert_eq!(out, text);
        }
        assert_eq!(read_time("839:00:00", 0), None);
        assert_eq!(read_time("00:60:00", 0), None);
    }
}
