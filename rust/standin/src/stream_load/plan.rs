//! Where each column of the table comes from in a load.

use std::sync::Arc;

use super::LoadRefused;
use super::column_list::{self, Item};
use super::expressions::{Expressions, Input};
use super::parameters::{Merge, Parameters, Update};
use crate::error::SqlError;
use crate::sql::engine::{Engine, Session};
use crate::store::info::KeysType;
use crate::store::row_shape::{DELETE_SIGN, Partial, RowShape};
use crate::store::schema::{Column, DefaultValue, TableSchema};
use crate::values::types::DorisType;

/// Where a column of the table comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feed {
    /// The source column of this index.
    Source(usize),
    /// The derived column of this index.
    Derived(usize),
    /// Its default.
    Default,
    /// Numbers that the server counts up.
    Counter,
}

/// Which rows delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// None: the load has no delete sign.
    None,
    /// Those whose source column of this index is 1.
    Source(usize),
    /// Those whose derived column of this index is 1.
    Derived(usize),
    /// All.
    All,
    /// Those that meet the condition of `delete`.
    Condition,
}

/// What conditions on rows may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// A column of the table.
    Column(usize),
    /// A source column that the table does not have.
    Source(usize),
}

/// The way from the body's columns to the table's.
pub(super) struct Plan {
    /// Names of the body's columns: in order for CSV, by name for JSON and Arrow.
    pub sources: Vec<String>,
    /// Types that source columns have in expressions.
    pub source_types: Vec<DorisType>,
    /// For each column of the table.
    pub feeds: Vec<Feed>,
    /// Which rows delete.
    pub sign: Sign,
    /// Derived columns, over the source columns.
    pub derived: Option<Expressions>,
    /// `where`, over [`Self::named`].
    pub predicate: Option<Expressions>,
    /// `delete`, over [`Self::named`].
    pub condition: Option<Expressions>,
    /// What conditions may name.
    pub named: Vec<Named>,
    /// Shape of the rows that come out.
    pub shape: RowShape,
}

impl Plan {
    /// Plans a load into a table.
    pub(super) async fn make(
        engine: &Arc<Engine>,
        session: &Session,
        schema: &TableSchema,
        parameters: &Parameters,
        typed_sources: bool,
    ) -> Result<Self, LoadRefused> {
        let items = items(schema, parameters)?;
        let mut sources = Vec::new();
        let mut derived = Vec::new();
        for item in items {
            match item {
                Item::Source(name) => sources.push(name),
                Item::Derived(name, text) => derived.push((name, text)),
            }
        }
        check_update(schema, parameters)?;
        check_names(schema, &sources, &derived)?;
        let place = |name: &str| -> Option<Feed> {
            let same = |other: &str| other.eq_ignore_ascii_case(name);
            let derived = derived.iter().position(|(n, _)| same(n)).map(Feed::Derived);
            derived.or_else(|| sources.iter().position(|n| same(n)).map(Feed::Source))
        };
        let feeds: Vec<Feed> = schema
            .columns
            .iter()
            .map(|column| match place(&column.name) {
                Some(feed) => feed,
                None if column.auto_increment => Feed::Counter,
                None => Feed::Default,
            })
            .collect();
        let sign = match (&parameters.merge, place(DELETE_SIGN)) {
            (Merge::Delete, _) => Sign::All,
            (Merge::Matching(_), _) => Sign::Condition,
            (Merge::Append, Some(Feed::Derived(at))) => Sign::Derived(at),
            (Merge::Append, Some(Feed::Source(at))) => Sign::Source(at),
            (Merge::Append, _) => Sign::None,
        };
        let partial = partial(schema, parameters, &feeds)?;
        let unfed =
            schema.columns.iter().zip(&feeds).find(|(column, feed)| {
                **feed == Feed::Default && !column.nullable && column.default.is_none()
            });
        if let (None, Some((column, _))) = (&partial, unfed) {
            return Err(LoadRefused::analysis(format!(
                "column has no source field, column={}",
                column.name
            )));
        }
        let mut plan = Self {
            source_types: Vec::new(),
            feeds,
            derived: None,
            predicate: None,
            condition: None,
            named: named(schema, &sources),
            shape: RowShape {
                sign: sign != Sign::None,
                partial,
            },
            sign,
            sources,
        };
        let texts: Vec<String> = derived.into_iter().map(|(_, text)| text).collect();
        plan.plan_derived(engine, session, schema, &texts, typed_sources)
            .await?;
        let inputs = || plan.condition_inputs(schema);
        let one = |text: &String| std::slice::from_ref(text).to_vec();
        let predicate = match &parameters.predicate {
            Some(text) => Some(Expressions::plan(engine, session, inputs(), &one(text)).await?),
            None => None,
        };
        let condition = match &parameters.merge {
            Merge::Matching(text) => Some(Expressions::plan(engine, session, inputs(), &one(text)).await?),
            _ => None,
        };
        (plan.predicate, plan.condition) = (predicate, condition);
        Ok(plan)
    }

