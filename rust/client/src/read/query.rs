//! The SQL of a read: the SELECT list, filters, tablets.

use doris_arrow::schema::Found;
use doris_arrow::types::DorisType;

use crate::config::table::Table;
use crate::read::config::ReadConfig;
use crate::sql::{information_schema, literal, quote, table};

/// The name under which a wanted column is delivered.
pub(crate) fn alias(found: &Found) -> String {
    found.path.join(".")
}

/// One element of the SELECT list.
fn expression(found: &Found) -> String {
    // A found path has at least the column itself.
    let (first, inner) = (&found.path[0], &found.path[1..]);
    let mut expression = quote(first);
    for name in inner {
        expression = format!("struct_element({expression}, {})", literal(name));
    }
    let cast = found.delivered != found.r#type;
    if cast {
        expression = format!("CAST({expression} AS {})", found.delivered);
    }
    if cast || !inner.is_empty() {
        format!("{expression} AS {}", quote(&alias(found)))
    } else {
        expression
    }
}

/// The SELECT list; without columns the rows are counted.
pub(crate) fn select_list(columns: &[Found]) -> String {
    if columns.is_empty() {
        return "COUNT(*)".to_owned();
    }
    columns.iter().map(expression).collect::<Vec<_>>().join(", ")
}

/// `(user's filter) AND (pushed filter)`, with `WHERE` in front; empty without filters.
pub(crate) fn filter(user: &str, pushed: &str) -> String {
    let filters: Vec<String> = [user, pushed]
        .into_iter()
        .filter(|f| !f.is_empty())
        .map(|f| format!("({f})"))
        .collect();
    if filters.is_empty() {
        String::new()
    } else {
        format!(" WHERE {}", filters.join(" AND "))
    }
}

/// The query of one split. An empty list of tablets reads the table as a whole.
pub(crate) fn select(config: &ReadConfig, columns: &[Found], filter: &str, tablets: &[i64]) -> String {
    let mut sql = format!("SELECT {} FROM {}", select_list(columns), table(&config.table));
    if !tablets.is_empty() {
        let mut ids = tablets.to_vec();
        ids.sort_unstable();
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        sql.push_str(&format!(" TABLET({})", ids.join(",")));
    }
    sql.push_str(filter);
    // A count is one row: the limit is applied to it by the reader.
    if let (Some(limit), false) = (config.limit, columns.is_empty()) {
        sql.push_str(&format!(" LIMIT {limit}"));
    }
    sql
}

/// The query of [`select`] without rows: shows that the server accepts it, and its schema.
pub(crate) fn select_nothing(config: &ReadConfig, columns: &[Found], filter: &str) -> String {
    format!(
        "SELECT {} FROM {}{filter} LIMIT 0",
        select_list(columns),
        table(&config.table)
    )
}

/// The query that is planned for its tablets: only a single-table scan with filters is allowed there, so it names
/// plain columns.
pub(crate) fn plan_query(
    config: &ReadConfig,
    columns: &[Found],
    filter: &str,
    first: Option<&str>,
) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in columns.iter().map(|c| quote(&c.path[0])) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        names.push(first.map_or_else(|| "*".to_owned(), quote));
    }
    format!(
        "SELECT {} FROM {}{filter}",
        names.join(", "),
        table(&config.table)
    )
}

/// The hash of a key by the server, as an expression over expressions: never NULL, negative for half of the keys. A
/// NULL counts as an empty text, and parts are kept apart by U+0001.
pub(crate) fn key_hash(parts: &[String]) -> String {
    let texts: Vec<String> = parts
        .iter()
        .map(|part| format!("ifnull(cast({part} as string), '')"))
        .collect();
    format!(
        "ifnull(murmur_hash3_32(concat_ws('\u{1}', {})), 0)",
        texts.join(", ")
    )
}

