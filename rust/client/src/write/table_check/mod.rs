//! Whether a table is there and takes the rows of a sink.

mod lengths;
mod list;
mod missing;
pub(crate) mod tables;
mod writable;

use doris_arrow::encode::Format;
use doris_arrow::schema::nearest;
use doris_arrow::types::FlinkField;

use crate::error::{Error, ErrorKind};
use crate::fe::{TableColumn, TableSchema};
use crate::write::sink::Sink;

pub(crate) use lengths::bounds;
pub(crate) use list::{Entry, parse as parse_list};

/// The hidden column of Unique tables by which a row deletes.
pub(crate) const DELETE_SIGN: &str = "__DORIS_DELETE_SIGN__";

/// What a table is like, as far as a sink has to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCheck {
    /// `UNIQUE_KEYS`, `DUP_KEYS` or `AGG_KEYS`.
    pub keys: String,
    /// Whether rows are sent with a delete sign.
    pub delete_sign: bool,
    /// Positions of the declared columns that are the table's key, in the order of the key. Empty without declared
    /// columns, and where a key column is not one of them as it is: left out, or derived by
    /// `sink.properties.columns`.
    pub key_fields: Vec<usize>,
    /// The columns of the table, and whether each belongs to its key: for raw rows, whose fields are not declared.
    pub columns: Vec<(String, bool)>,
}

impl Sink {
    /// Reads the table's schema and checks that the declared columns exist and take their types; one error lists all
    /// differences. `declared` is `None` for raw rows. `delete_sign`: whether the rows could carry one; the answer
    /// says whether they shall: only on Unique tables, with `sink.enable-delete`, and where neither a declared column
    /// nor `merge_type` decides what is deleted. What was read is kept for the loads of the table until one fails.
    pub async fn check_table(
        &self,
        database: &str,
        table: &str,
        declared: Option<&[FlinkField]>,
        delete_sign: bool,
    ) -> Result<TableCheck, Error> {
        let schema = self
            .tables()
            .get(self.frontends(), database, table, declared.is_some())
            .await?;
        let config = self.config();
        let own_sign = declared
            .unwrap_or_default()
            .iter()
            .any(|f| f.name.eq_ignore_ascii_case(DELETE_SIGN));
        let listed = config.properties.columns.as_deref();
        let check = TableCheck {
            key_fields: declared
                .and_then(|d| key_fields(&schema, d, listed, &config.properties.format))
                .unwrap_or_default(),
            delete_sign: delete_sign
                && config.enable_delete
                && schema.is_unique()
                && !own_sign
                && !config.properties.merges,
            keys: schema.keys.clone(),
            columns: match declared {
                Some(_) => Vec::new(),
                None => schema.columns.iter().map(|c| (c.name.clone(), c.key)).collect(),
            },
        };
        let Some(declared) = declared else {
            return Ok(check);
        };
        let differences = differences(
            &schema,
            declared,
            listed,
            &config.properties.format,
            check.delete_sign,
        );
        if differences.is_empty() {
            return Ok(check);
        }
        self.tables().forget(database, table);
        Err(Error::new(
            ErrorKind::Schema,
            format!(
                "the declaration does not fit the table {database}.{table}: {}",
                differences.join("; ")
            ),
        ))
    }
}

