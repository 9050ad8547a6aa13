//! Where the Flight service of a front end is.

use reqwest::Method;
use serde_json::{Value, json};

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::fe::Frontends;

impl Frontends {
    /// Where the Flight service of a front end is: at the configured port, else at the one that the cluster reports.
    pub(crate) async fn flight_address(
        &self,
        fe: &Address,
        configured: Option<u16>,
    ) -> Result<Address, Error> {
        if let Some(port) = configured {
            return Ok(Address::new(&fe.host, port));
        }
        const ADVICE: &str =
            "set arrow_flight_sql_port in fe.conf and be.conf of the cluster, or source.flight-sql-port here";
        let body = json!({ "stmt": "SHOW FRONTENDS" });
        let data = match self
            .call(
                fe,
                Method::POST,
                "/api/query/default_cluster/information_schema",
                Some(body),
            )
            .await
        {
            // Seeing the front ends takes a privilege that readers need not have.
            Err(e) if e.kind() == ErrorKind::Query => {
                let message =
                    format!("front end {fe} does not tell its Flight port; set source.flight-sql-port");
                return Err(Error::new(ErrorKind::Query, message).with_source(e));
            }
            other => other?,
        };
        match flight_port(&data, fe) {
            Some(port) => Ok(Address::new(&fe.host, port)),
            None => Err(Error::new(
                ErrorKind::Config,
                format!("front end {fe} has no Arrow Flight SQL port; {ADVICE}"),
            )
            // Another one may have it.
            .unresolved()),
        }
    }
}

/// The Flight port of the front end that answered, from the rows of `SHOW FRONTENDS`.
fn flight_port(data: &Value, fe: &Address) -> Option<u16> {
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
    // The configured address may differ from the one that the cluster knows, so there are several ways to find the
    // row.
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
}
