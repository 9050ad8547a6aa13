//! Loads rows that are ready: the measure for what a write costs before Flink.
//!
//! `load_raw FORMAT COMPRESS_TYPE BACKEND TABLE ROWS [LEVEL]`
//!
//! - FORMAT: `json`, `csv` or `arrow`. COMPRESS_TYPE: `gz`, `lz4`, `zstd` or `none`; LEVEL is the compressor's.
//! - BACKEND: `host:http_port`, or `-` to throw the body away. Login by `DORIS_USER` (else `root`) and
//!   `DORIS_PASSWORD` (else empty). TABLE: `database.table` with the columns of tests/bench/sink.sql.
//!
//! One batch of rows is encoded again and again, compressed and sent in one load, in one thread and without any of
//! the sink's care: no label, no replay, no check of the table.
//!
//! Prints `rows=… encoded=… compressed=… cpu_s=… wall_s=…`, sizes in bytes; CPU is that of the whole process.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{
    ArrayRef, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Field, Schema};
use base64::Engine;
use doris_arrow::encode::{Column, CsvOptions, Encoder, Format, JsonOptions};
use doris_arrow::normalize::Zone;
use doris_arrow::types::{DorisType, FlinkType};
use doris_client::write::load::compress::{CompressType, Compressor};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Rows of the batch that is sent again and again.
const BATCH_ROWS: i64 = 16_384;
/// Encoded bytes that are compressed as one piece.
const PIECE: usize = 512 << 10;

const WORDS: &str = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi \
                     chi psi omega order shipped pending user session click page view";

const COLUMNS: [(&str, &str, &str); 8] = [
    ("id", "BIGINT", "bigint"),
    ("a", "INT", "int"),
    ("b", "BIGINT", "bigint"),
    ("score", "DOUBLE", "double"),
    ("amount", "DECIMAL(15, 2)", "decimal(15,2)"),
    ("at", "TIMESTAMP(0)", "datetime"),
    ("name", "STRING", "varchar(40)"),
    ("note", "STRING", "varchar(100)"),
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [format_name, compress, backend, table, rows, level @ ..] = arguments.as_slice() else {
        return Err(
            "usage: load_raw json|csv|arrow gz|lz4|zstd|none HOST:PORT|- DATABASE.TABLE ROWS [LEVEL]".into(),
        );
    };
    let format = format(format_name)?;
    let compress_type = match compress.as_str() {
        "none" => CompressType::None,
        other => CompressType::parse(other).ok_or("unknown COMPRESS_TYPE")?,
    };
    let level = level.first().map(|level| level.parse()).transpose()?;
    let compressor = Compressor::new(compress_type, level)?;
    let rows: i64 = rows.parse()?;
    let columns = columns()?;
    let batch = batch(&columns)?;

    let (cpu, wall) = (cpu_seconds()?, Instant::now());
    let mut sink = match backend.as_str() {
        "-" => Sink::Nowhere,
        address => Sink::Load(open(address, table, format_name, compress_type)?),
    };
    let mut encoder = Encoder::new(&format, columns, Zone::UTC)?;
    let (mut pending, mut encoded, mut compressed, mut left) = (Vec::new(), 0, 0, rows);
    while left > 0 {
        let count = left.min(BATCH_ROWS);
        left -= count;
        encoder.encode(&batch.slice(0, count as usize), &mut pending)?;
        if left == 0 {
            encoder.finish(&mut pending)?;
        }
        if pending.len() >= PIECE || left == 0 {
            let piece = compressor.compress(&pending)?;
            encoded += pending.len();
            compressed += piece.len();
            sink.send(&piece)?;
            pending.clear();
        }
    }
    sink.finish()?;
    println!(
        "rows={rows} encoded={encoded} compressed={compressed} cpu_s={:.3} wall_s={:.3}",
        cpu_seconds()? - cpu,
        wall.elapsed().as_secs_f64()
    );
    Ok(())
}

enum Sink {
    Nowhere,
    Load(TcpStream),
}

impl Sink {
    /// One chunk of the body.
    fn send(&mut self, piece: &[u8]) -> Result<()> {
        if let Self::Load(stream) = self
            && !piece.is_empty()
        {
            stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
            stream.write_all(piece)?;
            stream.write_all(b"\r\n")?;
        }
        Ok(())
    }

