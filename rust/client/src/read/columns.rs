//! What a table looks like: its columns with types and nullability, and the mapping to the wanted columns.

use arrow::array::cast::AsArray;
use arrow::array::{Array, RecordBatch};
use arrow::util::display::array_value_to_string;
use doris_arrow::normalize::ColumnSpec;
use doris_arrow::schema::{DorisColumn, Found, differences, find_path, nearest};
use doris_arrow::types::{DorisType, FlinkKind};

use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::net::refused::{Absent, absent, denied};
use crate::read::config::ReadConfig;
use crate::read::flight::Flight;
use crate::read::predicate;
use crate::read::query;
use crate::sql;

/// The wanted columns, found in the table.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// In the order in which they are wanted.
    pub(crate) found: Vec<Found>,
    /// ` WHERE …` of every query of rows, or empty.
    pub(crate) filter: String,
    /// What the normaliser has to produce from the answer to the SELECT.
    pub(crate) specs: Vec<ColumnSpec>,
    /// All columns of the table, in its order.
    pub(crate) table: Vec<DorisColumn>,
    /// Whether the key columns are unique; `None` where the server does not report it.
    pub(crate) unique: Option<bool>,
    /// What a user should know.
    pub(crate) notes: Vec<String>,
}

/// Looks the table up and checks it against its declaration. All differences are in one error.
pub(crate) async fn resolve(flight: &mut Flight, config: &ReadConfig) -> Result<Columns, Error> {
    let Described {
        columns: table,
        unique,
        ..
    } = look_up(flight, &config.table).await?;
    let mut notes = Vec::new();
    let mut problems = differences(&config.declared, &table, &mut notes);
    let mut found = Vec::with_capacity(config.columns.len());
    for wanted in &config.columns {
        match find_path(&wanted.path, &wanted.r#type, &table) {
            Ok(column) => found.push(column),
            // A column may be both declared and wanted.
            Err(problem) if problems.contains(&problem) => {}
            Err(problem) => problems.push(problem),
        }
    }
    problems.extend(compared_otherwise(config, &table));
    if !problems.is_empty() {
        let message = format!(
            "the declaration does not fit the table {}: {}",
            config.table,
            problems.join("; ")
        );
        return Err(Error::new(ErrorKind::Schema, message));
    }
    let specs = config
        .columns
        .iter()
        .zip(&found)
        .map(|(wanted, found)| ColumnSpec {
            label: wanted.path.join("."),
            name: query::alias(found),
            doris: found.r#type.clone(),
            flink: wanted.r#type.clone(),
        })
        .collect();
    let texts: Vec<String> = table
        .iter()
        .filter(|c| matches!(c.r#type, DorisType::Varchar(_) | DorisType::String))
        .map(|c| sql::quote(&c.name))
        .collect();
    Ok(Columns {
        filter: query::filter(
            &config.user_filter,
            &predicate::without_text_casts(&config.pushed_filter, &texts),
        ),
        found,
        specs,
        table,
        unique,
        notes,
    })
}

impl Columns {
    /// The first column of the table.
    pub(crate) fn first(&self) -> Option<&str> {
        self.table.first().map(|column| column.name.as_str())
    }
}

/// Columns that the pushed filter names although Doris compares them otherwise than Flink does: the planner went by
/// the declared type alone. A wrong filter would lose rows, so it is an error.
fn compared_otherwise(config: &ReadConfig, table: &[DorisColumn]) -> Vec<String> {
    let mut problems = Vec::new();
    for field in &config.declared {
        if !predicate::names_column(&config.pushed_filter, &sql::quote(&field.name)) {
            continue;
        }
        let Ok(found) = find_path(std::slice::from_ref(&field.name), &field.r#type, table) else {
            continue;
        };
        let remedy = match (&found.r#type, &field.r#type.kind) {
            (DorisType::TimestampTz(scale), FlinkKind::Timestamp(_)) => format!("TIMESTAMP_LTZ({scale})"),
            (DorisType::Ipv4, FlinkKind::BigInt) => "STRING".to_owned(),
            (DorisType::Time(_), FlinkKind::Double) => "STRING or TIME".to_owned(),
            _ => continue,
        };
        problems.push(format!(
            "column '{}' is {} in Doris but declared {}, which Doris compares otherwise than Flink: declare it {remedy} to filter by it",
            field.name, found.r#type, field.r#type
        ));
    }
    problems
}

/// The columns of a table in its order.
pub(crate) async fn describe(flight: &mut Flight, table: &Table) -> Result<Vec<DorisColumn>, Error> {
    Ok(look_up(flight, table).await?.columns)
}

async fn look_up(flight: &mut Flight, table: &Table) -> Result<Described, Error> {
    let mut described = match flight.fetch(&query::columns_query(table)).await {
        Ok(rows) => parse(&rows.batches, table)?,
        // An external catalog may not have the view.
        Err(error) if error.kind() == ErrorKind::Query && table.catalog.is_some() => Described::default(),
        Err(error) => return Err(error),
    };
    if !described.columns.is_empty() && !described.ambiguous {
        return Ok(described);
    }
    let probe = format!("SELECT * FROM {} LIMIT 0", sql::table(table));
    let schema = match flight.fetch(&probe).await {
        Ok(rows) => rows.schema,
        Err(error) if error.kind() == ErrorKind::Query => return Err(missing(flight, table, error).await),
        Err(error) => return Err(error),
    };
    let Some(schema) = schema else {
        return Ok(described);
    };
    if described.columns.is_empty() {
        let columns = schema.fields().iter().map(|f| DorisColumn {
            name: f.name().clone(),
            r#type: DorisType::from_arrow(f.data_type()),
            nullable: f.is_nullable(),
            key: false,
        });
        described.columns = columns.collect();
        return Ok(described);
    }
    for column in &mut described.columns {
        if let Ok(field) = schema.field_with_name(&column.name) {
            column.r#type = column.r#type.clone().refined_by(field.data_type());
        }
    }
    Ok(described)
}

#[derive(Default)]
struct Described {
    columns: Vec<DorisColumn>,
    /// Whether a type's text leaves open what arrives: a BOOLEAN may be printed as `tinyint(1)`.
    ambiguous: bool,
    /// Whether the key columns are unique, by the first of them.
    unique: Option<bool>,
}

fn parse(batches: &[RecordBatch], table: &Table) -> Result<Described, Error> {
    let mut described = Described::default();
    for batch in batches {
        if batch.num_columns() != 5 {
            return Err(Error::new(
                ErrorKind::Data,
                format!(
                    "information_schema.columns gave {} columns instead of 5",
                    batch.num_columns()
                ),
            ));
        }
        for row in 0..batch.num_rows() {
            let name = text(batch, 0, row)?;
            let r#type = text(batch, 1, row)?;
            described.ambiguous |= r#type.to_ascii_lowercase().contains("tinyint");
            let parsed = DorisType::parse(&r#type).map_err(|e| {
                Error::new(
                    ErrorKind::Schema,
                    format!("column '{name}' of {table} has a type that cannot be understood: {e}"),
                )
            })?;
            let key = text(batch, 3, row)?.to_ascii_lowercase();
            described.unique = described.unique.or(match key.as_str() {
                "uni" | "pri" => Some(true),
                "dup" | "agg" => Some(false),
                _ => None,
            });
            described.columns.push(DorisColumn {
                r#type: query::with_precision(parsed, text(batch, 4, row)?.parse().ok()),
                nullable: !text(batch, 2, row)?.eq_ignore_ascii_case("NO"),
                key: !matches!(key.as_str(), "" | "false" | "no"),
                name,
            });
        }
    }
    Ok(described)
}

/// A cell as text; NULL is empty.
fn text(batch: &RecordBatch, column: usize, row: usize) -> Result<String, Error> {
    let array = batch.column(column);
    if array.is_null(row) {
        return Ok(String::new());
    }
    if let Some(bytes) = array.as_binary_opt::<i32>() {
        return Ok(String::from_utf8_lossy(bytes.value(row)).into_owned());
    }
    array_value_to_string(array, row)
        .map_err(|e| Error::new(ErrorKind::Data, "information_schema.columns cannot be read").with_source(e))
}

/// The error for a table that cannot be selected from: distinguishes a missing database from a missing table.
async fn missing(flight: &mut Flight, table: &Table, refused: Error) -> Error {
    let told = refused.to_string();
    if denied(&told) {
        return refused.with_kind(ErrorKind::Auth);
    }
    let lower = told.to_lowercase();
    let said = absent(&told);
    let unclear = ["does not exist", "doesn't exist", "not found", "not exist"];
    if said.is_none() && !unclear.iter().any(|text| lower.contains(text)) {
        return refused;
    }
    let neighbours = format!(
        "SELECT DISTINCT TABLE_NAME FROM {} WHERE TABLE_SCHEMA = {}",
        sql::information_schema(table, "columns"),
        sql::literal(&table.database)
    );
    let mut names = Vec::new();
    if let Ok(rows) = flight.fetch(&neighbours).await {
        for batch in &rows.batches {
            names.extend((0..batch.num_rows()).filter_map(|row| text(batch, 0, row).ok()));
        }
    }
    let hint = nearest(&table.name, names.iter().map(String::as_str))
        .map(|n| format!("; did you mean '{n}'?"))
        .unwrap_or_default();
    let no_database = match said {
        Some(said) => said == Absent::Database,
        None => names.is_empty() && lower.contains("database"),
    };
    let message = if no_database {
        format!(
            "the database '{}' of table.identifier does not exist (or the user may not see it)",
            table.database
        )
    } else {
        format!("the table '{table}' of table.identifier does not exist (or the user may not see it){hint}")
    };
    Error::new(ErrorKind::NotFound, message).with_source(refused)
}
