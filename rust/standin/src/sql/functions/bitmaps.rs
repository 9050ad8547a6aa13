//! Functions on bitmaps, and the makers of the other opaque aggregates.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, StringArray};
use arrow_schema::DataType;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use datafusion::common::{DataFusionError, Result};

use super::{Arguments, Call, Definition};
use crate::values::bitmap::Bitmap;
use crate::values::types::DorisType;

const TEXT: fn(&Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::String);

const BITMAP: fn(&Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::Bitmap);

pub(super) const FUNCTIONS: &[Definition] = &[
    Definition::new(&["to_bitmap"], 1..=1, BITMAP, to_bitmap),
    Definition::new(&["bitmap_from_string"], 1..=1, BITMAP, |call| {
        let texts = call.texts(0)?;
        Ok(binaries(
            texts
                .iter()
                .map(|t| t.and_then(Bitmap::of_text).map(|b| b.to_bytes())),
        ))
    }),
    Definition::new(
        &["bitmap_count"],
        1..=1,
        |_| Ok(DorisType::BigInt),
        |call| {
            let counts = bitmaps(call, 0)?
                .into_iter()
                .map(|b| Some(b.map_or(0, |b| b.count() as i64)));
            Ok(Arc::new(counts.collect::<Int64Array>()))
        },
    ),
    Definition::new(
        &["bitmap_to_string"],
        1..=1,
        |_| Ok(DorisType::String),
        |call| {
            let texts = bitmaps(call, 0)?.into_iter().map(|b| b.map(|b| b.to_text()));
            Ok(Arc::new(texts.collect::<StringArray>()))
        },
    ),
    Definition::new(
        &["hll_hash"],
        1..=1,
        |_| Ok(DorisType::Hll),
        |call| {
            Ok(binaries(
                call.texts(0)?.iter().map(|t| t.map(|t| t.as_bytes().to_vec())),
            ))
        },
    ),
    Definition::new(
        &["to_quantile_state"],
        1..=2,
        |_| Ok(DorisType::QuantileState),
        |call| {
            Ok(binaries(
                call.texts(0)?.iter().map(|t| t.map(|t| t.as_bytes().to_vec())),
            ))
        },
    ),
    Definition::new(&["bitmap_to_base64"], 1..=1, TEXT, |call| {
        to_base64(call, &DorisType::Bitmap)
    }),
    Definition::new(&["hll_to_base64"], 1..=1, TEXT, |call| {
        to_base64(call, &DorisType::Hll)
    }),
    Definition::new(&["quantile_state_to_base64"], 1..=1, TEXT, |call| {
        to_base64(call, &DorisType::QuantileState)
    }),
];

/// The stored bytes of an opaque value as text.
fn to_base64(call: &Call<'_>, wanted: &DorisType) -> Result<ArrayRef> {
    if call.types[0] != *wanted || call.args[0].data_type() != &DataType::Binary {
        return Err(DataFusionError::Execution(format!(
            "a {} is expected, not {}",
            wanted.sql_name(),
            call.types[0].sql_name()
        )));
    }
    let texts = call.args[0].as_binary::<i32>().iter();
    Ok(Arc::new(
        texts
            .map(|bytes| bytes.map(|bytes| STANDARD.encode(bytes)))
            .collect::<StringArray>(),
    ))
}

fn binaries(values: impl Iterator<Item = Option<Vec<u8>>>) -> ArrayRef {
    Arc::new(values.collect::<BinaryArray>())
}

/// NULL and negative numbers give the empty bitmap, as in Doris.
fn to_bitmap(call: &Call<'_>) -> Result<ArrayRef> {
    let texts = call.texts(0)?;
    Ok(binaries(texts.iter().map(|text| {
        let mut bitmap = Bitmap::default();
        if let Some(value) = text.and_then(|t| t.trim().parse().ok()) {
            bitmap.add(value);
        }
        Some(bitmap.to_bytes())
    })))
}

fn bitmaps(call: &Call<'_>, index: usize) -> Result<Vec<Option<Bitmap>>> {
    let array = &call.args[index];
    if array.data_type() != &DataType::Binary {
        return Err(DataFusionError::Execution(format!(
            "a BITMAP is expected, not {}",
            call.types[index].sql_name()
        )));
    }
    Ok(array
        .as_binary::<i32>()
        .iter()
        .map(|bytes| bytes.and_then(Bitmap::of_bytes))
        .collect())
}
