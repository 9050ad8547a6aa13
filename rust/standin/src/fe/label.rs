//! `get_load_state`: where the newest transaction of a label stands.

use serde_json::json;

use super::envelope::Envelope;
use super::load::redirect_to;
use super::schema::unknown_database;
use super::{Call, Outcome, Rest};
use crate::net::url::component;

/// Answers at the master; a follower sends the client there.
pub(super) fn answer(rest: &Rest, call: &Call, database: &str, authorization: &str) -> Outcome {
    let Some(label) = call.parameter("label").filter(|label| !label.is_empty()) else {
        return Outcome::Envelope(Envelope::bad_request("No label selected."));
    };
    let cluster = &rest.shared.cluster;
    if let Some(index) = cluster.master()
        && index != rest.index
        && let Some(master) = cluster.frontends().get(index)
    {
        let path = call.path();
        let query = format!("label={}", component(label));
        let node = (master.host.as_str(), master.http);
        let switches = &rest.shared.switches.load;
        return Outcome::Redirect(redirect_to(switches, authorization, node, &path, &query));
    }
    let engine = &rest.shared.engine;
    if !engine.catalog().has_database(database) {
        return Outcome::Envelope(Envelope::error(&unknown_database(database)));
    }
    let state = engine.transactions().state(database, label);
    let state = state.map_or("UNKNOWN", crate::store::txn::TxnState::name);
    Outcome::Envelope(Envelope::success(json!(state)))
}
