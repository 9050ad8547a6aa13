//! Batches as servers send them, good and bad.

use std::sync::Arc;

use arrow::array::cast::AsArray;
use arrow::array::types::{Int8Type, Int64Type};
use arrow::array::{
    Array, ArrayRef, Int8Array, Int16Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use doris_arrow::ipc::{Piece, assemble};

use super::*;
use crate::read::window::position::{Progress, Replay, Resume};
use crate::read::window::spec::Slice;
use crate::read::window::spec::tests::spec;

const FIRST: i64 = 469_641_461_760_000_000;

type Column = (&'static str, ArrayRef);

fn hidden() -> Hidden {
    let [hidden, _] = Hidden::families();
    hidden
}

/// `id` and `name` are wanted, `k` is read for the hash.
fn shape() -> Shape {
    let column = |name: &str, doris, flink: &str| ColumnSpec {
        label: name.to_owned(),
        name: name.to_owned(),
        doris,
        flink: FlinkType::parse(flink).unwrap(),
    };
    Shape {
        wanted: vec![
            column("id", DorisType::Int, "INT"),
            column("name", DorisType::String, "STRING"),
        ],
        hidden: hidden(),
        extra: vec![column("k", DorisType::BigInt, "BIGINT")],
        hashed: vec![Hashed::Wanted(0), Hashed::Extra(0)],
    }
}

fn columns() -> Vec<Column> {
    vec![
        ("id", Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]))),
        (
            "name",
            Arc::new(StringArray::from(vec![Some("a"), Some(""), None])),
        ),
        (
            "__doris_binlog_TSO__",
            Arc::new(Int64Array::from(vec![FIRST, FIRST, FIRST + 7])),
        ),
        ("__DORIS_BINLOG_LSN__", Arc::new(Int64Array::from(vec![-4, 9, 1]))),
        ("__DORIS_BINLOG_OP__", Arc::new(Int8Array::from(vec![2, 3, 1]))),
        ("k", Arc::new(Int64Array::from(vec![7, 8, 9]))),
    ]
}

/// The columns with one of them exchanged.
fn with(name: &str, array: ArrayRef) -> Vec<Column> {
    let mut columns = columns();
    for column in columns.iter_mut().filter(|c| c.0.eq_ignore_ascii_case(name)) {
        column.1 = array.clone();
    }
    columns
}

fn ipc(columns: &[Column]) -> (IpcBatch, Schema) {
    let layout = Layout {
        rows: columns[0].1.len(),
        nodes: vec![],
        buffers: vec![],
        columns: vec![],
    };
    let pieces: Vec<Piece<'_>> = columns.iter().map(|c| Piece::Array(c.1.clone())).collect();
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    (assemble(&layout, &[], &pieces).unwrap(), Schema::new(fields))
}

fn read_after(columns: &[Column], last: &mut Option<(i64, i64, i8)>) -> Result<ChangeBatch, Error> {
    let (batch, schema) = ipc(columns);
    let reader = ChangeReader::new(&shape(), &schema, Zone::parse("UTC").unwrap())?;
    let window = spec(Slice::Whole);
    reader.read(batch.header, batch.body, &Dictionaries::default(), &window, last)
}

fn read(columns: &[Column]) -> Result<ChangeBatch, Error> {
    read_after(columns, &mut None)
}

fn decode(ipc: &IpcBatch) -> RecordBatch {
    let field = |r#type| Field::new("", r#type, true);
    let types = [
        DataType::Int32,
        DataType::Utf8,
        DataType::Int8,
        DataType::Int64,
        DataType::Int64,
        DataType::Int64,
    ];
    let schema = Arc::new(Schema::new(types.into_iter().map(field).collect::<Vec<_>>()));
    let message = arrow::ipc::root_as_message(&ipc.header).unwrap();
    arrow::ipc::reader::read_record_batch(
        &ipc.body.clone().into(),
        message.header_as_record_batch().unwrap(),
        schema,
        &Default::default(),
        None,
        &message.version(),
    )
    .unwrap()
}

fn fails(columns: &[Column], told: &[&str]) {
    let error = read(columns).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data, "{error}");
    for told in told {
        assert!(error.to_string().contains(told), "'{told}' is not in: {error}");
    }
}

