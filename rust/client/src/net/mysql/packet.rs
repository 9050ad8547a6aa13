//! Packets of the MySQL protocol: a length, a sequence number, a payload; longer payloads come in several packets.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Payload of a full packet; another packet follows it.
const FULL: usize = 0xff_ffff;

/// Longest payload that is taken: answers here are a few rows.
const LONGEST: usize = 64 << 20;

/// Reads and writes packets and counts their sequence numbers.
pub(super) struct Packets<S> {
    stream: S,
    sequence: u8,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Packets<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, sequence: 0 }
    }

    /// Begins a new command: sequence numbers start again.
    pub(super) fn restart(&mut self) {
        self.sequence = 0;
    }

    /// The next payload, which has at least one byte.
    pub(super) async fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut payload = Vec::new();
        loop {
            let mut header = [0; 4];
            self.stream.read_exact(&mut header).await?;
            if header[3] != self.sequence {
                return Err(damaged("a packet is out of sequence"));
            }
            self.sequence = self.sequence.wrapping_add(1);
            let length = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
            let start = payload.len();
            if start + length > LONGEST {
                return Err(damaged("an answer is too long"));
            }
            payload.resize(start + length, 0);
            self.stream.read_exact(&mut payload[start..]).await?;
            if length < FULL {
                break;
            }
        }
        if payload.is_empty() {
            return Err(damaged("a packet is empty"));
        }
        Ok(payload)
    }

    /// Sends one payload.
    pub(super) async fn write(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut out = Vec::with_capacity(payload.len() + 8);
        let mut rest = payload;
        loop {
            let (part, tail) = rest.split_at(rest.len().min(FULL));
            // At most FULL, so three bytes.
            out.extend_from_slice(&(part.len() as u32).to_le_bytes()[..3]);
            out.push(self.sequence);
            out.extend_from_slice(part);
            self.sequence = self.sequence.wrapping_add(1);
            rest = tail;
            if part.len() < FULL {
                break;
            }
        }
        self.stream.write_all(&out).await?;
        self.stream.flush().await
    }
}

#[cfg(test)]
impl<S: AsyncWrite + Unpin> Packets<S> {
    /// Sends bytes that are no packet.
    pub(super) async fn write_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }
}

/// Reads the fields of a payload one after the other.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn take(&mut self, length: usize) -> io::Result<&'a [u8]> {
        let (head, tail) = self
            .0
            .split_at_checked(length)
            .ok_or_else(|| damaged("a packet ends early"))?;
        self.0 = tail;
        Ok(head)
    }

    pub(super) fn u8(&mut self) -> io::Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u16(&mut self) -> io::Result<u16> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// A number with its own length in front; `None` is the mark of NULL.
    pub(super) fn number(&mut self) -> io::Result<Option<u64>> {
        let length = match self.u8()? {
            0xfb => return Ok(None),
            0xfc => 2,
            0xfd => 3,
            0xfe => 8,
            0xff => return Err(damaged("a length is none")),
            small => return Ok(Some(u64::from(small))),
        };
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(self.take(length)?);
        Ok(Some(u64::from_le_bytes(bytes)))
    }

    /// A text with its length in front; `None` is NULL.
    pub(super) fn text(&mut self) -> io::Result<Option<String>> {
        let Some(length) = self.number()? else {
            return Ok(None);
        };
        let length = usize::try_from(length).map_err(|_| damaged("a text is too long"))?;
        Ok(Some(String::from_utf8_lossy(self.take(length)?).into_owned()))
    }

    /// Bytes up to a zero, or to the end.
    pub(super) fn zero_terminated(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == 0);
        let (head, tail) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = tail.get(1..).unwrap_or_default();
        head
    }
}

/// The failure for bytes that do not follow the protocol.
pub(super) fn damaged(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("broken MySQL protocol: {what}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn payloads_of_every_length_arrive_whole() {
        for length in [1, 5, FULL - 1, FULL, FULL + 1] {
            let (ours, theirs) = tokio::io::duplex(1 << 20);
            let payload: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let sent = payload.clone();
            let writer = tokio::spawn(async move { Packets::new(theirs).write(&sent).await });
            let read = Packets::new(ours).read().await.unwrap();
            assert!(read == payload, "{length}");
            writer.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn what_breaks_the_protocol_is_refused() {
        for (bytes, what) in [
            (&b"\x01\0\0\x01x"[..], "out of sequence"),
            (b"\0\0\0\0", "empty"),
            (b"\x05\0\0\0x", "eof"),
        ] {
            let (ours, mut theirs) = tokio::io::duplex(64);
            theirs.write_all(bytes).await.unwrap();
            drop(theirs);
            let error = Packets::new(ours).read().await.unwrap_err().to_string();
            assert!(error.to_lowercase().contains(what), "{error}");
        }
    }

    #[test]
    fn fields_have_their_own_lengths() {
        let mut fields = Fields(b"\x05\xfc\x00\x01\xfd\x00\x00\x01\xfe\x01\0\0\0\0\0\0\0\xfb\x02ab");
        for number in [Some(5), Some(256), Some(65536), Some(1), None] {
            assert_eq!(fields.number().unwrap(), number);
        }
        assert_eq!(fields.text().unwrap().as_deref(), Some("ab"));
        assert!(fields.u8().is_err());
        assert!(Fields(b"\xff").number().is_err());
        assert!(Fields(b"\x05ab").text().is_err());
        let mut fields = Fields(b"ab\0cd");
        assert_eq!(fields.zero_terminated(), b"ab");
        assert_eq!((fields.zero_terminated(), fields.0), (&b"cd"[..], &b""[..]));
    }
}
