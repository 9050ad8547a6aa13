//! Accounts made and dropped by statements.

use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::ddl::done;
use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine};

impl Engine {
    /// `CREATE USER [IF NOT EXISTS] name[@host] [IDENTIFIED BY 'password']`. The account may do everything, from every host.
    pub(super) fn create_user(&self, cursor: &mut Cursor<'_>) -> Result<Answer, SqlError> {
        let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
        let name = account(cursor)?;
        let password = match cursor.eat_all(&["IDENTIFIED", "BY"]) {
            true => cursor.string()?,
            false => String::new(),
        };
        cursor.expect_end()?;
        if !self.users().add(&name, &password) && !if_not_exists {
            return Err(SqlError::plain(format!("User '{name}'@'%' already exist")));
        }
        Ok(done())
    }

    /// `DROP USER [IF EXISTS] name[@host]`.
    pub(super) fn drop_user(&self, cursor: &mut Cursor<'_>) -> Result<Answer, SqlError> {
        let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
        let name = account(cursor)?;
        cursor.expect_end()?;
        if !self.users().remove(&name) && !if_exists {
            return Err(SqlError::plain(format!("User '{name}'@'%' does not exist")));
        }
        Ok(done())
    }
}

/// The name of an account; its host is read and not looked at.
fn account(cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
    let name = match cursor.eat_string() {
        Some(name) => name,
        None => cursor.ident()?,
    };
    // The sign and a plain host are one word, a quoted one stands for itself.
    let sign = matches!(cursor.peek(), Some(Token::Word(word)) if word.value.starts_with('@'));
    if cursor.eat_token(&Token::AtSign) {
        if cursor.eat_string().is_none() {
            cursor.ident()?;
        }
    } else if sign {
        cursor.take();
        cursor.eat_string();
    }
    Ok(name.split('@').next().unwrap_or_default().to_owned())
}
