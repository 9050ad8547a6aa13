//! CSV: what each value becomes, read back the way Doris' readers do it.

use doris_arrow::encode::Format;
use proptest::prelude::*;

use crate::written::{Val, batch, cast, columns, csv, document, encode, plain, text, typed_values};

const TAB: &str = "\t";
const LINE: &str = "\n";

fn body(format: &Format, described: &[(&str, &str, &str)], rows: &[Vec<Val>]) -> Result<String, String> {
    let columns = columns(described);
    encode(format, &columns, &[batch(&columns, rows)], "UTC")
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .map_err(|e| e.to_string())
}

/// Takes a body apart as the server does: lines, fields, NULL, escapes. A line that it would not count is left out.
struct Reader<'a> {
    separator: &'a [u8],
    delimiter: &'a [u8],
    enclose: Option<u8>,
    escape: Option<u8>,
}

impl Reader<'_> {
    fn rows(&self, body: &[u8]) -> Vec<Vec<Option<Vec<u8>>>> {
        let mut rest = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let mut rows = Vec::new();
        while !rest.is_empty() {
            let (fields, length) = self.line(rest);
            if !(fields.len() == 1 && fields[0].is_empty()) {
                rows.push(fields.iter().map(|field| self.field(field)).collect());
            }
            rest = &rest[length..];
        }
        rows
    }

    /// The raw fields of the first line and its length with the delimiter.
    fn line(&self, body: &[u8]) -> (Vec<Vec<u8>>, usize) {
        let mut fields = Vec::new();
        let mut at = 0;
        loop {
            let behind = match self.enclose {
                Some(quote) if body.get(at) == Some(&quote) => at + self.closing(&body[at..]),
                _ => at,
            };
            let found = memchr::memmem::find(&body[behind..], self.delimiter).map(|found| behind + found);
            let (end, length) =
                found.map_or((body.len(), body.len()), |end| (end, end + self.delimiter.len()));
            // Where fields may be enclosed the separator is searched in the line's delimiter as well.
            let limit = if self.enclose.is_some() { length } else { end };
            match memchr::memmem::find(&body[behind..limit], self.separator) {
                Some(found) => {
                    fields.push(body[at..behind + found].to_vec());
                    at = behind + found + self.separator.len();
                }
                None => {
                    let carriage = self.delimiter == b"\n" && body[at..end].ends_with(b"\r");
                    fields.push(body[at..end - usize::from(carriage)].to_vec());
                    return (fields, length);
                }
            }
        }
    }

    /// Where an enclosed field ends.
    fn closing(&self, field: &[u8]) -> usize {
        let (mut at, mut escaped) = (1, false);
        while at < field.len() {
            if self.escape == Some(field[at]) {
                escaped = !escaped;
            } else if escaped {
                escaped = false;
            } else if self.enclose == Some(field[at]) {
                return at + 1;
            }
            at += 1;
        }
        panic!("a field without its end: {}", String::from_utf8_lossy(field));
    }

    fn field(&self, raw: &[u8]) -> Option<Vec<u8>> {
        let mut field = raw;
        if let Some(quote) = self.enclose
            && field.len() >= 2
            && field[0] == quote
            && field[field.len() - 1] == quote
        {
            field = &field[1..field.len() - 1];
        }
        if field == b"\\N" {
            return None;
        }
        let Some(escape) = self.escape else {
            return Some(field.to_vec());
        };
        let quote = self.enclose.unwrap_or(0);
        let (mut out, mut escaped) = (Vec::new(), false);
        for (i, byte) in field.iter().enumerate() {
            let doubled = *byte == quote && field.get(i + 1) == Some(&quote);
            escaped = (doubled || *byte == escape) && !escaped;
            if !escaped {
                out.push(*byte);
            }
        }
        Some(out)
    }
}

#[test]
fn csv_1_null_and_the_empty_text() {
    let described = [
        ("id", "INT", "int"),
        ("a", "STRING", "text"),
        ("b", "STRING", "text"),
        ("c", "STRING", "text"),
        ("d", "INT", "int"),
    ];
    let row = vec![Val::Int(1), Val::Null, text(""), text("x"), Val::Null];
    assert_eq!(
        body(&csv(TAB, LINE, None, None), &described, &[row]).unwrap(),
        "1\t\\N\t\tx\t\\N"
    );
}

