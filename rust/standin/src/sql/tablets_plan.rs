//! Which tablets a query reads, for the front end's `_query_plan` call.

use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{LogicalPlan, TableScan};

use super::lexer::statements;
use super::provider::as_snapshot;
use super::query::plan_error;
use crate::catalog::Relation;
use crate::engine::{Engine, Session, SqlError, TabletRoute};

impl Engine {
    /// The tablets that a single-table query reads, pruned by its predicate, for `_query_plan`. Anything but a scan
    /// of that one table with filters is an error.
    pub async fn plan_tablets(
        &self,
        session: &Session,
        database: &str,
        table: &str,
        sql: &str,
    ) -> Result<Vec<TabletRoute>, SqlError> {
        let database = self.database_of(session, Some(database.to_string()))?;
        let found = match self.catalog().relation(&database, table)? {
            Relation::Table(found) => found,
            Relation::View(_) => return Err(only_single_table()),
        };
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
        let Some(scan) = single_scan(&planned.plan)? else {
            return Err(only_single_table());
        };
        let provider = source_as_provider(&scan.source).map_err(|e| plan_error(&e))?;
        let Some(snapshot) = as_snapshot(provider.as_ref()) else {
            return Err(only_single_table());
        };
        let is_other = {
            let own = self.version_at(session, &found);
            let first = |v: &crate::tablet::TableVersion| v.partitions.first().map(|p| p.id);
            first(&own) != first(snapshot.version())
        };
        if is_other || !snapshot.place().table.eq(table) {
            return Err(SqlError::plain(format!(
                "requested database and table must consistent with sql: request [ {table}], and sql [{}]",
                snapshot.place().table
            )));
        }
        // An empty relation is what is left when no row can meet the filters.
        let Some(scan) = optimised_scan(&optimised) else {
            return Ok(Vec::new());
        };
        let partitions = snapshot
            .pruned(planned.state(), &scan.filters)
            .map_err(|e| plan_error(&e))?;
        let mut routes = Vec::new();
        for partition in partitions {
            for tablet in snapshot.place().chosen_tablets(&partition) {
                routes.push(TabletRoute {
                    tablet_id: tablet.id,
                    backend_index: tablet.backend_index,
                    version: partition.version,
                });
            }
        }
        Ok(routes)
    }
}

fn only_single_table() -> SqlError {
    SqlError::plain("only support single table filter-prune-scan, but found a query with more")
}

/// The scan below projections and filters; an error when anything else is in the way.
fn single_scan(plan: &LogicalPlan) -> Result<Option<&TableScan>, SqlError> {
    match plan {
        LogicalPlan::TableScan(scan) => Ok(Some(scan)),
        LogicalPlan::Projection(node) => single_scan(&node.input),
        LogicalPlan::Filter(node) => single_scan(&node.input),
        LogicalPlan::SubqueryAlias(node) => single_scan(&node.input),
        LogicalPlan::Limit(node) => single_scan(&node.input),
        _ => Ok(None),
    }
}

fn optimised_scan(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(scan),
        other => other.inputs().into_iter().find_map(optimised_scan),
    }
}
