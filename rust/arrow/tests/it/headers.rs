//! Damaged messages: an error each time, never a panic and never a batch that reads outside of its body.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Decimal128Array, Int32Array, ListArray, StringArray, StructArray,
    types::Int32Type,
};
use arrow::datatypes::{DataType, Field};
use bytes::Bytes;
use doris_arrow::ipc::Layout;
use doris_arrow::normalize::{Normalizer, Zone};
use proptest::prelude::*;

use crate::support::*;

fn delivered() -> arrow::array::RecordBatch {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
        Some(vec![Some(1), None]),
        None,
        Some(vec![]),
    ]);
    let inner = Arc::new(Field::new("f", DataType::Int32, true));
    let row = StructArray::from(vec![(
        inner,
        Arc::new(Int32Array::from(vec![Some(1), None, Some(3)])) as ArrayRef,
    )]);
    batch(vec![
        (
            "i",
            Arc::new(Int32Array::from(vec![Some(1), None, Some(3)])) as ArrayRef,
        ),
        (
            "s",
            Arc::new(StringArray::from(vec![Some("aé"), None, Some("x")])),
        ),
        (
            "o",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        ),
        (
            "d",
            Arc::new(
                Decimal128Array::from(vec![Some(1), None, Some(3)])
                    .with_precision_and_scale(10, 2)
                    .unwrap(),
            ),
        ),
        ("l", Arc::new(list)),
        ("r", Arc::new(row)),
    ])
}

fn specs(i: &str) -> Vec<doris_arrow::normalize::ColumnSpec> {
    vec![
        spec("i", "int", i),
        spec("s", "text", "STRING"),
        spec("o", "boolean", "BOOLEAN"),
        spec(
            "d",
            "decimal(10,2)",
            if i == "INT" {
                "DECIMAL(10, 2)"
            } else {
                "DECIMAL(38, 4)"
            },
        ),
        spec(
            "l",
            "array<int>",
            if i == "INT" { "ARRAY<INT>" } else { "ARRAY<BIGINT>" },
        ),
        spec("r", "struct<f:int>", "ROW<`f` INT>"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn damaged_bytes_never_panic(
        hits in proptest::collection::vec((0usize..4096, any::<u8>()), 1..6),
        cut in proptest::option::of(0usize..4096),
        in_body in any::<bool>(),
        wide in any::<bool>(),
    ) {
        let delivered = delivered();
        let message = messages(&delivered).1;
        let (mut header, mut body) = (message.ipc_message.clone(), message.arrow_data.clone());
        let target = if in_body { &mut body } else { &mut header };
        for (at, value) in hits {
            let at = at % target.len();
            target[at] ^= value;
        }
        if let Some(cut) = cut {
            target.truncate(cut % (target.len() + 1));
        }
        let normalizer = Normalizer::new(&delivered.schema(), specs(if wide { "BIGINT" } else { "INT" }), Zone::UTC).unwrap();
        if let Ok(out) = normalizer.apply(Bytes::from(header), Bytes::from(body), &Default::default()) {
            // What is accepted must hold for whoever reads it.
            let fields = delivered.schema().fields().clone();
            if out.identity {
                Layout::verify(&out.batch.header, &out.batch.body, &fields).unwrap();
            }
        }
    }
}

#[test]
fn every_kind_of_damage_is_told() {
    let delivered = delivered();
    let fields = delivered.schema().fields().clone();
    let message = messages(&delivered).1;
    let (header, body) = (&message.ipc_message, &message.arrow_data);
    Layout::verify(header, body, &fields).unwrap();
    let half = Layout::verify(header, &body[..body.len() / 2], &fields)
        .unwrap_err()
        .to_string();
    assert!(half.contains("bytes where"), "{half}");
    let fewer = Layout::verify(header, body, &fields[..5].to_vec().into())
        .unwrap_err()
        .to_string();
    assert!(fewer.contains("arrays and"), "{fewer}");
    let mut validity = body.clone();
    validity[0] ^= 1;
    let nulls = Layout::verify(header, &validity, &fields)
        .unwrap_err()
        .to_string();
    assert!(nulls.contains("column i") && nulls.contains("NULLs"), "{nulls}");
    assert!(Layout::verify(b"", body, &fields).is_err());
    let schema = arrow::ipc::writer::IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(
        &delivered.schema(),
        &mut arrow::ipc::writer::DictionaryTracker::new(false),
        &Default::default(),
    );
    let other = Layout::verify(&schema.ipc_message, body, &fields)
        .unwrap_err()
        .to_string();
    assert!(other.contains("Schema"), "{other}");
}
