//! Blocks of source rows turned into rows of the table: derived, checked, counted, and handed to the load.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int8Array, RecordBatch, RecordBatchOptions, new_null_array,
};
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use arrow_select::zip::zip;

use super::LoadRefused;
use super::convert::{BadRows, Rules, from_array, from_cells, null_refused};
use super::errors::ErrorLog;
use super::expressions::{Expressions, Input};
use super::plan::{Feed, Named, Plan, Sign};
use super::rows::TextRows;
use crate::error::SqlError;
use crate::sql::engine::Engine;
use crate::store::defaults::default_column;
use crate::store::load::Load;
use crate::store::row_shape::{DELETE_SIGN, given_bits};
use crate::store::schema::{Column, TableSchema};
use crate::values::types::DorisType;
use crate::values::{Cell, to_compute};

/// Source rows of one block.
pub(super) trait Block {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// A source column read as a column of the table.
    fn column(&self, source: usize, column: &Column, rules: Rules, bad: &mut BadRows) -> ArrayRef;
    /// Rows that lack a source column altogether.
    fn absent(&self, source: usize) -> &[u32];
    /// A row as it came.
    fn line(&self, row: usize) -> Cow<'_, str>;
}

impl Block for TextRows<'_> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn column(&self, source: usize, column: &Column, rules: Rules, bad: &mut BadRows) -> ArrayRef {
        from_cells(column, &self.columns[source], rules, bad)
    }

    fn absent(&self, source: usize) -> &[u32] {
        &self.absent[source]
    }

    fn line(&self, row: usize) -> Cow<'_, str> {
        Cow::Borrowed(self.lines[row])
    }
}

/// What takes the rows of one load.
pub(super) struct Intake {
    pub engine: Arc<Engine>,
    pub plan: Plan,
    pub rules: Rules,
    pub load: Load,
    pub log: ErrorLog,
    /// Rows that `where` left out.
    pub unselected: u64,
    /// Rows handed to the load.
    pub loaded: u64,
    /// Microseconds of the epoch that `CURRENT_TIMESTAMP` stands for.
    pub now: i64,
    schema: Arc<TableSchema>,
    row_schema: SchemaRef,
}

impl Intake {
    /// For a load whose rows are planned.
    pub(super) fn new(engine: Arc<Engine>, plan: Plan, rules: Rules, mut load: Load) -> Self {
        if plan.shape != Default::default() {
            load.shaped(plan.shape.clone());
        }
        Self {
            now: engine.catalog().clock.now_micros(),
            engine,
            plan,
            rules,
            schema: Arc::clone(load.schema()),
            row_schema: load.row_schema(),
            load,
            log: ErrorLog::default(),
            unselected: 0,
            loaded: 0,
        }
    }

