//! The body without its compression: read in pieces, so that a small body cannot grow beyond what its reader takes.

use std::io::{self, BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;

/// What `compress_type` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    /// Plain bytes.
    None,
    /// gzip, one member or several.
    Gz,
    /// LZ4 frames.
    Lz4,
    /// Zstandard frames.
    Zstd,
}

impl Compression {
    /// The plain bytes of `body`. An empty body is empty under every compression.
    pub(super) fn reader<R: Read + Send + 'static>(self, body: R) -> io::Result<Box<dyn Read + Send>> {
        let mut body = BufReader::with_capacity(64 * 1024, body);
        if body.fill_buf()?.is_empty() {
            return Ok(Box::new(io::empty()));
        }
        Ok(match self {
            Self::None => Box::new(body),
            Self::Gz => Box::new(MultiGzDecoder::new(body)),
            Self::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(body)?),
            Self::Lz4 => Box::new(Lz4Frames {
                frame: Some(lz4_flex::frame::FrameDecoder::new(body)),
            }),
        })
    }
}

/// LZ4 frames one after the other.
struct Lz4Frames<R: BufRead> {
    /// `None` once the body has ended.
    frame: Option<lz4_flex::frame::FrameDecoder<R>>,
}

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        while let Some(mut frame) = self.frame.take() {
            let got = frame.read(into)?;
            if got > 0 {
                self.frame = Some(frame);
                return Ok(got);
            }
            let mut body = frame.into_inner();
            if body.fill_buf()?.is_empty() {
                break;
            }
            self.frame = Some(lz4_flex::frame::FrameDecoder::new(body));
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    fn read(compression: Compression, body: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        compression.reader(Cursor::new(body))?.read_to_end(&mut out)?;
        Ok(out)
    }

    fn gz(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn lz4(text: &str) -> Vec<u8> {
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_compression_is_undone() {
        let text = "1,a\n2,b\n".repeat(1000);
        let expected = text.as_bytes().to_vec();
        let half = text.len() / 2;
        let two = |make: fn(&str) -> Vec<u8>| [make(&text[..half]), make(&text[half..])].concat();
        let zstd = |text: &str| zstd::stream::encode_all(text.as_bytes(), 1).unwrap();
        for (compression, body) in [
            (Compression::None, expected.clone()),
            (Compression::Gz, gz(&text)),
            (Compression::Gz, two(gz)),
            (Compression::Lz4, lz4(&text)),
            (Compression::Lz4, two(lz4)),
            (Compression::Zstd, zstd(&text)),
            (Compression::Zstd, two(zstd)),
        ] {
            assert_eq!(read(compression, body).unwrap(), expected, "{compression:?}");
        }
    }

    #[test]
    fn an_empty_body_is_empty_and_a_broken_one_an_error() {
        for compression in [
            Compression::None,
            Compression::Gz,
            Compression::Lz4,
            Compression::Zstd,
        ] {
            assert_eq!(read(compression, Vec::new()).unwrap(), b"");
        }
        let mut cut = gz("some text that is cut");
        cut.truncate(cut.len() - 4);
        assert!(read(Compression::Gz, cut).is_err());
        assert!(read(Compression::Gz, b"plain text".to_vec()).is_err());
        assert!(read(Compression::Zstd, b"plain text".to_vec()).is_err());
        assert!(read(Compression::Lz4, b"plain text".to_vec()).is_err());
    }
}
