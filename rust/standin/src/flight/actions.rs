//! Actions of a front end's Flight service, and its SqlInfo.

use std::sync::OnceLock;

use arrow_array::RecordBatch;
use arrow_flight::error::FlightError;
use arrow_flight::sql::metadata::{SqlInfoData, SqlInfoDataBuilder};
use arrow_flight::sql::{
    ActionClosePreparedStatementRequest, ActionCreatePreparedStatementRequest,
    ActionCreatePreparedStatementResult, Any, ProstMessageExt, SqlInfo,
};
use arrow_flight::{Action, ActionType, IpcMessage, SchemaAsIpc};
use arrow_ipc::writer::IpcWriteOptions;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use prost::Message;
use tonic::Status;

use super::fe::FrontendFlight;
use super::login::Login;

/// The actions that [`act`] knows.
pub(crate) fn list() -> Vec<ActionType> {
    let action = |name: &str, description: &str| ActionType {
        r#type: name.to_owned(),
        description: description.to_owned(),
    };
    vec![
        action(
            "CreatePreparedStatement",
            "Keeps a statement; it runs on GetFlightInfo.",
        ),
        action("ClosePreparedStatement", "Forgets a kept statement."),
        action("CloseSession", "Ends the session of the Bearer token."),
    ]
}

/// Carries an action out.
pub(crate) async fn act(
    fe: &FrontendFlight,
    login: &Login,
    action: &Action,
) -> Result<Vec<arrow_flight::Result>, Status> {
    let session = &login.session;
    match action.r#type.as_str() {
        "CreatePreparedStatement" => {
            let request: ActionCreatePreparedStatementRequest = unpack(&action.body)?;
            let handle = session.prepare(request.query);
            // The true schema is not known before the statement runs.
            let dataset = Schema::new(vec![Field::new("ResultMeta", DataType::Utf8, true)]);
            let answer = ActionCreatePreparedStatementResult {
                prepared_statement_handle: handle.into(),
                dataset_schema: ipc_schema(&dataset)?,
                parameter_schema: ipc_schema(&Schema::empty())?,
            };
            Ok(vec![arrow_flight::Result {
                body: answer.as_any().encode_to_vec().into(),
            }])
        }
        "ClosePreparedStatement" => {
            let request: ActionClosePreparedStatementRequest = unpack(&action.body)?;
            session.close_prepared(&String::from_utf8_lossy(&request.prepared_statement_handle));
            Ok(Vec::new())
        }
        "CloseSession" if fe.shared.switches.flight_session_pool => {
            fe.flight.sessions.close(session);
            fe.flight.results.drop_sessions(&[session.id]);
            // CloseSessionResult { status: CLOSED = 1 }
            Ok(vec![arrow_flight::Result {
                body: Bytes::from_static(&[0x08, 0x01]),
            }])
        }
        other => Err(Status::unimplemented(format!("unknown action {other}"))),
    }
}

fn unpack<M: ProstMessageExt + Message + Default>(body: &Bytes) -> Result<M, Status> {
    let broken = |text: String| Status::invalid_argument(text);
    let any = Any::decode(&**body).map_err(|error| broken(error.to_string()))?;
    any.unpack()
        .map_err(|error| broken(error.to_string()))?
        .ok_or_else(|| broken(format!("unexpected message {}", any.type_url)))
}

fn ipc_schema(schema: &Schema) -> Result<Bytes, Status> {
    let message: IpcMessage = SchemaAsIpc::new(schema, &IpcWriteOptions::default())
        .try_into()
        .map_err(|error: arrow_schema::ArrowError| Status::internal(error.to_string()))?;
    Ok(message.0)
}

/// Schema of the SqlInfo result.
pub(crate) fn sql_info_schema() -> SchemaRef {
    info_data().schema()
}

/// The wanted rows of SqlInfo; all of them where none is named.
pub(crate) fn sql_info(wanted: Vec<u32>) -> Result<RecordBatch, FlightError> {
    info_data().record_batch(wanted)
}

fn info_data() -> &'static SqlInfoData {
    static DATA: OnceLock<SqlInfoData> = OnceLock::new();
    DATA.get_or_init(|| {
        let mut builder = SqlInfoDataBuilder::new();
        builder.append(SqlInfo::FlightSqlServerName, "DorisFE");
        builder.append(SqlInfo::FlightSqlServerVersion, "1.0");
        builder.append(SqlInfo::FlightSqlServerArrowVersion, "18.2.0");
        builder.append(SqlInfo::FlightSqlServerReadOnly, false);
        builder.append(SqlInfo::SqlIdentifierQuoteChar, "`");
        // Invariant: these constants build in every version of the crate; the crate's tests call this.
        builder.build().expect("constant SqlInfo")
    })
}