    /// Takes the rows of a block.
    pub(super) fn take(&mut self, block: &dyn Block) -> Result<(), LoadRefused> {
        let rows = block.rows();
        if rows == 0 {
            return Ok(());
        }
        let mut bad = BadRows::new();
        let derived = self.derive(block)?;
        let mut columns = Vec::with_capacity(self.row_schema.fields().len());
        for (column, feed) in self.schema.columns.iter().zip(&self.plan.feeds) {
            columns.push(self.column(block, column, *feed, &derived, &mut bad)?);
        }
        let sign = self.sign(block, &columns, &derived, &mut bad)?;
        self.check_nulls(block, &columns, sign.as_ref(), &mut bad);
        let selected = match &self.plan.predicate {
            None => None,
            Some(predicate) => Some(self.condition(predicate, block, &columns)?),
        };
        let selected = |row: usize| selected.as_ref().is_none_or(|s| s.is_valid(row) && s.value(row));
        if let Some(sign) = &sign {
            columns.push(Arc::new(sign.clone()));
        }
        if self.plan.shape.is_flexible() {
            columns.push(self.given(block));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.row_schema), columns, &options)
            .map_err(SqlError::plain)?;
        let good = |row: usize| selected(row) && !bad.contains_key(&row);
        self.engine
            .make_partitions_blocking(&mut self.load, &batch, good)?;
        for row in self.load.homeless(&batch)? {
            if selected(row) {
                bad.entry(row)
                    .or_insert_with(|| "no partition for this tuple".to_string());
            }
        }
        for (row, reason) in &bad {
            self.log.filter(reason, &block.line(*row));
        }
        let keep: BooleanArray = (0..rows)
            .map(|row| Some(selected(row) && !bad.contains_key(&row)))
            .collect();
        let kept = keep.true_count();
        self.loaded += kept as u64;
        self.unselected += (rows - kept - bad.len()) as u64;
        let batch = match kept == rows {
            true => batch,
            false => filter_record_batch(&batch, &keep).map_err(SqlError::plain)?,
        };
        Ok(self.load.put(batch)?)
    }

    fn derive(&self, block: &dyn Block) -> Result<Vec<(DorisType, ArrayRef)>, LoadRefused> {
        let Some(expressions) = &self.plan.derived else {
            return Ok(Vec::new());
        };
        let results = expressions.run(block.rows(), |source, input| self.source(block, source, input))?;
        Ok(results)
    }

    /// A source column as expressions see it; what it does not take is NULL.
    fn source(&self, block: &dyn Block, source: usize, input: &Input) -> ArrayRef {
        let column = loose_column(&input.name, &input.doris_type);
        let rules = Rules {
            strict: false,
            ..self.rules
        };
        let array = block.column(source, &column, rules, &mut BadRows::new());
        to_compute(&input.doris_type, &array)
    }

    fn column(
        &self,
        block: &dyn Block,
        column: &Column,
        feed: Feed,
        derived: &[(DorisType, ArrayRef)],
        bad: &mut BadRows,
    ) -> Result<ArrayRef, LoadRefused> {
        let rows = block.rows();
        Ok(match feed {
            Feed::Source(source) => {
                let array = block.column(source, column, self.rules, bad);
                let array = match block.absent(source) {
                    [] => array,
                    absent => self.filled(column, array, absent, bad)?,
                };
                match column.auto_increment && array.null_count() > 0 {
                    true => {
                        let numbers = self.numbers(column, rows, bad);
                        let null = BooleanArray::from_iter((0..rows).map(|row| Some(array.is_null(row))));
                        zip(&null, &numbers, &array).map_err(SqlError::plain)?
                    }
                    false => array,
                }
            }
            Feed::Derived(at) => from_array(column, &derived[at].0, &derived[at].1, self.rules, bad),
            Feed::Counter => self.numbers(column, rows, bad),
            Feed::Default => self.default(column, rows)?,
        })
    }

    /// Numbers that were not given out before.
    fn numbers(&self, column: &Column, rows: usize, bad: &mut BadRows) -> ArrayRef {
        let first = self.engine.catalog().auto_increment(rows);
        let cells: Vec<Cell<'_>> = (first..first + rows as i64)
            .map(|number| Cell::Text(number.to_string().into()))
            .collect();
        from_cells(column, &cells, self.rules, bad)
    }

    /// So many times the default of a column; NULL for one without, which a partial row leaves as it was.
    fn default(&self, column: &Column, rows: usize) -> Result<ArrayRef, SqlError> {
        match column.default.is_none() {
            true => Ok(new_null_array(&column.doris_type.arrow_type(), rows)),
            false => default_column(column, rows, self.now, &self.rules.zone),
        }
    }

    /// The column with its default where the source has none.
    fn filled(
        &self,
        column: &Column,
        array: ArrayRef,
        absent: &[u32],
        bad: &mut BadRows,
    ) -> Result<ArrayRef, LoadRefused> {
        let flexible = self.plan.shape.is_flexible();
        let lacks = column.default.is_none() && !column.nullable && !column.auto_increment;
        if flexible && column.key || !flexible && lacks {
            for row in absent {
                bad.entry(*row as usize).or_insert_with(|| {
                    format!(
                        "The column `{}` is not nullable, but it's not found in jsondata.",
                        column.name
                    )
                });
            }
        }
        if column.default.is_none() {
            return Ok(array);
        }
        let mut lacking = vec![false; array.len()];
        absent.iter().for_each(|row| lacking[*row as usize] = true);
        let defaults = self.default(column, array.len())?;
        let filled = zip(&BooleanArray::from(lacking), &defaults, &array).map_err(SqlError::plain)?;
        Ok(filled)
    }

    /// The delete sign of every row.
    fn sign(
        &self,
        block: &dyn Block,
        columns: &[ArrayRef],
        derived: &[(DorisType, ArrayRef)],
        bad: &mut BadRows,
    ) -> Result<Option<Int8Array>, LoadRefused> {
        let rows = block.rows();
        let column = loose_column(DELETE_SIGN, &DorisType::TinyInt);
        let (array, absent) = match self.plan.sign {
            Sign::None => return Ok(None),
            Sign::All => return Ok(Some(Int8Array::from(vec![1; rows]))),
            Sign::Condition => {
                let Some(condition) = &self.plan.condition else {
                    return Ok(None);
                };
                let met = self.condition(condition, block, columns)?;
                let signs = (0..rows).map(|row| i8::from(met.is_valid(row) && met.value(row)));
                return Ok(Some(Int8Array::from_iter_values(signs)));
            }
            Sign::Source(source) => (
                block.column(source, &column, self.rules, bad),
                block.absent(source),
            ),
            Sign::Derived(at) => (
                from_array(&column, &derived[at].0, &derived[at].1, self.rules, bad),
                &[][..],
            ),
        };
        let array = array.as_primitive::<Int8Type>();
        let mut signs = Vec::with_capacity(rows);
        for row in 0..rows {
            if array.is_null(row) && absent.binary_search(&(row as u32)).is_err() {
                bad.entry(row).or_insert_with(|| null_refused(&column));
            }
            signs.push(if array.is_null(row) { 0 } else { array.value(row) });
        }
        Ok(Some(Int8Array::from(signs)))
    }

    /// Rows with NULL where the table takes none. Of a row that deletes only the key counts, of a partial row only
    /// what it gives.
    fn check_nulls(
        &self,
        block: &dyn Block,
        columns: &[ArrayRef],
        sign: Option<&Int8Array>,
        bad: &mut BadRows,
    ) {
        let partial = self.plan.shape.partial.is_some();
        for ((column, array), feed) in self.schema.columns.iter().zip(columns).zip(&self.plan.feeds) {
            if column.nullable || array.null_count() == 0 || partial && *feed == Feed::Default {
                continue;
            }
            let absent = match feed {
                Feed::Source(source) if self.plan.shape.is_flexible() => block.absent(*source),
                _ => &[],
            };
            for row in (0..array.len()).filter(|row| array.is_null(*row)) {
                let deletes = sign.is_some_and(|sign| sign.value(row) == 1);
                if deletes && !column.key || absent.binary_search(&(row as u32)).is_ok() {
                    continue;
                }
                bad.entry(row).or_insert_with(|| null_refused(column));
            }
        }
    }

    /// Which rows meet a condition.
    fn condition(
        &self,
        condition: &Expressions,
        block: &dyn Block,
        columns: &[ArrayRef],
    ) -> Result<BooleanArray, LoadRefused> {
        let results = condition.run(block.rows(), |at, input| match self.plan.named[at] {
            Named::Column(index) => to_compute(&input.doris_type, &columns[index]),
            Named::Source(source) => self.source(block, source, input),
        })?;
        let column = loose_column("where", &DorisType::Boolean);
        let (doris_type, array) = &results[0];
        let met = from_array(&column, doris_type, array, self.rules, &mut BadRows::new());
        Ok(met.as_boolean().clone())
    }

    /// Which columns each row gives.
    fn given(&self, block: &dyn Block) -> ArrayRef {
        let mut out = BinaryBuilder::new();
        for row in 0..block.rows() {
            let given = self.plan.feeds.iter().map(|feed| match feed {
                Feed::Source(source) => block.absent(*source).binary_search(&(row as u32)).is_err(),
                _ => false,
            });
            out.append_value(given_bits(given));
        }
        Arc::new(out.finish())
    }
}

/// A column that takes anything of its type.
fn loose_column(name: &str, doris_type: &DorisType) -> Column {
    Column {
        name: name.into(),
        doris_type: doris_type.clone(),
        nullable: true,
        key: false,
        default: None,
        comment: String::new(),
        aggregation: None,
        auto_increment: false,
    }
}
