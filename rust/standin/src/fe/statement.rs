//! The statement API: `POST /api/query/{namespace}/{db}` with `{"stmt": ".."}`.

use std::time::Instant;

use serde_json::{Value, json};

use super::envelope::Envelope;
use super::{Call, Rest};
use crate::error::SqlError;
use crate::sql::engine::{Answer, Rows, Session};
use crate::values::text::render;
use crate::values::types::DorisType;

/// Rows given when the call sets no limit.
const DEFAULT_LIMIT: u64 = 1000;

/// Names that the one catalog goes by.
const CATALOGS: [&str; 2] = ["internal", "default_cluster"];

/// Digits that a JSON number carries without loss in every reader.
const EXACT_DIGITS: u8 = 15;

/// Runs one statement in a session of its own and returns its rows at once, at most the call's `limit`.
pub(super) async fn answer(rest: &Rest, call: &Call, catalog: &str, database: &str) -> Envelope {
    if !CATALOGS.iter().any(|known| known.eq_ignore_ascii_case(catalog)) {
        return Envelope::of_code(500, format!("Unknown catalog '{catalog}'").into());
    }
    let Some(sql) = call.sql("stmt").filter(|sql| !sql.trim().is_empty()) else {
        return Envelope::bad_request("Missing statement request body");
    };
    let engine = &rest.shared.engine;
    let mut session = engine.open_session_at(&call.user, rest.index);
    if !engine.catalog().has_database(database) {
        return failed(&session, &SqlError::unused_database(database));
    }
    session.database = Some(database.to_owned());
    let start = Instant::now();
    match engine.execute(&mut session, &sql).await {
        Err(error) => failed(&session, &error),
        Ok(mut answers) => {
            let time = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            let rows = |rows: &Rows, text| result_set(rest, &session, rows, text, limit(call), time);
            match answers.pop() {
                Some(Answer::Rows(answer)) => Envelope::success(rows(&answer, false)),
                Some(Answer::FrontEndRows(answer)) => Envelope::success(rows(&answer, true)),
                Some(Answer::Done { .. }) | None => {
                    Envelope::success(json!({"type": "exec_status", "status": {}, "time": time}))
                }
            }
        }
    }
}

/// The front end runs the statement through a client of its own, whose exception is reported.
fn failed(session: &Session, error: &SqlError) -> Envelope {
    let (id, text) = (session.id, &error.message);
    Envelope::error(&format!(
        "Failed to execute sql: java.sql.SQLException: (conn={id}) {text}"
    ))
}

fn limit(call: &Call) -> usize {
    let body: Option<Value> = serde_json::from_slice(&call.body).ok();
    let given = body
        .as_ref()
        .and_then(|body| body.get("limit"))
        .and_then(Value::as_u64);
    usize::try_from(given.unwrap_or(DEFAULT_LIMIT)).unwrap_or(usize::MAX)
}

/// Rows as Doris gives them: numbers of a query as JSON numbers, everything else as text.
fn result_set(rest: &Rest, session: &Session, rows: &Rows, text: bool, limit: usize, time: u64) -> Value {
    let zone = rest.shared.engine.zone(session);
    let meta: Vec<Value> = rows
        .columns
        .iter()
        .map(|column| {
            let type_name = if text {
                "CHAR"
            } else {
                column.doris_type.primitive_name()
            };
            json!({"name": column.name, "type": type_name})
        })
        .collect();
    let all = rows
        .batches
        .iter()
        .flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    let data: Vec<Value> = all
        .take(limit)
        .map(|(batch, row)| {
            let cells = rows.columns.iter().zip(batch.columns()).map(|(column, array)| {
                match render(&column.doris_type, array, row, &zone) {
                    None => Value::Null,
                    Some(shown) if text => Value::String(shown),
                    Some(shown) => number(&column.doris_type, &shown).unwrap_or(Value::String(shown)),
                }
            });
            Value::Array(cells.collect())
        })
        .collect();
    json!({"type": "result_set", "meta": meta, "data": data, "time": time})
}

/// The JSON number of a value; `None` where the type is no number, or where a number would lose digits.
fn number(doris_type: &DorisType, shown: &str) -> Option<Value> {
    match doris_type {
        DorisType::Boolean
        | DorisType::TinyInt
        | DorisType::SmallInt
        | DorisType::Int
        | DorisType::BigInt => shown.parse::<i64>().ok().map(Value::from),
        DorisType::Float | DorisType::Double => float(shown),
        DorisType::Decimal(precision, _) if *precision <= EXACT_DIGITS => float(shown),
        _ => None,
    }
}

fn float(shown: &str) -> Option<Value> {
    serde_json::Number::from_f64(shown.parse().ok()?).map(Value::Number)
}
