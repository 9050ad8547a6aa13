//! The tablets that a query reads, as a front end plans them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::config::address::Address;
use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::fe::envelope::number;
use crate::fe::{Frontends, odd, segment};

/// One tablet and where it lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tablet {
    /// Doris' id of the tablet.
    pub id: i64,
    /// `host:port` of the back ends that hold a replica.
    pub backends: Vec<String>,
}

impl Frontends {
    /// The tablets that a query reads, ascending by id.
    pub(crate) async fn tablets(&self, table: &Table, sql: &str) -> Result<Vec<Tablet>, Error> {
        let what = format!("planning the read of {table}");
        self.first(&what, |fe| async move { self.tablets_at(&fe, table, sql).await })
            .await
    }

    /// The tablets as one front end plans them.
    pub(crate) async fn tablets_at(
        &self,
        fe: &Address,
        table: &Table,
        sql: &str,
    ) -> Result<Vec<Tablet>, Error> {
        let path = format!(
            "/api/{}/{}/_query_plan",
            segment(&table.database),
            segment(&table.name)
        );
        let data = self
            .call(fe, Method::POST, &path, Some(json!({ "sql": sql })))
            .await?;
        tablets(&data).map_err(|unplanned| match unplanned {
            Unplanned::Refused(text) => Error::new(
                ErrorKind::Query,
                format!("front end {fe} refused to plan the read of {table}: {text}"),
            ),
            Unplanned::Odd(what) => odd(fe, &format!("POST {path}"), &what, &data),
        })
    }
}

/// Why an answer to a plan call has no tablets.
#[derive(Debug, PartialEq, Eq)]
enum Unplanned {
    /// Doris gives the reason.
    Refused(String),
    /// It is no answer to such a call.
    Odd(String),
}

/// The tablets of an answer to a plan call, ascending by id.
fn tablets(data: &Value) -> Result<Vec<Tablet>, Unplanned> {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
