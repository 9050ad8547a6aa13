//! One MySQL connection: login, then commands until it quits.

use std::io;
use std::sync::Arc;

use mysql_common::constants::Command;

use super::login::{Client, change_user_name, greet};
use super::packet::Packets;
use super::results::{self, end};
use crate::cluster::users::refused;
use crate::control::faults::Sight;
use crate::control::journal::Entry;
use crate::control::rules::{Action, Point};
use crate::control::stats::Open;
use crate::error::SqlError;
use crate::net::{Connection, ConnectionHandle};
use crate::shared::Shared;
use crate::sql::engine::{Answer, Session};
use crate::sql::script::{first_table, statements};

const COM_QUIT: u8 = Command::COM_QUIT as u8;
const COM_PING: u8 = Command::COM_PING as u8;
const COM_RESET_CONNECTION: u8 = Command::COM_RESET_CONNECTION as u8;
const COM_SET_OPTION: u8 = Command::COM_SET_OPTION as u8;
const COM_INIT_DB: u8 = Command::COM_INIT_DB as u8;
const COM_FIELD_LIST: u8 = Command::COM_FIELD_LIST as u8;
const COM_QUERY: u8 = Command::COM_QUERY as u8;
const COM_STMT_PREPARE: u8 = Command::COM_STMT_PREPARE as u8;
const COM_STMT_CLOSE: u8 = Command::COM_STMT_CLOSE as u8;
const COM_STMT_SEND_LONG_DATA: u8 = Command::COM_STMT_SEND_LONG_DATA as u8;
const COM_STATISTICS: u8 = Command::COM_STATISTICS as u8;
const COM_CHANGE_USER: u8 = Command::COM_CHANGE_USER as u8;

/// Longest command.
const COMMAND_MOST: usize = 1 << 30;

/// Serves a connection to its end; a broken connection is no failure of the server.
pub(super) async fn serve(shared: Arc<Shared>, index: usize, connection: Connection) {
    let _open = Open::new(&shared.counters.mysql_connections);
    let handle = connection.handle();
    let packets = Packets::new(connection);
    let mut session = Commands {
        shared: &shared,
        node: format!("fe{index}"),
        index,
        handle: handle.clone(),
        packets,
    };
    let ended = tokio::select! {
        ended = session.run() => ended,
        // A command that is held or computes ends with its connection too. The connection is dropped after this.
        () = handle.ended() => Ok(()),
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "MySQL connection ended");
    }
}

struct Commands<'a> {
    shared: &'a Arc<Shared>,
    node: String,
    /// Position of the front end in the cluster.
    index: usize,
    handle: ConnectionHandle,
    packets: Packets<Connection>,
}

