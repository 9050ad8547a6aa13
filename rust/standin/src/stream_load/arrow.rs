//! Arrow IPC streams, one after the other: columns are found by their names.

use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{DataType, Field, Schema};

use super::LoadRefused;
use super::convert::{BadRows, Rules, from_array};
use super::intake::{Block, Intake};
use crate::store::schema::Column;
use crate::values::text::render;
use crate::values::types::DorisType;

/// Rows of a batch that are taken at once.
const ROWS: usize = 16_384;

/// Reads streams to the end of the body, or to the first one without rows: Doris takes that for the end and drops what
/// follows.
pub(super) fn read(intake: &mut Intake, mut body: Box<dyn Read + Send>) -> Result<(), LoadRefused> {
    let mut head = [0];
    while body.read(&mut head)? > 0 {
        if read_stream(intake, std::io::Cursor::new(head).chain(&mut body))? == 0 {
            std::io::copy(&mut body, &mut std::io::sink())?;
            break;
        }
    }
    Ok(())
}

/// Reads one stream; returns its number of rows.
fn read_stream(intake: &mut Intake, stream: impl Read) -> Result<usize, LoadRefused> {
    let reader = StreamReader::try_new(stream, None).map_err(unreadable)?;
    let schema = reader.schema();
    let places = places(&intake.plan.sources, &schema)?;
    let mut count = 0;
    for batch in reader {
        let batch = batch.map_err(unreadable)?;
        count += batch.num_rows();
        let mut start = 0;
        while start < batch.num_rows() {
            let rows = ROWS.min(batch.num_rows() - start);
            intake.take(&ArrowRows::new(&places, &batch.slice(start, rows))?)?;
            start += rows;
        }
    }
    Ok(count)
}

fn unreadable(error: impl std::fmt::Display) -> LoadRefused {
    LoadRefused::internal(format!("arrow stream reader failed: {error}"))
}

/// Index of each source column in the stream, if it is there. A field that no column takes is an error.
fn places(sources: &[String], schema: &Schema) -> Result<Vec<Option<usize>>, LoadRefused> {
    if let Some(extra) = schema
        .fields()
        .iter()
        .find(|field| !sources.contains(field.name()))
    {
        return Err(LoadRefused::internal(format!(
            "Failed to convert from arrow to block: no column {}",
            extra.name()
        )));
    }
    Ok(sources.iter().map(|name| schema.index_of(name).ok()).collect())
}

/// Some rows of a batch.
struct ArrowRows {
    rows: usize,
    columns: Vec<Option<(DorisType, ArrayRef)>>,
    /// All rows, for columns that the stream lacks.
    all: Vec<u32>,
}

impl ArrowRows {
    fn new(places: &[Option<usize>], batch: &RecordBatch) -> Result<Self, LoadRefused> {
        let schema = batch.schema();
        let columns = places
            .iter()
            .map(|place| {
                place
                    .map(|place| plain(schema.field(place), batch.column(place)))
                    .transpose()
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            rows: batch.num_rows(),
            columns,
            all: (0..batch.num_rows() as u32).collect(),
        })
    }
}

impl Block for ArrowRows {
    fn rows(&self) -> usize {
        self.rows
    }

    fn column(&self, source: usize, column: &Column, rules: Rules, bad: &mut BadRows) -> ArrayRef {
        match &self.columns[source] {
            Some((from, array)) => from_array(column, from, array, rules, bad),
            None => new_null_array(&column.doris_type.arrow_type(), self.rows),
        }
    }

    fn absent(&self, source: usize) -> &[u32] {
        match self.columns[source] {
            Some(_) => &[],
            None => &self.all,
        }
    }

    fn line(&self, row: usize) -> Cow<'_, str> {
        let values = self.columns.iter().flatten().map(|(doris_type, array)| {
            render(doris_type, array, row, &crate::values::zone::Zone::UTC).unwrap_or_else(|| "NULL".into())
        });
        Cow::Owned(values.collect::<Vec<_>>().join(" "))
    }
}

/// A field as one of the forms that the engine knows: no dictionaries, views or large offsets, times as text.
fn plain(field: &Field, array: &ArrayRef) -> Result<(DorisType, ArrayRef), LoadRefused> {
    let target = plain_type(field.data_type());
    let array = match &target == field.data_type() {
        true => Arc::clone(array),
        false => arrow_cast::cast(array, &target).map_err(unreadable)?,
    };
    Ok((DorisType::of_arrow(&target), array))
}

fn plain_type(data_type: &DataType) -> DataType {
    let inner = |field: &Arc<Field>| {
        let changed = Field::new(field.name(), plain_type(field.data_type()), field.is_nullable());
        Arc::new(changed)
    };
    match data_type {
        DataType::Dictionary(_, value) => plain_type(value),
        DataType::LargeUtf8 | DataType::Utf8View | DataType::Time32(_) | DataType::Time64(_) => {
            DataType::Utf8
        }
        DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => DataType::Binary,
        DataType::UInt8 => DataType::Int16,
        DataType::UInt16 => DataType::Int32,
        DataType::UInt32 => DataType::Int64,
        DataType::UInt64 => DataType::Decimal256(crate::values::types::LARGEINT_DIGITS, 0),
        DataType::Float16 => DataType::Float32,
        DataType::Date64 => DataType::Date32,
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) => DataType::Decimal128(*p, *s),
        DataType::Timestamp(arrow_schema::TimeUnit::Nanosecond, zone) => {
            DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, zone.clone())
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            DataType::List(inner(item))
        }
        DataType::Map(entries, sorted) => DataType::Map(inner(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        other => other.clone(),
    }
}
