//! `POST /api/{db}/{table}/_query_plan`: the tablets that a query reads.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

use super::envelope::Envelope;
use super::schema::{known_catalog, missing};
use super::{Call, Rest};
use crate::engine::{SqlError, TabletRoute};

/// Tablets with their back ends. A failure is told inside a successful envelope.
pub(super) async fn answer(rest: &Rest, call: &Call, catalog: &str, database: &str, table: &str) -> Envelope {
    match plan(rest, call, catalog, database, table).await {
        Ok(data) => Envelope::success(data),
        Err(error) => Envelope::success(json!({"status": 400, "exception": error.message})),
    }
}

async fn plan(
    rest: &Rest,
    call: &Call,
    catalog: &str,
    database: &str,
    table: &str,
) -> Result<Value, SqlError> {
    known_catalog(catalog)?;
    let engine = &rest.shared.engine;
    let sql = call.sql("sql").filter(|sql| !sql.trim().is_empty());
    let sql = sql.ok_or_else(|| SqlError::plain("POST body must contain [sql] root object"))?;
    if engine.table_info(database, table).is_none() {
        return Err(missing(rest, database, table));
    }
    let mut session = engine.open_session_at(&call.user, rest.index);
    session.database = Some(database.to_owned());
    let routes = engine.plan_tablets(&session, database, table, &sql).await?;
    let partitions = routes
        .iter()
        .map(|route| entry(rest, route))
        .collect::<Result<Map<_, _>, _>>()?;
    Ok(json!({
        "status": 200,
        // The scan service that reads this plan is not served; its readers use tablets only.
        "opaqued_query_plan": BASE64_STANDARD.encode(format!("{database}.{table}")),
        "partitions": partitions,
    }))
}

fn entry(rest: &Rest, route: &TabletRoute) -> Result<(String, Value), SqlError> {
    let backend = rest
        .shared
        .cluster
        .backends()
        .into_iter()
        .nth(route.backend_index);
    let backend = backend
        .filter(|backend| backend.alive)
        .ok_or_else(|| SqlError::plain(format!("tablet {} has no queryable replicas.", route.tablet_id)))?;
    let routing = format!("{}:{}", backend.host, backend.thrift);
    let value = json!({"routings": [routing], "version": route.version, "schemaHash": 0});
    Ok((route.tablet_id.to_string(), value))
}