/// The columns of the table with type, nullability and key, in order.
pub(crate) fn columns_query(table: &Table) -> String {
    format!(
        "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY, DATETIME_PRECISION FROM {} \
         WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} ORDER BY ORDINAL_POSITION",
        information_schema(table, "columns"),
        literal(&table.database),
        literal(&table.name)
    )
}

/// The type with the precision of its own column, where the text of the type lacks it.
pub(crate) fn with_precision(r#type: DorisType, precision: Option<u8>) -> DorisType {
    match (r#type, precision) {
        (DorisType::DateTime(0), Some(scale)) => DorisType::DateTime(scale.min(6)),
        (DorisType::TimestampTz(0), Some(scale)) => DorisType::TimestampTz(scale.min(6)),
        (known, _) => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::fixture::fixture;

    fn config(changes: &[(&str, &str)]) -> ReadConfig {
        let mut map = fixture("read-default");
        for (key, value) in changes {
            map.insert((*key).to_owned(), (*value).to_owned());
        }
        ReadConfig::from_map(map).unwrap()
    }

    fn found(path: &[&str], doris: &str, delivered: &str) -> Found {
        Found {
            path: path.iter().map(|p| (*p).to_owned()).collect(),
            r#type: DorisType::parse(doris).unwrap(),
            delivered: DorisType::parse(delivered).unwrap(),
        }
    }

    #[test]
    fn lists_of_columns() {
        let columns = [
            found(&["id"], "int", "int"),
            found(&["a`b"], "date", "string"),
            found(&["s", "it's", "c"], "int", "int"),
            found(&["s", "t"], "array<array<int>>", "array<string>"),
        ];
        assert_eq!(
            select_list(&columns),
            "`id`, CAST(`a``b` AS STRING) AS `a``b`, \
             struct_element(struct_element(`s`, 'it''s'), 'c') AS `s.it's.c`, \
             CAST(struct_element(`s`, 't') AS ARRAY<STRING>) AS `s.t`"
        );
        assert_eq!(select_list(&[]), "COUNT(*)");
    }

    #[test]
    fn whole_queries() {
        let id = [found(&["id"], "int", "int")];
        assert_eq!(
            select(&config(&[]), &id, "", &[3, 1]),
            "SELECT `id` FROM `db`.`t` TABLET(1,3)"
        );
        let filtered = config(&[
            ("doris.filter.query", " a=1 OR b=2 "),
            ("read.filter", "`c` = 3"),
            ("read.limit", "5"),
            ("read.metadata", ""),
        ]);
        let both = filter(&filtered.user_filter, &filtered.pushed_filter);
        assert_eq!(
            select(&filtered, &id, &both, &[]),
            "SELECT `id` FROM `db`.`t` WHERE (a=1 OR b=2) AND (`c` = 3) LIMIT 5"
        );
        // The limit counts rows, and a count is one row.
        assert_eq!(
            select(&filtered, &[], &both, &[7]),
            "SELECT COUNT(*) FROM `db`.`t` TABLET(7) WHERE (a=1 OR b=2) AND (`c` = 3)"
        );
        let nested = [
            found(&["s", "a"], "int", "int"),
            found(&["s", "b"], "date", "string"),
        ];
        assert_eq!(
            plan_query(&filtered, &nested, &both, None),
            "SELECT `s` FROM `db`.`t` WHERE (a=1 OR b=2) AND (`c` = 3)"
        );
        assert_eq!(
            plan_query(&config(&[]), &[], "", Some("id")),
            "SELECT `id` FROM `db`.`t`"
        );
        let external = config(&[("table.catalog", "hive"), ("table.name", "it's")]);
        assert_eq!(
            select(&external, &id, "", &[]),
            "SELECT `id` FROM `hive`.`db`.`it's`"
        );
        let columns = columns_query(&external.table);
        assert!(
            columns.contains("`hive`.information_schema.columns") && columns.contains("TABLE_NAME = 'it''s'"),
            "{columns}"
        );
    }
}
