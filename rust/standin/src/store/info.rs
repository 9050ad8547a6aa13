//! Properties of a table: model, columns, partitions, tablets.

use std::collections::BTreeMap;

use crate::values::types::DorisType;

/// Table model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeysType {
    /// Rows are kept as they come.
    Duplicate,
    /// The newest row of a key wins.
    Unique,
    /// Rows of a key are merged column by column.
    Aggregate,
}

impl KeysType {
    /// `DUP_KEYS`, `UNIQUE_KEYS`, `AGG_KEYS` as `_schema` names it.
    pub fn schema_name(self) -> &'static str {
        match self {
            Self::Duplicate => "DUP_KEYS",
            Self::Unique => "UNIQUE_KEYS",
            Self::Aggregate => "AGG_KEYS",
        }
    }
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Name as declared.
    pub name: String,
    /// Type.
    pub doris_type: DorisType,
    /// False for NOT NULL.
    pub nullable: bool,
    /// True for a column of the key.
    pub key: bool,
    /// Default value as text; `None` without one.
    pub default: Option<String>,
    /// Comment, may be empty.
    pub comment: String,
    /// `SUM`, `MAX`, `MIN`, `REPLACE`, …; `None` for keys and for tables that do not aggregate.
    pub aggregation: Option<String>,
}

/// One tablet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabletInfo {
    /// Id.
    pub id: i64,
    /// Index of its back end in the cluster's list.
    pub backend_index: usize,
    /// Rows visible.
    pub rows: u64,
    /// Bytes held.
    pub bytes: u64,
    /// Visible version.
    pub version: u64,
}

/// One partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionInfo {
    /// Id.
    pub id: i64,
    /// Name.
    pub name: String,
    /// Visible version.
    pub version: u64,
    /// Its tablets in bucket order.
    pub tablets: Vec<TabletInfo>,
}

/// A table as of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableInfo {
    /// Id.
    pub id: i64,
    /// Database.
    pub database: String,
    /// Name.
    pub name: String,
    /// Model.
    pub keys_type: KeysType,
    /// Columns in order.
    pub columns: Vec<ColumnInfo>,
    /// Partitions; an unpartitioned table has one that bears the table's name.
    pub partitions: Vec<PartitionInfo>,
    /// Properties as declared.
    pub properties: BTreeMap<String, String>,
    /// Table comment.
    pub comment: String,
    /// Newest version of the table.
    pub version: u64,
    /// Stamp of the newest version (TSO).
    pub stamp: u64,
}
