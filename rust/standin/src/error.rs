//! The failure of a statement or a load, with the codes and texts of Doris.

use std::fmt;

/// A statement's failure as the MySQL protocol reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlError {
    /// MySQL error number: 1105 for almost everything, 1049 where a database is to be used, 1045 at logins.
    pub code: u16,
    /// SQLSTATE, five characters.
    pub sqlstate: &'static str,
    /// Doris' text, `errCode = 2, detailMessage = …`.
    pub message: String,
}

impl SqlError {
    /// A plain failure, 1105, in Doris' shape. The text is never empty.
    pub fn plain(detail: impl fmt::Display) -> Self {
        let detail = detail.to_string();
        let detail = match detail.trim() {
            "" => "unknown error, the server gave no reason",
            _ => &detail,
        };
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

    /// A database that a statement names and that is not there.
    pub fn unknown_database(name: &str) -> Self {
        Self::plain(format!("Database [{name}] does not exist."))
    }

    /// 1049: a database that a session was to use, the one refusal of names with a number of its own.
    pub fn unused_database(name: &str) -> Self {
        Self {
            code: 1049,
            sqlstate: "42000",
            message: format!("errCode = 2, detailMessage = Unknown database '{name}'"),
        }
    }

    /// A table that a statement names and that is not there.
    pub fn unknown_table(database: &str, name: &str) -> Self {
        Self::plain(format!("Table [{name}] does not exist in database [{database}]"))
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SqlError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_never_comes_without_a_text() {
        for nothing in ["", " ", "\n"] {
            let said = SqlError::plain(nothing).message;
            assert!(said.ends_with("the server gave no reason"), "{said:?}");
        }
        assert_eq!(SqlError::syntax("").message, SqlError::plain("").message);
        assert_eq!(SqlError::plain("x").message, "errCode = 2, detailMessage = x");
    }
}
