//! What a table has, for a read that declares nothing: its columns with the Flink types that keep their values.

use std::sync::Arc;

use doris_arrow::types::{FlinkType, natural_type};

use crate::error::{Error, ErrorKind};
use crate::read::columns;
use crate::read::config::ReadConfig;
use crate::read::flight::{CLOSE_LIMIT, Flight};

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// The name as Doris has it.
    pub name: String,
    /// The type as Doris calls it.
    pub doris: String,
    /// The type to read it as; `None` for what cannot be read.
    pub natural: Option<FlinkType>,
}

/// Lists the columns of the table in its order. Holds a Flight session while it runs; once `cancelled` is done it
/// fails with [`ErrorKind::Closed`], soon, and with the session closed all the same.
pub async fn describe_until(
    config: &ReadConfig,
    cancelled: impl Future<Output = ()>,
) -> Result<Vec<TableColumn>, Error> {
    let mut flight = Flight::new(Arc::new(config.clone()));
    let described = tokio::select! {
        biased;
        () = cancelled => Err(Error::new(ErrorKind::Closed, "the description was closed")),
        described = columns::describe(&mut flight, &config.table) => described,
    };
    flight.close(CLOSE_LIMIT).await;
    let columns = described?.into_iter().map(|column| TableColumn {
        natural: natural_type(&column.r#type),
        doris: column.r#type.to_string(),
        name: column.name,
    });
    Ok(columns.collect())
}
