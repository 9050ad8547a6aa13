//! A table's snapshot, or a part of it, as a relation that expressions run over.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::memory::MemorySourceConfig;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, Result, ScalarValue, ToDFSchema};
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use datafusion::physical_plan::ExecutionPlan;

use super::relation::Place;
use crate::error::SqlError;
use crate::store::partition::min_max;
use crate::store::tablet::{Partition, TableVersion};
use crate::values::to_compute;

/// Column with the place where a row is stored, for statements that delete rows.
pub const LOCATION: &str = "__standin_location";

/// One version of a table, narrowed by hints.
#[derive(Debug)]
pub struct SnapshotTable {
    version: Arc<TableVersion>,
    partitions: Vec<Arc<Partition>>,
    place: Place,
    schema: SchemaRef,
    locations: bool,
}

impl SnapshotTable {
    /// The part of a version that `place` names. With `locations` the rows carry [`LOCATION`].
    pub fn new(version: Arc<TableVersion>, place: Place, locations: bool) -> Result<Arc<Self>, SqlError> {
        let partitions = place.chosen_partitions(&version)?;
        let mut schema = version.schema.compute_schema();
        if locations {
            let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
            fields.push(Arc::new(Field::new(LOCATION, DataType::Int64, false)));
            schema = Arc::new(Schema::new(fields));
        }
        Ok(Arc::new(Self {
            version,
            partitions,
            place,
            schema,
            locations,
        }))
    }

    /// The version that is read.
    pub fn version(&self) -> &Arc<TableVersion> {
        &self.version
    }

    /// The part that is read.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The partitions that may hold rows which meet all the filters.
    pub fn pruned(&self, state: &dyn Session, filters: &[Expr]) -> Result<Vec<Arc<Partition>>> {
        let schema = &self.version.schema;
        if schema.partition_columns.is_empty() || self.partitions.is_empty() {
            return Ok(self.partitions.clone());
        }
        let mut left = self.partitions.clone();
        let df_schema = Arc::clone(&self.schema).to_dfschema()?;
        for filter in filters {
            let names: Vec<&str> = filter
                .column_refs()
                .into_iter()
                .map(|c| c.name.as_str())
                .collect();
            if names.is_empty()
                || !names
                    .iter()
                    .all(|n| schema.partition_columns.iter().any(|p| p == n))
            {
                continue;
            }
            // A plan names the columns with their table.
            let expr = state.create_physical_expr(unnormalize_col(filter.clone()), &df_schema)?;
            let builder = PruningPredicateBuilder::new().with_file_schema(Arc::clone(&self.schema));
            let Ok(predicate) = builder.try_build(expr) else {
                continue;
            };
            let keep = predicate.prune(&Bounds {
                table: self,
                partitions: &left,
            })?;
            left = left
                .into_iter()
                .zip(keep)
                .filter(|(_, keep)| *keep)
                .map(|(p, _)| p)
                .collect();
        }
        Ok(left)
    }

    fn batches(
        &self,
        partitions: &[Arc<Partition>],
        projection: &[usize],
        schema: &SchemaRef,
    ) -> Result<Vec<RecordBatch>> {
        let mut out = Vec::new();
        for partition in partitions {
            for tablet in self.place.chosen_tablets(partition) {
                for (at, stored) in tablet.batches.iter().enumerate() {
                    let visible = stored.visible();
                    if visible.num_rows() == 0 {
                        continue;
                    }
                    let columns = projection
                        .iter()
                        .map(|index| match self.version.schema.columns.get(*index) {
                            Some(column) => to_compute(&column.doris_type, visible.column(*index)),
                            None => locations(tablet.id, at, stored),
                        })
                        .collect();
                    let options = RecordBatchOptions::new().with_row_count(Some(visible.num_rows()));
                    out.push(RecordBatch::try_new_with_options(
                        schema.clone(),
                        columns,
                        &options,
                    )?);
                }
            }
        }
        Ok(out)
    }
}

/// Bits of a location below the tablet's id, and below the batch's index.
const TABLET_SHIFT: u32 = 40;
const BATCH_SHIFT: u32 = 17;

fn locations(tablet: i64, batch: usize, stored: &crate::store::tablet::StoredBatch) -> ArrayRef {
    let base = tablet << TABLET_SHIFT | (batch as i64) << BATCH_SHIFT;
    let live = (0..stored.data.num_rows()).filter(|row| stored.is_live(*row));
    Arc::new(live.map(|row| base | row as i64).collect::<Int64Array>())
}

/// Tablet, batch and row of a value of [`LOCATION`].
pub fn read_location(location: i64) -> (i64, usize, usize) {
    let batch = (location & ((1 << TABLET_SHIFT) - 1)) >> BATCH_SHIFT;
    (
        location >> TABLET_SHIFT,
        batch as usize,
        (location & ((1 << BATCH_SHIFT) - 1)) as usize,
    )
}

#[async_trait]
impl TableProvider for SnapshotTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let projection = projection.unwrap_or(&all);
        let schema = Arc::new(self.schema.project(projection)?);
        let partitions = self.pruned(state, filters)?;
        let batches = self.batches(&partitions, projection, &schema)?;
        debug_assert!(!self.locations || all.len() == self.version.schema.columns.len() + 1);
        Ok(MemorySourceConfig::try_new_exec(&[batches], schema, None)?)
    }
}

/// Ends of partitions as statistics for pruning.
struct Bounds<'b> {
    table: &'b SnapshotTable,
    partitions: &'b [Arc<Partition>],
}

impl Bounds<'_> {
    fn values(&self, column: &Column, upper: bool) -> Option<ArrayRef> {
        let schema = &self.table.version.schema;
        let data_type = schema.columns[schema.index_of(&column.name)?]
            .doris_type
            .compute_type();
        let scalars: Vec<ScalarValue> = self
            .partitions
            .iter()
            .map(|partition| {
                let ends = min_max(schema, &partition.bound, &column.name);
                let end = ends.and_then(|(min, max)| if upper { max } else { min });
                match end {
                    Some(array) => ScalarValue::try_from_array(&array, 0),
                    None => ScalarValue::try_from(&data_type),
                }
            })
            .collect::<Result<_>>()
            .ok()?;
        ScalarValue::iter_to_array(scalars).ok()
    }
}

impl PruningStatistics for Bounds<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        self.values(column, false)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.values(column, true)
    }

    fn num_containers(&self) -> usize {
        self.partitions.len()
    }

    /// NULL may be in any partition as far as its bounds show.
    fn null_counts(&self, _column: &Column) -> Option<ArrayRef> {
        None
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        let rows = self
            .partitions
            .iter()
            .map(|p| p.tablets.iter().map(|t| t.rows() as u64).sum::<u64>());
        Some(Arc::new(UInt64Array::from_iter_values(rows)))
    }

    fn contained(&self, _column: &Column, _values: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}

/// The snapshot behind a provider, if it is one.
pub fn as_snapshot(provider: &dyn TableProvider) -> Option<&SnapshotTable> {
    (provider as &dyn Any).downcast_ref()
}
