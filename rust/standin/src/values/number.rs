//! Numbers read from text and written to it as Doris does.

use arrow_buffer::i256;

/// Shortest decimal text that reads back the same, with an exponent below 1e-4 and from `10^limit` up.
fn write_float(out: &mut String, shortest: &str, limit: i32) {
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if negative {
        out.push('-');
    }
    if !(-4..limit).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("e{sign}{:02}", exponent.abs()));
    } else if exponent < 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
        out.push_str(&digits);
    } else {
        let whole = exponent as usize + 1;
        if digits.len() <= whole {
            out.push_str(&digits);
            out.extend(std::iter::repeat_n('0', whole - digits.len()));
        } else {
            out.push_str(&digits[..whole]);
            out.push('.');
            out.push_str(&digits[whole..]);
        }
    }
}

/// `FLOAT` as text.
pub fn write_f32(out: &mut String, value: f32) {
    if value.is_finite() {
        write_float(out, &format!("{value:e}"), 7)
    } else {
        write_special(out, value.into())
    }
}

/// `DOUBLE` as text.
pub fn write_f64(out: &mut String, value: f64) {
    if value.is_finite() {
        write_float(out, &format!("{value:e}"), 16)
    } else {
        write_special(out, value)
    }
}

fn write_special(out: &mut String, value: f64) {
    out.push_str(if value.is_nan() {
        "NaN"
    } else if value < 0.0 {
        "-Infinity"
    } else {
        "Infinity"
    });
}

/// A float text, with the spellings of the special values that Doris takes.
pub fn read_f64(text: &str) -> Option<f64> {
    let text = text.trim();
    if text
        .bytes()
        .any(|b| b.is_ascii_alphabetic() && !matches!(b, b'e' | b'E'))
    {
        return match text.to_ascii_lowercase().as_str() {
            "nan" | "+nan" | "-nan" => Some(f64::NAN),
            "inf" | "+inf" | "infinity" | "+infinity" => Some(f64::INFINITY),
            "-inf" | "-infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        };
    }
    text.parse().ok()
}

/// An integer text; a fraction is cut, `true` and `false` are 1 and 0.
pub fn read_i128(text: &str) -> Option<i128> {
    let text = text.trim();
    if let Ok(value) = text.parse::<i128>() {
        return Some(value);
    }
    match text.to_ascii_lowercase().as_str() {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let parsed = Digits::read(text)?;
    parsed.scaled(0, false)?.parse().ok()
}

/// A decimal text scaled to an integer, rounded half away from zero; `None` when it is no number or does not fit the
/// precision.
pub fn read_decimal(text: &str, precision: u8, scale: u8) -> Option<i256> {
    let scaled = Digits::read(text.trim())?.scaled(scale, true)?;
    let significant = scaled.trim_start_matches('-').trim_start_matches('0').len();
    if significant > usize::from(precision) {
        return None;
    }
    i256::from_string(&scaled)
}

/// The digits of a number text and the place of its point.
struct Digits {
    negative: bool,
    digits: String,
    /// Digits before the point; may be negative or past the end.
    point: i32,
}

impl Digits {
    fn read(text: &str) -> Option<Self> {
        let (negative, rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (
                &rest[..at],
                rest[at + 1..].parse::<i32>().ok().filter(|e| e.abs() < 1000)?,
            ),
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Some(Self {
            negative,
            point: whole.len() as i32 + exponent,
            digits,
        })
    }

    /// The integer text of the number times `10^scale`, rounded or cut; `None` when it would be absurdly long.
    fn scaled(&self, scale: u8, round: bool) -> Option<String> {
        let keep = self.point + i32::from(scale);
        if keep > 400 {
            return None;
        }
        let mut kept: Vec<u8> = (0..keep.max(0) as usize)
            .map(|i| self.digits.as_bytes().get(i).copied().unwrap_or(b'0'))
            .collect();
        let next = if keep < 0 {
            None
        } else {
            self.digits.as_bytes().get(keep as usize)
        };
        if round && next.is_some_and(|d| *d >= b'5') {
            increment(&mut kept);
        }
        let text = String::from_utf8(kept).unwrap_or_default();
        let text = text.trim_start_matches('0');
        Some(match (text, self.negative) {
            ("", _) => "0".into(),
            (text, true) => format!("-{text}"),
            (text, false) => text.into(),
        })
    }
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit == b'9' {
            *digit = b'0';
        } else {
            *digit += 1;
            return;
        }
    }
    digits.insert(0, b'1');
}

/// An unscaled decimal's digits with the point in its place.
pub fn write_decimal(out: &mut String, unscaled: &str, scale: usize) {
    let (negative, digits) = match unscaled.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, unscaled),
    };
    if negative {
        out.push('-');
    }
    if scale == 0 {
        out.push_str(digits);
    } else if digits.len() > scale {
        out.push_str(&digits[..digits.len() - scale]);
        out.push('.');
        out.push_str(&digits[digits.len() - scale..]);
    } else {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', scale - digits.len()));
        out.push_str(digits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> String {
        let mut out = String::new();
        write_f64(&mut out, value);
        out
    }

    #[test]
    fn floats_are_shortest() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (123456789012345.0, "123456789012345"),
            (1e16, "1e+16"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double(value), text);
        }
        let mut out = String::new();
        write_f32(&mut out, 1e7);
        assert_eq!(out, "1e+07");
    }

    #[test]
    fn decimals_round_half_away_and_stop_at_their_precision() {
        assert_eq!(read_decimal("1.005", 10, 2), i256::from_string("101"));
        assert_eq!(read_decimal("-1.005", 10, 2), i256::from_string("-101"));
        assert_eq!(
            read_decimal("99999999.994", 10, 2),
            i256::from_string("9999999999")
        );
        assert_eq!(read_decimal("99999999.995", 10, 2), None);
        assert_eq!(read_decimal("1e3", 10, 2), i256::from_string("100000"));
        assert_eq!(read_decimal(".5", 1, 0), i256::from_string("1"));
        assert_eq!(read_decimal("0.004", 3, 2), i256::from_string("0"));
        assert_eq!(read_decimal("abc", 3, 2), None);
    }

    #[test]
    fn integers_are_cut() {
        assert_eq!(
            read_i128("-170141183460469231731687303715884105728"),
            Some(i128::MIN)
        );
        assert_eq!(read_i128("1.9"), Some(1));
        assert_eq!(read_i128("-1.9"), Some(-1));
        assert_eq!(read_i128("1x"), None);
    }
}
