//! Text of nested values: `[1, 2]`, `{"k":1}`, `{"a":1, "b":"x"}` read into trees of cells.

use std::borrow::Cow;

use crate::values::types::DorisType;

/// A value before it has a type: NULL, text, or nested cells.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// NULL.
    Null,
    /// A scalar's text, unquoted.
    Text(Cow<'a, str>),
    /// Items of an array.
    List(Vec<Cell<'a>>),
    /// Entries of a map, or named fields of a struct.
    Pairs(Vec<(Cell<'a>, Cell<'a>)>),
    /// Fields of a struct in order.
    Fields(Vec<Cell<'a>>),
}

/// Reads the text of one value of the type, as Doris casts it; scalars are taken whole. In a quoted text a backslash goes, and
/// what stands behind it stays as it is: `\n` is an `n`. A MAP that cannot be read so is read leniently.
pub fn read_cell<'a>(doris_type: &DorisType, text: &'a str) -> Result<Cell<'a>, String> {
    let form = Form::default();
    let lenient = Form {
        lenient: true,
        ..form
    };
    match read(doris_type, text, form) {
        Err(error) if matches!(doris_type, DorisType::Map(..)) => {
            read(doris_type, text, lenient).map_err(|_| error)
        }
        cell => cell,
    }
}

/// The same for a part of a statement, whose texts have the escapes of its literals.
pub fn read_escaped_cell<'a>(doris_type: &DorisType, text: &'a str) -> Result<Cell<'a>, String> {
    let form = Form {
        escapes: true,
        ..Form::default()
    };
    read(doris_type, text, form)
}

/// How texts are read.
#[derive(Clone, Copy, Default)]
struct Form {
    /// `\n` is a line break, and so on.
    escapes: bool,
    /// Either quote ends a quoted text, and a value may be missing: an empty text, or NULL.
    lenient: bool,
}

fn read<'a>(doris_type: &DorisType, text: &'a str, form: Form) -> Result<Cell<'a>, String> {
    if !doris_type.is_nested() {
        return Ok(Cell::Text(Cow::Borrowed(text)));
    }
    let mut reader = Reader { text, at: 0, form };
    let cell = reader.value(doris_type)?;
    reader.skip_blanks();
    if reader.at == text.len() {
        Ok(cell)
    } else {
        Err(format!("trailing text at byte {}", reader.at))
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    form: Form,
}

