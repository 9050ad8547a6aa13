//! The plain body in blocks that hold whole records.

use std::io::{self, Read};

/// A block is about this large.
const BLOCK: usize = 1 << 20;
/// One record may be this large.
pub(super) const RECORD_MAX: usize = 100 << 20;

/// Reads a body block by block. The caller looks at [`Blocks::data`], uses the whole records at its start, and gives
/// them back with [`Blocks::consume`].
pub(super) struct Blocks<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    /// At the start of a body.
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: vec![0; 2 * BLOCK],
            start: 0,
            end: 0,
            ended: false,
        }
    }

    /// Reads on until a block is there or the body ends. Without progress since the last call it reads one block more.
    pub(super) fn fill(&mut self, progress: bool) -> io::Result<()> {
        let wanted = match progress {
            true => BLOCK,
            false => self.data().len() + BLOCK,
        };
        if wanted > RECORD_MAX {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a record is larger than {RECORD_MAX} bytes"),
            ));
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.buffer.len() < wanted + BLOCK {
            self.buffer.resize(wanted + BLOCK, 0);
        }
        while !self.ended && self.end < wanted {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.end += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What was read and not yet used.
    pub(super) fn data(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// True when the last byte of the body is in [`Self::data`] or was used.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Marks bytes as used.
    pub(super) fn consume(&mut self, bytes: usize) {
        self.start += bytes;
    }
}
