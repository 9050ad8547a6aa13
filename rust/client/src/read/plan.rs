//! Planning of a read: checks the table against its declaration and lists the tablets that hold its rows.

use std::sync::Arc;

use doris_arrow::normalize::Normalizer;

use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::fe::Frontends;
use crate::read::columns::{self, Columns};
use crate::read::config::ReadConfig;
use crate::read::flight::{CLOSE_LIMIT, Flight};
use crate::read::query;
pub use crate::read::tablets::Tablet;
use crate::sql;

/// What a read of one table consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanPlan {
    /// Whether the table is read tablet by tablet; `false` for views and three-part names, which are one query.
    pub has_tablets: bool,
    /// The tablets that hold rows for the filter, ascending by id.
    pub tablets: Vec<Tablet>,
    /// What a user should know, to be logged once.
    pub warnings: Vec<String>,
}

/// Plans a read: login, comparison of the table with its declaration, a trial of the query without rows, tablets.
/// Errors are complete: all differences of the schema are in one message. Holds a Flight session while it runs.
pub async fn plan(config: &ReadConfig) -> Result<ScanPlan, Error> {
    plan_until(config, std::future::pending()).await
}

/// As [`plan`]; once `cancelled` is done it fails with [`ErrorKind::Closed`], soon, and with the session closed all
/// the same. Dropping the future instead would leave the session to the server's own time limit.
pub async fn plan_until(config: &ReadConfig, cancelled: impl Future<Output = ()>) -> Result<ScanPlan, Error> {
    let mut flight = Flight::new(Arc::new(config.clone()));
    let planned = tokio::select! {
        biased;
        () = cancelled => Err(Error::new(ErrorKind::Closed, "the plan was closed")),
        planned = plan_with(&mut flight, config) => planned,
    };
    flight.close(CLOSE_LIMIT).await;
    planned
}

/// The tablets that the table has now, whatever the filters: what was planned before and is not among them is gone,
/// and its rows may be missing from the splits that were read. One REST call, no Flight session. Once `cancelled` is
/// done it fails with [`ErrorKind::Closed`].
pub async fn present_tablets(
    config: &ReadConfig,
    cancelled: impl Future<Output = ()>,
) -> Result<ScanPlan, Error> {
    let frontends = Frontends::new(config.cluster.clone())?;
    let wanted = config.columns.first().map(|column| &column.path[0]);
    let first = wanted.or(config.declared.first().map(|field| &field.name));
    let query = query::plan_query(config, &[], "", first.map(String::as_str));
    tokio::select! {
        biased;
        () = cancelled => Err(Error::new(ErrorKind::Closed, "the plan was closed")),
        tablets = frontends.tablets(&config.table, &query) => Ok(ScanPlan {
            has_tablets: true,
            tablets: tablets?,
            warnings: Vec::new(),
        }),
    }
}

async fn plan_with(flight: &mut Flight, config: &ReadConfig) -> Result<ScanPlan, Error> {
    let mut columns = check(flight, config).await?;
    let mut warnings = std::mem::take(&mut columns.notes);
    warnings.extend(flight.take_warnings());
    if config.table.catalog.is_some() {
        return Ok(ScanPlan {
            has_tablets: false,
            tablets: Vec::new(),
            warnings,
        });
    }
    let query = query::plan_query(config, &columns.found, &columns.filter, columns.first());
    match tablets(&flight.frontends()?, config, &query, &mut warnings).await {
        Ok(tablets) => Ok(ScanPlan {
            has_tablets: true,
            tablets,
            warnings,
        }),
        Err(error) if error.kind() == ErrorKind::Query && is_view(flight, &config.table).await => {
            Ok(ScanPlan {
                has_tablets: false,
                tablets: Vec::new(),
                warnings,
            })
        }
        Err(error) => Err(error),
    }
}

/// The tablets of the read. A snapshot behind which changes are followed must lack no partition that was there before
/// its position, so it is planned at the master: a follower that lags may not know the newest ones yet, and their
/// rows would never come. Where the master cannot be reached as the cluster names it, another front end plans, with a
/// warning.
async fn tablets(
    frontends: &Frontends,
    config: &ReadConfig,
    query: &str,
    warnings: &mut Vec<String>,
) -> Result<Vec<Tablet>, Error> {
    if config.changelog.is_some() {
        let planned = match frontends.master(&config.table.database).await {
            Ok(master) => frontends.tablets_at(&master, &config.table, query).await,
            Err(error) => Err(error),
        };
        match planned {
            Err(error) if error.kind() == ErrorKind::Connect => warnings.push(format!(
                "the content is not planned at the master front end, which cannot be reached ({error}); a partition that was \
                 made right before the start may be missing from it"
            )),
            planned => return planned,
        }
    }
    frontends.tablets(&config.table, query).await
}

/// Finds the wanted columns, compares the table with its declaration, and tries the query.
pub(crate) async fn check(flight: &mut Flight, config: &ReadConfig) -> Result<Columns, Error> {
    let columns = columns::resolve(flight, config).await?;
    try_query(flight, config, &columns).await?;
    Ok(columns)
}

/// Runs the query without rows: a filter that the server refuses and a form of a column that cannot be read show here
/// rather than in every reader.
async fn try_query(flight: &mut Flight, config: &ReadConfig, columns: &Columns) -> Result<(), Error> {
    let answer = flight
        .fetch(&query::select_nothing(config, &columns.found, &columns.filter))
        .await
        .map_err(|error| {
            if error.kind() != ErrorKind::Query {
                return error;
            }
            let filtered = !config.user_filter.is_empty() || !config.pushed_filter.is_empty();
            let advice = if filtered {
                " (check doris.filter.query and the WHERE clause)"
            } else {
                ""
            };
            Error::new(
                ErrorKind::Query,
                format!("the query on {} is refused{advice}", config.table),
            )
            .with_source(error)
        })?;
    if let (Some(schema), false) = (answer.schema, columns.found.is_empty()) {
        Normalizer::new(&schema, columns.specs.clone(), config.local_zone)?;
    }
    Ok(())
}

async fn is_view(flight: &mut Flight, table: &Table) -> bool {
    let query = format!(
        "SELECT TABLE_NAME FROM {} WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} AND TABLE_TYPE LIKE '%VIEW%'",
        sql::information_schema(table, "tables"),
        sql::literal(&table.database),
        sql::literal(&table.name)
    );
    match flight.fetch(&query).await {
        Ok(rows) => rows.batches.iter().any(|batch| batch.num_rows() > 0),
        Err(error) => {
            tracing::debug!(%error, "whether the table is a view cannot be told");
            false
        }
    }
}
