//! Record batches in canonical types as files that the Java vectors are tested against (`tests/fixtures/ipc`). The test
//! compares them with what it would write; `UPDATE_FIXTURES=1` writes them.
//!
//! A file is u32 length and bytes of the header, then the same of the body, big-endian lengths. Beside `random.bin` lies
//! `random.tsv` with the same values as text, one row a line.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::builder::{
    Int32Builder, ListBuilder, MapBuilder, MapFieldNames, StringBuilder, StructBuilder,
};
use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array,
    Int8Array, Int16Array, Int32Array, Int64Array, ListArray, RecordBatch, RecordBatchOptions, StringArray,
    StructArray, TimestampMicrosecondArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Fields, Schema};
use arrow::ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};

#[test]
fn fixtures_are_what_this_writes() {
    let (random, text) = random();
    let files: [(&str, Vec<u8>); 7] = [
        ("scalars.bin", file(&scalars())),
        ("plain.bin", file(&plain())),
        ("nested.bin", file(&nested())),
        ("zero_columns.bin", file(&zero_columns())),
        ("zero_rows.bin", file(&scalars().slice(0, 0))),
        ("random.bin", file(&random)),
        ("random.tsv", text.into_bytes()),
    ];
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ipc");
    for (name, bytes) in files {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(&path, &bytes).unwrap();
        }
        let committed = std::fs::read(&path).unwrap_or_default();
        assert!(
            committed == bytes,
            "{} differs: write it with UPDATE_FIXTURES=1",
            path.display()
        );
    }
}

/// Header and body as they cross to Java.
fn file(batch: &RecordBatch) -> Vec<u8> {
    let (_, encoded) = IpcDataGenerator {}
        .encode(
            batch,
            &mut DictionaryTracker::new(false),
            &IpcWriteOptions::default(),
            &mut IpcWriteContext::default(),
        )
        .unwrap();
    let mut out = Vec::new();
    for part in [&encoded.ipc_message, &encoded.arrow_data] {
        out.extend_from_slice(&u32::try_from(part.len()).unwrap().to_be_bytes());
        out.extend_from_slice(part);
    }
    out
}

fn batch(columns: Vec<ArrayRef>) -> RecordBatch {
    let fields: Vec<Field> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| Field::new(format!("c{i}"), column.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn decimal(values: Vec<Option<i128>>, precision: u8, scale: i8) -> ArrayRef {
    Arc::new(
        Decimal128Array::from(values)
            .with_precision_and_scale(precision, scale)
            .unwrap(),
    )
}

/// One row each: ordinary, NULL, smallest, largest, odd.
fn scalars() -> RecordBatch {
    const DAY: i64 = 86_400_000_000;
    let max38 = 99_999_999_999_999_999_999_999_999_999_999_999_999_i128;
    batch(vec![
        Arc::new(BooleanArray::from(vec![
            Some(true),
            None,
            Some(false),
            Some(true),
            Some(false),
        ])),
        Arc::new(Int8Array::from(vec![
            Some(1),
            None,
            Some(i8::MIN),
            Some(i8::MAX),
            Some(-1),
        ])),
        Arc::new(Int16Array::from(vec![
            Some(2),
            None,
            Some(i16::MIN),
            Some(i16::MAX),
            Some(-1),
        ])),
        Arc::new(Int32Array::from(vec![
            Some(3),
            None,
            Some(i32::MIN),
            Some(i32::MAX),
            Some(-1),
        ])),
        Arc::new(Int64Array::from(vec![
            Some(4),
            None,
            Some(i64::MIN),
            Some(i64::MAX),
            Some(-1),
        ])),
        Arc::new(Float32Array::from(vec![
            Some(1.5),
            None,
            Some(f32::MIN),
            Some(f32::INFINITY),
            Some(f32::NAN),
        ])),
        Arc::new(Float64Array::from(vec![
            Some(0.1),
            None,
            Some(f64::MIN_POSITIVE),
            Some(f64::MAX),
            Some(-0.0),
        ])),
        decimal(
            vec![Some(12345), None, Some(-999_999_999), Some(999_999_999), Some(-1)],
            9,
            2,
        ),
        decimal(vec![Some(1), None, Some(-max38), Some(max38), Some(-1)], 38, 10),
        Arc::new(Date32Array::from(vec![
            Some(19_723),
            None,
            Some(-719_528),
            Some(2_932_896),
            Some(-1),
        ])),
        Arc::new(Int32Array::from(vec![
            Some(3_723_004),
            None,
            Some(0),
            Some(86_399_999),
            Some(1),
        ])),
        Arc::new(TimestampMicrosecondArray::from(vec![
            Some(1_704_164_645_123_456),
            None,
            Some(-719_528 * DAY),
            Some(2_932_897 * DAY - 1),
            Some(-1),
        ])),
        Arc::new(TimestampMicrosecondArray::from(vec![
            Some(0),
            None,
            Some(-1_000),
            Some(-1_001),
            Some(999_999),
        ])),
        Arc::new(StringArray::from(vec![
            Some("Zoë"),
            None,
            Some(""),
            Some("😀 a\tb"),
            Some("a\0b"),
        ])),
        Arc::new(BinaryArray::from(vec![
            Some(&[0, 255][..]),
            None,
            Some(&[]),
            Some(&[1; 40]),
            Some(&[128]),
        ])),
    ])
}

/// No NULLs: the validity buffers have no bytes.
fn plain() -> RecordBatch {
    batch(vec![
        Arc::new(Int64Array::from_iter_values([10, 20, 30])),
        Arc::new(StringArray::from_iter_values(["a", "bb", "ccc"])),
        Arc::new(BooleanArray::from(vec![true, false, true])),
    ])
}

fn zero_columns() -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(7));
    RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options).unwrap()
}

