//! What a table is like whose changes are to be followed, and whether they can be.

use super::Changelog;
use crate::config::table::Table;
use crate::error::{Error, ErrorKind};
use crate::fe::TableSchema;
use crate::read::config::IncrementType;
use crate::read::flight::Flight;
use crate::read::plan;
use crate::sql;

/// Retention where the table has none of its own.
const DEFAULT_TTL_SECONDS: u64 = 86_400;

/// What the server reports of a table whose changes are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFacts {
    /// `UNIQUE_KEYS` or `DUP_KEYS`.
    pub keys: String,
    /// Whether the changelog holds rows as they were before a change.
    pub history: bool,
    /// For how many seconds changes are kept.
    pub ttl_seconds: u64,
    /// Doris' id of the table; `None` where the server does not report it.
    pub table_id: Option<i64>,
    /// What the user should know, to be logged once.
    pub warnings: Vec<String>,
}

/// What `SHOW CREATE TABLE` shows.
#[derive(Debug, Default, PartialEq, Eq)]
struct Declaration {
    view: bool,
    changelog: bool,
    history: bool,
    ttl_seconds: Option<u64>,
    /// `false` only where it is switched off by name.
    merge_on_write: bool,
    auto_increment: Vec<String>,
}

/// Compares columns, then checks model and properties. All that is wrong with the latter is in one error.
pub(super) async fn read(changelog: &Changelog, flight: &mut Flight) -> Result<TableFacts, Error> {
    let table = &changelog.config.table;
    let mut columns = plan::check(flight, &changelog.config).await?;
    let mut warnings = std::mem::take(&mut columns.notes);
    warnings.extend(flight.take_warnings());

    let declaration = Declaration::parse(&show_create(changelog, table).await?);
    if declaration.view {
        let message = format!("{table} is a view: changes can be followed of tables only");
        return Err(Error::new(ErrorKind::Schema, message));
    }
    let data = changelog.frontends.schema(table).await?;
    let schema = TableSchema::parse(&data).ok_or_else(|| {
        let message = format!("the schema of table {table} cannot be understood: {data}");
        Error::new(ErrorKind::Query, message)
    })?;
    let increment = changelog.changes.increment_type;
    check(table, increment, &schema, &declaration)?;
    if schema.is_unique() && !declaration.history && increment == IncrementType::Detail {
        warnings.push(WITHOUT_HISTORY.to_owned());
    }
    Ok(TableFacts {
        table_id: table_id(changelog, table).await?,
        keys: schema.keys,
        history: declaration.history,
        ttl_seconds: declaration.ttl_seconds.unwrap_or(DEFAULT_TTL_SECONDS),
        warnings,
    })
}

fn check(
    table: &Table,
    increment: IncrementType,
    schema: &TableSchema,
    declaration: &Declaration,
) -> Result<(), Error> {
    let unique = schema.is_unique();
    let mut problems = Vec::new();
    if !unique && !schema.keys.starts_with("DUP") {
        problems.push(
            "it is an Aggregate table: changes are kept of Duplicate tables and of Unique tables with merge-on-write"
                .to_owned(),
        );
    } else if unique && !declaration.merge_on_write {
        problems.push(
            "it is a Unique table with merge-on-read: changes are kept with enable_unique_key_merge_on_write = true only"
                .to_owned(),
        );
    }
    if !declaration.changelog {
        problems.push(
            "it keeps no changelog: on Doris 5.0 or newer create it anew with \"changelog.enable\" = \"true\" among its PROPERTIES (Doris cannot switch it on later), or read it with source.scan.mode = snapshot"
                .to_owned(),
        );
    }
    let variants: Vec<&str> = schema
        .columns
        .iter()
        .filter(|column| column.type_name == "VARIANT")
        .map(|column| column.name.as_str())
        .collect();
    if !variants.is_empty() {
        problems.push(format!(
            "{} of type VARIANT, which no changelog holds: use JSON or STRING",
            columns(&variants)
        ));
    }
    if !declaration.auto_increment.is_empty() {
        problems.push(format!(
            "{} AUTO_INCREMENT, which no changelog holds",
            columns(&declaration.auto_increment)
        ));
    }
    if !problems.is_empty() {
        let message = format!(
            "changes of table {table} cannot be followed: {}",
            problems.join("; ")
        );
        return Err(Error::new(ErrorKind::Schema, message));
    }
    if increment != IncrementType::MinDelta {
        return Ok(());
    }
    let problem = if !unique {
        "which is a Duplicate table: it records inserts only, so set detail or append_only".to_owned()
    } else if !declaration.history {
        "which keeps no history: create it anew with \"changelog.need_historical_value\" = \"true\" among its PROPERTIES, or set detail".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::new(
        ErrorKind::Config,
        format!("source.changelog.increment-type = min_delta does not work with table {table}, {problem}"),
    ))
}

