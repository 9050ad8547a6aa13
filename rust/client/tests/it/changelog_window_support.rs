//! Windows of changes in tests: bounds after the clock has moved on, rows with what happened to them.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::array::cast::AsArray;
use arrow::array::types::{Int8Type, Int64Type};
use arrow::datatypes::{DataType, Field, Schema};
use doris_client::Error;
use doris_client::read::scan::{Next, Scan, ScanBatch};
use doris_client::read::window::{Position, Slice, WindowSpec};
use doris_standin::Standin;

use crate::support::*;

/// A change as it is handed on: operation, TSO, LSN, hash, and the wanted columns as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub op: i8,
    pub tso: i64,
    pub lsn: i64,
    pub hash: i64,
    pub row: String,
}

/// A read that follows changes.
pub fn following(standin: &Standin, table: &str, columns: &[(&str, &str)], increment: &str) -> Read {
    read(standin, table, columns).with("changelog.increment-type", increment)
}

/// The present in whole seconds, in milliseconds since 1970.
pub fn second(standin: &Standin) -> i64 {
    standin
        .engine()
        .catalog()
        .clock
        .now_micros()
        .div_euclid(1_000_000)
        * 1000
}

/// Lets two seconds pass, so that a window that ends now holds all that was committed before.
pub fn later(standin: &Standin) -> i64 {
    standin.shift_clock(2000);
    second(standin)
}

pub fn utc(millis: i64) -> String {
    chrono::DateTime::from_timestamp_millis(millis)
        .unwrap()
        .format("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// All changes of a table between two whole seconds.
pub fn window(start: i64, end: i64) -> WindowSpec {
    WindowSpec {
        start_text: utc(start),
        end_text: utc(end),
        start_millis: start,
        end_millis: end,
        increment_type: None,
        slice: Slice::Whole,
        position: None,
        verify: true,
    }
}

pub fn slice(window: &WindowSpec, slice: Slice) -> WindowSpec {
    WindowSpec {
        slice,
        ..window.clone()
    }
}

/// The window behind its first `rows`, as Java would go on with it.
pub fn behind(window: &WindowSpec, changes: &[Change], rows: usize) -> WindowSpec {
    let mut position: Option<Position> = None;
    for change in &changes[..rows] {
        let at = (change.lsn, i32::from(change.op));
        let next = match position {
            Some(p) if p.tso == change.tso => Position {
                lsn: at.0,
                operation: at.1,
                rows_at_position: if at == (p.lsn, p.operation) {
                    p.rows_at_position + 1
                } else {
                    1
                },
                rows_of_tso: p.rows_of_tso + 1,
                hash_sum: p.hash_sum.wrapping_add(change.hash),
                ..p
            },
            _ => Position {
                tso: change.tso,
                lsn: at.0,
                operation: at.1,
                rows_at_position: 1,
                rows_of_tso: 1,
                hash_sum: change.hash,
            },
        };
        position = Some(next);
    }
    WindowSpec {
        position,
        ..window.clone()
    }
}

/// Reads a window with a scan of its own.
pub async fn changes(read: &Read, window: &WindowSpec) -> Result<Vec<Change>, Error> {
    let scan = read.scan();
    let result = changes_by(&scan, read, window).await;
    bounded(scan.close()).await;
    result
}

/// Reads a window to its end.
pub async fn changes_by(scan: &Scan, read: &Read, window: &WindowSpec) -> Result<Vec<Change>, Error> {
    scan.start_window(window.clone())?;
    rest(scan, read).await
}

/// What is left of the window under way.
pub async fn rest(scan: &Scan, read: &Read) -> Result<Vec<Change>, Error> {
    let mut changes = Vec::new();
    loop {
        match bounded(scan.next()).await? {
            Next::Batch(batch) => changes.extend(of_batch(read, &batch)),
            Next::End => return Ok(changes),
            Next::Woken => {}
        }
    }
}

pub fn of_batch(read: &Read, batch: &ScanBatch) -> Vec<Change> {
    let wanted = read.schema();
    let mut fields: Vec<Field> = wanted.fields().iter().map(|f| f.as_ref().clone()).collect();
    for r#type in [DataType::Int8, DataType::Int64, DataType::Int64, DataType::Int64] {
        fields.push(Field::new("", r#type, false));
    }
    let message = arrow::ipc::root_as_message(&batch.ipc.header).unwrap();
    let decoded = arrow::ipc::reader::read_record_batch(
        &batch.ipc.body.clone().into(),
        message.header_as_record_batch().unwrap(),
        Arc::new(Schema::new(fields)),
        &Default::default(),
        None,
        &message.version(),
    )
    .unwrap();
    assert_eq!(decoded.num_rows(), batch.ipc.rows);
    let count = wanted.fields().len();
    let texts = if count == 0 {
        vec![String::new(); decoded.num_rows()]
    } else {
        lines(&decoded.project(&(0..count).collect::<Vec<_>>()).unwrap())
    };
    let long = |at: usize, row: usize| decoded.column(count + at).as_primitive::<Int64Type>().value(row);
    texts
        .into_iter()
        .enumerate()
        .map(|(row, text)| Change {
            op: operation(&decoded, count, row),
            tso: long(1, row),
            lsn: long(2, row),
            hash: long(3, row),
            row: text,
        })
        .collect()
}

fn operation(decoded: &RecordBatch, at: usize, row: usize) -> i8 {
    decoded.column(at).as_primitive::<Int8Type>().value(row)
}

/// Changes as `op row`.
pub fn told(changes: &[Change]) -> Vec<String> {
    let names = ["+I", "-D", "-U", "+U"];
    changes
        .iter()
        .map(|c| format!("{} {}", names[c.op as usize], c.row))
        .collect()
}

/// The statements that front ends got over Flight, each once per query.
pub fn asked(standin: &Standin) -> Vec<String> {
    standin
        .journal()
        .into_iter()
        .filter(|e| e.channel == "fe.flight" && e.method == "GetFlightInfo")
        .map(|e| e.statement)
        .collect()
}