impl<'a> Reader<'a> {
    fn value(&mut self, doris_type: &DorisType) -> Result<Cell<'a>, String> {
        self.skip_blanks();
        match doris_type {
            DorisType::Array(item) => {
                if self.null() {
                    return Ok(Cell::Null);
                }
                self.expect('[')?;
                let mut items = Vec::new();
                while !self.eat(']') {
                    if !items.is_empty() {
                        self.expect(',')?;
                    }
                    items.push(self.value(item)?);
                }
                Ok(Cell::List(items))
            }
            DorisType::Map(key, value) => {
                if self.null() {
                    return Ok(Cell::Null);
                }
                self.expect('{')?;
                let mut pairs = Vec::new();
                while !self.eat('}') {
                    if !pairs.is_empty() {
                        self.expect(',')?;
                    }
                    let key = self.value(key)?;
                    self.expect(':')?;
                    pairs.push((key, self.value(value)?));
                }
                Ok(Cell::Pairs(pairs))
            }
            DorisType::Struct(fields) => self.structure(fields),
            DorisType::Json | DorisType::Variant => self.json(),
            _ => match self.scalar()? {
                Cell::Text(text) if self.form.lenient && text.is_empty() && !doris_type.is_text() => {
                    Ok(Cell::Null)
                }
                cell => Ok(cell),
            },
        }
    }

    /// `{"a":1, "b":"x"}` by name or `{1, "x"}` in order.
    fn structure(&mut self, fields: &[crate::values::types::StructField]) -> Result<Cell<'a>, String> {
        if self.null() {
            return Ok(Cell::Null);
        }
        self.expect('{')?;
        let mut named: Vec<Option<Cell<'a>>> = vec![None; fields.len()];
        let mut next = 0;
        while !self.eat('}') {
            if next > 0 {
                self.expect(',')?;
            }
            self.skip_blanks();
            let index = match self.field_name(fields)? {
                Some(index) => index,
                None => next,
            };
            let field = fields.get(index).ok_or("more values than fields in the struct")?;
            let value = self.value(&field.doris_type)?;
            named[index] = Some(value);
            next += 1;
        }
        Ok(Cell::Fields(
            named.into_iter().map(|cell| cell.unwrap_or(Cell::Null)).collect(),
        ))
    }

    /// Reads `name:` when one follows; else stays where it is.
    fn field_name(&mut self, fields: &[crate::values::types::StructField]) -> Result<Option<usize>, String> {
        let start = self.at;
        if let Ok(Cell::Text(name)) = self.scalar()
            && self.eat(':')
        {
            return fields
                .iter()
                .position(|f| f.name.eq_ignore_ascii_case(&name))
                .map(Some)
                .ok_or_else(|| format!("the struct has no field `{name}`"));
        }
        self.at = start;
        Ok(None)
    }

    fn scalar(&mut self) -> Result<Cell<'a>, String> {
        self.skip_blanks();
        match self.rest().chars().next() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote).map(Cell::Text),
            Some(_) => {
                let end = self
                    .rest()
                    .find([',', ']', '}', ':'])
                    .unwrap_or(self.rest().len());
                let raw = self.rest()[..end].trim();
                self.at += end;
                match raw {
                    "" if self.form.lenient => Ok(Cell::Text(Cow::Borrowed(""))),
                    "" => Err(format!("a value is missing at byte {}", self.at)),
                    raw if raw.eq_ignore_ascii_case("null") || raw == "\\N" => Ok(Cell::Null),
                    raw => Ok(Cell::Text(Cow::Borrowed(raw))),
                }
            }
            None => Err("the text ends within the value".into()),
        }
    }

    /// A JSON value within a nested value, its text as it stands; a quoted text that holds JSON is that JSON.
    fn json(&mut self) -> Result<Cell<'a>, String> {
        self.skip_blanks();
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<serde_json::Value>();
        match values.next() {
            Some(Ok(value)) => {
                let end = values.byte_offset();
                let raw = &self.rest()[..end];
                self.at += end;
                Ok(match value {
                    serde_json::Value::Null => Cell::Null,
                    serde_json::Value::String(text)
                        if serde_json::from_str::<serde_json::Value>(&text).is_ok() =>
                    {
                        Cell::Text(Cow::Owned(text))
                    }
                    _ => Cell::Text(Cow::Borrowed(raw)),
                })
            }
            _ => self.scalar(),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Cow<'a, str>, String> {
        let body = &self.rest()[1..];
        let mut out = String::new();
        let mut units = Vec::new();
        let mut chars = body.char_indices();
        while let Some((at, c)) = chars.next() {
            if c == quote || self.form.lenient && matches!(c, '"' | '\'') {
                self.at += at + 2;
                return Ok(Cow::Owned(out));
            }
            if c != '\\' {
                out.push(c);
                continue;
            }
            match chars.next().map(|(_, c)| c) {
                Some(other) if !self.form.escapes => out.push(other),
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('b') => out.push('\u{8}'),
                Some('f') => out.push('\u{c}'),
                Some('u') => {
                    let hex: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                    let code = u16::from_str_radix(&hex, 16).map_err(|_| format!("`\\u{hex}` is no code"))?;
                    units.push(code);
                    // Two halves of one character follow each other.
                    let half = (0xd800..0xdc00).contains(&code) && chars.as_str().starts_with("\\u");
                    if !half {
                        out.push_str(&String::from_utf16_lossy(&std::mem::take(&mut units)));
                    }
                }
                Some(other) => out.push(other),
                None => break,
            }
        }
        Err("a quoted text does not end".into())
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, c: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        if self.eat(c) {
            Ok(())
        } else {
            Err(format!("`{c}` is missing at byte {}", self.at))
        }
    }

    /// Eats a `null` that stands alone.
    fn null(&mut self) -> bool {
        self.skip_blanks();
        let found = self
            .rest()
            .get(..4)
            .is_some_and(|word| word.eq_ignore_ascii_case("null"))
            && !self.rest()[4..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if found {
            self.at += 4;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        let strings = DorisType::Array(Box::new(DorisType::String));
        let text = r#"["\ud83d\ude00\u00e4", 'it\'s', null, "\n"]"#;
        let item = |text: &'static str| Cell::Text(Cow::Borrowed(text));
        let expected = Cell::List(vec![item("😀ä"), item("it's"), Cell::Null, item("\n")]);
        assert_eq!(read_escaped_cell(&strings, text), Ok(expected));
        let bare = Cell::List(vec![item("ud83dude00u00e4"), item("it's"), Cell::Null, item("n")]);
        assert_eq!(read_cell(&strings, text), Ok(bare));
        assert!(read_cell(&strings, r#"["a"#).is_err());
        assert!(read_cell(&strings, r#"["a"] x"#).is_err());
    }

    #[test]
    fn a_malformed_map_is_read_leniently() {
        let map = |value: DorisType| DorisType::Map(Box::new(DorisType::String), Box::new(value));
        let text = |text: &'static str| Cell::Text(Cow::Borrowed(text));
        for (given, expected) in [
            (r#"{"k1': 4}"#, vec![(text("k1"), text("4"))]),
            (
                r#"{:2, "k2":}"#,
                vec![(text(""), text("2")), (text("k2"), Cell::Null)],
            ),
            // What is well formed is not touched by the rules for what is not.
            (r#"{"it's": 1}"#, vec![(text("it's"), text("1"))]),
        ] {
            assert_eq!(
                read_cell(&map(DorisType::Int), given),
                Ok(Cell::Pairs(expected)),
                "{given}"
            );
        }
        let texts = vec![(text("k"), text(""))];
        assert_eq!(
            read_cell(&map(DorisType::String), r#"{"k":}"#),
            Ok(Cell::Pairs(texts))
        );
        for hopeless in [r#"{"a" "b"}"#, "{1", "x", ""] {
            assert!(read_cell(&map(DorisType::Int), hopeless).is_err(), "{hopeless}");
        }
    }
}
