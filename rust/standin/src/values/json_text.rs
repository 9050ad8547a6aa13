//! JSON as text: values are found and kept as they stand, so that no digit of a number is lost.

use std::borrow::Cow;

use memchr::memchr2;

/// A value of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as written.
    Number(&'a str),
    /// A string, unescaped.
    Text(Cow<'a, str>),
    /// An object or array as written.
    Nested(&'a str),
}

impl<'a> Value<'a> {
    /// The text that a column reads; `None` for null. Doris hands Booleans on as 1 and 0 whatever the column is.
    pub(crate) fn into_text(self) -> Option<Cow<'a, str>> {
        Some(match self {
            Self::Null => return None,
            Self::Bool(true) => Cow::Borrowed("1"),
            Self::Bool(false) => Cow::Borrowed("0"),
            Self::Number(text) | Self::Nested(text) => Cow::Borrowed(text),
            Self::Text(text) => text,
        })
    }
}

/// Significant digits of a number that a double is made of; further ones are dropped.
const DOUBLE_DIGITS: usize = 17;

/// The text of a number as it comes back from a double: whole numbers of 64 bits and what a double holds are the same,
/// others lose digits from the sixteenth on.
pub(crate) fn through_double(text: &str) -> Cow<'_, str> {
    if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() {
        return Cow::Borrowed(text);
    }
    let mut digits = 0;
    let mut exponent = false;
    // Zeros keep the place of the digits that are dropped.
    let kept: String = text
        .chars()
        .map(|c| match c {
            'e' | 'E' => {
                exponent = true;
                c
            }
            '0' if digits == 0 => c,
            '0'..='9' if !exponent => {
                digits += 1;
                if digits > DOUBLE_DIGITS { '0' } else { c }
            }
            _ => c,
        })
        .collect();
    match kept.parse::<f64>() {
        Ok(value) => Cow::Owned(value.to_string()),
        Err(_) => Cow::Borrowed(text),
    }
}

/// A place in a document.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// The members of an object, one after the other.
pub(crate) struct Members<'a, 's> {
    scanner: &'s mut Scanner<'a>,
    first: bool,
}

/// The items of an array, one after the other.
pub(crate) struct Items<'a, 's> {
    scanner: &'s mut Scanner<'a>,
    first: bool,
}

impl<'a> Scanner<'a> {
    /// At the start of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Eats a bracket if it comes next.
    pub(crate) fn opens(&mut self, bracket: char) -> bool {
        let found = self.peek() == Some(bracket as u8);
        if found {
            self.at += 1;
        }
        found
    }

    /// True when nothing but blanks is left.
    pub(crate) fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    /// The members of the object whose brace was just eaten.
    pub(crate) fn members(&mut self) -> Members<'a, '_> {
        Members {
            scanner: self,
            first: true,
        }
    }

    /// The items of the array whose bracket was just eaten.
    pub(crate) fn items(&mut self) -> Items<'a, '_> {
        Items {
            scanner: self,
            first: true,
        }
    }

    fn unexpected(&self) -> String {
        match self.text[self.at..].chars().next() {
            Some(c) => format!("unexpected `{c}` at byte {}", self.at),
            None => "the document ends too early".into(),
        }
    }

    /// The next value.
    pub(crate) fn value(&mut self) -> Result<Value<'a>, String> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::Text),
            Some(b'{' | b'[') => self.nested().map(Value::Nested),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.word("true").map(|()| Value::Bool(true)),
            Some(b'f') => self.word("false").map(|()| Value::Bool(false)),
            Some(b'n') => self.word("null").map(|()| Value::Null),
            _ => Err(self.unexpected()),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected());
        }
        self.at += word.len();
        match self.text.as_bytes().get(self.at) {
            Some(byte) if byte.is_ascii_alphanumeric() => Err(self.unexpected()),
            _ => Ok(()),
        }
    }

    fn number(&mut self) -> Result<&'a str, String> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut digits = 0;
        while let Some(byte @ (b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) = bytes.get(self.at) {
            digits += usize::from(byte.is_ascii_digit());
            self.at += 1;
        }
        if digits == 0 {
            return Err(self.unexpected());
        }
        Ok(&self.text[start..self.at])
    }

    /// A string, borrowed when nothing in it is escaped. Its quote comes next.
    fn string(&mut self) -> Result<Cow<'a, str>, String> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let Some(found) = memchr2(b'"', b'\\', &bytes[start..]) else {
            self.at = bytes.len();
            return Err("a string does not end".into());
        };
        if bytes[start + found] == b'"' {
            self.at = start + found + 1;
            return Ok(Cow::Borrowed(&self.text[start..start + found]));
        }
        let mut out = String::with_capacity(found + 16);
        let mut at = start;
        loop {
            let Some(found) = memchr2(b'"', b'\\', &bytes[at..]) else {
                self.at = bytes.len();
                return Err("a string does not end".into());
            };
            out.push_str(&self.text[at..at + found]);
            at += found;
            if bytes[at] == b'"' {
                self.at = at + 1;
                return Ok(Cow::Owned(out));
            }
            at = self.escape(at + 1, &mut out)?;
        }
    }

    /// Reads an escape behind its backslash; gives the place behind it.
    fn escape(&self, at: usize, out: &mut String) -> Result<usize, String> {
        let wrong = || format!("a wrong escape at byte {at}");
        let c = match self.text.as_bytes().get(at).ok_or_else(wrong)? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = |from: usize| -> Option<u32> {
                    let hex = self.text.get(from..from + 4)?;
                    u32::from_str_radix(hex, 16).ok()
                };
                let first = unit(at + 1).ok_or_else(wrong)?;
                let pair = (0xd800..0xdc00).contains(&first) && self.text[at + 5..].starts_with("\\u");
                let second = if pair { unit(at + 7) } else { None };
                return match second.filter(|second| (0xdc00..0xe000).contains(second)) {
                    Some(second) => {
                        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                        out.push(char::from_u32(code).ok_or_else(wrong)?);
                        Ok(at + 11)
                    }
                    None => {
                        out.push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
                        Ok(at + 5)
                    }
                };
            }
            _ => return Err(wrong()),
        };
        out.push(c);
        Ok(at + 1)
    }

    /// An object or array as written. Its bracket comes next.
    fn nested(&mut self) -> Result<&'a str, String> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut open: Vec<u8> = Vec::new();
        loop {
            match bytes.get(self.at) {
                Some(b'"') => self.skip_string()?,
                Some(b'{') => open.push(b'}'),
                Some(b'[') => open.push(b']'),
                Some(close @ (b'}' | b']')) => {
                    if open.pop() != Some(*close) {
                        return Err(self.unexpected());
                    }
                    if open.is_empty() {
                        self.at += 1;
                        return Ok(&self.text[start..self.at]);
                    }
                }
                Some(_) => {}
                None => return Err(self.unexpected()),
            }
            self.at += 1;
        }
    }

    /// Leaves the place at the closing quote.
    fn skip_string(&mut self) -> Result<(), String> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            match memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
                None => {
                    self.at = bytes.len();
                    return Err("a string does not end".into());
                }
                Some(found) if bytes[at + found] == b'"' => {
                    self.at = at + found;
                    return Ok(());
                }
                Some(found) => at += found + 2,
            }
        }
    }
}

