//! Rows as JSON lines, and values as JSON.

use super::json_text::{Quirk, prefix, string};
use super::out::Out;
use super::plan::{Bound, Plan, Spelling, Values, slice};
use super::{Checked, Column, JsonOptions, Rows, text};
use crate::error::{Error, Result};
use crate::normalize::Zone;

/// Encodes rows as one object per line.
#[derive(Debug)]
pub(super) struct JsonRows {
    columns: Vec<JsonColumn>,
    /// A nested value that is written as a text.
    document: Vec<u8>,
    delimiter: Vec<u8>,
    skip_nulls: bool,
    quirk: Quirk,
    /// Whether a row was written.
    started: bool,
}

#[derive(Debug)]
struct JsonColumn {
    /// What stands in front of the value, `,"name":`.
    prefix: Vec<u8>,
    plan: Plan,
    /// Whether Doris casts the value's text, as it stands in the document, to a nested type.
    cast: bool,
}

impl JsonRows {
    pub(super) fn new(options: &JsonOptions, columns: &[Column], zone: Zone) -> Result<Self> {
        let quirk = Quirk::new(&options.line_delimiter).ok_or_else(|| {
            Error::value(
                "*",
                format!(
                    "the line delimiter {:?} may occur inside a JSON document; allowed: one that begins with a control \
                     character or a punctuation mark that JSON does not use",
                    String::from_utf8_lossy(&options.line_delimiter)
                ),
            )
        })?;
        let columns = columns
            .iter()
            .map(|column| {
                let plan = Plan::new(
                    &column.flink,
                    column.doris.as_ref(),
                    column.sized.as_ref(),
                    zone,
                    quirk,
                )
                .map_err(|message| Error::value(&column.name, message))?;
                Ok(JsonColumn {
                    prefix: prefix(&column.name, quirk),
                    plan,
                    cast: column.cast,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            columns,
            document: Vec::new(),
            delimiter: options.line_delimiter.clone(),
            skip_nulls: options.skip_nulls,
            quirk,
            started: false,
        })
    }
}

impl Rows for JsonRows {
    fn encode(&mut self, batch: &arrow::array::RecordBatch, out: &mut Out<'_>) -> Result<(), super::Refused> {
        let bound: Vec<(&JsonColumn, Bound<'_>)> = self
            .columns
            .iter()
            .zip(batch.columns())
            .map(|(column, array)| Ok((column, column.plan.bind(array)?)))
            .collect::<Result<_>>()?;
        for row in 0..batch.num_rows() {
            if self.started {
                out.put(&self.delimiter);
            }
            self.started = true;
            let start = out.at();
            for (i, (JsonColumn { prefix, cast, .. }, column)) in bound.iter().enumerate() {
                if column.is_null(row) {
                    if !self.skip_nulls {
                        out.put(prefix);
                        out.put(b"null");
                    }
                    continue;
                }
                out.put(prefix);
                let start = out.at();
                value(column, row, self.quirk, out)
                    .map_err(|message| super::Refused::value(i, row, message))?;
                if *cast && has_escapes(out.since(start)) {
                    // The cast would not know them: it gets the text that it reads, as a text.
                    out.back_to(start);
                    self.document.clear();
                    nested(column, row, Quirk::CAST, &mut Out::new(&mut self.document))
                        .map_err(|message| super::Refused::value(i, row, message))?;
                    string(&self.document, self.quirk, out);
                }
            }
            close(start, b'{', b'}', out);
        }
        Ok(())
    }
}

/// Whether a document holds escapes other than those of quote and backslash.
fn has_escapes(document: &[u8]) -> bool {
    let mut rest = document;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        if !matches!(rest.get(at + 1), Some(b'"' | b'\\')) {
            return true;
        }
        rest = &rest[at + 2..];
    }
    false
}

/// Makes the comma in front of the first element the opening bracket, and appends the closing one.
#[inline]
fn close(start: usize, opening: u8, closing: u8, out: &mut Out<'_>) {
    if out.at() == start {
        out.byte(opening);
    } else {
        out.replace(start, opening);
    }
    out.byte(closing);
}

/// A value that is not NULL as JSON.
#[inline]
pub(super) fn value(column: &Bound<'_>, row: usize, quirk: Quirk, out: &mut Out<'_>) -> Checked {
    match &column.values {
        Values::Text(offsets, bytes) => {
            let text = slice(offsets, bytes, row);
            column.longest.check(text.len())?;
            string(text, quirk, out);
            Ok(())
        }
        Values::List(..) | Values::Map(..) | Values::Row(_) => nested(column, row, quirk, out),
        _ if column.quoted => {
            out.byte(b'"');
            scalar(column, row, out)?;
            out.byte(b'"');
            Ok(())
        }
        _ => {
            let start = out.at();
            if scalar(column, row, out)? {
                return Ok(());
            }
            // JSON has no number for it.
            let (length, mut copy) = (out.at() - start, [0; 4]);
            copy[..length].copy_from_slice(out.since(start));
            out.back_to(start);
            string(&copy[..length], quirk, out);
            Ok(())
        }
    }
}

fn value_or_null(column: &Bound<'_>, row: usize, quirk: Quirk, out: &mut Out<'_>) -> Checked {
    if column.is_null(row) {
        out.put(b"null");
        return Ok(());
    }
    value(column, row, quirk, out)
}

/// A value that is neither text nor nested, without quotes. Whether JSON can hold it as it stands.
#[inline]
pub(super) fn scalar(
    column: &Bound<'_>,
    row: usize,
    out: &mut Out<'_>,
) -> std::result::Result<bool, Box<str>> {
    let start = out.at();
    let plain = spell(column, row, out)?;
    column.longest.check(out.at() - start)?;
    Ok(plain)
}

#[inline]
fn spell(column: &Bound<'_>, row: usize, out: &mut Out<'_>) -> std::result::Result<bool, Box<str>> {
    match &column.values {
        Values::Boolean(values) => text::boolean(values.value(row), out),
        Values::Int8(values) => text::int(values[row], out),
        Values::Int16(values) => text::int(values[row], out),
        Values::Int32(values) => text::int(values[row], out),
        Values::Int64(values) => text::int(values[row], out),
        Values::Float(values) => return Ok(text::float(values[row], out)),
        Values::Double(values) => return Ok(text::float(values[row], out)),
        Values::Decimal(values, scale) => text::decimal(values[row], *scale, out),
        Values::Bytes(offsets, bytes, spelling) => match spelling {
            Spelling::Hex => text::hex(slice(offsets, bytes, row), out),
            Spelling::Base64 => text::base64(slice(offsets, bytes, row), out),
        },
        Values::Date(values) => text::date(values[row], out).ok_or_else(|| outside("DATE"))?,
        Values::Time(values, digits) => {
            text::time(values[row], *digits, out).ok_or("a TIME outside the day")?;
        }
        Values::Timestamp {
            micros,
            digits,
            clock,
            offset,
        } => {
            clock
                .turn(micros[row])
                .and_then(|turned| text::timestamp(turned, *digits, out))
                .ok_or_else(|| outside("timestamp"))?;
            if *offset {
                out.put(b"+00:00");
            }
        }
        Values::Text(..) | Values::List(..) | Values::Map(..) | Values::Row(_) => {
            return Err("a value that is not scalar".into());
        }
    }
    Ok(true)
}

#[cold]
fn outside(what: &str) -> Box<str> {
    format!("a {what} outside the years 0000 to 9999, which Doris cannot hold").into()
}

/// An array, map or row.
pub(super) fn nested(column: &Bound<'_>, row: usize, quirk: Quirk, out: &mut Out<'_>) -> Checked {
    let start = out.at();
    match &column.values {
        Values::List(offsets, items) => {
            for i in offsets[row]..offsets[row + 1] {
                out.byte(b',');
                value_or_null(items, i as usize, quirk, out)?;
            }
            close(start, b'[', b']', out);
        }
        Values::Map(offsets, keys, values) => {
            for i in offsets[row]..offsets[row + 1] {
                out.byte(b',');
                key(keys, i as usize, quirk, out)?;
                out.byte(b':');
                value_or_null(values, i as usize, quirk, out)?;
            }
            close(start, b'{', b'}', out);
        }
        Values::Row(fields) => {
            for (prefix, field) in fields {
                out.put(prefix);
                value_or_null(field, row, quirk, out)?;
            }
            close(start, b'{', b'}', out);
        }
        _ => return value(column, row, quirk, out),
    }
    if column.longest.fits(out.at() - start) {
        return Ok(());
    }
    column.longest.check(unescaped(out.since(start), quirk))
}

/// The length of a document without what stands in it for the sake of the delimiter alone.
#[cold]
fn unescaped(document: &[u8], quirk: Quirk) -> usize {
    let escape = format!("u00{:02x}", quirk.0);
    let (mut rest, mut length) = (document, 0);
    while let Some((first, tail)) = rest.split_first() {
        let (taken, stands_for) = match (*first, quirk.0) {
            (b'\\', byte) if byte != Quirk::NONE.0 && tail.starts_with(escape.as_bytes()) => {
                (1 + escape.len(), 1)
            }
            (b'\\', _) => (2, 2),
            _ => (1, 1),
        };
        rest = rest.get(taken..).unwrap_or_default();
        length += stands_for;
    }
    length
}

/// A map's key: a text, whatever its type.
fn key(keys: &Bound<'_>, row: usize, quirk: Quirk, out: &mut Out<'_>) -> Checked {
    if keys.is_null(row) {
        return Err("NULL as a key of a map".into());
    }
    match &keys.values {
        Values::List(..) | Values::Map(..) | Values::Row(_) => {
            // Only a multiset of rows has such keys, so that the copy is no matter.
            let start = out.at();
            nested(keys, row, quirk, out)?;
            let document = out.since(start).to_vec();
            out.back_to(start);
            string(&document, quirk, out);
            Ok(())
        }
        _ => value(keys, row, quirk, out),
    }
}
