//! Tickets: the handle texts of results on back ends and on front ends.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// Id of a query, or of one fragment of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QueryId {
    pub(crate) hi: u64,
    pub(crate) lo: u64,
}

impl QueryId {
    pub(crate) fn new() -> Self {
        Self {
            hi: crate::cluster::random(),
            lo: crate::cluster::random(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (hi, lo) = text.split_once('-')?;
        Some(Self {
            hi: u64::from_str_radix(hi, 16).ok()?,
            lo: u64::from_str_radix(lo, 16).ok()?,
        })
    }
}

impl std::fmt::Display for QueryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x}-{:x}", self.hi, self.lo)
    }
}

/// Handle of a result that a back end holds: `<hi>-<lo>&<host>&<brpc port>&<base64 of the SQL>`.
pub(crate) fn backend_handle(id: QueryId, host: &str, brpc_port: u16, sql: &str) -> String {
    format!("{id}&{host}&{brpc_port}&{}", BASE64_STANDARD.encode(sql))
}

/// Reads a handle of a back end; the error is Doris' text.
pub(crate) fn parse_backend_handle(handle: &[u8]) -> Result<QueryId, String> {
    let text = String::from_utf8_lossy(handle);
    let parts: Vec<&str> = text.split('&').collect();
    let id = match parts.as_slice() {
        [id, _host, port, _sql] if port.parse::<u16>().is_ok() => QueryId::parse(id),
        _ => None,
    };
    id.ok_or_else(|| format!("Malformed ticket: {text}, size: {}", parts.len()))
}

/// Handle of a result that a front end keeps: `<peer>:<query id>`.
pub(crate) fn frontend_handle(id: QueryId, peer: &str) -> String {
    format!("{peer}:{id}")
}

/// Reads a handle of a front end.
pub(crate) fn parse_frontend_handle(handle: &[u8]) -> Option<QueryId> {
    let text = std::str::from_utf8(handle).ok()?;
    QueryId::parse(text.rsplit_once(':')?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_survive_any_statement() {
        let id = QueryId {
            hi: 0xabc,
            lo: u64::MAX,
        };
        let handle = backend_handle(id, "127.0.0.1", 8060, "SELECT 'a&b=c' & 1");
        assert_eq!(handle.matches('&').count(), 3, "{handle}");
        assert!(handle.starts_with("abc-ffffffffffffffff&127.0.0.1&8060&"));
        assert_eq!(parse_backend_handle(handle.as_bytes()), Ok(id));
        let kept = frontend_handle(id, "[::1]:4711");
        assert_eq!(parse_frontend_handle(kept.as_bytes()), Some(id));
    }

    #[test]
    fn a_damaged_handle_is_told_with_its_parts() {
        assert_eq!(
            parse_backend_handle(b"a&b"),
            Err("Malformed ticket: a&b, size: 2".to_owned())
        );
        assert!(parse_backend_handle(b"x-y&h&1&z").is_err());
        assert_eq!(parse_frontend_handle(b"nothing"), None);
    }
}
