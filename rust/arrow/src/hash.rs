//! A 64-bit hash per row over columns in canonical form: the same in every version and on every machine, since
//! checkpoints hold sums of such hashes.
//!
//! Every column gives a word per row; a row's hash mixes the words of its columns in their order:
//!
//! | Value | Word |
//! |---|---|
//! | NULL | [`NULL`] |
//! | integer, date, time, timestamp | the number, sign-extended |
//! | `BOOLEAN` | 0 or 1 |
//! | `FLOAT`, `DOUBLE` | its bits |
//! | `DECIMAL` | its lower 64 bits, mixed with its upper ones |
//! | text, bytes | its length, mixed with 8 bytes each, little-endian, the last filled up with zeros |
//! | `ARRAY`, `MAP` | its length, mixed with the word of each item or pair |
//! | `ROW`, pair of a `MAP` | [`SEED`], mixed with the word of each field |
//!
//! `mix(state, word)` is `x ^ (x >> 32)` of `x = (state ^ word) * 0x9E3779B97F4A7C15`; a row begins with [`SEED`] and
//! ends with the finaliser of SplitMix64. All arithmetic wraps.

use std::ops::Range;

use arrow::datatypes::DataType;

use crate::error::{Error, Result};
use crate::ipc::{ColumnSlots, Layout};

/// What a row begins with.
pub const SEED: u64 = 0x243F_6A88_85A3_08D3;
/// The word of NULL.
pub const NULL: u64 = 0x1319_8A2E_0370_7344;

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hashes of the rows of one batch, column by column.
#[derive(Debug)]
pub struct RowHasher {
    states: Vec<u64>,
}

impl RowHasher {
    /// For that many rows.
    pub fn new(rows: usize) -> Self {
        Self {
            states: vec![SEED; rows],
        }
    }

    /// Adds a column of numbers; what it has beyond the rows does not count.
    pub fn add_numbers(&mut self, values: impl IntoIterator<Item = i64>) {
        for (state, value) in self.states.iter_mut().zip(values) {
            *state = mix(*state, value as u64);
        }
    }

    /// Adds a column of a verified batch in canonical form. An error when its offsets do not hold together.
    pub fn add_column(
        &mut self,
        r#type: &DataType,
        layout: &Layout,
        slots: &ColumnSlots,
        body: &[u8],
    ) -> Result<()> {
        let mut walk = Walk {
            layout,
            body,
            node: slots.nodes.start,
            buffer: slots.buffers.start,
        };
        let words = walk.words(r#type)?;
        for (state, word) in self.states.iter_mut().zip(words) {
            *state = mix(*state, word);
        }
        Ok(())
    }

    /// The hashes.
    pub fn finish(self) -> Vec<i64> {
        self.states
            .into_iter()
            .map(|state| spread(state) as i64)
            .collect()
    }
}

#[inline]
fn mix(state: u64, word: u64) -> u64 {
    let x = (state ^ word).wrapping_mul(FACTOR);
    x ^ (x >> 32)
}

fn spread(state: u64) -> u64 {
    let x = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

fn bytes_word(bytes: &[u8]) -> u64 {
    let mut state = mix(SEED, bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        state = mix(state, u64::from_le_bytes(last));
    }
    state
}

/// Goes through the arrays of a column, depth first.
struct Walk<'a> {
    layout: &'a Layout,
    body: &'a [u8],
    node: usize,
    buffer: usize,
}

impl<'a> Walk<'a> {
    /// The words of the next array with everything in it.
    fn words(&mut self, r#type: &DataType) -> Result<Vec<u64>> {
        let (length, nulls) = *self
            .layout
            .nodes
            .get(self.node)
            .ok_or_else(|| Error::corrupt("fewer arrays than columns"))?;
        self.node += 1;
        let validity = self.buffer()?;
        let mut words = match r#type {
            DataType::Boolean => {
                let bits = self.values(length.div_ceil(8))?;
                (0..length)
                    .map(|row| u64::from(bits[row / 8] >> (row % 8) & 1))
                    .collect()
            }
            DataType::Int8 => self.values(length)?.iter().map(|v| *v as i8 as u64).collect(),
            DataType::Int16 => self.numbers(length, |v| i16::from_le_bytes(v) as u64)?,
            DataType::Int32 | DataType::Date32 => self.numbers(length, |v| i32::from_le_bytes(v) as u64)?,
            DataType::Float32 => self.numbers(length, |v| u64::from(u32::from_le_bytes(v)))?,
            DataType::Int64 | DataType::Float64 | DataType::Timestamp(_, _) => {
                self.numbers(length, u64::from_le_bytes)?
            }
            DataType::Decimal128(_, _) => self.numbers(length, |v| {
                let value = u128::from_le_bytes(v);
                mix(value as u64, (value >> 64) as u64)
            })?,
            DataType::Utf8 | DataType::Binary => {
                let offsets = self.offsets(length)?;
                let values = &self.body[self.buffer()?];
                let mut words = Vec::with_capacity(length);
                for ends in offsets.windows(2) {
                    let bytes = values.get(ends[0]..ends[1]).ok_or_else(misplaced)?;
                    words.push(bytes_word(bytes));
                }
                words
            }
            DataType::List(item) | DataType::Map(item, _) => {
                let offsets = self.offsets(length)?;
                let items = self.words(item.data_type())?;
                let mut words = Vec::with_capacity(length);
                for ends in offsets.windows(2) {
                    let items = items.get(ends[0]..ends[1]).ok_or_else(misplaced)?;
                    words.push(
                        items
                            .iter()
                            .fold(mix(SEED, items.len() as u64), |s, w| mix(s, *w)),
                    );
                }
                words
            }
            DataType::Struct(fields) => {
                let mut words = vec![SEED; length];
                for field in fields {
                    for (word, inner) in words.iter_mut().zip(self.words(field.data_type())?) {
                        *word = mix(*word, inner);
                    }
                }
                words
            }
            other => return Err(Error::corrupt(format!("{other} is not canonical"))),
        };
        if nulls > 0 {
            let bits = self
                .body
                .get(validity)
                .filter(|bits| bits.len() >= length.div_ceil(8))
                .ok_or_else(misplaced)?;
            for (row, word) in words.iter_mut().enumerate() {
                if bits[row / 8] >> (row % 8) & 1 == 0 {
                    *word = NULL;
                }
            }
        }
        Ok(words)
    }

