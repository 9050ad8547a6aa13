//! Rows as CSV, in the form in which Doris takes it apart.
//!
//! What its readers do decides what may stand as it is (Doris manual, Stream Load, and its CSV reader): a field `\N`
//! is NULL; an empty line is no row; a byte order mark at the start is dropped, and so is a carriage return in front
//! of a line break. An enclosed field begins and ends with the enclosing character; a text is freed from the escape
//! character, where one is set, whether it was enclosed or not. Delimiters are searched from left to right: first that
//! of the lines, then, in each line, that of the columns; where fields may be enclosed, the latter is searched in the
//! line together with its delimiter. A field for an ARRAY, MAP or STRUCT is cast from its text; one for anything else
//! is JSON.

use arrow::array::RecordBatch;

use super::json;
use super::json_text::Quirk;
use super::out::Out;
use super::plan::{Bound, Plan, Values, slice};
use super::{Checked, Column, CsvOptions, Refused, Rows, text};
use crate::error::{Error, Result};
use crate::normalize::Zone;

const NULL: &[u8] = b"\\N";
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Encodes rows as delimited fields.
#[derive(Debug)]
pub(super) struct CsvRows {
    plans: Vec<Plan>,
    /// How texts inside the nested values of each column are written.
    quirks: Vec<Quirk>,
    rules: Rules,
    /// A field that has to be checked before it can be written.
    field: Vec<u8>,
    /// Where the fields of the row begin, if a line delimiter may reach over their ends.
    places: Vec<usize>,
    /// Whether a row was written.
    started: bool,
}

#[derive(Debug)]
struct Rules {
    options: CsvOptions,
    /// The bytes for which a field is checked: first bytes of the delimiters, carriage return, enclosing and
    /// escape character. The last ones are repeated where there are fewer.
    triggers: [u8; 5],
    /// Whether values other than texts have to be checked too: a number, date or base64 text may hold a trigger, or
    /// bytes become an empty line.
    scalars_too: bool,
    /// Whether a row has one field only.
    single: bool,
    /// What may not follow a column separator, because the two would hold a line delimiter. Looked at where fields can
    /// be enclosed; else whole rows are.
    joints: Vec<Vec<u8>>,
    /// Whether a line delimiter may come about in a row although no field holds one.
    across: bool,
}

/// Where a field stands, and how texts inside of it are written.
#[derive(Clone, Copy)]
struct Place {
    quirk: Quirk,
    first_of_load: bool,
    last_of_row: bool,
}

impl CsvRows {
    pub(super) fn new(options: &CsvOptions, columns: &[Column], zone: Zone) -> Result<Self> {
        check(options).map_err(|message| Error::value("*", message))?;
        let plans = columns
            .iter()
            .map(|column| {
                Plan::new(
                    &column.flink,
                    column.doris.as_ref(),
                    column.sized.as_ref(),
                    zone,
                    Quirk::NONE,
                )
                .map_err(|message| Error::value(&column.name, message))
            })
            .collect::<Result<_>>()?;
        let quirks = columns
            .iter()
            .map(|column| match column.cast {
                true => Quirk::CAST,
                false => Quirk::NONE,
            })
            .collect();
        Ok(Self {
            plans,
            quirks,
            rules: Rules::new(options, columns.len()),
            field: Vec::new(),
            places: Vec::new(),
            started: false,
        })
    }
}

/// Combinations that could not be read back.
fn check(options: &CsvOptions) -> std::result::Result<(), String> {
    let (separator, delimiter) = (&options.column_separator, &options.line_delimiter);
    if separator.is_empty() || delimiter.is_empty() {
        return Err("column_separator and line_delimiter must not be empty".to_owned());
    }
    if memchr::memmem::find(separator, delimiter).is_some() {
        return Err("column_separator must not hold line_delimiter: each row would end there".to_owned());
    }
    let encloses = options.enclose.is_some();
    if encloses && memchr::memmem::find(delimiter, separator).is_some() {
        return Err("line_delimiter must not hold column_separator where enclose is set".to_owned());
    }
    for (name, bytes) in [("column_separator", separator), ("line_delimiter", delimiter)] {
        if early(NULL, bytes).is_some() || (encloses && reaches(NULL, bytes)) {
            return Err(format!("{name} must not be a part of \\N, the mark of NULL"));
        }
        for (other, byte) in [("enclose", options.enclose), ("escape", options.escape)] {
            if byte.is_some_and(|byte| bytes.contains(&byte)) {
                return Err(format!("{other} must not be a part of {name}"));
            }
        }
    }
    if encloses && joints(options).iter().any(|rest| meet(rest, NULL)) {
        return Err(
            "column_separator and \\N, the mark of NULL, must not hold line_delimiter together".to_owned(),
        );
    }
    if options.enclose.is_some_and(|byte| NULL.contains(&byte)) {
        return Err("enclose must not be a part of \\N, the mark of NULL".to_owned());
    }
    if options.enclose.is_some() && options.enclose == options.escape {
        return Err("enclose and escape must not be the same character".to_owned());
    }
    Ok(())
}

