//! Login at a MySQL port: handshake version 10 and `mysql_native_password`, the only method that sends no password.

use std::io;

use mysql_common::constants::CapabilityFlags;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, HandshakePacket, HandshakeResponse};
use mysql_common::proto::{MyDeserialize, MySerialize};
use mysql_common::scramble::scramble_native;
use tokio::io::{AsyncRead, AsyncWrite};

use super::packet::{Fields, Packets, damaged};
use super::refusal;
use crate::config::cluster::Login;
use crate::error::{Error, ErrorKind};

const NATIVE: &[u8] = b"mysql_native_password";

/// Bytes of a nonce.
const NONCE: usize = 20;

/// MySQL's code for a wrong user or password.
const ACCESS_DENIED: u16 = 1045;

/// Announced as the longest packet that may come; nothing here is near it.
const MAX_PACKET: u32 = 1 << 30;

/// Why the login failed.
pub(super) enum Failed {
    Io(io::Error),
    Told(Error),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Answers the greeting of a server, its first packet.
pub(super) async fn log_in<S: AsyncRead + AsyncWrite + Unpin>(
    packets: &mut Packets<S>,
    greeting: &[u8],
    login: &Login,
) -> Result<(), Failed> {
    if greeting[0] == 0xff {
        return Err(refused(login, greeting)?);
    }
    let greeting = HandshakePacket::deserialize((), &mut ParseBuf(greeting))
        .map_err(|_| damaged("the greeting cannot be read"))?;
    let response = HandshakeResponse::new(
        scramble(&greeting.nonce(), login),
        // What Doris passes for; decides the character set that is announced.
        (5, 7, 99),
        Some(login.user.as_bytes()),
        None::<&[u8]>,
        Some(AuthPlugin::MysqlNativePassword),
        CapabilityFlags::CLIENT_PROTOCOL_41
            | CapabilityFlags::CLIENT_SECURE_CONNECTION
            | CapabilityFlags::CLIENT_PLUGIN_AUTH,
        None,
        MAX_PACKET,
    );
    let mut payload = Vec::new();
    response.serialize(&mut payload);
    packets.write(&payload).await?;
    let mut answer = packets.read().await?;
    if answer[0] == 0xfe {
        // Another method, or a new nonce for this one.
        let mut fields = Fields(&answer[1..]);
        let plugin = fields.zero_terminated();
        if plugin != NATIVE {
            return Err(Failed::Told(other_plugin(login, plugin)));
        }
        let nonce = fields.take(NONCE.min(fields.0.len()))?;
        packets.write(&scramble(nonce, login).unwrap_or_default()).await?;
        answer = packets.read().await?;
    }
    match answer[0] {
        0x00 => Ok(()),
        0xff => Err(refused(login, &answer)?),
        _ => Err(damaged("the answer to the login cannot be read").into()),
    }
}

/// What proves the password; nothing for an empty one.
fn scramble(nonce: &[u8], login: &Login) -> Option<Vec<u8>> {
    scramble_native(nonce, login.password.as_bytes()).map(|bytes| bytes.to_vec())
}

fn refused(login: &Login, payload: &[u8]) -> io::Result<Failed> {
    let refusal = refusal(payload)?;
    Ok(Failed::Told(if refusal.code == ACCESS_DENIED {
        let message = format!(
            "user '{}' was refused at the MySQL port: {} (check username and password)",
            login.user, refusal.text
        );
        Error::new(ErrorKind::Auth, message)
    } else {
        // Too many connections, a node that does not know its cluster yet, and similar causes.
        Error::new(ErrorKind::Connect, format!("refuses connections: {refusal}")).retryable()
    }))
}

fn other_plugin(login: &Login, plugin: &[u8]) -> Error {
    let plugin = String::from_utf8_lossy(plugin);
    let message = format!(
        "the MySQL port wants user '{}' to log in by '{plugin}', which is not supported: use an account with mysql_native_password, as accounts of Doris are",
        login.user
    );
    Error::new(ErrorKind::Unsupported, message)
}
