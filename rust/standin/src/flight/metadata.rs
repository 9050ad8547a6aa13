//! What drivers request about the server: catalogs, databases, tables, kinds of tables, SqlInfo. Each call's ticket is
//! the call itself.

use std::collections::HashMap;

use arrow_array::RecordBatch;
use arrow_flight::error::FlightError;
use arrow_flight::sql::{Any, Command, CommandGetTables};
use arrow_flight::{FlightData, Ticket};
use arrow_schema::{Field, Schema, SchemaRef};
use futures::StreamExt;
use futures::stream::BoxStream;
use prost::Message;
use tonic::Status;

use super::encode::Encoder;
use super::fe::FrontendFlight;
use super::{actions, forms, statement};
use crate::error::SqlError;
use crate::sql::engine::{ResultColumn, Session};
use crate::sql::types::type_of_field;
use crate::store::catalog::Relation;
use crate::values::types::{DorisType, NAME_KEY};

/// Name of the one catalog.
const CATALOG: &str = "internal";

/// Kinds of tables, as the server names them.
const KINDS: [&str; 3] = ["BASE TABLE", "SYSTEM VIEW", "VIEW"];

/// Schema of a call's rows and the name that the journal gives the call; `None` for one that is no question about the
/// server.
pub(crate) fn described(command: &Command) -> Option<(&'static str, SchemaRef)> {
    Some(match command {
        Command::CommandGetSqlInfo(_) => ("GetSqlInfo", actions::sql_info_schema()),
        Command::CommandGetCatalogs(asked) => ("GetCatalogs", asked.into_builder().schema()),
        Command::CommandGetDbSchemas(asked) => ("GetDbSchemas", asked.clone().into_builder().schema()),
        Command::CommandGetTables(asked) => ("GetTables", asked.clone().into_builder().schema()),
        Command::CommandGetTableTypes(asked) => ("GetTableTypes", asked.into_builder().schema()),
        _ => return None,
    })
}

/// The call that a ticket stands for; `None` for a ticket of rows.
pub(crate) fn asked(ticket: &Ticket) -> Option<Command> {
    let any = Any::decode(&*ticket.ticket).ok()?;
    let command = Command::try_from(any).ok()?;
    described(&command).is_some().then_some(command)
}

/// The rows of a call, as user `user` sees them.
pub(crate) async fn answer(
    fe: &FrontendFlight,
    user: &str,
    command: Command,
) -> Result<BoxStream<'static, Result<FlightData, Status>>, Status> {
    let batch = match command {
        Command::CommandGetSqlInfo(asked) => actions::sql_info(asked.info),
        Command::CommandGetCatalogs(asked) => {
            let mut rows = asked.into_builder();
            rows.append(CATALOG);
            rows.build()
        }
        Command::CommandGetDbSchemas(asked) => {
            let mut rows = asked.into_builder();
            for name in fe.shared.engine.database_names() {
                rows.append(CATALOG, name);
            }
            rows.build()
        }
        Command::CommandGetTables(asked) => tables(fe, user, asked).await?,
        Command::CommandGetTableTypes(asked) => {
            let mut rows = asked.into_builder();
            KINDS.iter().for_each(|kind| rows.append(kind));
            rows.build()
        }
        _ => return Err(Status::unimplemented("this Flight SQL command has no rows")),
    };
    let batch = batch.map_err(internal)?;
    let mut encoder = Encoder::new();
    let schema = encoder.schema(&batch.schema());
    let rows = encoder
        .batch(&batch)
        .map_err(|error| Status::internal(error.to_string()))?;
    Ok(futures::stream::iter([Ok(schema), Ok(rows)]).boxed())
}

/// Tables, views and system views; their columns only where a client wants them.
async fn tables(
    fe: &FrontendFlight,
    user: &str,
    asked: CommandGetTables,
) -> Result<Result<RecordBatch, FlightError>, Status> {
    let engine = &fe.shared.engine;
    let session = engine.open_session_at(user, fe.index);
    let with_columns = asked.include_schema;
    let mut rows = asked.into_builder();
    let relations = engine
        .all_relations()
        .map_err(|error| statement::status_of(&error))?;
    for (database, name, relation) in relations {
        let schema = match with_columns {
            true => schema(fe, &session, &database, &name, relation.as_ref()).await,
            false => Ok(Schema::empty()),
        };
        let kind = match relation {
            Some(Relation::Table(_)) => KINDS[0],
            None => KINDS[1],
            Some(Relation::View(_)) => KINDS[2],
        };
        // A view over a table that is gone is shown without columns, a table that is gone meanwhile not at all.
        let schema = match (schema, &kind) {
            (Ok(schema), _) => schema,
            (Err(_), &"VIEW") => Schema::empty(),
            (Err(_), _) => continue,
        };
        rows.append(CATALOG, database, name, kind, &schema)
            .map_err(internal)?;
    }
    Ok(rows.build())
}

/// Columns of a relation in the types that a query of it is answered in, with the keys of Flight SQL.
async fn schema(
    fe: &FrontendFlight,
    session: &Session,
    database: &str,
    name: &str,
    relation: Option<&Relation>,
) -> Result<Schema, SqlError> {
    let engine = &fe.shared.engine;
    let columns = match relation {
        Some(Relation::Table(table)) => {
            let version = table.snapshot();
            let columns = version.schema.columns.iter().map(|column| ResultColumn {
                name: column.name.clone(),
                doris_type: column.doris_type.clone(),
                nullable: column.nullable,
            });
            columns.collect()
        }
        Some(Relation::View(view)) => engine.view_columns(session, view).await?,
        None => {
            let held = engine.information_table(database, name)?.schema();
            let columns = held.fields().iter().map(|field| ResultColumn {
                name: field.metadata().get(NAME_KEY).unwrap_or(field.name()).clone(),
                doris_type: type_of_field(field),
                nullable: true,
            });
            columns.collect::<Vec<_>>()
        }
    };
    let zone_text = engine.variable(session, "time_zone").unwrap_or_default();
    let (sent, _) = forms::plan(&columns, &fe.shared.switches, engine.zone(session), &zone_text);
    let fields = columns.iter().zip(sent.fields()).map(|(column, field)| {
        let metadata = keys(database, name, &column.doris_type);
        Field::new(&column.name, field.data_type().clone(), column.nullable).with_metadata(metadata)
    });
    Ok(Schema::new(fields.collect::<Vec<_>>()))
}

fn keys(database: &str, table: &str, doris_type: &DorisType) -> HashMap<String, String> {
    let mut keys = vec![
        ("SCHEMA_NAME", database.to_owned()),
        ("TABLE_NAME", table.to_owned()),
        ("TYPE_NAME", doris_type.primitive_name().to_owned()),
        ("IS_AUTO_INCREMENT", "0".to_owned()),
        ("IS_CASE_SENSITIVE", "0".to_owned()),
        ("IS_READ_ONLY", "1".to_owned()),
        ("IS_SEARCHABLE", "1".to_owned()),
    ];
    match doris_type {
        DorisType::Decimal(precision, scale) | DorisType::DecimalV2(precision, scale) => {
            keys.push(("PRECISION", precision.to_string()));
            keys.push(("SCALE", scale.to_string()));
        }
        DorisType::DateTime(scale) | DorisType::TimestampTz(scale) => keys.push(("SCALE", scale.to_string())),
        _ => {}
    }
    let full = |(key, value)| (format!("ARROW:FLIGHT:SQL:{key}"), value);
    keys.into_iter().map(full).collect()
}

fn internal(error: FlightError) -> Status {
    Status::internal(error.to_string())
}
