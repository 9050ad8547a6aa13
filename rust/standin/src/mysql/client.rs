//! A small MySQL client: enough to send a script over the MySQL port and to print what comes back.

use std::io;

use mysql_common::constants::CapabilityFlags;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, HandshakePacket, HandshakeResponse};
use mysql_common::proto::{MyDeserialize, MySerialize};
use mysql_common::scramble::scramble_native;
use tokio::net::TcpStream;

use super::packet::{Fields, Packets};

const MORE_RESULTS: u16 = 0x0008;

/// Why a statement gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The server refused login or statement.
    #[error("ERROR {code} ({sqlstate}): {message}")]
    Server {
        /// MySQL error code.
        code: u16,
        /// SQLSTATE.
        sqlstate: String,
        /// Text.
        message: String,
    },
}

/// One answer to a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// No rows.
    Done {
        /// Rows affected.
        affected: u64,
        /// Info text.
        info: String,
    },
    /// Rows as text.
    Rows(Table),
}

/// Rows as text; `None` is NULL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Names and MySQL type bytes.
    pub columns: Vec<(String, u8)>,
    /// Values by row.
    pub rows: Vec<Vec<Option<String>>>,
}

/// A connection that is logged in.
pub struct Client {
    packets: Packets<TcpStream>,
    /// Version that the server reported.
    pub server_version: String,
}

impl Client {
    /// Connects and logs in.
    pub async fn connect(
        host: &str,
        port: u16,
        user: &str,
        password: &str,
        database: Option<&str>,
    ) -> Result<Self, ClientError> {
        let mut packets = Packets::new(TcpStream::connect((host, port)).await?);
        let greeting = expect(packets.read(usize::MAX).await?)?;
        if greeting.first() == Some(&0xff) {
            return Err(server_error(&greeting)?);
        }
        let greeting = HandshakePacket::deserialize((), &mut ParseBuf(&greeting))?;
        let server_version = greeting.server_version_str().into_owned();
        let answer = scramble_native(&greeting.nonce(), password.as_bytes()).map(|bytes| bytes.to_vec());
        let response = HandshakeResponse::new(
            answer,
            (5, 7, 99),
            Some(user.as_bytes()),
            database.map(str::as_bytes),
            Some(AuthPlugin::MysqlNativePassword),
            CapabilityFlags::CLIENT_PROTOCOL_41
                | CapabilityFlags::CLIENT_SECURE_CONNECTION
                | CapabilityFlags::CLIENT_PLUGIN_AUTH
                | CapabilityFlags::CLIENT_MULTI_STATEMENTS
                | CapabilityFlags::CLIENT_MULTI_RESULTS,
            None,
            1 << 30,
        );
        let mut payload = Vec::new();
        response.serialize(&mut payload);
        packets.write(&payload).await?;
        packets.flush().await?;
        let answer = expect(packets.read(usize::MAX).await?)?;
        match answer.first() {
            Some(0x00) => Ok(Self {
                packets,
                server_version,
            }),
            Some(0xff) => Err(server_error(&answer)?),
            _ => Err(invalid("unexpected answer to the login").into()),
        }
    }

    /// Sends a command with its argument and gives the payload of its one answer, as it came.
    pub async fn command(&mut self, code: u8, argument: &[u8]) -> Result<Vec<u8>, ClientError> {
        self.send(code, argument).await?;
        Ok(expect(self.packets.read(usize::MAX).await?)?)
    }

    /// Sends one text, which may hold several statements, and gives all answers. The answers before a failure are
    /// lost.
    pub async fn query(&mut self, sql: &str) -> Result<Vec<Reply>, ClientError> {
        self.send(0x03, sql.as_bytes()).await?;
        let mut replies = Vec::new();
        loop {
            let (reply, status) = self.reply().await?;
            replies.push(reply);
            if status & MORE_RESULTS == 0 {
                return Ok(replies);
            }
        }
    }

    async fn send(&mut self, code: u8, argument: &[u8]) -> io::Result<()> {
        let mut payload = Vec::with_capacity(argument.len() + 1);
        payload.push(code);
        payload.extend_from_slice(argument);
        self.packets.restart();
        self.packets.write(&payload).await?;
        self.packets.flush().await
    }

