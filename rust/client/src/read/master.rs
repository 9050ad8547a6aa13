//! Which front end is the master.

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::fe::{Frontends, segment};
use crate::net::http::Target;

/// An unused label: only the master reports the state of a label.
const NO_LABEL: &str = "flink_connector_asks_for_the_master";

impl Frontends {
    /// The master's REST service. A front end that is not the master redirects requests for a label there; that
    /// takes no privilege, which `SHOW FRONTENDS` does.
    pub(crate) async fn master(&self, database: &str) -> Result<Address, Error> {
        self.first("looking for the master front end", |fe| async move {
            Ok(self.sent_to(&fe, database).await?.unwrap_or(fe))
        })
        .await
    }

    /// Whether a front end holds itself for the master.
    pub(crate) async fn is_master(&self, fe: &Address, database: &str) -> Result<bool, Error> {
        Ok(self.sent_to(fe, database).await?.is_none())
    }

    /// Where a front end sends a question for the master; `None` when it answers by itself.
    async fn sent_to(&self, fe: &Address, database: &str) -> Result<Option<Address>, Error> {
        let path = format!("/api/{}/get_load_state?label={NO_LABEL}", segment(database));
        let reply = self.get(fe, &path).await?;
        if !reply.status.is_redirection() {
            let call = format!("GET {path}");
            return self
                .open_envelope(fe, &call, reply.status, &reply.text)
                .map(|_| None);
        }
        let target = reply.location.as_deref().map(Target::parse);
        match target {
            Some(Ok(target)) => Ok(Some(target.node)),
            _ => {
                let message = format!("front end {fe} does not say where the master is");
                Err(Error::new(ErrorKind::Transport, message).unresolved())
            }
        }
    }
}
