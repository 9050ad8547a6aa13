//! Functions between bytes and their spellings.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use datafusion::common::{DataFusionError, Result};

use super::{Call, Definition};
use crate::values::types::DorisType;

pub(super) const FUNCTIONS: &[Definition] = &[Definition::new(
    &["from_base64"],
    1..=1,
    |_| Ok(DorisType::Varchar(65533)),
    from_base64,
)];

/// NULL where the text is no base64, as in Doris. Texts here are UTF-8: other bytes are an error, never another value.
fn from_base64(call: &Call<'_>) -> Result<ArrayRef> {
    let texts = call.texts(0)?;
    let decoded = texts.iter().map(|text| {
        let bytes = text.and_then(|text| STANDARD.decode(text).ok());
        bytes.map(String::from_utf8).transpose()
    });
    let decoded = decoded
        .collect::<std::result::Result<StringArray, _>>()
        .map_err(|_| {
            DataFusionError::Execution(
                "from_base64 gives bytes that are no UTF-8, which texts here cannot hold".into(),
            )
        })?;
    Ok(Arc::new(decoded))
}
