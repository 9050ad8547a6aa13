//! The `columns` header: names of what stands in the body, and columns derived from them.

/// One item of `columns`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// A column of the body.
    Source(String),
    /// `name = expression`
    Derived(String, String),
}

/// Reads `k1, k2, `v 1`, v = f(k1, ',')`. The error names the invalid item.
pub(super) fn read(text: &str) -> Result<Vec<Item>, String> {
    parts(text, ',')
        .into_iter()
        .map(|item| {
            let item = item.trim();
            let (name, rest) =
                name(item).ok_or_else(|| format!("invalid column name in columns: '{item}'"))?;
            match rest.trim().strip_prefix('=') {
                None if rest.trim().is_empty() => Ok(Item::Source(name)),
                Some(expression) if !expression.trim().is_empty() => {
                    Ok(Item::Derived(name, expression.trim().to_string()))
                }
                _ => Err(format!("invalid column mapping in columns: '{item}'")),
            }
        })
        .collect()
}

/// A name, in backticks or not, and what follows it.
fn name(item: &str) -> Option<(String, &str)> {
    if let Some(quoted) = item.strip_prefix('`') {
        let end = quoted.find('`')?;
        return (end > 0).then(|| (quoted[..end].to_string(), &quoted[end + 1..]));
    }
    let end = item.find('=').unwrap_or(item.len());
    let name = item[..end].trim();
    (!name.is_empty() && !name.contains(['(', ')', '`'])).then(|| (name.to_string(), &item[end..]))
}

/// The text cut at a character that stands outside of quotes and brackets.
fn parts(text: &str, at: char) -> Vec<&str> {
    let mut out = Vec::new();
    let mut quote = None;
    let mut escaped = false;
    let mut depth = 0_i32;
    let mut start = 0;
    for (place, c) in text.char_indices() {
        match quote {
            Some(open) => {
                if escaped {
                    escaped = false;
                } else if c == '\\' && open != '`' {
                    escaped = true;
                } else if c == open {
                    quote = None;
                }
            }
            None => match c {
                '\'' | '"' | '`' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                c if c == at && depth == 0 => {
                    out.push(&text[start..place]);
                    start = place + c.len_utf8();
                }
                _ => {}
            },
        }
    }
    out.push(&text[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let source = |name: &str| Item::Source(name.into());
        let derived = |name: &str, expression: &str| Item::Derived(name.into(), expression.into());
        assert_eq!(
            read("dt,page,user_id,user_id=to_bitmap(user_id)"),
            Ok(vec![
                source("dt"),
                source("page"),
                source("user_id"),
                derived("user_id", "to_bitmap(user_id)")
            ])
        );
        assert_eq!(
            read(" id, `the name` , __DORIS_DELETE_SIGN__"),
            Ok(vec![
                source("id"),
                source("the name"),
                source("__DORIS_DELETE_SIGN__")
            ])
        );
        assert_eq!(
            read("a, `b` = concat(a, ',=', \"x\\\",\"), c = if(a = 1, 2, 3)"),
            Ok(vec![
                source("a"),
                derived("b", "concat(a, ',=', \"x\\\",\")"),
                derived("c", "if(a = 1, 2, 3)")
            ])
        );
        for wrong in ["a,,b", "a,", "=1", "a=", "f(x)", "``"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
