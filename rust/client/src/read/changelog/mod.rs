//! What the source's enumerator requests from Doris in order to follow a table's changes. One [`Changelog`] per
//! enumerator; the windows themselves are read by [`crate::read::scan::Scan`].

mod clock;
mod facts;
mod offset;
mod partitions;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::fe::Frontends;
use crate::read::config::{ChangelogConfig, ReadConfig};
use crate::read::flight::{CLOSE_LIMIT, Flight};
pub use clock::{Instant, Newest};
pub use facts::TableFacts;
pub use partitions::Partition;

/// The requests about one table. Each is answered by the server at that moment, where nothing else is noted. Holds no
/// task and between calls no connection; dropping the future of a call ends it. From any thread.
#[derive(Debug)]
pub struct Changelog {
    config: Arc<ReadConfig>,
    changes: ChangelogConfig,
    frontends: Frontends,
    /// How the newest position was read last.
    known: Mutex<Option<(Address, clock::Way)>>,
    /// The account's zone, once it was requested.
    zone: OnceCell<clock::AccountZone>,
}

impl Changelog {
    /// Questions about the table of a read in an incremental mode. No I/O.
    pub fn new(config: Arc<ReadConfig>) -> Result<Self, Error> {
        let changes = config.changelog.clone().ok_or_else(|| {
            Error::new(
                ErrorKind::Config,
                "a read in snapshot mode has no changes to follow",
            )
        })?;
        Ok(Self {
            frontends: Frontends::new(config.cluster.clone())?,
            config,
            changes,
            known: Mutex::default(),
            zone: OnceCell::new(),
        })
    }

    /// Looks whether the table's changes can be followed as configured, and how: columns against the declaration (all
    /// differences in one error), model, changelog and its properties. Once `cancelled` is done it fails with
    /// [`ErrorKind::Closed`], soon, and with its session closed all the same.
    pub async fn table(&self, cancelled: impl Future<Output = ()>) -> Result<TableFacts, Error> {
        let mut flight = Flight::new(self.config.clone());
        let facts = tokio::select! {
            biased;
            () = cancelled => Err(Error::new(ErrorKind::Closed, "the call was closed")),
            facts = facts::read(self, &mut flight) => facts,
        };
        flight.close(CLOSE_LIMIT).await;
        facts
    }

    fn known(&self) -> Option<(Address, clock::Way)> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn remember(&self, fe: Address, way: clock::Way) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some((fe, way));
    }
}
