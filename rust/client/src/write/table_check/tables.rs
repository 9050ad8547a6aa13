//! The tables that a sink knows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::missing;
use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::fe::{Frontends, TableSchema};

/// How long a schema counts for which the lengths of texts could not be had for a reason that may pass.
const WITHOUT_LENGTHS: Duration = Duration::from_secs(60);

/// The tables that a sink knows.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    known: Mutex<HashMap<Key, Known>>,
}

/// Database, table and whether lengths are known.
type Key = (String, String, bool);

#[derive(Debug)]
struct Known {
    schema: Arc<TableSchema>,
    /// When it is read again; never, where that is `None`.
    until: Option<Instant>,
}

impl Tables {
    /// The schema of a table, read at most once until it is forgotten; with the `lengths` of its texts for rows that
    /// are encoded here.
    pub(crate) async fn get(
        &self,
        frontends: &Frontends,
        database: &str,
        table: &str,
        lengths: bool,
    ) -> Result<Arc<TableSchema>, Error> {
        let key = (database.to_owned(), table.to_owned(), lengths);
        if let Some(known) = self.lock().get(&key)
            && known.until.is_none_or(|until| Instant::now() < until)
        {
            return Ok(known.schema.clone());
        }
        let named = Table {
            catalog: None,
            database: database.to_owned(),
            name: table.to_owned(),
        };
        let data = match frontends.schema(&named).await {
            Ok(data) => data,
            Err(refused) => return Err(missing::explained(frontends, &named, refused).await),
        };
        // A view has columns and no model.
        if data.get("properties").is_some() && data.get("keysType").is_none() {
            return Err(Error::new(
                ErrorKind::Schema,
                format!("{named} of table.identifier is a view; rows can be written into tables only"),
            ));
        }
        let mut schema = TableSchema::parse(&data).ok_or_else(|| {
            Error::new(
                ErrorKind::Query,
                format!("the schema of table {named} cannot be understood: {data}"),
            )
        })?;
        let lasting = !lengths || schema.look_up_lengths(frontends, &named).await;
        let schema = Arc::new(schema);
        let known = Known {
            schema: schema.clone(),
            until: (!lasting).then(|| Instant::now() + WITHOUT_LENGTHS),
        };
        self.lock().insert(key, known);
        Ok(schema)
    }

    /// Forgets a table that a load failed for: it may have changed.
    pub(crate) fn forget(&self, database: &str, table: &str) {
        self.lock()
            .retain(|(known_database, known_table, _), _| known_database != database || known_table != table);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