    /// Source columns are texts in expressions, as Doris reads them; where an expression does not take texts, those
    /// that bear a name of the table have its column's type.
    async fn plan_derived(
        &mut self,
        engine: &Arc<Engine>,
        session: &Session,
        schema: &TableSchema,
        texts: &[String],
        typed: bool,
    ) -> Result<(), SqlError> {
        let text_types = vec![DorisType::String; self.sources.len()];
        let own_types: Vec<DorisType> = self
            .sources
            .iter()
            .map(
                |name| match schema.index_of(name).map(|i| &schema.columns[i].doris_type) {
                    Some(own) if !own.is_opaque() => own.clone(),
                    _ => DorisType::String,
                },
            )
            .collect();
        let (first, second) = match typed {
            true => (own_types, text_types),
            false => (text_types, own_types),
        };
        self.source_types = first;
        if texts.is_empty() {
            return Ok(());
        }
        let mut derived = Expressions::plan(engine, session, self.source_inputs(), texts).await;
        if derived.is_err() {
            self.source_types = second;
            derived = Expressions::plan(engine, session, self.source_inputs(), texts).await;
        }
        self.derived = Some(derived?);
        Ok(())
    }

    fn source_inputs(&self) -> Vec<Input> {
        self.sources
            .iter()
            .zip(&self.source_types)
            .map(|(name, doris_type)| Input {
                name: name.clone(),
                doris_type: doris_type.clone(),
            })
            .collect()
    }

    fn condition_inputs(&self, schema: &TableSchema) -> Vec<Input> {
        self.named
            .iter()
            .map(|named| match named {
                Named::Column(index) => Input {
                    name: schema.columns[*index].name.clone(),
                    doris_type: schema.columns[*index].doris_type.clone(),
                },
                Named::Source(index) => Input {
                    name: self.sources[*index].clone(),
                    doris_type: self.source_types[*index].clone(),
                },
            })
            .collect()
    }
}

/// What the body holds and what is derived from it.
fn items(schema: &TableSchema, parameters: &Parameters) -> Result<Vec<Item>, LoadRefused> {
    if let Some(text) = &parameters.columns {
        return column_list::read(text).map_err(LoadRefused::analysis);
    }
    let mut items: Vec<Item> = schema
        .columns
        .iter()
        .map(|column| Item::Source(column.name.clone()))
        .collect();
    items.extend(parameters.hidden.iter().cloned().map(Item::Source));
    if parameters.update == Update::Flexible {
        items.push(Item::Source(DELETE_SIGN.into()));
    }
    Ok(items)
}