#[test]
fn wanted_columns_come_with_what_happened() {
    let read = read(&columns()).unwrap();
    assert!(read.identity);
    assert_eq!(read.rows.tso, [FIRST, FIRST, FIRST + 7]);
    assert_eq!(read.rows.lsn, [-4, 9, 1]);
    assert_eq!(read.rows.op, [2, 3, 1]);
    let batch = decode(&read.ipc);
    assert_eq!(batch.num_columns(), 6);
    assert_eq!(batch.column(0).as_ref(), columns()[0].1.as_ref());
    assert_eq!(batch.column(1).as_ref(), columns()[1].1.as_ref());
    assert_eq!(
        batch.column(2).as_primitive::<Int8Type>().values().as_ref(),
        read.rows.op
    );
    for (column, expected) in [(3, &read.rows.tso), (4, &read.rows.lsn), (5, &read.rows.hash)] {
        let column = batch.column(column).as_primitive::<Int64Type>();
        assert_eq!(column.null_count(), 0);
        assert_eq!(column.values().as_ref(), expected.as_slice());
    }
}

/// Checkpoints hold sums of these numbers: they must never change. LSN and operation come first, then the hashed
/// columns.
#[test]
fn hashes_are_golden() {
    let read = read(&columns()).unwrap();
    let mut hasher = RowHasher::new(3);
    hasher.add_numbers([-4, 9, 1]);
    hasher.add_numbers([2, 3, 1]);
    hasher.add_numbers([1, doris_arrow::hash::NULL as i64, 3]);
    hasher.add_numbers([7, 8, 9]);
    assert_eq!(read.rows.hash, hasher.finish());
    assert_eq!(read.rows.hash, GOLDEN);
}

const GOLDEN: [i64; 3] = [
    -4_380_817_005_784_024_335,
    -2_292_336_306_138_963_607,
    5_105_942_890_635_485_299,
];

#[test]
fn an_operation_of_any_width_is_read() {
    let expected = read(&columns()).unwrap();
    let wide: [ArrayRef; 3] = [
        Arc::new(Int16Array::from(vec![2, 3, 1])),
        Arc::new(Int32Array::from(vec![2, 3, 1])),
        Arc::new(Int64Array::from(vec![2, 3, 1])),
    ];
    for array in wide {
        let read = read(&with("__DORIS_BINLOG_OP__", array)).unwrap();
        assert!(read.identity);
        assert_eq!(read.rows, expected.rows);
        assert_eq!(decode(&read.ipc), decode(&expected.ipc));
    }
}

#[test]
fn columns_that_are_converted_come_out_the_same() {
    let expected = read(&columns()).unwrap();
    let narrow = with("id", Arc::new(Int16Array::from(vec![Some(1), None, Some(3)])));
    let read = read(&narrow).unwrap();
    assert!(!read.identity);
    assert_eq!(read.rows, expected.rows);
    assert_eq!(decode(&read.ipc), decode(&expected.ipc));
}

#[test]
fn a_batch_can_lose_its_first_rows() {
    for columns in [
        columns(),
        with("__DORIS_BINLOG_OP__", Arc::new(Int64Array::from(vec![2, 3, 1]))),
    ] {
        let (batch, schema) = ipc(&columns);
        let reader = ChangeReader::new(&shape(), &schema, Zone::parse("UTC").unwrap()).unwrap();
        let window = spec(Slice::Whole);
        for dropped in 0..=3 {
            let read = reader
                .read(
                    batch.header.clone(),
                    batch.body.clone(),
                    &Dictionaries::default(),
                    &window,
                    &mut None,
                )
                .unwrap();
            let whole = decode(&read.ipc);
            let rest = reader.without(read.ipc, dropped).unwrap();
            assert_eq!(rest.rows, 3 - dropped);
            assert_eq!(decode(&rest), whole.slice(dropped, 3 - dropped));
        }
    }
}

#[test]
fn a_window_can_go_on_inside_a_batch() {
    let rows = read(&columns()).unwrap().rows;
    for count in 1..=3 {
        let mut first = rows.clone();
        first.tso.truncate(count);
        let mut progress = Progress::default();
        progress.pass(&first, 0);
        let mut replay = Replay::new(Some(Resume {
            position: progress.position().unwrap(),
            exact: true,
        }));
        assert_eq!(replay.pass(&rows).unwrap(), count);
        replay.finish().unwrap();
    }
}