impl<'a> Members<'a, '_> {
    /// The next key, its colon eaten; `None` at the closing brace.
    pub(crate) fn key(&mut self) -> Result<Option<Cow<'a, str>>, String> {
        if !step(self.scanner, &mut self.first, b'}')? {
            return Ok(None);
        }
        if self.scanner.peek() != Some(b'"') {
            return Err(self.scanner.unexpected());
        }
        let key = self.scanner.string()?;
        if self.scanner.peek() != Some(b':') {
            return Err(self.scanner.unexpected());
        }
        self.scanner.at += 1;
        Ok(Some(key))
    }

    /// The value of the key.
    pub(crate) fn value(&mut self) -> Result<Value<'a>, String> {
        self.scanner.value()
    }

    /// The value of the key as written.
    pub(crate) fn raw_value(&mut self) -> Result<&'a str, String> {
        raw(self.scanner)
    }
}

impl<'a> Items<'a, '_> {
    /// The next item as written; `None` at the closing bracket.
    pub(crate) fn raw_item(&mut self) -> Result<Option<&'a str>, String> {
        if !step(self.scanner, &mut self.first, b']')? {
            return Ok(None);
        }
        raw(self.scanner).map(Some)
    }
}

/// Goes to the next member; false when the closing bracket was eaten instead.
fn step(scanner: &mut Scanner<'_>, first: &mut bool, close: u8) -> Result<bool, String> {
    let next = scanner.peek();
    if next == Some(close) {
        scanner.at += 1;
        return Ok(false);
    }
    if !std::mem::take(first) {
        if next != Some(b',') {
            return Err(scanner.unexpected());
        }
        scanner.at += 1;
    }
    Ok(true)
}

fn raw<'a>(scanner: &mut Scanner<'a>) -> Result<&'a str, String> {
    scanner.skip_blanks();
    let start = scanner.at;
    if scanner.peek() == Some(b'"') {
        scanner.skip_string()?;
        scanner.at += 1;
    } else {
        scanner.value()?;
    }
    Ok(&scanner.text[start..scanner.at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Value<'_>, String> {
        Scanner::new(text).value()
    }

    #[test]
    fn scalars_keep_their_text() {
        assert_eq!(
            value("12345678901234567890.123456789012345678"),
            Ok(Value::Number("12345678901234567890.123456789012345678"))
        );
        assert_eq!(value(" -1e5 "), Ok(Value::Number("-1e5")));
        assert_eq!(value("true"), Ok(Value::Bool(true)));
        assert_eq!(value("null"), Ok(Value::Null));
        assert_eq!(
            value(r#""a\"\u00e4\ud83d\ude00\n""#),
            Ok(Value::Text("a\"ä😀\n".into()))
        );
        assert_eq!(value(r#"{"a":"}"}"#), Ok(Value::Nested(r#"{"a":"}"}"#)));
        for wrong in ["", "nul", "nullx", "-", "\"a", "[1}", "{", "tru", r#""\x""#] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn members_and_items_come_in_order() {
        let mut scanner = Scanner::new(r#" { "a" : 1 , "b":[1,"x,]"],"c":{} } "#);
        assert!(scanner.opens('{'));
        let mut members = scanner.members();
        let mut seen = Vec::new();
        while let Some(key) = members.key().unwrap() {
            seen.push(format!("{key}={}", members.value().unwrap().into_text().unwrap()));
        }
        assert_eq!(seen, ["a=1", r#"b=[1,"x,]"]"#, "c={}"]);
        assert!(scanner.is_done());
        let mut scanner = Scanner::new("[1 2]");
        assert!(scanner.opens('['));
        let mut items = scanner.items();
        assert_eq!(items.raw_item(), Ok(Some("1")));
        assert!(items.raw_item().is_err());
    }
}