#[test]
fn csv_2_separators_are_bytes() {
    let described = [("id", "INT", "int"), ("name", "STRING", "text")];
    let rows = [vec![Val::Int(1), text("a")], vec![Val::Int(2), text("b")]];
    assert_eq!(
        body(&csv("\u{1}", "\u{2}", None, None), &described, &rows).unwrap(),
        "1\u{1}a\u{2}2\u{1}b"
    );
    assert_eq!(
        body(&csv(", ", "||", None, None), &described, &rows).unwrap(),
        "1, a||2, b"
    );
}

#[test]
fn csv_3_delimiters_only_between_rows() {
    let columns = columns(&[("id", "INT", "int")]);
    let rows = |from: i128| {
        batch(
            &columns,
            &(from..from + 2).map(|i| vec![Val::Int(i)]).collect::<Vec<_>>(),
        )
    };
    let empty = batch(&columns, &[]);
    let batches = [empty.clone(), rows(1), empty.clone(), rows(3), empty];
    let encoded = encode(&csv(TAB, "\u{2}", None, None), &columns, &batches, "UTC").unwrap();
    assert_eq!(encoded, b"1\x022\x023\x024");
    assert_eq!(
        encode(&csv(TAB, LINE, None, None), &columns, &[], "UTC").unwrap(),
        b""
    );
}

#[test]
fn csv_4_what_would_not_be_read_back_is_an_error_without_enclose() {
    let described = [("id", "INT", "int"), ("name", "STRING", "text")];
    for (separator, delimiter, value, trouble) in [
        (TAB, LINE, "a\tb", "contains the column separator"),
        (TAB, LINE, "a\nb", "contains the line delimiter"),
        (TAB, LINE, "a\r", "ends with a carriage return"),
        ("||", LINE, "a||b", "contains the column separator"),
        (TAB, "\r\n", "a\r\nb", "contains the line delimiter"),
        (
            TAB,
            "||",
            "a|",
            "ends in a part of the line delimiter, which Doris would find too early",
        ),
        (
            ",a",
            "ab",
            "b",
            "makes up the line delimiter with what stands beside it",
        ),
        (TAB, LINE, "\\N", "is \\N, which means NULL"),
        ("é", LINE, "né", "contains the column separator"),
    ] {
        let message = body(
            &csv(separator, delimiter, None, None),
            &described,
            &[vec![Val::Int(7), text(value)]],
        )
        .unwrap_err();
        assert!(message.starts_with("column name: the text "), "{message}");
        assert!(message.contains(trouble), "{message}");
        assert!(message.contains("(row with key id = \"7\")"), "{message}");
        assert!(message.contains("'sink.properties.format' = 'json'"), "{message}");
    }
    // The same bytes where they do no harm.
    for (separator, delimiter, value) in [
        (TAB, LINE, "a\rb"),
        ("||", LINE, "a|b"),
        ("||", LINE, "a|"),
        ("|#|", LINE, "x|"),
        (TAB, "EOL", "xE"),
        (TAB, "\r\n", "a\r"),
        (TAB, LINE, "\\Nx"),
        (TAB, LINE, "\"q\""),
    ] {
        let row = vec![Val::Int(7), text(value)];
        let written = body(&csv(separator, delimiter, None, None), &described, &[row]).unwrap();
        assert_eq!(written, format!("7{separator}{value}"));
    }
}

#[test]
fn a_text_that_ends_like_a_separator_begins_is_refused_only_where_the_separator_is_found_too_early() {
    let described = [("name", "STRING", "text"), ("last", "INT", "int")];
    let row = |value: &str| [vec![text(value), Val::Int(1)]];
    for (separator, value) in [("|#|", "x|"), ("|#|", "x#"), ("aab", "xa"), ("xE", "x")] {
        let written = body(&csv(separator, LINE, None, None), &described, &row(value)).unwrap();
        assert_eq!(written, format!("{value}{separator}1"));
    }
    for (separator, value) in [("||", "x|"), ("aba", "ab"), ("|#|#", "x|#")] {
        let message = body(&csv(separator, LINE, None, None), &described, &row(value)).unwrap_err();
        assert!(
            message.contains("ends in a part of the column separator, which Doris would find too early"),
            "{message}"
        );
    }
}

