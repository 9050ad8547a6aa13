//! Paths into a JSON document, `$.a.b[0]["c d"]`, and walks along them over the text.

use super::json_text::{Scanner, Value};

/// A path from the root of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonPath {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
    /// All items, as an array.
    All,
}

impl JsonPath {
    /// Reads a path; `None` when it is none.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut rest = text.trim().strip_prefix('$')?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('[') {
                let end = after.find(']')?;
                let inner = after[..end].trim();
                steps.push(match inner {
                    "*" => Step::All,
                    quoted if quoted.starts_with(['"', '\'']) => {
                        Step::Key(quoted.get(1..quoted.len().checked_sub(1)?)?.to_string())
                    }
                    number => Step::Index(number.parse().ok()?),
                });
                rest = &after[end + 1..];
            } else {
                let after = rest.strip_prefix('.')?;
                let end = after.find(['.', '[']).unwrap_or(after.len());
                if end == 0 {
                    return None;
                }
                steps.push(Step::Key(after[..end].trim_matches('"').to_string()));
                rest = &after[end..];
            }
        }
        Some(Self { steps })
    }

    /// The value at the path in a document's text; `None` when there is none. Errors tell what is no JSON.
    pub(crate) fn find<'a>(&self, document: &'a str) -> Result<Option<Value<'a>>, String> {
        walk(&self.steps, document)
    }
}

fn walk<'a>(steps: &[Step], text: &'a str) -> Result<Option<Value<'a>>, String> {
    let mut scanner = Scanner::new(text);
    let Some((step, left)) = steps.split_first() else {
        return scanner.value().map(Some);
    };
    match step {
        Step::Key(wanted) => {
            if !scanner.opens('{') {
                return Ok(None);
            }
            let mut object = scanner.members();
            while let Some(key) = object.key()? {
                let value = object.raw_value()?;
                if key == wanted.as_str() {
                    return walk(left, value);
                }
            }
            Ok(None)
        }
        Step::Index(wanted) => {
            if !scanner.opens('[') {
                return Ok(None);
            }
            let mut items = scanner.items();
            let mut at = 0;
            while let Some(value) = items.raw_item()? {
                if at == *wanted {
                    return walk(left, value);
                }
                at += 1;
            }
            Ok(None)
        }
        Step::All => {
            if !scanner.opens('[') {
                return Ok(None);
            }
            let mut items = scanner.items();
            let mut found = Vec::new();
            while let Some(item) = items.raw_item()? {
                if let Some(value) = walk(left, item)? {
                    found.push(value.to_json());
                }
            }
            Ok(match found.is_empty() {
                true => None,
                false => Some(Value::Made(format!("[{}]", found.join(",")))),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, document: &str) -> Option<String> {
        let path = JsonPath::read(path).unwrap();
        path.find(document).unwrap().map(|value| value.to_json())
    }

    #[test]
    fn paths_lead_to_values() {
        let document = r#"{"a": {"b": [1, {"c d": "x"}]}, "n": null, "l": [{"k": 1}, {"k": "2"}, {}]}"#;
        assert_eq!(at("$.a.b[0]", document).as_deref(), Some("1"));
        assert_eq!(at("$.a.b[1][\"c d\"]", document).as_deref(), Some("\"x\""));
        assert_eq!(at("$.a.b", document).as_deref(), Some(r#"[1, {"c d": "x"}]"#));
        assert_eq!(at("$.n", document).as_deref(), Some("null"));
        assert_eq!(at("$.l[*].k", document).as_deref(), Some("[1,\"2\"]"));
        assert_eq!(at("$.a.x", document), None);
        assert_eq!(at("$.a.b[7]", document), None);
        assert_eq!(at("$", "5").as_deref(), Some("5"));
        for wrong in ["a.b", "$.", "$[", "$[x]"] {
            assert_eq!(JsonPath::read(wrong), None, "{wrong}");
        }
    }
}
