//! A loaded value equals what `INSERT … VALUES` of the same value stores, for every type and form of the body.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal256Array, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, ListArray, StringArray, StructArray, Time32MillisecondArray,
    TimestampMicrosecondArray, TimestampSecondArray,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field};

use super::cases::{case, decimal, one, text};
use super::{all, load};
use crate::sql::tests::Fixture;

#[tokio::test]
async fn numbers() {
    let mut f = Fixture::new().await;
    let int64 = |value: i64| one(Int64Array::from(vec![value]));
    let double = |value: f64| one(Float64Array::from(vec![value]));
    let float = |value: f32| one(Float32Array::from(vec![value]));
    let min = "-170141183460469231731687303715884105728";
    let wide = i256::from_string("12345678901234567890123456789012345678901234567890").unwrap();
    let wide = Decimal256Array::from(vec![wide])
        .with_precision_and_scale(60, 10)
        .unwrap();
    for case in [
        case(
            "BOOLEAN",
            "true",
            "true",
            "true",
            one(BooleanArray::from(vec![true])),
        ),
        case("BOOLEAN", "false", "0", "0", one(BooleanArray::from(vec![false]))),
        case(
            "TINYINT",
            "-128",
            "-128",
            "-128",
            one(Int8Array::from(vec![-128])),
        ),
        case(
            "SMALLINT",
            "32767",
            "32767",
            "32767",
            one(Int16Array::from(vec![32767])),
        ),
        case(
            "INT",
            "-2147483648",
            "-2147483648",
            "-2147483648",
            one(Int32Array::from(vec![i32::MIN])),
        ),
        case(
            "BIGINT",
            "-9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775808",
            int64(i64::MIN),
        ),
        case("BIGINT", "7", "7", "7", one(Int32Array::from(vec![7]))),
        case("LARGEINT", min, min, min, text(min)),
        case(
            "LARGEINT",
            "-5",
            "-5",
            "-5",
            [int64(-5), decimal(-5, 38, 0)].concat(),
        ),
        case("FLOAT", "1.1", "1.1", "1.1", float(1.1)),
        case("FLOAT", "'NaN'", "NaN", "\"NaN\"", float(f32::NAN)),
        case(
            "FLOAT",
            "'-inf'",
            "-inf",
            "\"-Infinity\"",
            float(f32::NEG_INFINITY),
        ),
        case("DOUBLE", "0.1", "0.1", "0.1", double(0.1)),
        case(
            "DOUBLE",
            "1.7976931348623157e308",
            "1.7976931348623157e308",
            "1.7976931348623157e308",
            double(f64::MAX),
        ),
        case("DOUBLE", "'NaN'", "nan", "\"nan\"", double(f64::NAN)),
        case("DOUBLE", "'inf'", "inf", "\"Infinity\"", double(f64::INFINITY)),
        case(
            "DECIMAL(10,2)",
            "-1.50",
            "-1.5",
            "-1.5",
            [decimal(-150, 10, 2), decimal(-1500, 12, 3)].concat(),
        ),
        case("DECIMAL(10,2)", "1.005", "1.005", "1.005", decimal(1005, 10, 3)),
        case(
            "DECIMAL(38,18)",
            "12345678901234567890.123456789012345678",
            "12345678901234567890.123456789012345678",
            "\"12345678901234567890.123456789012345678\"",
            decimal(12_345_678_901_234_567_890_123_456_789_012_345_678, 38, 18),
        ),
        case(
            "DECIMAL(38,18)",
            "0",
            "0.000000000000000000",
            "0.000000000000000000",
            decimal(0, 38, 18),
        ),
        case(
            "DECIMAL(60,10)",
            "1234567890123456789012345678901234567890.1234567890",
            "1234567890123456789012345678901234567890.1234567890",
            "\"1234567890123456789012345678901234567890.1234567890\"",
            one(wide),
        ),
    ] {
        case.check(&mut f).await;
    }
}

/// A number beyond FLOAT is infinite, and a fraction is no integer where values must fit.
#[tokio::test]
async fn numbers_that_lose_something() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE x (id INT, f FLOAT, t TINYINT, l LARGEINT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    let body = "1\t3.40282e+39\t3.12\t-3.9\n2\t-3.40282e+39\t7\t8\n3\t1e400\t1\t1";
    assert_eq!(load(&f, "x", &[], body).await, all(3));
    let rows = f.texts("SELECT f, t, l FROM x ORDER BY id").await;
    assert_eq!(rows[..2], ["Infinity|3|-3", "-Infinity|7|8"]);
    let strict = ("strict_mode", "true");
    for (form, body) in [
        (
            ("format", "csv"),
            "1\t1.5\t3.12\t1\n2\t1.5\t1\t3.12\n3\t1.5\t3\t3",
        ),
        (
            ("format", "json"),
            "{\"id\":1,\"t\":3.12}\n{\"id\":2,\"l\":\"3.12\"}\n{\"id\":3,\"t\":3,\"l\":3}",
        ),
    ] {
        let headers = [strict, form, ("max_filter_ratio", "0.7")];
        let counts = load(&f, "x", &headers, body).await;
        assert_eq!((counts.loaded, counts.filtered), (1, 2), "{form:?}");
    }
}