#[test]
fn csv_4_enclosed_where_needed() {
    let described = [
        ("id", "INT", "int"),
        ("name", "STRING", "text"),
        ("last", "STRING", "text"),
    ];
    let quoted = csv(TAB, LINE, Some(b'"'), Some(b'\\'));
    for (value, written) in [
        ("plain", "plain"),
        ("a\tb", "\"a\tb\""),
        ("a\nb", "\"a\nb\""),
        ("say \"x\"", "say \\\"x\\\""),
        ("\"x\"", "\"\\\"x\\\"\""),
        ("back\\slash", "back\\\\slash"),
        ("\\N", "\\\\N"),
        ("", ""),
    ] {
        let row = vec![Val::Int(1), text(value), text("z")];
        assert_eq!(
            body(&quoted, &described, &[row]).unwrap(),
            format!("1\t{written}\tz"),
            "{value}"
        );
    }
    // Without an escape character the server leaves what is inside as it is.
    let bare = csv(TAB, LINE, Some(b'"'), None);
    let row = |value: &str| [vec![Val::Int(1), text(value), text("z")]];
    assert_eq!(
        body(&bare, &described, &row("say \"x\"")).unwrap(),
        "1\tsay \"x\"\tz"
    );
    assert_eq!(body(&bare, &described, &row("a\tb")).unwrap(), "1\t\"a\tb\"\tz");
    for value in ["\"x", "a\t\"", "\\N"] {
        let message = body(&bare, &described, &row(value)).unwrap_err();
        assert!(message.contains("'sink.properties.escape'"), "{message}");
    }
}

#[test]
fn rows_that_the_server_would_not_see() {
    let described = [("name", "STRING", "text")];
    let rows = [vec![text("a")], vec![text("")], vec![Val::Null]];
    assert_eq!(
        body(&csv(TAB, LINE, Some(b'"'), None), &described, &rows).unwrap(),
        "a\n\"\"\n\\N"
    );
    let message = body(&csv(TAB, LINE, None, None), &described, &rows).unwrap_err();
    assert!(message.contains("is empty and alone in its row"), "{message}");
    let empty = [vec![Val::Bytes(Vec::new())]];
    let written = body(
        &csv(TAB, LINE, Some(b'"'), None),
        &[("b", "BYTES", "varbinary")],
        &empty,
    )
    .unwrap();
    assert_eq!(written, "\"\"");
    // A byte order mark is dropped at the start of a load and nowhere else.
    let rows = [vec![text("\u{FEFF}a")], vec![text("\u{FEFF}b")]];
    let written = body(&csv(TAB, LINE, Some(b'"'), None), &described, &rows).unwrap();
    assert_eq!(written, "\"\u{FEFF}a\"\n\u{FEFF}b");
    assert!(body(&csv(TAB, LINE, None, None), &described, &rows).is_err());
}

#[test]
fn csv_6_the_delete_sign_is_a_column() {
    let described = [
        ("id", "INT", "int"),
        ("__DORIS_DELETE_SIGN__", "TINYINT", "tinyint"),
    ];
    let rows = [vec![Val::Int(1), Val::Int(0)], vec![Val::Int(1), Val::Int(1)]];
    assert_eq!(
        body(&csv(TAB, LINE, None, None), &described, &rows).unwrap(),
        "1\t0\n1\t1"
    );
}

#[test]
fn numbers_that_hold_the_separator_are_enclosed() {
    let described = [
        ("id", "INT", "int"),
        ("at", "DATE", "date"),
        ("d", "DOUBLE", "double"),
    ];
    let row = vec![Val::Int(1), Val::Int(0), Val::Float(-1.5)];
    assert_eq!(
        body(
            &csv("-", LINE, Some(b'"'), None),
            &described,
            std::slice::from_ref(&row)
        )
        .unwrap(),
        "1-\"1970-01-01\"-\"-1.5\""
    );
    assert!(body(&csv("-", LINE, None, None), &described, &[row]).is_err());
}

