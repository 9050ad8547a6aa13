//! Arrow streams: the types and values that Doris gets.

use arrow::array::cast::AsArray;
use arrow::array::types::TimestampMicrosecondType;
use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, TimeUnit};
use arrow::ipc::reader::StreamReader;
use doris_arrow::encode::Format;
use proptest::prelude::*;

use crate::written::{Val, batch, columns, encode, text, typed_values};

/// The batches of a body, which is streams one after the other, each with rows and an end marker.
fn read(body: &[u8]) -> Vec<RecordBatch> {
    let mut rest = body;
    let mut batches = Vec::new();
    while !rest.is_empty() {
        let stream: Vec<RecordBatch> = StreamReader::try_new(&mut rest, None)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        // The server would take it for the end of the load.
        assert!(stream.iter().any(|batch| batch.num_rows() > 0));
        batches.extend(stream);
    }
    assert!(
        body.is_empty() || body.ends_with(&[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]),
        "no end marker"
    );
    batches
}

/// One column `v` with one value.
fn column(flink: &str, doris: &str, value: Val, zone: &str) -> ArrayRef {
    let columns = columns(&[("v", flink, doris)]);
    let stream = encode(&Format::Arrow, &columns, &[batch(&columns, &[vec![value]])], zone).unwrap();
    let batches = read(&stream);
    assert_eq!(batches[0].schema().field(0).name(), "v");
    batches[0].column(0).clone()
}

#[test]
fn a_stream_for_each_batch_with_rows() {
    let columns = columns(&[
        ("id", "INT", "int"),
        ("__DORIS_DELETE_SIGN__", "TINYINT", "tinyint"),
    ]);
    let rows = |from: i128| {
        let rows: Vec<Vec<Val>> = (from..from + 2)
            .map(|i| vec![Val::Int(i), Val::Int(i % 2)])
            .collect();
        batch(&columns, &rows)
    };
    let empty = batch(&columns, &[]);
    let sent = [empty.clone(), rows(1), empty.clone(), rows(3), empty];
    let received = read(&encode(&Format::Arrow, &columns, &sent, "UTC").unwrap());
    assert_eq!(received, [rows(1), rows(3)]);
    assert_eq!(encode(&Format::Arrow, &columns, &[], "UTC").unwrap(), b"");
}

#[test]
fn texts_for_text_columns() {
    for (flink, doris, value, expected) in [
        ("INT", "text", Val::Int(5), "5"),
        ("BIGINT", "largeint", Val::Int(-7), "-7"),
        (
            "DECIMAL(38, 0)",
            "largeint",
            Val::Int(10i128.pow(37)),
            "10000000000000000000000000000000000000",
        ),
        ("DATE", "varchar(20)", Val::Int(0), "1970-01-01"),
        ("TIME(0)", "text", Val::Int(1000), "00:00:01"),
        ("TIME(3)", "time(3)", Val::Int(1001), "00:00:01.001"),
        ("TIME(0)", "", Val::Int(1000), "00:00:01"),
        (
            "ARRAY<INT>",
            "json",
            Val::Many(vec![Val::Int(1), Val::Null]),
            "[1,null]",
        ),
        (
            "ROW<`a` STRING>",
            "variant",
            Val::Many(vec![text("\"")]),
            r#"{"a":"\""}"#,
        ),
        ("STRING", "json", text("{}"), "{}"),
    ] {
        let array = column(flink, doris, value, "UTC");
        assert_eq!(array.as_string::<i32>().value(0), expected, "{flink} to {doris}");
    }
    let array = column("BYTES", "text", Val::Bytes(vec![0xE4]), "UTC");
    assert_eq!(array.as_binary::<i32>().value(0), [0xE4]);
}

#[test]
fn time_1_instants_in_arrow() {
    let midnight = 1_704_067_200_000_000;
    let hours = 3_600_000_000;
    let wall = DataType::Timestamp(TimeUnit::Microsecond, None);
    let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    for (flink, doris, expected_type, expected) in [
        ("TIMESTAMP_LTZ(6)", "datetime(6)", &wall, midnight + 8 * hours),
        ("TIMESTAMP_LTZ(6)", "timestamptz(6)", &utc, midnight),
        ("TIMESTAMP(6)", "datetime(6)", &wall, midnight),
        ("TIMESTAMP(6)", "timestamptz(6)", &utc, midnight - 8 * hours),
    ] {
        let array = column(flink, doris, Val::Int(midnight.into()), "Asia/Shanghai");
        assert_eq!(array.data_type(), expected_type, "{flink} to {doris}");
        assert_eq!(
            array.as_primitive::<TimestampMicrosecondType>().value(0),
            expected,
            "{flink} to {doris}"
        );
        assert!(column(flink, doris, Val::Null, "Asia/Shanghai").is_null(0));
    }
    // Inside nested values too.
    let items = Val::Many(vec![Val::Int(midnight.into()), Val::Null]);
    let array = column(
        "ARRAY<TIMESTAMP_LTZ(0)>",
        "array<datetime>",
        items,
        "Asia/Shanghai",
    );
    let items = array.as_list::<i32>().value(0);
    assert_eq!(
        items.as_primitive::<TimestampMicrosecondType>().value(0),
        midnight + 8 * hours
    );
    assert!(items.is_null(1));
    let value = Val::Many(vec![
        Val::Int(midnight.into()),
        Val::Many(vec![text("k"), Val::Int(midnight.into())]),
    ]);
    let array = column(
        "ROW<`A` TIMESTAMP_LTZ(0), `m` MAP<STRING, TIMESTAMP_LTZ(0)>>",
        "struct<a:datetime,m:map<text,datetime>>",
        value,
        "Asia/Shanghai",
    );
    let row = array.as_struct();
    assert_eq!(row.column_names(), ["a", "m"]);
    assert_eq!(
        row.column(0).as_primitive::<TimestampMicrosecondType>().value(0),
        midnight + 8 * hours
    );
    let values = row.column(1).as_map().values();
    assert_eq!(
        values.as_primitive::<TimestampMicrosecondType>().value(0),
        midnight + 8 * hours
    );
}

#[test]
fn a_value_that_does_not_fit_names_its_row() {
    let columns = columns(&[("id", "INT", "int"), ("d", "ARRAY<DATE>", "array<text>")]);
    let rows = [
        vec![Val::Int(1), Val::Many(vec![Val::Int(0), Val::Int(1)])],
        vec![Val::Int(2), Val::Many(vec![])],
        vec![Val::Int(3), Val::Many(vec![Val::Int(9), Val::Int(4_000_000)])],
    ];
    let error = encode(&Format::Arrow, &columns, &[batch(&columns, &rows)], "UTC").unwrap_err();
    assert!(
        error.to_string().starts_with("column d: a DATE outside"),
        "{error}"
    );
    assert!(
        error.to_string().ends_with("(row with key id = \"3\")"),
        "{error}"
    );
}

proptest! {
    /// With targets of the same kind all but dates and times in texts pass as they are.
    #[test]
    fn arrays_pass_unchanged((flink, doris, values) in typed_values(5)) {
        if flink.contains("TIME") {
            return Ok(());
        }
        let columns = columns(&[("v", &flink, &doris)]);
        let rows: Vec<Vec<Val>> = values.into_iter().map(|v| vec![v]).collect();
        let sent = batch(&columns, &rows);
        let received = read(&encode(&Format::Arrow, &columns, std::slice::from_ref(&sent), "UTC").unwrap());
        prop_assert_eq!(received[0].column(0).to_data(), sent.column(0).to_data());
    }
}
