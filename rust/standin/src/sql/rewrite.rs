//! Doris' query text made into what the SQL parser reads: relations with hints and casts are lifted out of the tokens.

use std::ops::Range;

use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::lexer::Statement;
use super::relation::{Place, is_hint, read_place};
use super::types::read_type;
use crate::error::SqlError;

/// Name of a relation that was lifted out, by its number.
pub fn lifted_name(number: usize) -> String {
    format!("__lifted_{number}")
}

/// A relation that the parser could not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lifted {
    /// A table with hints.
    Place(Place),
    /// `numbers("number" = "N")`
    Numbers(u64),
}

/// A query ready for the parser.
#[derive(Debug)]
pub struct Rewritten {
    /// Tokens.
    pub tokens: Vec<Token>,
    /// What the relations `__lifted_N` stand for.
    pub lifted: Vec<Lifted>,
    /// Text of each item of the outermost select list.
    pub items: Vec<String>,
}

/// Gives the value of `@@name` or `@name`: a literal, or `None` for NULL.
pub type Variables<'v> = &'v dyn Fn(&str) -> Result<Option<String>, SqlError>;

/// Words that end a relation: none of them is an alias.
const AFTER_RELATION: [&str; 26] = [
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "JOIN",
    "LEFT",
    "RIGHT",
    "INNER",
    "CROSS",
    "FULL",
    "NATURAL",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "MINUS",
    "LIMIT",
    "OFFSET",
    "ON",
    "USING",
    "WINDOW",
    "QUALIFY",
    "LATERAL",
    "STRAIGHT_JOIN",
    "FOR",
    "SET",
    "ANTI",
];

/// Rewrites a statement.
pub fn rewrite(statement: &Statement, variables: Variables<'_>) -> Result<Rewritten, SqlError> {
    let mut rewriter = Rewriter {
        statement,
        variables,
        out: Vec::new(),
        lifted: Vec::new(),
    };
    rewriter.run(0..statement.tokens.len())?;
    Ok(Rewritten {
        tokens: rewriter.out,
        lifted: rewriter.lifted,
        items: select_items(statement),
    })
}

struct Rewriter<'s> {
    statement: &'s Statement,
    variables: Variables<'s>,
    out: Vec<Token>,
    lifted: Vec<Lifted>,
}

