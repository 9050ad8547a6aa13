//! One write into a table: rows are checked, routed, and become visible all at once or not at all.

use std::sync::Arc;

use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;

use crate::error::SqlError;
use crate::store::catalog::Catalog;
use crate::store::load_adapt::adapted;
use crate::store::row_shape::RowShape;
use crate::store::schema::TableSchema;
use crate::store::tablet::commit::{Told, append_shaped, change_tablets};
use crate::store::tablet::route::{Router, WriteSet};
use crate::store::tablet::{Partition, StoredBatch, Table, TableVersion};

/// Rows on their way into a table. Dropped without [`Load::commit`], nothing happened.
pub(crate) struct Load {
    table: Arc<Table>,
    schema: Arc<TableSchema>,
    partitions: Vec<Arc<Partition>>,
    router: Router,
    rows: WriteSet,
    shape: RowShape,
    /// With it, a row that the table does not take fails the load; else it is left out and counted.
    strict: bool,
    /// Partitions are made for rows that find none.
    makes_partitions: bool,
    /// The rows replace those that the partitions hold.
    overwrite: bool,
    filtered: usize,
}

/// What a load did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loaded {
    /// Rows written.
    pub rows: usize,
    /// Rows left out.
    pub filtered: usize,
}

impl std::fmt::Debug for Load {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Load")
            .field("table", &self.table.id)
            .field("rows", &self.rows.rows())
            .finish_non_exhaustive()
    }
}

impl Load {
    /// Begins a load into the table as it is now, or into the named partitions only.
    pub(crate) fn begin(
        table: Arc<Table>,
        partitions: &[String],
        temporary: bool,
        strict: bool,
    ) -> Result<Self, SqlError> {
        let version = table.snapshot();
        let chosen = match partitions {
            [] => version.visible_partitions().cloned().collect(),
            names => named_partitions(&version, names, temporary)?,
        };
        let makes_partitions = partitions.is_empty() && version.schema.auto_partition.is_some();
        if chosen.is_empty() && !makes_partitions {
            return Err(SqlError::plain(
                "data cannot be inserted into table with empty partition",
            ));
        }
        let router = Router::new(&version.schema, chosen.clone(), version.version as usize)?;
        let rows = WriteSet::new(version.schema.stored_schema());
        let schema = Arc::clone(&version.schema);
        Ok(Self {
            table,
            schema,
            partitions: chosen,
            router,
            rows,
            shape: RowShape::default(),
            strict,
            makes_partitions,
            overwrite: false,
            filtered: 0,
        })
    }

    /// From now on the rows replace those that the partitions hold, in the same step that makes them visible.
    pub(crate) fn overwrite(&mut self) {
        self.overwrite = true;
    }

    /// From now on rows have the given shape. Called before the first row, for a Unique table.
    pub(crate) fn shaped(&mut self, shape: RowShape) {
        self.rows = WriteSet::new(shape.schema(&self.schema));
        self.shape = shape;
    }

    /// Schema of the batches that [`Self::put`] takes.
    pub(crate) fn row_schema(&self) -> SchemaRef {
        self.shape.schema(&self.schema)
    }

    /// The table, where partitions are made for rows that find none.
    pub(crate) fn making_partitions(&self) -> Option<&Arc<Table>> {
        self.makes_partitions.then_some(&self.table)
    }

    /// From now on rows go to the partitions that the table has now, too.
    pub(crate) fn see_partitions(&mut self) -> Result<(), SqlError> {
        let version = self.table.snapshot();
        self.partitions = version.visible_partitions().cloned().collect();
        self.router = Router::new(&self.schema, self.partitions.clone(), version.version as usize)?;
        Ok(())
    }

    /// Rows of a batch that no partition takes.
    pub(crate) fn homeless(&self, batch: &RecordBatch) -> Result<Vec<usize>, SqlError> {
        self.router.homeless(batch)
    }

    /// Adds rows of the load's shape that were checked: none is NULL where it may not be, none is homeless.
    pub(crate) fn put(&mut self, batch: RecordBatch) -> Result<(), SqlError> {
        self.router.route(batch, &mut self.rows)
    }

    /// The declaration that rows must meet.
    pub(crate) fn schema(&self) -> &Arc<TableSchema> {
        &self.schema
    }

