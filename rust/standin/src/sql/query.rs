//! Queries: planned by DataFusion over snapshots, streamed in stored form with their Doris types.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use datafusion::catalog::memory::{MemoryCatalogProvider, MemoryCatalogProviderList, MemorySchemaProvider};
use datafusion::catalog::view::ViewTable;
use datafusion::catalog::{CatalogProvider, CatalogProviderList, SchemaProvider, TableProvider};
use datafusion::common::TableReference;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::execution::FunctionRegistry;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::prelude::SessionConfig;
use datafusion::sql::parser::Statement as DfStatement;
use datafusion::sql::sqlparser::ast::Statement as Ast;
use datafusion::sql::sqlparser::dialect::MySqlDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::Token;
use futures::StreamExt;
use futures::stream::BoxStream;

use super::ast::{OutputColumn, normalise};
use super::coerce::{JSON_COMPARED, coerce};
use super::functions::{self, Surroundings};
use super::lexer::{Statement, statements};
use super::provider::SnapshotTable;
use super::relation::Place;
use super::result_types::column_type;
use super::rewrite::{Lifted, Rewritten, lifted_name, rewrite};
use super::tables::numbers_table;
use crate::cluster::clock::Tso;
use crate::error::SqlError;
use crate::sql::engine::{Engine, ResultColumn, Rows, Session};
use crate::store::catalog::{Relation, View, is_built_in};
use crate::values::types::{DorisType, NAME_KEY};
use crate::values::zone::Zone;
use crate::values::{cast_array, from_compute};

/// Name of the one catalog.
const CATALOG: &str = "internal";
/// Name of the schema that plain names belong to when no database is chosen.
const NO_DATABASE: &str = "__none";
/// Depth of views over views.
const MAX_VIEW_DEPTH: usize = 32;

/// What all queries have in common.
pub struct Planner {
    base: SessionState,
}

impl Planner {
    /// Built once: it holds some hundred functions.
    pub fn new() -> Self {
        let mut config = SessionConfig::new()
            .with_target_partitions(1)
            .with_batch_size(crate::store::tablet::BATCH_ROWS)
            .with_information_schema(false)
            .with_create_default_catalog_and_schema(false);
        let options = config.options_mut();
        options.sql_parser.enable_ident_normalization = false;
        options.sql_parser.parse_float_as_decimal = true;
        options.sql_parser.map_string_types_to_utf8view = false;
        options.sql_parser.default_null_ordering = "nulls_min".into();
        // Fields carry their Doris type as metadata, which aggregates drop.
        options.execution.skip_physical_aggregate_schema_check = true;
        let base = SessionStateBuilder::new()
            .with_config(config)
            .with_default_features()
            .build();
        Self { base }
    }
}

impl Default for Planner {
    fn default() -> Self {
        Self::new()
    }
}

/// Rows as they come, in stored form.
pub struct QueryStream {
    /// Columns in order.
    pub columns: Vec<ResultColumn>,
    /// Batches whose Arrow types are those of the columns.
    pub batches: BoxStream<'static, Result<RecordBatch, SqlError>>,
}

impl QueryStream {
    /// All rows. An empty result has no batch.
    pub async fn collect(mut self) -> Result<Rows, SqlError> {
        let mut batches = Vec::new();
        while let Some(batch) = self.batches.next().await {
            let batch = batch?;
            if batch.num_rows() > 0 {
                batches.push(batch);
            }
            tokio::task::yield_now().await;
        }
        Ok(Rows {
            columns: self.columns,
            batches,
        })
    }
}

/// A query planned but not run.
pub struct Planned {
    state: SessionState,
    /// The logical plan, coerced.
    pub plan: LogicalPlan,
    /// Names of the outermost select list; empty where they are not known.
    shown: Vec<OutputColumn>,
    zone: Zone,
}

impl Engine {
    /// Rows of a query text.
    pub(crate) async fn query_stream(&self, session: &Session, sql: &str) -> Result<QueryStream, SqlError> {
        match statements(sql)?.as_slice() {
            [statement] => self.statement_stream(session, statement).await,
            _ => Err(SqlError::syntax("one query is expected")),
        }
    }

    /// Rows of a query.
    pub(crate) async fn statement_stream(
        &self,
        session: &Session,
        statement: &Statement,
    ) -> Result<QueryStream, SqlError> {
        if let Some(stream) = self.plain_scan(session, statement)? {
            return Ok(stream);
        }
        self.plan(session, statement).await?.stream().await
    }

