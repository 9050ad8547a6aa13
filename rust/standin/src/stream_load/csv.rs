//! Lines of fields (Doris manual, Stream Load, "CSV").

use std::borrow::Cow;

use memchr::memmem::Finder;

use super::errors::ErrorLog;
use super::parameters::CsvForm;
use super::rows::TextRows;
use crate::values::Cell;

/// NULL as a field.
const NULL: &str = "\\N";
/// What some editors put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads the lines of a body.
pub(super) struct CsvReader<'p> {
    form: &'p CsvForm,
    separator: Finder<'p>,
    delimiter: Finder<'p>,
    /// A line break may be `\r\n`.
    takes_crlf: bool,
    /// No row was looked at yet.
    first: bool,
}

/// Where a record ends, and its separators.
struct Record {
    end: usize,
    next: usize,
}

impl<'p> CsvReader<'p> {
    /// At the start of a body.
    pub(super) fn new(form: &'p CsvForm) -> Self {
        Self {
            form,
            separator: Finder::new(&form.separator),
            delimiter: Finder::new(&form.delimiter),
            takes_crlf: form.delimiter == b"\n",
            first: true,
        }
    }

    /// Reads the whole lines at the start of `data`; `last`: nothing follows it. Gives the bytes used, and
    /// the number of rows that were found and left out.
    pub(super) fn read<'a>(
        &mut self,
        data: &'a [u8],
        last: bool,
        rows: &mut TextRows<'a>,
        log: &mut ErrorLog,
    ) -> usize {
        let block = match (last, self.form.enclose) {
            (true, _) | (false, Some(_)) => data,
            (false, None) => {
                let end = memchr::memmem::rfind(data, &self.form.delimiter);
                &data[..end.map_or(0, |end| end + self.form.delimiter.len())]
            }
        };
        let text = simdutf8::basic::from_utf8(block).ok();
        let mut at = 0;
        let mut cuts = Vec::new();
        while at < block.len() {
            cuts.clear();
            let Some(record) = self.record(block, at, last, &mut cuts) else {
                break;
            };
            let mut start = at;
            let mut end = record.end;
            at = record.next;
            if self.takes_crlf && end > start && block[end - 1] == b'\r' {
                end -= 1;
            }
            if std::mem::take(&mut self.first) && block[start..end].starts_with(BYTE_ORDER_MARK) {
                start += BYTE_ORDER_MARK.len();
            }
            if start >= end {
                continue;
            }
            let line = match text {
                Some(text) => text.get(start..end),
                None => std::str::from_utf8(&block[start..end]).ok(),
            };
            match line {
                Some(line) => self.row(line, start, &cuts, rows, log),
                None => log.filter(
                    "Unable to display, only support csv data in utf8 codec, please check the data encoding",
                    &String::from_utf8_lossy(&block[start..end]),
                ),
            }
        }
        at
    }

    /// The record that starts at `at`; `None` when its end is not there yet. With an enclosing character `cuts` gets
    /// the places of its separators.
    fn record(&self, block: &[u8], at: usize, last: bool, cuts: &mut Vec<usize>) -> Option<Record> {
        let Some(enclose) = self.form.enclose else {
            return match self.delimiter.find(&block[at..]) {
                Some(found) => Some(self.ended(at + found)),
                None => last.then_some(Record {
                    end: block.len(),
                    next: block.len(),
                }),
            };
        };
        let mut place = at;
        let mut line_end = self.delimiter.find(&block[at..]).map(|found| at + found);
        loop {
            if block.get(place) == Some(&enclose) {
                place = match self.closing(block, place + 1, enclose) {
                    // What follows a closing character at the end of the data is not known yet.
                    Some(end) if end < block.len() || last => end,
                    _ if last => block.len(),
                    _ => return None,
                };
                if line_end.is_some_and(|end| end < place) {
                    line_end = self.delimiter.find(&block[place..]).map(|found| place + found);
                }
            }
            let limit = line_end.unwrap_or(block.len());
            match self.separator.find(&block[place..limit]) {
                Some(found) => {
                    cuts.push(place + found);
                    place += found + self.form.separator.len();
                }
                None => {
                    return match line_end {
                        Some(end) => Some(self.ended(end)),
                        None => last.then_some(Record {
                            end: block.len(),
                            next: block.len(),
                        }),
                    };
                }
            }
        }
    }

    fn ended(&self, end: usize) -> Record {
        Record {
            end,
            next: end + self.form.delimiter.len(),
        }
    }

    /// The place behind the closing character of a field whose content starts at `at`.
    fn closing(&self, block: &[u8], at: usize, enclose: u8) -> Option<usize> {
        let mut at = at;
        while let Some(byte) = block.get(at) {
            if *byte == enclose {
                if block.get(at + 1) != Some(&enclose) {
                    return Some(at + 1);
                }
                at += 2;
            } else if self.form.escape == Some(*byte) {
                at += 2;
            } else {
                at += 1;
            }
        }
        None
    }

    /// Splits a line that starts at `start` of its block.
    fn row<'a>(
        &self,
        line: &'a str,
        start: usize,
        cuts: &[usize],
        rows: &mut TextRows<'a>,
        log: &mut ErrorLog,
    ) {
        let mut fields = 0;
        let mut whole = true;
        let mut put = |field: Option<&'a str>| {
            match (field, rows.columns.get_mut(fields)) {
                (Some(field), Some(column)) => column.push(self.cell(field)),
                (None, _) => whole = false,
                _ => {}
            }
            fields += 1;
        };
        let length = self.form.separator.len();
        let mut at = 0;
        if self.form.enclose.is_some() {
            for cut in cuts {
                put(line.get(at..cut - start));
                at = cut - start + length;
            }
        } else if let [byte] = self.form.separator[..] {
            for cut in memchr::memchr_iter(byte, line.as_bytes()) {
                put(line.get(at..cut));
                at = cut + 1;
            }
        } else {
            for cut in self.separator.find_iter(line.as_bytes()) {
                put(line.get(at..cut));
                at = cut + length;
            }
        }
        put(line.get(at..));
        if whole && fields == rows.columns.len() {
            rows.lines.push(line);
            return;
        }
        rows.abandon();
        log.filter(
            &self.wrong_count(line, start, cuts, fields, rows.columns.len()),
            line,
        );
    }

    fn cell<'a>(&self, field: &'a str) -> Cell<'a> {
        let mut text = field;
        let keeps = |enclose| enclose == b'"' && self.form.keep_quotes && !self.form.trim_double_quotes;
        if let Some(enclose) = self.form.enclose.filter(|enclose| !keeps(*enclose)) {
            text = without(text, char::from(enclose)).unwrap_or(text);
        }
        if self.form.empty_as_null && text.is_empty() {
            return Cell::Null;
        }
        let bare = if self.form.trim_double_quotes {
            without(text, '"')
        } else {
            None
        };
        match bare {
            Some(bare) => text = bare,
            None if text == NULL => return Cell::Null,
            None => {}
        }
        match self.form.escape {
            None => Cell::Text(Cow::Borrowed(text)),
            Some(escape) => Cell::Text(unescaped(text, escape, self.form.enclose)),
        }
    }

    fn wrong_count(&self, line: &str, start: usize, cuts: &[usize], fields: usize, columns: usize) -> String {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let more = if fields > columns {
            "more than"
        } else {
            "less than"
        };
        let mut out = format!(
            "actual column number in csv file is  {more}  schema column number.actual number: {fields}, schema column \
             number: {columns}; line delimiter: [{}], column separator: [{}], ",
            shown(&self.form.delimiter),
            shown(&self.form.separator)
        );
        if let Some(enclose) = self.form.enclose {
            out.push_str(&format!("enclose:[{}] ", char::from(enclose)));
        }
        if let Some(escape) = self.form.escape {
            out.push_str(&format!("escape:[{}] ", char::from(escape)));
        }
        out.push_str("result values:[");
        let mut at = 0;
        let ends: Vec<usize> = match self.form.enclose {
            Some(_) => cuts.iter().map(|cut| cut - start).collect(),
            None => self.separator.find_iter(line.as_bytes()).collect(),
        };
        for end in ends {
            out.push_str(line.get(at..end).unwrap_or_default());
            out.push_str(", ");
            at = end + self.form.separator.len();
        }
        out.push_str(line.get(at..).unwrap_or_default());
        out.push_str(", ]");
        out
    }
}

/// The text between two quotes.
fn without(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// A field without its escapes: an escape character, and the first of two enclosing ones, stand for the next one.
/// Doris does so only where an escape character is given, in enclosed and plain fields alike.
fn unescaped(text: &str, escape: u8, enclose: Option<u8>) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let doubled = |at: usize| enclose.is_some_and(|e| bytes[at] == e && bytes.get(at + 1) == Some(&e));
    if !(0..bytes.len()).any(|at| bytes[at] == escape || doubled(at)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut skip = false;
    for (at, c) in text.char_indices() {
        skip = !skip && (bytes[at] == escape || doubled(at));
        if !skip {
            out.push(c);
        }
    }
    Cow::Owned(out)
}
