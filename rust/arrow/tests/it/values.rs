//! Every Arrow form that servers have sent for a type, with edge values.

use std::sync::Arc;

use arrow::array::builder::{FixedSizeBinaryBuilder, ListBuilder, StringBuilder};
use arrow::array::types::Int32Type;
use arrow::array::*;
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::i256;
use arrow::datatypes::{DataType, Field};

use crate::support::*;

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn fixed(values: &[Option<i128>]) -> ArrayRef {
    let mut builder = FixedSizeBinaryBuilder::new(16);
    for value in values {
        match value {
            Some(value) => builder.append_value(value.to_le_bytes()).unwrap(),
            None => builder.append_null(),
        }
    }
    Arc::new(builder.finish())
}

fn ok(array: ArrayRef, doris: &str, flink: &str, zone: &str) -> Vec<String> {
    shown(array, doris, flink, zone).unwrap_or_else(|e| panic!("{doris} as {flink}: {e}"))
}

fn fails(array: ArrayRef, doris: &str, flink: &str, texts: &[&str]) {
    let error = shown(array, doris, flink, "UTC").unwrap_err().to_string();
    assert!(error.contains("c"), "{error}");
    for text in texts {
        assert!(error.contains(text), "{doris} as {flink}: {error}");
    }
}

#[test]
fn numbers_widen() {
    assert_eq!(
        ok(
            Arc::new(Int8Array::from(vec![Some(i8::MIN), None])),
            "tinyint",
            "BIGINT",
            "UTC"
        ),
        ["-128", "null"]
    );
    assert_eq!(
        ok(
            Arc::new(Int16Array::from(vec![i16::MAX])),
            "smallint",
            "INT",
            "UTC"
        ),
        ["32767"]
    );
    assert_eq!(
        ok(Arc::new(Int32Array::from(vec![i32::MIN])), "int", "BIGINT", "UTC"),
        ["-2147483648"]
    );
    let floats = vec![
        Some(f32::NAN),
        Some(f32::INFINITY),
        Some(f32::NEG_INFINITY),
        Some(0.1),
        None,
    ];
    assert_eq!(
        ok(Arc::new(Float32Array::from(floats)), "float", "DOUBLE", "UTC"),
        ["NaN", "inf", "-inf", "0.10000000149011612", "null"]
    );
}

#[test]
fn large_integers_in_both_forms() {
    let (min, max) = (
        "-170141183460469231731687303715884105728",
        "170141183460469231731687303715884105727",
    );
    assert_eq!(
        ok(texts(&[Some(min), Some(max), None]), "largeint", "STRING", "UTC"),
        [min, max, "null"]
    );
    assert_eq!(
        ok(
            fixed(&[Some(i128::MIN), Some(i128::MAX), None]),
            "largeint",
            "STRING",
            "UTC"
        ),
        [min, max, "null"]
    );
    let nines = "99999999999999999999999999999999999999";
    for array in [
        texts(&[Some(nines), Some("-1")]),
        fixed(&[Some(nines.parse().unwrap()), Some(-1)]),
    ] {
        assert_eq!(ok(array, "largeint", "DECIMAL(38, 0)", "UTC"), [nines, "-1"]);
    }
    for array in [texts(&[Some(max)]), fixed(&[Some(i128::MAX)])] {
        fails(
            array,
            "largeint",
            "DECIMAL(38, 0)",
            &["column c", "DECIMAL(38, 0)"],
        );
    }
}

#[test]
fn decimals() {
    let small = || {
        Arc::new(
            Decimal128Array::from(vec![Some(-1), Some(1234), None])
                .with_precision_and_scale(10, 2)
                .unwrap(),
        )
    };
    assert_eq!(
        ok(small(), "decimal(10,2)", "DECIMAL(10, 2)", "UTC"),
        ["-0.01", "12.34", "null"]
    );
    assert_eq!(
        ok(small(), "decimal(10,2)", "DECIMAL(20, 4)", "UTC"),
        ["-0.0100", "12.3400", "null"]
    );
    // DECIMALV2 arrives as (27, 9), whatever its declaration.
    let v2 = Decimal128Array::from(vec![12_340_000_000])
        .with_precision_and_scale(27, 9)
        .unwrap();
    assert_eq!(
        ok(Arc::new(v2), "decimal(10,2)", "DECIMAL(10, 2)", "UTC"),
        ["12.34"]
    );
    let finer = Decimal128Array::from(vec![12_345_678_900])
        .with_precision_and_scale(27, 9)
        .unwrap();
    fails(
        Arc::new(finer),
        "decimal(10,2)",
        "DECIMAL(10, 2)",
        &["12.3456789"],
    );

    let digits = "12345678901234567890123456789012345678901234567890";
    let wide = |text: &str| {
        let values = vec![
            Some(text.parse::<i256>().unwrap()),
            Some(i256::from_i128(-5)),
            None,
        ];
        Arc::new(
            Decimal256Array::from(values)
                .with_precision_and_scale(50, 10)
                .unwrap(),
        ) as ArrayRef
    };
    fails(
        wide(digits),
        "decimal(50,10)",
        "DECIMAL(38, 10)",
        &["column c", "STRING"],
    );
    assert_eq!(
        ok(wide("12345"), "decimal(50,10)", "DECIMAL(38, 10)", "UTC")[0],
        "0.0000012345"
    );
    assert_eq!(
        ok(wide(digits), "decimal(50,10)", "STRING", "UTC"),
        [
            "1234567890123456789012345678901234567890.1234567890",
            "-0.0000000005",
            "null"
        ]
    );
}

