//! Statements over the admin port. They pass every channel: no journal, no rule, no stopped node is in their way.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::http::refusal;
use crate::nodes::Nodes;
use crate::sql::engine::{Answer, Rows};
use crate::values::text::render;
use crate::values::zone::Zone;

/// Runs the statements of the body as `root`, in a session of their own; one answer each.
pub(super) async fn sql(State(nodes): State<Arc<Nodes>>, body: String) -> Response {
    let engine = &nodes.shared().engine;
    let mut session = engine.open_session("root");
    match engine.execute(&mut session, &body).await {
        Ok(answers) => {
            let zone = engine.zone(&session);
            let shown: Vec<Value> = answers.iter().map(|answer| shown(answer, &zone)).collect();
            Json(shown).into_response()
        }
        Err(error) => refusal(StatusCode::BAD_REQUEST, error.to_string()),
    }
}

fn shown(answer: &Answer, zone: &Zone) -> Value {
    match answer {
        Answer::Done { affected, info } => json!({"affected": affected, "info": info}),
        Answer::Rows(rows) | Answer::FrontEndRows(rows) => {
            let columns: Vec<&str> = rows.columns.iter().map(|column| &*column.name).collect();
            json!({"columns": columns, "rows": texts(rows, zone)})
        }
    }
}

/// Values as the MySQL port shows them; NULL is `None`.
fn texts(rows: &Rows, zone: &Zone) -> Vec<Vec<Option<String>>> {
    let all = rows
        .batches
        .iter()
        .flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    all.map(|(batch, row)| {
        let cells = rows.columns.iter().zip(batch.columns());
        cells
            .map(|(column, array)| render(&column.doris_type, array, row, zone))
            .collect()
    })
    .collect()
}
