//! Bitmaps: sets of unsigned numbers, in an encoding of our own that only the engine reads.

use std::collections::BTreeSet;

/// First byte of an encoded bitmap.
const MARK: u8 = 1;

/// A set of unsigned 64-bit numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitmap {
    values: BTreeSet<u64>,
}

impl Bitmap {
    /// Adds a number.
    pub fn add(&mut self, value: u64) {
        self.values.insert(value);
    }

    /// Adds all numbers of another.
    pub fn union(&mut self, other: &Self) {
        self.values.extend(&other.values);
    }

    /// Number of members.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// A mark, then every member as 8 bytes, rising, little endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![MARK];
        self.values
            .iter()
            .for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        out
    }

    /// Reads [`Self::to_bytes`]; `None` when it is something else.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (mark, rest) = bytes.split_first()?;
        if *mark != MARK || rest.len() % 8 != 0 {
            return None;
        }
        let number = |chunk: &[u8]| chunk.try_into().map(u64::from_le_bytes).unwrap_or_default();
        Some(Self {
            values: rest.chunks_exact(8).map(number).collect(),
        })
    }

    /// `1,2,3`, members rising.
    pub fn to_text(&self) -> String {
        self.values
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(",")
    }

    /// Reads `1,2,3`; the empty text is the empty set.
    pub fn of_text(text: &str) -> Option<Self> {
        if text.trim().is_empty() {
            return Some(Self::default());
        }
        let values = text
            .split(',')
            .map(|part| part.trim().parse().ok())
            .collect::<Option<_>>()?;
        Some(Self { values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_kept_once_and_read_back() {
        let mut bitmap = Bitmap::of_text("3, 1,3").unwrap();
        bitmap.add(u64::MAX);
        assert_eq!(
            (bitmap.count(), bitmap.to_text()),
            (3, format!("1,3,{}", u64::MAX))
        );
        assert_eq!(Bitmap::of_bytes(&bitmap.to_bytes()), Some(bitmap));
        assert_eq!(Bitmap::of_bytes(b"xx"), None);
        assert_eq!(Bitmap::of_text("1,x"), None);
    }
}
