//! Relations that no one stored: `numbers(…)` and tables of text.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;

use super::query::plan_error;
use crate::error::SqlError;
use crate::sql::engine::{ResultColumn, Rows};
use crate::store::tablet::BATCH_ROWS;
use crate::values::types::{DorisType, NAME_KEY};

/// `numbers("number" = "N")`: a column `number` that counts from 0.
pub fn numbers_table(count: u64) -> Result<Arc<dyn TableProvider>, SqlError> {
    let schema = Arc::new(Schema::new(vec![Field::new("number", DataType::Int64, false)]));
    let numbers = Arc::new(Numbers {
        count,
        schema: Arc::clone(&schema),
    });
    let table = StreamingTable::try_new(schema, vec![numbers]).map_err(|e| plan_error(&e))?;
    Ok(Arc::new(table))
}

struct Numbers {
    count: u64,
    schema: SchemaRef,
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "numbers({})", self.count)
    }
}

#[async_trait]
impl PartitionStream for Numbers {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (count, schema) = (self.count as i64, Arc::clone(&self.schema));
        let batches = (0..count).step_by(BATCH_ROWS).map(move |start| {
            let end = (start + BATCH_ROWS as i64).min(count);
            let column: ArrayRef = Arc::new(Int64Array::from_iter_values(start..end));
            Ok(RecordBatch::try_new(Arc::clone(&schema), vec![column])?)
        });
        Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            futures::stream::iter(batches),
        ))
    }
}

/// Columns of texts and numbers, for `SHOW` and `information_schema`.
#[derive(Debug)]
pub struct Listing {
    names: Vec<(String, DorisType)>,
    rows: Vec<Vec<Option<String>>>,
}

impl Listing {
    /// With columns of these names, separated by blanks: numbers where a `#` follows, else texts.
    pub fn of_columns(names: &str) -> Self {
        let column = |name: &str| match name.strip_suffix('#') {
            Some(name) => (name.to_string(), DorisType::BigInt),
            None => (name.to_string(), DorisType::Varchar(65533)),
        };
        Self {
            names: names.split_whitespace().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// With columns of text, whose names may hold blanks.
    pub fn of_texts(names: &[&str]) -> Self {
        Self {
            names: names
                .iter()
                .map(|n| (n.to_string(), DorisType::Varchar(65533)))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of as many values as there are columns.
    pub fn push(&mut self, row: Vec<Option<String>>) {
        debug_assert_eq!(row.len(), self.names.len());
        self.rows.push(row);
    }

    /// Adds a row without NULLs.
    pub fn add<const N: usize>(&mut self, row: [String; N]) {
        self.push(row.into_iter().map(Some).collect());
    }

    /// Keeps the rows that a column's text is accepted of.
    pub fn retain(&mut self, column: usize, accept: impl Fn(&str) -> bool) {
        self.rows
            .retain(|row| row[column].as_deref().is_some_and(&accept));
    }

    fn arrays(&self) -> Vec<ArrayRef> {
        (0..self.names.len())
            .map(|at| match self.names[at].1 {
                DorisType::BigInt => {
                    let numbers = self
                        .rows
                        .iter()
                        .map(|row| row[at].as_ref().and_then(|t| t.parse::<i64>().ok()));
                    Arc::new(numbers.collect::<Int64Array>()) as ArrayRef
                }
                _ => Arc::new(
                    self.rows
                        .iter()
                        .map(|row| row[at].as_deref())
                        .collect::<StringArray>(),
                ),
            })
            .collect()
    }

    /// As an answer.
    pub fn into_rows(self) -> Result<Rows, SqlError> {
        let columns: Vec<ResultColumn> = self
            .names
            .iter()
            .map(|(name, doris_type)| ResultColumn {
                name: name.clone(),
                doris_type: doris_type.clone(),
                nullable: true,
            })
            .collect();
        if self.rows.is_empty() {
            return Ok(Rows {
                columns,
                batches: Vec::new(),
            });
        }
        let fields: Vec<Field> = columns
            .iter()
            .map(|c| Field::new(&c.name, c.doris_type.arrow_type(), true))
            .collect();
        let batch =
            RecordBatch::try_new(Arc::new(Schema::new(fields)), self.arrays()).map_err(SqlError::plain)?;
        Ok(Rows {
            columns,
            batches: vec![batch],
        })
    }

    /// As a relation that queries read.
    pub fn into_table(self) -> Result<Arc<dyn TableProvider>, SqlError> {
        let fields: Vec<Field> = self
            .names
            .iter()
            .map(|(name, doris_type)| {
                let mut field = doris_type.compute_field(&name.to_lowercase(), true);
                field.metadata_mut().insert(NAME_KEY.into(), name.clone());
                field
            })
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), self.arrays()).map_err(SqlError::plain)?;
        Ok(Arc::new(
            MemTable::try_new(schema, vec![vec![batch]]).map_err(|e| plan_error(&e))?,
        ))
    }
}
