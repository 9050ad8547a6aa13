//! One statement after the other: the first words decide who carries it out.

use super::cursor::Cursor;
use super::ddl::done;
use super::explicit::refused_within;
use super::lexer::{Statement, statements};
use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine, Rows, Session};

impl Engine {
    /// Runs the statements of a text, separated by `;`, one answer each. Fails at the first that fails; what the
    /// ones before it did stays done.
    pub async fn execute(&self, session: &mut Session, sql: &str) -> Result<Vec<Answer>, SqlError> {
        let mut answers = Vec::new();
        for statement in statements(sql)? {
            answers.push(self.run(session, &statement).await?);
        }
        Ok(answers)
    }

    async fn run(&self, session: &mut Session, statement: &Statement) -> Result<Answer, SqlError> {
        let mut cursor = Cursor::new(&statement.tokens);
        let first = match cursor.peek() {
            Some(datafusion::sql::sqlparser::tokenizer::Token::Word(word)) => word.value.to_ascii_uppercase(),
            _ => String::new(),
        };
        let is_query = matches!(first.as_str(), "SELECT" | "WITH" | "VALUES" | "");
        if is_query {
            return self.select(session, statement).await;
        }
        cursor.take();
        if let Some(error) = refused_within(session, &first) {
            return Err(error);
        }
        match first.as_str() {
            "INSERT" => self.insert(&at_master(session), statement, &mut cursor).await,
            "DELETE" => self.delete(&at_master(session), statement, &mut cursor).await,
            "UPDATE" => self.update(&at_master(session), statement, &mut cursor).await,
            "TRUNCATE" => self.truncate(session, &mut cursor).await,
            "CREATE" => self.create(session, statement, &mut cursor).await,
            "DROP" => self.drop(session, &mut cursor),
            "ALTER" => self.alter(session, &mut cursor).await,
            "SET" => self.set_variables(session, statement, &mut cursor).await,
            // Definitions do not lag here.
            "SYNC" => cursor.expect_end().map(|()| done()),
            "USE" => self.use_database(session, &mut cursor),
            "SHOW" => self.show(session, statement, &mut cursor).await,
            "DESC" | "DESCRIBE" => self.describe(session, &mut cursor).await,
            "BEGIN" | "START" => self.begin_explicit(session, &mut cursor, first == "START"),
            "COMMIT" | "ROLLBACK" => self.end_explicit(session, &mut cursor, first == "COMMIT").await,
            _ => {
                cursor.at = 0;
                Err(cursor.unexpected("a statement that this server knows"))
            }
        }
    }

    async fn select(&self, session: &Session, statement: &Statement) -> Result<Answer, SqlError> {
        let stream = self.statement_stream(session, statement).await?;
        Ok(Answer::Rows(stream.collect().await?))
    }

    /// Rows of a query text, for uses inside the engine.
    pub(crate) async fn query_rows(&self, session: &Session, sql: &str) -> Result<Rows, SqlError> {
        self.query_stream(session, sql).await?.collect().await
    }

    fn use_database(&self, session: &mut Session, cursor: &mut Cursor<'_>) -> Result<Answer, SqlError> {
        let mut parts = cursor.path()?;
        cursor.expect_end()?;
        let database = parts.pop().unwrap_or_default();
        if !self.catalog().has_database(&database) {
            return Err(SqlError::unused_database(&database));
        }
        session.database = Some(database);
        Ok(done())
    }
}

/// A front end forwards what writes to the master, and what it reads, too.
fn at_master(session: &Session) -> Session {
    Session {
        frontend: None,
        ..session.clone()
    }
}
