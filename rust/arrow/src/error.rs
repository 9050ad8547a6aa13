//! What can be wrong with types and bytes.

/// An error of this crate. Messages are for users: they name the column and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A record batch does not match its schema: cut, damaged, or of a form that cannot be read.
    #[error("corrupt record batch: {0}")]
    Corrupt(String),
    /// A value cannot be passed on: NULL where none is allowed, out of range, not parsable.
    #[error("column {column}: {message}")]
    Value {
        /// The column as the user knows it, with the path inside nested types.
        column: String,
        /// What is wrong with the value.
        message: String,
    },
    /// The text of a type cannot be understood.
    #[error("type '{text}': {message}")]
    TypeText {
        /// The text as it was given.
        text: String,
        /// What was expected.
        message: String,
    },
    /// Wanted and delivered columns do not fit; all differences.
    #[error("{}", .0.join("; "))]
    Schema(Vec<String>),
}

impl Error {
    pub(crate) fn corrupt(message: impl Into<String>) -> Self {
        Self::Corrupt(message.into())
    }

    pub(crate) fn value(column: &str, message: impl Into<String>) -> Self {
        Self::Value {
            column: column.to_owned(),
            message: message.into(),
        }
    }
}

/// `Result` with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
