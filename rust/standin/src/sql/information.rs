//! `information_schema`, and the empty `mysql` and `__internal_schema`.

use std::sync::Arc;

use datafusion::catalog::TableProvider;

use super::tables::Listing;
use crate::error::SqlError;
use crate::sql::engine::Engine;
use crate::sql::fence::database_id;
use crate::store::catalog::Relation;
use crate::store::info::KeysType;
use crate::store::schema::Column;
use crate::values::types::DorisType;

/// Tables of `information_schema`.
const TABLES: [&str; 6] = [
    "columns",
    "metadata_name_ids",
    "schemata",
    "tables",
    "tso_status",
    "views",
];

impl Engine {
    /// A relation of a built-in database.
    pub(crate) fn information_table(
        &self,
        database: &str,
        table: &str,
    ) -> Result<Arc<dyn TableProvider>, SqlError> {
        if !database.eq_ignore_ascii_case("information_schema") {
            return Err(SqlError::unknown_table(database, table));
        }
        match table.to_ascii_lowercase().as_str() {
            "columns" => self.columns_listing()?.into_table(),
            "metadata_name_ids" => self.ids_listing()?.into_table(),
            "schemata" => self.schemata_listing().into_table(),
            "tables" => self.tables_listing()?.into_table(),
            "tso_status" if self.has_tso_status() => self.tso_listing().into_table(),
            "views" => self.views_listing()?.into_table(),
            _ => Err(SqlError::unknown_table(database, table)),
        }
    }

    /// Names of the tables of `information_schema`.
    pub(crate) fn information_tables(&self) -> impl Iterator<Item = &'static str> {
        let tso = self.has_tso_status();
        TABLES
            .into_iter()
            .filter(move |name| tso || *name != "tso_status")
    }

    fn schemata_listing(&self) -> Listing {
        let mut listing = Listing::of_columns(
            "CATALOG_NAME SCHEMA_NAME DEFAULT_CHARACTER_SET_NAME DEFAULT_COLLATION_NAME SQL_PATH",
        );
        for name in self.catalog().database_names() {
            let known = |text: &str| Some(text.to_string());
            listing.push(vec![
                known("internal"),
                Some(name),
                known("utf8mb4"),
                known("utf8mb4_0900_bin"),
                None,
            ]);
        }
        listing
    }

    /// Relations of all databases, the built-in ones included: database, name, what it is.
    pub(crate) fn all_relations(&self) -> Result<Vec<(String, String, Option<Relation>)>, SqlError> {
        let mut out = Vec::new();
        for database in self.catalog().database_names() {
            if database == "information_schema" {
                let tables = self.information_tables();
                out.extend(tables.map(|name| (database.clone(), name.to_string(), None)));
                continue;
            }
            // A database that was dropped meanwhile has no relations.
            for (name, relation) in self.catalog().relations(&database).unwrap_or_default() {
                out.push((database.clone(), name, Some(relation)));
            }
        }
        Ok(out)
    }

    /// Ids of databases and tables. A table that is made anew under its name has another one.
    fn ids_listing(&self) -> Result<Listing, SqlError> {
        let mut listing =
            Listing::of_columns("CATALOG_ID# CATALOG_NAME DATABASE_ID# DATABASE_NAME TABLE_ID# TABLE_NAME");
        for (database, name, relation) in self.all_relations()? {
            if let Some(Relation::Table(table)) = relation {
                listing.push(vec![
                    Some("0".to_owned()),
                    Some("internal".to_owned()),
                    Some(database_id(&database).to_string()),
                    Some(database),
                    Some(table.id.to_string()),
                    Some(name),
                ]);
            }
        }
        Ok(listing)
    }

    fn tables_listing(&self) -> Result<Listing, SqlError> {
        let mut listing = Listing::of_columns(
            "TABLE_CATALOG TABLE_SCHEMA TABLE_NAME TABLE_TYPE ENGINE VERSION# TABLE_ROWS# \
             DATA_LENGTH# CREATE_TIME UPDATE_TIME TABLE_COLLATION TABLE_COMMENT",
        );
        for (database, name, relation) in self.all_relations()? {
            let text = |t: &str| Some(t.to_string());
            let row = match relation {
                None => vec![
                    text("internal"),
                    Some(database),
                    Some(name),
                    text("SYSTEM VIEW"),
                    text("MEMORY"),
                    None,
                    None,
                    None,
                    None,
                    None,
                    text("utf8mb4_0900_bin"),
                    text(""),
                ],
                Some(Relation::View(_)) => vec![
                    text("internal"),
                    Some(database),
                    Some(name),
                    text("VIEW"),
                    text("View"),
                    None,
                    None,
                    None,
                    None,
                    None,
                    text("utf8mb4_0900_bin"),
                    text(""),
                ],
                Some(Relation::Table(table)) => {
                    let version = table.snapshot();
                    let tablets = || version.visible_partitions().flat_map(|p| &p.tablets);
                    let updated = version
                        .visible_partitions()
                        .map(|p| p.visible_micros)
                        .max()
                        .unwrap_or(table.created_micros);
                    vec![
                        text("internal"),
                        Some(database),
                        Some(name),
                        text("BASE TABLE"),
                        text("Doris"),
                        None,
                        Some(tablets().map(|t| t.rows()).sum::<usize>().to_string()),
                        Some(tablets().map(|t| t.bytes()).sum::<usize>().to_string()),
                        Some(self.shown_time(table.created_micros)),
                        Some(self.shown_time(updated)),
                        text("utf8mb4_0900_bin"),
                        Some(version.schema.comment.clone()),
                    ]
                }
            };
            listing.push(row);
        }
        Ok(listing)
    }

    fn views_listing(&self) -> Result<Listing, SqlError> {
        let mut listing = Listing::of_columns("TABLE_CATALOG TABLE_SCHEMA TABLE_NAME VIEW_DEFINITION");
        for (database, name, relation) in self.all_relations()? {
            if let Some(Relation::View(view)) = relation {
                listing.add(["internal".into(), database, name, view.query.clone()]);
            }
        }
        Ok(listing)
    }

    fn columns_listing(&self) -> Result<Listing, SqlError> {
        let mut listing = Listing::of_columns(
            "TABLE_CATALOG TABLE_SCHEMA TABLE_NAME COLUMN_NAME ORDINAL_POSITION# COLUMN_DEFAULT \
             IS_NULLABLE DATA_TYPE CHARACTER_MAXIMUM_LENGTH# CHARACTER_OCTET_LENGTH# \
             NUMERIC_PRECISION# NUMERIC_SCALE# DATETIME_PRECISION# CHARACTER_SET_NAME \
             COLLATION_NAME COLUMN_TYPE COLUMN_KEY EXTRA PRIVILEGES COLUMN_COMMENT COLUMN_SIZE# \
             DECIMAL_DIGITS# GENERATION_EXPRESSION SRS_ID#",
        );
        for (database, name, relation) in self.all_relations()? {
            match relation {
                Some(Relation::Table(table)) => {
                    let schema = Arc::clone(&table.snapshot().schema);
                    for (at, column) in schema.columns.iter().enumerate() {
                        listing.push(column_row(&database, &name, at, column, schema.keys_type));
                    }
                }
                Some(Relation::View(_)) | None => {}
            }
        }
        Ok(listing)
    }
}

