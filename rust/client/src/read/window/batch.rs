//! The batches of a window: their hidden columns checked, each row hashed, and the wanted columns with the four that
//! tell what happened.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Fields, Schema};
use bytes::Bytes;
use doris_arrow::change::change_fields;
use doris_arrow::hash::RowHasher;
use doris_arrow::ipc::{Extended, IpcBatch, Layout, extend, tail};
use doris_arrow::normalize::{ColumnSpec, Dictionaries, Normalizer, Zone};
use doris_arrow::types::{DorisType, FlinkKind, FlinkType};

use super::position::ChangeRows;
use super::spec::{WindowSpec, tso_text};
use super::sql::Hidden;
use crate::error::{Error, ErrorKind};

/// The largest operation code.
const LAST_OPERATION: i8 = 3;

/// What the columns of a window's answer are, in the order of its SELECT: wanted, hidden, extra.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) wanted: Vec<ColumnSpec>,
    pub(crate) hidden: Hidden,
    pub(crate) extra: Vec<ColumnSpec>,
    /// The columns that a row's hash is taken over after LSN and operation.
    pub(crate) hashed: Vec<Hashed>,
}

/// A column by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hashed {
    Wanted(usize),
    Extra(usize),
}

/// One batch: what is known of its rows, and the columns to deliver.
#[derive(Debug)]
pub(crate) struct ChangeBatch {
    pub(crate) rows: ChangeRows,
    /// The wanted columns, then operation, TSO, LSN and hash.
    pub(crate) ipc: IpcBatch,
    /// Whether the wanted columns are as the server sent them.
    pub(crate) identity: bool,
}

/// The way from one stream's batches to [`ChangeBatch`]es. Checks every row; the last row of a batch is remembered
/// for the next, also for that of another stream of the same query.
#[derive(Debug)]
pub(crate) struct ChangeReader {
    normalizer: Normalizer,
    /// Canonical types of all columns that come, and of those that are passed on.
    coming: Fields,
    handed_on: Fields,
    /// Number of wanted columns; the hidden ones follow.
    wanted: usize,
    hashed: Vec<usize>,
    hidden: Hidden,
}

impl ChangeReader {
    /// Plans for a delivered schema. An error when a hidden column is missing, double or of another type, and when a
    /// wanted one cannot be read.
    pub(crate) fn new(shape: &Shape, delivered: &Schema, local: Zone) -> Result<Self, Error> {
        let operation = check_hidden(&shape.hidden, delivered)?;
        let mut specs = shape.wanted.clone();
        specs.push(number(&shape.hidden.tso, DorisType::BigInt, FlinkKind::BigInt));
        specs.push(number(&shape.hidden.lsn, DorisType::BigInt, FlinkKind::BigInt));
        specs.push(number(&shape.hidden.op, operation.0, operation.1));
        specs.extend(shape.extra.iter().cloned());
        let coming: Fields = specs.iter().map(canonical).collect::<Result<_, _>>()?;
        let mut handed_on: Vec<Arc<Field>> = coming.iter().take(shape.wanted.len()).cloned().collect();
        handed_on.extend(change_fields().map(Arc::new));
        let normalizer = Normalizer::new(delivered, specs, local)?;
        let wanted = shape.wanted.len();
        let place = |hashed: &Hashed| match hashed {
            Hashed::Wanted(at) => *at,
            Hashed::Extra(at) => wanted + 3 + at,
        };
        Ok(Self {
            normalizer,
            coming,
            handed_on: handed_on.into(),
            wanted,
            hashed: shape.hashed.iter().map(place).collect(),
            hidden: shape.hidden.clone(),
        })
    }

    /// The normaliser, for dictionaries.
    pub(crate) fn normalizer(&self) -> &Normalizer {
        &self.normalizer
    }

