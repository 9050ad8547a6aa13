//! Compression of a load's body in pieces that each stand alone, so that several threads can share the work and a
//! one-shot compressor can do it. Doris' readers go on after the end of a gzip member, a zstd frame or an lz4 frame.

use std::fmt;
use std::io::Write;
use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};

use crate::error::{Error, ErrorKind, Result};

/// What `compress_type` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompressType {
    /// Bytes as they are.
    None,
    /// gzip.
    Gz,
    /// lz4 in its frame format.
    Lz4,
    /// zstd.
    Zstd,
}

impl CompressType {
    /// Reads the value of `compress_type`, in any case; `None` for a type that cannot be produced here.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.trim().to_ascii_lowercase().as_str() {
            "" => Self::None,
            "gz" => Self::Gz,
            "lz4" => Self::Lz4,
            "zstd" => Self::Zstd,
            _ => return None,
        })
    }

    /// The levels that the compressor has, from the first that compresses; `None` where there is nothing to choose.
    /// What users may set stands in the definition of `sink.compress-level`.
    fn levels(self) -> Option<RangeInclusive<i32>> {
        match self {
            Self::None | Self::Lz4 => None,
            Self::Gz => Some(1..=libdeflater::CompressionLvl::best().into()),
            Self::Zstd => Some(1..=*zstd::compression_level_range().end()),
        }
    }

    /// The level when none is set.
    fn default_level(self) -> i32 {
        match self {
            Self::None | Self::Lz4 => 0,
            Self::Gz => GZ_LEVEL,
            Self::Zstd => ZSTD_LEVEL,
        }
    }

    /// Whether this type has that level; the error names the levels it has.
    pub fn check_level(self, level: Option<i32>) -> Result<()> {
        let Some(level) = level else { return Ok(()) };
        let allowed = match self.levels() {
            Some(levels) if levels.contains(&level) => return Ok(()),
            Some(levels) => format!("allowed: {} to {}", levels.start(), levels.end()),
            None => "it has no levels".to_owned(),
        };
        Err(Error::new(
            ErrorKind::Config,
            format!("sink.compress-level {level} for compress_type '{self}': {allowed}"),
        ))
    }
}

impl fmt::Display for CompressType {
    /// As the header of a load spells it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "",
            Self::Gz => "gz",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        })
    }
}

/// Measured on JSON and CSV rows: see docs/benchmarks.md.
const GZ_LEVEL: i32 = 2;
/// The compressor's own default.
const ZSTD_LEVEL: i32 = 3;

/// A piece larger than this is cut into members of equal size, so that the compressor's window stays in the cache.
const LARGEST_MEMBER: usize = 1 << 20;

/// Compresses pieces of bodies; shared by all threads. Each result can stand anywhere in a body.
pub struct Compressor {
    r#type: CompressType,
    level: i32,
    /// Idle compressors, at most one for each thread that ever compressed at the same time.
    idle: Mutex<Vec<Worker>>,
}

struct Worker {
    engine: Engine,
    /// Kept, so that its pages are touched once.
    out: Vec<u8>,
}

enum Engine {
    Gz(libdeflater::Compressor),
    Lz4,
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    /// A compressor; `level` is `None` for the type's default.
    pub fn new(r#type: CompressType, level: Option<i32>) -> Result<Self> {
        r#type.check_level(level)?;
        Ok(Self {
            r#type,
            level: level.unwrap_or_else(|| r#type.default_level()),
            idle: Mutex::new(Vec::new()),
        })
    }

    /// The type it produces.
    pub fn r#type(&self) -> CompressType {
        self.r#type
    }