#[test]
fn dates() {
    let days = vec![Some(-719_528), Some(2_932_896), Some(0), None];
    let expected = ["0000-01-01", "9999-12-31", "1970-01-01", "null"];
    assert_eq!(
        ok(Arc::new(Date32Array::from(days)), "date", "DATE", "UTC"),
        expected
    );
    let as_text = texts(&[Some("0000-01-01"), Some("9999-12-31"), Some("1970-01-01"), None]);
    assert_eq!(ok(as_text, "date", "DATE", "UTC"), expected);
    fails(
        texts(&[Some("2024-02-30")]),
        "date",
        "DATE",
        &["column c", "2024-02-30"],
    );
}

const NOON: i64 = 1_719_835_200; // 2024-07-01 12:00:00 as a wall clock

#[test]
fn wall_clocks_without_a_zone_pass_unchanged() {
    let cases: [(ArrayRef, &str, &str); 4] = [
        (
            Arc::new(TimestampSecondArray::from(vec![NOON])),
            "datetime",
            "TIMESTAMP(0)",
        ),
        (
            Arc::new(TimestampMillisecondArray::from(vec![NOON * 1000])),
            "datetime(3)",
            "TIMESTAMP(3)",
        ),
        (
            Arc::new(TimestampMicrosecondArray::from(vec![NOON * 1_000_000])),
            "datetime(6)",
            "TIMESTAMP(6)",
        ),
        (texts(&[Some("2024-07-01 12:00:00")]), "datetime", "TIMESTAMP(0)"),
    ];
    for (array, doris, flink) in cases {
        // The job's zone plays no part.
        for zone in ["UTC", "Asia/Shanghai", "America/New_York"] {
            assert_eq!(
                ok(array.clone(), doris, flink, zone),
                ["2024-07-01T12:00:00"],
                "{doris} in {zone}"
            );
        }
    }
}

#[test]
fn a_zone_text_is_undone() {
    for zone in ["Asia/Shanghai", "+08:00"] {
        let array = Arc::new(TimestampSecondArray::from(vec![NOON - 8 * 3600]).with_timezone(zone));
        assert_eq!(
            ok(array.clone(), "datetime", "TIMESTAMP(0)", "America/New_York"),
            ["2024-07-01T12:00:00"]
        );
        assert_eq!(
            ok(array, "datetime", "STRING", "America/New_York"),
            ["2024-07-01 12:00:00"]
        );
    }
    let utc = Arc::new(TimestampMicrosecondArray::from(vec![NOON * 1_000_000]).with_timezone("UTC"));
    assert_eq!(
        ok(utc, "datetime(6)", "TIMESTAMP(6)", "Asia/Shanghai"),
        ["2024-07-01T12:00:00"]
    );
    let unknown = Arc::new(TimestampMicrosecondArray::from(vec![0]).with_timezone("Mars/Base"));
    fails(unknown, "datetime(6)", "TIMESTAMP(6)", &["Mars/Base"]);
}

#[test]
fn the_scale_decides_the_unit_where_the_server_names_another() {
    // Doris 2.1.8: microseconds in name, seconds in fact.
    let array = Arc::new(TimestampMicrosecondArray::from(vec![1_714_979_289]));
    assert_eq!(
        ok(array, "datetime", "TIMESTAMP(0)", "UTC"),
        ["2024-05-06T07:08:09"]
    );
    let array = Arc::new(TimestampMicrosecondArray::from(vec![1_714_979_289_123]).with_timezone("UTC"));
    assert_eq!(
        ok(array, "datetime(3)", "TIMESTAMP(6)", "UTC"),
        ["2024-05-06T07:08:09.123"]
    );
    // Inside nested types too.
    let item = Arc::new(Field::new(
        "item",
        DataType::Timestamp(arrow::datatypes::TimeUnit::Microsecond, None),
        true,
    ));
    let values = Arc::new(TimestampMicrosecondArray::from(vec![1_714_979_289]));
    let list = ListArray::new(item, OffsetBuffer::from_lengths([1]), values, None);
    assert_eq!(
        ok(Arc::new(list), "array<datetime>", "ARRAY<TIMESTAMP(0)>", "UTC"),
        ["[2024-05-06T07:08:09]"]
    );
}