    /// Plans a query.
    pub(crate) async fn plan(&self, session: &Session, statement: &Statement) -> Result<Planned, SqlError> {
        self.plan_with(session, statement, HashMap::new(), 0).await
    }

    /// Plans a query with relations of its own, by the name that the query gives them.
    pub(crate) async fn plan_with(
        &self,
        session: &Session,
        statement: &Statement,
        own: HashMap<String, Arc<dyn TableProvider>>,
        depth: usize,
    ) -> Result<Planned, SqlError> {
        let variables = |name: &str| self.system_variable(session, name);
        let Rewritten {
            tokens,
            mut lifted,
            items,
        } = rewrite(statement, &variables)?;
        self.drop_ignored_incr(session, &mut lifted);
        let mut ast = parse(tokens)?;
        self.prepare_changes(&mut ast, &lifted);
        let shown = normalise(&mut ast, &items);
        let surroundings = Surroundings {
            zone: self.zone(session),
            now_micros: self.catalog().clock.now_micros(),
            database: session.database.clone(),
            user: session.user.clone(),
            connection: session.id,
            version: self.variable(session, "version").unwrap_or_default(),
        };
        let now = self.catalog().clock.current();
        let zone = surroundings.zone;
        let catalog = Arc::new(MemoryCatalogProvider::new());
        let default = session.database.clone().unwrap_or_else(|| NO_DATABASE.into());
        let state = self.state(&catalog, &default, surroundings)?;
        let statement = DfStatement::Statement(Box::new(ast));
        let references = state
            .resolve_table_references(&statement)
            .map_err(|e| plan_error(&e))?;
        for reference in references {
            let schema = reference.schema().unwrap_or(&default).to_string();
            let table = reference.table().to_string();
            let provider = match own.get(&table) {
                Some(provider) => Arc::clone(provider),
                None => self.provider(session, &reference, &lifted, now, depth).await?,
            };
            register(&catalog, &schema, table, provider)?;
        }
        let plan = state
            .statement_to_plan(statement)
            .await
            .map_err(|e| plan_error(&e))?;
        let plan = coerce(plan, &zone, self.switches().in_compares_texts).map_err(|e| plan_error(&e))?;
        Ok(Planned {
            state,
            plan,
            shown,
            zone,
        })
    }

    fn state(
        &self,
        catalog: &Arc<MemoryCatalogProvider>,
        schema: &str,
        surroundings: Surroundings,
    ) -> Result<SessionState, SqlError> {
        let list = Arc::new(MemoryCatalogProviderList::new());
        list.register_catalog(CATALOG.into(), Arc::clone(catalog) as Arc<dyn CatalogProvider>);
        let base = &self.planner().base;
        let config = base
            .config()
            .clone()
            .with_default_catalog_and_schema(CATALOG, schema);
        let mut state = SessionStateBuilder::new_from_existing(base.clone())
            .with_config(config)
            .with_catalog_list(list)
            .build();
        let surroundings = Arc::new(surroundings);
        for function in functions::scalar(&surroundings) {
            state
                .register_udf(Arc::new(function))
                .map_err(|e| plan_error(&e))?;
        }
        Ok(state)
    }

    async fn provider(
        &self,
        session: &Session,
        reference: &TableReference,
        lifted: &[Lifted],
        now: Tso,
        depth: usize,
    ) -> Result<Arc<dyn TableProvider>, SqlError> {
        let table = reference.table();
        if let Some(number) = (0..lifted.len()).find(|n| lifted_name(*n) == table) {
            return match &lifted[number] {
                Lifted::Numbers(count) => numbers_table(*count),
                Lifted::Place(place) => self.place_provider(session, place.clone(), now, depth).await,
            };
        }
        let place = Place {
            database: reference.schema().map(ToString::to_string),
            table: table.to_string(),
            ..Place::default()
        };
        self.place_provider(session, place, now, depth).await
    }

