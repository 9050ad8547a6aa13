//! Answers of the MySQL port: text result sets, OK and error packets.

use std::io;

use mysql_common::constants::{ColumnFlags, ColumnType, StatusFlags};
use tokio::io::{AsyncRead, AsyncWrite};

use super::packet::{Packets, put_number, put_text};
use crate::error::SqlError;
use crate::sql::engine::{Answer, ResultColumn, Rows};
use crate::values::text::render;
use crate::values::types::DorisType;
use crate::values::zone::Zone;

const UTF8MB4: u16 = 45;
const BINARY: u16 = 63;

/// Sends one answer; `more` announces that another follows.
pub(super) async fn answer<S: AsyncRead + AsyncWrite + Unpin>(
    packets: &mut Packets<S>,
    answer: &Answer,
    zone: &Zone,
    more: bool,
) -> io::Result<()> {
    match answer {
        Answer::Done { affected, info } => ok(packets, *affected, info, more).await,
        Answer::Rows(rows) | Answer::FrontEndRows(rows) => result_set(packets, rows, zone, more).await,
    }
}

pub(super) async fn ok<S: AsyncRead + AsyncWrite + Unpin>(
    packets: &mut Packets<S>,
    affected: u64,
    info: &str,
    more: bool,
) -> io::Result<()> {
    let mut payload = vec![0x00];
    put_number(&mut payload, affected);
    put_number(&mut payload, 0);
    payload.extend_from_slice(&status(more).bits().to_le_bytes());
    payload.extend_from_slice(&[0, 0]);
    // With its length before it, as Doris sends it and stock clients read it; nothing at all where there is no text.
    if !info.is_empty() {
        put_text(&mut payload, info.as_bytes());
    }
    packets.write(&payload).await
}

pub(super) async fn error<S: AsyncRead + AsyncWrite + Unpin>(
    packets: &mut Packets<S>,
    error: &SqlError,
) -> io::Result<()> {
    let mut payload = vec![0xff];
    payload.extend_from_slice(&error.code.to_le_bytes());
    payload.push(b'#');
    payload.extend_from_slice(error.sqlstate.as_bytes());
    payload.extend_from_slice(error.message.as_bytes());
    packets.write(&payload).await
}

/// The packet that ends column definitions and rows.
pub(super) async fn end<S: AsyncRead + AsyncWrite + Unpin>(
    packets: &mut Packets<S>,
    more: bool,
) -> io::Result<()> {
    let status = status(more).bits().to_le_bytes();
    packets.write(&[0xfe, 0, 0, status[0], status[1]]).await
}

/// The columns of answers without their rows, each with its default: none.
pub(super) async fn fields<S: AsyncRead + AsyncWrite + Unpin>(
    packets: &mut Packets<S>,
    answers: &[Answer],
) -> io::Result<()> {
    for answer in answers {
        let (Answer::Rows(rows) | Answer::FrontEndRows(rows)) = answer else {
            continue;
        };
        for column in &rows.columns {
            let mut payload = definition(column);
            payload.push(0xfb);
            packets.write(&payload).await?;
        }
    }
    end(packets, false).await
}

async fn result_set<S: AsyncRead + AsyncWrite + Unpin>(
    packets: &mut Packets<S>,
    rows: &Rows,
    zone: &Zone,
    more: bool,
) -> io::Result<()> {
    let mut payload = Vec::new();
    put_number(&mut payload, rows.columns.len() as u64);
    packets.write(&payload).await?;
    for column in &rows.columns {
        packets.write(&definition(column)).await?;
    }
    end(packets, false).await?;
    for batch in &rows.batches {
        for row in 0..batch.num_rows() {
            payload.clear();
            for (column, array) in rows.columns.iter().zip(batch.columns()) {
                match render(&column.doris_type, array, row, zone) {
                    None => payload.push(0xfb),
                    Some(text) => put_text(&mut payload, text.as_bytes()),
                }
            }
            packets.write(&payload).await?;
        }
    }
    end(packets, more).await
}