/// "its column a is", "its columns a, b are".
fn columns<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let (noun, verb) = if names.len() == 1 {
        ("column", "is")
    } else {
        ("columns", "are")
    };
    format!("its {noun} {} {verb}", names.join(", "))
}

/// What a table without historical values means for its reader.
const WITHOUT_HISTORY: &str = "it keeps no history (changelog.need_historical_value), so an update arrives as +I with the new values and a delete as -D of which only the key means anything: right for a sink with the same primary key, wrong for joins and aggregates, which count such rows twice. Either create the table anew with \"changelog.need_historical_value\" = \"true\", or declare a primary key and SET 'table.exec.source.cdc-events-duplicate' = 'true' (or 'source.changelog.changelog-mode' = 'upsert')";

async fn show_create(changelog: &Changelog, table: &Table) -> Result<String, Error> {
    let statement = format!("SHOW CREATE TABLE {}", sql::table(table));
    let rows = changelog
        .frontends
        .first(&format!("reading the declaration of {table}"), |fe| {
            let statement = statement.clone();
            async move {
                changelog
                    .frontends
                    .statement(&fe, &table.database, &statement)
                    .await
            }
        })
        .await?;
    // Name and text; the text of a view comes under another name.
    let text = rows.rows.first().and_then(|row| row.get(1)).cloned().flatten();
    text.ok_or_else(|| {
        Error::new(
            ErrorKind::Query,
            format!("the server does not show the declaration of {table}"),
        )
    })
}

