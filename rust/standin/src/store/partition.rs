//! Bounds of partitions, and the way from a row to its partition.

use std::borrow::Cow;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;
use datafusion::arrow::row::{RowConverter, Rows, SortField};

use crate::error::SqlError;
use crate::store::schema::TableSchema;
use crate::values::types::DorisType;
use crate::values::zone::Zone;
use crate::values::{Cell, build_array, to_compute};

/// One value of a bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundValue {
    /// A literal's text.
    Text(String),
    /// `MAXVALUE`
    Max,
}

/// Which rows a partition takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// All.
    All,
    /// From `lower` (included; `None` = from the start) to `upper` (excluded; `None` = to the end).
    Range {
        /// First values that belong to it.
        lower: Option<Vec<BoundValue>>,
        /// First values that do not.
        upper: Option<Vec<BoundValue>>,
    },
}

/// Byte string above every encoded value.
const ABOVE_ALL: [u8; 16] = [0xff; 16];

/// Encodes partition columns so that byte order is value order, NULL first.
pub struct BoundEncoder {
    types: Vec<DorisType>,
    converters: Vec<RowConverter>,
}

impl BoundEncoder {
    /// For the partition columns of a table.
    pub fn new(schema: &TableSchema) -> Result<Self, SqlError> {
        let mut types = Vec::new();
        let mut converters = Vec::new();
        for name in &schema.partition_columns {
            let column = schema
                .index_of(name)
                .map(|i| &schema.columns[i])
                .ok_or_else(|| SqlError::plain(format!("partition column {name} does not exist")))?;
            types.push(column.doris_type.clone());
            converters.push(converter(&column.doris_type.compute_type())?);
        }
        Ok(Self { types, converters })
    }

    /// Bytes of a bound's values; fewer values than columns stand for a prefix.
    pub fn bound(&self, values: &[BoundValue]) -> Result<Vec<u8>, SqlError> {
        if values.len() > self.types.len() {
            return Err(SqlError::plain(
                "partition has more values than partition columns",
            ));
        }
        let mut out = Vec::new();
        for (index, value) in values.iter().enumerate() {
            if *value == BoundValue::Max {
                out.extend_from_slice(&ABOVE_ALL);
                break;
            }
            let array = bound_array(&self.types[index], value)?;
            let rows = self.converters[index]
                .convert_columns(&[array])
                .map_err(SqlError::plain)?;
            out.extend_from_slice(rows.row(0).as_ref());
        }
        Ok(out)
    }

    /// Encoded partition columns of a batch in stored form.
    fn rows(&self, batch: &RecordBatch, indexes: &[usize]) -> Result<Vec<Rows>, SqlError> {
        indexes
            .iter()
            .enumerate()
            .map(|(n, index)| {
                let array = to_compute(&self.types[n], batch.column(*index));
                self.converters[n]
                    .convert_columns(&[array])
                    .map_err(SqlError::plain)
            })
            .collect()
    }
}

/// One value of a bound as an array of length 1 in compute form.
pub fn bound_array(doris_type: &DorisType, value: &BoundValue) -> Result<ArrayRef, SqlError> {
    let cell = match value {
        BoundValue::Text(text) => Cell::Text(Cow::Borrowed(text)),
        _ => Cell::Null,
    };
    let array = build_array(doris_type, &[cell], &Zone::UTC)
        .map_err(|e| SqlError::plain(format!("Invalid partition value: {}", e.message)))?;
    Ok(to_compute(doris_type, &array))
}

fn converter(data_type: &DataType) -> Result<RowConverter, SqlError> {
    RowConverter::new(vec![SortField::new(data_type.clone())]).map_err(SqlError::plain)
}

/// Finds partitions of rows. Built for one set of partitions.
pub struct PartitionFinder {
    encoder: BoundEncoder,
    indexes: Vec<usize>,
    places: Places,
}

enum Places {
    Single,
    /// Sorted by upper end: lower end, upper end, partition.
    Ranges(Vec<(Vec<u8>, Option<Vec<u8>>, usize)>),
}

impl PartitionFinder {
    /// For partitions in the given order; the result of [`Self::find`] indexes them.
    pub fn new<'b>(
        schema: &TableSchema,
        bounds: impl IntoIterator<Item = &'b Bound>,
    ) -> Result<Self, SqlError> {
        let encoder = BoundEncoder::new(schema)?;
        let indexes = schema
            .partition_columns
            .iter()
            .filter_map(|n| schema.index_of(n))
            .collect();
        let places = if schema.is_partitioned() {
            let mut ranges = Vec::new();
            for (partition, bound) in bounds.into_iter().enumerate() {
                if let Bound::Range { lower, upper } = bound {
                    let lower = lower
                        .as_ref()
                        .map(|v| encoder.bound(v))
                        .transpose()?
                        .unwrap_or_default();
                    let upper = upper.as_ref().map(|v| encoder.bound(v)).transpose()?;
                    ranges.push((lower, upper, partition));
                }
            }
            ranges.sort_by(|a, b| a.0.cmp(&b.0));
            Places::Ranges(ranges)
        } else {
            Places::Single
        };
        Ok(Self {
            encoder,
            indexes,
            places,
        })
    }

    /// The partition of every row of a batch in stored form; `None` where no partition takes the row.
    pub fn find(&self, batch: &RecordBatch) -> Result<Vec<Option<usize>>, SqlError> {
        if matches!(self.places, Places::Single) {
            return Ok(vec![Some(0); batch.num_rows()]);
        }
        let columns = self.encoder.rows(batch, &self.indexes)?;
        let mut out = Vec::with_capacity(batch.num_rows());
        let mut key = Vec::new();
        for row in 0..batch.num_rows() {
            key.clear();
            for column in &columns {
                key.extend_from_slice(column.row(row).as_ref());
            }
            out.push(match &self.places {
                Places::Single => Some(0),
                Places::Ranges(ranges) => {
                    let after = ranges.partition_point(|(lower, _, _)| lower.as_slice() <= key.as_slice());
                    after
                        .checked_sub(1)
                        .map(|at| &ranges[at])
                        .and_then(|(_, upper, partition)| {
                            upper
                                .as_ref()
                                .is_none_or(|upper| key < *upper)
                                .then_some(*partition)
                        })
                }
            });
        }
        Ok(out)
    }

    /// True when all rows belong to the one partition there is.
    pub fn is_single(&self) -> bool {
        matches!(self.places, Places::Single)
    }

    /// Two ranges that overlap, if any do.
    pub fn overlap(&self) -> bool {
        match &self.places {
            Places::Ranges(ranges) => ranges.windows(2).any(|pair| match &pair[0].1 {
                None => true,
                Some(upper) => *upper > pair[1].0,
            }),
            _ => false,
        }
    }
}

/// Smallest and largest value of a partition for one of its columns, for pruning; `None` = not known.
pub fn min_max(
    schema: &TableSchema,
    bound: &Bound,
    column: &str,
) -> Option<(Option<ArrayRef>, Option<ArrayRef>)> {
    let position = schema.partition_columns.iter().position(|c| c == column)?;
    let doris_type = &schema.columns[schema.index_of(column)?].doris_type;
    let array = |value: Option<&BoundValue>| match value {
        Some(text @ BoundValue::Text(_)) => bound_array(doris_type, text).ok(),
        _ => None,
    };
    match bound {
        Bound::All => None,
        // Only the first column of a range is bounded by itself.
        Bound::Range { lower, upper } if position == 0 => Some((
            array(lower.as_ref().and_then(|v| v.first())),
            array(upper.as_ref().and_then(|v| v.first())),
        )),
        Bound::Range { .. } => None,
    }
}
