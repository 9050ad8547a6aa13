//! A table as `_schema` describes it.

use doris_arrow::types::DorisType;
use reqwest::Method;
use serde_json::Value;

use super::{Frontends, segment};
use crate::config::table::Table;
use crate::error::Error;

/// A table as `_schema` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableSchema {
    pub(crate) keys: String,
    pub(crate) columns: Vec<TableColumn>,
}

/// A column as `_schema` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableColumn {
    pub(crate) name: String,
    /// The name of the type, in upper case.
    pub(crate) type_name: String,
    /// The type; `None` where the name leaves it open, as for nested types.
    pub(crate) r#type: Option<DorisType>,
    pub(crate) key: bool,
    /// The type with the lengths of its texts, where they are known.
    pub(crate) sized: Option<DorisType>,
}

impl Frontends {
    /// The columns of a table and its model, as `_schema` has them.
    pub(crate) async fn schema(&self, table: &Table) -> Result<Value, Error> {
        let path = format!(
            "/api/{}/{}/_schema",
            segment(&table.database),
            segment(&table.name)
        );
        self.first(&format!("reading the schema of {table}"), |fe| {
            let path = path.clone();
            async move { self.call(&fe, Method::GET, &path, None).await }
        })
        .await
    }
}

impl TableSchema {
    pub(crate) fn parse(data: &Value) -> Option<Self> {
        let columns = data.get("properties")?.as_array()?;
        Some(Self {
            keys: data.get("keysType")?.as_str()?.to_ascii_uppercase(),
            columns: columns.iter().map(TableColumn::parse).collect::<Option<_>>()?,
        })
    }

    /// Finds a column as Doris does: in any letter case.
    pub(crate) fn find(&self, name: &str) -> Option<&TableColumn> {
        self.columns
            .iter()
            .find(|c| c.name == name)
            .or_else(|| self.columns.iter().find(|c| c.name.eq_ignore_ascii_case(name)))
    }

    /// Whether rows may carry a delete sign.
    pub(crate) fn is_unique(&self) -> bool {
        self.keys.starts_with("UNIQUE")
    }
}

impl TableColumn {
    /// Whether it is an ARRAY, MAP or STRUCT; `_schema` has no more of it than that.
    pub(crate) fn is_nested(&self) -> bool {
        ["ARRAY", "MAP", "STRUCT"]
            .iter()
            .any(|name| self.type_name.starts_with(name))
    }

    fn parse(value: &Value) -> Option<Self> {
        let text = |key: &str| match value.get(key) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let type_name = text("type")?.to_ascii_uppercase();
        let spelled = match (text("precision"), text("scale")) {
            (Some(precision), Some(scale)) if type_name.starts_with("DECIMAL") => {
                format!("{type_name}({precision},{scale})")
            }
            _ => type_name.clone(),
        };
        Some(Self {
            name: text("name")?,
            r#type: DorisType::parse(&spelled)
                .ok()
                .filter(|t| !matches!(t, DorisType::Other(_))),
            type_name,
            // Value columns have one, NONE included.
            key: text("aggregation_type").is_some_and(|a| a.is_empty()),
            sized: None,
        })
    }
}
