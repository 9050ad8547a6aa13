//! Texts and names in JSON, and what is escaped in them.

use super::out::Out;
use super::text;

/// A byte that texts must not hold, because the line delimiter begins with it; it is escaped in them. `"`, which is
/// escaped anyway, when there is no such byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quirk(pub(super) u8);

impl Quirk {
    pub(super) const NONE: Self = Self(b'"');
    /// What is written is no JSON, but what Doris casts to ARRAY, MAP and STRUCT: it takes a backslash away and what
    /// follows it as it is, so that `\n` would be an `n`.
    pub(super) const CAST: Self = Self(b'\\');

    /// `None` when texts cannot be kept free of the delimiter.
    pub(super) fn new(delimiter: &[u8]) -> Option<Self> {
        match delimiter.first()? {
            // Never occurs in a document as it is written here.
            0..=0x1F => Some(Self::NONE),
            b'"' | b'\\' | b'{' | b'}' | b'[' | b']' | b':' | b',' | b'+' | b'-' | b'.' | b' ' => None,
            first if first.is_ascii_alphanumeric() || !first.is_ascii() => None,
            first => Some(Self(*first)),
        }
    }
}

/// `,"name":`.
pub(super) fn prefix(name: &str, quirk: Quirk) -> Vec<u8> {
    let mut bytes = b",".to_vec();
    let mut out = Out::new(&mut bytes);
    string(name.as_bytes(), quirk, &mut out);
    out.byte(b':');
    drop(out);
    bytes
}

/// A text in quotes, with everything escaped that must be.
#[inline]
pub(super) fn string(text: &[u8], quirk: Quirk, out: &mut Out<'_>) {
    out.byte(b'"');
    if is_plain(text, quirk.0) {
        out.put(text);
    } else {
        escaped(text, quirk, out);
    }
    out.byte(b'"');
}

/// Whether a text holds nothing to escape.
#[inline]
fn is_plain(text: &[u8], quirk: u8) -> bool {
    !text::holds(text, |byte| {
        (byte < 0x20) | (byte == b'"') | (byte == b'\\') | (byte == quirk)
    })
}

#[inline(never)]
fn escaped(text: &[u8], quirk: Quirk, out: &mut Out<'_>) {
    let mut rest = text;
    let bare = quirk.0 == Quirk::CAST.0;
    while let Some(at) = rest
        .iter()
        .position(|byte| (*byte < 0x20 && !bare) || *byte == b'"' || *byte == b'\\' || *byte == quirk.0)
    {
        out.put(&rest[..at]);
        match rest[at] {
            b'"' => out.put(b"\\\""),
            b'\\' => out.put(b"\\\\"),
            b'\n' => out.put(b"\\n"),
            b'\r' => out.put(b"\\r"),
            b'\t' => out.put(b"\\t"),
            byte => {
                let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
                out.put(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            }
        }
        rest = &rest[at + 1..];
    }
    out.put(rest);
}
