//! The name of a table.

use std::fmt;

/// The name of a table, unquoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// Only for three-part names.
    pub(crate) catalog: Option<String>,
    pub(crate) database: String,
    pub(crate) name: String,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(catalog) = &self.catalog {
            write!(f, "{catalog}.")?;
        }
        write!(f, "{}.{}", self.database, self.name)
    }
}
