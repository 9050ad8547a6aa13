//! A reader of changes as the source has it: slices with windows that follow one another, positions, checkpoints and crashes.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::cast::AsArray;
use arrow::array::types::{Int8Type, Int64Type};
use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use chrono::DateTime;
use doris_client::ErrorKind;
use doris_client::read::changelog::Changelog;
use doris_client::read::scan::{Next, Scan, ScanBatch};
use doris_client::read::window::{Position, Slice, WindowSpec};

use super::model::{Key, Row};
use crate::dice::Dice;
use crate::standin::Standin;
use crate::support::{Read, bounded};

/// A row of a window.
#[derive(Clone, Debug)]
pub struct Delivered {
    pub op: i8,
    pub tso: i64,
    pub lsn: i64,
    pub row: Row,
}

/// A window that was opened, in ms since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub start: i64,
    pub end: i64,
}

/// What a checkpoint holds of a slice, and what went downstream before it.
#[derive(Clone, Debug)]
pub struct SliceState {
    pub slice: Slice,
    next: i64,
    open: Option<(Window, Option<Position>)>,
    pub rows: Vec<Delivered>,
    /// Windows that were read to their ends.
    pub windows: Vec<Window>,
}

/// How often things happened, so that a test can see that they do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub windows: u64,
    pub crashes: u64,
    pub resumed: u64,
    pub waits: u64,
    pub broken: u64,
}

enum Ended {
    Whole,
    /// The server waits for transactions.
    Waits,
    Crashed,
}

pub struct Reader<'a> {
    standin: &'a Standin,
    read: Read,
    changelog: Changelog,
    scan: Scan,
    dice: Dice,
    pub slices: Vec<SliceState>,
    checkpoint: Vec<SliceState>,
    pub bound: i64,
    pub figures: Figures,
}

impl<'a> Reader<'a> {
    /// Starts at the newest position.
    pub async fn start(standin: &'a Standin, read: Read, schemes: &[&str], mut dice: Dice) -> Self {
        let changelog = Changelog::new(read.config()).unwrap();
        let start = floor(bounded(changelog.position()).await.unwrap().millis);
        let slices = match *dice.pick(schemes) {
            "whole" => vec![Slice::Whole],
            "partitions" => {
                let partitions = bounded(changelog.partitions()).await.unwrap();
                partitions.iter().map(|p| Slice::Partition { id: p.id }).collect()
            }
            _ => {
                let count = 2 + dice.below(3) as u32;
                (0..count).map(|index| Slice::Hash { index, count }).collect()
            }
        };
        let slices: Vec<SliceState> = slices
            .into_iter()
            .map(|slice| SliceState {
                slice,
                next: start,
                open: None,
                rows: Vec::new(),
                windows: Vec::new(),
            })
            .collect();
        Self {
            standin,
            scan: read.scan(),
            read,
            changelog,
            dice,
            checkpoint: slices.clone(),
            slices,
            bound: start,
            figures: Figures::default(),
        }
    }

    /// The bound that the enumerator would send now.
    pub async fn look(&mut self) {
        let bound = floor(bounded(self.changelog.position()).await.unwrap().millis);
        assert!(bound >= self.bound, "the clock went back");
        self.bound = bound;
    }