impl Rows for CsvRows {
    fn encode(&mut self, batch: &RecordBatch, out: &mut Out<'_>) -> Result<(), Refused> {
        let Self {
            plans,
            quirks,
            rules,
            field,
            places,
            started,
        } = self;
        let bound: Vec<Bound<'_>> = plans
            .iter()
            .zip(batch.columns())
            .map(|(plan, array)| plan.bind(array))
            .collect::<Result<_>>()?;
        let separator = &rules.options.column_separator;
        for row in 0..batch.num_rows() {
            let first = !*started;
            if *started {
                out.put(&rules.options.line_delimiter);
            }
            *started = true;
            let start = out.at();
            places.clear();
            for (i, column) in bound.iter().enumerate() {
                if i > 0 {
                    out.put(separator);
                }
                if rules.across {
                    places.push(out.at() - start);
                }
                if column.is_null(row) {
                    out.put(NULL);
                    continue;
                }
                let place = Place {
                    quirk: quirks[i],
                    first_of_load: first && i == 0,
                    last_of_row: i + 1 == bound.len(),
                };
                rules
                    .value(column, row, place, field, out)
                    .map_err(|message| Refused::value(i, row, message))?;
            }
            if rules.across
                && let Some(found) = early(out.since(start), &rules.options.line_delimiter)
            {
                // After a separator the text that follows decides.
                let column = places
                    .iter()
                    .skip(1)
                    .filter(|place| **place <= found + separator.len())
                    .count();
                return Err(Refused::value(
                    column,
                    row,
                    refusal(
                        "makes up the line delimiter with what stands beside it",
                        "enclose",
                    ),
                ));
            }
        }
        Ok(())
    }
}

impl Rules {
    fn new(options: &CsvOptions, columns: usize) -> Self {
        let (separator, delimiter) = (options.column_separator[0], options.line_delimiter[0]);
        let triggers = [
            separator,
            delimiter,
            if options.line_delimiter == b"\n" {
                b'\r'
            } else {
                delimiter
            },
            options.enclose.unwrap_or(delimiter),
            options.escape.unwrap_or(delimiter),
        ];
        let encloses = options.enclose.is_some();
        let joints = if encloses { joints(options) } else { Vec::new() };
        Self {
            scalars_too: columns == 1
                || !joints.is_empty()
                || triggers
                    .iter()
                    .any(|byte| byte.is_ascii_alphanumeric() || b"+-.:=/ ".contains(byte)),
            across: !encloses && options.line_delimiter.len() > 1,
            options: options.clone(),
            triggers,
            single: columns == 1,
            joints,
        }
    }

    /// Writes a value that is not NULL. `field` is a buffer for values that have to be checked.
    #[inline]
    fn value(
        &self,
        column: &Bound<'_>,
        row: usize,
        place: Place,
        field: &mut Vec<u8>,
        out: &mut Out<'_>,
    ) -> Checked {
        match &column.values {
            Values::Text(offsets, bytes) => {
                let text = slice(offsets, bytes, row);
                column.longest.check(text.len())?;
                self.text(text, place, out)
            }
            Values::List(..) | Values::Map(..) | Values::Row(_) => {
                field.clear();
                json::nested(column, row, place.quirk, &mut Out::new(field))?;
                self.text(field, place, out)
            }
            _ if self.scalars_too => {
                field.clear();
                json::scalar(column, row, &mut Out::new(field))?;
                self.text(field, place, out)
            }
            _ => json::scalar(column, row, out).map(|_| ()),
        }
    }

    /// Writes a field.
    #[inline]
    fn text(&self, text: &[u8], place: Place, out: &mut Out<'_>) -> Checked {
        if self.is_plain(text) && text != NULL && !self.is_lost(text, place) && !self.joins(text) {
            out.put(text);
            return Ok(());
        }
        self.awkward(text, place, out)
    }

    #[inline]
    fn is_plain(&self, text: &[u8]) -> bool {
        let [a, b, c, d, e] = self.triggers;
        !text::holds(text, |byte| {
            (byte == a) | (byte == b) | (byte == c) | (byte == d) | (byte == e)
        })
    }

    /// Whether the reader would drop a part of the text, or its row.
    #[inline]
    fn is_lost(&self, text: &[u8], place: Place) -> bool {
        (self.single && text.is_empty()) || (place.first_of_load && text.starts_with(BYTE_ORDER_MARK))
    }

    /// Whether the text makes a line delimiter of the end of the column separator in front of it.
    #[inline]
    fn joins(&self, text: &[u8]) -> bool {
        self.joints.iter().any(|rest| meet(rest, text))
    }

