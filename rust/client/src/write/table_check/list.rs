//! The user's `columns`: names of the rows' columns, and columns that expressions derive.

/// An element of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The name without backticks.
    pub(crate) name: String,
    /// Whether an expression gives its value.
    pub(crate) derived: bool,
}

/// Splits a list at the commas that stand outside of brackets and quotes.
pub(crate) fn parse(list: &str) -> Vec<Entry> {
    split(list, ',')
        .into_iter()
        .map(str::trim)
        .filter(|element| !element.is_empty())
        .map(|element| {
            let parts = split(element, '=');
            Entry {
                name: unquoted(parts.first().copied().unwrap_or_default()),
                derived: parts.len() > 1,
            }
        })
        .collect()
}

fn unquoted(name: &str) -> String {
    let name = name.trim();
    match name.strip_prefix('`').and_then(|n| n.strip_suffix('`')) {
        Some(inner) => inner.replace("``", "`"),
        None => name.to_owned(),
    }
}

fn split(text: &str, at: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut quote = None;
    let mut start = 0;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '`' | '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) if c == at && depth == 0 => {
                parts.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_as_users_write_them() {
        let shown = |list: &str| {
            parse(list)
                .into_iter()
                .map(|e| if e.derived { format!("{}=", e.name) } else { e.name })
                .collect::<Vec<_>>()
        };
        assert_eq!(
            shown("id, name, __DORIS_DELETE_SIGN__"),
            ["id", "name", "__DORIS_DELETE_SIGN__"]
        );
        assert_eq!(
            shown("dt,page,user_id,user_id=to_bitmap(user_id)"),
            ["dt", "page", "user_id", "user_id="]
        );
        assert_eq!(
            shown("`a,b`, `c``d`, e = if(x = ',', 1, f(2, 3)) , "),
            ["a,b", "c`d", "e="]
        );
        assert_eq!(shown(" "), [""; 0]);
    }
}