    fn buffer(&mut self) -> Result<Range<usize>> {
        let range = self
            .layout
            .buffers
            .get(self.buffer)
            .ok_or_else(|| Error::corrupt("fewer buffers than columns"))?;
        self.buffer += 1;
        Ok(range.clone())
    }

    /// The first bytes of the next buffer.
    fn values(&mut self, due: usize) -> Result<&'a [u8]> {
        let range = self.buffer()?;
        self.body
            .get(range)
            .and_then(|values| values.get(..due))
            .ok_or_else(misplaced)
    }

    fn numbers<const WIDTH: usize>(
        &mut self,
        length: usize,
        word: impl Fn([u8; WIDTH]) -> u64,
    ) -> Result<Vec<u64>> {
        let values = self.values(length * WIDTH)?;
        Ok(values.as_chunks::<WIDTH>().0.iter().map(|v| word(*v)).collect())
    }

    /// The ends of the entries; one more than there are entries. A buffer of no entries may be empty.
    fn offsets(&mut self, length: usize) -> Result<Vec<usize>> {
        if length == 0 {
            self.buffer()?;
            return Ok(Vec::new());
        }
        let values = self.values((length + 1) * 4)?;
        values
            .as_chunks::<4>()
            .0
            .iter()
            .map(|offset| usize::try_from(i32::from_le_bytes(*offset)).map_err(|_| misplaced()))
            .collect()
    }
}

