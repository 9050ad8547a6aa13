//! Names and texts as SQL spells them.

use crate::config::table::Table;

/// A name in backticks.
pub(crate) fn quote(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text in single quotes.
pub(crate) fn literal(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for c in text.chars() {
        match c {
            '\'' => quoted.push_str("''"),
            '\\' => quoted.push_str("\\\\"),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// The quoted name of a table, with two or three parts.
pub(crate) fn table(table: &Table) -> String {
    let mut parts: Vec<String> = table.catalog.iter().map(|c| quote(c)).collect();
    parts.push(quote(&table.database));
    parts.push(quote(&table.name));
    parts.join(".")
}

/// A table of `information_schema` in the catalog of the given table.
pub(crate) fn information_schema(table: &Table, name: &str) -> String {
    let catalog = table
        .catalog
        .as_ref()
        .map(|c| format!("{}.", quote(c)))
        .unwrap_or_default();
    format!("{catalog}information_schema.{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_in_a_text_is_doubled() {
        assert_eq!(literal("a\\b"), "'a\\\\b'");
    }
}
