//! Statement texts cut into tokens and statements.

use datafusion::sql::sqlparser::dialect::MySqlDialect;
use datafusion::sql::sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Tokenizer};

use super::incr::INCR;
use crate::error::SqlError;

/// One statement: its tokens without blanks and comments, and its text.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Tokens; never empty.
    pub tokens: Vec<TokenWithSpan>,
    text: std::sync::Arc<str>,
    line_starts: std::sync::Arc<[usize]>,
}

/// Cuts a text at the `;` outside quotes and comments. Empty statements are left out.
pub fn statements(sql: &str) -> Result<Vec<Statement>, SqlError> {
    let dialect = MySqlDialect {};
    let tokens = Tokenizer::new(&dialect, sql)
        .tokenize_with_location()
        .map_err(|e| SqlError::syntax(e.to_string()))?;
    let text: std::sync::Arc<str> = sql.into();
    let line_starts: std::sync::Arc<[usize]> = std::iter::once(0)
        .chain(sql.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let mut out = Vec::new();
    let mut current = Vec::new();
    let mut finish = |tokens: &mut Vec<TokenWithSpan>| {
        if !tokens.is_empty() {
            out.push(Statement {
                tokens: std::mem::take(tokens),
                text: text.clone(),
                line_starts: line_starts.clone(),
            });
        }
    };
    for token in tokens {
        match &token.token {
            Token::SemiColon => finish(&mut current),
            Token::Whitespace(_) | Token::EOF => {}
            _ => push(&mut current, token),
        }
    }
    finish(&mut current);
    Ok(out)
}

/// Adds a token; an unquoted `name@incr` is two of them.
fn push(tokens: &mut Vec<TokenWithSpan>, token: TokenWithSpan) {
    let Some(at) = incr_suffix(&token.token) else {
        return tokens.push(token);
    };
    let Token::Word(word) = &token.token else {
        return tokens.push(token);
    };
    let (name, suffix) = word.value.split_at(at);
    let mut middle = token.span.start;
    middle.column += name.chars().count() as u64;
    let part = |text: &str, start, end| TokenWithSpan {
        token: Token::make_word(text, None),
        span: Span { start, end },
    };
    tokens.push(part(name, token.span.start, middle));
    tokens.push(part(suffix, middle, token.span.end));
}

/// Where `@incr` begins at the end of an unquoted word that has a name before it.
fn incr_suffix(token: &Token) -> Option<usize> {
    let Token::Word(word) = token else { return None };
    let at = word.value.len().checked_sub(INCR.len()).filter(|at| *at > 0)?;
    let suffix = word.value.get(at..)?;
    (word.quote_style.is_none() && suffix.eq_ignore_ascii_case(INCR)).then_some(at)
}

impl Statement {
    /// The text between two tokens, both included.
    pub fn raw(&self, first: usize, last: usize) -> &str {
        let (Some(first), Some(last)) = (self.tokens.get(first), self.tokens.get(last)) else {
            return "";
        };
        let start = self.offset(first.span.start);
        let end = self.offset(last.span.end);
        self.text.get(start..end).unwrap_or_default().trim()
    }

    fn offset(&self, location: Location) -> usize {
        let line = (location.line as usize).saturating_sub(1);
        let start = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        let column = (location.column as usize).saturating_sub(1);
        let rest = &self.text[start..];
        start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_outside_quotes_and_comments() {
        let found = statements("/* a;b */ select ';' , \"x;\" -- ;\n; ; use `a;b`").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].raw(0, 1), "use `a;b`");
    }

    #[test]
    fn raw_text_counts_characters() {
        let found = statements("select /*+ SET_VAR(a=1) */ 'ä€' , max(é) from t").unwrap();
        assert_eq!(found[0].raw(3, 6), "max(é)");
    }

    #[test]
    fn a_text_that_does_not_end_is_an_error() {
        assert!(statements("select 'abc").is_err());
    }
}
