//! Parts of request paths and query strings, percent signs decoded.

/// The parts of a path between its slashes; empty ones are left out.
pub(crate) fn segments(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .map(|segment| decode(segment, false))
        .collect()
}

/// Names and values of a query string.
pub(crate) fn query(text: &str) -> Vec<(String, String)> {
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key, true), decode(value, true))
        })
        .collect()
}

/// Decodes `%41`, and `+` as a blank where that is the rule.
fn decode(text: &str, plus: bool) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes
            .get(at + 1..at + 3)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) if plus => decoded.push(b' '),
            (byte, _) => decoded.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Encodes a text for any place in a URL.
pub(crate) fn component(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_their_encoding() {
        let text = "p@ss:w/ö rd%";
        assert_eq!(component(text), "p%40ss%3Aw%2F%C3%B6%20rd%25");
        assert_eq!(decode(&component(text), false), text);
        assert_eq!(segments("/api//a%20b/"), ["api", "a b"]);
        assert_eq!(
            query("a=b+c&d"),
            [
                ("a".to_owned(), "b c".to_owned()),
                ("d".to_owned(), String::new())
            ]
        );
    }
}