#[tokio::test]
async fn texts_and_documents() {
    let mut f = Fixture::new().await;
    let document = r#"{"a": 1, "b": ["x", null], "c": {"d": 1.50}}"#;
    for case in [
        case("CHAR(6)", "'äöü'", "äöü", "\"äöü\"", text("äöü")),
        case("VARCHAR(100)", "'a|b c'", "a|b c", "\"a|b c\"", text("a|b c")),
        case(
            "STRING",
            "'😀 \"quoted\" back\\\\slash'",
            "😀 \"quoted\" back\\slash",
            r#""😀 \"quoted\" back\\slash""#,
            text("😀 \"quoted\" back\\slash"),
        ),
        case("STRING", "''", "", "\"\"", text("")),
        case("STRING", "'12.50'", "12.50", "12.50", text("12.50")),
        case(
            "JSON",
            r#"'{"a": 1, "b": ["x", null], "c": {"d": 1.50}}'"#,
            document,
            document,
            text(document),
        ),
        case("JSON", "'[1, 2]'", "[1, 2]", "[1, 2]", text("[1, 2]")),
        case(
            "VARIANT",
            r#"'{"a": 1, "b": ["x", null], "c": {"d": 1.50}}'"#,
            document,
            document,
            text(document),
        ),
        case(
            "IPV4",
            "'192.168.0.1'",
            "192.168.0.1",
            "\"192.168.0.1\"",
            text("192.168.0.1"),
        ),
        case(
            "IPV6",
            "'2001:db8::1'",
            "2001:db8:0::1",
            "\"2001:DB8::1\"",
            text("2001:db8::1"),
        ),
        case(
            "STRING",
            "'你'",
            "你",
            "\"你\"",
            one(BinaryArray::from(vec!["你".as_bytes()])),
        ),
        case(
            "VARBINARY(10)",
            "X'E4BDA0'",
            "0xE4BDA0",
            "\"E4BDA0\"",
            one(BinaryArray::from(vec!["你".as_bytes()])),
        ),
    ] {
        case.check(&mut f).await;
    }
}