    /// Ends the body and takes the answer, which must be a success.
    fn finish(self) -> Result<()> {
        let Self::Load(mut stream) = self else {
            return Ok(());
        };
        stream.write_all(b"0\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let compact: String = answer.split_whitespace().collect();
        if compact.contains("\"Status\":\"Success\"") {
            return Ok(());
        }
        Err(answer.into())
    }
}

fn open(address: &str, table: &str, format: &str, compress: CompressType) -> Result<TcpStream> {
    let (database, name) = table.split_once('.').ok_or("TABLE is DATABASE.TABLE")?;
    let variable = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let login = format!(
        "{}:{}",
        variable("DORIS_USER", "root"),
        variable("DORIS_PASSWORD", "")
    );
    let login = base64::engine::general_purpose::STANDARD.encode(login);
    let columns: Vec<&str> = COLUMNS.iter().map(|(name, _, _)| *name).collect();
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "PUT /api/{database}/{name}/_stream_load HTTP/1.1\r\nHost: {address}\r\nAuthorization: Basic {login}\r\n\
         Expect: 100-continue\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nformat: {format}\r\n\
         read_json_by_line: true\r\ncompress_type: {compress}\r\ncolumns: {}\r\n\r\n",
        columns.join(",")
    )?;
    // The server sends `100 Continue` when it has read the headers.
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte)? == 0 {
            break;
        }
        line.push(byte[0]);
    }
    if line.starts_with(b"HTTP/1.1 100") {
        return Ok(stream);
    }
    let mut rest = String::new();
    stream.read_to_string(&mut rest)?;
    Err(format!("{}{rest}", String::from_utf8_lossy(&line)).into())
}

fn format(name: &str) -> Result<Format> {
    let line_delimiter = b"\n".to_vec();
    Ok(match name {
        "json" => Format::Json(JsonOptions {
            line_delimiter,
            skip_nulls: false,
        }),
        "csv" => Format::Csv(CsvOptions {
            column_separator: b"\t".to_vec(),
            line_delimiter,
            enclose: None,
            escape: None,
        }),
        "arrow" => Format::Arrow,
        other => return Err(format!("'{other}' is neither json, csv nor arrow").into()),
    })
}

fn columns() -> Result<Vec<Column>> {
    COLUMNS
        .iter()
        .map(|(name, flink, doris)| {
            Ok(Column {
                name: (*name).to_owned(),
                flink: FlinkType::parse(flink)?,
                doris: Some(DorisType::parse(doris)?),
                cast: false,
                sized: Some(DorisType::parse(doris)?),
                key: *name == "id",
            })
        })
        .collect()
}

/// The same rows as those that the benchmark's source in Java makes (MixedVectors).
fn batch(columns: &[Column]) -> Result<RecordBatch> {
    let rows = || 0..BATCH_ROWS;
    let drawn = |column: u64, below: i64| rows().map(move |row| draw(row, column) % below);
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(rows())),
        Arc::new(Int32Array::from_iter_values(drawn(1, 100_000).map(|v| v as i32))),
        Arc::new(Int64Array::from_iter_values(drawn(2, 1_000_000_000_000))),
        Arc::new(Float64Array::from_iter_values(
            drawn(3, 10_000_000).map(|v| v as f64 / 10_000.0),
        )),
        Arc::new(
            Decimal128Array::from_iter_values(drawn(4, 1_000_000).map(i128::from))
                .with_precision_and_scale(15, 2)?,
        ),
        Arc::new(TimestampMicrosecondArray::from_iter_values(
            drawn(5, 10_000_000).map(|v| (1_767_225_600 + v) * 1_000_000),
        )),
        Arc::new(StringArray::from_iter_values(
            rows().map(|row| format!("user-{:08x}", draw(row, 6) as u32)),
        )),
        Arc::new(StringArray::from_iter(
            rows().map(|row| (row % 20 != 0).then(|| words(draw(row, 7)))),
        )),
    ];
    let fields: Vec<Field> = columns
        .iter()
        .zip(&arrays)
        .map(|(column, array)| Field::new(&column.name, array.data_type().clone(), true))
        .collect();
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?)
}

fn words(drawn: i64) -> String {
    let words: Vec<&str> = WORDS.split(' ').collect();
    let mut rest = drawn as usize;
    let mut text = Vec::new();
    for _ in 0..7 {
        text.push(words[rest % words.len()]);
        rest /= words.len();
    }
    text.join(" ")
}

/// A number that is not negative, always the same one for a row and column (splitmix64).
fn draw(row: i64, column: u64) -> i64 {
    let mut z = (row as u64 * 8 + column + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 1) as i64
}

/// User and system time of this process, from Linux' own account of it in ticks of 10 ms.
fn cpu_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in parentheses, may hold blanks.
    let (_, fields) = stat.rsplit_once(')').ok_or("/proc/self/stat is unreadable")?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || -> Result<f64> { Ok(fields.next().ok_or("/proc/self/stat is short")?.parse()?) };
    Ok((ticks()? + ticks()?) / 100.0)
}