/// All that is wrong with the declared columns. `listed` is the user's `columns`, which may name columns of the rows
/// that the table does not have and derive others from them.
fn differences(
    schema: &TableSchema,
    declared: &[FlinkField],
    listed: Option<&str>,
    format: &Format,
    delete_sign: bool,
) -> Vec<String> {
    let Some(listed) = listed else {
        return declared
            .iter()
            .filter_map(|field| match schema.find(&field.name) {
                Some(column) => misfit(field, column, format),
                // The hidden sign is no column of the schema.
                None if field.name.eq_ignore_ascii_case(DELETE_SIGN) && schema.is_unique() => None,
                None => Some(absent(&field.name, schema)),
            })
            .collect();
    };
    let entries = parse_list(listed);
    let hidden = |name: &str| name.starts_with("__DORIS_");
    let derived: Vec<&str> = entries
        .iter()
        .filter(|e| e.derived)
        .map(|e| e.name.as_str())
        .collect();
    let mut found: Vec<String> = derived
        .iter()
        .filter(|name| schema.find(name).is_none() && !hidden(name))
        .map(|name| {
            format!(
                "sink.properties.columns derives '{name}': {}",
                absent(name, schema)
            )
        })
        .collect();
    // What is derived takes what the expression gives, whatever is declared.
    let direct = |name: &str| {
        let free = !derived.iter().any(|d| d.eq_ignore_ascii_case(name));
        schema.find(name).filter(|_| free)
    };
    let sources: Vec<&Entry> = entries.iter().filter(|e| !e.derived).collect();
    if matches!(format, Format::Csv(_)) {
        let named = sources.iter().any(|e| e.name.eq_ignore_ascii_case(DELETE_SIGN));
        let sent = declared.len() + usize::from(delete_sign && named);
        if sources.len() != sent {
            found.push(format!(
                "sink.properties.columns lists {} columns of the rows, which have {sent}",
                sources.len()
            ));
            return found;
        }
        found.extend(declared.iter().zip(&sources).filter_map(|(field, source)| {
            direct(&source.name).and_then(|column| misfit(field, column, format))
        }));
        return found;
    }
    for source in sources {
        let field = declared
            .iter()
            .find(|f| f.name.eq_ignore_ascii_case(&source.name));
        match (field, direct(&source.name)) {
            (Some(field), Some(column)) => found.extend(misfit(field, column, format)),
            (None, _) if !hidden(&source.name) => found.push(format!(
                "sink.properties.columns names '{}', which the rows do not have",
                source.name
            )),
            _ => {}
        }
    }
    found
}

/// Which declared columns are the key of the table; `None` where one of its columns is not declared as it is.
fn key_fields(
    schema: &TableSchema,
    declared: &[FlinkField],
    listed: Option<&str>,
    format: &Format,
) -> Option<Vec<usize>> {
    let entries = listed.map(parse_list);
    let position = |name: &str| declared.iter().position(|f| f.name.eq_ignore_ascii_case(name));
    let of_column = |name: &str| match &entries {
        None => position(name),
        Some(entries)
            if entries
                .iter()
                .any(|e| e.derived && e.name.eq_ignore_ascii_case(name)) =>
        {
            None
        }
        Some(entries) => {
            let mut sources = entries.iter().filter(|e| !e.derived);
            let place = sources.position(|e| e.name.eq_ignore_ascii_case(name))?;
            // With CSV the list names the fields by their place.
            match format {
                Format::Csv(_) => Some(place).filter(|p| *p < declared.len()),
                _ => position(name),
            }
        }
    };
    let keys = schema.columns.iter().filter(|c| c.key);
    keys.map(|column| of_column(&column.name)).collect()
}

fn misfit(field: &FlinkField, column: &TableColumn, format: &Format) -> Option<String> {
    let exact = matches!(format, Format::Arrow);
    let allowed = writable::check(&field.r#type, column, exact).err()?;
    Some(format!(
        "column '{}' is {} in Doris but declared {}; allowed{}: {allowed}",
        field.name,
        column
            .r#type
            .as_ref()
            .map_or_else(|| column.type_name.clone(), ToString::to_string),
        field.r#type,
        if exact { " with format arrow" } else { "" }
    ))
}

fn absent(name: &str, schema: &TableSchema) -> String {
    let names = || schema.columns.iter().map(|c| c.name.as_str());
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => format!("it has {}", names().take(20).collect::<Vec<_>>().join(", ")),
    };
    format!("column '{name}' does not exist in the table; {hint}")
}

#[cfg(test)]
mod tests {
    use doris_arrow::encode::{CsvOptions, JsonOptions};
    use doris_arrow::types::{DorisType, FlinkKind, FlinkType};
    use serde_json::json;

    use super::*;

    fn schema() -> TableSchema {
        TableSchema::parse(&json!({"keysType": "UNIQUE_KEYS", "status": 200, "properties": [
            {"name": "Id", "type": "INT", "comment": "", "aggregation_type": ""},
            {"name": "name", "type": "VARCHAR", "comment": "", "aggregation_type": "NONE"},
            {"name": "amt", "type": "DECIMAL64", "comment": "", "aggregation_type": "NONE", "precision": "10", "scale": "2"},
            {"name": "tags", "type": "ARRAY", "aggregation_type": "REPLACE"},
            {"name": "users", "type": "BITMAP", "aggregation_type": "BITMAP_UNION"},
        ]}))
        .unwrap()
    }

