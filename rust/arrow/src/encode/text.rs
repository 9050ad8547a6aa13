//! Single values as the texts that Doris reads.

use super::out::Out;

/// Digits in pairs, `00` to `99`.
const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

const HEX: &[u8; 16] = b"0123456789ABCDEF";
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const DAY_MICROS: i64 = 86_400_000_000;

pub(super) fn boolean(value: bool, out: &mut Out<'_>) {
    out.put(if value { b"true" } else { b"false" });
}

#[inline]
pub(super) fn int<I: itoa::Integer>(value: I, out: &mut Out<'_>) {
    out.put(itoa::Buffer::new().format(value).as_bytes());
}

/// The shortest text that reads back the same; `NaN`, `inf`, `-inf`. Whether it is a finite number.
#[inline]
pub(super) fn float<F: Float>(value: F, out: &mut Out<'_>) -> bool {
    if value.finite() {
        out.put(zmij::Buffer::new().format_finite(value).as_bytes());
        true
    } else {
        out.put(value.other());
        false
    }
}

/// Floating-point numbers of both widths.
pub(super) trait Float: zmij::Float + Copy {
    fn finite(self) -> bool;

    /// The text of a value that is not finite.
    fn other(self) -> &'static [u8];
}

macro_rules! float {
    ($type:ty) => {
        impl Float for $type {
            #[inline]
            fn finite(self) -> bool {
                self.is_finite()
            }

            fn other(self) -> &'static [u8] {
                if self.is_nan() {
                    b"NaN"
                } else if self > 0.0 {
                    b"inf"
                } else {
                    b"-inf"
                }
            }
        }
    };
}

float!(f32);
float!(f64);

/// Plain digits with `scale` of them after the point, never an exponent.
#[inline]
pub(super) fn decimal(value: i128, scale: u8, out: &mut Out<'_>) {
    let mut buffer = itoa::Buffer::new();
    // Twice as fast where it is enough.
    let digits = match i64::try_from(value) {
        Ok(value) => buffer.format(value.unsigned_abs()),
        Err(_) => buffer.format(value.unsigned_abs()),
    }
    .as_bytes();
    if value < 0 {
        out.byte(b'-');
    }
    let scale = usize::from(scale);
    if scale == 0 {
        out.put(digits);
    } else if digits.len() > scale {
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        out.put(whole);
        out.byte(b'.');
        out.put(fraction);
    } else {
        out.put(b"0.");
        for _ in digits.len()..scale {
            out.byte(b'0');
        }
        out.put(digits);
    }
}

/// `yyyy-MM-dd`; `None` outside the years 0000 to 9999, which Doris does not have.
#[inline]
pub(super) fn date(days: i32, out: &mut Out<'_>) -> Option<()> {
    let (year, month, day) = civil(days)?;
    write_date(out.room(10), year, month, day);
    out.advance(10);
    Some(())
}

/// `yyyy-MM-dd HH:mm:ss` with `digits` (0 to 6) of a second's fraction, further ones cut; `None` as for [`date`].
#[inline]
pub(super) fn timestamp(micros: i64, digits: u8, out: &mut Out<'_>) -> Option<()> {
    let (days, in_day) = (micros.div_euclid(DAY_MICROS), micros.rem_euclid(DAY_MICROS));
    let (year, month, day) = civil(i32::try_from(days).ok()?)?;
    let (seconds, fraction) = ((in_day / 1_000_000) as u32, (in_day % 1_000_000) as u32);
    let room = out.room(26);
    write_date(room, year, month, day);
    room[10] = b' ';
    write_clock(&mut room[11..19], seconds);
    write_fraction(&mut room[19..26], fraction);
    out.advance(if digits == 0 { 19 } else { 20 + usize::from(digits) });
    Some(())
}

/// `HH:mm:ss` with `digits` (0 to 3) of a second's fraction; `None` outside the day.
pub(super) fn time(millis: i32, digits: u8, out: &mut Out<'_>) -> Option<()> {
    let millis = u32::try_from(millis).ok().filter(|m| *m < 86_400_000)?;
    let room = out.room(15);
    write_clock(&mut room[..8], millis / 1000);
    write_fraction(&mut room[8..15], millis % 1000 * 1000);
    out.advance(if digits == 0 { 8 } else { 9 + usize::from(digits) });
    Some(())
}

