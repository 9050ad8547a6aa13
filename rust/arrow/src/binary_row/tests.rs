use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, Float32Array, Int8Array, Int16Array, Int32Array,
    Int64Array, StringArray, TimestampMicrosecondArray,
};

use super::{BatchRows, ChangeColumn, RowFormat};
use crate::error::Error;
use crate::ipc::{IpcBatch, of_arrays as ipc};
use crate::types::FlinkType;

fn format(types: &[&str], changes: &[ChangeColumn]) -> Option<Arc<RowFormat>> {
    let columns: Vec<_> = types
        .iter()
        .map(|text| ("c".to_owned(), FlinkType::parse(text).unwrap()))
        .collect();
    RowFormat::new(&columns, changes).map(Arc::new)
}

fn rows(types: &[&str], columns: &[ArrayRef]) -> BatchRows {
    format(types, &[]).unwrap().rows(&ipc(columns)).unwrap()
}

fn encoded(rows: &BatchRows) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    rows.encode(0..rows.ends().len(), &mut all).unwrap();
    let mut start = 0;
    rows.ends()
        .iter()
        .map(|end| {
            let row = all[start..*end as usize].to_vec();
            start = *end as usize;
            row
        })
        .collect()
}

/// The rows of one column, each without the 8 bytes before its field, which mark whether it is NULL.
fn cells(r#type: &str, column: ArrayRef) -> Vec<Vec<u8>> {
    encoded(&rows(&[r#type], &[column]))
        .into_iter()
        .map(|row| {
            assert_eq!(row[0], 0, "the kind of an insert");
            assert_eq!(&row[2..8], [0; 6], "no other field");
            match row[1] {
                0 => row[8..].to_vec(),
                1 => {
                    assert_eq!(row[8..], [0; 8]);
                    vec![]
                }
                other => panic!("NULL bits {other}"),
            }
        })
        .collect()
}

fn at_8_bytes(value: i64) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

#[test]
fn values_of_up_to_8_bytes_stand_in_their_field() {
    let bools = BooleanArray::from(vec![Some(true), Some(false), None]);
    assert_eq!(
        cells("BOOLEAN", Arc::new(bools)),
        [at_8_bytes(1), at_8_bytes(0), vec![]]
    );
    let bytes = Int8Array::from(vec![Some(-1), None]);
    assert_eq!(cells("TINYINT", Arc::new(bytes)), [at_8_bytes(0xff), vec![]]);
    let shorts = Int16Array::from(vec![-2]);
    assert_eq!(cells("SMALLINT", Arc::new(shorts)), [at_8_bytes(0xfffe)]);
    let ints = Int32Array::from(vec![i32::MIN]);
    assert_eq!(cells("INT", Arc::new(ints)), [at_8_bytes(0x8000_0000)]);
    let times = Int32Array::from(vec![86_399_999]);
    assert_eq!(cells("TIME(3)", Arc::new(times)), [at_8_bytes(86_399_999)]);
    let longs = Int64Array::from(vec![Some(i64::MIN), None, Some(7)]);
    assert_eq!(
        cells("BIGINT", Arc::new(longs)),
        [at_8_bytes(i64::MIN), vec![], at_8_bytes(7)]
    );
    let floats = Float32Array::from(vec![-0.0]);
    assert_eq!(cells("FLOAT", Arc::new(floats)), [at_8_bytes(0x8000_0000)]);
}

#[test]
fn text_of_more_than_7_bytes_stands_behind() {
    let texts = StringArray::from(vec![
        Some(""),
        Some("abc"),
        Some("1234567"),
        Some("12345678"),
        Some("äöüäö"),
        None,
    ]);
    let behind = |length: i64, text: &[u8]| [(16i64 << 32 | length).to_le_bytes().as_slice(), text].concat();
    assert_eq!(
        cells("STRING", Arc::new(texts)),
        [
            vec![0, 0, 0, 0, 0, 0, 0, 0x80],
            vec![b'a', b'b', b'c', 0, 0, 0, 0, 0x83],
            b"1234567\x87".to_vec(),
            behind(8, b"12345678"),
            behind(10, "äöüäö\0\0\0\0\0\0".as_bytes()),
            vec![],
        ]
    );
    let bytes = BinaryArray::from(vec![b"\x00\xff".as_slice(), &[9; 9]]);
    assert_eq!(
        cells("BYTES", Arc::new(bytes)),
        [
            vec![0, 0xff, 0, 0, 0, 0, 0, 0x82],
            behind(9, &[9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0])
        ]
    );
}

#[test]
fn decimals_of_more_than_18_digits_stand_behind() {
    let decimals = |digits, values: Vec<Option<i128>>| {
        Arc::new(
            Decimal128Array::from(values)
                .with_precision_and_scale(digits, 2)
                .unwrap(),
        ) as ArrayRef
    };
    assert_eq!(
        cells("DECIMAL(18, 2)", decimals(18, vec![Some(-5), None])),
        [at_8_bytes(-5), vec![]]
    );
    let behind = |value: &[u8]| {
        let mut cell = (16i64 << 32 | value.len() as i64).to_le_bytes().to_vec();
        cell.extend_from_slice(value);
        cell.resize(24, 0);
        cell
    };
    let most = 10i128.pow(38) - 1;
    let values = [0, -1, 127, 128, -128, -129, 1 << 64, most, -most]
        .map(Some)
        .to_vec();
    let mut most_bytes = most.to_be_bytes();
    let mut expected = vec![
        behind(&[0]),
        behind(&[0xff]),
        behind(&[0x7f]),
        behind(&[0, 0x80]),
        behind(&[0x80]),
        behind(&[0xff, 0x7f]),
        behind(&[1, 0, 0, 0, 0, 0, 0, 0, 0]),
        behind(&most_bytes),
    ];
    most_bytes = (-most).to_be_bytes();
    expected.push(behind(&most_bytes));
    assert_eq!(cells("DECIMAL(38, 2)", decimals(38, values)), expected);
    assert_eq!(
        cells("DECIMAL(19, 2)", decimals(19, vec![None])),
        [Vec::<u8>::new()]
    );
}

#[test]
fn timestamps_of_more_than_3_digits_stand_behind() {
    let micros = vec![Some(1_700_000_000_123_456), Some(-1), None];
    let column: ArrayRef = Arc::new(TimestampMicrosecondArray::from(micros));
    assert_eq!(
        cells("TIMESTAMP(3)", column.clone()),
        [at_8_bytes(1_700_000_000_123), at_8_bytes(-1), vec![]]
    );
    let behind = |nanos: i64, millis: i64| [at_8_bytes(16 << 32 | nanos), at_8_bytes(millis)].concat();
    assert_eq!(
        cells("TIMESTAMP_LTZ(6)", column),
        [behind(456_000, 1_700_000_000_123), behind(999_000, -1), vec![]]
    );
}

#[test]
fn the_bits_of_57_fields_take_16_bytes() {
    for (fields, head) in [(1, 8), (56, 8), (57, 16), (120, 16), (121, 24)] {
        let columns: Vec<ArrayRef> = (0..fields)
            .map(|n| Arc::new(Int8Array::from(vec![(n != fields - 1).then_some(1)])) as ArrayRef)
            .collect();
        let row = &encoded(&rows(&vec!["TINYINT"; fields], &columns))[0];
        assert_eq!(row.len(), head + 8 * fields);
        let mut bits = vec![0; head];
        let last = 8 + (fields - 1);
        bits[last / 8] = 1 << (last % 8);
        assert_eq!(row[..head], bits);
        assert_eq!(row[head] == 1, fields > 1);
    }
}

#[test]
fn what_a_change_tells_is_null_in_the_content() {
    use ChangeColumn::{CommitTime, Lsn, Op, Tso};
    let format = format(&["STRING"], &[CommitTime, Op, Lsn, Tso]).unwrap();
    let names: ArrayRef = Arc::new(StringArray::from(vec!["x", "y", "z", "z", "?"]));
    let content = encoded(&format.rows(&ipc(std::slice::from_ref(&names))).unwrap());
    assert_eq!(content[1][..8], [0, 0b11110, 0, 0, 0, 0, 0, 0]);
    assert_eq!(content[1][8..16], *b"y\0\0\0\0\0\0\x81");
    assert_eq!(content[1][16..], [0; 32]);

    let tso = 1_700_000_000_123 << 18 | 42;
    let window = ipc(&[
        names,
        Arc::new(Int8Array::from(vec![0, 1, 2, 3, 4])),
        Arc::new(Int64Array::from(vec![tso; 5])),
        Arc::new(Int64Array::from(vec![-7; 5])),
        Arc::new(Int64Array::from(vec![0; 5])),
    ]);
    let changes = encoded(&format.rows(&window).unwrap());
    for (row, op) in changes.iter().zip(["+I", "-D", "-U", "+U"]) {
        assert_eq!(row[..8], [0; 8]);
        assert_eq!(row[16..24], 1_700_000_000_123i64.to_le_bytes());
        assert_eq!(
            row[24..32],
            *format!("{op}\0\0\0\0\0\u{82}")
                .chars()
                .map(|c| c as u8)
                .collect::<Vec<_>>()
        );
        assert_eq!(row[32..40], (-7i64).to_le_bytes());
        assert_eq!(row[40..], tso.to_le_bytes());
    }
    assert_eq!(changes[4][..8], [0, 0b100, 0, 0, 0, 0, 0, 0], "no such operation");
}

#[test]
fn parts_are_what_the_whole_is() {
    let texts = StringArray::from_iter((0..100).map(|n| (n % 3 != 0).then(|| "x".repeat(n))));
    let rows = rows(
        &["STRING", "INT"],
        &[Arc::new(texts), Arc::new(Int32Array::from_iter(0..100))],
    );
    let whole = encoded(&rows);
    let mut out = b"left from before".to_vec();
    for (from, to) in [(0, 1), (1, 100), (50, 60), (99, 100), (7, 7)] {
        rows.encode(from..to, &mut out).unwrap();
        assert_eq!(out, whole[from..to].concat());
    }
    #[allow(clippy::reversed_empty_ranges)]
    for range in [0..101, 101..102, 5..4, usize::MAX..usize::MAX] {
        assert!(matches!(rows.encode(range, &mut out), Err(Error::Corrupt(_))));
    }
}

#[test]
fn columns_that_consist_of_others_have_no_place() {
    for r#type in [
        "ARRAY<INT>",
        "MAP<INT, INT>",
        "ROW<`a` INT>",
        "MULTISET<INT>",
        "VARIANT",
    ] {
        assert!(format(&["INT", r#type], &[]).is_none(), "{type}");
    }
}

#[test]
fn damaged_batches_are_errors() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["one", "two", "three"]));
    let whole = ipc(&[texts]);
    let string = format(&["STRING"], &[]).unwrap();
    // The offsets come first, as there is no NULL: 0, 3, 6, 11.
    for (offset, value) in [(4, 7i32), (4, -1), (8, 12), (8, 2), (4, i32::MAX)] {
        let mut body = whole.body.to_vec();
        body[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        let batch = IpcBatch {
            body: body.into(),
            ..whole.clone()
        };
        let error = string.rows(&batch).unwrap_err();
        assert!(error.to_string().contains("column c: offsets"), "{error}");
    }
    for cut in [0, 4, whole.header.len() / 2] {
        let batch = IpcBatch {
            header: whole.header.slice(..cut),
            ..whole.clone()
        };
        assert!(string.rows(&batch).is_err());
    }
    assert!(format(&["STRING", "INT"], &[]).unwrap().rows(&whole).is_err());
    let large: ArrayRef = Arc::new(
        Decimal128Array::from(vec![i128::from(i64::MAX) + 1])
            .with_precision_and_scale(38, 2)
            .unwrap(),
    );
    let batch = ipc(&[large]);
    for (r#type, fits) in [
        ("DECIMAL(18, 2)", false),
        ("DECIMAL(19, 2)", true),
        ("DECIMAL(38, 2)", true),
    ] {
        let rows = format(&[r#type], &[]).unwrap().rows(&batch).unwrap();
        let done = rows.encode(0..1, &mut Vec::new());
        assert_eq!(done.is_ok(), fits, "{type}: {done:?}");
        if let Err(error) = done {
            assert_eq!(
                error.to_string(),
                format!("column c: a value does not fit {}", r#type)
            );
        }
    }
}
