//! Functions between bytes and their spellings.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringArray};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use datafusion::common::{DataFusionError, Result};

use super::{Call, Definition};
use crate::values::types::DorisType;

pub(super) const FUNCTIONS: [Definition; 4] = [
    Definition {
        names: &["from_base64"],
        arguments: (1, 1),
        returns: |_| Ok(DorisType::Varchar(65533)),
        run: from_base64,
    },
    Definition {
        names: &["from_base64_binary"],
        arguments: (1, 1),
        returns: |_| Ok(DorisType::Varbinary(65533)),
        run: |call| Ok(Arc::new(decoded(call, |text| STANDARD.decode(text).ok())?)),
    },
    Definition {
        names: &["unhex"],
        arguments: (1, 1),
        returns: |_| Ok(DorisType::Varchar(65533)),
        run: unhex,
    },
    Definition {
        names: &["to_base64"],
        arguments: (1, 1),
        returns: |_| Ok(DorisType::Varchar(65533)),
        run: |call| {
            let texts = call.texts(0)?;
            let spelled = texts.iter().map(|text| text.map(|text| STANDARD.encode(text)));
            Ok(Arc::new(spelled.collect::<StringArray>()))
        },
    },
];

/// NULL where the text is no base64, as in Doris.
fn from_base64(call: &Call<'_>) -> Result<ArrayRef> {
    utf8("from_base64", &decoded(call, |text| STANDARD.decode(text).ok())?)
}

/// The empty text where the argument is no hex, as in Doris.
fn unhex(call: &Call<'_>) -> Result<ArrayRef> {
    let bytes = |text: &str| -> Option<Vec<u8>> {
        let pairs = text.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        match text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit()) {
            true => pairs.map(byte).collect(),
            false => Some(Vec::new()),
        }
    };
    utf8("unhex", &decoded(call, bytes)?)
}

fn decoded(call: &Call<'_>, decode: impl Fn(&str) -> Option<Vec<u8>>) -> Result<BinaryArray> {
    let texts = call.texts(0)?;
    Ok(texts.iter().map(|text| text.and_then(&decode)).collect())
}

/// Texts here are UTF-8: other bytes are an error, never another value.
fn utf8(name: &str, bytes: &BinaryArray) -> Result<ArrayRef> {
    let texts = bytes
        .iter()
        .map(|bytes| bytes.map(std::str::from_utf8).transpose())
        .collect::<std::result::Result<StringArray, _>>();
    let texts = texts.map_err(|_| {
        DataFusionError::Execution(format!(
            "{name} gives bytes that are no UTF-8, which texts here cannot hold"
        ))
    })?;
    Ok(Arc::new(texts))
}