/// Hexadecimal digits, two for each byte.
pub(super) fn hex(bytes: &[u8], out: &mut Out<'_>) {
    let room = out.room(bytes.len() * 2);
    for (to, byte) in room.chunks_exact_mut(2).zip(bytes) {
        to[0] = HEX[usize::from(byte >> 4)];
        to[1] = HEX[usize::from(byte & 15)];
    }
    out.advance(bytes.len() * 2);
}

/// Base64 with the usual alphabet and padding, as Doris' `from_base64` reads it.
pub(super) fn base64(bytes: &[u8], out: &mut Out<'_>) {
    let length = bytes.len().div_ceil(3) * 4;
    let room = out.room(length);
    for (to, from) in room.chunks_exact_mut(4).zip(bytes.chunks(3)) {
        let byte = |i: usize| u32::from(from.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (i, to) in to.iter_mut().enumerate() {
            *to = if i <= from.len() {
                BASE64[(bits >> (18 - 6 * i) & 63) as usize]
            } else {
                b'='
            };
        }
    }
    out.advance(length);
}

/// Whether a text holds a byte of some kind.
#[inline]
pub(super) fn holds(text: &[u8], kind: impl Fn(u8) -> bool + Copy) -> bool {
    // Blocks without a way out inside, so that each becomes a few wide instructions.
    fn block<const WIDTH: usize>(bytes: &[u8; WIDTH], kind: impl Fn(u8) -> bool) -> bool {
        bytes.iter().fold(false, |found, byte| found | kind(*byte))
    }
    let (blocks, rest) = text.as_chunks::<16>();
    let (halves, tail) = rest.as_chunks::<8>();
    blocks.iter().any(|bytes| block(bytes, kind))
        || halves.iter().any(|bytes| block(bytes, kind))
        || tail.iter().any(|byte| kind(*byte))
}

/// Year, month and day of a number of days since 1970-01-01, by the calendar that Doris and Flink use for all years.
#[inline]
fn civil(days: i32) -> Option<(u32, u32, u32)> {
    // 0000-01-01 to 9999-12-31.
    if !(-719_528..=2_932_896).contains(&days) {
        return None;
    }
    // Years begin in March here, so that the leap day is the last of its year; eras are 400 years.
    let days = (days + 719_468 + ERA_DAYS as i32) as u32;
    let (era, in_era) = (days / ERA_DAYS, days % ERA_DAYS);
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    // One era was added above, since 0000-01-01 lies before the first March.
    Some((year + era * 400 + next - 400, month, day))
}

const ERA_DAYS: u32 = 146_097;

#[inline]
fn write_date(to: &mut [u8], year: u32, month: u32, day: u32) {
    pair(&mut to[0..2], year / 100);
    pair(&mut to[2..4], year % 100);
    to[4] = b'-';
    pair(&mut to[5..7], month);
    to[7] = b'-';
    pair(&mut to[8..10], day);
}

#[inline]
fn write_clock(to: &mut [u8], seconds: u32) {
    pair(&mut to[0..2], seconds / 3600);
    to[2] = b':';
    pair(&mut to[3..5], seconds / 60 % 60);
    to[5] = b':';
    pair(&mut to[6..8], seconds % 60);
}

/// A point and six digits.
#[inline]
fn write_fraction(to: &mut [u8], micros: u32) {
    to[0] = b'.';
    pair(&mut to[1..3], micros / 10_000);
    pair(&mut to[3..5], micros / 100 % 100);
    pair(&mut to[5..7], micros % 100);
}

#[inline]
fn pair(to: &mut [u8], value: u32) {
    let at = value as usize * 2;
    to.copy_from_slice(&PAIRS[at..at + 2]);
}

#[cfg(test)]
mod tests {
    use chrono::{Datelike, NaiveDate};
    use proptest::prelude::*;

    use super::*;

    fn text(write: impl FnOnce(&mut Out<'_>)) -> String {
        let mut bytes = Vec::new();
        write(&mut Out::new(&mut bytes));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_day_that_doris_has() {
        let first = NaiveDate::from_ymd_opt(0, 1, 1).unwrap();
        for (i, days) in (-719_528..=2_932_896).enumerate() {
            let expected = first + chrono::Days::new(i as u64);
            assert_eq!(
                civil(days),
                Some((expected.year() as u32, expected.month(), expected.day()))
            );
        }
        assert_eq!(civil(-719_529), None);
        assert_eq!(civil(2_932_897), None);
        assert_eq!(civil(i32::MAX), None);
        assert_eq!(civil(i32::MIN), None);
    }

    #[test]
    fn time_5_all_digits_are_kept() {
        for (micros, digits, expected) in [
            (1_774_624_829_921_550, 6, "2026-03-27 15:20:29.921550"),
            (1_774_624_829_921_550, 3, "2026-03-27 15:20:29.921"),
            (1_774_624_829_921_550, 1, "2026-03-27 15:20:29.9"),
            (1_774_624_829_921_550, 0, "2026-03-27 15:20:29"),
            (-1, 6, "1969-12-31 23:59:59.999999"),
            (-1, 0, "1969-12-31 23:59:59"),
            (-62_135_596_800_000_000, 3, "0001-01-01 00:00:00.000"),
            (253_402_300_799_999_999, 6, "9999-12-31 23:59:59.999999"),
        ] {
            assert_eq!(text(|out| timestamp(micros, digits, out).unwrap()), expected);
        }
        let mut bytes = Vec::new();
        for micros in [
            i64::MIN,
            i64::MAX,
            253_402_300_800_000_000,
            -62_167_219_200_000_001,
        ] {
            assert_eq!(timestamp(micros, 6, &mut Out::new(&mut bytes)), None, "{micros}");
        }
        for (millis, digits, expected) in [
            (0, 0, "00:00:00"),
            (86_399_999, 3, "23:59:59.999"),
            (36_000_120, 2, "10:00:00.12"),
        ] {
            assert_eq!(text(|out| time(millis, digits, out).unwrap()), expected);
        }
        assert_eq!(time(86_400_000, 0, &mut Out::new(&mut bytes)), None);
        assert_eq!(time(-1, 0, &mut Out::new(&mut bytes)), None);
    }

    #[test]
    fn json_4_decimals_have_all_digits_and_no_exponent() {
        for (value, scale, expected) in [
            (0, 18, "0.000000000000000000"),
            (
                12_345_678_901_234_567_890_123_456_789_012_345_678,
                18,
                "12345678901234567890.123456789012345678",
            ),
            (-5, 2, "-0.05"),
            (-100, 2, "-1.00"),
            (7, 0, "7"),
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
        ] {
            assert_eq!(text(|out| decimal(value, scale, out)), expected);
        }
    }

    #[test]
    fn floats() {
        for (value, expected) in [
            (0.1, "0.1"),
            (-2.25, "-2.25"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(
                text(|out| {
                    float(value, out);
                }),
                expected
            );
        }
    }

    #[test]
    fn bytes_in_both_spellings() {
        for (bytes, expected_base64, expected_hex) in [
            (&b"\xE4\xBD\xA0"[..], "5L2g", "E4BDA0"),
            (b"", "", ""),
            (b"a", "YQ==", "61"),
            (b"ab", "YWI=", "6162"),
            (b"\xFF\xFF\xFF\xFF", "/////w==", "FFFFFFFF"),
        ] {
            assert_eq!(text(|out| base64(bytes, out)), expected_base64);
            assert_eq!(text(|out| hex(bytes, out)), expected_hex);
        }
    }

    proptest! {
        #[test]
        fn floats_read_back_the_same(bits: u64) {
            let value = f64::from_bits(bits);
            let read: f64 = text(|out| { float(value, out); }).parse().unwrap();
            prop_assert!(read.to_bits() == bits || value.is_nan());
            let value = f32::from_bits(bits as u32);
            let read: f32 = text(|out| { float(value, out); }).parse().unwrap();
            prop_assert!(read.to_bits() == value.to_bits() || value.is_nan());
        }
    }
}