    /// Reads and checks a batch; `last` is the key of the row before it. No row of a batch that fails is of any use.
    pub(crate) fn read(
        &self,
        header: Bytes,
        body: Bytes,
        dictionaries: &Dictionaries,
        window: &WindowSpec,
        last: &mut Option<(i64, i64, i8)>,
    ) -> Result<ChangeBatch, Error> {
        let normalized = self
            .normalizer
            .apply(header, body, dictionaries)
            .map_err(with_hint)?;
        let (batch, identity) = (normalized.batch, normalized.identity);
        let layout = Layout::verify(&batch.header, &batch.body, &self.coming)?;
        let mut rows = ChangeRows {
            tso: self.longs(&batch, &layout, 0)?,
            lsn: self.longs(&batch, &layout, 1)?,
            op: self.operations(&batch, &layout)?,
            hash: Vec::new(),
        };
        self.check(&rows, window, last)?;
        let mut hasher = RowHasher::new(layout.rows);
        hasher.add_numbers(rows.lsn.iter().copied());
        hasher.add_numbers(rows.op.iter().map(|op| i64::from(*op)));
        for at in &self.hashed {
            let r#type = self.coming[*at].data_type();
            hasher.add_column(r#type, &layout, &layout.columns[*at], &batch.body)?;
        }
        rows.hash = hasher.finish();
        let mut columns: Vec<Extended<'_>> =
            layout.columns[..self.wanted].iter().map(Extended::Kept).collect();
        let hidden = &layout.columns[self.wanted..];
        columns.push(if self.coming[self.wanted + 2].data_type() == &DataType::Int8 {
            Extended::Kept(&hidden[2])
        } else {
            Extended::Int8(&rows.op)
        });
        columns.push(Extended::Kept(&hidden[0]));
        columns.push(Extended::Kept(&hidden[1]));
        columns.push(Extended::Int64(&rows.hash));
        let ipc = extend(&layout, &batch.body, &columns);
        Ok(ChangeBatch { rows, ipc, identity })
    }

    /// What is left of a batch without its first rows.
    pub(crate) fn without(&self, batch: IpcBatch, dropped: usize) -> Result<IpcBatch, Error> {
        match dropped {
            0 => Ok(batch),
            _ => Ok(tail(&batch, &self.handed_on, dropped)?),
        }
    }

    /// The bytes of a hidden column's values; 0 is the TSO, 1 the LSN, 2 the operation.
    fn values<'a>(&self, batch: &'a IpcBatch, layout: &Layout, which: usize) -> Result<&'a [u8], Error> {
        let slots = &layout.columns[self.wanted + which];
        let (_, nulls) = layout.nodes[slots.nodes.start];
        if nulls > 0 {
            let name = self.hidden.names()[which];
            return Err(Error::new(
                ErrorKind::Data,
                format!(
                    "the hidden column {name} is NULL in {nulls} of {} rows",
                    layout.rows
                ),
            ));
        }
        // Validity, then values.
        Ok(&batch.body[layout.buffers[slots.buffers.start + 1].clone()])
    }

    fn longs(&self, batch: &IpcBatch, layout: &Layout, which: usize) -> Result<Vec<i64>, Error> {
        let values = self.values(batch, layout, which)?.as_chunks::<8>().0;
        Ok(values
            .iter()
            .take(layout.rows)
            .map(|v| i64::from_le_bytes(*v))
            .collect())
    }

    fn operations(&self, batch: &IpcBatch, layout: &Layout) -> Result<Vec<i8>, Error> {
        let values = self.values(batch, layout, 2)?;
        let width = match self.coming[self.wanted + 2].data_type() {
            DataType::Int8 => 1,
            DataType::Int16 => 2,
            DataType::Int32 => 4,
            _ => 8,
        };
        values
            .chunks_exact(width)
            .take(layout.rows)
            .map(|value| {
                let negative = value[width - 1] & 0x80 != 0;
                let mut bytes = [if negative { 0xFF } else { 0 }; 8];
                bytes[..width].copy_from_slice(value);
                let code = i64::from_le_bytes(bytes);
                i8::try_from(code)
                    .ok()
                    .filter(|code| (0..=LAST_OPERATION).contains(code))
                    .ok_or_else(|| {
                        Error::new(
                            ErrorKind::Data,
                            format!(
                                "the hidden column {} has the operation code {code}; known are 0 to 3",
                                self.hidden.op
                            ),
                        )
                    })
            })
            .collect()
    }

    fn check(
        &self,
        rows: &ChangeRows,
        window: &WindowSpec,
        last: &mut Option<(i64, i64, i8)>,
    ) -> Result<(), Error> {
        for row in 0..rows.len() {
            let key = rows.key(row);
            if !window.contains(key.0) {
                return Err(Error::new(
                    ErrorKind::Data,
                    format!(
                        "the hidden column {} has the TSO {} ({}), which lies outside of the window",
                        self.hidden.tso,
                        key.0,
                        tso_text(key.0)
                    ),
                ));
            }
            if last.is_some_and(|last| key < last) {
                return Err(Error::new(
                    ErrorKind::Data,
                    format!(
                        "the rows are out of order: {} {}, {} {}, {} {} comes after {last:?}",
                        self.hidden.tso, key.0, self.hidden.lsn, key.1, self.hidden.op, key.2
                    ),
                ));
            }
            *last = Some(key);
        }
        Ok(())
    }
}