#[test]
fn nested_values_are_json_where_json_is_read() {
    let described = [("id", "INT", "int"), ("a", "ARRAY<STRING>", "json")];
    let row = vec![
        Val::Int(1),
        Val::Many(vec![text("a\tb\u{1}"), Val::Null, text("")]),
    ];
    assert_eq!(
        body(
            &csv(TAB, LINE, None, None),
            &described,
            std::slice::from_ref(&row)
        )
        .unwrap(),
        "1\t[\"a\\tb\\u0001\",null,\"\"]"
    );
}

/// The cast takes a backslash away and what follows it as it is.
#[test]
fn texts_inside_nested_columns_are_as_they_are_behind_a_backslash() {
    let described = [("id", "INT", "int"), ("a", "ARRAY<STRING>", "array<text>")];
    let row = vec![
        Val::Int(1),
        Val::Many(vec![
            text("a\tb"),
            text("q\"q"),
            text("b\\n"),
            text("l\nl"),
            Val::Null,
            text(""),
        ]),
    ];
    let rows = std::slice::from_ref(&row);
    assert_eq!(
        body(&csv(",", LINE, Some(b'\''), None), &described, rows).unwrap(),
        "1,'[\"a\tb\",\"q\\\"q\",\"b\\\\n\",\"l\nl\",null,\"\"]'"
    );
    // With an escape character the reader of fields takes one layer of it first.
    assert_eq!(
        body(&csv(",", LINE, Some(b'\''), Some(b'\\')), &described, rows).unwrap(),
        "1,'[\"a\tb\",\"q\\\\\"q\",\"b\\\\\\\\n\",\"l\nl\",null,\"\"]'"
    );
    // What would end the field is not written in another way that the server turns into another text.
    for (separator, told) in [(TAB, "column separator"), (",", "line delimiter")] {
        let one = vec![
            Val::Int(1),
            Val::Many(vec![text(if separator == TAB { "a\tb" } else { "l\nl" })]),
        ];
        let plain = csv(separator, LINE, None, None);
        let message = body(&plain, &described, &[one]).unwrap_err().to_string();
        assert!(message.contains(told) && message.contains("enclose"), "{message}");
    }
}

