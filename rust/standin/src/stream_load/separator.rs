//! Separators as headers spell them, turned into the bytes that stand in the data.

/// The bytes of a separator. `\x01`, `\x2c20` and `\x2c\x20` are hex, `\n`, `\t`, `\r`, `\0` and `\\` are escapes, all
/// else stands for itself. The error describes what is wrong with the hex (Doris manual, Stream Load,
/// `column_separator`).
pub(super) fn decode(text: &str) -> Result<Vec<u8>, String> {
    if let Some(hex) = text.strip_prefix("\\x").or_else(|| text.strip_prefix("\\X"))
        && let Some(bytes) = all_hex(hex)
    {
        return bytes;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let escape = rest.as_bytes().get(at + 1).copied();
        let (byte, used) = match escape {
            Some(b'n') => (b'\n', 2),
            Some(b't') => (b'\t', 2),
            Some(b'r') => (b'\r', 2),
            Some(b'0') => (0, 2),
            Some(b'\\') => (b'\\', 2),
            Some(b'x' | b'X') => match rest.get(at + 2..at + 4).map(|hex| u8::from_str_radix(hex, 16)) {
                Some(Ok(byte)) => (byte, 4),
                _ => return Err(format!("Hex str format error: {text}")),
            },
            _ => (b'\\', 1),
        };
        out.push(byte);
        rest = &rest[at + used..];
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// `2c20` after the first `\x`; `None` when something else than hex digits follows.
fn all_hex(hex: &str) -> Option<Result<Vec<u8>, String>> {
    if hex.is_empty() || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    if !hex.len().is_multiple_of(2) {
        return Some(Err(format!("Hex str length error: {}", hex.len())));
    }
    let pair =
        |at| u8::from_str_radix(&hex[at..at + 2], 16).map_err(|_| format!("Hex str format error: {hex}"));
    Some((0..hex.len()).step_by(2).map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read() {
        for (text, bytes) in [
            (",", &b","[..]),
            (", ", b", "),
            ("||", b"||"),
            ("\\x01", b"\x01"),
            ("\\x2c20", b", "),
            ("\\x2c\\x20", b", "),
            ("a\\x01b", b"a\x01b"),
            ("\\n", b"\n"),
            ("\\r\\n", b"\r\n"),
            ("\\t", b"\t"),
            ("\t", b"\t"),
            ("\\", b"\\"),
            ("ä", "ä".as_bytes()),
        ] {
            assert_eq!(decode(text).as_deref(), Ok(bytes), "{text}");
        }
        assert_eq!(decode("\\x2c2"), Err("Hex str length error: 3".into()));
        assert_eq!(decode("\\x2g"), Err("Hex str format error: \\x2g".into()));
    }
}