#[tokio::test]
async fn json_6_a_string_that_holds_json_is_the_document() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE x (id INT, j JSON, v VARIANT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    let body = r#"{"id":1,"j":"{\"a\":1,\"b\":[\"x\"]}","v":"{\"a\":1,\"b\":[\"x\"]}"}
{"id":2,"j":{"a":1,"b":["x"]},"v":{"a":1,"b":["x"]}}"#;
    assert_eq!(load(&f, "x", &[("format", "json")], body).await, all(2));
    let rows = f.texts("SELECT j, v FROM x").await;
    assert_eq!(rows[0], r#"{"a":1,"b":["x"]}|{"a":1,"b":["x"]}"#);
    assert_eq!(rows[0], rows[1]);
}

#[tokio::test]
async fn days_and_times() {
    let mut f = Fixture::new().await;
    let micros = |value: i64, zone: Option<&str>| {
        one(TimestampMicrosecondArray::from(vec![value]).with_timezone_opt(zone))
    };
    let base = 1_706_688_000_i64; // 2024-01-31 08:00:00
    for case in [
        case(
            "DATE",
            "'2024-01-31'",
            "2024-01-31",
            "\"2024-01-31\"",
            one(Date32Array::from(vec![19_753])),
        ),
        case(
            "DATE",
            "'0001-01-01'",
            "0001-01-01",
            "\"0001-01-01\"",
            one(Date32Array::from(vec![-719_162])),
        ),
        case(
            "DATETIME",
            "'2024-01-31 08:00:00'",
            "2024-01-31 08:00:00",
            "\"2024-01-31 08:00:00\"",
            [
                micros(base * 1_000_000, None),
                one(TimestampSecondArray::from(vec![base])),
            ]
            .concat(),
        ),
        case(
            "DATETIME",
            "'2024-01-31 08:00:00.6'",
            "2024-01-31 08:00:00.6",
            "\"2024-01-31 08:00:00.600\"",
            micros(base * 1_000_000 + 600_000, None),
        ),
        case(
            "DATETIME(3)",
            "'2024-01-31 08:00:00.1235'",
            "2024-01-31 08:00:00.1235",
            "\"2024-01-31 08:00:00.123500\"",
            micros(base * 1_000_000 + 123_500, None),
        ),
        case(
            "DATETIME(6)",
            "'2026-03-27 15:20:29.921550'",
            "2026-03-27 15:20:29.921550",
            "\"2026-03-27 15:20:29.92155\"",
            micros(1_774_624_829_921_550, None),
        ),
        case(
            "DATETIME(6)",
            "'9999-12-31 23:59:59.999999'",
            "9999-12-31 23:59:59.999999",
            "\"9999-12-31 23:59:59.999999\"",
            micros(253_402_300_799_999_999, None),
        ),
        case(
            "DATETIME(6)",
            "'0001-01-01 00:00:00'",
            "0001-01-01 00:00:00",
            "\"0001-01-01 00:00:00\"",
            micros(-62_135_596_800_000_000, None),
        ),
        case(
            "DATETIME",
            "'2024-01-31 08:00:00'",
            "2024-01-31:08:00:00",
            "\"2024-01-31:08:00:00\"",
            micros(base * 1_000_000, None),
        ),
        case(
            "TIMESTAMPTZ(6)",
            "'2024-01-31 16:00:00.123456+08:00'",
            "2024-01-31 08:00:00.123456+00:00",
            "\"2024-01-31 08:00:00.123456+00:00\"",
            micros(base * 1_000_000 + 123_456, Some("UTC")),
        ),
        case(
            "TIME(3)",
            "'12:34:56.789'",
            "12:34:56.789",
            "\"12:34:56.789\"",
            [
                text("12:34:56.789"),
                one(Time32MillisecondArray::from(vec![45_296_789])),
            ]
            .concat(),
        ),
        case(
            "STRING",
            "'12:34:56'",
            "12:34:56",
            "\"12:34:56\"",
            one(Time32MillisecondArray::from(vec![45_296_000])),
        ),
    ] {
        case.check(&mut f).await;
    }
}

#[tokio::test]
async fn json_1_nested_values() {
    let mut f = Fixture::new().await;
    let ints = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1), None, Some(3)])]);
    let mut strings = ListBuilder::new(StringBuilder::new());
    for item in ["a,b", "c]\"d", ""] {
        strings.values().append_value(item);
    }
    strings.append(true);
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    map.keys().append_value("k 1");
    map.values().append_value(7);
    map.keys().append_value("k2");
    map.values().append_null();
    map.append(true).unwrap();
    let row = StructArray::from(vec![
        (
            Arc::new(Field::new("a", DataType::Int32, true)),
            Arc::new(Int32Array::from(vec![1])) as ArrayRef,
        ),
        (
            Arc::new(Field::new("b", DataType::Utf8, true)),
            Arc::new(StringArray::from(vec!["x \"y\""])) as ArrayRef,
        ),
    ]);
    for case in [
        case("ARRAY<INT>", "[1,NULL,3]", "[1,null,3]", "[1,null,3]", one(ints)),
        case(
            "ARRAY<STRING>",
            r#"["a,b", "c]\"d", ""]"#,
            r#"["a,b", "c]\"d", ""]"#,
            r#"["a,b", "c]\"d", ""]"#,
            one(strings.finish()),
        ),
        case(
            "ARRAY<ARRAY<STRING>>",
            r#"[["p","q"],[]]"#,
            r#"[["p","q"],[]]"#,
            r#"[["p","q"],[]]"#,
            [],
        ),
        case(
            "ARRAY<DATE>",
            r#"["2024-01-31"]"#,
            r#"["2024-01-31"]"#,
            r#"["2024-01-31"]"#,
            [],
        ),
        case(
            "ARRAY<DECIMAL(38,18)>",
            "[12345678901234567890.123456789012345678]",
            "[12345678901234567890.123456789012345678]",
            "[12345678901234567890.123456789012345678]",
            [],
        ),
        case(
            "MAP<STRING,INT>",
            r#"{"k 1":7,"k2":NULL}"#,
            r#"{"k 1":7,"k2":null}"#,
            r#"{"k 1":7,"k2":null}"#,
            one(map.finish()),
        ),
        case(
            "MAP<INT,STRING>",
            r#"{1:"v"}"#,
            r#"{"1":"v"}"#,
            r#"{"1":"v"}"#,
            [],
        ),
        case(
            "STRUCT<a:INT,b:STRING>",
            r#"{"a":1,"b":"x \"y\""}"#,
            r#"{"a":1,"b":"x \"y\""}"#,
            r#"{"b":"x \"y\"","a":1}"#,
            one(row),
        ),
        case(
            "ARRAY<STRUCT<a:STRING,start:STRING>>",
            r#"[{"a":"x","start":"1"}]"#,
            r#"[{"a":"x","start":"1"}]"#,
            r#"[{"a":"x","start":"1"}]"#,
            [],
        ),
        case(
            "ARRAY<MAP<INT,STRING>>",
            r#"[{1:"v"}]"#,
            r#"[{"1":"v"}]"#,
            r#"[{"1":"v"}]"#,
            [],
        ),
    ] {
        case.check(&mut f).await;
    }
}

#[tokio::test]
async fn malformed_maps_are_read_leniently() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT, m MAP<STRING,INT>) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    let lines = [
        r#"3|{"null":1}"#,
        r#"4|{"k1': 4, "k2": 400}"#,
        r#"5|{:2, "k2":}"#,
        "6|no map",
    ];
    let counts = load(&f, "t", &[("column_separator", "|")], lines.join("\n")).await;
    assert_eq!(counts, all(4));
    assert_eq!(
        f.texts("SELECT id, m, size(m) FROM t ORDER BY id").await,
        [
            r#"3|{"null":1}|1"#,
            r#"4|{"k1":4, "k2":400}|2"#,
            r#"5|{"":2, "k2":null}|2"#,
            "6|NULL|NULL"
        ]
    );
}