    /// Adds rows in stored form, all columns of the table in order.
    pub(crate) fn add(&mut self, batch: RecordBatch) -> Result<(), SqlError> {
        let mut keep: Option<Vec<bool>> = None;
        for (column, array) in self.schema.columns.iter().zip(batch.columns()) {
            if column.nullable || array.null_count() == 0 {
                continue;
            }
            let reason = format!(
                "column_name[{}], null value for not null column, type={}",
                column.name,
                column.doris_type.sql_name().to_uppercase()
            );
            for row in (0..array.len()).filter(|row| array.is_null(*row)) {
                self.refuse(&mut keep, batch.num_rows(), row, &reason)?;
            }
        }
        for row in self.router.homeless(&batch)? {
            self.refuse(&mut keep, batch.num_rows(), row, "no partition for this tuple")?;
        }
        let batch = match keep {
            None => batch,
            Some(keep) => {
                self.filtered += keep.iter().filter(|k| !**k).count();
                filter_record_batch(&batch, &BooleanArray::from(keep)).map_err(SqlError::plain)?
            }
        };
        self.router.route(batch, &mut self.rows)
    }

    fn refuse(
        &self,
        keep: &mut Option<Vec<bool>>,
        rows: usize,
        row: usize,
        reason: &str,
    ) -> Result<(), SqlError> {
        if self.strict {
            return Err(filtered_in_strict_mode(reason));
        }
        keep.get_or_insert_with(|| vec![true; rows])[row] = false;
        Ok(())
    }

    /// Merges partial rows with the table as it is now and forgets the result: shows before the commit what would
    /// fail there.
    pub(crate) fn rehearse(&mut self, catalog: &Catalog) -> Result<(), SqlError> {
        if self.shape.partial.is_none() {
            return Ok(());
        }
        let empty = WriteSet::new(self.row_schema());
        let rows = std::mem::replace(&mut self.rows, empty).finish()?;
        let version = self.table.snapshot();
        let mut writer = crate::store::tablet::commit::Writer::default();
        append_shaped(
            &version,
            &mut writer,
            rows.clone(),
            &self.shape,
            Told::Nothing,
            catalog.moment(),
        )?;
        self.rows = WriteSet::of(self.row_schema(), rows);
        Ok(())
    }

    /// What was added so far.
    pub(crate) fn loaded(&self) -> Loaded {
        Loaded {
            rows: self.rows.rows(),
            filtered: self.filtered,
        }
    }

    /// Makes the rows visible, under the stamp of their commit. The merge runs on a thread for blocking work.
    pub(crate) async fn commit(self, catalog: &Arc<Catalog>, stamp: u64) -> Result<Loaded, SqlError> {
        let loaded = self.loaded();
        if loaded.rows == 0 && !self.overwrite {
            return Ok(loaded);
        }
        let mut writer = Arc::clone(&self.table.writer).lock_owned().await;
        let catalog = Arc::clone(catalog);
        let work = move || -> Result<(), SqlError> {
            let mut version = self.table.snapshot();
            let alive = |p: &Arc<Partition>| version.partitions.iter().any(|now| now.id == p.id);
            if !self.partitions.iter().all(alive) {
                return Err(SqlError::plain("a partition was dropped during the load"));
            }
            let moment = catalog.moment_of(stamp);
            if self.overwrite {
                let replaced = |id: i64| {
                    self.partitions
                        .iter()
                        .any(|p| p.tablets.iter().any(|t| t.id == id))
                };
                let emptied = change_tablets(&version, moment, |_, t| {
                    Ok(replaced(t.id).then(Vec::<Arc<StoredBatch>>::new))
                })?;
                writer.forget();
                version = Arc::new(emptied);
            }
            let mut rows = self.rows.finish()?;
            let mut shape = self.shape;
            if !Arc::ptr_eq(&version.schema, &self.schema) {
                (rows, shape) = adapted(&self.schema, &version.schema, &shape, rows, moment.micros)?;
            }
            // What replaces a partition as a whole leaves no records.
            let told = if self.overwrite { Told::Nothing } else { Told::Rows };
            let next = append_shaped(&version, &mut writer, rows, &shape, told, moment)?;
            self.table.publish(next);
            Ok(())
        };
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|e| SqlError::plain(format!("the load died: {e}")))??;
        Ok(loaded)
    }
}

/// Partitions by name; an unknown one is an error.
pub(crate) fn named_partitions(
    version: &TableVersion,
    names: &[String],
    temporary: bool,
) -> Result<Vec<Arc<Partition>>, SqlError> {
    names
        .iter()
        .map(|name| {
            version
                .partition(name, temporary)
                .cloned()
                .ok_or_else(|| SqlError::plain(format!("Unknown partition '{name}'")))
        })
        .collect()
}

/// Doris' words for a strict insert that met a row it does not take.
pub(crate) fn filtered_in_strict_mode(reason: &str) -> SqlError {
    SqlError::plain(format!(
        "Insert has filtered data in strict mode. first_error_msg: Reason: {reason}"
    ))
}
