//! The bytes being written: a buffer with room in front of the place of writing, so that short pieces are copied
//! without a call and without a check for each byte.

/// Appends to a `Vec<u8>`, whose length counts as the end only when this is dropped.
pub(super) struct Out<'a> {
    /// Initialised up to its length, written up to `at`.
    bytes: &'a mut Vec<u8>,
    at: usize,
}

/// Short pieces are copied in blocks of this many bytes.
const BLOCK: usize = 16;

impl<'a> Out<'a> {
    /// Writes after what `bytes` holds.
    pub(super) fn new(bytes: &'a mut Vec<u8>) -> Self {
        let at = bytes.len();
        Self { bytes, at }
    }

    /// Where the next byte goes.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What was written from `start` on.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &[u8] {
        &self.bytes[start..self.at]
    }

    /// Forgets what was written from `start` on.
    #[inline]
    pub(super) fn back_to(&mut self, start: usize) {
        debug_assert!(start <= self.at);
        self.at = start;
    }

    /// Puts a byte in the place of one that was written.
    #[inline]
    pub(super) fn replace(&mut self, at: usize, byte: u8) {
        self.bytes[..self.at][at] = byte;
    }

    /// `count` bytes to write to, which must all be written; [`Out::advance`] makes them count.
    #[inline]
    pub(super) fn room(&mut self, count: usize) -> &mut [u8] {
        if self.bytes.len() - self.at < count {
            self.grow(count);
        }
        &mut self.bytes[self.at..self.at + count]
    }

    /// Makes `count` bytes of the room count.
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.at += count;
        debug_assert!(self.at <= self.bytes.len());
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, count: usize) {
        let wanted = self.at + count;
        // All of what is allocated already, or twice as much as there is.
        let target = wanted.max(self.bytes.capacity()).max(4096);
        let target = if target == wanted { wanted * 2 } else { target };
        self.bytes.resize(target, 0);
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        self.room(1)[0] = byte;
        self.at += 1;
    }

    /// Appends a piece of any length.
    #[inline]
    pub(super) fn put(&mut self, piece: &[u8]) {
        let length = piece.len();
        let room = self.room(length + BLOCK);
        if length <= 2 * BLOCK {
            copy_short(&mut room[..length], piece);
        } else {
            room[..length].copy_from_slice(piece);
        }
        self.at += length;
    }
}

impl Drop for Out<'_> {
    fn drop(&mut self) {
        self.bytes.truncate(self.at);
    }
}

/// Copies at most 32 bytes as two blocks that may overlap.
#[inline]
fn copy_short(to: &mut [u8], from: &[u8]) {
    macro_rules! blocks {
        ($width:literal) => {{
            let last = from.len() - $width;
            let (first, second): ([u8; $width], [u8; $width]) = (block(from, 0), block(from, last));
            to[..$width].copy_from_slice(&first);
            to[last..last + $width].copy_from_slice(&second);
        }};
    }
    match from.len() {
        16.. => blocks!(16),
        8..16 => blocks!(8),
        4..8 => blocks!(4),
        2..4 => blocks!(2),
        1 => to[0] = from[0],
        0 => {}
    }
}

#[inline]
fn block<const WIDTH: usize>(from: &[u8], at: usize) -> [u8; WIDTH] {
    let mut block = [0; WIDTH];
    block.copy_from_slice(&from[at..at + WIDTH]);
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_every_length() {
        let source: Vec<u8> = (0..200u8).collect();
        let mut bytes = b"before".to_vec();
        let mut expected = bytes.clone();
        {
            let mut out = Out::new(&mut bytes);
            for length in 0..source.len() {
                out.put(&source[..length]);
                out.byte(b'.');
                expected.extend_from_slice(&source[..length]);
                expected.push(b'.');
            }
            let start = out.at();
            out.put(b"gone");
            assert_eq!(out.since(start), b"gone");
            out.back_to(start);
            out.replace(0, b'B');
        }
        expected[0] = b'B';
        assert!(bytes == expected);
    }
}