impl Rewriter<'_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.statement.tokens.get(at).map(|t| &t.token)
    }

    /// Whether the statement has an order anywhere.
    fn ordered(&self) -> bool {
        let mut cursor = Cursor::new(&self.statement.tokens);
        (0..self.statement.tokens.len()).any(|at| {
            cursor.at = at;
            cursor.is("ORDER") && cursor.is_ahead(1, "BY")
        })
    }

    fn string(&self, at: usize) -> Option<String> {
        match self.token(at)? {
            Token::SingleQuotedString(text) | Token::DoubleQuotedString(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// `name('text', 'type')`.
    fn call(&mut self, name: &str, text: String, type_name: &str) {
        self.out.extend([
            Token::make_word(name, None),
            Token::LParen,
            Token::SingleQuotedString(text),
            Token::Comma,
            Token::SingleQuotedString(type_name.into()),
            Token::RParen,
        ]);
    }

    fn run(&mut self, range: Range<usize>) -> Result<(), SqlError> {
        let mut at = range.start;
        while at < range.end {
            at = self.step(at, range.end)?;
        }
        Ok(())
    }

    /// Takes what begins at a token; gives the place of the next.
    fn step(&mut self, at: usize, end: usize) -> Result<usize, SqlError> {
        let opens = self.token(at + 1) == Some(&Token::LParen);
        match self.token(at).cloned() {
            Some(Token::DoubleQuotedString(text)) => {
                self.out.push(Token::SingleQuotedString(text));
                Ok(at + 1)
            }
            Some(Token::LBrace) => self.braces(at),
            Some(Token::Word(word)) if word.quote_style.is_none() => {
                let upper = word.value.to_ascii_uppercase();
                if word.value.starts_with('@') {
                    return self.variable(at, &word.value);
                }
                match upper.as_str() {
                    "CAST" | "TRY_CAST" | "CONVERT" if opens => return self.cast(at, &upper),
                    "DATE" | "DATETIME" | "TIMESTAMP" => {
                        if let Some(text) = self.string(at + 1) {
                            let type_name = if upper == "DATE" { "date" } else { "datetime(6)" };
                            self.call("doris_cast", text, type_name);
                            return Ok(at + 2);
                        }
                        return self.word(at, end);
                    }
                    // Before a parenthesis the parser takes these words for something else.
                    "ARRAY" if opens => self.out.push(Token::make_word("make_array", None)),
                    "REPLACE" | "INSERT" | "LEFT" | "RIGHT" | "IF" | "MAP" | "STRUCT" | "MOD"
                    | "TRUNCATE"
                        if opens =>
                    {
                        self.out
                            .push(Token::make_word(&upper.to_ascii_lowercase(), Some('`')));
                    }
                    _ => return self.word(at, end),
                }
                Ok(at + 1)
            }
            Some(Token::Word(_)) => self.word(at, end),
            Some(token) => {
                self.out.push(token);
                Ok(at + 1)
            }
            None => Ok(end),
        }
    }

    /// A word that may begin a relation with hints or `numbers(…)`.
    fn word(&mut self, at: usize, end: usize) -> Result<usize, SqlError> {
        let mut cursor = Cursor::new(&self.statement.tokens[..end]);
        cursor.at = at;
        if cursor.is("NUMBERS")
            && cursor.ahead(1) == Some(&Token::LParen)
            && cursor.ahead(3) == Some(&Token::Eq)
        {
            cursor.take();
            let numbers = read_numbers(&mut cursor)?;
            return Ok(self.lift(Lifted::Numbers(numbers), "numbers", &cursor));
        }
        let preceded_by_dot = at > 0 && self.token(at - 1) == Some(&Token::Period);
        if !preceded_by_dot && cursor.path().is_ok() && is_hint(&cursor) {
            cursor.at = at;
            let mut place = read_place(&mut cursor)?;
            if let Some(incr) = &mut place.incr {
                incr.ordered = self.ordered();
            }
            let name = place.table.clone();
            return Ok(self.lift(Lifted::Place(place), &name, &cursor));
        }
        self.out.push(self.statement.tokens[at].token.clone());
        Ok(at + 1)
    }

    fn lift(&mut self, lifted: Lifted, name: &str, cursor: &Cursor<'_>) -> usize {
        self.out
            .push(Token::make_word(&lifted_name(self.lifted.len()), Some('`')));
        self.lifted.push(lifted);
        let alias = match cursor.peek() {
            Some(Token::Word(word)) => {
                word.quote_style.is_some()
                    || !AFTER_RELATION.iter().any(|w| word.value.eq_ignore_ascii_case(w))
            }
            _ => false,
        };
        if !alias {
            self.out.push(Token::make_word("AS", None));
            self.out.push(Token::make_word(name, Some('`')));
        }
        cursor.at
    }

    /// `CAST(x AS type)` and `CONVERT(x, type)` become `doris_cast(x, 'type')`; `CONVERT(x USING utf8)` is `(x)`.
    fn cast(&mut self, at: usize, word: &str) -> Result<usize, SqlError> {
        let mut cursor = Cursor::new(&self.statement.tokens);
        cursor.at = at + 1;
        let inner = cursor.skip_parens()?;
        let mut depth = 0;
        let mut split = None;
        for place in inner.clone() {
            match self.token(place) {
                Some(Token::LParen | Token::LBracket | Token::LBrace) => depth += 1,
                Some(Token::RParen | Token::RBracket | Token::RBrace) => depth -= 1,
                Some(Token::Word(w)) if depth == 0 && w.quote_style.is_none() => {
                    let between = if word == "CONVERT" { "USING" } else { "AS" };
                    if w.value.eq_ignore_ascii_case(between) {
                        split = Some(place);
                    }
                }
                Some(Token::Comma) if depth == 0 && word == "CONVERT" => split = Some(place),
                _ => {}
            }
        }
        let split = split.ok_or_else(|| {
            SqlError::syntax(format!(
                "{word} without {}",
                if word == "CONVERT" { "a type" } else { "AS" }
            ))
        })?;
        if word == "CONVERT" && self.token(split) != Some(&Token::Comma) {
            self.out.push(Token::LParen);
            self.run(inner.start..split)?;
            self.out.push(Token::RParen);
            return Ok(inner.end + 1);
        }
        let mut types = Cursor::new(&self.statement.tokens[..inner.end]);
        types.at = split + 1;
        let doris_type = read_type(&mut types)?;
        types.expect_end()?;
        let lenient = word == "TRY_CAST";
        self.out.push(Token::make_word(
            if lenient { "doris_try_cast" } else { "doris_cast" },
            None,
        ));
        self.out.push(Token::LParen);
        self.run(inner.start..split)?;
        self.out.push(Token::Comma);
        self.out.push(Token::SingleQuotedString(doris_type.sql_name()));
        self.out.push(Token::RParen);
        Ok(inner.end + 1)
    }

    /// `{'k': v}` becomes `map('k', v)`, `{1, 2}` becomes `struct(1, 2)`.
    fn braces(&mut self, at: usize) -> Result<usize, SqlError> {
        let mut depth = 0;
        let mut end = None;
        let mut pairs = false;
        for place in at..self.statement.tokens.len() {
            match self.token(place) {
                Some(Token::LBrace | Token::LParen | Token::LBracket) => depth += 1,
                Some(Token::RBrace | Token::RParen | Token::RBracket) => depth -= 1,
                Some(Token::Colon) if depth == 1 => pairs = true,
                _ => {}
            }
            if depth == 0 {
                end = Some(place);
                break;
            }
        }
        let end = end.ok_or_else(|| SqlError::syntax("a brace is not closed"))?;
        let name = if pairs || end == at + 1 { "map" } else { "struct" };
        self.out.push(Token::make_word(name, Some('`')));
        self.out.push(Token::LParen);
        let mut place = at + 1;
        while place < end {
            if pairs && self.token(place) == Some(&Token::Colon) {
                self.out.push(Token::Comma);
                place += 1;
            } else {
                place = self.step(place, end)?;
            }
        }
        self.out.push(Token::RParen);
        Ok(end + 1)
    }

    /// `@@name`, `@@session.name`, `@@global.name`, `@name`.
    fn variable(&mut self, at: usize, first: &str) -> Result<usize, SqlError> {
        let mut name = first.to_string();
        let mut next = at + 1;
        while self.token(next) == Some(&Token::Period) {
            let Some(Token::Word(word)) = self.token(next + 1) else {
                break;
            };
            name = format!("{name}.{}", word.value);
            next += 2;
        }
        let value = (self.variables)(&name)?;
        self.out.push(match value {
            None => Token::make_word("NULL", None),
            Some(text) if text.parse::<i64>().is_ok() => Token::Number(text, false),
            Some(text) => Token::SingleQuotedString(text),
        });
        Ok(next)
    }
}

/// `("number" = "N"[, "const_value" = …])` after the word.
fn read_numbers(cursor: &mut Cursor<'_>) -> Result<u64, SqlError> {
    let properties = super::create_table::read_properties(cursor)?;
    let text = properties
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case("number"))
        .map(|(_, value)| value)
        .ok_or_else(|| SqlError::plain("can not build FunctionGenTable: number not set"))?;
    text.trim()
        .parse()
        .map_err(|_| SqlError::plain(format!("can not parse `number` param with value: {text}")))
}

/// Texts of the items of the first select list outside parentheses.
fn select_items(statement: &Statement) -> Vec<String> {
    let mut items = Vec::new();
    let mut depth = 0;
    let mut start = None;
    let mut last = 0;
    for (at, token) in statement.tokens.iter().enumerate() {
        let word = match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => {
                depth += 1;
                None
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                depth -= 1;
                None
            }
            Token::Word(w) if depth == 0 && w.quote_style.is_none() => Some(w.value.to_ascii_uppercase()),
            _ => None,
        };
        match (start, word.as_deref()) {
            (None, Some("SELECT")) => start = Some(at + 1),
            (Some(first), Some("DISTINCT" | "ALL")) if first == at => start = Some(at + 1),
            (
                Some(first),
                Some(
                    "FROM" | "WHERE" | "GROUP" | "HAVING" | "ORDER" | "LIMIT" | "UNION" | "EXCEPT"
                    | "INTERSECT" | "INTO",
                ),
            ) => {
                items.push(statement.raw(first, at.saturating_sub(1)).to_string());
                return items;
            }
            (Some(first), None) if depth == 0 && token.token == Token::Comma => {
                items.push(statement.raw(first, at.saturating_sub(1)).to_string());
                start = Some(at + 1);
            }
            _ => {}
        }
        last = at;
    }
    if let Some(first) = start {
        items.push(statement.raw(first, last).to_string());
    }
    items
}

