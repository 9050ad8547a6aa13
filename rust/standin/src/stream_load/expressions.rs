//! Expressions over the rows of a load: planned once with Doris' functions, then run block by block.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{Field, Schema, SchemaRef};
use datafusion::catalog::{MemTable, TableProvider};
use datafusion::common::{DFSchema, ToDFSchema};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;

use crate::error::SqlError;
use crate::sql::engine::{Engine, Session};
use crate::sql::lexer::statements;
use crate::sql::query::{plan_error, stored_column};
use crate::values::types::DorisType;
use crate::values::zone::Zone;

/// The relation that the expressions are over.
const ROWS: &str = "__load_rows";

/// A column that expressions may name.
#[derive(Debug, Clone)]
pub(super) struct Input {
    /// Name; compared without regard to case.
    pub name: String,
    /// Type.
    pub doris_type: DorisType,
}

/// Expressions over the same columns.
pub(super) struct Expressions {
    schema: SchemaRef,
    inputs: Vec<Input>,
    outputs: Vec<(DorisType, Arc<dyn PhysicalExpr>)>,
    needed: BTreeSet<usize>,
    zone: Zone,
}

impl Expressions {
    /// Plans expressions. The error is what Doris' planner would say.
    pub(super) async fn plan(
        engine: &Engine,
        session: &Session,
        inputs: Vec<Input>,
        texts: &[String],
    ) -> Result<Self, SqlError> {
        let fields: Vec<Field> = inputs
            .iter()
            .map(|input| input.doris_type.compute_field(&input.name.to_lowercase(), true))
            .collect();
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let table = MemTable::try_new(Arc::clone(&schema), vec![Vec::new()]).map_err(SqlError::plain)?;
        let own: HashMap<String, Arc<dyn TableProvider>> =
            HashMap::from([(ROWS.to_string(), Arc::new(table) as Arc<dyn TableProvider>)]);
        let list: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| format!("({text}) AS `__e{at}`"))
            .collect();
        let sql = format!("SELECT {} FROM `{ROWS}`", list.join(", "));
        let parsed = statements(&sql)?;
        let [statement] = parsed.as_slice() else {
            return Err(SqlError::syntax("an expression is expected"));
        };
        let planned = engine.plan_with(session, statement, own, 0).await?;
        let types: Vec<DorisType> = planned.columns().into_iter().map(|c| c.doris_type).collect();
        let LogicalPlan::Projection(projection) = &planned.plan else {
            return Err(SqlError::plain("only plain expressions may derive columns"));
        };
        if !is_scan(&projection.input) || projection.expr.len() != texts.len() {
            return Err(SqlError::plain("only plain expressions may derive columns"));
        }
        let df_schema = Arc::clone(&schema).to_dfschema().map_err(SqlError::plain)?;
        let outputs = projection
            .expr
            .iter()
            .zip(types)
            .map(|(expr, doris_type)| {
                let expr = unnormalize_col(expr.clone()).unalias();
                let physical = physical(planned.state(), expr, &df_schema).map_err(|e| plan_error(&e))?;
                Ok((doris_type, physical))
            })
            .collect::<Result<Vec<_>, SqlError>>()?;
        let needed = outputs
            .iter()
            .flat_map(|(_, expr)| collect_columns(expr))
            .map(|column| column.index())
            .collect();
        Ok(Self {
            schema,
            inputs,
            outputs,
            needed,
            zone: engine.zone(session),
        })
    }

    /// Results for a block of rows, in stored form. `input` gives a named column in the form that expressions are
    /// computed in; only columns that an expression uses are read.
    pub(super) fn run(
        &self,
        rows: usize,
        mut input: impl FnMut(usize, &Input) -> ArrayRef,
    ) -> Result<Vec<(DorisType, ArrayRef)>, SqlError> {
        let columns = self
            .inputs
            .iter()
            .enumerate()
            .map(|(at, column)| match self.needed.contains(&at) {
                true => input(at, column),
                false => new_null_array(self.schema.field(at).data_type(), rows),
            })
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(SqlError::plain)?;
        self.outputs
            .iter()
            .map(|(doris_type, expr)| {
                let array = expr
                    .evaluate(&batch)
                    .and_then(|value| value.into_array(rows))
                    .map_err(|e| plan_error(&e))?;
                debug_assert_eq!(array.len(), rows);
                Ok((doris_type.clone(), stored_column(&array, doris_type, &self.zone)?))
            })
            .collect()
    }
}

/// The expression ready to run. Some functions are only names for others and are put in their place first.
fn physical(
    state: &SessionState,
    expr: Expr,
    schema: &DFSchema,
) -> datafusion::common::Result<Arc<dyn PhysicalExpr>> {
    let context = SimplifyContext::builder()
        .with_schema(Arc::new(schema.clone()))
        .with_config_options(Arc::clone(state.config_options()))
        .build();
    let simplifier = ExprSimplifier::new(context);
    let expr = simplifier.simplify(simplifier.coerce(expr, schema)?)?;
    state.create_physical_expr(expr, schema)
}

fn is_scan(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::SubqueryAlias(alias) => is_scan(&alias.input),
        _ => false,
    }
}