    /// The rows of the table as splits see them that were committed below the start; `None` where a split would wait for
    /// transactions.
    pub async fn snapshot(&self) -> Option<BTreeMap<Key, Row>> {
        let mut rows = BTreeMap::new();
        let plan = self.read.plan().await.unwrap();
        for tablet in plan.tablets {
            self.scan.start(vec![tablet.id], Some(self.bound)).unwrap();
            loop {
                match bounded(self.scan.next()).await {
                    Ok(Next::Batch(batch)) => {
                        let batch = self.read.decode(&batch);
                        let found = (0..batch.num_rows()).map(|i| row(&batch, i));
                        rows.extend(found.map(|row| (row.key.clone(), row)));
                    }
                    Ok(Next::End) => break,
                    Ok(Next::Woken) => {}
                    Err(error) if error.kind() == ErrorKind::VisibleWait => return None,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        Some(rows)
    }

    /// Reads windows until all slices are at the bound, or the server waits. Now and then it crashes and goes on from the last
    /// checkpoint. Gives whether the bound was reached.
    pub async fn catch_up(&mut self, calm: bool) -> bool {
        loop {
            let behind: Vec<usize> = (0..self.slices.len())
                .filter(|i| self.slices[*i].open.is_some() || self.slices[*i].next < self.bound)
                .collect();
            if behind.is_empty() {
                return true;
            }
            let slice = *self.dice.pick(&behind);
            let ended = self.read_window(slice, calm).await;
            match ended {
                Ended::Whole if self.dice.once_in(3) => self.checkpoint = self.slices.clone(),
                Ended::Whole => {}
                Ended::Waits => {
                    self.figures.waits += 1;
                    return false;
                }
                Ended::Crashed => {
                    self.figures.crashes += 1;
                    bounded(self.scan.close()).await;
                    self.scan = self.read.scan();
                    self.slices = self.checkpoint.clone();
                }
            }
        }
    }

    pub async fn close(self) -> (Vec<SliceState>, Figures) {
        bounded(self.scan.close()).await;
        (self.slices, self.figures)
    }

    async fn read_window(&mut self, slice: usize, calm: bool) -> Ended {
        let state = &mut self.slices[slice];
        let longest = 1000 * (1 + self.dice.below(5) as i64);
        let (window, position) = *state.open.get_or_insert_with(|| {
            let end = self.bound.min(state.next + longest);
            (
                Window {
                    start: state.next,
                    end,
                },
                None,
            )
        });
        if !calm && self.dice.once_in(12) {
            self.standin.drop_sessions();
        }
        if !calm && self.dice.once_in(12) {
            let after = self.dice.below(3);
            let rule = format!(
                r#"{{"at": "flight.do_get", "do": {{"close": "stream"}}, "times": 1, "after": {after}}}"#
            );
            self.standin.add_fault_json(&rule).unwrap();
            self.figures.broken += 1;
        }
        self.figures.windows += 1;
        self.figures.resumed += u64::from(position.is_some());
        let crash_after = (!calm && self.dice.once_in(3)).then(|| self.dice.below(3));
        let spec = WindowSpec {
            start_text: text(window.start),
            end_text: text(window.end),
            start_millis: window.start,
            end_millis: window.end,
            increment_type: None,
            slice: state.slice,
            position,
            verify: true,
        };
        self.scan.start_window(spec).unwrap();
        let mut batches = 0;
        loop {
            if crash_after == Some(batches) {
                return Ended::Crashed;
            }
            match bounded(self.scan.next()).await {
                Ok(Next::Batch(batch)) => {
                    batches += 1;
                    let rows = changes(&self.read, &batch);
                    let state = &mut self.slices[slice];
                    let position = &mut state.open.as_mut().unwrap().1;
                    for (delivered, hash) in rows {
                        *position = Some(passed(*position, &delivered, hash));
                        state.rows.push(delivered);
                    }
                    // A checkpoint in mid-window.
                    if self.dice.once_in(2) {
                        self.checkpoint = self.slices.clone();
                    }
                }
                Ok(Next::End) => {
                    let state = &mut self.slices[slice];
                    state.next = window.end;
                    state.open = None;
                    state.windows.push(window);
                    return Ended::Whole;
                }
                Ok(Next::Woken) => {}
                Err(error) if error.kind() == ErrorKind::VisibleWait => return Ended::Waits,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// The position after one more row, as `docs/changelog.md` describes it.
fn passed(last: Option<Position>, row: &Delivered, hash: i64) -> Position {
    let first = Position {
        tso: row.tso,
        lsn: row.lsn,
        operation: i32::from(row.op),
        rows_at_position: 1,
        rows_of_tso: 1,
        hash_sum: hash,
    };
    match last {
        Some(last) if last.tso == row.tso => Position {
            rows_at_position: match (last.lsn, last.operation) == (row.lsn, i32::from(row.op)) {
                true => last.rows_at_position + 1,
                false => 1,
            },
            rows_of_tso: last.rows_of_tso + 1,
            hash_sum: last.hash_sum.wrapping_add(hash),
            ..first
        },
        _ => first,
    }
}

fn floor(millis: i64) -> i64 {
    millis.div_euclid(1000) * 1000
}

fn text(millis: i64) -> String {
    DateTime::from_timestamp_millis(millis)
        .unwrap()
        .format("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// The rows of a batch with their hashes: wanted columns, then operation, TSO, LSN, hash.
fn changes(read: &Read, batch: &ScanBatch) -> Vec<(Delivered, i64)> {
    let mut fields: Vec<Field> = read
        .schema()
        .fields()
        .iter()
        .map(|field| (**field).clone())
        .collect();
    fields.push(Field::new("op", DataType::Int8, false));
    fields.extend(["tso", "lsn", "hash"].map(|name| Field::new(name, DataType::Int64, false)));
    let message = arrow::ipc::root_as_message(&batch.ipc.header).unwrap();
    let batch = arrow::ipc::reader::read_record_batch(
        &batch.ipc.body.clone().into(),
        message.header_as_record_batch().unwrap(),
        Arc::new(Schema::new(fields)),
        &Default::default(),
        None,
        &message.version(),
    )
    .unwrap();
    let number = |column: usize, i: usize| batch.column(column).as_primitive::<Int64Type>().value(i);
    (0..batch.num_rows())
        .map(|i| {
            let delivered = Delivered {
                op: batch.column(4).as_primitive::<Int8Type>().value(i),
                tso: number(5, i),
                lsn: number(6, i),
                row: row(&batch, i),
            };
            (delivered, number(7, i))
        })
        .collect()
}

/// The row of columns `k1`, `k2`, `a`, `b`.
fn row(batch: &RecordBatch, i: usize) -> Row {
    let number = |column: usize| {
        let array = batch.column(column).as_primitive::<Int64Type>();
        (!array.is_null(i)).then(|| array.value(i))
    };
    let text = |column: usize| {
        let array = batch.column(column).as_string::<i32>();
        (!array.is_null(i)).then(|| array.value(i).to_owned())
    };
    Row {
        key: (number(0).unwrap(), text(1)),
        a: number(2),
        b: text(3),
    }
}