#[test]
fn a_hidden_column_that_is_missing_is_named() {
    for name in hidden().names() {
        let mut columns = columns();
        columns.retain(|c| !c.0.eq_ignore_ascii_case(name));
        fails(&columns, &[name, "is missing"]);
    }
}

#[test]
fn a_hidden_column_that_comes_twice_is_named() {
    for name in hidden().names() {
        let mut columns = columns();
        let twice = columns
            .iter()
            .find(|c| c.0.eq_ignore_ascii_case(name))
            .unwrap()
            .clone();
        columns.push(twice);
        fails(&columns, &[name, "more than once"]);
    }
}

#[test]
fn a_hidden_column_with_null_is_named() {
    let nulls: ArrayRef = Arc::new(Int64Array::from(vec![Some(FIRST), None, None]));
    for name in hidden().names() {
        fails(&with(name, nulls.clone()), &[name, "is NULL in 2 of 3 rows"]);
    }
}

#[test]
fn a_hidden_column_of_another_type_is_named() {
    for name in hidden().names() {
        let texts = Arc::new(StringArray::from(vec!["1", "2", "3"]));
        fails(&with(name, texts), &[name, "Utf8"]);
    }
    fails(
        &with("__DORIS_BINLOG_TSO__", Arc::new(Int32Array::from(vec![1, 2, 3]))),
        &["__DORIS_BINLOG_TSO__", "Int32"],
    );
}

#[test]
fn an_operation_that_is_not_known_is_an_error() {
    for code in [-1, 4, 127] {
        let codes = Arc::new(Int8Array::from(vec![0, code, 3]));
        let told = format!("operation code {code};");
        fails(
            &with("__DORIS_BINLOG_OP__", codes),
            &["__DORIS_BINLOG_OP__", &told],
        );
    }
    let far = Arc::new(Int64Array::from(vec![0, 256, 3]));
    fails(&with("__DORIS_BINLOG_OP__", far), &["operation code 256;"]);
}

#[test]
fn a_change_outside_of_the_window_is_an_error() {
    let end = FIRST + (10_000 << 18);
    for tso in [FIRST - 1, end, i64::MAX, -1] {
        let stamps = Arc::new(Int64Array::from(vec![tso, tso, tso]));
        fails(
            &with("__DORIS_BINLOG_TSO__", stamps),
            &["__DORIS_BINLOG_TSO__", &tso.to_string(), "outside of the window"],
        );
    }
    let last = Arc::new(Int64Array::from(vec![end - 1, end - 1, end - 1]));
    let mut columns = with("__DORIS_BINLOG_TSO__", last);
    columns[3].1 = Arc::new(Int64Array::from(vec![1, 1, 1]));
    columns[4].1 = Arc::new(Int8Array::from(vec![0, 0, 0]));
    read(&columns).unwrap();
}

#[test]
fn rows_out_of_order_are_an_error() {
    fails(
        &with(
            "__DORIS_BINLOG_TSO__",
            Arc::new(Int64Array::from(vec![FIRST + 1, FIRST, FIRST + 7])),
        ),
        &["out of order"],
    );
    fails(
        &with("__DORIS_BINLOG_LSN__", Arc::new(Int64Array::from(vec![9, -4, 1]))),
        &["out of order"],
    );
    let mut same_lsn = with("__DORIS_BINLOG_LSN__", Arc::new(Int64Array::from(vec![9, 9, 1])));
    read(&same_lsn).unwrap();
    same_lsn[4].1 = Arc::new(Int8Array::from(vec![3, 2, 1]));
    fails(&same_lsn, &["out of order"]);
    // Over batches too; equal ones may follow each other.
    let mut last = None;
    read_after(&columns(), &mut last).unwrap();
    assert_eq!(last, Some((FIRST + 7, 1, 1)));
    assert!(read_after(&columns(), &mut last).is_err());
    last = Some((FIRST, -4, 2));
    read_after(&columns(), &mut last).unwrap();
}
