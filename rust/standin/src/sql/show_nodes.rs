//! `SHOW FRONTENDS`, `SHOW BACKENDS`: what runs where.

use std::collections::HashMap;

use super::tables::Listing;
use crate::sql::engine::{Engine, Session};
use crate::store::catalog::Relation;

impl Engine {
    pub(crate) fn show_frontends(&self, session: &Session) -> Listing {
        let mut listing = Listing::of_columns(
            "Name Host EditLogPort HttpPort QueryPort RpcPort ArrowFlightSqlPort Role IsMaster \
             ClusterId Join Alive ReplayedJournalId LastStartTime LastHeartbeat IsHelper ErrMsg \
             Version CurrentConnected",
        );
        let now = self.shown_time(self.catalog().clock.now_micros());
        let master = self.cluster().master();
        let own = session.frontend.or(master);
        for (at, node) in self.cluster().frontends().into_iter().enumerate() {
            listing.add([
                node.name,
                node.host,
                "9010".into(),
                node.http.to_string(),
                node.mysql.to_string(),
                "9020".into(),
                shown_port(node.flight),
                "FOLLOWER".into(),
                (master == Some(at)).to_string(),
                "1".into(),
                "true".into(),
                node.alive.to_string(),
                "100".into(),
                now.clone(),
                now.clone(),
                "true".into(),
                String::new(),
                self.switches().version.clone(),
                if own == Some(at) { "Yes" } else { "No" }.into(),
            ]);
        }
        listing
    }

    pub(crate) fn show_backends(&self) -> Listing {
        let mut listing = Listing::of_columns(
            "BackendId Host HeartbeatPort BePort HttpPort BrpcPort ArrowFlightSqlPort \
             LastStartTime LastHeartbeat Alive SystemDecommissioned TabletNum Tag ErrMsg Version \
             Status NodeRole",
        );
        let now = self.shown_time(self.catalog().clock.now_micros());
        let counts = self.tablets_by_backend();
        for (at, node) in self.cluster().backends().into_iter().enumerate() {
            listing.add([
                node.id.to_string(),
                node.host,
                "9050".into(),
                node.thrift.to_string(),
                node.http.to_string(),
                "8060".into(),
                shown_port(node.flight),
                now.clone(),
                now.clone(),
                node.alive.to_string(),
                "false".into(),
                counts.get(&at).copied().unwrap_or(0).to_string(),
                r#"{"location" : "default"}"#.into(),
                String::new(),
                self.switches().version.clone(),
                "{}".into(),
                "mix".into(),
            ]);
        }
        listing
    }

    fn tablets_by_backend(&self) -> HashMap<usize, usize> {
        let mut counts = HashMap::new();
        for database in self.catalog().database_names() {
            for (_, relation) in self.catalog().relations(&database).unwrap_or_default() {
                if let Relation::Table(table) = relation {
                    for partition in &table.snapshot().partitions {
                        partition
                            .tablets
                            .iter()
                            .for_each(|t| *counts.entry(t.backend_index).or_insert(0) += 1);
                    }
                }
            }
        }
        counts
    }
}

fn shown_port(port: u16) -> String {
    if port == 0 { "-1".into() } else { port.to_string() }
}
