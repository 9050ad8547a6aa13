//! Cuts SQL text into statements, so that each can be run, journalled and blamed by itself.

/// The statements of a text, without their semicolons; comments stay with the statement they precede, statements
/// that hold nothing but comments and blanks are left out.
pub fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let mut holds_code = false;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b';' => {
                if holds_code {
                    found.push(text[start..at].trim());
                }
                at += 1;
                start = at;
                holds_code = false;
            }
            quote @ (b'\'' | b'"' | b'`') => {
                at = end_of_quoted(bytes, at, quote);
                holds_code = true;
            }
            b'#' => at = end_of_line(bytes, at),
            b'-' if starts_line_comment(&bytes[at..]) => at = end_of_line(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => {
                // A hint (`/*+ … */`) or a version comment (`/*! … */`) belongs to a statement, but is none by itself.
                at = text[at + 2..]
                    .find("*/")
                    .map_or(bytes.len(), |end| at + 2 + end + 2);
            }
            byte => {
                holds_code |= !byte.is_ascii_whitespace();
                at += 1;
            }
        }
    }
    if holds_code {
        found.push(text[start..].trim());
    }
    found
}

fn end_of_quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        if bytes[at] == b'\\' && quote != b'`' {
            at += 2;
        } else if bytes[at] == quote {
            // A doubled quote re-opens at once, which leads to the same end.
            return at + 1;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn starts_line_comment(bytes: &[u8]) -> bool {
    bytes.starts_with(b"--") && bytes.get(2).is_none_or(u8::is_ascii_whitespace)
}

fn end_of_line(bytes: &[u8], start: usize) -> usize {
    bytes[start..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |end| start + end + 1)
}

/// The first table that a statement reads, as `(database, table)`, and the tablets it names: by the words `FROM` and
/// `TABLET`, without a full parse. Serves journal, fault rules and the choice of a back end; the engine has the last word.
pub(crate) fn first_table(sql: &str) -> FirstTable {
    let words = words(sql);
    let after_from = words
        .iter()
        .enumerate()
        .filter(|(_, word)| word.eq_ignore_ascii_case("from"));
    let mut tables = after_from.map(|(from, _)| table_at(&words[from + 1..]));
    tables.find(|found| found.table.is_some()).unwrap_or_default()
}

/// The table that the words begin with, if they begin with one.
fn table_at(words: &[String]) -> FirstTable {
    let mut found = FirstTable::default();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| is_name(word)) {
        parts.push(unquoted(word));
        at += 1;
        if words.get(at).is_none_or(|word| word != ".") {
            break;
        }
        at += 1;
    }
    // A table function is no table.
    if words.get(at).is_some_and(|word| word == "(") {
        return found;
    }
    found.table = parts.pop();
    found.database = parts.pop();
    let tablet = words[at..]
        .iter()
        .take(4)
        .position(|word| word.eq_ignore_ascii_case("tablet"));
    if let Some(tablet) = tablet {
        let list = words[at + tablet + 1..].iter().take_while(|word| *word != ")");
        found.tablets = list.filter_map(|word| word.parse().ok()).collect();
    }
    found
}

fn unquoted(name: &str) -> String {
    match name.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        Some(inner) => inner.replace("``", "`"),
        None => name.to_owned(),
    }
}

/// See [`first_table`].
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstTable {
    pub(crate) database: Option<String>,
    pub(crate) table: Option<String>,
    pub(crate) tablets: Vec<i64>,
}

fn is_name(word: &str) -> bool {
    word.starts_with('`') || word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Words, quoted names and single signs, without comments.
fn words(sql: &str) -> Vec<String> {
    let bytes = sql.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            quote @ (b'\'' | b'"' | b'`') => {
                at = end_of_quoted(bytes, at, quote);
                while bytes.get(at) == Some(&quote) {
                    at = end_of_quoted(bytes, at, quote);
                }
            }
            b'#' => at = end_of_line(bytes, at),
            b'-' if starts_line_comment(&bytes[at..]) => at = end_of_line(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => {
                at = sql[at + 2..]
                    .find("*/")
                    .map_or(bytes.len(), |end| at + 2 + end + 2);
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            byte if is_word_byte(byte) => {
                while bytes.get(at).is_some_and(|byte| is_word_byte(*byte)) {
                    at += 1;
                }
            }
            _ => at += 1,
        }
        let comment =
            matches!(bytes[start], b'#') || (at - start >= 2 && matches!(bytes[start], b'-' | b'/'));
        if !comment && !bytes[start].is_ascii_whitespace() {
            found.push(sql[start..at.min(bytes.len())].to_owned());
        }
    }
    found
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_in_text_and_comments_do_not_cut() {
        let text = "-- a; b\nSELECT ';' , \"a\\\";\", `x;y`; /* ; */ ;\n# c;\nSELECT 'it''s;' -- tail;\n; SELECT 1--1";
        let found = statements(text);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("-- a; b\nSELECT") && found[0].ends_with("`x;y`"));
        assert!(found[1].contains("'it''s;'"));
        assert_eq!(found[2], "SELECT 1--1");
        assert!(statements(" ; -- nothing\n;").is_empty());
        assert_eq!(statements("SELECT 'open"), ["SELECT 'open"]);
    }

    #[test]
    fn the_first_table_and_its_tablets_are_found() {
        let sql = "/* ApplicationName=Flink ArrowFlightSQL Query */ SELECT `from`, 'from x' FROM `db`.`t b`  TABLET(3,10002)  WHERE a = 'TABLET(9)'";
        let expected = FirstTable {
            database: Some("db".to_owned()),
            table: Some("t b".to_owned()),
            tablets: vec![3, 10002],
        };
        assert_eq!(first_table(sql), expected);
        assert_eq!(first_table("select 1"), FirstTable::default());
        assert_eq!(
            first_table("select * from numbers('number'='3')"),
            FirstTable::default()
        );
        assert_eq!(
            first_table("select a from (select a from `d``x`.t) x")
                .database
                .as_deref(),
            Some("d`x")
        );
        assert_eq!(
            first_table("select * from internal.d.t").database.as_deref(),
            Some("d")
        );
    }
}