    fn row(text: &str) -> Vec<FlinkField> {
        match FlinkType::parse(&format!("ROW<{text}>")).unwrap().kind {
            FlinkKind::Row(fields) => fields,
            other => panic!("{other}"),
        }
    }

    fn csv() -> Format {
        Format::Csv(CsvOptions {
            column_separator: b"\t".to_vec(),
            line_delimiter: b"\n".to_vec(),
            enclose: None,
            escape: None,
        })
    }

    fn json_lines() -> Format {
        Format::Json(JsonOptions {
            line_delimiter: b"\n".to_vec(),
            skip_nulls: false,
        })
    }

    #[test]
    fn a_schema_with_numbers_as_texts() {
        let schema = schema();
        assert!(schema.is_unique());
        assert_eq!(schema.find("ID").map(|c| c.key), Some(true));
        assert_eq!(
            schema.find("amt").unwrap().r#type,
            Some(DorisType::Decimal(10, 2))
        );
        assert_eq!(schema.find("tags").unwrap().r#type, None);
        assert!(!schema.find("tags").unwrap().key);
        assert!(
            schema.find("tags").unwrap().is_nested(),
            "it is told as an ARRAY of nothing"
        );
        assert!(!schema.find("amt").unwrap().is_nested());
    }

    #[test]
    fn all_differences_at_once() {
        let declared =
            row("`id` BIGINT, `nmae` STRING, `amt` DECIMAL(10, 4), `tags` ARRAY<INT>, `users` INT");
        let found = differences(&schema(), &declared, None, &csv(), true);
        assert_eq!(found.len(), 4, "{found:#?}");
        for (text, parts) in found.iter().zip([
            ["'id' is INT in Doris but declared BIGINT", "allowed"],
            ["'nmae' does not exist", "did you mean 'name'?"],
            ["'amt' is DECIMAL(10,2)", "DECIMAL(10, 4)"],
            ["'users' is BITMAP", "sink.properties.columns"],
        ]) {
            assert!(parts.iter().all(|p| text.contains(p)), "{text}");
        }
        let fits = row("`ID` INT, `name` STRING, `amt` DECIMAL(8, 2), `__DORIS_DELETE_SIGN__` INT");
        assert_eq!(differences(&schema(), &fits, None, &json_lines(), false), [""; 0]);
    }

    #[test]
    fn the_key_is_found_among_the_declared_columns() {
        let declared = row("`name` STRING, `ID` INT");
        let found = |listed, format| key_fields(&schema(), &declared, listed, &format);
        assert_eq!(found(None, csv()), Some(vec![1]));
        // By place with CSV, else by name.
        assert_eq!(found(Some("id, name"), csv()), Some(vec![0]));
        assert_eq!(found(Some("id, name"), json_lines()), Some(vec![1]));
        // Left out, derived, or only in the list.
        for list in ["name", "name, x, id = x + 1"] {
            assert_eq!(found(Some(list), json_lines()), None, "{list}");
        }
        assert_eq!(found(Some("a, b, id"), csv()), None);
        assert_eq!(key_fields(&schema(), &row("`name` STRING"), None, &csv()), None);
    }

    #[test]
    fn lists_of_the_user_name_what_the_rows_have() {
        let declared = row("`a` INT, `b` STRING, `c` BIGINT");
        let list = "id, name, uid, users=to_bitmap(uid)";
        assert_eq!(
            differences(&schema(), &declared, Some(list), &csv(), true),
            [""; 0]
        );
        let found = differences(&schema(), &declared, Some("id, name"), &csv(), true);
        assert!(
            found[0].contains("lists 2 columns of the rows, which have 3"),
            "{found:?}"
        );
        let found = differences(
            &schema(),
            &declared,
            Some("name, tags, id, usres=f(id)"),
            &csv(),
            true,
        );
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].contains("'usres'") && found[1].contains("'c' is INT"),
            "{found:?}"
        );
        let found = differences(&schema(), &declared, Some("a, b, x, id=a"), &json_lines(), true);
        assert!(found[0].contains("names 'x'"), "{found:?}");
    }
}
