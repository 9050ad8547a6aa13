//! Which tablets a query reads, for the front end's `_query_plan` call.

use arrow_array::ArrayRef;
use datafusion::common::ScalarValue;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{BinaryExpr, Distinct, Expr, LogicalPlan, Operator, TableScan};

use super::lexer::statements;
use super::provider::as_snapshot;
use super::query::plan_error;
use crate::error::SqlError;
use crate::sql::engine::{Engine, Session, TabletRoute};
use crate::store::schema::{Distribution, TableSchema};
use crate::store::tablet::route::bucket_hashes;
use crate::values::from_compute;

/// Combinations of values in the distribution columns up to which buckets are pruned.
const MOST_KEYS: usize = 1000;

/// Why tablets are not planned.
#[derive(Debug)]
pub enum PlanRefused {
    /// The query is more than a scan of the one table with filters.
    Shape(SqlError),
    /// The query cannot be planned at all.
    Query(SqlError),
}

impl From<SqlError> for PlanRefused {
    fn from(error: SqlError) -> Self {
        Self::Query(error)
    }
}

impl Engine {
    /// The tablets that a single-table query reads, for `_query_plan`: partitions that never got rows are left out,
    /// the others pruned by the predicate, and their buckets where it fixes the distribution columns. Anything but a
    /// scan of that one table with filters, with or without `DISTINCT`, is refused.
    pub async fn plan_tablets(
        &self,
        session: &Session,
        database: &str,
        table: &str,
        sql: &str,
    ) -> Result<Vec<TabletRoute>, PlanRefused> {
        let database = self.database_of(session, Some(database.to_string()))?;
        let found = self.catalog().table(&database, table)?;
        let mut inner = session.clone();
        inner.database = Some(database);
        let parsed = statements(sql)?;
        let [statement] = parsed.as_slice() else {
            return Err(only_single_table());
        };
        let planned = self.plan(&inner, statement).await?;
        let optimised = planned
            .state()
            .optimize(&planned.plan)
            .map_err(|e| plan_error(&e))?;
        let Some(scan) = single_scan(&planned.plan) else {
            return Err(only_single_table());
        };
        let provider = source_as_provider(&scan.source).map_err(|e| plan_error(&e))?;
        let Some(snapshot) = as_snapshot(provider.as_ref()) else {
            return Err(only_single_table());
        };
        let is_other = {
            let own = self.version_at(session, &found);
            let first = |v: &crate::store::tablet::TableVersion| v.partitions.first().map(|p| p.id);
            // A table that makes its partitions itself may have had none a moment ago.
            first(snapshot.version()).is_some_and(|id| Some(id) != first(&own))
        };
        if is_other || !snapshot.place().table.eq(table) {
            return Err(PlanRefused::Shape(SqlError::plain(format!(
                "requested database and table must consistent with sql: request [ {table}], and sql [{}]",
                snapshot.place().table
            ))));
        }
        // An empty relation is what is left when no row can meet the filters.
        let Some(scan) = optimised_scan(&optimised) else {
            return Ok(Vec::new());
        };
        let partitions = snapshot
            .pruned(planned.state(), &scan.filters)
            .map_err(|e| plan_error(&e))?;
        let hashes = fixed_hashes(&snapshot.version().schema, &scan.filters)?;
        let mut routes = Vec::new();
        for partition in partitions.iter().filter(|partition| partition.version > 1) {
            let buckets = partition.tablets.len() as u64;
            let bucket_of = |id| partition.tablets.iter().position(|tablet| tablet.id == id);
            let read = |id| match &hashes {
                None => true,
                Some(hashes) => hashes
                    .iter()
                    .any(|hash| bucket_of(id) == usize::try_from(hash % buckets).ok()),
            };
            for tablet in snapshot.place().chosen_tablets(partition) {
                if read(tablet.id) {
                    routes.push(TabletRoute {
                        tablet_id: tablet.id,
                        backend_index: tablet.backend_index,
                        version: partition.version,
                    });
                }
            }
        }
        Ok(routes)
    }
}

fn only_single_table() -> PlanRefused {
    PlanRefused::Shape(SqlError::plain(
        "only support single table filter-prune-scan, but found a query with more",
    ))
}

/// The scan below projections, filters and `DISTINCT`; `None` when anything else is in the way.
fn single_scan(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(scan),
        LogicalPlan::Projection(node) => single_scan(&node.input),
        LogicalPlan::Filter(node) => single_scan(&node.input),
        LogicalPlan::SubqueryAlias(node) => single_scan(&node.input),
        LogicalPlan::Distinct(Distinct::All(input)) => single_scan(input),
        _ => None,
    }
}

fn optimised_scan(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(scan),
        other => other.inputs().into_iter().find_map(optimised_scan),
    }
}

/// The hashes of all keys that rows which meet the filters can have in the distribution columns; `None` when the
/// filters leave one of those columns open.
fn fixed_hashes(schema: &TableSchema, filters: &[Expr]) -> Result<Option<Vec<u64>>, SqlError> {
    let Distribution::Hash(names) = &schema.distribution else {
        return Ok(None);
    };
    let mut columns: Vec<Vec<ScalarValue>> = Vec::new();
    for name in names {
        match filters.iter().find_map(|filter| values_of(filter, name)) {
            Some(values) => columns.push(values),
            None => return Ok(None),
        }
    }
    let keys: usize = columns.iter().map(Vec::len).product();
    if keys > MOST_KEYS {
        return Ok(None);
    }
    let mut arrays: Vec<ArrayRef> = Vec::new();
    let mut repeat = 1;
    for (name, values) in names.iter().zip(&columns) {
        let Some(column) = schema.index_of(name).map(|index| &schema.columns[index]) else {
            return Ok(None);
        };
        // A literal of another type may equal values that are hashed in another way.
        let compute = column.doris_type.compute_type();
        if values.iter().any(|value| value.data_type() != compute) {
            return Ok(None);
        }
        let row = |row: usize| values[row / repeat % values.len()].clone();
        let array = ScalarValue::iter_to_array((0..keys).map(row)).map_err(SqlError::plain)?;
        arrays.push(from_compute(&column.doris_type, &array));
        repeat *= values.len();
    }
    bucket_hashes(&arrays, keys).map(Some)
}

/// The values that a filter leaves a column: of `column = literal` and `column IN (literal, …)`, `OR` of them, too.
fn values_of(filter: &Expr, name: &str) -> Option<Vec<ScalarValue>> {
    let is_column = |expr: &Expr| matches!(expr, Expr::Column(column) if column.name == name);
    let literal = |expr: &Expr| match expr {
        Expr::Literal(value, _) => Some(value.clone()),
        _ => None,
    };
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::Eq if is_column(left) => Some(vec![literal(right)?]),
            Operator::Eq if is_column(right) => Some(vec![literal(left)?]),
            Operator::And => values_of(left, name).or_else(|| values_of(right, name)),
            Operator::Or => {
                let mut values = values_of(left, name)?;
                values.extend(values_of(right, name)?);
                Some(values)
            }
            _ => None,
        },
        Expr::InList(list) if !list.negated && is_column(&list.expr) => {
            list.list.iter().map(literal).collect()
        }
        _ => None,
    }
}
