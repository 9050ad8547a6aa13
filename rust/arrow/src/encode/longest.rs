//! How long the text of a value may be.

use super::Checked;
use crate::types::DorisType;

/// Most bytes of UTF-8 that a column, item, key or field takes as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Longest {
    bytes: u32,
    /// `CHAR` or `VARCHAR`.
    name: &'static str,
}

impl Longest {
    /// What values of the type may be long.
    pub(super) fn of(sized: Option<&DorisType>) -> Self {
        let (bytes, name) = match sized {
            Some(DorisType::Char(n)) => (*n, "CHAR"),
            Some(DorisType::Varchar(n)) => (*n, "VARCHAR"),
            _ => (u32::MAX, ""),
        };
        Self { bytes, name }
    }

    /// Whether any text fits.
    pub(super) fn is_open(self) -> bool {
        self.bytes == u32::MAX
    }

    /// Whether a text of that many bytes fits.
    #[inline]
    pub(super) fn fits(self, bytes: usize) -> bool {
        bytes <= self.bytes as usize
    }

    /// The error for a text of that many bytes, if it does not fit.
    #[inline]
    pub(super) fn check(self, bytes: usize) -> Checked {
        if self.fits(bytes) {
            return Ok(());
        }
        Err(self.too_long(bytes))
    }

    #[cold]
    #[inline(never)]
    fn too_long(self, bytes: usize) -> Box<str> {
        format!(
            "a text of {bytes} bytes for {}({}), which counts bytes of UTF-8; Doris may cut it without an error, so it is not \
             sent: make the column longer, or shorten the text in the query",
            self.name, self.bytes
        )
        .into()
    }
}
