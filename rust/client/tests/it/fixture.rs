//! Configurations as Java sends them; the unit tests of the crate read them with this file as well.

use std::collections::BTreeMap;

/// A configuration that both languages test against: `tests/fixtures/config`, one `key=value` a line.
pub fn fixture(name: &str) -> BTreeMap<String, String> {
    let path = format!(
        "{}/../../tests/fixtures/config/{name}.properties",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{path}: {error}"))
        .lines()
        .map(|line| line.split_once('=').unwrap())
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}