fn check_names(
    schema: &TableSchema,
    sources: &[String],
    derived: &[(String, String)],
) -> Result<(), LoadRefused> {
    let mut seen: Vec<String> = Vec::new();
    for name in sources {
        let lower = name.to_lowercase();
        if seen.contains(&lower) {
            return Err(LoadRefused::analysis(format!("Duplicate column: {name}")));
        }
        seen.push(lower);
    }
    let hidden = |name: &str| name.eq_ignore_ascii_case(DELETE_SIGN);
    let names = sources.iter().chain(derived.iter().map(|(name, _)| name));
    for name in names {
        let known = schema.index_of(name).is_some() || schema.keys_type == KeysType::Unique && hidden(name);
        // Other names of the body are at the disposal of expressions.
        let must =
            name.to_ascii_uppercase().starts_with("__DORIS_") || derived.iter().any(|(n, _)| n == name);
        if must && !known {
            return Err(LoadRefused::analysis(format!(
                "Unknown column '{name}' in the table"
            )));
        }
    }
    Ok(())
}

fn partial(
    schema: &TableSchema,
    parameters: &Parameters,
    feeds: &[Feed],
) -> Result<Option<Partial>, LoadRefused> {
    if parameters.merge != Merge::Append && schema.keys_type != KeysType::Unique {
        return Err(LoadRefused::analysis(
            "load by MERGE or DELETE is only supported in unique tables.",
        ));
    }
    check_sequence(schema, parameters)?;
    if parameters.update == Update::Upsert {
        check_sequence_given(schema, feeds)?;
        return Ok(None);
    }
    let new_keys = parameters.new_keys;
    if parameters.update == Update::Flexible {
        return Ok(Some(Partial {
            new_keys,
            columns: None,
        }));
    }
    let given = |feed: &Feed| matches!(feed, Feed::Source(_) | Feed::Derived(_));
    let missing = |(column, feed): &(&Column, &Feed)| column.key && !given(feed);
    if let Some((column, _)) = schema.columns.iter().zip(feeds).find(missing) {
        return Err(LoadRefused::analysis(format!(
            "Partial update should include all key columns, missing: {}",
            column.name
        )));
    }
    let columns = feeds.iter().map(given).collect();
    Ok(Some(Partial {
        new_keys,
        columns: Some(columns),
    }))
}

/// Only merge-on-write tables take rows that hold some of the columns.
fn check_update(schema: &TableSchema, parameters: &Parameters) -> Result<(), LoadRefused> {
    let merge_on_write = schema
        .properties
        .get("enable_unique_key_merge_on_write")
        .is_none_or(|value| !value.eq_ignore_ascii_case("false"));
    if parameters.update == Update::Upsert || schema.keys_type == KeysType::Unique && merge_on_write {
        return Ok(());
    }
    Err(LoadRefused::analysis(
        "Only unique key merge on write support partial update",
    ))
}

/// Whole rows need the column that orders them, unless it fills itself with the present.
fn check_sequence_given(schema: &TableSchema, feeds: &[Feed]) -> Result<(), LoadRefused> {
    let Some(index) = schema.sequence_index() else {
        return Ok(());
    };
    let fills_itself = matches!(schema.columns[index].default, Some(DefaultValue::Now(_)));
    if feeds[index] != Feed::Default || fills_itself {
        return Ok(());
    }
    Err(LoadRefused::analysis(
        "the table has a sequence column, need to specify the sequence column",
    ))
}

fn check_sequence(schema: &TableSchema, parameters: &Parameters) -> Result<(), LoadRefused> {
    if schema.properties.contains_key("function_column.sequence_type") {
        return Err(LoadRefused::analysis(
            "function_column.sequence_type is not served here: declare function_column.sequence_col",
        ));
    }
    let Some(name) = &parameters.sequence else {
        return Ok(());
    };
    let declared = schema.sequence_index().map(|index| &schema.columns[index].name);
    match declared {
        Some(declared) if declared.eq_ignore_ascii_case(name) => Ok(()),
        Some(declared) => Err(LoadRefused::analysis(format!(
            "the sequence column of the table is {declared}, not {name}"
        ))),
        None => Err(LoadRefused::analysis("There is no sequence column in the table")),
    }
}

fn named(schema: &TableSchema, sources: &[String]) -> Vec<Named> {
    let columns = (0..schema.columns.len()).map(Named::Column);
    let others = (0..sources.len())
        .filter(|at| schema.index_of(&sources[*at]).is_none())
        .map(Named::Source);
    columns.chain(others).collect()
}