impl Commands<'_> {
    async fn run(&mut self) -> io::Result<()> {
        let mut session = self.shared.engine.open_session_at("", self.index);
        let id = u32::try_from(session.id).unwrap_or(u32::MAX);
        let Some(client) = greet(&mut self.packets, id, &self.shared.users).await? else {
            return Ok(());
        };
        if !client.accepted {
            return self.refuse(&client).await;
        }
        session.user = client.user.clone();
        if let Some(database) = &client.database
            && let Err(error) = self.use_database(&mut session, database).await
        {
            self.note("Login", "", &session, Err(&error));
            results::error(&mut self.packets, &error).await?;
            return self.packets.flush().await;
        }
        self.note("Login", "", &session, Ok(()));
        results::ok(&mut self.packets, 0, "", false).await?;
        self.packets.flush().await?;
        loop {
            self.packets.restart();
            let Some(payload) = self.packets.read(COMMAND_MOST).await? else {
                return Ok(());
            };
            if !self.command(&mut session, &payload).await? {
                return Ok(());
            }
            self.packets.flush().await?;
        }
    }

    async fn refuse(&mut self, client: &Client) -> io::Result<()> {
        let error = SqlError {
            code: 1045,
            sqlstate: "28000",
            message: refused(
                &client.user,
                &self.handle.peer.ip().to_string(),
                client.with_password,
            ),
        };
        let nobody = Session {
            user: client.user.clone(),
            ..self.shared.engine.open_session("")
        };
        self.note("Login", "", &nobody, Err(&error));
        results::error(&mut self.packets, &error).await?;
        self.packets.flush().await
    }

    /// Answers one command; false ends the connection.
    async fn command(&mut self, session: &mut Session, payload: &[u8]) -> io::Result<bool> {
        let Some((code, rest)) = payload.split_first() else {
            results::error(&mut self.packets, &unknown_command(0)).await?;
            return Ok(true);
        };
        match *code {
            COM_QUIT => return Ok(false),
            COM_PING => results::ok(&mut self.packets, 0, "", false).await?,
            COM_RESET_CONNECTION => {
                // Variables go back to their global values, an open transaction is gone; user and database stay.
                session.variables.clear();
                session.transaction = None;
                results::ok(&mut self.packets, 0, "", false).await?;
            }
            // Multi-statements are always on.
            COM_SET_OPTION => end(&mut self.packets, false).await?,
            COM_INIT_DB => {
                let database = String::from_utf8_lossy(rest).into_owned();
                let outcome = self.use_database(session, &database).await;
                self.note("InitDb", &database, session, outcome.as_ref().map(|_| ()));
                match outcome {
                    Ok(()) => results::ok(&mut self.packets, 0, "", false).await?,
                    Err(error) => results::error(&mut self.packets, &error).await?,
                }
            }
            COM_QUERY => return self.query(session, &String::from_utf8_lossy(rest)).await,
            COM_FIELD_LIST => self.field_list(session, rest).await?,
            COM_STMT_PREPARE => {
                let error = SqlError {
                    code: 1295,
                    sqlstate: "HY000",
                    message:
                        "errCode = 2, detailMessage = server-side prepared statements are not supported, \
                              use the text protocol"
                            .to_owned(),
                };
                self.note("Prepare", &String::from_utf8_lossy(rest), session, Err(&error));
                results::error(&mut self.packets, &error).await?;
            }
            // No answer belongs to these.
            COM_STMT_CLOSE | COM_STMT_SEND_LONG_DATA => {}
            COM_STATISTICS => {
                self.packets.write(b"Uptime: 1  Threads: 1  Questions: 1").await?;
            }
            COM_CHANGE_USER => {
                let user = change_user_name(payload).unwrap_or_default();
                let message =
                    format!("errCode = 2, detailMessage = changing to user '{user}' needs a new connection");
                let error = SqlError {
                    code: 1047,
                    sqlstate: "08S01",
                    message,
                };
                results::error(&mut self.packets, &error).await?;
            }
            _ => results::error(&mut self.packets, &unknown_command(*code)).await?,
        }
        Ok(true)
    }

    /// Columns of a table, which interactive clients complete names with. A pattern behind the table's name is of no
    /// account, as in Doris.
    async fn field_list(&mut self, session: &mut Session, argument: &[u8]) -> io::Result<()> {
        let name = argument.split(|byte| *byte == 0).next().unwrap_or_default();
        let table = String::from_utf8_lossy(name).into_owned();
        let sql = format!("SELECT * FROM `{}` LIMIT 0", table.replace('`', "``"));
        let outcome = self.shared.engine.execute(session, &sql).await;
        self.note("FieldList", &table, session, outcome.as_ref().map(|_| ()));
        match outcome {
            Ok(answers) => results::fields(&mut self.packets, &answers).await,
            Err(error) => results::error(&mut self.packets, &error).await,
        }
    }

    /// Runs the statements of a text one by one, so that the answers before a failure reach the client.
    async fn query(&mut self, session: &mut Session, text: &str) -> io::Result<bool> {
        let all = statements(text);
        if all.is_empty() {
            let error = SqlError {
                code: 1065,
                sqlstate: "42000",
                message: "Query was empty".to_owned(),
            };
            results::error(&mut self.packets, &error).await?;
            return Ok(true);
        }
        for (at, sql) in all.iter().enumerate() {
            let more = at + 1 < all.len();
            let table = first_table(sql);
            let table = table.table.as_ref().and_then(|name| {
                Some(format!(
                    "{}.{name}",
                    table.database.as_ref().or(session.database.as_ref())?
                ))
            });
            let sight = Sight {
                node: &self.node,
                statement: sql,
                table: table.as_deref(),
                ..Sight::default()
            };
            let before = self.shared.strike(Point::MysqlQuery, &sight).await;
            let struck = match before
                .as_ref()
                .map(|strike| broken(strike.action(), &self.handle))
            {
                Some(Broken::Connection) => return Ok(false),
                Some(Broken::Error(error)) => Some(error),
                _ => None,
            };
            let outcome = match struck {
                Some(error) => Err(error),
                None => self.shared.engine.execute(session, sql).await,
            };
            self.note("Query", sql, session, outcome.as_ref().map(|_| ()));
            let after = self.shared.strike(Point::MysqlAnswer, &sight).await;
            let dropped = before.is_some_and(|strike| strike.action().drop_answer);
            let outcome = match after.as_ref().map(|strike| broken(strike.action(), &self.handle)) {
                Some(Broken::Connection) => return Ok(false),
                Some(Broken::Error(error)) => Err(error),
                Some(Broken::Nothing) | None => outcome,
            };
            if dropped || after.is_some_and(|strike| strike.action().drop_answer) {
                return Ok(false);
            }
            match outcome {
                Ok(answers) => self.answers(session, &answers, more).await?,
                Err(error) => {
                    // A failure ends the whole text.
                    results::error(&mut self.packets, &error).await?;
                    return Ok(true);
                }
            }
        }
        Ok(true)
    }

    async fn answers(&mut self, session: &Session, answers: &[Answer], more: bool) -> io::Result<()> {
        let zone = self.shared.engine.zone(session);
        if answers.is_empty() {
            return results::ok(&mut self.packets, 0, "", more).await;
        }
        for (at, answer) in answers.iter().enumerate() {
            let more = more || at + 1 < answers.len();
            results::answer(&mut self.packets, answer, &zone, more).await?;
        }
        Ok(())
    }

    async fn use_database(&self, session: &mut Session, database: &str) -> Result<(), SqlError> {
        let sql = format!("USE `{}`", database.replace('`', "``"));
        self.shared.engine.execute(session, &sql).await.map(|_| ())
    }

    fn note(&self, method: &str, statement: &str, session: &Session, outcome: Result<(), &SqlError>) {
        self.shared.journal.add(Entry {
            channel: "mysql",
            node: self.node.clone(),
            method: method.to_owned(),
            statement: statement.to_owned(),
            body_bytes: statement.len() as u64,
            status: outcome.map_or_else(|error| error.code.to_string(), |()| "ok".to_owned()),
            error: outcome
                .err()
                .map_or_else(String::new, |error| error.message.clone()),
            user: session.user.clone(),
            session: Some(session.id),
            ..Entry::default()
        });
    }
}

/// What a rule leaves of a command.
enum Broken {
    Nothing,
    Connection,
    Error(SqlError),
}

fn broken(action: &Action, connection: &ConnectionHandle) -> Broken {
    if action.reset {
        connection.reset();
        return Broken::Connection;
    }
    if action.close.is_some() {
        return Broken::Connection;
    }
    if let Some(answer) = &action.answer {
        return Broken::Error(played(answer.code.unwrap_or(1105), &answer.message));
    }
    if let Some(status) = &action.status {
        let code = status
            .code
            .as_u64()
            .and_then(|code| u16::try_from(code).ok())
            .unwrap_or(1105);
        return Broken::Error(played(code, &status.message));
    }
    Broken::Nothing
}

/// An error by a rule; its text names the rule where that has none of its own.
fn played(code: u16, message: &str) -> SqlError {
    let message = match message.trim() {
        "" => "broken by a fault rule",
        _ => message,
    };
    SqlError {
        code,
        sqlstate: "HY000",
        message: message.to_owned(),
    }
}

fn unknown_command(code: u8) -> SqlError {
    SqlError {
        code: 1047,
        sqlstate: "08S01",
        message: format!("errCode = 2, detailMessage = unknown MySQL command {code}"),
    }
}
