//! NULL where `NOT NULL` is declared.

use std::sync::Arc;

use arrow::array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow::array::{ArrayRef, Int32Array, ListArray, NullArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field, Schema};
use doris_arrow::normalize::{Dictionaries, Normalizer, Zone};

use crate::support::*;

fn row(inner: Vec<Option<i32>>, valid: Vec<bool>) -> ArrayRef {
    let fields = vec![Field::new("f", DataType::Int32, true)];
    let column = Arc::new(Int32Array::from(inner)) as ArrayRef;
    Arc::new(StructArray::new(
        fields.into(),
        vec![column],
        Some(NullBuffer::from(valid)),
    ))
}

#[test]
fn the_column_is_named_in_both_paths() {
    let values = || Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef;
    for flink in ["INT NOT NULL", "BIGINT NOT NULL"] {
        let error = shown(values(), "int", flink, "UTC").unwrap_err().to_string();
        assert!(
            error.contains("column c") && error.contains("row 1") && error.contains("NOT NULL"),
            "{error}"
        );
    }
    assert!(
        shown(
            Arc::new(Int32Array::from(vec![1, 2])),
            "int",
            "INT NOT NULL",
            "UTC"
        )
        .is_ok()
    );
    assert!(shown(Arc::new(NullArray::new(2)), "null", "INT NOT NULL", "UTC").is_err());
    assert_eq!(
        shown(Arc::new(NullArray::new(2)), "null", "DECIMAL(10, 2)", "UTC").unwrap(),
        ["null", "null"]
    );
}

#[test]
fn a_null_child_under_a_null_parent_is_fine() {
    for inner in ["INT", "BIGINT"] {
        let flink = format!("ROW<`f` {inner} NOT NULL>");
        assert!(
            shown(
                row(vec![Some(1), None], vec![true, false]),
                "struct<f:int>",
                &flink,
                "UTC"
            )
            .is_ok()
        );
        let error = shown(
            row(vec![Some(1), None], vec![true, true]),
            "struct<f:int>",
            &flink,
            "UTC",
        )
        .unwrap_err()
        .to_string();
        assert!(error.contains("column c.f"), "{error}");
    }
}

#[test]
fn items_of_arrays() {
    let list = |values: Vec<Option<Vec<Option<i32>>>>| {
        let mut builder = ListBuilder::new(Int32Builder::new());
        values.into_iter().for_each(|v| builder.append_option(v));
        Arc::new(builder.finish()) as ArrayRef
    };
    for item in ["INT", "BIGINT"] {
        let flink = format!("ARRAY<{item} NOT NULL>");
        assert!(shown(list(vec![Some(vec![Some(1)]), None]), "array<int>", &flink, "UTC").is_ok());
        let error = shown(list(vec![Some(vec![Some(1), None])]), "array<int>", &flink, "UTC")
            .unwrap_err()
            .to_string();
        assert!(error.contains("column c[]"), "{error}");
    }
}

#[test]
fn keys_of_maps() {
    let mut builder = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    builder.keys().append_value("a");
    builder.values().append_null();
    builder.append(true).unwrap();
    builder.append(false).unwrap();
    let map = builder.finish();
    assert!(
        shown(
            Arc::new(map.clone()),
            "map<string,int>",
            "MAP<STRING, INT>",
            "UTC"
        )
        .is_ok()
    );
    assert!(
        shown(
            Arc::new(map),
            "map<string,int>",
            "MAP<STRING, INT NOT NULL>",
            "UTC"
        )
        .is_err()
    );

    // Arrow forbids NULL keys, so a batch with one is put together as the list that a map is laid out as.
    let keys = Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef;
    let values = Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef;
    let entry = |nullable| {
        let fields = vec![
            Field::new("key", DataType::Int32, nullable),
            Field::new("value", DataType::Int32, true),
        ];
        Arc::new(Field::new("entries", DataType::Struct(fields.into()), false))
    };
    let DataType::Struct(fields) = entry(true).data_type().clone() else {
        unreachable!()
    };
    let entries = StructArray::new(fields, vec![keys, values], None);
    let list = ListArray::new(
        entry(true),
        OffsetBuffer::from_lengths([1, 1]),
        Arc::new(entries),
        None,
    );
    let message = messages(&batch(vec![("c", Arc::new(list))])).1;
    let delivered = Schema::new(vec![Field::new("c", DataType::Map(entry(false), false), true)]);
    for value in ["INT", "BIGINT"] {
        let specs = vec![spec("c", "map<int,int>", &format!("MAP<INT, {value}>"))];
        let normalizer = Normalizer::new(&delivered, specs, Zone::UTC).unwrap();
        let (header, body) = unaligned(&message);
        let error = normalizer
            .apply(header, body, &Dictionaries::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("key of a MAP is NULL"), "{error}");
    }
}
