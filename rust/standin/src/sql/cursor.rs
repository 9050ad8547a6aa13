//! A place in a row of tokens, with the small tests that hand-written parsers need.

use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::SqlError;

/// A place in a row of tokens. Keywords are compared without regard to case and never match quoted words.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    tokens: &'a [TokenWithSpan],
    /// Index of the next token.
    pub at: usize,
}

impl<'a> Cursor<'a> {
    /// At the first token.
    pub fn new(tokens: &'a [TokenWithSpan]) -> Self {
        Self { tokens, at: 0 }
    }

    /// The next token.
    pub fn peek(&self) -> Option<&'a Token> {
        self.ahead(0)
    }

    /// The token `n` places after the next.
    pub fn ahead(&self, n: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + n).map(|t| &t.token)
    }

    /// True when no token is left.
    pub fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Takes the next token.
    pub fn take(&mut self) -> Option<&'a Token> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    /// True when the next token is the keyword.
    pub fn is(&self, keyword: &str) -> bool {
        self.is_ahead(0, keyword)
    }

    /// True when the token `n` places on is the keyword.
    pub fn is_ahead(&self, n: usize, keyword: &str) -> bool {
        matches!(self.ahead(n), Some(Token::Word(w)) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(keyword))
    }

    /// Takes the keyword if it is next.
    pub fn eat(&mut self, keyword: &str) -> bool {
        let found = self.is(keyword);
        self.at += usize::from(found);
        found
    }

    /// Takes all the keywords if they are next in this order.
    pub fn eat_all(&mut self, keywords: &[&str]) -> bool {
        let found = keywords.iter().enumerate().all(|(n, k)| self.is_ahead(n, k));
        if found {
            self.at += keywords.len();
        }
        found
    }

    /// Takes the keyword or fails.
    pub fn expect(&mut self, keyword: &str) -> Result<(), SqlError> {
        if self.eat(keyword) {
            Ok(())
        } else {
            Err(self.unexpected(keyword))
        }
    }

    /// Takes the punctuation if it is next.
    pub fn eat_token(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    /// Takes the punctuation or fails.
    pub fn expect_token(&mut self, token: &Token) -> Result<(), SqlError> {
        if self.eat_token(token) {
            Ok(())
        } else {
            Err(self.unexpected(&token.to_string()))
        }
    }

    /// A name, quoted or not.
    pub fn ident(&mut self) -> Result<String, SqlError> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word.value.clone())
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// Names joined by dots.
    pub fn path(&mut self) -> Result<Vec<String>, SqlError> {
        let mut parts = vec![self.ident()?];
        loop {
            if self.eat_token(&Token::Period) {
                parts.push(self.ident()?);
            } else if let Some(Token::Number(number, _)) = self.peek() {
                // `db.1table` is cut into a name and a number that begins with the dot.
                match number.strip_prefix('.') {
                    Some(rest) => parts.push(rest.to_string()),
                    None => return Ok(parts),
                }
                self.at += 1;
            } else {
                return Ok(parts);
            }
        }
    }

    /// `[internal.][db.]table`.
    pub fn table_name(&mut self) -> Result<(Option<String>, String), SqlError> {
        let at = self.at;
        let mut parts = self.path()?;
        if parts.len() == 3 && parts[0].eq_ignore_ascii_case("internal") {
            parts.remove(0);
        }
        match <[String; 2]>::try_from(parts) {
            Ok([database, table]) => Ok((Some(database), table)),
            Err(mut parts) if parts.len() == 1 => Ok((None, parts.remove(0))),
            Err(parts) => {
                self.at = at;
                Err(SqlError::plain(format!("Unknown catalog '{}'", parts[0])))
            }
        }
    }

    /// Names in parentheses.
    pub fn ident_list(&mut self) -> Result<Vec<String>, SqlError> {
        self.expect_token(&Token::LParen)?;
        let mut names = Vec::new();
        loop {
            names.push(self.ident()?);
            if !self.eat_token(&Token::Comma) {
                break;
            }
        }
        self.expect_token(&Token::RParen)?;
        Ok(names)
    }

    /// A text in single or double quotes.
    pub fn string(&mut self) -> Result<String, SqlError> {
        self.eat_string().ok_or_else(|| self.unexpected("a quoted text"))
    }

    /// A text in single or double quotes, if one is next.
    pub fn eat_string(&mut self) -> Option<String> {
        let text = match self.peek()? {
            Token::SingleQuotedString(text) | Token::DoubleQuotedString(text) => text.clone(),
            _ => return None,
        };
        self.at += 1;
        Some(text)
    }

    /// An integer without sign.
    pub fn number<T: std::str::FromStr>(&mut self) -> Result<T, SqlError> {
        match self.peek() {
            Some(Token::Number(text, _)) => match text.parse() {
                Ok(number) => {
                    self.at += 1;
                    Ok(number)
                }
                Err(_) => Err(self.unexpected("an integer in range")),
            },
            _ => Err(self.unexpected("an integer")),
        }
    }

    /// Passes over balanced parentheses, the opening one being next; gives the range of tokens inside.
    pub fn skip_parens(&mut self) -> Result<std::ops::Range<usize>, SqlError> {
        self.expect_token(&Token::LParen)?;
        let start = self.at;
        let mut depth = 1;
        while let Some(token) = self.take() {
            match token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(start..self.at - 1);
            }
        }
        Err(self.unexpected(")"))
    }

    /// Fails when a token is left.
    pub fn expect_end(&self) -> Result<(), SqlError> {
        if self.done() {
            Ok(())
        } else {
            Err(self.unexpected("the end of the statement"))
        }
    }

    /// The error that names the next token, its place and what should stand there.
    pub fn unexpected(&self, expected: &str) -> SqlError {
        match self.tokens.get(self.at) {
            Some(token) => SqlError::syntax(format!(
                "mismatched input '{}' expecting {expected}(line {}, pos {})",
                token.token,
                token.span.start.line,
                token.span.start.column.saturating_sub(1)
            )),
            None => SqlError::syntax(format!("mismatched input '<EOF>' expecting {expected}")),
        }
    }
}