/// The table's id, which distinguishes it from another one that gets its name later. Not every server reports it.
async fn table_id(changelog: &Changelog, table: &Table) -> Result<Option<i64>, Error> {
    let query = format!(
        "SELECT TABLE_ID FROM information_schema.metadata_name_ids WHERE CATALOG_NAME = 'internal' AND DATABASE_NAME = {} AND TABLE_NAME = {}",
        sql::literal(&table.database),
        sql::literal(&table.name)
    );
    let asked = changelog
        .frontends
        .first(&format!("reading the id of {table}"), |fe| {
            let query = query.clone();
            async move {
                changelog
                    .frontends
                    .statement(&fe, "information_schema", &query)
                    .await
            }
        })
        .await;
    match asked {
        Ok(rows) => Ok(rows.first("TABLE_ID")?.and_then(|id| id.trim().parse().ok())),
        Err(error) if error.kind() == ErrorKind::Query => {
            tracing::debug!(%table, %error, "the server does not tell the table's id");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

impl Declaration {
    /// Reads the statement, and nothing that stands in a comment or a default value.
    fn parse(text: &str) -> Self {
        let first_line = text.trim_start().to_ascii_uppercase();
        let (columns, properties) = match text.rfind("\nPROPERTIES (") {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let property = |name: &str| properties.lines().find_map(|line| entry(line, name));
        let is = |name: &str| property(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        // The feature was called row binlog before; a binlog of another format, or of servers that know no formats,
        // is none of it.
        let row_format = property("binlog.format").is_some_and(|format| format.eq_ignore_ascii_case("row"));
        let (changelog, family) = if is("changelog.enable") {
            (true, "changelog")
        } else {
            (is("binlog.enable") && row_format, "binlog")
        };
        Self {
            view: first_line.starts_with("CREATE VIEW") || first_line.starts_with("CREATE MATERIALIZED VIEW"),
            changelog,
            history: is(&format!("{family}.need_historical_value")),
            ttl_seconds: property(&format!("{family}.ttl_seconds")).and_then(|value| value.parse().ok()),
            merge_on_write: property("enable_unique_key_merge_on_write")
                .is_none_or(|value| value.eq_ignore_ascii_case("true")),
            auto_increment: auto_increment(columns),
        }
    }
}

/// The value of a line `"name" = "value",`.
fn entry<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.trim().strip_prefix('"')?.strip_prefix(name)?;
    let value = rest.strip_prefix('"')?.trim_start().strip_prefix('=')?;
    value.trim_start().strip_prefix('"')?.split('"').next()
}

/// The columns, one a line, that the server fills with numbers.
fn auto_increment(declaration: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut name, mut bare) = (None, String::new());
    let mut quoted: Option<(char, String)> = None;
    let mut chars = declaration.chars();
    while let Some(c) = chars.next() {
        match &mut quoted {
            Some((quote, text)) if c == *quote => {
                if *quote == '`' && name.is_none() {
                    name = Some(std::mem::take(text));
                }
                quoted = None;
            }
            // What follows ends no text.
            Some((quote, text)) if c == '\\' && *quote != '`' => text.extend(chars.next()),
            Some((_, text)) => text.push(c),
            None if matches!(c, '`' | '\'' | '"') => quoted = Some((c, String::new())),
            None if c == '\n' => {
                let marked = bare.to_ascii_uppercase().contains("AUTO_INCREMENT");
                found.extend(name.take().filter(|_| marked));
                bare.clear();
            }
            None => bare.push(c),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CREATE: &str = "CREATE TABLE `t` (\n  `id` bigint NOT NULL AUTO_INCREMENT(1),\n  \
        `note` varchar(9) NULL DEFAULT \"AUTO_INCREMENT\" COMMENT 'it\\'s `x` AUTO_INCREMENT\n `y` AUTO_INCREMENT\nPROPERTIES (\n\"changelog.enable\" = \"false\"'\n\
        ) ENGINE=OLAP\nUNIQUE KEY(`id`)\nDISTRIBUTED BY HASH(`id`) BUCKETS 1\nPROPERTIES (\n\
        \"replication_allocation\" = \"tag.location.default: 1\",\n\"enable_unique_key_merge_on_write\" = \"true\",\n\
        \"changelog.enable\" = \"true\",\n\"changelog.need_historical_value\" = \"true\",\n\"changelog.ttl_seconds\" = \"3600\"\n);";

    fn schema(keys: &str, columns: &[(&str, &str)]) -> TableSchema {
        let columns: Vec<_> = columns
            .iter()
            .map(|(name, r#type)| json!({"name": name, "type": r#type, "aggregation_type": ""}))
            .collect();
        TableSchema::parse(&json!({"keysType": keys, "properties": columns})).unwrap()
    }

    #[test]
    fn a_declaration_is_read_past_comments_and_defaults() {
        let read = Declaration::parse(CREATE);
        assert_eq!(
            read,
            Declaration {
                view: false,
                changelog: true,
                history: true,
                ttl_seconds: Some(3600),
                merge_on_write: true,
                auto_increment: vec!["id".to_owned()],
            }
        );
        assert!(Declaration::parse("CREATE VIEW `v` AS SELECT 1").view);
    }

    #[test]
    fn both_families_of_names_are_known() {
        let read = |properties: &str| {
            Declaration::parse(&format!(
                "CREATE TABLE `t` (\n) ENGINE=OLAP\nPROPERTIES (\n{properties}\n);"
            ))
        };
        let old = read(
            "\"binlog.enable\" = \"true\",\n\"binlog.format\" = \"ROW\",\n\"binlog.ttl_seconds\" = \"60\",\n\"binlog.need_historical_value\" = \"true\"",
        );
        assert!(old.changelog && old.history && old.merge_on_write);
        assert_eq!(old.ttl_seconds, Some(60));
        let other = read("\"binlog.enable\" = \"true\",\n\"binlog.format\" = \"STATEMENT\"");
        assert!(!other.changelog);
        let none = read("\"binlog.enable\" = \"false\",\n\"enable_unique_key_merge_on_write\" = \"false\"");
        assert!(!none.changelog && !none.history && !none.merge_on_write);
        assert_eq!(none.ttl_seconds, None);
        // Only the whole name counts.
        assert!(!read("\"changelog.enabled\" = \"true\"").changelog);
    }

    #[test]
    fn all_that_is_wrong_with_a_table_is_said_at_once() {
        let table = Table {
            catalog: None,
            database: "db".to_owned(),
            name: "t".to_owned(),
        };
        let bare = Declaration {
            auto_increment: vec!["n".to_owned()],
            ..Declaration::default()
        };
        let variant = schema("UNIQUE_KEYS", &[("id", "INT"), ("v", "VARIANT")]);
        let error = check(&table, IncrementType::Detail, &variant, &bare).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Schema);
        for part in [
            "db.t",
            "merge-on-read",
            "\"changelog.enable\" = \"true\"",
            "its column v is of type VARIANT",
            "its column n is AUTO_INCREMENT",
        ] {
            assert!(error.to_string().contains(part), "'{part}' is not in: {error}");
        }
        let fine = Declaration {
            changelog: true,
            merge_on_write: true,
            ..Declaration::default()
        };
        let aggregate = check(&table, IncrementType::Detail, &schema("AGG_KEYS", &[]), &fine).unwrap_err();
        assert!(aggregate.to_string().contains("Aggregate"), "{aggregate}");
        let duplicate = schema("DUP_KEYS", &[("id", "INT")]);
        let unique = schema("UNIQUE_KEYS", &[("id", "INT")]);
        for increment in [IncrementType::Detail, IncrementType::AppendOnly] {
            check(&table, increment, &duplicate, &fine).unwrap();
            check(&table, increment, &unique, &fine).unwrap();
        }
        for (schema, remedy) in [
            (&duplicate, "append_only"),
            (&unique, "changelog.need_historical_value"),
        ] {
            let error = check(&table, IncrementType::MinDelta, schema, &fine).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(
                error.to_string().contains("min_delta") && error.to_string().contains(remedy),
                "{error}"
            );
        }
        let history = Declaration {
            history: true,
            ..fine
        };
        check(&table, IncrementType::MinDelta, &unique, &history).unwrap();
    }
}