fn column_row(
    database: &str,
    table: &str,
    at: usize,
    column: &Column,
    keys_type: KeysType,
) -> Vec<Option<String>> {
    let text = |t: &str| Some(t.to_string());
    let number = |n: Option<u32>| n.map(|n| n.to_string());
    let length = length(&column.doris_type);
    let (precision, scale) = digits(&column.doris_type);
    vec![
        text("internal"),
        text(database),
        text(table),
        text(&column.name),
        Some((at + 1).to_string()),
        column.default.as_ref().and_then(|d| d.shown()),
        text(if column.nullable { "YES" } else { "NO" }),
        Some(column.doris_type.data_type_name()),
        number(length),
        number(length),
        number(precision),
        number(scale),
        number(fraction(&column.doris_type)),
        None,
        None,
        Some(column.doris_type.sql_name()),
        text(key_word(column, keys_type)),
        text(if column.auto_increment {
            "auto_increment"
        } else {
            ""
        }),
        text(""),
        text(&column.comment),
        number(length.or(precision)),
        number(scale),
        None,
        None,
    ]
}

/// `UNI`, `DUP` or `AGG` for key columns, else nothing.
fn key_word(column: &Column, keys_type: KeysType) -> &'static str {
    match keys_type {
        _ if !column.key => "",
        KeysType::Unique => "UNI",
        KeysType::Duplicate => "DUP",
        KeysType::Aggregate => "AGG",
    }
}

/// Longest text in bytes.
pub(crate) fn length(doris_type: &DorisType) -> Option<u32> {
    match doris_type {
        DorisType::Char(n) | DorisType::Varchar(n) | DorisType::Varbinary(n) => Some(*n),
        DorisType::String => Some(i32::MAX as u32),
        _ => None,
    }
}

/// Precision and scale of numbers.
fn digits(doris_type: &DorisType) -> (Option<u32>, Option<u32>) {
    match doris_type {
        DorisType::TinyInt => (Some(3), Some(0)),
        DorisType::SmallInt => (Some(5), Some(0)),
        DorisType::Int => (Some(10), Some(0)),
        DorisType::BigInt => (Some(19), Some(0)),
        DorisType::LargeInt => (Some(39), Some(0)),
        DorisType::Float => (Some(7), Some(7)),
        DorisType::Double => (Some(15), Some(15)),
        DorisType::Decimal(p, s) | DorisType::DecimalV2(p, s) => (Some((*p).into()), Some((*s).into())),
        _ => (None, None),
    }
}

/// Fractional digits of times.
fn fraction(doris_type: &DorisType) -> Option<u32> {
    match doris_type {
        DorisType::DateTime(s) | DorisType::TimestampTz(s) | DorisType::Time(s) => Some((*s).into()),
        DorisType::DateTimeV1 => Some(0),
        _ => None,
    }
}
