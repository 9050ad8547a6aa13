//! Separators of a body: the bytes that a text with escapes stands for, and the text that survives a header.
//!
//! Doris reads `\x` followed by hex digits as those bytes, two digits each (Doris manual, Stream Load).

/// The bytes that stand in the body: `\xNN`, `\n`, `\t` and `\r` are bytes, all else is itself.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    parse(text).bytes
}

/// The value of the header: the text itself where the server reads it as we do and HTTP leaves it alone, else the hex
/// of all bytes.
pub(super) fn header(text: &str) -> String {
    let parsed = parse(text);
    let single = parsed.bytes.len() == 1 && parsed.escapes == 1;
    let plain = parsed.escapes == 0
        && text.trim_matches([' ', '\t']) == text
        && !text.chars().any(char::is_control)
        // The server would take what follows for hex digits.
        && !text.starts_with("\\x")
        && !text.starts_with("\\X");
    if text.is_empty() || single || plain {
        return text.to_owned();
    }
    let hex: String = parsed.bytes.iter().map(|b| format!("{b:02x}")).collect();
    format!("\\x{hex}")
}

struct Parsed {
    bytes: Vec<u8>,
    /// How many escapes there were.
    escapes: usize,
}

fn parse(text: &str) -> Parsed {
    let mut bytes = Vec::with_capacity(text.len());
    let mut escapes = 0;
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let (byte, length) = match rest {
            [b'\\', b'x' | b'X', high, low, ..] => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => (high << 4 | low, 4),
                _ => (*first, 1),
            },
            [b'\\', b'n', ..] => (b'\n', 2),
            [b'\\', b't', ..] => (b'\t', 2),
            [b'\\', b'r', ..] => (b'\r', 2),
            _ => (*first, 1),
        };
        escapes += usize::from(length > 1);
        bytes.push(byte);
        rest = &tail[length - 1..];
    }
    Parsed { bytes, escapes }
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|d| d as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_headers() {
        for (text, expected, sent) in [
            ("\\x01", &b"\x01"[..], "\\x01"),
            ("\\x01\\x02", b"\x01\x02", "\\x0102"),
            ("\\n", b"\n", "\\n"),
            ("\\r\\n", b"\r\n", "\\x0d0a"),
            ("\t", b"\t", "\\x09"),
            (", ", b", ", "\\x2c20"),
            ("||", b"||", "||"),
            ("a\\x01", b"a\x01", "\\x6101"),
            ("\\", b"\\", "\\"),
            ("\\xzz", b"\\xzz", "\\x5c787a7a"),
            ("\\x0", b"\\x0", "\\x5c7830"),
            ("§", "§".as_bytes(), "§"),
            ("", b"", ""),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
            assert_eq!(header(text), sent, "{text}");
        }
    }
}
