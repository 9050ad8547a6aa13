//! JSON objects, one for each row (Doris manual, Stream Load, "JSON").

use std::collections::HashMap;

use super::errors::ErrorLog;
use super::parameters::JsonForm;
use super::rows::TextRows;
use crate::values::Cell;
use crate::values::json_text::{Scanner, Value, through_double};

/// Reads the objects of a body.
pub(super) struct JsonReader<'p> {
    form: &'p JsonForm,
    /// Source columns: the keys that are looked for.
    names: &'p [String],
    places: HashMap<&'p str, usize>,
    /// Source columns that bear the name of a DECIMAL column.
    decimals: Vec<bool>,
}

/// Text behind the object of a line.
const TWO_IN_A_LINE: &str = "Multiple JSON objects in a single line";

impl<'p> JsonReader<'p> {
    /// At the start of a body. `names` are the source columns, `decimals` names those that are read as DECIMAL.
    pub(super) fn new(form: &'p JsonForm, names: &'p [String], decimals: Vec<bool>) -> Self {
        Self {
            decimals,
            form,
            names,
            places: names
                .iter()
                .enumerate()
                .map(|(at, name)| (name.as_str(), at))
                .collect(),
        }
    }

    /// Reads the whole documents at the start of `data`; `last`: nothing follows it. Gives the bytes used.
    pub(super) fn read<'a>(
        &mut self,
        data: &'a [u8],
        last: bool,
        rows: &mut TextRows<'a>,
        log: &mut ErrorLog,
    ) -> usize {
        if !self.form.by_line {
            if !last {
                return 0;
            }
            self.bytes(data, None, rows, log);
            return data.len();
        }
        let length = self.form.delimiter.len();
        let used = match last {
            true => data.len(),
            false => memchr::memmem::rfind(data, &self.form.delimiter).map_or(0, |end| end + length),
        };
        let block = &data[..used];
        let text = simdutf8::basic::from_utf8(block).ok();
        let mut at = 0;
        while at < used {
            let found = match self.form.delimiter[..] {
                [byte] => memchr::memchr(byte, &block[at..]),
                _ => memchr::memmem::find(&block[at..], &self.form.delimiter),
            };
            let end = found.map_or(used, |found| at + found);
            self.bytes(
                &block[at..end],
                text.and_then(|text| text.get(at..end)),
                rows,
                log,
            );
            at = end + length;
        }
        used
    }

    fn bytes<'a>(&self, bytes: &'a [u8], text: Option<&'a str>, rows: &mut TextRows<'a>, log: &mut ErrorLog) {
        match text.map_or_else(|| simdutf8::basic::from_utf8(bytes).ok(), Some) {
            Some(text) if text.trim_ascii().is_empty() => {}
            Some(text) => self.document(text, rows, log),
            None => log.filter(
                "Parse json data failed. code: 10, error info: The input is not valid UTF-8",
                &String::from_utf8_lossy(bytes),
            ),
        }
    }

    fn document<'a>(&self, text: &'a str, rows: &mut TextRows<'a>, log: &mut ErrorLog) {
        let mut scanner = Scanner::new(text);
        let array = scanner.opens('[');
        if array != self.form.strip_outer_array {
            return log.filter(
                match array {
                    true => "JSON data is array-object, `strip_outer_array` must be TRUE.",
                    false => "JSON data is not an array-object, `strip_outer_array` must be FALSE.",
                },
                text,
            );
        }
        if !array {
            return self.row(text, rows, log);
        }
        let mut items = scanner.items();
        loop {
            match items.raw_item() {
                Ok(Some(item)) => self.row(item, rows, log),
                Ok(None) => break,
                Err(error) => return log.filter(&unreadable(&error), text),
            }
        }
        if !scanner.is_done() {
            log.filter(&unreadable("text behind the document"), text);
        }
    }

    fn row<'a>(&self, text: &'a str, rows: &mut TextRows<'a>, log: &mut ErrorLog) {
        let reason = match self.by_name(text, rows) {
            Ok(()) if rows.finish(text) => return,
            Ok(()) => "All fields is null, this is a invalid row.".to_string(),
            Err(error) if error == TWO_IN_A_LINE => {
                rows.abandon();
                return log.end(TWO_IN_A_LINE, text);
            }
            Err(error) => unreadable(&error),
        };
        rows.abandon();
        log.filter(&reason, text);
    }

    fn by_name<'a>(&self, text: &'a str, rows: &mut TextRows<'a>) -> Result<(), String> {
        let row = rows.len();
        let mut scanner = Scanner::new(text);
        if !scanner.opens('{') {
            return Err("the row is no object".into());
        }
        let mut members = scanner.members();
        // Writers mostly send the columns in their order.
        let mut expected = 0;
        while let Some(key) = members.key()? {
            let found = match self.names.get(expected) {
                Some(name) if *name == key => Some(expected),
                _ => self.places.get(key.as_ref()).copied(),
            };
            match found {
                // Of two values for one key the first counts.
                Some(at) if rows.columns[at].len() == row => {
                    let cell = self.cell(at, members.value()?);
                    rows.columns[at].push(cell);
                    expected = at + 1;
                }
                _ => {
                    members.raw_value()?;
                }
            }
        }
        match scanner.is_done() {
            true => Ok(()),
            false if self.form.by_line && scanner.opens('{') => Err(TWO_IN_A_LINE.into()),
            false => Err("text behind the object".into()),
        }
    }

    /// A value as its column reads it. Doris reads numbers as doubles, also those that go into a DECIMAL.
    fn cell<'a>(&self, column: usize, value: Value<'a>) -> Cell<'a> {
        match value {
            Value::Number(text) if self.decimals[column] && !self.form.numbers_as_texts => {
                Cell::Text(through_double(text))
            }
            value => value.into_text().map_or(Cell::Null, Cell::Text),
        }
    }
}

fn unreadable(error: &str) -> String {
    format!("Parse json data failed. code: 3, error info: {error}")
}