#[test]
fn years_from_0_to_9999() {
    let (first, last) = (-62_167_219_200, 253_402_300_799);
    assert_eq!(
        ok(
            Arc::new(TimestampSecondArray::from(vec![first, last])),
            "datetime",
            "TIMESTAMP(0)",
            "UTC"
        ),
        ["0000-01-01T00:00:00", "9999-12-31T23:59:59"]
    );
    fails(
        Arc::new(TimestampSecondArray::from(vec![last * 10])),
        "datetime",
        "TIMESTAMP(0)",
        &["0000 to 9999"],
    );
    fails(
        Arc::new(TimestampSecondArray::from(vec![i64::MAX])),
        "datetime",
        "TIMESTAMP(0)",
        &["0000 to 9999"],
    );
}

#[test]
fn instants_and_the_zone_of_the_job() {
    let instant =
        || Arc::new(TimestampMicrosecondArray::from(vec![NOON * 1_000_000]).with_timezone("+08:00"));
    // TIMESTAMPTZ is an instant in any zone; as TIMESTAMP it shows the job's wall clock.
    assert_eq!(
        ok(
            instant(),
            "timestamptz(6)",
            "TIMESTAMP(6) WITH LOCAL TIME ZONE",
            "America/New_York"
        ),
        ["2024-07-01T12:00:00"]
    );
    assert_eq!(
        ok(instant(), "timestamptz(6)", "TIMESTAMP(6)", "America/New_York"),
        ["2024-07-01T08:00:00"]
    );
    let text = texts(&[Some("2024-07-01 20:00:00+08:00")]);
    assert_eq!(
        ok(
            text,
            "timestamptz(0)",
            "TIMESTAMP(0) WITH LOCAL TIME ZONE",
            "America/New_York"
        ),
        ["2024-07-01T12:00:00"]
    );
    // DATETIME is a wall clock; as TIMESTAMP_LTZ it is read in the job's zone.
    let wall = Arc::new(TimestampSecondArray::from(vec![NOON]));
    assert_eq!(
        ok(
            wall,
            "datetime",
            "TIMESTAMP(0) WITH LOCAL TIME ZONE",
            "Asia/Shanghai"
        ),
        ["2024-07-01T04:00:00"]
    );
    let zoned = Arc::new(TimestampSecondArray::from(vec![NOON - 8 * 3600]).with_timezone("Asia/Shanghai"));
    assert_eq!(
        ok(
            zoned.clone(),
            "datetime",
            "TIMESTAMP(0) WITH LOCAL TIME ZONE",
            "Asia/Shanghai"
        ),
        ["2024-07-01T04:00:00"]
    );
    assert_eq!(
        ok(zoned, "datetime", "TIMESTAMP(0) WITH LOCAL TIME ZONE", "UTC"),
        ["2024-07-01T12:00:00"]
    );
}

#[test]
fn times_of_day() {
    let micros = Arc::new(Float64Array::from(vec![Some(0.0), Some(86_399_999_000.0), None]));
    let expected = ["0", "86399999", "null"];
    assert_eq!(ok(micros, "time(3)", "TIME(3)", "UTC"), expected);
    assert_eq!(
        ok(
            texts(&[Some("00:00:00"), Some("23:59:59.999"), None]),
            "time(3)",
            "TIME(3)",
            "UTC"
        ),
        expected
    );
    assert_eq!(
        ok(texts(&[Some("-838:59:59.5")]), "time(1)", "DOUBLE", "UTC"),
        ["-3020399500000.0"]
    );
    fails(
        texts(&[Some("24:00:00")]),
        "time",
        "TIME(0)",
        &["column c", "STRING"],
    );
    fails(
        Arc::new(Float64Array::from(vec![-1.0])),
        "time",
        "TIME(0)",
        &["column c", "STRING"],
    );
}

