//! A cursor over the text of a type: what both parsers share.

use crate::error::{Error, Result};

/// How deep types may be nested; deeper texts are refused rather than recursed into.
pub(super) const MAX_DEPTH: usize = 64;

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// An error at the present place.
    pub(super) fn error(&self, expected: &str) -> Error {
        let rest = self.rest();
        let found = if rest.is_empty() {
            "the end".to_owned()
        } else {
            format!("'{rest}'")
        };
        Error::TypeText {
            text: self.text.to_owned(),
            message: format!("expected {expected}, found {found}"),
        }
    }

    /// Takes the character if it comes next, blanks aside.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: char) -> Result<()> {
        if self.take(wanted) {
            Ok(())
        } else {
            Err(self.error(&format!("'{wanted}'")))
        }
    }

    /// Takes a word of letters, digits and underscores if one comes next, blanks aside.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        self.at += end;
        Some(&rest[..end])
    }

    /// Takes the word if it comes next, in any case.
    pub(super) fn take_word(&mut self, wanted: &str) -> bool {
        let before = self.at;
        match self.word() {
            Some(word) if word.eq_ignore_ascii_case(wanted) => true,
            _ => {
                self.at = before;
                false
            }
        }
    }

    /// Takes a text in the given quotes, where a doubled quote stands for itself.
    pub(super) fn quoted(&mut self, quote: char) -> Result<Option<String>> {
        if !self.take(quote) {
            return Ok(None);
        }
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let end = rest
                .find(quote)
                .ok_or_else(|| self.error(&format!("a closing {quote}")))?;
            text.push_str(&rest[..end]);
            self.at += end + 1;
            if !self.rest().starts_with(quote) {
                return Ok(Some(text));
            }
            text.push(quote);
            self.at += 1;
        }
    }

    /// Takes a name inside a struct: in backticks, or everything before one of the given characters.
    pub(super) fn name_before(&mut self, ends: &[char]) -> Result<String> {
        if let Some(name) = self.quoted('`')? {
            return Ok(name);
        }
        self.skip_blanks();
        let rest = self.rest();
        let end = rest.find(ends).unwrap_or(rest.len());
        let name = rest[..end].trim();
        if name.is_empty() {
            return Err(self.error("a name"));
        }
        self.at += end;
        Ok(name.to_owned())
    }

    /// Takes numbers in parentheses, `*` standing for the greatest, if they come next.
    pub(super) fn numbers(&mut self) -> Result<Vec<u32>> {
        let mut numbers = Vec::new();
        if !self.take('(') {
            return Ok(numbers);
        }
        loop {
            if self.take('*') {
                numbers.push(u32::MAX);
            } else {
                let word = self.word().ok_or_else(|| self.error("a number"))?;
                numbers.push(word.parse().map_err(|_| self.error("a number"))?);
            }
            if self.take(')') {
                return Ok(numbers);
            }
            self.expect(',')?;
        }
    }

    /// Skips everything up to the `>` or `)` that closes what is open, the next character being the opening one.
    pub(super) fn skip_balanced(&mut self) -> Result<()> {
        let mut open = 0usize;
        let rest = self.rest();
        for (offset, c) in rest.char_indices() {
            match c {
                '<' | '(' => open += 1,
                '>' | ')' => {
                    open = open
                        .checked_sub(1)
                        .ok_or_else(|| self.error("an opening bracket"))?;
                    if open == 0 {
                        self.at += offset + 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Err(self.error("a closing bracket"))
    }

    /// Whether the character comes next, blanks aside.
    pub(super) fn peek(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        self.rest().starts_with(wanted)
    }

    pub(super) fn expect_end(&mut self) -> Result<()> {
        self.skip_blanks();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.error("the end"))
        }
    }
}
