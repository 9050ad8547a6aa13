//! Texts that are longer than their column: Doris may cut them and report success, so none is encoded.

use doris_arrow::encode::{Column, Format, JsonOptions};
use doris_arrow::types::DorisType;

use crate::written::{Val, batch, columns, csv, encode, json, text};

/// A key and a column `v` of these types in Flink and Doris, as a sink describes them.
fn described(flink: &str, doris: &str) -> Vec<Column> {
    let mut columns = columns(&[("id", "INT", "int"), ("v", flink, doris)]);
    columns[1].sized = Some(DorisType::parse(doris).unwrap());
    // Without lengths, and without what is inside, as the server's schema tells it.
    columns[1].doris = match columns[1].doris.take() {
        Some(DorisType::Array(_) | DorisType::Map(_, _) | DorisType::Struct(_)) => None,
        Some(DorisType::Varchar(_)) => Some(DorisType::Varchar(u32::MAX)),
        other => other,
    };
    columns
}

fn formats() -> [Format; 4] {
    [
        csv("\t", "\n", None, None),
        csv(",", "\n", Some(b'"'), Some(b'\\')),
        json(),
        Format::Arrow,
    ]
}

/// What becomes of a row with key 7 behind one that is NULL.
fn written(format: &Format, columns: &[Column], value: Val) -> Result<(), String> {
    let rows = [vec![Val::Int(6), Val::Null], vec![Val::Int(7), value]];
    encode(format, columns, &[batch(columns, &rows)], "UTC")
        .map(|_| ())
        .map_err(|e| e.to_string())
}

/// In every format the first value is written, the second is refused with these words.
fn border(flink: &str, doris: &str, fits: &Val, too_long: &Val, words: &str) {
    let columns = described(flink, doris);
    for format in formats() {
        assert_eq!(
            written(&format, &columns, fits.clone()),
            Ok(()),
            "{flink} -> {doris} {format:?}"
        );
        let error = written(&format, &columns, too_long.clone()).unwrap_err();
        assert!(
            error.starts_with("column v: ") && error.contains(words) && error.contains("(row with key id = "),
            "{flink} -> {doris} {format:?}: {error}"
        );
    }
}

#[test]
fn a_text_longer_than_its_column_is_refused_by_bytes() {
    border(
        "STRING",
        "varchar(4)",
        &text("abcd"),
        &text("abcde"),
        "a text of 5 bytes for VARCHAR(4), which counts bytes of UTF-8",
    );
    // Two characters, six bytes.
    border(
        "STRING",
        "char(5)",
        &text("é北"),
        &text("北京"),
        "a text of 6 bytes for CHAR(5)",
    );
    border(
        "VARCHAR(10)",
        "varchar(0)",
        &text(""),
        &text("x"),
        "a text of 1 bytes for VARCHAR(0)",
    );
}

#[test]
fn what_the_format_adds_to_a_text_does_not_count() {
    let columns = described("STRING", "varchar(4)");
    for format in formats() {
        for whole in ["a,\"b", "\\\\\\\\", "\"\"\"\"", "北\\"] {
            assert_eq!(
                written(&format, &columns, text(whole)),
                Ok(()),
                "{whole} {format:?}"
            );
        }
    }
}

#[test]
fn other_values_are_as_long_as_their_text() {
    for (flink, doris, fits, too_long) in [
        ("INT", "varchar(3)", Val::Int(-99), Val::Int(1000)),
        ("DOUBLE", "char(3)", Val::Float(1.5), Val::Float(1.25)),
        ("BOOLEAN", "varchar(4)", Val::Bool(true), Val::Bool(false)),
        ("DECIMAL(5, 2)", "varchar(4)", Val::Int(999), Val::Int(10_000)),
        (
            "ARRAY<INT>",
            "varchar(5)",
            Val::Many(vec![Val::Int(1), Val::Int(2)]),
            Val::Many(vec![Val::Int(1), Val::Int(22)]),
        ),
    ] {
        border(flink, doris, &fits, &too_long, "bytes for");
    }
    // Bytes go as base64 in texts, as they are in Arrow.
    let columns = described("BYTES", "varchar(4)");
    for (format, longest) in [(json(), 3), (csv("\t", "\n", None, None), 3), (Format::Arrow, 4)] {
        assert_eq!(
            written(&format, &columns, Val::Bytes(vec![1; longest])),
            Ok(()),
            "{format:?}"
        );
        let error = written(&format, &columns, Val::Bytes(vec![1; longest + 1])).unwrap_err();
        assert!(error.contains("bytes for VARCHAR(4)"), "{format:?}: {error}");
    }
}

#[test]
fn texts_inside_of_nested_values_are_bounded_too() {
    let many = |texts: &[&str]| Val::Many(texts.iter().map(|t| text(t)).collect());
    border(
        "ARRAY<STRING>",
        "array<varchar(2)>",
        &many(&["ab", "", "é"]),
        &many(&["ab", "abc"]),
        "a text of 3 bytes for VARCHAR(2)",
    );
    border(
        "MAP<STRING, STRING>",
        "map<varchar(2),char(1)>",
        &many(&["ab", "c"]),
        &many(&["abc", "c"]),
        "VARCHAR(2)",
    );
    border(
        "MAP<STRING, STRING>",
        "map<varchar(2),char(1)>",
        &many(&["ab", "c"]),
        &many(&["ab", "cd"]),
        "CHAR(1)",
    );
    // By name, in any case and order.
    border(
        "ROW<`A` STRING, `b` ROW<`c` ARRAY<STRING>>>",
        "struct<b:struct<c:array<varchar(3)>>,a:string>",
        &Val::Many(vec![text("long enough"), Val::Many(vec![many(&["abc"])])]),
        &Val::Many(vec![text(""), Val::Many(vec![many(&["abcd"])])]),
        "VARCHAR(3)",
    );
    border(
        "MULTISET<STRING>",
        "map<varchar(1),int>",
        &Val::Many(vec![text("a"), Val::Int(1)]),
        &Val::Many(vec![text("ab"), Val::Int(1)]),
        "VARCHAR(1)",
    );
}

#[test]
fn types_without_a_length_take_any_text() {
    let long = "x".repeat(70_000);
    for doris in ["string", "json", "variant", "varchar(*)", "int"] {
        for format in formats() {
            assert_eq!(
                written(&format, &described("STRING", doris), text(&long)),
                Ok(()),
                "{doris}"
            );
        }
    }
    border(
        "STRING",
        "varchar(65533)",
        &text(&long[..65_533]),
        &text(&long[..65_534]),
        "VARCHAR(65533)",
    );
    let mut unknown = described("STRING", "varchar(4)");
    unknown[1].sized = None;
    for format in formats() {
        assert_eq!(written(&format, &unknown, text(&long)), Ok(()));
    }
}

/// The delimiter's first byte is escaped inside of documents; the server reads it back before it measures.
#[test]
fn escapes_for_the_sake_of_the_delimiter_do_not_count() {
    let format = Format::Json(JsonOptions {
        line_delimiter: b"#".to_vec(),
        skip_nulls: false,
    });
    let columns = described("ARRAY<STRING>", "varchar(8)");
    for (inside, fits) in [
        ("####", true),
        ("#####", false),
        ("a\\b", true),
        ("\\u0023", false),
    ] {
        let value = Val::Many(vec![text(inside)]);
        assert_eq!(written(&format, &columns, value).is_ok(), fits, "{inside}");
    }
}
