//! Rows as Arrow IPC streams, in the types that Doris reads for each column.
//!
//! Each batch is a stream of its own. Doris takes a load's body for streams one after the other, reads each of them
//! into memory as a whole, and ends at the first one without rows, whatever follows (its Arrow stream reader).

use std::sync::Arc;

use arrow::array::builder::StringBuilder;
use arrow::array::cast::AsArray;
use arrow::array::types::TimestampMicrosecondType;
use arrow::array::{
    Array, ArrayRef, ListArray, MapArray, RecordBatch, RecordBatchOptions, StructArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamEncoder;

use super::clock::{Clock, Turn};
use super::json;
use super::json_text::Quirk;
use super::longest::Longest;
use super::out::Out;
use super::plan::{Plan, Target, Values, fields_of, turn};
use super::{Column, Refused};
use crate::error::{Error, Result};
use crate::normalize::Zone;
use crate::types::{DorisType, FlinkKind, FlinkType};

/// Encodes rows as record batches.
pub(super) struct ArrowRows {
    schema: SchemaRef,
    steps: Vec<Step>,
}

impl std::fmt::Debug for ArrowRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ArrowRows({})", self.schema)
    }
}

/// What is done to a column's array.
#[derive(Debug)]
enum Step {
    Same,
    /// The same, if no text is longer.
    Within(Longest),
    /// Its values as texts.
    Text(Plan),
    Turn(Turn),
    List(Box<Step>),
    Map(Box<Step>, Box<Step>),
    Row(Vec<Step>),
}