    /// Compresses one piece by itself; takes about 4 ms for 512 KiB, so not for threads that must not wait. The
    /// result owns exactly its bytes. Nothing becomes nothing.
    pub fn compress(&self, piece: &[u8]) -> Result<Bytes> {
        if piece.is_empty() {
            return Ok(Bytes::new());
        }
        if self.r#type == CompressType::None {
            return Ok(Bytes::copy_from_slice(piece));
        }
        let mut worker = match self.lock().pop() {
            Some(worker) => worker,
            None => self.worker()?,
        };
        worker.out.clear();
        let members = piece.len().div_ceil(LARGEST_MEMBER);
        for member in piece.chunks(piece.len().div_ceil(members)) {
            worker.member(member)?;
        }
        let done = Bytes::copy_from_slice(&worker.out);
        self.lock().push(worker);
        Ok(done)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker(&self) -> Result<Worker> {
        let engine = match self.r#type {
            CompressType::Gz => Engine::Gz(libdeflater::Compressor::new(
                libdeflater::CompressionLvl::new(self.level)
                    .map_err(|e| failed(self.r#type, format!("{e:?}")))?,
            )),
            CompressType::Zstd => {
                Engine::Zstd(zstd::bulk::Compressor::new(self.level).map_err(|e| failed(self.r#type, e))?)
            }
            CompressType::Lz4 | CompressType::None => Engine::Lz4,
        };
        Ok(Worker {
            engine,
            out: Vec::new(),
        })
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Compressor({} {})", self.r#type, self.level)
    }
}

impl Worker {
    /// Appends one member or frame.
    fn member(&mut self, piece: &[u8]) -> Result<()> {
        let start = self.out.len();
        match &mut self.engine {
            Engine::Gz(engine) => {
                let bound = engine.gzip_compress_bound(piece.len());
                self.out.resize(start + bound, 0);
                let length = engine
                    .gzip_compress(piece, &mut self.out[start..])
                    .map_err(|e| failed(CompressType::Gz, e))?;
                self.out.truncate(start + length);
            }
            Engine::Zstd(engine) => {
                let bound = zstd::zstd_safe::compress_bound(piece.len());
                self.out.resize(start + bound, 0);
                let length = engine
                    .compress_to_buffer(piece, &mut self.out[start..])
                    .map_err(|e| failed(CompressType::Zstd, e))?;
                self.out.truncate(start + length);
            }
            Engine::Lz4 => {
                let frame = FrameInfo::new().block_size(BlockSize::Max256KB);
                let mut encoder = FrameEncoder::with_frame_info(frame, &mut self.out);
                encoder
                    .write_all(piece)
                    .map_err(|e| failed(CompressType::Lz4, e))?;
                encoder.finish().map_err(|e| failed(CompressType::Lz4, e))?;
            }
        }
        Ok(())
    }
}

fn failed(r#type: CompressType, e: impl fmt::Display) -> Error {
    Error::new(ErrorKind::Internal, format!("compressing as {type}: {e}"))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn rows(count: usize) -> Vec<u8> {
        (0..count)
            .flat_map(|i| {
                format!(
                    "{{\"id\":{i},\"name\":\"name-{}\",\"at\":\"2026-01-01 00:00:00\"}}\n",
                    i * 7
                )
                .into_bytes()
            })
            .collect()
    }

    fn read_back(r#type: CompressType, body: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match r#type {
            CompressType::None => out.extend_from_slice(body),
            CompressType::Gz => {
                flate2::read::MultiGzDecoder::new(body)
                    .read_to_end(&mut out)
                    .unwrap();
            }
            CompressType::Zstd => {
                zstd::stream::read::Decoder::new(body)
                    .unwrap()
                    .read_to_end(&mut out)
                    .unwrap();
            }
            CompressType::Lz4 => {
                let mut decoder = lz4_flex::frame::FrameDecoder::new(body);
                // One call reads one frame.
                while decoder.read_to_end(&mut out).unwrap() > 0 {}
            }
        }
        out
    }

    #[test]
    fn pieces_of_any_size_make_one_body() {
        for r#type in [
            CompressType::None,
            CompressType::Gz,
            CompressType::Lz4,
            CompressType::Zstd,
        ] {
            let compressor = Compressor::new(r#type, None).unwrap();
            // 3.1 MB is cut into members; the last piece is one byte.
            let pieces = [rows(1), rows(60_000), Vec::new(), rows(700), b"x".to_vec()];
            let mut body = Vec::new();
            for piece in &pieces {
                let compressed = compressor.compress(piece).unwrap();
                if r#type != CompressType::None && piece.len() > 1000 {
                    assert!(
                        compressed.len() < piece.len() / 3,
                        "{type}: {} of {}",
                        compressed.len(),
                        piece.len()
                    );
                }
                body.extend_from_slice(&compressed);
            }
            assert!(read_back(r#type, &body) == pieces.concat(), "{type}");
        }
    }

    #[test]
    fn threads_share_a_compressor() {
        let compressor = Compressor::new(CompressType::Gz, Some(3)).unwrap();
        let rows = rows(5000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        assert!(read_back(CompressType::Gz, &compressor.compress(&rows).unwrap()) == rows);
                    }
                });
            }
        });
        assert!(compressor.lock().len() <= 4);
    }

    #[test]
    fn levels_of_each_type() {
        for (r#type, level, message) in [
            (CompressType::Gz, 0, "'gz': allowed: 1 to 12"),
            (CompressType::Gz, 13, "'gz': allowed: 1 to 12"),
            (CompressType::Zstd, 23, "'zstd': allowed: 1 to 22"),
            (CompressType::Lz4, 1, "'lz4': it has no levels"),
            (CompressType::None, 1, "'': it has no levels"),
        ] {
            let error = Compressor::new(r#type, Some(level)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(message), "{error}");
        }
        for level in 1..=12 {
            let compressor = Compressor::new(CompressType::Gz, Some(level)).unwrap();
            assert!(!compressor.compress(b"abc").unwrap().is_empty());
        }
        assert_eq!(CompressType::parse(" GZ "), Some(CompressType::Gz));
        assert_eq!(CompressType::parse(""), Some(CompressType::None));
        assert_eq!(CompressType::parse("bz2"), None);
    }

    /// What every gzip program must accept.
    #[test]
    fn gzip_itself_finds_no_fault() {
        let compressor = Compressor::new(CompressType::Gz, None).unwrap();
        let mut child = match std::process::Command::new("gzip")
            .arg("-t")
            .stdin(std::process::Stdio::piped())
            .spawn()
        {
            Ok(child) => child,
            // Without the program there is nothing to test.
            Err(_) => return,
        };
        let mut stdin = child.stdin.take().unwrap();
        for count in [1, 60_000, 3] {
            stdin
                .write_all(&compressor.compress(&rows(count)).unwrap())
                .unwrap();
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}