#[test]
fn addresses_in_three_forms() {
    let (text, long) = ("255.255.255.255", "4294967295");
    let forms: [ArrayRef; 3] = [
        Arc::new(Int32Array::from(vec![-1])),
        Arc::new(UInt32Array::from(vec![u32::MAX])),
        texts(&[Some(text)]),
    ];
    for array in forms {
        assert_eq!(ok(array.clone(), "ipv4", "STRING", "UTC"), [text]);
        assert_eq!(ok(array, "ipv4", "BIGINT", "UTC"), [long]);
    }
    let v6 = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
    let items = texts(&[
        Some("::1"),
        Some("1"),
        Some("340282366920938463463374607431768211455"),
    ]);
    let list = ListArray::new(
        Arc::new(Field::new("item", DataType::Utf8, true)),
        OffsetBuffer::from_lengths([3]),
        items,
        None,
    );
    assert_eq!(
        ok(Arc::new(list), "array<ipv6>", "ARRAY<STRING>", "UTC"),
        [format!("[::1, ::1, {v6}]")]
    );
    let uuid = i128::from_be_bytes(*b"\x12\x34\x56\x78\x9a\xbc\xde\xf0\x12\x34\x56\x78\x9a\xbc\xde\xf0")
        .swap_bytes();
    assert_eq!(
        ok(fixed(&[Some(uuid)]), "uuid", "STRING", "UTC"),
        ["12345678-9abc-def0-1234-56789abcdef0"]
    );
}

#[test]
fn text_in_all_arrow_forms() {
    let values = vec![Some(""), Some("🎉é"), None];
    let dictionary: DictionaryArray<Int32Type> = values.iter().copied().collect();
    let forms: [ArrayRef; 4] = [
        Arc::new(StringArray::from(values.clone())),
        Arc::new(LargeStringArray::from(values.clone())),
        Arc::new(StringViewArray::from(values.clone())),
        Arc::new(dictionary),
    ];
    for array in forms {
        assert_eq!(ok(array, "text", "STRING", "UTC"), ["", "🎉é", "null"]);
    }
    // Bytes that are no text pass as BYTES, and so do those of a text column.
    let binary = Arc::new(BinaryArray::from_opt_vec(vec![Some(&[0xff, 0xfe]), None]));
    assert_eq!(ok(binary.clone(), "bitmap", "BYTES", "UTC"), ["fffe", "null"]);
    assert_eq!(ok(binary, "text", "BYTES", "UTC"), ["fffe", "null"]);
}

#[test]
fn nested_types_by_name_and_position() {
    let fields = vec![
        Field::new("a", DataType::Int32, true),
        Field::new("B", DataType::Date32, true),
    ];
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), None])),
        Arc::new(Date32Array::from(vec![Some(0), Some(1)])),
    ];
    let row = Arc::new(StructArray::new(fields.into(), columns, None));
    assert_eq!(
        ok(
            row.clone(),
            "struct<a:int,B:date>",
            "ROW<`b` STRING, `a` BIGINT>",
            "UTC"
        ),
        ["{b: 1970-01-01, a: 1}", "{b: 1970-01-02, a: null}"]
    );
    assert_eq!(
        ok(
            row.clone(),
            "struct<a:int,B:date>",
            "ROW<`x` INT, `y` DATE>",
            "UTC"
        ),
        ["{x: 1, y: 1970-01-01}", "{x: null, y: 1970-01-02}"]
    );
    assert_eq!(
        ok(row, "struct<a:int,B:date>", "ROW<`a` INT>", "UTC"),
        ["{a: 1}", "{a: null}"]
    );

    let fields = vec![
        Field::new("a", DataType::Utf8, true),
        Field::new("b", DataType::Utf8, true),
    ];
    let columns: Vec<ArrayRef> = vec![texts(&[Some("1"), None]), texts(&[Some("x"), Some("y")])];
    let row = Arc::new(StructArray::new(
        fields.into(),
        columns,
        Some(vec![true, false].into()),
    ));
    assert_eq!(
        ok(row, "struct<a:int,b:text>", "MAP<STRING, STRING>", "UTC"),
        ["{a: 1, b: x}", "null"]
    );
}

#[test]
fn lists_of_lists_and_slices() {
    let mut builder = ListBuilder::new(ListBuilder::new(StringBuilder::new()));
    for part in [vec!["9999-12-31"], vec!["1970-01-01", "0000-01-01"], vec![]] {
        for text in part {
            builder.values().values().append_value(text);
        }
        builder.values().append(true);
        builder.append(true);
    }
    builder.append(false);
    let lists = builder.finish();
    let flink = "ARRAY<ARRAY<DATE>>";
    let expected = ["[[9999-12-31]]", "[[1970-01-01, 0000-01-01]]", "[[]]", "null"];
    assert_eq!(
        ok(Arc::new(lists.clone()), "array<array<date>>", flink, "UTC"),
        expected
    );
    assert_eq!(
        ok(Arc::new(lists.slice(1, 3)), "array<array<date>>", flink, "UTC"),
        expected[1..]
    );
}
