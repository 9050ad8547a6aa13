//! Login of a MySQL client: handshake version 10, `mysql_native_password`.

use std::io;

use mysql_common::constants::{CapabilityFlags, StatusFlags, UTF8_GENERAL_CI};
use mysql_common::io::ParseBuf;
use mysql_common::packets::{HandshakePacket, HandshakeResponse};
use mysql_common::proto::{MyDeserialize, MySerialize};
use tokio::io::{AsyncRead, AsyncWrite};

use super::packet::{Fields, Packets};
use crate::cluster::users::Users;

/// Version that clients get; Doris presents itself as this MySQL.
pub(super) const SERVER_VERSION: &str = "5.7.99";

const PLUGIN: &[u8] = b"mysql_native_password";

/// Longest payload of a login.
const LOGIN_MOST: usize = 64 << 10;

/// What a client sent at the login.
pub(super) struct Client {
    pub(super) user: String,
    pub(super) database: Option<String>,
    /// Whether the password was right.
    pub(super) accepted: bool,
    /// Whether it sent a password at all, for the text of a refusal.
    pub(super) with_password: bool,
}

/// Greets a client and reads who it is; `None` when it went away.
pub(super) async fn greet<S: AsyncRead + AsyncWrite + Unpin>(
    packets: &mut Packets<S>,
    connection_id: u32,
    users: &Users,
) -> io::Result<Option<Client>> {
    let nonce = nonce();
    let mut first = [0u8; 8];
    first.copy_from_slice(&nonce[..8]);
    let mut second = nonce[8..].to_vec();
    second.push(0);
    let greeting = HandshakePacket::new(
        10,
        SERVER_VERSION.as_bytes(),
        connection_id,
        first,
        Some(second),
        capabilities(),
        UTF8_GENERAL_CI as u8,
        StatusFlags::SERVER_STATUS_AUTOCOMMIT,
        Some(PLUGIN),
    );
    let mut payload = Vec::new();
    greeting.serialize(&mut payload);
    packets.write(&payload).await?;
    packets.flush().await?;

    let Some(payload) = packets.read(LOGIN_MOST).await? else {
        return Ok(None);
    };
    let response = HandshakeResponse::deserialize((), &mut ParseBuf(&payload))?;
    let user = String::from_utf8_lossy(response.user()).into_owned();
    let database = response
        .db_name()
        .map(|name| String::from_utf8_lossy(name).into_owned());
    let mut answer = response.scramble_buf().to_vec();
    let other_plugin = response
        .auth_plugin()
        .is_some_and(|plugin| plugin.as_bytes() != PLUGIN);
    if other_plugin {
        // The client guessed another plugin: request ours, with the same nonce.
        let mut switch = vec![0xfe];
        switch.extend_from_slice(PLUGIN);
        switch.push(0);
        switch.extend_from_slice(&nonce);
        switch.push(0);
        packets.write(&switch).await?;
        packets.flush().await?;
        let Some(payload) = packets.read(LOGIN_MOST).await? else {
            return Ok(None);
        };
        answer = payload;
    }
    // Some clients send an empty password as one zero byte.
    let answer = if answer == [0] { Vec::new() } else { answer };
    Ok(Some(Client {
        accepted: users.check_native(&user, &nonce, &answer),
        with_password: !answer.is_empty(),
        user,
        database: database.filter(|name| !name.is_empty()),
    }))
}

/// Reads the user, the answer and the database of a `COM_CHANGE_USER`; the old nonce is not used again, so a client
/// that changes its user has to log in again.
pub(super) fn change_user_name(payload: &[u8]) -> io::Result<String> {
    let mut fields = Fields::new(payload);
    fields.u8()?;
    Ok(String::from_utf8_lossy(fields.zero_terminated()?).into_owned())
}

fn capabilities() -> CapabilityFlags {
    CapabilityFlags::CLIENT_LONG_PASSWORD
        | CapabilityFlags::CLIENT_FOUND_ROWS
        | CapabilityFlags::CLIENT_LONG_FLAG
        | CapabilityFlags::CLIENT_CONNECT_WITH_DB
        | CapabilityFlags::CLIENT_PROTOCOL_41
        | CapabilityFlags::CLIENT_TRANSACTIONS
        | CapabilityFlags::CLIENT_SECURE_CONNECTION
        | CapabilityFlags::CLIENT_MULTI_STATEMENTS
        | CapabilityFlags::CLIENT_MULTI_RESULTS
        | CapabilityFlags::CLIENT_PLUGIN_AUTH
        | CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA
        | CapabilityFlags::CLIENT_CONNECT_ATTRS
}

/// Twenty random bytes without zero, which would end the text that they are sent as.
fn nonce() -> [u8; 20] {
    let mut nonce = [0u8; 20];
    for chunk in nonce.chunks_mut(8) {
        let random = crate::cluster::random().to_le_bytes();
        for (byte, random) in chunk.iter_mut().zip(random) {
            *byte = random % 126 + 1;
        }
    }
    nonce
}
