//! Whether a table is there and takes the rows of a sink.

use doris_arrow::types::FlinkField;

use crate::error::{Error, ErrorKind};
use crate::sink::Sink;

/// What a table is like, as far as a sink has to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCheck {
    /// `UNIQUE_KEYS`, `DUP_KEYS` or `AGG_KEYS`.
    pub keys: String,
    /// Whether rows are sent with a delete sign.
    pub delete_sign: bool,
}

/// The tables that a sink knows.
#[derive(Debug, Default)]
pub(crate) struct Tables {}

impl Sink {
    /// Reads the table's schema and checks that the declared columns exist and take their types; one error lists all
    /// differences. `declared` is `None` for raw rows. `delete_sign`: whether the rows could carry one; the answer says whether
    /// they shall. What was read is kept for the loads of the table until one fails.
    pub async fn check_table(
        &self,
        database: &str,
        table: &str,
        declared: Option<&[FlinkField]>,
        delete_sign: bool,
    ) -> Result<TableCheck, Error> {
        let _ = (database, table, declared, delete_sign);
        Err(Error::new(ErrorKind::Internal, "no table check"))
    }
}