/// What a user should know about a NULL where none is declared: a delete may be the cause.
fn with_hint(error: doris_arrow::Error) -> Error {
    let null = matches!(&error, doris_arrow::Error::Value { message, .. } if message.contains("NOT NULL"));
    let error = Error::from(error);
    if !null {
        return error;
    }
    let hint = "a delete carries key columns alone where the table has no changelog.need_historical_value";
    Error::new(error.kind(), format!("{error} ({hint})"))
}

/// Each hidden column must be there once, with a type of its own; gives the type of the operation.
fn check_hidden(hidden: &Hidden, delivered: &Schema) -> Result<(DorisType, FlinkKind), Error> {
    let mut operation = (DorisType::BigInt, FlinkKind::BigInt);
    for name in hidden.names() {
        let mut fields = delivered
            .fields()
            .iter()
            .filter(|field| field.name().eq_ignore_ascii_case(name));
        let wrong = |what: &str| Error::new(ErrorKind::Data, format!("the hidden column {name} {what}"));
        let field = fields
            .next()
            .ok_or_else(|| wrong("is missing in what the server sent"))?;
        if fields.next().is_some() {
            return Err(wrong("comes more than once"));
        }
        match field.data_type() {
            DataType::Int64 => {}
            DataType::Int8 if name == hidden.op => operation = (DorisType::TinyInt, FlinkKind::TinyInt),
            DataType::Int16 if name == hidden.op => operation = (DorisType::SmallInt, FlinkKind::SmallInt),
            DataType::Int32 if name == hidden.op => operation = (DorisType::Int, FlinkKind::Int),
            other => {
                let what = format!("arrives as Arrow {other}, which is no number that it can be read from");
                return Err(wrong(&what));
            }
        }
    }
    Ok(operation)
}

fn number(name: &str, doris: DorisType, kind: FlinkKind) -> ColumnSpec {
    ColumnSpec {
        label: name.to_owned(),
        name: name.to_owned(),
        doris,
        // NULL is the column's own check.
        flink: FlinkType { kind, nullable: true },
    }
}

fn canonical(spec: &ColumnSpec) -> Result<Field, Error> {
    let r#type = spec.flink.canonical().ok_or_else(|| {
        Error::new(
            ErrorKind::Schema,
            format!("column '{}': {} cannot be read", spec.label, spec.flink),
        )
    })?;
    Ok(Field::new(spec.label.clone(), r#type, true))
}

#[cfg(test)]
mod tests;
