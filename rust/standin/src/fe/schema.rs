//! `GET /api/{db}/{table}/_schema`.

use serde_json::{Map, Value, json};

use super::Rest;
use super::envelope::Envelope;
use crate::engine::{ColumnInfo, KeysType, SqlError};
use crate::types::DorisType;

/// The columns of a table; names and texts as Doris gives them.
pub(super) fn answer(rest: &Rest, catalog: &str, database: &str, table: &str) -> Envelope {
    if let Err(error) = known_catalog(catalog) {
        return Envelope::error(&error.message);
    }
    match rest.shared.engine.table_info(database, table) {
        None => Envelope::error(&missing(rest, database, table).message),
        Some(info) => {
            let column = |column: &ColumnInfo| property(column, info.keys_type);
            let properties: Vec<Value> = info.columns.iter().map(column).collect();
            Envelope::success(json!({
                "keysType": info.keys_type.schema_name(),
                "status": 200,
                "properties": properties,
            }))
        }
    }
}

/// Only the internal catalog is served.
pub(super) fn known_catalog(catalog: &str) -> Result<(), SqlError> {
    if catalog == "internal" {
        return Ok(());
    }
    Err(SqlError::plain(format!("Unknown catalog '{catalog}'")))
}

/// The error of a table that is not there: its database may be missing too.
pub(super) fn missing(rest: &Rest, database: &str, table: &str) -> SqlError {
    if rest.shared.engine.table_names(database).is_none() {
        return SqlError::unknown_database(database);
    }
    SqlError::plain(format!("Unknown table '{table}'"))
}

fn property(column: &ColumnInfo, keys_type: KeysType) -> Value {
    let aggregation = match &column.aggregation {
        Some(kind) => kind.as_str(),
        None if column.key => "",
        None if keys_type == KeysType::Aggregate => "",
        None => "NONE",
    };
    let mut property = Map::new();
    property.insert("name".to_owned(), column.name.as_str().into());
    property.insert("type".to_owned(), column.doris_type.primitive_name().into());
    property.insert("comment".to_owned(), column.comment.as_str().into());
    property.insert("aggregation_type".to_owned(), aggregation.into());
    // Texts, and for decimals only.
    if let DorisType::Decimal(precision, scale) | DorisType::DecimalV2(precision, scale) = column.doris_type {
        property.insert("precision".to_owned(), precision.to_string().into());
        property.insert("scale".to_owned(), scale.to_string().into());
    }
    Value::Object(property)
}