/// Rows: full, NULL, empty, with NULLs inside. Columns: ARRAY<INT>, ARRAY<ARRAY<STRING>>, MAP<STRING, INT>,
/// ROW<a INT, b ROW<c STRING>>, ARRAY<ROW<a INT>>.
fn nested() -> RecordBatch {
    let mut ints = ListBuilder::new(Int32Builder::new());
    ints.append_value([Some(1), Some(2)]);
    ints.append_null();
    ints.append_value([]);
    ints.append_value([None, Some(3)]);

    let mut texts = ListBuilder::new(ListBuilder::new(StringBuilder::new()));
    texts.values().append_value([Some("x"), Some("é")]);
    texts.values().append_value([] as [Option<&str>; 0]);
    texts.append(true);
    texts.append(false);
    texts.append(true);
    texts.values().append_null();
    texts.values().append_value([None, Some("😀")]);
    texts.append(true);

    let names = MapFieldNames {
        entry: "entries".into(),
        key: "key".into(),
        value: "value".into(),
    };
    let mut map = MapBuilder::new(Some(names), StringBuilder::new(), Int32Builder::new());
    map.keys().append_value("k1");
    map.values().append_value(1);
    map.keys().append_value("k2");
    map.values().append_value(2);
    map.append(true).unwrap();
    map.append(false).unwrap();
    map.append(true).unwrap();
    map.keys().append_value("");
    map.values().append_null();
    map.append(true).unwrap();

    let inner = StructArray::new(
        Fields::from(vec![Field::new("c", DataType::Utf8, true)]),
        vec![Arc::new(StringArray::from(vec![
            Some("deep"),
            None,
            Some(""),
            None,
        ]))],
        Some(NullBuffer::from(vec![true, false, false, true])),
    );
    let row = StructArray::new(
        Fields::from(vec![
            Field::new("a", DataType::Int32, true),
            Field::new("b", inner.data_type().clone(), true),
        ]),
        vec![
            Arc::new(Int32Array::from(vec![Some(7), None, None, Some(-7)])),
            Arc::new(inner),
        ],
        Some(NullBuffer::from(vec![true, false, true, true])),
    );

    let mut elements = StructBuilder::from_fields(vec![Field::new("a", DataType::Int32, true)], 3);
    for (value, valid) in [(Some(1), true), (None, false), (None, true)] {
        elements
            .field_builder::<Int32Builder>(0)
            .unwrap()
            .append_option(value);
        elements.append(valid);
    }
    let elements = elements.finish();
    let rows = ListArray::new(
        Arc::new(Field::new("item", elements.data_type().clone(), true)),
        OffsetBuffer::from_lengths([1, 0, 0, 2]),
        Arc::new(elements),
        Some(NullBuffer::from(vec![true, false, true, true])),
    );
    batch(vec![
        Arc::new(ints.finish()),
        Arc::new(texts.finish()),
        Arc::new(map.finish()),
        Arc::new(row),
        Arc::new(rows),
    ])
}

/// 250 rows of BOOLEAN, BIGINT, DECIMAL(38, 0), DOUBLE (its bits), STRING, ARRAY<INT>, each a tenth NULL, and their
/// text: tabs between columns, `\N` for NULL, commas between elements, `0x` and hex digits for a string's bytes.
fn random() -> (RecordBatch, String) {
    const ROWS: usize = 250;
    let mut state = 0x5EED_u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33 ^ state << 31
    };
    let (mut flags, mut longs, mut decimals, mut doubles) = (vec![], vec![], vec![], vec![]);
    let mut texts = StringBuilder::new();
    let mut lists = ListBuilder::new(Int32Builder::new());
    let mut tsv = String::new();
    for _ in 0..ROWS {
        let mut cells = Vec::new();
        let mut cell = |valid: bool, text: String| cells.push(if valid { text } else { "\\N".into() });
        let flag = (next() >> 7).is_multiple_of(2);
        let valid = !next().is_multiple_of(10);
        cell(valid, flag.to_string());
        flags.push(valid.then_some(flag));
        let (long, valid) = (next() as i64, !next().is_multiple_of(10));
        cell(valid, long.to_string());
        longs.push(valid.then_some(long));
        let (wide, valid) = (
            (next() as i128) << 50 ^ -(next() as i128),
            !next().is_multiple_of(10),
        );
        cell(valid, wide.to_string());
        decimals.push(valid.then_some(wide));
        let (bits, valid) = (next() as i64 & !(0x7FF << 52), !next().is_multiple_of(10));
        cell(valid, bits.to_string());
        doubles.push(valid.then_some(f64::from_bits(bits as u64)));
        let text: String = (0..next() % 12)
            .map(|_| ['a', 'é', '世', '😀'][(next() % 4) as usize])
            .collect();
        let valid = !next().is_multiple_of(10);
        cell(
            valid,
            text.bytes()
                .fold("0x".to_owned(), |hex, byte| hex + &format!("{byte:02x}")),
        );
        texts.append_option(valid.then_some(text));
        let list: Vec<i32> = (0..next() % 5).map(|_| next() as i32).collect();
        let valid = !next().is_multiple_of(10);
        cell(
            valid,
            list.iter().map(i32::to_string).collect::<Vec<_>>().join(","),
        );
        if valid {
            lists.append_value(list.into_iter().map(Some))
        } else {
            lists.append_null()
        }
        writeln!(tsv, "{}", cells.join("\t")).unwrap();
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(BooleanArray::from(flags)),
        Arc::new(Int64Array::from(longs)),
        decimal(decimals, 38, 0),
        Arc::new(Float64Array::from(doubles)),
        Arc::new(texts.finish()),
        Arc::new(lists.finish()),
    ];
    (batch(columns), tsv)
}
