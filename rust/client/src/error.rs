//! The error of this crate: a kind that Java knows by number, whether trying again can help, and a message for a user.

use std::error::Error as StdError;
use std::fmt;

/// What went wrong. The numbers are those of the Java enum `ErrorCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ErrorKind {
    /// A configuration value is missing or not usable.
    Config = 1,
    /// Nobody could be reached, or a name could not be resolved.
    Connect = 2,
    /// User or password refused, or a privilege is missing.
    Auth = 3,
    /// The database or table does not exist.
    NotFound = 4,
    /// Declared and delivered columns differ.
    Schema = 5,
    /// The server refused the statement.
    Query = 6,
    /// A time limit passed.
    Timeout = 7,
    /// A connection or stream broke.
    Transport = 8,
    /// A corrupt batch, a NULL in a `NOT NULL` column, a value that does not fit.
    Data = 9,
    /// Not supported.
    Unsupported = 10,
    /// The scan or load was closed.
    Closed = 11,
    /// A fault of this library.
    Internal = 12,
    /// A panic of this library.
    Panic = 13,
    // 14 is Java's own LIBRARY.
    /// The server refused a load for its data or its parameters, or a load broke and cannot be sent again.
    Load = 15,
    /// A label is finished that this attempt was about to use.
    Label = 16,
    /// A commit or an abort was refused, or not answered; the server may still hold the transaction.
    Transaction = 17,
    /// Changes that a `min_delta` window begins with are no longer retained.
    Expired = 18,
    /// A window waited for transactions of its table longer than allowed.
    VisibleWait = 19,
    /// The partition of a slice is not in the listing of the front end that answered.
    PartitionGone = 20,
    /// The offset table cannot be used, or its row cannot.
    Offset = 21,
    /// A transaction that was to be committed is aborted: its rows are not in the table.
    Aborted = 22,
    /// A transaction that was to be committed is not known to the server: committed long ago, or dropped.
    Forgotten = 23,
}

/// An error with a message for a user. `Display` shows the message followed by all sources, which tonic and reqwest
/// keep out of their own `Display`. Never holds a password or token.
pub struct Error {
    kind: ErrorKind,
    retryable: bool,
    /// Hopeless with this server, but another one may do.
    unresolved: bool,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// `Result` with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A new error that is not worth trying again.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            retryable: false,
            unresolved: false,
            message: message.into(),
            source: None,
        }
    }

    /// The same error, marked as worth trying again.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// The same error, marked as worth trying again if that is so.
    #[must_use]
    pub fn retryable_if(mut self, retryable: bool) -> Self {
        self.retryable |= retryable;
        self
    }

    /// What failed because of this error: under its kind, as much worth trying again, with this error as the cause.
    #[must_use]
    pub(crate) fn caused(self, message: impl Into<String>) -> Self {
        Self::new(self.kind, message)
            .retryable_if(self.retryable)
            .with_source(self)
    }

    /// The same error in other words.
    #[must_use]
    pub(crate) fn reworded(self, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
            ..self
        }
    }

    /// The same error, with the cause that `Display` appends.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same error, marked as a name that cannot be resolved: another server may do, the same one will not.
    pub(crate) fn unresolved(mut self) -> Self {
        self.unresolved = true;
        self
    }

    /// The same error under another kind.
    pub(crate) fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// The same error once more, for another caller who waits for the same thing.
    pub(crate) fn again(&self) -> Self {
        Self {
            kind: self.kind,
            retryable: self.retryable,
            unresolved: self.unresolved,
            message: self.to_string(),
            source: None,
        }
    }

    /// Whether another server may succeed.
    pub(crate) fn moves_on(&self) -> bool {
        self.retryable || self.unresolved
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.source {
            Some(source) => {
                let text = walk(source.as_ref());
                if text.is_empty() || self.message.contains(&text) {
                    Ok(())
                } else {
                    write!(f, ": {text}")
                }
            }
            None => Ok(()),
        }
    }
}

/// The text of an error and of everything that it wraps. Many wrappers repeat what they wrap: each text is shown once.
pub(crate) fn walk(error: &(dyn StdError + 'static)) -> String {
    let mut shown = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let text = source.to_string();
        if !text.is_empty() && !shown.contains(&text) {
            if !shown.is_empty() {
                shown.push_str(": ");
            }
            shown.push_str(&text);
        }
        next = source.source();
    }
    shown
}

/// Whether the text of a failed connection means that a name could not be resolved.
pub(crate) fn unresolved(text: &str) -> bool {
    text.contains("dns error") || text.contains("failed to lookup address")
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?}{}: {self}",
            self.kind,
            if self.retryable { " (retryable)" } else { "" }
        )
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|s| s as &(dyn StdError + 'static))
    }
}

impl From<doris_arrow::Error> for Error {
    fn from(error: doris_arrow::Error) -> Self {
        let kind = match &error {
            doris_arrow::Error::Corrupt(_) | doris_arrow::Error::Value { .. } => ErrorKind::Data,
            doris_arrow::Error::TypeText { .. } | doris_arrow::Error::Schema(_) => ErrorKind::Schema,
        };
        Self::new(kind, error.to_string())
    }
}

/// The error for a panic of a task of ours.
pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> Error {
    let text = payload
        .downcast_ref::<&'static str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without text".to_owned());
    Error::new(
        ErrorKind::Panic,
        format!("fault in the native library (panic): {text}"),
    )
}
