//! The table of a window: its columns, its hidden ones, its partitions, and what its query selects of them.

use std::time::Duration;

use doris_arrow::normalize::ColumnSpec;
use doris_arrow::schema::{DorisColumn, Found, find_path};
use doris_arrow::types::natural_type;

use crate::error::{Error, ErrorKind};
use crate::read::columns::{self, Columns};
use crate::read::config::{ChangelogConfig, ReadConfig};
use crate::read::flight::{Flight, text_cell};
use crate::read::query::alias;
use crate::read::window::batch::{Hashed, Shape};
use crate::read::window::sql::{Hidden, Selected};
use crate::read::window::{Slice, WindowSpec, sql};

/// The table as a window sees it: read again for each, since columns may be added and dropped between two.
pub(super) struct Target {
    columns: Columns,
    pub(super) shape: Shape,
    extra: Vec<Found>,
    order: Vec<DorisColumn>,
    keys: Vec<String>,
}

impl Target {
    fn new(columns: Columns, unique: bool, hidden: Hidden) -> Result<Self, Error> {
        let keys: Vec<DorisColumn> = columns.table.iter().filter(|c| c.key).cloned().collect();
        let mut extra = Vec::new();
        let mut extra_specs = Vec::new();
        let mut hashed = Vec::new();
        let order = if unique {
            for key in &keys {
                match columns
                    .found
                    .iter()
                    .position(|f| f.path.len() == 1 && f.path[0] == key.name)
                {
                    Some(wanted) => hashed.push(Hashed::Wanted(wanted)),
                    None => {
                        hashed.push(Hashed::Extra(extra.len()));
                        let (found, spec) = as_it_is(key)?;
                        extra.push(found);
                        extra_specs.push(spec);
                    }
                }
            }
            keys.clone()
        } else {
            hashed.extend((0..columns.found.len()).map(Hashed::Wanted));
            // Rows that do not differ in a wanted column may change places.
            let wanted = |column: &&DorisColumn| columns.found.iter().any(|f| f.path[0] == column.name);
            columns.table.iter().filter(wanted).cloned().collect()
        };
        Ok(Self {
            shape: Shape {
                wanted: columns.specs.clone(),
                hidden,
                extra: extra_specs,
                hashed,
            },
            columns,
            extra,
            order,
            keys: keys.into_iter().map(|key| key.name).collect(),
        })
    }

    /// What the query of a window selects, and in which order.
    pub(super) fn selected(&self) -> Selected<'_> {
        Selected {
            hidden: &self.shape.hidden,
            wanted: &self.columns.found,
            extra: &self.extra,
            order: &self.order,
            keys: &self.keys,
            filter: &self.columns.filter,
        }
    }
}