    async fn reply(&mut self) -> Result<(Reply, u16), ClientError> {
        let first = expect(self.packets.read(usize::MAX).await?)?;
        match first.first() {
            Some(0x00) => {
                let mut fields = Fields::new(&first[1..]);
                let affected = fields.number()?.unwrap_or(0);
                fields.number()?;
                let status = fields.u16()?;
                fields.u16()?;
                let info = match fields.is_empty() {
                    true => &[][..],
                    false => fields.text()?.unwrap_or_default(),
                };
                let info = String::from_utf8_lossy(info).into_owned();
                Ok((Reply::Done { affected, info }, status))
            }
            Some(0xff) => Err(server_error(&first)?),
            _ => {
                let count = Fields::new(&first).number()?.unwrap_or(0);
                let (table, status) = self.table(count).await?;
                Ok((Reply::Rows(table), status))
            }
        }
    }

    async fn table(&mut self, count: u64) -> Result<(Table, u16), ClientError> {
        let mut table = Table::default();
        for _ in 0..count {
            let payload = expect(self.packets.read(usize::MAX).await?)?;
            let mut fields = Fields::new(&payload);
            for _ in 0..4 {
                fields.text()?;
            }
            let name = String::from_utf8_lossy(fields.text()?.unwrap_or_default()).into_owned();
            fields.text()?;
            fields.take(7)?;
            table.columns.push((name, fields.u8()?));
        }
        expect(self.packets.read(usize::MAX).await?)?;
        loop {
            let payload = expect(self.packets.read(usize::MAX).await?)?;
            match payload.first() {
                Some(0xfe) if payload.len() == 5 => {
                    return Ok((table, u16::from_le_bytes([payload[3], payload[4]])));
                }
                Some(0xff) => return Err(server_error(&payload)?),
                _ => {}
            }
            let mut fields = Fields::new(&payload);
            let mut row = Vec::with_capacity(table.columns.len());
            for _ in 0..table.columns.len() {
                row.push(
                    fields
                        .text()?
                        .map(|text| String::from_utf8_lossy(text).into_owned()),
                );
            }
            table.rows.push(row);
        }
    }
}

impl std::fmt::Display for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Done { affected, info } if info.is_empty() => write!(f, "OK, {affected} rows affected"),
            Self::Done { affected, info } => write!(f, "OK, {affected} rows affected, {info}"),
            Self::Rows(table) => table.fmt(f),
        }
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "NULL".to_owned());
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .map(|(name, _)| name.chars().count())
            .collect();
        for row in &self.rows {
            for (width, value) in widths.iter_mut().zip(row) {
                *width = (*width).max(shown(value).chars().count());
            }
        }
        let rule: String = widths
            .iter()
            .map(|width| format!("+{}", "-".repeat(width + 2)))
            .collect();
        let line = |values: Vec<String>| -> String {
            let cells = values.iter().zip(&widths).map(|(value, width)| {
                let blanks = width - value.chars().count().min(*width);
                format!("| {value}{} ", " ".repeat(blanks))
            });
            cells.collect()
        };
        writeln!(f, "{rule}+")?;
        writeln!(
            f,
            "{}|",
            line(self.columns.iter().map(|(name, _)| name.clone()).collect())
        )?;
        writeln!(f, "{rule}+")?;
        for row in &self.rows {
            writeln!(f, "{}|", line(row.iter().map(shown).collect()))?;
        }
        write!(f, "{rule}+\n{} rows", self.rows.len())
    }
}

fn expect(payload: Option<Vec<u8>>) -> io::Result<Vec<u8>> {
    payload.ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection"))
}

fn server_error(payload: &[u8]) -> io::Result<ClientError> {
    let mut fields = Fields::new(payload);
    fields.u8()?;
    let code = fields.u16()?;
    let rest = fields.take(payload.len() - 3)?;
    let (sqlstate, message) = match rest.split_first() {
        Some((b'#', tail)) if tail.len() >= 5 => tail.split_at(5),
        _ => (&b""[..], rest),
    };
    Ok(ClientError::Server {
        code,
        sqlstate: String::from_utf8_lossy(sqlstate).into_owned(),
        message: String::from_utf8_lossy(message).into_owned(),
    })
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.to_owned())
}