    /// The delimiter that a reader would find too early in the text, if it is not enclosed, or that it may find there.
    fn delimited(&self, text: &[u8], place: Place) -> &'static str {
        let CsvOptions {
            column_separator,
            line_delimiter,
            enclose,
            ..
        } = &self.options;
        let holds = |delimiter: &[u8]| memchr::memmem::find(text, delimiter).is_some();
        if holds(column_separator) {
            "contains the column separator"
        } else if holds(line_delimiter) {
            "contains the line delimiter"
        } else if enclose.is_some() {
            // Quotes do no harm, so that what follows the text need not be known.
            let may = reaches(text, column_separator) || reaches(text, line_delimiter) || self.joins(text);
            if may { "may run into a delimiter" } else { "" }
        } else if !place.last_of_row && early(text, column_separator).is_some() {
            "ends in a part of the column separator, which Doris would find too early"
        } else if place.last_of_row && early(text, line_delimiter).is_some() {
            "ends in a part of the line delimiter, which Doris would find too early"
        } else {
            ""
        }
    }

    /// Writes a field that holds a trigger or is `\N` or would be lost.
    #[inline(never)]
    fn awkward(&self, text: &[u8], place: Place, out: &mut Out<'_>) -> Checked {
        let CsvOptions {
            line_delimiter,
            enclose,
            escape,
            ..
        } = &self.options;
        let delimited = self.delimited(text, place);
        let trouble = if text.is_empty() && self.single {
            "is empty and alone in its row, which Doris takes for no row"
        } else if self.is_lost(text, place) {
            "begins with a byte order mark, which Doris drops at the start of a load"
        } else if !delimited.is_empty() {
            delimited
        } else if place.last_of_row && line_delimiter == b"\n" && text.ends_with(b"\r") {
            "ends with a carriage return, which Doris drops at the end of a row"
        } else if enclose.is_some_and(|byte| text.first() == Some(&byte)) {
            "begins with the enclosing character"
        } else {
            ""
        };
        if text == NULL && escape.is_none() {
            // Doris takes it for NULL whether it is enclosed or not.
            return Err(refusal("is \\N, which means NULL", "escape"));
        }
        let Some(quote) = *enclose else {
            if !trouble.is_empty() {
                return Err(refusal(trouble, "enclose"));
            }
            self.escaped(text, out);
            return Ok(());
        };
        if trouble.is_empty() {
            self.escaped(text, out);
            return Ok(());
        }
        if escape.is_none() && text.contains(&quote) {
            return Err(refusal(
                "must be enclosed and contains the enclosing character",
                "escape",
            ));
        }
        out.byte(quote);
        self.escaped(text, out);
        out.byte(quote);
        Ok(())
    }

    /// The text with what the reader takes out of it again.
    fn escaped(&self, text: &[u8], out: &mut Out<'_>) {
        let Some(escape) = self.options.escape else {
            out.put(text);
            return;
        };
        // Without an enclosing character the reader takes two zero bytes for one.
        let quote = self.options.enclose.unwrap_or(0);
        if text == NULL && escape != NULL[0] {
            out.byte(escape);
        }
        for byte in text {
            if *byte == escape || *byte == quote {
                out.byte(escape);
            }
            out.byte(*byte);
        }
    }
}

/// Where a reader finds the delimiter that follows the text, if that is before the text's end.
fn early(text: &[u8], delimiter: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, delimiter).or_else(|| {
        // From the longest overlap on: the first place.
        (1..delimiter.len())
            .rev()
            .find(|length| {
                let (begin, rest) = delimiter.split_at(*length);
                text.ends_with(begin) && delimiter.starts_with(rest)
            })
            .map(|length| text.len() - length)
    })
}

/// What is left of the line delimiter after each of its beginnings that the column separator ends in.
fn joints(options: &CsvOptions) -> Vec<Vec<u8>> {
    let delimiter = &options.line_delimiter;
    (1..delimiter.len())
        .filter(|length| options.column_separator.ends_with(&delimiter[..*length]))
        .map(|length| delimiter[length..].to_vec())
        .collect()
}

/// Whether the text begins like the rest of a delimiter, as far as the two go.
fn meet(rest: &[u8], text: &[u8]) -> bool {
    rest.starts_with(text) || text.starts_with(rest)
}

/// Whether a reader may find the delimiter before the end of the text, whatever follows: inside it, or across its end.
fn reaches(text: &[u8], delimiter: &[u8]) -> bool {
    memchr::memmem::find(text, delimiter).is_some()
        || (1..delimiter.len()).any(|length| text.ends_with(&delimiter[..length]))
}

fn refusal(trouble: &str, option: &str) -> Box<str> {
    format!(
        "the text {trouble}; set 'sink.properties.{option}' (for example to '{}') or 'sink.properties.format' = 'json'",
        if option == "enclose" { "\"" } else { "\\" }
    )
    .into()
}