#[test]
fn options_that_do_not_go_together() {
    for (format, trouble) in [
        (csv("", LINE, None, None), "must not be empty"),
        (
            csv("\n", "\n", None, None),
            "column_separator must not hold line_delimiter",
        ),
        (
            csv("#\n#", "\n", None, None),
            "column_separator must not hold line_delimiter",
        ),
        (
            csv("|", "|\n", Some(b'"'), None),
            "line_delimiter must not hold column_separator where enclose is set",
        ),
        (
            csv(",a", "a\\", Some(b'"'), None),
            "must not hold line_delimiter together",
        ),
        (
            csv("\\", LINE, None, None),
            "column_separator must not be a part of \\N",
        ),
        (
            csv(TAB, "N", None, None),
            "line_delimiter must not be a part of \\N",
        ),
        (
            csv("|", LINE, Some(b'|'), None),
            "enclose must not be a part of column_separator",
        ),
        (
            csv("|", LINE, Some(b'N'), None),
            "enclose must not be a part of \\N",
        ),
        (csv("|", LINE, Some(b'"'), Some(b'"')), "must not be the same"),
    ] {
        let message = encode(&format, &columns(&[("a", "INT", "int")]), &[], "UTC").unwrap_err();
        assert!(message.to_string().contains(trouble), "{message}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        (flink, doris, values) in typed_values(5),
        (other_flink, other_doris, others) in typed_values(5),
        single: bool,
        separator in prop::sample::select(vec!["\t", ",", "\u{1}", "||", ", ", "1", "-", "aa", "|#|", "|"]),
        delimiter in prop::sample::select(vec!["\n", "\r\n", "\u{2}", "|\n", ";"]),
        enclose in prop::sample::select(vec![None, Some(b'"'), Some(b'\'')]),
        escape in prop::sample::select(vec![None, Some(b'\\'), Some(b'^')]),
    ) {
        let described: &[(&str, &str, &str)] = &[("v", &flink, &doris), ("w", &other_flink, &other_doris)];
        let described = if single { &described[..1] } else { described };
        let columns = columns(described);
        let rows: Vec<Vec<Val>> = values.into_iter().zip(others).map(|(v, w)| if single { vec![v] } else { vec![v, w] }).collect();
        let format = csv(separator, delimiter, enclose, escape);
        let Ok(encoded) = encode(&format, &columns, &[batch(&columns, &rows)], "UTC") else {
            // Refused; with both characters set no value may be.
            let fits = !delimiter.contains(separator);
            prop_assert!(enclose.is_none() || escape.is_none() || !fits);
            return Ok(());
        };
        let reader = Reader { separator: separator.as_bytes(), delimiter: delimiter.as_bytes(), enclose, escape };
        let read = reader.rows(&encoded);
        let body = String::from_utf8_lossy(&encoded);
        prop_assert_eq!(read.len(), rows.len(), "{}", body);
        for (read, row) in read.iter().zip(&rows) {
            prop_assert_eq!(read.len(), row.len(), "{}", body);
            for ((field, value), column) in read.iter().zip(row).zip(&columns) {
                match (field, value) {
                    (field, Val::Null) => prop_assert!(field.is_none(), "{}", body),
                    (Some(field), Val::Many(_)) => {
                        let read = cast(std::str::from_utf8(field).unwrap());
                        prop_assert_eq!(read, document(&column.flink, value));
                    }
                    (Some(field), value) => {
                        prop_assert_eq!(String::from_utf8_lossy(field), plain(&column.flink, value), "{}", body);
                    }
                    (None, value) => prop_assert!(false, "NULL for {:?}: {}", value, body),
                }
            }
        }
    }

    /// Texts made of pieces of the delimiters: with `enclose` all of them are read back, without it exactly those that a
    /// reader would not read back are refused.
    #[test]
    fn only_what_is_ambiguous_is_refused(
        (separator, delimiter) in prop::sample::select(vec![
            ("|#|", "\n"), ("||", "\n"), (",", "EOL"), ("xE", "EOL"), (",a", "ab"), ("aba", "bab"), ("|", "|\n"),
            ("ab", "ba"), ("aab", "b|b"), ("|#", "#|"), (",", "||"), ("a", "bab"), ("|#|", "#|#"),
        ]),
        pieces in prop::collection::vec(prop::collection::vec(0..6usize, 0..5), 6),
        quoted: bool,
    ) {
        let symbols: Vec<char> = separator.chars().chain(delimiter.chars()).chain(['x']).collect();
        let texts: Vec<String> = pieces
            .iter()
            .map(|places| places.iter().map(|place| symbols[place % symbols.len()]).collect())
            .collect();
        let columns = columns(&[("a", "STRING", "text"), ("b", "STRING", "text"), ("c", "STRING", "text")]);
        let rows: Vec<Vec<Val>> = texts.chunks(3).map(|row| row.iter().map(|t| text(t)).collect()).collect();
        let (enclose, escape) = if quoted { (Some(b'"'), Some(b'\\')) } else { (None, None) };
        let encoded = encode(&csv(separator, delimiter, enclose, escape), &columns, &[batch(&columns, &rows)], "UTC");
        let reader = Reader { separator: separator.as_bytes(), delimiter: delimiter.as_bytes(), enclose, escape };
        let told = |body: &[u8]| -> Vec<Vec<String>> {
            let shown = |field: Option<Vec<u8>>| String::from_utf8_lossy(&field.unwrap_or_default()).into_owned();
            let rows = reader.rows(body).into_iter();
            rows.map(|row| row.into_iter().map(shown).collect()).collect()
        };
        let sent: Vec<Vec<String>> = texts.chunks(3).map(<[String]>::to_vec).collect();
        match encoded {
            Ok(body) => prop_assert_eq!(told(&body), sent, "{}", String::from_utf8_lossy(&body)),
            Err(_) if quoted => prop_assert!(delimiter.contains(separator), "{:?}", texts),
            Err(error) => {
                // Another row may follow.
                let body: String = sent.iter().map(|row| row.join(separator) + delimiter).collect();
                prop_assert_ne!(told(body.as_bytes()), sent, "{}", error);
            }
        }
    }
}
