//! `POST /api/{db}/{table}/_query_plan`: the tablets that a query reads.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

use super::envelope::Envelope;
use super::schema::{known_catalog, missing, not_found};
use super::{Call, Rest};
use crate::error::SqlError;
use crate::sql::engine::{PlanRefused, TabletRoute};
use crate::store::catalog::Relation;

/// Tablets with their back ends. What is wrong with the call or the table's name is a failure; what is wrong with the
/// query is reported inside a successful envelope: 400 for a query of another shape, the text `1` for one that cannot
/// be planned.
pub(super) async fn answer(rest: &Rest, call: &Call, catalog: &str, database: &str, table: &str) -> Envelope {
    let Some(sql) = call.sql("sql").filter(|sql| !sql.trim().is_empty()) else {
        return Envelope::bad_request("POST body must contain [sql] root object");
    };
    if let Err(error) = known_catalog(catalog) {
        return Envelope::error(&error.message);
    }
    match rest.shared.engine.catalog().relation(database, table) {
        Err(_) => return Envelope::error(&missing(rest, database, table)),
        Ok(Relation::View(_)) => {
            let text = format!("table type is not OLAP, tableName={table}, type=VIEW");
            return Envelope::error(&not_found(&text));
        }
        Ok(Relation::Table(_)) => {}
    }
    match plan(rest, call, database, table, &sql).await {
        Ok(data) => Envelope::success(data),
        Err(PlanRefused::Shape(error)) => {
            Envelope::success(json!({"status": 400, "exception": error.message}))
        }
        Err(PlanRefused::Query(error)) => {
            Envelope::success(json!({"status": "1", "exception": error.message}))
        }
    }
}

async fn plan(
    rest: &Rest,
    call: &Call,
    database: &str,
    table: &str,
    sql: &str,
) -> Result<Value, PlanRefused> {
    let engine = &rest.shared.engine;
    let mut session = engine.open_session_at(&call.user, rest.index);
    session.database = Some(database.to_owned());
    let routes = engine.plan_tablets(&session, database, table, sql).await?;
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
