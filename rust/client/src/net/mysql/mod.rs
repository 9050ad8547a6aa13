//! A connection to the MySQL port of a front end: login and single statements in the text protocol.

mod login;
mod packet;
pub(crate) mod url;

use std::fmt;
use std::io;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::config::address::Address;
use crate::config::cluster::Cluster;
use crate::error::{Error, ErrorKind, unresolved};
use crate::net::text_rows::TextRows;
use packet::{Fields, Packets, damaged};

/// Codes of the commands that are used.
const QUERY: u8 = 0x03;
const QUIT: u8 = 0x01;

/// How long a good-bye may take.
const QUIT_LIMIT: Duration = Duration::from_millis(500);

/// A connection that is logged in. Holds no task; dropping it closes the socket.
pub(crate) struct Connection {
    node: Address,
    packets: Packets<TcpStream>,
    read_timeout: Duration,
}

/// What a server answers to a statement.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// No rows, but some were written.
    Done {
        affected: u64,
    },
    Rows(TextRows),
}

/// Why a statement has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server refused it.
    Refused(Refusal),
    /// The connection broke or was silent too long.
    Broken(Error),
}

/// An error as the server words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: u16,
    pub(crate) text: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (error {})", self.text, self.code)
    }
}

impl Connection {
    /// Connects to the first node that answers, in the order given. A refused login ends the search: the account is
    /// the same everywhere. The error names every node with its cause, and is retryable where a node may come back.
    pub(crate) async fn open(nodes: &[Address], cluster: &Cluster) -> Result<Self, Error> {
        let mut causes = Vec::new();
        for node in nodes {
            match Self::open_at(node, cluster).await {
                Ok(connection) => return Ok(connection),
                Err(error) if error.moves_on() => {
                    tracing::debug!(%node, %error, "MySQL port failed, trying the next");
                    causes.push((node, error));
                }
                Err(error) => {
                    return Err(Error::new(
                        error.kind(),
                        format!("node {node} of jdbc-url: {error}"),
                    ));
                }
            }
        }
        let list: Vec<String> = causes.iter().map(|(node, e)| format!("{node}: {e}")).collect();
        let kind = match &*causes {
            [(_, only)] => only.kind(),
            _ => ErrorKind::Connect,
        };
        let error = Error::new(
            kind,
            format!("no node of jdbc-url can be reached: {}", list.join("; ")),
        );
        Err(error.retryable_if(causes.iter().any(|(_, e)| e.is_retryable())))
    }