#[cfg(test)]
mod tests {
    use super::super::lexer::statements;
    use super::*;

    fn rewritten(sql: &str) -> (String, Rewritten) {
        let statement = statements(sql).unwrap().remove(0);
        let found = rewrite(&statement, &|name| Ok(Some(name.to_string()))).unwrap();
        let text: Vec<String> = found.tokens.iter().map(ToString::to_string).collect();
        (text.join(" "), found)
    }

    #[test]
    fn hints_and_numbers_are_lifted_with_their_alias() {
        let (text, found) = rewritten("select a from `d`.`t` TABLET(1,2) where a > 1");
        assert_eq!(text, "select a from `__lifted_0` AS `t` where a > 1");
        let Lifted::Place(place) = &found.lifted[0] else {
            panic!()
        };
        assert_eq!(
            (place.database.as_deref(), &place.tablets),
            (Some("d"), &vec![1, 2])
        );
        let (text, found) = rewritten(r#"select * from numbers("number" = "5") n"#);
        assert_eq!(text, "select * from `__lifted_0` n");
        assert_eq!(found.lifted, [Lifted::Numbers(5)]);
    }

    #[test]
    fn casts_and_braces_become_calls() {
        let (text, _) = rewritten("select CAST(CAST(a AS ARRAY<INT>) AS STRING), {'k': {1, 2}}, array(1)");
        assert_eq!(
            text,
            "select doris_cast ( doris_cast ( a , 'array<int>' ) , 'text' ) , `map` ( 'k' , `struct` ( 1 , 2 ) ) , make_array ( 1 )"
        );
    }

    #[test]
    fn window_partitions_are_left_alone() {
        let (text, found) = rewritten("select row_number() over (partition by a order by b) from t");
        assert_eq!(
            text,
            "select row_number ( ) over ( partition by a order by b ) from t"
        );
        assert_eq!(found.items, ["row_number() over (partition by a order by b)"]);
    }

    #[test]
    fn variables_become_literals() {
        let (text, found) = rewritten("SELECT @@session.auto_increment_increment AS x, @@version");
        assert_eq!(
            text,
            "SELECT '@@session.auto_increment_increment' AS x , '@@version'"
        );
        assert_eq!(found.items.len(), 2);
    }
}
