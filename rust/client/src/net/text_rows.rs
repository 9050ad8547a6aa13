//! Rows as a server gives them in text: of the statement API and of the MySQL protocol.

use crate::error::{Error, ErrorKind};

/// The rows of one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextRows {
    pub(crate) columns: Vec<String>,
    /// Cells by row, each row as long as `columns`; `None` is NULL.
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

impl TextRows {
    /// The place of a column, in any letter case.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Error> {
        self.columns
            .iter()
            .position(|column| column.eq_ignore_ascii_case(name))
            .ok_or_else(|| {
                let told = self.columns.join(", ");
                Error::new(
                    ErrorKind::Query,
                    format!("the answer has no column '{name}', only: {told}"),
                )
            })
    }

    /// The cell of the first row in a column; `None` without rows, and where it is NULL.
    pub(crate) fn first(&self, name: &str) -> Result<Option<&str>, Error> {
        let column = self.column(name)?;
        Ok(self.rows.first().and_then(|row| row[column].as_deref()))
    }
}
