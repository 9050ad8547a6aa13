//! `GET /api/{db}/{table}/_schema`.

use serde_json::{Map, Value, json};

use super::envelope::Envelope;
use super::{Call, Rest};
use crate::error::SqlError;
use crate::store::catalog::Relation;
use crate::store::info::{ColumnInfo, KeysType};
use crate::values::types::DorisType;

/// The columns of a table or view; names and texts as Doris gives them. A view has no model.
pub(super) async fn answer(rest: &Rest, call: &Call, catalog: &str, database: &str, table: &str) -> Envelope {
    if let Err(error) = known_catalog(catalog) {
        return Envelope::error(&error.message);
    }
    let engine = &rest.shared.engine;
    match engine.catalog().relation(database, table) {
        Err(_) => Envelope::error(&missing(rest, database, table)),
        Ok(Relation::Table(found)) => {
            let info = found.info(database, table);
            let column = |column: &ColumnInfo| {
                let aggregation = match &column.aggregation {
                    Some(kind) => kind.as_str(),
                    None if column.key || info.keys_type == KeysType::Aggregate => "",
                    None => "NONE",
                };
                property(&column.name, &column.doris_type, &column.comment, aggregation)
            };
            let properties: Vec<Value> = info.columns.iter().map(column).collect();
            Envelope::success(json!({
                "keysType": info.keys_type.schema_name(),
                "status": 200,
                "properties": properties,
            }))
        }
        Ok(Relation::View(view)) => {
            let session = engine.open_session_at(&call.user, rest.index);
            let columns = match engine.view_columns(&session, &view).await {
                Ok(columns) => columns,
                Err(error) => return Envelope::error(&error.message),
            };
            let columns = columns.iter();
            let properties: Vec<Value> = columns
                .map(|column| property(&column.name, &column.doris_type, "", ""))
                .collect();
            Envelope::success(json!({"status": 200, "properties": properties}))
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

/// The text of a table that is not there: its database may be missing too.
pub(super) fn missing(rest: &Rest, database: &str, table: &str) -> String {
    if !rest.shared.engine.catalog().has_database(database) {
        return unknown_database(database);
    }
    not_found(&format!("table not found, tableName={table}"))
}

/// The text of a database that is not there, as REST calls give it.
pub(super) fn unknown_database(database: &str) -> String {
    not_found(&format!("unknown databases, dbName={database}"))
}

/// What the catalog does not have, in the words of REST calls.
pub(super) fn not_found(detail: &str) -> String {
    format!("errCode = 7, detailMessage = {detail}")
}

fn property(name: &str, doris_type: &DorisType, comment: &str, aggregation: &str) -> Value {
    let mut property = Map::new();
    property.insert("name".to_owned(), name.into());
    property.insert("type".to_owned(), doris_type.primitive_name().into());
    property.insert("comment".to_owned(), comment.into());
    property.insert("aggregation_type".to_owned(), aggregation.into());
    // Texts, and for decimals only.
    if let DorisType::Decimal(precision, scale) | DorisType::DecimalV2(precision, scale) = doris_type {
        property.insert("precision".to_owned(), precision.to_string().into());
        property.insert("scale".to_owned(), scale.to_string().into());
    }
    Value::Object(property)
}