    async fn place_provider(
        &self,
        session: &Session,
        place: Place,
        now: Tso,
        depth: usize,
    ) -> Result<Arc<dyn TableProvider>, SqlError> {
        let database = self.database_of(session, place.database.clone())?;
        if is_built_in(&database) && place.incr.is_none() {
            return self.information_table(&database, &place.table);
        }
        match self.catalog().relation(&database, &place.table)? {
            Relation::Table(table) => {
                if let Some(incr) = &place.incr {
                    return self.changes_table(session, &table, &place, incr, now).await;
                }
                let version = self.version_at(session, &table);
                if !self.switches().unknown_tablets_ignored {
                    place.check_tablets(&version)?;
                }
                Ok(SnapshotTable::new(version, place, false)?)
            }
            Relation::View(_)
                if place
                    != (Place {
                        database: place.database.clone(),
                        table: place.table.clone(),
                        ..Place::default()
                    }) =>
            {
                Err(SqlError::plain(format!(
                    "{} is a view: it has neither tablets nor partitions",
                    place.table
                )))
            }
            Relation::View(view) => {
                let plan = Box::pin(self.view_plan(session, &view, depth + 1)).await?;
                Ok(Arc::new(ViewTable::new(plan, None)))
            }
        }
    }

    async fn view_plan(&self, session: &Session, view: &View, depth: usize) -> Result<LogicalPlan, SqlError> {
        if depth > MAX_VIEW_DEPTH {
            return Err(SqlError::plain("views are nested too deep"));
        }
        let mut session = session.clone();
        session.database = Some(view.database.clone());
        let parsed = statements(&view.query)?;
        let [statement] = parsed.as_slice() else {
            return Err(SqlError::syntax("a view is one query"));
        };
        let planned = self.plan_with(&session, statement, HashMap::new(), depth).await?;
        let shown = planned.columns();
        let names = shown.into_iter().map(|c| c.name);
        let columns = planned.plan.schema().columns();
        let exprs = columns.into_iter().zip(names).map(|(column, name)| {
            let metadata = [(NAME_KEY.to_string(), name.clone())].into();
            let inner = datafusion::logical_expr::Expr::Column(column);
            let keep = planned.field_metadata(&inner);
            inner.alias_with_metadata(name.to_lowercase(), Some(merge(keep, metadata)))
        });
        LogicalPlanBuilder::from(planned.plan.clone())
            .project(exprs.collect::<Vec<_>>())
            .and_then(LogicalPlanBuilder::build)
            .map_err(|e| plan_error(&e))
    }

    /// Columns of a view's query.
    pub(crate) async fn view_columns(
        &self,
        session: &Session,
        view: &View,
    ) -> Result<Vec<ResultColumn>, SqlError> {
        let mut inner = session.clone();
        inner.database = Some(view.database.clone());
        let parsed = statements(&view.query)?;
        let [statement] = parsed.as_slice() else {
            return Err(SqlError::syntax("a view is one query"));
        };
        Ok(Box::pin(self.plan(&inner, statement)).await?.columns())
    }
}

fn merge(
    mut keep: HashMap<String, String>,
    add: HashMap<String, String>,
) -> datafusion::common::metadata::FieldMetadata {
    keep.extend(add);
    keep.into_iter()
        .collect::<std::collections::BTreeMap<_, _>>()
        .into()
}

fn register(
    catalog: &Arc<MemoryCatalogProvider>,
    schema: &str,
    table: String,
    provider: Arc<dyn TableProvider>,
) -> Result<(), SqlError> {
    let found = match catalog.schema(schema) {
        Some(found) => found,
        None => {
            let made: Arc<dyn SchemaProvider> = Arc::new(MemorySchemaProvider::new());
            catalog
                .register_schema(schema, Arc::clone(&made))
                .map_err(|e| plan_error(&e))?;
            made
        }
    };
    if found.table_exist(&table) {
        return Ok(());
    }
    found
        .register_table(table, provider)
        .map(drop)
        .map_err(|e| plan_error(&e))
}

fn parse(tokens: Vec<Token>) -> Result<Ast, SqlError> {
    let dialect = MySqlDialect {};
    let mut parser = Parser::new(&dialect).with_tokens(tokens);
    let ast = parser
        .parse_statement()
        .map_err(|e| SqlError::syntax(e.to_string()))?;
    let left = parser.peek_token();
    if left.token != Token::EOF {
        return Err(SqlError::syntax(format!(
            "mismatched input '{}' expecting <EOF>",
            left.token
        )));
    }
    match ast {
        Ast::Query(_) => Ok(ast),
        other => Err(SqlError::syntax(format!("this is no query: {other}"))),
    }
}

impl Planned {
    /// Columns of the result.
    pub fn columns(&self) -> Vec<ResultColumn> {
        let fields = self.plan.schema().fields();
        let names = output_names(&self.shown, fields.len());
        fields
            .iter()
            .enumerate()
            .map(|(at, field)| ResultColumn {
                name: names[at].clone().unwrap_or_else(|| declared_name(field)),
                doris_type: column_type(&self.plan, at),
                nullable: field.is_nullable(),
            })
            .collect()
    }

