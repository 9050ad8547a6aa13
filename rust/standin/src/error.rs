//! The failure of a statement or a load, with the codes and texts of Doris.

use std::fmt;

/// A statement's failure as the MySQL protocol tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlError {
    /// MySQL error number: 1105 mostly, 1049 unknown database, 1146 unknown table, 1064 syntax.
    pub code: u16,
    /// SQLSTATE, five characters.
    pub sqlstate: &'static str,
    /// Doris' text, `errCode = 2, detailMessage = …`.
    pub message: String,
}

impl SqlError {
    /// A plain failure, 1105, in Doris' shape.
    pub fn plain(detail: impl fmt::Display) -> Self {
        Self {
            code: 1105,
            sqlstate: "HY000",
            message: format!("errCode = 2, detailMessage = {detail}"),
        }
    }

    /// A statement that cannot be read, 1105 as Doris answers it.
    pub fn syntax(detail: impl fmt::Display) -> Self {
        Self::plain(format!("\n{detail}"))
    }

    /// 1049.
    pub fn unknown_database(name: &str) -> Self {
        Self {
            code: 1049,
            sqlstate: "42000",
            message: format!("errCode = 2, detailMessage = Unknown database '{name}'"),
        }
    }

    /// 1146.
    pub fn unknown_table(database: &str, name: &str) -> Self {
        Self {
            code: 1146,
            sqlstate: "42S02",
            message: format!(
                "errCode = 2, detailMessage = Table [{name}] does not exist in database [{database}]."
            ),
        }
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SqlError {}