impl ArrowRows {
    pub(super) fn new(columns: &[Column], zone: Zone) -> Result<Self> {
        let mut fields = Vec::with_capacity(columns.len());
        let mut steps = Vec::with_capacity(columns.len());
        for column in columns {
            let target = Target {
                doris: column.doris.as_ref(),
                sized: column.sized.as_ref(),
            };
            let (step, r#type) =
                step(&column.flink, target, zone).map_err(|message| Error::value(&column.name, message))?;
            fields.push(Field::new(&column.name, r#type, true));
            steps.push(step);
        }
        let schema = Arc::new(Schema::new(fields));
        Ok(Self { schema, steps })
    }

    /// Appends a stream with the batch; nothing for a batch without rows.
    pub(super) fn encode(&self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<(), Refused> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let columns = self
            .steps
            .iter()
            .zip(batch.columns())
            .zip(self.schema.fields())
            .enumerate()
            .map(|(i, ((step, array), field))| {
                step.apply(array, field.data_type())
                    .map_err(|failure| match failure {
                        Failure::Value(row, message) => Refused::value(i, row, message),
                        Failure::Other(error) => Refused::Other(error),
                    })
            })
            .collect::<Result<Vec<ArrayRef>, Refused>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let batch =
            RecordBatch::try_new_with_options(self.schema.clone(), columns, &options).map_err(internal)?;
        let mut stream = StreamEncoder::try_new(&self.schema).map_err(internal)?;
        for buffer in stream.encode(&batch).map_err(internal)? {
            out.extend_from_slice(&buffer);
        }
        for buffer in stream.finish().map_err(internal)? {
            out.extend_from_slice(&buffer);
        }
        Ok(())
    }
}

fn internal(e: ArrowError) -> Error {
    Error::corrupt(e.to_string())
}

/// Why an array could not be converted: a value, by its place in the array of the column, or something else.
enum Failure {
    Value(usize, Box<str>),
    Other(Error),
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        Self::Other(e)
    }
}

/// The step for a column and the type that comes out of it.
fn step(flink: &FlinkType, target: Target<'_>, zone: Zone) -> std::result::Result<(Step, DataType), String> {
    use FlinkKind as F;
    let doris = target.doris;
    let same = || {
        flink
            .canonical()
            .map(|r#type| (Step::Same, r#type))
            .ok_or_else(|| format!("type {flink} cannot be written"))
    };
    let is_text = matches!(flink.kind, F::Char(_) | F::Varchar(_));
    let is_binary = matches!(flink.kind, F::Binary(_) | F::Varbinary(_));
    let for_text = matches!(
        doris,
        Some(
            DorisType::Char(_)
                | DorisType::Varchar(_)
                | DorisType::String
                | DorisType::Json
                | DorisType::Variant
                | DorisType::LargeInt
        )
    );
    if !is_text && !is_binary && (for_text || matches!(flink.kind, F::Time(_))) {
        return Ok((
            Step::Text(Plan::new(flink, doris, target.sized, zone, Quirk::NONE)?),
            DataType::Utf8,
        ));
    }
    Ok(match &flink.kind {
        F::Timestamp(_) | F::TimestampLtz(_) => {
            let utc = matches!(doris, Some(DorisType::TimestampTz(_))).then(|| Arc::from("UTC"));
            let r#type = DataType::Timestamp(TimeUnit::Microsecond, utc);
            match turn(flink, doris, zone) {
                Turn::Keep if !matches!(doris, Some(DorisType::TimestampTz(_))) => same()?,
                turn => (Step::Turn(turn), r#type),
            }
        }
        F::Array(item) => match step(item, target.item(), zone)? {
            (Step::Same, _) => same()?,
            (step, r#type) => (
                Step::List(Box::new(step)),
                DataType::List(Arc::new(Field::new("item", r#type, true))),
            ),
        },
        F::Map(key, value) => {
            let (key, key_type) = step(key, target.key(), zone)?;
            let (value, value_type) = step(value, target.value(), zone)?;
            map(key, key_type, value, value_type)
        }
        F::Multiset(key) => {
            let (key, key_type) = step(key, target.key(), zone)?;
            map(key, key_type, Step::Same, DataType::Int32)
        }
        F::Row(fields) => {
            let mut steps = Vec::with_capacity(fields.len());
            let mut types = Vec::with_capacity(fields.len());
            for (field, (name, target)) in fields.iter().zip(fields_of(fields, target)) {
                let (step, r#type) = step(&field.r#type, target, zone)?;
                types.push(Field::new(name, r#type, true));
                steps.push(step);
            }
            (Step::Row(steps), DataType::Struct(types.into()))
        }
        _ if is_text || is_binary => {
            let longest = Longest::of(target.sized);
            let (step, r#type) = same()?;
            (
                if longest.is_open() {
                    step
                } else {
                    Step::Within(longest)
                },
                r#type,
            )
        }
        _ => same()?,
    })
}

fn map(key: Step, key_type: DataType, value: Step, value_type: DataType) -> (Step, DataType) {
    let entries = vec![
        Field::new("key", key_type, false),
        Field::new("value", value_type, true),
    ];
    let r#type = DataType::Map(
        Arc::new(Field::new("entries", DataType::Struct(entries.into()), false)),
        false,
    );
    (Step::Map(Box::new(key), Box::new(value)), r#type)
}

impl Step {
    fn apply(&self, array: &ArrayRef, r#type: &DataType) -> Result<ArrayRef, Failure> {
        let mismatch = || {
            Failure::Other(Error::corrupt(format!(
                "{} where {type} is due",
                array.data_type()
            )))
        };
        Ok(match (self, r#type) {
            (Self::Same, _) => array.clone(),
            (Self::Within(longest), _) => {
                let offsets = match (array.as_string_opt::<i32>(), array.as_binary_opt::<i32>()) {
                    (Some(texts), _) => texts.value_offsets(),
                    (_, Some(bytes)) => bytes.value_offsets(),
                    _ => return Err(mismatch()),
                };
                for (row, bounds) in offsets.windows(2).enumerate() {
                    let bytes = (bounds[1] - bounds[0]) as usize;
                    if !longest.fits(bytes) && array.is_valid(row) {
                        longest
                            .check(bytes)
                            .map_err(|message| Failure::Value(row, message))?;
                    }
                }
                array.clone()
            }
            (Self::Text(plan), _) => texts(plan, array)?,
            (Self::Turn(turn), _) => {
                let source = array
                    .as_primitive_opt::<TimestampMicrosecondType>()
                    .ok_or_else(mismatch)?;
                let clock = Clock::new(*turn);
                let mut values = Vec::with_capacity(source.len());
                for (row, micros) in source.values().iter().enumerate() {
                    values.push(if source.is_null(row) {
                        0
                    } else {
                        clock.turn(*micros).ok_or_else(|| {
                            Failure::Value(row, "a timestamp outside the years that Doris can hold".into())
                        })?
                    });
                }
                let turned = TimestampMicrosecondArray::new(values.into(), source.nulls().cloned());
                Arc::new(turned.with_data_type(r#type.clone()))
            }
            (Self::List(item), DataType::List(field)) => {
                let list = array.as_list_opt::<i32>().ok_or_else(mismatch)?;
                let values = item
                    .apply(list.values(), field.data_type())
                    .map_err(|f| f.outer(list.value_offsets()))?;
                Arc::new(
                    ListArray::try_new(
                        field.clone(),
                        list.offsets().clone(),
                        values,
                        list.nulls().cloned(),
                    )
                    .map_err(internal)?,
                )
            }
            (Self::Map(key, value), DataType::Map(field, sorted)) => {
                let map = array.as_map_opt().ok_or_else(mismatch)?;
                let DataType::Struct(fields) = field.data_type() else {
                    return Err(mismatch());
                };
                let outer = |f: Failure| f.outer(map.value_offsets());
                let keys = key.apply(map.keys(), fields[0].data_type()).map_err(outer)?;
                let values = value.apply(map.values(), fields[1].data_type()).map_err(outer)?;
                let entries =
                    StructArray::try_new(fields.clone(), vec![keys, values], None).map_err(internal)?;
                Arc::new(
                    MapArray::try_new(
                        field.clone(),
                        map.offsets().clone(),
                        entries,
                        map.nulls().cloned(),
                        *sorted,
                    )
                    .map_err(internal)?,
                )
            }
            (Self::Row(steps), DataType::Struct(fields)) => {
                let row = array.as_struct_opt().ok_or_else(mismatch)?;
                let columns = steps
                    .iter()
                    .zip(row.columns())
                    .zip(fields)
                    .map(|((step, column), field)| step.apply(column, field.data_type()))
                    .collect::<Result<Vec<_>, Failure>>()?;
                Arc::new(rows(fields, columns, row)?)
            }
            _ => return Err(mismatch()),
        })
    }
}

fn rows(fields: &Fields, columns: Vec<ArrayRef>, row: &StructArray) -> Result<StructArray, Failure> {
    if columns.is_empty() {
        return Ok(StructArray::new_empty_fields(row.len(), row.nulls().cloned()));
    }
    Ok(StructArray::try_new(fields.clone(), columns, row.nulls().cloned()).map_err(internal)?)
}

impl Failure {
    /// The failure of an item as one of the row that holds it.
    fn outer(self, offsets: &[i32]) -> Self {
        match self {
            Self::Value(item, message) => {
                let row = offsets.partition_point(|offset| *offset as usize <= item);
                Self::Value(row.saturating_sub(1), message)
            }
            other => other,
        }
    }
}

/// The values of an array as texts: scalars as in CSV, nested ones as JSON.
fn texts(plan: &Plan, array: &ArrayRef) -> Result<ArrayRef, Failure> {
    let bound = plan.bind(array)?;
    let mut builder = StringBuilder::with_capacity(array.len(), array.len() * 16);
    let mut text = Vec::new();
    for row in 0..array.len() {
        if bound.is_null(row) {
            builder.append_null();
            continue;
        }
        text.clear();
        let mut out = Out::new(&mut text);
        match &bound.values {
            Values::List(..) | Values::Map(..) | Values::Row(_) => {
                json::nested(&bound, row, Quirk::NONE, &mut out)
            }
            _ => json::scalar(&bound, row, &mut out).map(|_| ()),
        }
        .map_err(|message| Failure::Value(row, message))?;
        drop(out);
        builder.append_value(
            std::str::from_utf8(&text).map_err(|_| Error::corrupt("a text that is not UTF-8"))?,
        );
    }
    Ok(Arc::new(builder.finish()))
}