/// The table, its columns and its hidden ones.
pub(super) async fn look_up(
    flight: &mut Flight,
    config: &ReadConfig,
    window: &WindowSpec,
    changes: &ChangelogConfig,
    limit: Duration,
) -> Result<Target, Error> {
    let columns = columns::resolve(flight, config).await?;
    let unique = match columns.unique {
        Some(unique) => unique,
        None => is_unique(flight, config).await?,
    };
    let hidden = probe(flight, config, window, changes, limit).await?;
    let target = Target::new(columns, unique, hidden)?;
    if let Slice::Hash { count, .. } = window.slice
        && count > 1
        && target.keys.is_empty()
    {
        let message = format!(
            "{} has no key columns, by which source.changelog.slices could cut it: use 1 or partitions",
            config.table
        );
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    Ok(target)
}

/// The names of the hidden columns at the front end in use.
pub(super) async fn probe(
    flight: &mut Flight,
    config: &ReadConfig,
    window: &WindowSpec,
    changes: &ChangelogConfig,
    limit: Duration,
) -> Result<Hidden, Error> {
    let increment_type = window.increment_type.unwrap_or(changes.increment_type);
    flight
        .hidden(&config.table, limit, |hidden| {
            sql::probe(&config.table, window, increment_type, hidden)
        })
        .await
}

/// The model of the table, where the list of its columns lacks it.
async fn is_unique(flight: &mut Flight, config: &ReadConfig) -> Result<bool, Error> {
    let schema = flight.frontends()?.schema(&config.table).await?;
    let keys = schema.get("keysType").and_then(|keys| keys.as_str());
    keys.map(|keys| keys.to_ascii_uppercase().starts_with("UNIQUE"))
        .ok_or_else(|| {
            let message = format!("the server does not tell the model of {}", config.table);
            Error::new(ErrorKind::Query, message)
        })
}

/// The name that a partition has now.
pub(super) async fn partition(flight: &mut Flight, config: &ReadConfig, id: i64) -> Result<String, Error> {
    let listed = partitions(flight, config).await?;
    let found = listed.into_iter().find(|(known, _)| *known == id.to_string());
    found.map(|(_, name)| name).ok_or_else(|| {
        Error::new(
            ErrorKind::PartitionGone,
            format!(
                "{} has no partition {id}, as this front end lists them",
                config.table
            ),
        )
    })
}

/// Fails when a partition does not have its name any more. Where another one has it, what was read under it may be
/// that one's: with rows handed out, only a restore takes them back; else the slice is merely tried again.
pub(super) async fn keeps_name(
    flight: &mut Flight,
    config: &ReadConfig,
    id: i64,
    name: &str,
    handed_out: bool,
) -> Result<(), Error> {
    let listed = partitions(flight, config).await?;
    let owner = listed.into_iter().find(|(_, known)| known == name);
    let table = &config.table;
    match owner {
        Some((owner, _)) if owner == id.to_string() => Ok(()),
        Some((owner, _)) if handed_out => {
            let message = format!(
                "{table}: the name '{name}' went from partition {id} to partition {owner} while changes were read under \
                 it: those that were handed out cannot be trusted"
            );
            Err(Error::new(ErrorKind::Data, message))
        }
        _ => {
            let message = format!("{table}: partition {id} lost its name '{name}' while it was read");
            Err(Error::new(ErrorKind::PartitionGone, message))
        }
    }
}

/// Ids and names of the table's partitions.
async fn partitions(flight: &mut Flight, config: &ReadConfig) -> Result<Vec<(String, String)>, Error> {
    let listing = flight.kept(&sql::partitions(&config.table)).await?;
    let mut listed = Vec::new();
    for batch in &listing {
        let column = |wanted: &str| {
            let schema = batch.schema();
            let place = schema
                .fields()
                .iter()
                .position(|field| field.name().eq_ignore_ascii_case(wanted));
            place.ok_or_else(|| {
                let message = format!("the listing of partitions has no column {wanted}");
                Error::new(ErrorKind::Query, message)
            })
        };
        let (ids, names) = (column("PartitionId")?, column("PartitionName")?);
        for row in 0..batch.num_rows() {
            match (text_cell(batch, ids, row), text_cell(batch, names, row)) {
                (Some(id), Some(name)) => listed.push((id.trim().to_owned(), name)),
                _ => {
                    let message = format!("row {row} of the listing of partitions lacks an id or a name");
                    return Err(Error::new(ErrorKind::Query, message));
                }
            }
        }
    }
    Ok(listed)
}

/// A key column that is not wanted, read for its hash.
fn as_it_is(key: &DorisColumn) -> Result<(Found, ColumnSpec), Error> {
    let unreadable = |why: String| Error::new(ErrorKind::Schema, format!("key column '{}': {why}", key.name));
    let flink =
        natural_type(&key.r#type).ok_or_else(|| unreadable(format!("{} cannot be read", key.r#type)))?;
    let table = std::slice::from_ref(key);
    let found = find_path(std::slice::from_ref(&key.name), &flink, table).map_err(unreadable)?;
    let spec = ColumnSpec {
        label: key.name.clone(),
        name: alias(&found),
        doris: found.r#type.clone(),
        flink,
    };
    Ok((found, spec))
}
