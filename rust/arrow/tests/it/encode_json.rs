//! JSON lines: what each value becomes.

use doris_arrow::encode::{Format, JsonOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::written::{Val, batch, cast, columns, document, encode, json as lines, text, typed_values};

/// The body of one batch of rows, as text.
fn body(described: &[(&str, &str, &str)], rows: &[Vec<Val>], zone: &str) -> String {
    let columns = columns(described);
    let batch = batch(&columns, rows);
    String::from_utf8(encode(&lines(), &columns, &[batch], zone).unwrap()).unwrap()
}

/// The only value of a column `v`, as it stands in the body.
fn value(flink: &str, doris: &str, value: Val, zone: &str) -> String {
    let body = body(&[("v", flink, doris)], &[vec![value]], zone);
    let inner = body
        .strip_prefix("{\"v\":")
        .and_then(|rest| rest.strip_suffix('}'));
    inner.unwrap_or_else(|| panic!("{body}")).to_owned()
}

#[test]
fn json_1_nested_values_are_nested_json() {
    let all = body(
        &[
            ("id", "INT", "int"),
            (
                "array_struct",
                "ARRAY<ROW<`a` STRING, `start` STRING>>",
                "array<struct<a:text,start:text>>",
            ),
            ("array_map", "ARRAY<MAP<INT, STRING>>", "array<map<int,text>>"),
            ("array_array", "ARRAY<ARRAY<STRING>>", "array<array<text>>"),
            ("array_dt", "ARRAY<DATE>", "array<date>"),
        ],
        &[vec![
            Val::Int(1),
            Val::Many(vec![Val::Many(vec![text("x"), text("1")])]),
            Val::Many(vec![Val::Many(vec![Val::Int(1), text("v")])]),
            Val::Many(vec![Val::Many(vec![text("p"), text("q")])]),
            Val::Many(vec![Val::Int(19_753)]),
        ]],
        "UTC",
    );
    assert_eq!(
        all,
        r#"{"id":1,"array_struct":[{"a":"x","start":"1"}],"array_map":[{"1":"v"}],"array_array":[["p","q"]],"array_dt":["2024-01-31"]}"#
    );
}

#[test]
fn json_1_fields_of_a_struct_by_its_names() {
    let row = || Val::Many(vec![Val::Int(1), Val::Int(2)]);
    let flink = "ROW<`B` INT, `a` INT>";
    assert_eq!(
        value(flink, "struct<a:int,b:int>", row(), "UTC"),
        r#"{"b":1,"a":2}"#
    );
    // Other names: by place.
    assert_eq!(
        value(flink, "struct<x:int,y:int>", row(), "UTC"),
        r#"{"x":1,"y":2}"#
    );
    assert_eq!(value(flink, "json", row(), "UTC"), r#"{"B":1,"a":2}"#);
    assert_eq!(value("ROW<>", "json", Val::Many(vec![]), "UTC"), "{}");
}

#[test]
fn json_2_strings_in_arrays_are_escaped() {
    let items = Val::Many(vec![text("a,b"), text("c]\"d"), text("")]);
    assert_eq!(
        value("ARRAY<STRING>", "array<text>", items, "UTC"),
        r#"["a,b","c]\"d",""]"#
    );
    // Numbers for an array of texts.
    let items = Val::Many(vec![Val::Int(1), Val::Null]);
    assert_eq!(value("ARRAY<INT>", "array<text>", items, "UTC"), r#"["1",null]"#);
}

/// The text of a nested value is cast, and the cast knows no escape but of the character that follows.
#[test]
fn json_2_what_needs_an_escape_inside_a_nested_column_goes_as_the_text_to_be_cast() {
    let items = || Val::Many(vec![text("l\nl\t"), text("q\"q"), text("b\\n")]);
    assert_eq!(
        value("ARRAY<STRING>", "array<text>", items(), "UTC"),
        r#""[\"l\nl\t\",\"q\\\"q\",\"b\\\\n\"]""#
    );
    // The same in an array of arrays; and as it was where JSON is read.
    assert_eq!(
        value(
            "ARRAY<ARRAY<STRING>>",
            "array<array<text>>",
            Val::Many(vec![items()]),
            "UTC"
        ),
        r#""[[\"l\nl\t\",\"q\\\"q\",\"b\\\\n\"]]""#
    );
    assert_eq!(
        value("ARRAY<STRING>", "json", items(), "UTC"),
        r#"["l\nl\t","q\"q","b\\n"]"#
    );
}

#[test]
fn json_3_nested_nulls() {
    for flink in ["MAP<STRING, INT>", "ARRAY<INT>", "ROW<`a` INT>", "MULTISET<INT>"] {
        assert_eq!(value(flink, "", Val::Null, "UTC"), "null");
    }
    let rows = [
        vec![Val::Null],
        vec![Val::Many(vec![text("a"), Val::Int(1)])],
        vec![Val::Many(vec![])],
    ];
    assert_eq!(
        body(&[("m", "MAP<STRING, INT>", "map<text,int>")], &rows, "UTC"),
        "{\"m\":null}\n{\"m\":{\"a\":1}}\n{\"m\":{}}"
    );
}

#[test]
fn json_4_decimals() {
    for (flink, doris, digits, expected) in [
        ("DECIMAL(38, 18)", "decimal(38,18)", 0, "\"0.000000000000000000\""),
        (
            "DECIMAL(38, 18)",
            "decimal(38,18)",
            12_345_678_901_234_567_890_123_456_789_012_345_678,
            "\"12345678901234567890.123456789012345678\"",
        ),
        ("DECIMAL(10, 2)", "decimal(10,2)", -5, "-0.05"),
        (
            "DECIMAL(15, 0)",
            "decimal(15,0)",
            999_999_999_999_999,
            "999999999999999",
        ),
        // A parser of floating-point numbers would round it.
        (
            "DECIMAL(16, 0)",
            "decimal(16,0)",
            9_999_999_999_999_999,
            "\"9999999999999999\"",
        ),
    ] {
        assert_eq!(value(flink, doris, Val::Int(digits), "UTC"), expected);
    }
}

#[test]
fn json_5_one_object_per_line_and_nothing_around() {
    let columns = columns(&[("id", "INT", "int")]);
    let rows = |from: i128| {
        batch(
            &columns,
            &(from..from + 2).map(|i| vec![Val::Int(i)]).collect::<Vec<_>>(),
        )
    };
    let empty = batch(&columns, &[]);
    let encoded = encode(
        &lines(),
        &columns,
        &[empty.clone(), rows(1), empty, rows(3)],
        "UTC",
    )
    .unwrap();
    assert_eq!(
        String::from_utf8(encoded).unwrap(),
        "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n{\"id\":4}"
    );
}

#[test]
fn json_6_documents_in_strings_are_escaped_strings() {
    let document = r#"{"a":1,"b":["x"]}"#;
    for doris in ["json", "variant", "text", ""] {
        assert_eq!(
            value("STRING", doris, text(document), "UTC"),
            r#""{\"a\":1,\"b\":[\"x\"]}""#
        );
    }
}

#[test]
fn json_7_bytes_by_one_rule() {
    let bytes = || Val::Bytes(vec![0xE4, 0xBD, 0xA0]);
    assert_eq!(value("BYTES", "varbinary", bytes(), "UTC"), "\"E4BDA0\"");
    for doris in ["text", "bitmap", ""] {
        assert_eq!(value("VARBINARY(3)", doris, bytes(), "UTC"), "\"5L2g\"");
    }
}

#[test]
fn json_8_null_and_the_empty_text() {
    let described = [
        ("id", "INT", "int"),
        ("name", "STRING", "text"),
        ("city", "STRING", "text"),
    ];
    let row = vec![Val::Int(1), Val::Null, text("")];
    assert_eq!(
        body(&described, std::slice::from_ref(&row), "UTC"),
        r#"{"id":1,"name":null,"city":""}"#
    );
    // Flexible partial update: only what the row has.
    let columns = columns(&described);
    let format = Format::Json(JsonOptions {
        line_delimiter: b"\n".to_vec(),
        skip_nulls: true,
    });
    let rows = [
        row,
        vec![Val::Null, Val::Null, text("x")],
        vec![Val::Null, Val::Null, Val::Null],
    ];
    let encoded = encode(&format, &columns, &[batch(&columns, &rows)], "UTC").unwrap();
    assert_eq!(
        String::from_utf8(encoded).unwrap(),
        "{\"id\":1,\"city\":\"\"}\n{\"city\":\"x\"}\n{}"
    );
}

#[test]
fn numbers_as_such_only_for_numbers() {
    for (flink, doris, given, expected) in [
        ("INT", "int", Val::Int(7), "7"),
        ("INT", "text", Val::Int(7), "\"7\""),
        ("BIGINT", "largeint", Val::Int(7), "\"7\""),
        ("INT", "json", Val::Int(7), "\"7\""),
        ("INT", "variant", Val::Int(7), "\"7\""),
        ("INT", "", Val::Int(7), "\"7\""),
        ("BOOLEAN", "boolean", Val::Bool(true), "true"),
        ("BOOLEAN", "text", Val::Bool(false), "\"false\""),
        ("DOUBLE", "double", Val::Float(f64::NAN), "\"NaN\""),
        ("DOUBLE", "double", Val::Float(f64::NEG_INFINITY), "\"-inf\""),
        ("FLOAT", "float", Val::Float(f64::INFINITY), "\"inf\""),
        ("FLOAT", "float", Val::Float(f64::from(0.1f32)), "0.1"),
        ("INTERVAL YEAR(2) TO MONTH", "int", Val::Int(-14), "-14"),
        ("INTERVAL DAY TO SECOND(3)", "bigint", Val::Int(1500), "1500"),
        (
            "ARRAY<DOUBLE>",
            "array<double>",
            Val::Many(vec![Val::Float(f64::NAN)]),
            "[\"NaN\"]",
        ),
        ("ARRAY<BIGINT>", "json", Val::Many(vec![Val::Int(1)]), "[1]"),
        (
            "MAP<BOOLEAN, BOOLEAN>",
            "json",
            Val::Many(vec![Val::Bool(true); 2]),
            "{\"true\":true}",
        ),
        (
            "MAP<DATE, INT>",
            "map<date,int>",
            Val::Many(vec![Val::Int(0), Val::Int(1)]),
            "{\"1970-01-01\":1}",
        ),
        (
            "MULTISET<INT>",
            "map<int,int>",
            Val::Many(vec![Val::Int(5), Val::Int(2)]),
            "{\"5\":2}",
        ),
        (
            "MULTISET<ROW<`a` STRING>>",
            "json",
            Val::Many(vec![Val::Many(vec![text("x")]), Val::Int(2)]),
            r#"{"{\"a\":\"x\"}":2}"#,
        ),
    ] {
        assert_eq!(value(flink, doris, given, "UTC"), expected, "{flink} to {doris}");
    }
}

#[test]
fn time_1_instants_become_the_wall_clock_of_the_zone() {
    let midnight = 1_704_067_200_000_000;
    for (doris, zone, expected) in [
        ("datetime", "Asia/Shanghai", "\"2024-01-01 08:00:00\""),
        ("text", "Asia/Shanghai", "\"2024-01-01 08:00:00\""),
        ("", "America/New_York", "\"2023-12-31 19:00:00\""),
        ("timestamptz", "Asia/Shanghai", "\"2024-01-01 00:00:00+00:00\""),
    ] {
        assert_eq!(
            value("TIMESTAMP_LTZ(0)", doris, Val::Int(midnight), zone),
            expected
        );
    }
    // Before the clocks go on, after it, and both times that show 01:30 when they go back.
    for (instant, expected) in [
        (1_710_053_999_000_000, "\"2024-03-10 01:59:59\""),
        (1_710_054_000_000_000, "\"2024-03-10 03:00:00\""),
        (1_730_611_800_000_000, "\"2024-11-03 01:30:00\""),
        (1_730_615_400_000_000, "\"2024-11-03 01:30:00\""),
        (-1, "\"1969-12-31 18:59:59\""),
    ] {
        let written = value(
            "TIMESTAMP_LTZ(0)",
            "datetime",
            Val::Int(instant),
            "America/New_York",
        );
        assert_eq!(written, expected);
    }
}

#[test]
fn time_4_wall_clocks_are_written_as_they_are() {
    let gap = 1_710_037_800_000_000;
    assert_eq!(
        value("TIMESTAMP(0)", "datetime", Val::Int(gap), "America/New_York"),
        "\"2024-03-10 02:30:00\""
    );
    // As an instant the gap moves it on, as Flink does.
    assert_eq!(
        value("TIMESTAMP(0)", "timestamptz", Val::Int(gap), "America/New_York"),
        "\"2024-03-10 07:30:00+00:00\""
    );
}

#[test]
fn time_5_digits_of_the_declared_precision() {
    for (flink, expected) in [
        ("TIMESTAMP(6)", "\"2026-03-27 15:20:29.921550\""),
        ("TIMESTAMP(9)", "\"2026-03-27 15:20:29.921550\""),
        ("TIMESTAMP(3)", "\"2026-03-27 15:20:29.921\""),
        ("TIMESTAMP_LTZ(1)", "\"2026-03-27 15:20:29.9\""),
    ] {
        assert_eq!(
            value(flink, "datetime(6)", Val::Int(1_774_624_829_921_550), "UTC"),
            expected
        );
    }
    assert_eq!(
        value("TIME(0)", "text", Val::Int(36_000_500), "UTC"),
        "\"10:00:00\""
    );
    assert_eq!(
        value("TIME(3)", "text", Val::Int(36_000_500), "UTC"),
        "\"10:00:00.500\""
    );
}

#[test]
fn errors_name_column_and_key() {
    let columns = columns(&[
        ("id", "INT", "int"),
        ("name", "STRING", "text"),
        ("at", "DATE", "date"),
    ]);
    let rows = [
        vec![Val::Int(1), text("a"), Val::Int(0)],
        vec![Val::Int(2), text("b"), Val::Int(3_000_000)],
    ];
    let mut keyed = columns.clone();
    keyed[1].key = true;
    let error = encode(&lines(), &keyed, &[batch(&keyed, &rows)], "UTC").unwrap_err();
    assert_eq!(
        error.to_string(),
        "column at: a DATE outside the years 0000 to 9999, which Doris cannot hold (row with key id = \"2\", name = \"b\")"
    );
    let mut keyless = columns;
    keyless[0].key = false;
    let error = encode(&lines(), &keyless, &[batch(&keyless, &rows)], "UTC").unwrap_err();
    assert!(error.to_string().ends_with("(row 2 of its batch)"), "{error}");
}

#[test]
fn types_that_cannot_be_written() {
    for flink in ["RAW('a', 'b')", "ARRAY<RAW('a', 'b')>", "ROW<`a` NULL>"] {
        let mut columns = columns(&[("id", "INT", "int"), ("v", flink, "")]);
        let error = encode(&lines(), &columns, &[], "UTC").unwrap_err();
        assert!(error.to_string().starts_with("column v: type "), "{error}");
        columns.pop();
    }
}

#[test]
fn line_delimiters_never_occur_inside_a_line() {
    let columns = columns(&[("a|b", "STRING", "text"), ("r", "ROW<`x|` STRING>", "json")]);
    let row = vec![text("p|q\u{1}"), Val::Many(vec![text("|")])];
    for delimiter in ["|", "||", "\u{1}", "\r\n"] {
        let format = Format::Json(JsonOptions {
            line_delimiter: delimiter.as_bytes().to_vec(),
            skip_nulls: false,
        });
        let two = batch(&columns, &[row.clone(), row.clone()]);
        let encoded = String::from_utf8(encode(&format, &columns, &[two], "UTC").unwrap()).unwrap();
        let parts: Vec<Value> = encoded
            .split(delimiter)
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(
            parts,
            vec![json!({"a|b": "p|q\u{1}", "r": {"x|": "|"}}); 2],
            "{encoded}"
        );
    }
    for delimiter in ["", ",", "}", "ab", "0", "§"] {
        let format = Format::Json(JsonOptions {
            line_delimiter: delimiter.as_bytes().to_vec(),
            skip_nulls: false,
        });
        assert!(encode(&format, &columns, &[], "UTC").is_err(), "{delimiter}");
    }
}

proptest! {
    #[test]
    fn every_line_reads_back_as_the_row((flink, doris, values) in typed_values(5), name in any::<String>()) {
        let columns = columns(&[("id", "INT", "int"), (&name, &flink, &doris)]);
        prop_assume!(name != "id");
        let rows: Vec<Vec<Val>> = values.iter().enumerate().map(|(i, v)| vec![Val::Int(i as i128), v.clone()]).collect();
        let batches = [batch(&columns, &rows[..2]), batch(&columns, &rows).slice(2, 3)];
        let encoded = String::from_utf8(encode(&lines(), &columns, &batches, "UTC").unwrap()).unwrap();
        let nested = ["array<", "map<", "struct<"].iter().any(|kind| doris.starts_with(kind));
        let read: Vec<Value> = encoded.split('\n').map(|line| {
            let mut read: Value = serde_json::from_str(line).unwrap();
            if let (true, Some(Value::String(text))) = (nested, read.get(&name)) {
                read[&name] = cast(text);
            }
            read
        }).collect();
        let expected: Vec<Value> = values
            .iter()
            .enumerate()
            .map(|(i, value)| json!({"id": i, name.as_str(): document(&columns[1].flink, value)}))
            .collect();
        prop_assert_eq!(read, expected);
    }
}
