//! Functions on text.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, StringArray};
use datafusion::common::Result;
use md5::{Digest, Md5};

use super::{Arguments, Call, Definition};
use crate::values::types::DorisType;

/// Seed of the first argument's hash in Doris.
const MURMUR3_32_SEED: u32 = 104_729;

pub(super) const FUNCTIONS: &[Definition] = &[
    Definition::new(&["concat"], 1..=usize::MAX, text_type, concat),
    Definition::new(&["concat_ws"], 2..=usize::MAX, text_type, concat_ws),
    Definition::new(
        &["length", "octet_length"],
        1..=1,
        |_| Ok(DorisType::Int),
        |call| {
            let texts = call.texts(0)?;
            Ok(Arc::new(
                texts
                    .iter()
                    .map(|t| t.map(|t| t.len() as i32))
                    .collect::<Int32Array>(),
            ))
        },
    ),
    Definition::new(&["md5"], 1..=1, text_type, md5),
    Definition::new(
        &["murmur_hash3_32"],
        1..=usize::MAX,
        |_| Ok(DorisType::Int),
        murmur_hash3_32,
    ),
    Definition::new(&["hex"], 1..=1, text_type, hex),
];

fn text_type(_arguments: &Arguments<'_>) -> Result<DorisType> {
    Ok(DorisType::Varchar(65533))
}

/// NULL when any argument is.
fn concat(call: &Call<'_>) -> Result<ArrayRef> {
    let parts = (0..call.args.len())
        .map(|i| call.texts(i))
        .collect::<Result<Vec<_>>>()?;
    let rows = (0..call.rows).map(|row| {
        let valid = parts.iter().all(|p| p.is_valid(row));
        valid.then(|| parts.iter().map(|p| p.value(row)).collect::<String>())
    });
    Ok(Arc::new(rows.collect::<StringArray>()))
}

/// NULL when the separator is; other NULLs are left out. An array counts as its items.
fn concat_ws(call: &Call<'_>) -> Result<ArrayRef> {
    let separators = call.texts(0)?;
    if let (2, Some(DorisType::Array(item))) = (call.args.len(), call.types.get(1)) {
        let rows = (0..call.rows).map(|row| -> Result<Option<String>> {
            if separators.is_null(row) || call.args[1].is_null(row) {
                return Ok(None);
            }
            let items = arrow_array::cast::AsArray::as_list::<i32>(&call.args[1]).value(row);
            let texts = crate::values::text::render_array(item, &items, &call.surroundings.zone);
            Ok(Some(
                texts
                    .iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(separators.value(row)),
            ))
        });
        return Ok(Arc::new(rows.collect::<Result<StringArray>>()?));
    }
    let parts = (1..call.args.len())
        .map(|i| call.texts(i))
        .collect::<Result<Vec<_>>>()?;
    let rows = (0..call.rows).map(|row| {
        separators.is_valid(row).then(|| {
            let known: Vec<&str> = parts
                .iter()
                .filter(|p| p.is_valid(row))
                .map(|p| p.value(row))
                .collect();
            known.join(separators.value(row))
        })
    });
    Ok(Arc::new(rows.collect::<StringArray>()))
}

fn md5(call: &Call<'_>) -> Result<ArrayRef> {
    let texts = call.texts(0)?;
    let hashed = texts.iter().map(|t| t.map(|t| format!("{:x}", Md5::digest(t))));
    Ok(Arc::new(hashed.collect::<StringArray>()))
}

/// The hash of each argument is the seed of the next.
fn murmur_hash3_32(call: &Call<'_>) -> Result<ArrayRef> {
    let parts = (0..call.args.len())
        .map(|i| call.texts(i))
        .collect::<Result<Vec<_>>>()?;
    let rows = (0..call.rows).map(|row| {
        let valid = parts.iter().all(|p| p.is_valid(row));
        valid.then(|| {
            parts.iter().fold(MURMUR3_32_SEED, |seed, p| {
                murmur3_32(p.value(row).as_bytes(), seed)
            }) as i32
        })
    });
    Ok(Arc::new(rows.collect::<Int32Array>()))
}

/// MurmurHash3, 32 bits.
fn murmur3_32(bytes: &[u8], seed: u32) -> u32 {
    const C1: u32 = 0xcc9e_2d51;
    const C2: u32 = 0x1b87_3593;
    let scramble = |k: u32| k.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let mut hash = seed;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        hash ^= scramble(u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let tail = chunks
        .remainder()
        .iter()
        .rev()
        .fold(0, |k, byte| k << 8 | u32::from(*byte));
    hash ^= scramble(tail);
    hash ^= bytes.len() as u32;
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// Numbers by value, everything else by its bytes.
fn hex(call: &Call<'_>) -> Result<ArrayRef> {
    if call.types[0].is_integer() {
        let numbers = call.integers(0)?;
        return Ok(Arc::new(
            numbers
                .iter()
                .map(|n| n.map(|n| format!("{n:X}")))
                .collect::<StringArray>(),
        ));
    }
    let texts = call.texts(0)?;
    let digits = |text: &str| text.bytes().map(|b| format!("{b:02X}")).collect::<String>();
    Ok(Arc::new(
        texts.iter().map(|t| t.map(digits)).collect::<StringArray>(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn murmur_gives_the_published_values() {
        assert_eq!(murmur3_32(b"", 0), 0);
        assert_eq!(murmur3_32(b"", 1), 0x514e_28b7);
        assert_eq!(murmur3_32(b"test", 0x9747_b28c), 0x704b_81dc);
        assert_eq!(murmur3_32(b"Hello, world!", 0x9747_b28c), 0x2488_4cba);
        assert_eq!(
            murmur3_32(b"The quick brown fox jumps over the lazy dog", 0x9747_b28c),
            0x2fa8_26cd
        );
    }
}
