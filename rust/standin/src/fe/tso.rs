//! `GET /api/tso`: where the TSO stands, without advancing it.

use serde_json::json;

use super::Rest;
use super::envelope::Envelope;
use crate::profile::changelog::TsoApi;

/// The figures of the master; `None` where the server has no such call.
pub(super) fn answer(rest: &Rest) -> Option<Envelope> {
    let switches = &rest.shared.switches;
    let api = switches.change.tso_api;
    if !switches.changelog || api == TsoApi::Absent {
        return None;
    }
    if api == TsoApi::Master && rest.shared.cluster.master() != Some(rest.index) {
        return Some(Envelope::bad_request("Current FE is not master"));
    }
    let current = rest.shared.engine.catalog().clock.current();
    Some(Envelope::success(json!({
        "window_end_physical_time": current.window_end_ms(),
        "current_tso": current.stamp,
        "current_tso_physical_time": current.physical_ms(),
        "current_tso_logical_counter": current.logical(),
    })))
}