fn misplaced() -> Error {
    Error::corrupt("offsets or values of a column do not hold together")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::types::Int32Type;
    use arrow::array::{
        Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int8Array,
        Int16Array, Int32Array, Int64Array, ListArray, StringArray, StructArray,
    };
    use arrow::datatypes::{Field, Fields};

    use super::*;
    use crate::ipc::{IpcBatch, of_arrays};

    fn ipc(columns: &[ArrayRef]) -> (IpcBatch, Fields) {
        let fields: Fields = columns
            .iter()
            .map(|c| Field::new("c", c.data_type().clone(), true))
            .collect();
        (of_arrays(columns), fields)
    }

    fn hashes(columns: &[ArrayRef]) -> Vec<i64> {
        let (batch, fields) = ipc(columns);
        let layout = Layout::verify(&batch.header, &batch.body, &fields).unwrap();
        let mut hasher = RowHasher::new(batch.rows);
        for (field, slots) in fields.iter().zip(&layout.columns) {
            hasher
                .add_column(field.data_type(), &layout, slots, &batch.body)
                .unwrap();
        }
        hasher.finish()
    }

    fn one(column: impl Array + 'static) -> Vec<i64> {
        hashes(&[Arc::new(column)])
    }

    /// Checkpoints hold these numbers: they must never change.
    #[test]
    fn golden() {
        let words: [(ArrayRef, u64); 9] = [
            (Arc::new(Int8Array::from(vec![-1])), u64::MAX),
            (Arc::new(Int16Array::from(vec![300])), 300),
            (Arc::new(Int32Array::from(vec![i32::MIN])), 0xFFFF_FFFF_8000_0000),
            (Arc::new(Date32Array::from(vec![20_000])), 20_000),
            (Arc::new(BooleanArray::from(vec![true])), 1),
            (Arc::new(Float32Array::from(vec![1.0])), 0x3F80_0000),
            (Arc::new(Float64Array::from(vec![1.0])), 0x3FF0_0000_0000_0000),
            (Arc::new(Int64Array::from(vec![None])), NULL),
            (Arc::new(StringArray::from(vec![""])), mix(SEED, 0)),
        ];
        for (array, word) in words {
            assert_eq!(
                hashes(std::slice::from_ref(&array)),
                [spread(mix(SEED, word)) as i64],
                "{array:?}"
            );
        }
        let rows = hashes(&[
            Arc::new(Int64Array::from(vec![Some(1), Some(-7), None])),
            Arc::new(StringArray::from(vec![Some("a"), None, Some("größer 😀")])),
            Arc::new(
                Decimal128Array::from(vec![Some(-1), Some(1 << 70), None])
                    .with_precision_and_scale(38, 2)
                    .unwrap(),
            ),
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([
                Some(vec![Some(1), None]),
                Some(vec![]),
                None,
            ])),
        ]);
        assert_eq!(rows, GOLDEN);
    }

    const GOLDEN: [i64; 3] = [
        4_898_081_992_048_626_402,
        7_860_683_341_470_178_181,
        5_094_750_920_214_267_877,
    ];

    #[test]
    fn what_differs_has_another_hash() {
        let texts = one(StringArray::from(vec![
            Some(""),
            None,
            Some("a"),
            Some("a\0"),
            Some("12345678"),
            Some("123456780"),
        ]));
        for (i, hash) in texts.iter().enumerate() {
            assert!(!texts[..i].contains(hash), "{i}");
        }
        let pairs = |a: Vec<&str>, b: Vec<&str>| {
            hashes(&[Arc::new(StringArray::from(a)), Arc::new(StringArray::from(b))])
        };
        assert_ne!(pairs(vec!["ab"], vec!["c"]), pairs(vec!["a"], vec!["bc"]));
        assert_ne!(pairs(vec!["a"], vec!["b"]), pairs(vec!["b"], vec!["a"]));
    }

    #[test]
    fn the_width_of_a_number_does_not_matter() {
        assert_eq!(one(Int8Array::from(vec![-3])), one(Int64Array::from(vec![-3])));
        assert_eq!(one(Int32Array::from(vec![-3])), one(Int16Array::from(vec![-3])));
    }

    #[test]
    fn what_lies_under_null_does_not_matter() {
        let inner: ArrayRef = Arc::new(Int32Array::from(vec![5, 6]));
        let other: ArrayRef = Arc::new(Int32Array::from(vec![5, 7]));
        let fields: Fields = vec![Field::new("a", DataType::Int32, true)].into();
        let nulls = Some(vec![true, false].into());
        let first = one(StructArray::new(fields.clone(), vec![inner], nulls.clone()));
        assert_eq!(first, one(StructArray::new(fields, vec![other], nulls)));
        assert_ne!(first[0], first[1]);
    }

    #[test]
    fn offsets_that_lead_astray_are_an_error() {
        let (batch, fields) = ipc(&[Arc::new(StringArray::from(vec!["ab", "cd"]))]);
        let layout = Layout::verify(&batch.header, &batch.body, &fields).unwrap();
        let mut body = batch.body.to_vec();
        let offsets = layout.buffers[1].start;
        body[offsets + 4..offsets + 8].copy_from_slice(&900_i32.to_le_bytes());
        let mut hasher = RowHasher::new(2);
        let error = hasher.add_column(&DataType::Utf8, &layout, &layout.columns[0], &body);
        assert!(error.unwrap_err().to_string().contains("hold together"));
    }
}
