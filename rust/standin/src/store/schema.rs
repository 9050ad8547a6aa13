//! What a table is declared as: columns, model, partitioning, distribution.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};

use crate::store::info::{ColumnInfo, KeysType};
use crate::values::types::{DorisType, NAME_KEY};

/// How values of one key are merged in an Aggregate table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregation {
    /// Sum of the values that are not NULL.
    Sum,
    /// Largest.
    Max,
    /// Smallest.
    Min,
    /// The newest.
    Replace,
    /// The newest that is not NULL.
    ReplaceIfNotNull,
    /// Union of bitmaps.
    BitmapUnion,
    /// Union of sketches.
    HllUnion,
    /// Union of quantile states.
    QuantileUnion,
}

impl Aggregation {
    /// As written in a definition.
    pub fn sql_name(self) -> &'static str {
        match self {
            Self::Sum => "SUM",
            Self::Max => "MAX",
            Self::Min => "MIN",
            Self::Replace => "REPLACE",
            Self::ReplaceIfNotNull => "REPLACE_IF_NOT_NULL",
            Self::BitmapUnion => "BITMAP_UNION",
            Self::HllUnion => "HLL_UNION",
            Self::QuantileUnion => "QUANTILE_UNION",
        }
    }

    /// Reads the name, in any case.
    pub fn of_name(name: &str) -> Option<Self> {
        [
            Self::Sum,
            Self::Max,
            Self::Min,
            Self::Replace,
            Self::ReplaceIfNotNull,
            Self::BitmapUnion,
            Self::HllUnion,
            Self::QuantileUnion,
        ]
        .into_iter()
        .find(|a| a.sql_name().eq_ignore_ascii_case(name))
    }
}

/// Value of a column that a write leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefaultValue {
    /// `DEFAULT NULL`
    Null,
    /// A literal's text.
    Text(String),
    /// `CURRENT_TIMESTAMP(scale)`
    Now(u8),
    /// `CURRENT_DATE`
    Today,
    /// `BITMAP_EMPTY`
    BitmapEmpty,
}

impl DefaultValue {
    /// As `DESC` and `COLUMN_DEFAULT` show it; `None` for NULL.
    pub fn shown(&self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Text(text) => Some(text.clone()),
            Self::Now(0) => Some("CURRENT_TIMESTAMP".into()),
            Self::Now(scale) => Some(format!("CURRENT_TIMESTAMP({scale})")),
            Self::Today => Some("CURRENT_DATE".into()),
            Self::BitmapEmpty => Some("BITMAP_EMPTY".into()),
        }
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name as declared.
    pub name: String,
    /// Type.
    pub doris_type: DorisType,
    /// False for NOT NULL.
    pub nullable: bool,
    /// Belongs to the key.
    pub key: bool,
    /// Default value.
    pub default: Option<DefaultValue>,
    /// Comment.
    pub comment: String,
    /// Merge rule, in Aggregate tables only.
    pub aggregation: Option<Aggregation>,
    /// `AUTO_INCREMENT`
    pub auto_increment: bool,
}

impl Column {
    /// The column as [`crate::store::info::TableInfo`] shows it.
    pub fn info(&self) -> ColumnInfo {
        ColumnInfo {
            name: self.name.clone(),
            doris_type: self.doris_type.clone(),
            nullable: self.nullable,
            key: self.key,
            default: self.default.as_ref().and_then(DefaultValue::shown),
            comment: self.comment.clone(),
            aggregation: self.aggregation.map(|a| a.sql_name().to_string()),
        }
    }
}

/// How rows are spread over the buckets of a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distribution {
    /// By the hash of columns, named in lower case.
    Hash(Vec<String>),
    /// By turns.
    Random,
}

/// A table's declaration. Immutable: a change makes a new one.
#[derive(Debug, Clone)]
pub struct TableSchema {
    /// Model.
    pub keys_type: KeysType,
    /// Columns in order, keys first.
    pub columns: Vec<Column>,
    /// Partition columns in lower case; none for a table of one partition, which bears its name.
    pub partition_columns: Vec<String>,
    /// `AUTO PARTITION`: the unit of `date_trunc` that a partition is made for where a row finds none.
    pub auto_partition: Option<String>,
    /// Distribution.
    pub distribution: Distribution,
    /// Buckets of a new partition.
    pub buckets: usize,
    /// `BUCKETS AUTO` was declared.
    pub auto_buckets: bool,
    /// Properties as declared.
    pub properties: BTreeMap<String, String>,
    /// Comment.
    pub comment: String,
}

impl TableSchema {
    /// False for a table of one partition.
    pub fn is_partitioned(&self) -> bool {
        !self.partition_columns.is_empty()
    }

    /// Index of a column; names are compared without regard to case.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|c| c.name.eq_ignore_ascii_case(name))
    }

    /// Indexes of the key columns.
    pub fn key_indexes(&self) -> Vec<usize> {
        (0..self.columns.len()).filter(|i| self.columns[*i].key).collect()
    }

    /// Schema of stored rows: declared names, every field nullable as Doris sends it.
    pub fn stored_schema(&self) -> SchemaRef {
        let fields: Vec<Field> = self
            .columns
            .iter()
            .map(|c| Field::new(&c.name, c.doris_type.arrow_type(), true))
            .collect();
        Arc::new(Schema::new(fields))
    }

    /// Schema that expressions see: lower-case names, compute types, Doris type and declared name as metadata.
    pub fn compute_schema(&self) -> SchemaRef {
        let fields: Vec<Field> = self
            .columns
            .iter()
            .map(|c| {
                let mut field = c.doris_type.compute_field(&c.name.to_lowercase(), c.nullable);
                field.metadata_mut().insert(NAME_KEY.into(), c.name.clone());
                field
            })
            .collect();
        Arc::new(Schema::new(fields))
    }

    /// Column that decides which of two rows of a key is newer, if one is declared.
    pub fn sequence_index(&self) -> Option<usize> {
        self.index_of(self.properties.get("function_column.sequence_col")?)
    }
}