fn definition(column: &ResultColumn) -> Vec<u8> {
    let (kind, charset, length, decimals) = shape(&column.doris_type);
    let mut flags = ColumnFlags::empty();
    if !column.nullable {
        flags |= ColumnFlags::NOT_NULL_FLAG;
    }
    if charset == BINARY {
        flags |= ColumnFlags::BINARY_FLAG;
    }
    let mut payload = Vec::new();
    put_text(&mut payload, b"def");
    // Schema, table, original table.
    for _ in 0..3 {
        put_text(&mut payload, b"");
    }
    put_text(&mut payload, column.name.as_bytes());
    put_text(&mut payload, column.name.as_bytes());
    put_number(&mut payload, 12);
    payload.extend_from_slice(&charset.to_le_bytes());
    payload.extend_from_slice(&length.to_le_bytes());
    payload.push(kind as u8);
    payload.extend_from_slice(&flags.bits().to_le_bytes());
    payload.push(decimals);
    payload.extend_from_slice(&[0, 0]);
    payload
}

/// MySQL type, character set, display length and decimals of a Doris type.
fn shape(doris_type: &DorisType) -> (ColumnType, u16, u32, u8) {
    let text = |length: u32| {
        (
            ColumnType::MYSQL_TYPE_VAR_STRING,
            UTF8MB4,
            length.saturating_mul(4),
            0,
        )
    };
    match doris_type {
        DorisType::Null => (ColumnType::MYSQL_TYPE_NULL, BINARY, 0, 0),
        DorisType::Boolean => (ColumnType::MYSQL_TYPE_TINY, BINARY, 1, 0),
        DorisType::TinyInt => (ColumnType::MYSQL_TYPE_TINY, BINARY, 4, 0),
        DorisType::SmallInt => (ColumnType::MYSQL_TYPE_SHORT, BINARY, 6, 0),
        DorisType::Int => (ColumnType::MYSQL_TYPE_LONG, BINARY, 11, 0),
        DorisType::BigInt => (ColumnType::MYSQL_TYPE_LONGLONG, BINARY, 20, 0),
        DorisType::LargeInt => (ColumnType::MYSQL_TYPE_STRING, UTF8MB4, 40, 0),
        DorisType::Float => (ColumnType::MYSQL_TYPE_FLOAT, BINARY, 12, 31),
        DorisType::Double => (ColumnType::MYSQL_TYPE_DOUBLE, BINARY, 22, 31),
        DorisType::Decimal(precision, scale) | DorisType::DecimalV2(precision, scale) => (
            ColumnType::MYSQL_TYPE_NEWDECIMAL,
            BINARY,
            u32::from(*precision) + 2,
            *scale,
        ),
        DorisType::Date | DorisType::DateV1 => (ColumnType::MYSQL_TYPE_DATE, BINARY, 10, 0),
        DorisType::DateTimeV1 => (ColumnType::MYSQL_TYPE_DATETIME, BINARY, 19, 0),
        DorisType::DateTime(scale) => (ColumnType::MYSQL_TYPE_DATETIME, BINARY, 26, *scale),
        DorisType::Time(scale) => (ColumnType::MYSQL_TYPE_TIME, BINARY, 18, *scale),
        // Its text carries an offset, which no MySQL date type holds.
        DorisType::TimestampTz(_) => text(32),
        DorisType::Char(length) => (
            ColumnType::MYSQL_TYPE_STRING,
            UTF8MB4,
            length.saturating_mul(4),
            0,
        ),
        DorisType::Varchar(length) => text(*length),
        DorisType::Varbinary(length) => (ColumnType::MYSQL_TYPE_VAR_STRING, BINARY, *length, 0),
        DorisType::Bitmap | DorisType::Hll | DorisType::QuantileState => {
            (ColumnType::MYSQL_TYPE_VAR_STRING, BINARY, 65_535, 0)
        }
        _ => text(1 << 20),
    }
}

fn status(more: bool) -> StatusFlags {
    let status = StatusFlags::SERVER_STATUS_AUTOCOMMIT;
    if more {
        status | StatusFlags::SERVER_MORE_RESULTS_EXISTS
    } else {
        status
    }
}
