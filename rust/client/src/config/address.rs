//! `host:port` as options and servers write it.

use std::fmt;

/// A host and a port; an IPv6 host is kept without its brackets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// Name or number of the host.
    pub host: String,
    /// Port.
    pub port: u16,
}

impl Address {
    /// A new address; brackets around an IPv6 host are dropped.
    pub fn new(host: &str, port: u16) -> Self {
        let host = host
            .strip_prefix('[')
            .and_then(|h| h.strip_suffix(']'))
            .unwrap_or(host);
        Self {
            host: host.to_owned(),
            port,
        }
    }

    /// Parses `host:port` or `[v6]:port`; the error names what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.contains("://") {
            return Err(format!("'{text}' has a scheme; write host:port"));
        }
        let (host, port) = text
            .rsplit_once(':')
            .ok_or_else(|| format!("'{text}' has no port; write host:port"))?;
        if host.is_empty() || (host.contains(':') && !(host.starts_with('[') && host.ends_with(']'))) {
            return Err(format!(
                "'{text}' is not host:port (an IPv6 host goes in brackets)"
            ));
        }
        match port.parse::<u16>() {
            Ok(port) if port > 0 => Ok(Self::new(host, port)),
            _ => Err(format!("'{text}' has no port between 1 and 65535")),
        }
    }

    /// Parses a comma separated list; blanks around elements do not matter.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, String> {
        text.split(',').map(Self::parse).collect()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_with_blanks_and_ipv6() {
        let list = Address::parse_list("fe1:8030, [::1]:8030").unwrap();
        assert_eq!(
            list.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["fe1:8030", "[::1]:8030"]
        );
        for bad in [
            "",
            "fe1",
            "http://fe1:8030",
            "fe1:0",
            "fe1:99999",
            "::1:8030",
            "fe1:8030,,",
            ":8030",
        ] {
            assert!(Address::parse_list(bad).is_err(), "{bad}");
        }
    }
}
