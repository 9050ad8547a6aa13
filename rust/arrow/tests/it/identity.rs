//! The identity path: nothing is copied, whatever the address.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, Int32Array, Int64Array, ListArray, StringArray, TimestampMicrosecondArray,
    types::Int32Type,
};
use arrow::datatypes::DataType;

use crate::support::*;

fn canonical() -> Vec<(&'static str, ArrayRef)> {
    vec![
        (
            "i",
            Arc::new(Int32Array::from(vec![Some(1), None, Some(-3)])) as ArrayRef,
        ),
        ("s", Arc::new(StringArray::from(vec![Some("a"), Some(""), None]))),
        (
            "b",
            Arc::new(BinaryArray::from_opt_vec(vec![Some(b"x"), None, Some(&[0xff])])),
        ),
        ("t", Arc::new(TimestampMicrosecondArray::from(vec![0, 1, 2]))),
        (
            "l",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
                Some(vec![Some(1), None]),
                None,
                Some(vec![]),
            ])),
        ),
    ]
}

fn wanted() -> Vec<doris_arrow::normalize::ColumnSpec> {
    vec![
        spec("i", "int", "INT"),
        // Text and bytes have the same layout.
        spec("s", "text", "BYTES"),
        spec("b", "text", "STRING"),
        spec("t", "datetime(6)", "TIMESTAMP(6)"),
        spec("l", "array<int>", "ARRAY<INT>"),
    ]
}

#[test]
fn header_and_body_are_the_delivered_ones() {
    let delivered = batch(canonical());
    let normalizer = doris_arrow::normalize::Normalizer::new(
        &delivered.schema(),
        wanted(),
        doris_arrow::normalize::Zone::UTC,
    )
    .unwrap();
    assert!(normalizer.is_identity());
    let (header, body) = unaligned(&messages(&delivered).1);
    let out = normalizer
        .apply(header.clone(), body.clone(), &Default::default())
        .unwrap();
    assert!(out.identity);
    assert_eq!(out.batch.header.as_ptr(), header.as_ptr());
    assert_eq!(out.batch.body.as_ptr(), body.as_ptr());
    assert_eq!(
        (out.batch.header.len(), out.batch.body.len(), out.batch.rows),
        (header.len(), body.len(), 3)
    );
}

#[test]
fn another_order_or_one_conversion_takes_the_other_path_with_equal_values() {
    let delivered = batch(canonical());
    let mut specs = wanted();
    specs[0] = spec("i", "int", "BIGINT");
    specs.swap(1, 2);
    let out = normalize(&delivered, specs, "UTC").unwrap();
    assert!(!out.identity);
    let types = [
        DataType::Int64,
        DataType::Binary,
        DataType::Binary,
        delivered.column(3).data_type().clone(),
        delivered.column(4).data_type().clone(),
    ];
    let read = read(&out.batch, &types);
    assert_eq!(
        read.column(0).as_ref(),
        &Int64Array::from(vec![Some(1), None, Some(-3)])
    );
    assert_eq!(read.column(1).as_ref(), delivered.column(2).as_ref());
    assert_eq!(
        read.column(2).as_ref(),
        &BinaryArray::from_opt_vec(vec![Some(b"a"), Some(b""), None])
    );
    assert_eq!(read.column(3), delivered.column(3));
    assert_eq!(read.column(4), delivered.column(4));
}

#[test]
fn batches_without_columns_have_rows() {
    let batch = doris_arrow::ipc::empty(7);
    assert_eq!((batch.rows, batch.body.len()), (7, 0));
    assert_eq!(read(&batch, &[]).num_rows(), 7);
}

#[test]
fn missing_columns_are_named_and_extra_ones_left_out() {
    let delivered = batch(canonical());
    let out = normalize(&delivered, vec![spec("T", "datetime(6)", "TIMESTAMP(6)")], "UTC").unwrap();
    assert_eq!(
        read(&out.batch, &[delivered.column(3).data_type().clone()]).column(0),
        delivered.column(3)
    );
    let error = normalize(
        &delivered,
        vec![spec("x", "int", "INT"), spec("y", "int", "INT")],
        "UTC",
    )
    .unwrap_err()
    .to_string();
    assert!(error.contains("'x'") && error.contains("'y'"), "{error}");
}
