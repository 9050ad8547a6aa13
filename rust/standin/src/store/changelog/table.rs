//! The changes of a window as a relation that expressions run over.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef, SortOptions};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};

use super::merge::Run;
use super::stream::{Batches, Changes, Meta};
use super::window::IncrementType;
use crate::profile::changelog::OpType;
use crate::profile::{NameSet, Switches};
use crate::store::schema::TableSchema;
use crate::store::tablet::Tablet;
use crate::values::types::{DorisType, NAME_KEY};

/// The hidden columns that a server has: name, what they hold, type.
fn hidden_columns(switches: &Switches) -> Vec<(String, Meta, DorisType)> {
    let families: &[&str] = match switches.changelog_names {
        NameSet::Changelog => &["CHANGELOG"],
        NameSet::Binlog => &["BINLOG"],
        NameSet::Both => &["CHANGELOG", "BINLOG"],
    };
    let op = match switches.change.op_type {
        OpType::Int8 => DorisType::TinyInt,
        OpType::Int64 => DorisType::BigInt,
    };
    let of_family = |family: &&str| {
        [
            (format!("__DORIS_{family}_TSO__"), Meta::Tso, DorisType::BigInt),
            (format!("__DORIS_{family}_LSN__"), Meta::Lsn, DorisType::BigInt),
            (format!("__DORIS_{family}_OP__"), Meta::Op, op.clone()),
        ]
    };
    families.iter().flat_map(of_family).collect()
}

/// Names of the hidden columns, in lower case: `*` leaves them out.
pub(crate) fn hidden_names(switches: &Switches) -> Vec<String> {
    let columns = hidden_columns(switches).into_iter();
    columns.map(|(name, ..)| name.to_lowercase()).collect()
}

/// Changes of some tablets within a window.
#[derive(Debug)]
pub struct ChangesTable {
    changes: Arc<Changes>,
    schema: SchemaRef,
}

impl ChangesTable {
    /// The changes with stamps in the range. `ordered`: in the order of stamp, number and operation, else tablet by tablet.
    pub fn new<'t>(
        schema: &Arc<TableSchema>,
        tablets: impl Iterator<Item = &'t Arc<Tablet>>,
        stamps: Range<u64>,
        increment: IncrementType,
        ordered: bool,
        switches: &Switches,
    ) -> Self {
        let signed = |stamp: u64| i64::try_from(stamp).unwrap_or(i64::MAX);
        let (lower, upper) = (signed(stamps.start), signed(stamps.end));
        let mut runs = Vec::new();
        let mut of_tablets = Vec::new();
        for tablet in tablets {
            let first = runs.len();
            for chunk in tablet.changes.chunks() {
                let rows = chunk.range(lower, upper);
                if !rows.is_empty() {
                    let chunk = Arc::clone(chunk);
                    runs.push(Run { chunk, rows });
                }
            }
            of_tablets.push(first..runs.len());
        }
        let columns = hidden_columns(switches);
        let mut fields: Vec<Arc<Field>> = schema.compute_schema().fields().iter().cloned().collect();
        for (field, _) in fields
            .iter_mut()
            .zip(&schema.columns)
            .filter(|(_, column)| !column.key)
        {
            // Without before images a deletion carries its key alone.
            *field = Arc::new(field.as_ref().clone().with_nullable(true));
        }
        for (name, _, doris_type) in &columns {
            let mut field = doris_type.compute_field(&name.to_lowercase(), false);
            field.metadata_mut().insert(NAME_KEY.into(), name.clone());
            fields.push(Arc::new(field));
        }
        Self {
            changes: Arc::new(Changes {
                schema: Arc::clone(schema),
                runs: runs.into(),
                tablets: of_tablets,
                increment,
                ordered,
                hidden: columns.iter().map(|(_, meta, _)| *meta).collect(),
            }),
            schema: Arc::new(Schema::new(fields)),
        }
    }

    /// The orders that rows with the projected columns are in: one for each family of names.
    fn orderings(&self, projection: &[usize]) -> Vec<LexOrdering> {
        if !self.changes.ordered {
            return Vec::new();
        }
        let width = self.changes.schema.columns.len();
        let families = self.changes.hidden.len() / 3;
        let of_family = |family: usize| {
            // Each column orders only what the one before it leaves open.
            let places = (0..3).map_while(|at| {
                let index = width + family * 3 + at;
                let place = projection.iter().position(|projected| *projected == index)?;
                let column = Column::new(self.schema.field(index).name(), place);
                Some(PhysicalSortExpr::new(Arc::new(column), SortOptions::default()))
            });
            LexOrdering::new(places)
        };
        (0..families).filter_map(of_family).collect()
    }
}

#[async_trait]
impl TableProvider for ChangesTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let projection = projection.unwrap_or(&all).clone();
        let schema = Arc::new(self.schema.project(&projection)?);
        let orderings = self.orderings(&projection);
        let stream: Arc<dyn PartitionStream> = Arc::new(ChangesStream {
            changes: Arc::clone(&self.changes),
            projection,
            schema: Arc::clone(&schema),
        });
        let exec = StreamingTableExec::try_new(schema, vec![stream], None, orderings, false, limit)?;
        Ok(Arc::new(exec))
    }
}

#[derive(Debug)]
struct ChangesStream {
    changes: Arc<Changes>,
    projection: Vec<usize>,
    schema: SchemaRef,
}

impl PartitionStream for ChangesStream {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let schema = Arc::clone(&self.schema);
        let batches = Batches::new(
            Arc::clone(&self.changes),
            self.projection.clone(),
            Arc::clone(&schema),
        );
        let batches = batches.map(|batch| batch.map_err(|error| DataFusionError::External(Box::new(error))));
        Box::pin(RecordBatchStreamAdapter::new(
            schema,
            futures::stream::iter(batches),
        ))
    }
}
