//! Functions on bitmaps, and the makers of the other opaque aggregates.

use std::hash::Hash;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, BooleanArray, Int64Array, StringArray};
use arrow_schema::{DataType, FieldRef};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};

use super::{Arguments, Call, Definition};
use crate::values::bitmap::Bitmap;
use crate::values::types::DorisType;

const TEXT: fn(&Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::String);

const BITMAP: fn(&Arguments<'_>) -> Result<DorisType> = |_| Ok(DorisType::Bitmap);

pub(super) const FUNCTIONS: [Definition; 12] = [
    Definition {
        names: &["to_bitmap"],
        arguments: (1, 1),
        returns: BITMAP,
        run: to_bitmap,
    },
    Definition {
        names: &["bitmap_empty"],
        arguments: (0, 0),
        returns: BITMAP,
        run: |call| {
            Ok(binaries(
                (0..call.rows).map(|_| Some(Bitmap::default().to_bytes())),
            ))
        },
    },
    Definition {
        names: &["bitmap_from_string"],
        arguments: (1, 1),
        returns: BITMAP,
        run: |call| {
            let texts = call.texts(0)?;
            Ok(binaries(
                texts
                    .iter()
                    .map(|t| t.and_then(Bitmap::of_text).map(|b| b.to_bytes())),
            ))
        },
    },
    Definition {
        names: &["bitmap_count"],
        arguments: (1, 1),
        returns: |_| Ok(DorisType::BigInt),
        run: |call| {
            let counts = bitmaps(call, 0)?
                .into_iter()
                .map(|b| Some(b.map_or(0, |b| b.count() as i64)));
            Ok(Arc::new(counts.collect::<Int64Array>()))
        },
    },
    Definition {
        names: &["bitmap_to_string"],
        arguments: (1, 1),
        returns: |_| Ok(DorisType::String),
        run: |call| {
            let texts = bitmaps(call, 0)?.into_iter().map(|b| b.map(|b| b.to_text()));
            Ok(Arc::new(texts.collect::<StringArray>()))
        },
    },
    Definition {
        names: &["bitmap_contains"],
        arguments: (2, 2),
        returns: |_| Ok(DorisType::Boolean),
        run: |call| {
            let values = call.integers(1)?;
            let found = bitmaps(call, 0)?.into_iter().zip(values.iter());
            Ok(Arc::new(
                found
                    .map(|(b, v)| Some(b?.contains(v? as u64)))
                    .collect::<BooleanArray>(),
            ))
        },
    },
    Definition {
        names: &["bitmap_or"],
        arguments: (2, 2),
        returns: BITMAP,
        run: |call| {
            let pairs = bitmaps(call, 0)?.into_iter().zip(bitmaps(call, 1)?);
            Ok(binaries(pairs.map(|(a, b)| {
                let mut all = a?;
                all.union(&b?);
                Some(all.to_bytes())
            })))
        },
    },
    Definition {
        names: &["hll_hash", "hll_from_base64"],
        arguments: (1, 1),
        returns: |_| Ok(DorisType::Hll),
        run: |call| {
            Ok(binaries(
                call.texts(0)?.iter().map(|t| t.map(|t| t.as_bytes().to_vec())),
            ))
        },
    },
    Definition {
        names: &["to_quantile_state"],
        arguments: (1, 2),
        returns: |_| Ok(DorisType::QuantileState),
        run: |call| {
            Ok(binaries(
                call.texts(0)?.iter().map(|t| t.map(|t| t.as_bytes().to_vec())),
            ))
        },
    },
    Definition {
        names: &["bitmap_to_base64"],
        arguments: (1, 1),
        returns: TEXT,
        run: |call| to_base64(call, &DorisType::Bitmap),
    },
    Definition {
        names: &["hll_to_base64"],
        arguments: (1, 1),
        returns: TEXT,
        run: |call| to_base64(call, &DorisType::Hll),
    },
    Definition {
        names: &["quantile_state_to_base64"],
        arguments: (1, 1),
        returns: TEXT,
        run: |call| to_base64(call, &DorisType::QuantileState),
    },
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

/// `bitmap_union` and `bitmap_union_count`.
pub(super) fn aggregates() -> Vec<AggregateUDF> {
    [("bitmap_union", false), ("bitmap_union_count", true)]
        .into_iter()
        .map(|(name, counts)| {
            AggregateUDF::from(Union {
                name,
                counts,
                signature: Signature::any(1, Volatility::Immutable),
            })
        })
        .collect()
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Union {
    name: &'static str,
    counts: bool,
    signature: Signature,
}

impl AggregateUDFImpl for Union {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(if self.counts {
            DataType::Int64
        } else {
            DataType::Binary
        })
    }

    fn return_field(&self, _arg_fields: &[FieldRef]) -> Result<FieldRef> {
        let doris_type = if self.counts {
            DorisType::BigInt
        } else {
            DorisType::Bitmap
        };
        Ok(Arc::new(doris_type.compute_field(self.name, true)))
    }

    fn accumulator(&self, _args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(UnionState {
            counts: self.counts,
            all: Bitmap::default(),
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(arrow_schema::Field::new(
            format!("{}[bitmap]", args.name),
            DataType::Binary,
            true,
        ))])
    }
}

#[derive(Debug)]
struct UnionState {
    counts: bool,
    all: Bitmap,
}

impl Accumulator for UnionState {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if values[0].data_type() != &DataType::Binary {
            return Err(DataFusionError::Execution("a BITMAP is expected".into()));
        }
        values[0]
            .as_binary::<i32>()
            .iter()
            .flatten()
            .filter_map(Bitmap::of_bytes)
            .for_each(|b| self.all.union(&b));
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(match self.counts {
            true => ScalarValue::Int64(Some(self.all.count() as i64)),
            false => ScalarValue::Binary(Some(self.all.to_bytes())),
        })
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.all.count() * 16
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::Binary(Some(self.all.to_bytes()))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }
}
