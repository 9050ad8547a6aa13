//! Reading the predicate that the planner pushed: which columns it names, and what it expresses in more words than
//! needed.

/// Whether a filter names a column, given in backticks; texts in quotes do not count.
pub(crate) fn names_column(filter: &str, quoted: &str) -> bool {
    let mut rest = filter;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with(quoted) && !rest[quoted.len()..].starts_with('`') {
            return true;
        }
        let end = match first {
            '\'' | '`' => quoted_end(rest, first),
            _ => first.len_utf8(),
        };
        rest = &rest[end..];
    }
    false
}

/// The length of the quoted name or text that `sql` starts with. A doubled quote ends it and begins another one at
/// once.
fn quoted_end(sql: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in sql.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '\'' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    sql.len()
}

/// The filter without the casts to STRING of columns that are VARCHAR or STRING in Doris, given in backticks. The
/// planner casts every text, since it does not know the type in Doris; on a text the cast changes nothing, but would
/// keep Doris from using an index or its key order. Texts in quotes stay as they are.
pub(crate) fn without_text_casts(filter: &str, texts: &[String]) -> String {
    let mut plain = String::with_capacity(filter.len());
    let mut rest = filter;
    while let Some(first) = rest.chars().next() {
        let column = rest.strip_prefix("CAST(").and_then(|inner| {
            let column = texts.iter().find(|column| inner.starts_with(column.as_str()))?;
            inner[column.len()..]
                .strip_prefix(" AS STRING)")
                .map(|after| (column, after))
        });
        if let Some((column, after)) = column {
            plain.push_str(column);
            rest = after;
            continue;
        }
        let end = match first {
            '\'' | '`' => quoted_end(rest, first),
            _ => first.len_utf8(),
        };
        plain.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_filter_are_told_from_its_texts() {
        let filter = "(`a` >= 1) AND (`it``s 'x'` = 'it''s \\' `b`') OR `c`";
        for (name, named) in [
            ("a", true),
            ("it`s 'x'", true),
            ("c", true),
            ("b", false),
            ("it", false),
            ("x", false),
        ] {
            assert_eq!(names_column(filter, &crate::sql::quote(name)), named, "{name}");
        }
        assert!(!names_column("", "`a`"));
    }

    #[test]
    fn casts_of_text_columns_are_dropped() {
        let texts = ["`a`".to_owned(), "`it``s`".to_owned()];
        for (filter, expected) in [
            ("CAST(`a` AS STRING) IN ('x')", "`a` IN ('x')"),
            (
                "(CAST(`it``s` AS STRING) > 'x') OR `b` = 1",
                "(`it``s` > 'x') OR `b` = 1",
            ),
            // Not a text in Doris, a part of a longer name, another expression, or itself a text.
            ("CAST(`b` AS STRING) = 'x'", "CAST(`b` AS STRING) = 'x'"),
            ("CAST(`a``b` AS STRING) = 'x'", "CAST(`a``b` AS STRING) = 'x'"),
            (
                "CAST(`a` AS STRING) = 'CAST(`a` AS STRING) \\' it'",
                "`a` = 'CAST(`a` AS STRING) \\' it'",
            ),
            ("`x``CAST(``a`` AS STRING)` = 1", "`x``CAST(``a`` AS STRING)` = 1"),
            ("", ""),
        ] {
            assert_eq!(without_text_casts(filter, &texts), expected);
        }
    }
}
