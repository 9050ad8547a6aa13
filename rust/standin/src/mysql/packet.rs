//! Packets of the MySQL protocol: a length, a sequence number, a payload; longer payloads go in several packets.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Payload of a full packet; another packet follows it.
const FULL: usize = 0xff_ffff;

/// Bytes kept back before they go to the socket.
const BUFFERED: usize = 256 << 10;

/// Reads and writes packets and counts their sequence numbers.
pub(crate) struct Packets<S> {
    stream: S,
    sequence: u8,
    out: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Packets<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self {
            stream,
            sequence: 0,
            out: Vec::new(),
        }
    }

    /// A command begins: numbers start over.
    pub(crate) fn restart(&mut self) {
        self.sequence = 0;
    }

    /// The next payload, at most `most` bytes; `None` when the peer closed between packets.
    pub(crate) async fn read(&mut self, most: usize) -> io::Result<Option<Vec<u8>>> {
        let mut payload = Vec::new();
        loop {
            let mut head = [0u8; 4];
            match self.stream.read_exact(&mut head).await {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && payload.is_empty() => {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
            let length = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
            self.sequence = head[3].wrapping_add(1);
            if payload.len() + length > most {
                let text = format!("packet of more than {most} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            let start = payload.len();
            payload.resize(start + length, 0);
            self.stream.read_exact(&mut payload[start..]).await?;
            if length < FULL {
                return Ok(Some(payload));
            }
        }
    }

    /// Adds a payload; it goes out with the next [`Packets::flush`], or before when much has gathered.
    pub(crate) async fn write(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut rest = payload;
        loop {
            let (part, tail) = rest.split_at(rest.len().min(FULL));
            let length = (part.len() as u32).to_le_bytes();
            self.out
                .extend_from_slice(&[length[0], length[1], length[2], self.sequence]);
            self.sequence = self.sequence.wrapping_add(1);
            self.out.extend_from_slice(part);
            if self.out.len() >= BUFFERED {
                self.send().await?;
            }
            // A payload of a multiple of the full size ends with an empty packet.
            if part.len() < FULL {
                return Ok(());
            }
            rest = tail;
        }
    }

    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        self.send().await?;
        self.stream.flush().await
    }

    async fn send(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.out).await?;
        self.out.clear();
        Ok(())
    }
}

/// Reads the fields of a payload; every read fails at its end instead of panicking.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn new(payload: &'a [u8]) -> Self {
        Self { rest: payload }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        if count > self.rest.len() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "MySQL packet too short",
            ));
        }
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn u8(&mut self) -> io::Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn u16(&mut self) -> io::Result<u16> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// Text up to a zero byte, which is skipped.
    pub(crate) fn zero_terminated(&mut self) -> io::Result<&'a [u8]> {
        let end = self.rest.iter().position(|byte| *byte == 0);
        let end = end.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "unterminated text"))?;
        let text = self.take(end)?;
        self.take(1)?;
        Ok(text)
    }

    /// A length-encoded number; `None` stands for NULL.
    pub(crate) fn number(&mut self) -> io::Result<Option<u64>> {
        let width = match self.u8()? {
            0xfb => return Ok(None),
            0xfc => 2,
            0xfd => 3,
            0xfe => 8,
            small => return Ok(Some(u64::from(small))),
        };
        let mut bytes = [0u8; 8];
        bytes[..width].copy_from_slice(self.take(width)?);
        Ok(Some(u64::from_le_bytes(bytes)))
    }

    /// A length-encoded text; `None` is NULL.
    pub(crate) fn text(&mut self) -> io::Result<Option<&'a [u8]>> {
        match self.number()? {
            None => Ok(None),
            Some(length) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                Ok(Some(self.take(length)?))
            }
        }
    }
}

/// Appends a length-encoded number.
pub(crate) fn put_number(out: &mut Vec<u8>, number: u64) {
    let bytes = number.to_le_bytes();
    match number {
        0..=250 => out.push(bytes[0]),
        251..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&bytes);
        }
    }
}

/// Appends a length-encoded text.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn payloads_of_any_size_cross() {
        for size in [0, 1, FULL - 1, FULL, FULL + 1, 2 * FULL] {
            let (left, right) = tokio::io::duplex(1 << 20);
            let payload: Vec<u8> = (0..size).map(|at| at as u8).collect();
            let sent = payload.clone();
            let writer = tokio::spawn(async move {
                let mut packets = Packets::new(left);
                packets.write(&sent).await.unwrap();
                packets.write(b"after").await.unwrap();
                packets.flush().await.unwrap();
            });
            let mut packets = Packets::new(right);
            assert!(
                packets.read(usize::MAX).await.unwrap().unwrap() == payload,
                "{size}"
            );
            assert_eq!(packets.read(usize::MAX).await.unwrap().unwrap(), b"after");
            assert_eq!(packets.read(usize::MAX).await.unwrap(), None);
            writer.await.unwrap();
        }
    }

    #[test]
    fn numbers_and_texts_round_trip() {
        for number in [0, 250, 251, 0xffff, 0x1_0000, 0xff_ffff, 0x100_0000, u64::MAX] {
            let mut out = Vec::new();
            put_number(&mut out, number);
            assert_eq!(Fields::new(&out).number().unwrap(), Some(number));
        }
        let mut out = Vec::new();
        put_text(&mut out, "größe".as_bytes());
        assert_eq!(Fields::new(&out).text().unwrap(), Some("größe".as_bytes()));
        assert!(Fields::new(&[0xfe, 1]).number().is_err());
        assert!(Fields::new(&[200, 1]).text().is_err());
    }
}
