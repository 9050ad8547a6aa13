//! `SHOW CREATE TABLE`: a declaration as the statement that makes it.

use std::fmt::Write;

use crate::store::catalog::View;
use crate::store::info::KeysType;
use crate::store::partition::{Bound, BoundValue};
use crate::store::schema::{Column, DefaultValue, Distribution, TableSchema};
use crate::store::tablet::TableVersion;

/// The statement that makes the table; it can be run as it stands.
pub fn create_table_text(name: &str, version: &TableVersion) -> String {
    let schema = &version.schema;
    let columns: Vec<String> = schema
        .columns
        .iter()
        .map(|c| format!("  {}", column_text(c)))
        .collect();
    let mut out = format!(
        "CREATE TABLE `{name}` (\n{}\n) ENGINE=OLAP\n",
        columns.join(",\n")
    );
    let keys: Vec<String> = schema
        .columns
        .iter()
        .filter(|c| c.key)
        .map(|c| format!("`{}`", c.name))
        .collect();
    let word = match schema.keys_type {
        KeysType::Duplicate => "DUPLICATE",
        KeysType::Unique => "UNIQUE",
        KeysType::Aggregate => "AGGREGATE",
    };
    // Writing to a String cannot fail.
    if !keys.is_empty() {
        let _ = writeln!(out, "{word} KEY({})", keys.join(", "));
    }
    if !schema.comment.is_empty() {
        let _ = writeln!(out, "COMMENT '{}'", schema.comment.replace('\'', "''"));
    }
    if schema.is_partitioned() {
        let columns: Vec<String> = schema
            .partition_columns
            .iter()
            .map(|c| declared(schema, c))
            .collect();
        let partitions: Vec<String> = version
            .visible_partitions()
            .map(|p| format!("PARTITION {} VALUES {}", p.name, bound_clause(&p.bound)))
            .collect();
        let by = match &schema.auto_partition {
            None => format!("PARTITION BY RANGE({})", columns.join(", ")),
            Some(unit) => format!(
                "AUTO PARTITION BY RANGE (date_trunc({}, '{unit}'))",
                columns.join(", ")
            ),
        };
        let _ = writeln!(out, "{by}\n({})", partitions.join(",\n"));
    }
    let buckets = if schema.auto_buckets {
        "AUTO".to_string()
    } else {
        schema.buckets.to_string()
    };
    match &schema.distribution {
        Distribution::Random => {
            let _ = writeln!(out, "DISTRIBUTED BY RANDOM BUCKETS {buckets}");
        }
        Distribution::Hash(names) => {
            let names: Vec<String> = names.iter().map(|n| declared(schema, n)).collect();
            let _ = writeln!(out, "DISTRIBUTED BY HASH({}) BUCKETS {buckets}", names.join(", "));
        }
    }
    let mut properties = schema.properties.clone();
    properties
        .entry("replication_allocation".into())
        .or_insert_with(|| "tag.location.default: 1".into());
    properties.remove("replication_num");
    if schema.keys_type == KeysType::Unique {
        properties
            .entry("enable_unique_key_merge_on_write".into())
            .or_insert_with(|| "true".into());
    }
    let properties: Vec<String> = properties
        .iter()
        .map(|(k, v)| format!("\"{k}\" = \"{v}\""))
        .collect();
    let _ = write!(out, "PROPERTIES (\n{}\n);", properties.join(",\n"));
    out
}

/// The statement that makes the view.
pub fn create_view_text(name: &str, view: &View) -> String {
    format!("CREATE VIEW `{name}` AS {};", view.query)
}

fn declared(schema: &TableSchema, lower: &str) -> String {
    let name = schema.index_of(lower).map_or(lower, |i| &schema.columns[i].name);
    format!("`{name}`")
}

fn column_text(column: &Column) -> String {
    let mut out = format!("`{}` {}", column.name, column.doris_type.sql_name());
    if let Some(aggregation) = column.aggregation {
        let _ = write!(out, " {}", aggregation.sql_name());
    }
    out.push_str(if column.nullable { " NULL" } else { " NOT NULL" });
    if column.auto_increment {
        out.push_str(" AUTO_INCREMENT(1)");
    }
    let _ = match &column.default {
        None => Ok(()),
        Some(DefaultValue::Null) => write!(out, " DEFAULT NULL"),
        Some(DefaultValue::Text(text)) => write!(out, " DEFAULT \"{}\"", text.replace('"', "\\\"")),
        Some(other) => write!(out, " DEFAULT {}", other.shown().unwrap_or_default()),
    };
    if !column.comment.is_empty() {
        let _ = write!(out, " COMMENT '{}'", column.comment.replace('\'', "''"));
    }
    out
}

fn values_text(values: &[BoundValue]) -> String {
    let texts: Vec<String> = values
        .iter()
        .map(|value| match value {
            BoundValue::Text(text) => format!("\"{text}\""),
            BoundValue::Max => "MAXVALUE".into(),
        })
        .collect();
    format!("({})", texts.join(", "))
}

fn bound_clause(bound: &Bound) -> String {
    match bound {
        Bound::All => String::new(),
        Bound::Range {
            lower: Some(lower),
            upper,
        } => {
            let upper = upper
                .as_ref()
                .map_or_else(|| "(MAXVALUE)".into(), |u| values_text(u));
            format!("[{}, {upper})", values_text(lower))
        }
        Bound::Range {
            lower: None,
            upper: Some(upper),
        } => format!("LESS THAN {}", values_text(upper)),
        Bound::Range {
            lower: None,
            upper: None,
        } => "LESS THAN MAXVALUE".into(),
    }
}

/// `Range` of `SHOW PARTITIONS`.
pub fn bound_text(schema: &TableSchema, bound: &Bound) -> String {
    let types: Vec<String> = schema
        .partition_columns
        .iter()
        .filter_map(|c| schema.index_of(c))
        .map(|i| schema.columns[i].doris_type.primitive_name().to_string())
        .collect();
    let keys = |values: &Option<Vec<BoundValue>>, open: &str| match values {
        None => open.to_string(),
        Some(values) => {
            let texts: Vec<String> = values
                .iter()
                .map(|v| match v {
                    BoundValue::Text(text) => text.clone(),
                    BoundValue::Max => "MAXVALUE".into(),
                })
                .collect();
            texts.join(", ")
        }
    };
    match bound {
        Bound::All => String::new(),
        Bound::Range { lower, upper } => format!(
            "[types: [{types}]; keys: [{}]; ..types: [{types}]; keys: [{}]; )",
            keys(lower, "MINVALUE"),
            keys(upper, "MAXVALUE"),
            types = types.join(", ")
        ),
    }
}

/// Names of the distribution columns, or `RANDOM`.
pub fn distribution_keys(schema: &TableSchema) -> String {
    match &schema.distribution {
        Distribution::Random => "RANDOM".into(),
        Distribution::Hash(names) => {
            let declared = |n: &String| {
                schema
                    .index_of(n)
                    .map_or_else(|| n.clone(), |i| schema.columns[i].name.clone())
            };
            names.iter().map(declared).collect::<Vec<_>>().join(", ")
        }
    }
}