    /// The state that the query was planned in.
    pub fn state(&self) -> &SessionState {
        &self.state
    }

    fn field_metadata(&self, expr: &datafusion::logical_expr::Expr) -> HashMap<String, String> {
        use datafusion::logical_expr::ExprSchemable;
        expr.to_field(self.plan.schema().as_ref())
            .map(|(_, f)| f.metadata().clone())
            .unwrap_or_default()
    }

    /// Runs the query.
    pub async fn stream(self) -> Result<QueryStream, SqlError> {
        let columns = self.columns();
        let fields: Vec<Field> = columns
            .iter()
            .map(|c| Field::new(&c.name, c.doris_type.arrow_type(), true))
            .collect();
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let types: Vec<DorisType> = columns.iter().map(|c| c.doris_type.clone()).collect();
        let zone = self.zone;
        let stream = DataFrame::new(self.state, self.plan)
            .execute_stream()
            .await
            .map_err(|e| plan_error(&e))?;
        let batches = stream.map(move |batch| {
            let batch = batch.map_err(|e| plan_error(&e))?;
            stored(&batch, &types, &schema, &zone)
        });
        Ok(QueryStream {
            columns,
            batches: batches.boxed(),
        })
    }
}

/// A computed batch in stored form.
fn stored(
    batch: &RecordBatch,
    types: &[DorisType],
    schema: &SchemaRef,
    zone: &Zone,
) -> Result<RecordBatch, SqlError> {
    let columns = batch
        .columns()
        .iter()
        .zip(types)
        .map(|(array, doris_type)| stored_column(array, doris_type, zone))
        .collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(SqlError::plain)
}

/// A computed column in stored form.
pub(crate) fn stored_column(
    array: &ArrayRef,
    doris_type: &DorisType,
    zone: &Zone,
) -> Result<ArrayRef, SqlError> {
    let target = doris_type.arrow_type();
    let array = from_compute(doris_type, array);
    if array.data_type() == &target {
        return Ok(array);
    }
    match arrow_cast::cast(&array, &target) {
        Ok(array) => Ok(array),
        Err(_) => cast_array(
            &DorisType::of_arrow(array.data_type()),
            doris_type,
            &array,
            zone,
            true,
        )
        .map_err(|e| SqlError::plain(e.message)),
    }
}

/// Names by position; `None` for what wildcards gave.
fn output_names(shown: &[OutputColumn], width: usize) -> Vec<Option<String>> {
    let mut names = vec![None; width];
    let wildcards = shown.iter().filter(|s| **s == OutputColumn::Wildcard).count();
    let name = |shown: &OutputColumn| match shown {
        OutputColumn::Name(name) => Some(name.clone()),
        OutputColumn::Wildcard => None,
    };
    if wildcards == 0 {
        if shown.len() == width {
            names = shown.iter().map(name).collect();
        }
        return names;
    }
    for (at, item) in shown
        .iter()
        .take_while(|s| **s != OutputColumn::Wildcard)
        .enumerate()
    {
        names[at] = name(item);
    }
    for (back, item) in shown
        .iter()
        .rev()
        .take_while(|s| **s != OutputColumn::Wildcard)
        .enumerate()
    {
        if let Some(slot) = width.checked_sub(back + 1) {
            names[slot] = name(item);
        }
    }
    names
}

fn declared_name(field: &Field) -> String {
    match field.metadata().get(NAME_KEY) {
        Some(name) if name.to_lowercase() == *field.name() => name.clone(),
        _ => field.name().clone(),
    }
}

/// DataFusion's error in Doris' shape.
pub(crate) fn plan_error(error: &DataFusionError) -> SqlError {
    match error.find_root() {
        DataFusionError::SchemaError(schema_error, _) => {
            use datafusion::common::SchemaError;
            match schema_error.as_ref() {
                SchemaError::FieldNotFound { field, .. } => {
                    SqlError::plain(format!("Unknown column '{}' in 'table list'", field.name))
                }
                other => SqlError::plain(other),
            }
        }
        DataFusionError::Plan(text) if text.contains("Invalid function") => {
            let name = text.split('\'').nth(1).unwrap_or_default();
            SqlError::plain(format!("Can not found function '{name}'"))
        }
        DataFusionError::Plan(text) if text.starts_with(JSON_COMPARED) => SqlError::plain(text),
        root => SqlError::plain(root.strip_backtrace()),
    }
}
