//! The statement API: `POST /api/query/{namespace}/{db}` with `{"stmt": ".."}`.

use std::time::Instant;

use serde_json::{Value, json};

use super::envelope::Envelope;
use super::{Call, Rest};
use crate::engine::{Answer, Rows, Session};
use crate::text::render;

/// Runs one statement in a session of its own and gives all rows at once.
pub(super) async fn answer(rest: &Rest, call: &Call, database: &str) -> Envelope {
    let Some(sql) = call.sql("stmt").filter(|sql| !sql.trim().is_empty()) else {
        return Envelope::bad_request("Missing statement request body");
    };
    let engine = &rest.shared.engine;
    let mut session = engine.open_session(&call.user);
    session.database = Some(database.to_owned());
    let start = Instant::now();
    match engine.execute(&mut session, &sql).await {
        Err(error) => Envelope::error(&error.message),
        Ok(mut answers) => {
            let time = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            match answers.pop() {
                Some(Answer::Rows(rows)) => Envelope::success(result_set(rest, &session, &rows, false, time)),
                Some(Answer::FrontEndRows(rows)) => {
                    Envelope::success(result_set(rest, &session, &rows, true, time))
                }
                Some(Answer::Done { .. }) | None => {
                    Envelope::success(json!({"type": "exec_status", "status": {}, "time": time}))
                }
            }
        }
    }
}

/// Rows as Doris gives them: every value as text, but numbers and truth values of a query as they are.
fn result_set(rest: &Rest, session: &Session, rows: &Rows, text: bool, time: u64) -> Value {
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
    let mut data = Vec::with_capacity(rows.row_count());
    for batch in &rows.batches {
        for row in 0..batch.num_rows() {
            let values = rows.columns.iter().zip(batch.columns()).map(|(column, array)| {
                let value = render(&column.doris_type, array, row, &zone);
                match value {
                    None => Value::Null,
                    Some(value) if column.doris_type.is_integer() && !text => {
                        value.parse::<i64>().map_or(Value::String(value), Value::from)
                    }
                    Some(value) => Value::String(value),
                }
            });
            data.push(Value::Array(values.collect()));
        }
    }
    json!({"type": "result_set", "meta": meta, "data": data, "time": time})
}
