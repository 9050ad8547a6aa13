//! How long texts may be: the lengths of `CHAR(n)` and `VARCHAR(n)`, which `_schema` leaves out, and the columns to
//! which they apply.

use std::collections::HashMap;

use doris_arrow::encode::Format;
use doris_arrow::types::{DorisType, FlinkField};

use super::list::{Entry, parse as parse_list};
use crate::config::table::Table;
use crate::error::Error;
use crate::fe::{Frontends, TableSchema};
use crate::sql;

impl TableSchema {
    /// Looks up the lengths of all texts, those inside nested types included. Without them rows are still written: a
    /// warning says then which columns are not checked, and why. Whether the answer stays the same until the table
    /// changes.
    pub(super) async fn look_up_lengths(&mut self, frontends: &Frontends, table: &Table) -> bool {
        if !self.columns.iter().any(|c| may_have_lengths(&c.type_name)) {
            return true;
        }
        let (cause, lasting) = match ask(frontends, table).await {
            Ok(types) => {
                for column in &mut self.columns {
                    column.sized = types.get(&column.name.to_lowercase()).cloned();
                }
                (String::new(), true)
            }
            Err(error) => (format!(": {error}"), !error.moves_on()),
        };
        let unknown: Vec<&str> = self
            .columns
            .iter()
            .filter(|c| c.sized.is_none() && may_have_lengths(&c.type_name))
            .map(|c| c.name.as_str())
            .collect();
        if !unknown.is_empty() {
            tracing::warn!(
                "the front ends do not tell the lengths of the columns {} of {table}{cause}; a text longer than its CHAR(n) or \
                 VARCHAR(n) may be cut by Doris without an error. Let the user read information_schema.columns by HTTP, or set \
                 'sink.properties.strict_mode' = 'true', with which Doris refuses such rows",
                unknown.join(", ")
            );
        }
        lasting
    }
}

/// Whether a type, or one inside of it, is `CHAR` or `VARCHAR`; the name is that of `_schema`.
fn may_have_lengths(type_name: &str) -> bool {
    ["CHAR", "VARCHAR", "ARRAY", "MAP", "STRUCT"]
        .iter()
        .any(|name| type_name.starts_with(name))
}

/// The types of a table's columns by lower-case name.
async fn ask(frontends: &Frontends, table: &Table) -> Result<HashMap<String, DorisType>, Error> {
    let statement = format!(
        "SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.columns WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {}",
        sql::literal(&table.database),
        sql::literal(&table.name)
    );
    let rows = frontends
        .first(&format!("reading the lengths of the columns of {table}"), |fe| {
            let statement = &statement;
            async move { frontends.statement(&fe, &table.database, statement).await }
        })
        .await?;
    Ok(types(rows.rows))
}

/// The types by lower-case name; those that cannot be understood are left out.
fn types(rows: Vec<Vec<Option<String>>>) -> HashMap<String, DorisType> {
    rows.iter()
        .filter_map(|row| match row.as_slice() {
            [Some(name), Some(text)] => Some((name.to_lowercase(), DorisType::parse(text).ok()?)),
            _ => None,
        })
        .collect()
}

/// For each declared column the type with its lengths, if its values go into a column of the table as they are: not
/// where `columns` derives that column from an expression, nor where paths into the document decide what goes where.
pub(crate) fn bounds(
    schema: &TableSchema,
    declared: &[FlinkField],
    listed: Option<&str>,
    format: &Format,
    by_path: bool,
) -> Vec<Option<DorisType>> {
    if by_path && matches!(format, Format::Json(_)) {
        return vec![None; declared.len()];
    }
    let entries = listed.map(parse_list);
    let is_derived = |name: &str| {
        let mut listed = entries.iter().flatten();
        listed.any(|e| e.derived && e.name.eq_ignore_ascii_case(name))
    };
    let sources: Option<Vec<&Entry>> = entries
        .as_ref()
        .filter(|_| matches!(format, Format::Csv(_)))
        .map(|entries| entries.iter().filter(|e| !e.derived).collect());
    declared
        .iter()
        .enumerate()
        .map(|(place, field)| {
            let name = match &sources {
                None => field.name.as_str(),
                Some(sources) => sources.get(place)?.name.as_str(),
            };
            if is_derived(name) {
                return None;
            }
            schema.find(name)?.sized.clone()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use doris_arrow::encode::{CsvOptions, JsonOptions};
    use doris_arrow::types::{FlinkKind, FlinkType};
    use serde_json::json;

    use super::*;

    fn schema() -> TableSchema {
        let mut schema = TableSchema::parse(&json!({"keysType": "DUP_KEYS", "status": 200, "properties": [
            {"name": "Id", "type": "INT", "aggregation_type": ""},
            {"name": "name", "type": "VARCHAR", "aggregation_type": "NONE"},
            {"name": "tags", "type": "ARRAY", "aggregation_type": "NONE"},
        ]}))
        .unwrap();
        let cell = |text: &str| Some(text.to_owned());
        let told = types(vec![
            vec![cell("ID"), cell("int")],
            vec![cell("name"), cell("varchar(5)")],
            vec![cell("tags"), cell("array<char(2)>")],
            vec![cell("odd"), cell("<")],
            vec![cell("none"), None],
        ]);
        assert_eq!(told.len(), 3);
        for column in &mut schema.columns {
            column.sized = told.get(&column.name.to_lowercase()).cloned();
        }
        schema
    }

    fn shown(declared: &str, listed: Option<&str>, format: &Format, by_path: bool) -> Vec<String> {
        let FlinkKind::Row(fields) = FlinkType::parse(&format!("ROW<{declared}>")).unwrap().kind else {
            panic!("{declared}")
        };
        bounds(&schema(), &fields, listed, format, by_path)
            .into_iter()
            .map(|bound| bound.map_or_else(|| "-".to_owned(), |t| t.to_string()))
            .collect()
    }

    #[test]
    fn lengths_belong_to_the_columns_that_values_go_into() {
        let csv = Format::Csv(CsvOptions {
            column_separator: b"\t".to_vec(),
            line_delimiter: b"\n".to_vec(),
            enclose: None,
            escape: None,
        });
        let json = Format::Json(JsonOptions {
            line_delimiter: b"\n".to_vec(),
            skip_nulls: false,
        });
        let declared = "`NAME` STRING, `id` INT, `tags` ARRAY<STRING>, `other` STRING";
        for format in [&csv, &json, &Format::Arrow] {
            assert_eq!(
                shown(declared, None, format, false),
                ["VARCHAR(5)", "INT", "ARRAY<CHAR(2)>", "-"]
            );
        }
        // By place in CSV, by name else; what an expression gives is the server's business.
        let listed = Some("tags, id, x, name, x = left(name, 3)");
        assert_eq!(
            shown(declared, listed, &csv, false),
            ["ARRAY<CHAR(2)>", "INT", "-", "VARCHAR(5)"]
        );
        let derived = Some("name, id, tags, other, name = left(name, 3)");
        for format in [&csv, &json] {
            assert_eq!(
                shown(declared, derived, format, false),
                ["-", "INT", "ARRAY<CHAR(2)>", "-"]
            );
        }
        assert_eq!(shown(declared, None, &json, true), ["-", "-", "-", "-"]);
    }
}