    async fn open_at(node: &Address, cluster: &Cluster) -> Result<Self, Error> {
        let connecting = TcpStream::connect((&*node.host, node.port));
        let stream = match timeout(cluster.connect_timeout, connecting).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(unreachable(node, &error)),
            Err(_) => return Err(silent("cannot be reached within", cluster.connect_timeout)),
        };
        // Small requests that wait for their answers.
        let _ = stream.set_nodelay(true);
        let mut packets = Packets::new(stream);
        // A MySQL server speaks first; what waits for a request is another port.
        let greeting = match timeout(cluster.connect_timeout, packets.read()).await {
            Ok(Ok(greeting)) => greeting,
            Ok(Err(error)) => return Err(broken(&error)),
            Err(_) => {
                let limit = cluster.connect_timeout.as_millis();
                let message = format!(
                    "sent no greeting within {limit} ms: jdbc-url needs the MySQL port of a front end (query_port, 9030)"
                );
                return Err(Error::new(ErrorKind::Connect, message).unresolved());
            }
        };
        let login = login::log_in(&mut packets, &greeting, &cluster.login);
        match timeout(cluster.read_timeout, login).await {
            Ok(Ok(())) => Ok(Self {
                node: node.clone(),
                packets,
                read_timeout: cluster.read_timeout,
            }),
            Ok(Err(login::Failed::Io(error))) => Err(broken(&error)),
            Ok(Err(login::Failed::Told(error))) => Err(error),
            Err(_) => Err(silent("did not finish the login within", cluster.read_timeout)),
        }
    }

    /// The node that this is a connection to.
    pub(crate) fn node(&self) -> &Address {
        &self.node
    }

    /// The same connection with another limit for each answer.
    pub(crate) fn waiting(self, read_timeout: Duration) -> Self {
        Self { read_timeout, ..self }
    }

    /// Runs one statement. After `Failure::Broken` the connection is of no use any more.
    pub(crate) async fn query(&mut self, sql: &str) -> Result<Answer, Failure> {
        let limit = self.read_timeout;
        match timeout(limit, self.exchange(sql)).await {
            Ok(Ok(answer)) => answer.map_err(Failure::Refused),
            Ok(Err(error)) => Err(Failure::Broken(broken(&error))),
            Err(_) => Err(Failure::Broken(silent("gave no answer within", limit))),
        }
    }

    /// Says good-bye, so that the server need not find out.
    pub(crate) async fn close(mut self) {
        self.packets.restart();
        let _ = timeout(QUIT_LIMIT, self.packets.write(&[QUIT])).await;
    }

    async fn exchange(&mut self, sql: &str) -> io::Result<Result<Answer, Refusal>> {
        self.packets.restart();
        self.packets
            .write(&[&[QUERY][..], sql.as_bytes()].concat())
            .await?;
        let first = self.packets.read().await?;
        match first[0] {
            0x00 => {
                let affected = Fields(&first[1..]).number()?.unwrap_or(0);
                Ok(Ok(Answer::Done { affected }))
            }
            0xff => Ok(Err(refusal(&first)?)),
            0xfb => Err(damaged("the server asks for a local file")),
            _ => {
                let count = Fields(&first).number()?.unwrap_or(0);
                Ok(self.rows(count).await?.map(Answer::Rows))
            }
        }
    }

    async fn rows(&mut self, count: u64) -> io::Result<Result<TextRows, Refusal>> {
        let mut table = TextRows::default();
        for _ in 0..count {
            let definition = self.packets.read().await?;
            let mut fields = Fields(&definition);
            // Catalog, schema, table, original table.
            for _ in 0..4 {
                fields.text()?;
            }
            table.columns.push(fields.text()?.unwrap_or_default());
        }
        if !is_end(&self.packets.read().await?) {
            return Err(damaged("the columns of an answer have no end"));
        }
        loop {
            let row = self.packets.read().await?;
            if is_end(&row) {
                return Ok(Ok(table));
            }
            if row[0] == 0xff {
                return Ok(Err(refusal(&row)?));
            }
            let mut fields = Fields(&row);
            let cells = (0..table.columns.len()).map(|_| fields.text());
            table.rows.push(cells.collect::<io::Result<_>>()?);
        }
    }
}

fn is_end(payload: &[u8]) -> bool {
    payload[0] == 0xfe && payload.len() < 9
}

/// Reads an error packet: mark, code, SQLSTATE with `#`, text.
fn refusal(payload: &[u8]) -> io::Result<Refusal> {
    let mut fields = Fields(&payload[1..]);
    let code = fields.u16()?;
    let text = match fields.0 {
        [b'#', rest @ ..] => rest.get(5..).unwrap_or_default(),
        rest => rest,
    };
    Ok(Refusal {
        code,
        text: String::from_utf8_lossy(text).into_owned(),
    })
}

fn unreachable(node: &Address, error: &io::Error) -> Error {
    let text = error.to_string();
    if unresolved(&text) {
        let message = format!("the host name '{}' of jdbc-url cannot be resolved", node.host);
        return Error::new(ErrorKind::Connect, message).unresolved();
    }
    Error::new(ErrorKind::Connect, format!("cannot be reached ({text})")).retryable()
}

fn broken(error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::InvalidData {
        return Error::new(ErrorKind::Transport, error.to_string());
    }
    Error::new(ErrorKind::Transport, format!("the connection broke ({error})")).retryable()
}

fn silent(what: &str, limit: Duration) -> Error {
    Error::new(ErrorKind::Timeout, format!("{what} {} ms", limit.as_millis())).retryable()
}

#[cfg(test)]
mod tests;
