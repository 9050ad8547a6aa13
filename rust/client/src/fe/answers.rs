//! What the answers of front ends hold: the tablets of a plan, the port of the Flight service.

use serde_json::Value;

use crate::config::address::Address;
use crate::fe::envelope::number;

/// One tablet and where it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tablet {
    /// Doris' id of the tablet.
    pub id: i64,
    /// `host:port` of the back ends that hold a replica.
    pub backends: Vec<String>,
}

/// Why an answer to a plan call has no tablets.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unplanned {
    /// Doris says why.
    Refused(String),
    /// It is no answer to such a call.
    Odd(String),
}

/// The tablets of an answer to a plan call, ascending by id.
pub(super) fn tablets(data: &Value) -> Result<Vec<Tablet>, Unplanned> {
    let odd = |what: &str| Unplanned::Odd(what.to_owned());
    if data.get("status").and_then(number) != Some(200) {
        let exception = data.get("exception").and_then(Value::as_str);
        return Err(exception.map_or_else(
            || odd("without a status"),
            |told| Unplanned::Refused(told.to_owned()),
        ));
    }
    let partitions = data
        .get("partitions")
        .and_then(Value::as_object)
        .ok_or_else(|| odd("without partitions"))?;
    let mut tablets = Vec::with_capacity(partitions.len());
    for (id, tablet) in partitions {
        let id = id
            .parse()
            .map_err(|_| Unplanned::Odd(format!("with '{id}' for the id of a tablet")))?;
        let routings = tablet
            .get("routings")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let backends = routings
            .iter()
            .filter_map(|r| r.as_str().map(str::to_owned))
            .collect();
        tablets.push(Tablet { id, backends });
    }
    tablets.sort_by_key(|t| t.id);
    Ok(tablets)
}

/// The Flight port of the front end that was asked, from the rows of `SHOW FRONTENDS`.
pub(super) fn flight_port(data: &Value, fe: &Address) -> Option<u16> {
    let names: Vec<&str> = data
        .get("meta")?
        .as_array()?
        .iter()
        .filter_map(|m| m.get("name")?.as_str())
        .collect();
    let rows = data.get("data")?.as_array()?;
    let column = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));
    let cell = |row: &Value, name: &str| -> Option<String> {
        match row.get(column(name)?)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    };
    let is = |row: &&Value, name: &str, wanted: &str| {
        cell(row, name).is_some_and(|c| c.eq_ignore_ascii_case(wanted))
    };
    let http = fe.port.to_string();
    // The configured address may differ from the one that the cluster knows, so there are several ways to find the row.
    let row = rows
        .iter()
        .find(|row| is(row, "Host", &fe.host) && is(row, "HttpPort", &http))
        .or_else(|| rows.iter().find(|row| is(row, "CurrentConnected", "Yes")))
        .or_else(|| rows.iter().find(|row| is(row, "HttpPort", &http)))
        .or_else(|| rows.first())?;
    cell(row, "ArrowFlightSqlPort")?
        .trim()
        .parse::<u16>()
        .ok()
        .filter(|port| *port > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn flight_port_is_that_of_the_front_end_that_was_asked() {
        let data = json!({"type": "result_set",
            "meta": [{"name": "Name"}, {"name": "Host"}, {"name": "HttpPort"}, {"name": "ArrowFlightSqlPort"}, {"name": "CurrentConnected"}],
            "data": [["a", "fe1", "8030", "9611", "No"], ["b", "fe2", "8030", 9622, "Yes"], ["c", "fe3", "8031", "-1", "No"]]});
        assert_eq!(flight_port(&data, &Address::new("fe1", 8030)), Some(9611));
        assert_eq!(flight_port(&data, &Address::new("fe2", 8030)), Some(9622));
        assert_eq!(flight_port(&data, &Address::new("public", 18030)), Some(9622));
        assert_eq!(flight_port(&data, &Address::new("fe3", 8031)), None);
    }

    #[test]
    fn tablets_and_failures_inside_a_success() {
        let plan = json!({"status": 200, "opaqued_query_plan": "x", "partitions": {
            "10012": {"routings": ["b:9060"], "version": 3}, "10011": {"routings": ["a:9060", "b:9060"], "version": 3}}});
        let found = tablets(&plan).unwrap();
        assert_eq!(found.iter().map(|t| t.id).collect::<Vec<_>>(), [10011, 10012]);
        assert_eq!(found[0].backends, ["a:9060", "b:9060"]);
        for status in [json!(400), json!("1")] {
            let failed = json!({"status": status, "exception": "only support single table"});
            let refused = Unplanned::Refused("only support single table".to_owned());
            assert_eq!(tablets(&failed).unwrap_err(), refused);
        }
        for odd in [
            json!({}),
            json!({"status": 200}),
            json!({"status": 200, "partitions": {"x": {}}}),
        ] {
            assert!(matches!(tablets(&odd), Err(Unplanned::Odd(_))), "{odd}");
        }
    }
}
