//! Batches from the bodies that Java fills.

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use doris_arrow::Error;
use doris_arrow::ipc::batch_from_layout;
use proptest::prelude::*;

use crate::support::messages;
use crate::written::{Val, batch, columns, typed_values};

/// Body and layout of a batch, as its IPC message has them.
fn parts(batch: &RecordBatch) -> (Vec<u8>, Vec<i64>) {
    let (_, message) = messages(batch);
    let header = arrow::ipc::root_as_message(&message.ipc_message).unwrap();
    let header = header.header_as_record_batch().unwrap();
    let nodes = header.nodes().unwrap();
    let mut layout = vec![nodes.len() as i64];
    layout.extend(nodes.iter().flat_map(|n| [n.length(), n.null_count()]));
    let buffers = header.buffers().unwrap();
    layout.push(buffers.len() as i64);
    layout.extend(buffers.iter().flat_map(|b| [b.offset(), b.length()]));
    (message.arrow_data, layout)
}

fn ids(count: i128) -> RecordBatch {
    let columns = columns(&[("id", "INT", "int"), ("name", "STRING", "text")]);
    let rows: Vec<Vec<Val>> = (0..count)
        .map(|i| vec![Val::Int(i), Val::Text(format!("name {i}"))])
        .collect();
    batch(&columns, &rows)
}

#[test]
fn the_batch_shares_the_body() {
    let sent = ids(3);
    let (body, layout) = parts(&sent);
    let body = Buffer::from(body);
    let received = batch_from_layout(sent.schema().fields(), 3, &body, &layout).unwrap();
    assert_eq!(received, sent);
    let values = received.column(0).to_data().buffers()[0].as_ptr() as usize;
    let (start, end) = (body.as_ptr() as usize, body.as_ptr() as usize + body.len());
    assert!((start..end).contains(&values));
}

#[test]
fn no_rows_and_no_columns() {
    let sent = ids(0);
    // Without entries a column may do without offsets.
    let layout = [2, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let received = batch_from_layout(sent.schema().fields(), 0, &Buffer::from(&[0u8; 0]), &layout).unwrap();
    assert_eq!(received.num_rows(), 0);
    let received = batch_from_layout(
        &Vec::<arrow::datatypes::Field>::new().into(),
        7,
        &Buffer::from(&[0u8; 0]),
        &[0, 0],
    );
    assert_eq!(received.unwrap().num_rows(), 7);
}

#[test]
fn texts_that_are_not_utf8_name_the_column() {
    let sent = ids(3);
    let (mut body, layout) = parts(&sent);
    let text = body.windows(6).position(|w| w == b"name 1").unwrap();
    body[text] = 0xFF;
    let error = batch_from_layout(sent.schema().fields(), 3, &Buffer::from(body), &layout).unwrap_err();
    assert!(
        matches!(&error, Error::Corrupt(text) if text.starts_with("column name: ")),
        "{error}"
    );
}

#[test]
fn null_as_a_key_of_a_map_names_the_column() {
    let columns = columns(&[("m", "MAP<STRING, INT>", "map<text,int>")]);
    let sent = batch(
        &columns,
        &[vec![Val::Many(vec![Val::Text("k".into()), Val::Int(1)])]],
    );
    let (body, mut layout) = parts(&sent);
    // Nodes: map, entries, key, value. The key's validity bits: at the body's end, all zero.
    layout[6] = 1;
    let key_validity = 10 + 2 * 3;
    layout[key_validity] = body.len() as i64;
    layout[key_validity + 1] = 64;
    let mut longer = body;
    longer.resize(longer.len() + 64, 0);
    let error = batch_from_layout(sent.schema().fields(), 1, &Buffer::from(longer), &layout).unwrap_err();
    assert_eq!(error.to_string(), "column m: NULL as a key of a map");
}

proptest! {
    #[test]
    fn every_type_comes_through((flink, doris, values) in typed_values(5)) {
        let columns = columns(&[("v", &flink, &doris)]);
        let rows: Vec<Vec<Val>> = values.into_iter().map(|v| vec![v]).collect();
        let sent = batch(&columns, &rows);
        let (body, layout) = parts(&sent);
        let received = batch_from_layout(sent.schema().fields(), 5, &Buffer::from(body), &layout).unwrap();
        prop_assert_eq!(received, sent);
    }

    /// Whatever the numbers are: a batch or an error.
    #[test]
    fn damaged_layouts_are_errors(
        (flink, doris, values) in typed_values(5),
        places in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<i64>(), -2i64..200]), 1..4),
        rows in 0usize..8,
        cut in any::<prop::sample::Index>(),
    ) {
        let columns = columns(&[("v", &flink, &doris)]);
        let sent = batch(&columns, &values.into_iter().map(|v| vec![v]).collect::<Vec<_>>());
        let (body, mut layout) = parts(&sent);
        for (place, number) in places {
            let at = place.index(layout.len());
            layout[at] = number;
        }
        let body = Buffer::from(body);
        let _ = batch_from_layout(sent.schema().fields(), rows, &body, &layout);
        let _ = batch_from_layout(sent.schema().fields(), 5, &body, &layout[..cut.index(layout.len())]);
    }

    /// Whatever the body is: a batch or an error.
    #[test]
    fn damaged_bodies_are_errors(
        (flink, doris, values) in typed_values(5),
        bytes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let columns = columns(&[("v", &flink, &doris)]);
        let sent = batch(&columns, &values.into_iter().map(|v| vec![v]).collect::<Vec<_>>());
        let (mut body, layout) = parts(&sent);
        prop_assume!(!body.is_empty());
        for (place, byte) in bytes {
            let at = place.index(body.len());
            body[at] = byte;
        }
        if let Ok(batch) = batch_from_layout(sent.schema().fields(), 5, &Buffer::from(body), &layout) {
            batch.column(0).to_data().validate_full().unwrap();
        }
    }
}
