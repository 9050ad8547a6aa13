//! The location of an endpoint: the node that its URI names, or the connection that the answer came by.

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};

/// Where the rows of an endpoint are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// At the front end that answered.
    SameConnection,
    /// At this node.
    Node(Address),
}

impl Location {
    /// Reads a URI. `mapping` is `source.flight-host-mapping`, which comes before everything else.
    pub(crate) fn parse(uri: &str, mapping: &[(Address, Address)]) -> Result<Self, Error> {
        if uri.is_empty() || uri.starts_with("arrow-flight-reuse-connection:") {
            return Ok(Self::SameConnection);
        }
        let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
        match scheme {
            "grpc" | "grpc+tcp" | "" => {}
            "grpc+tls" => {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    format!("the server wants TLS for its result ({uri}), which is not supported yet"),
                ));
            }
            _ => {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    format!("the server names a location of an unknown kind: {uri}"),
                ));
            }
        }
        let rest = rest.split(['/', '?']).next().unwrap_or_default();
        // A node without a public address may be given as the port of any interface.
        let rest = if rest.starts_with("0.0.0.0") || rest.starts_with("[::]") {
            return any(rest, mapping);
        } else {
            rest
        };
        let address = Address::parse(rest).map_err(|why| {
            Error::new(
                ErrorKind::Unsupported,
                format!("the server names an unusable location: {why}"),
            )
        })?;
        Ok(Self::Node(mapped(&address, mapping).unwrap_or(address)))
    }
}

fn any(rest: &str, mapping: &[(Address, Address)]) -> Result<Location, Error> {
    let mapped = Address::parse(rest)
        .ok()
        .and_then(|address| mapped(&address, mapping));
    Ok(mapped.map_or(Location::SameConnection, Location::Node))
}

fn mapped(address: &Address, mapping: &[(Address, Address)]) -> Option<Address> {
    mapping
        .iter()
        .find(|(from, _)| from.port == address.port && from.host.eq_ignore_ascii_case(&address.host))
        .map(|(_, to)| to.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds() {
        let mapping = [
            (Address::new("10.0.0.4", 8050), Address::new("proxy", 18050)),
            (Address::new("0.0.0.0", 1), Address::new("p", 2)),
        ];
        for (uri, node) in [
            ("", None),
            ("arrow-flight-reuse-connection://?", None),
            ("grpc+tcp://0.0.0.0:8029", None),
            ("grpc+tcp://[::]:8029", None),
            ("grpc+tcp://0.0.0.0:1", Some("p:2")),
            ("grpc+tcp://be1:9610", Some("be1:9610")),
            ("grpc://[::1]:9610/", Some("[::1]:9610")),
            ("grpc+tcp://10.0.0.4:8050", Some("proxy:18050")),
        ] {
            let expected = node.map_or(Location::SameConnection, |n| {
                Location::Node(Address::parse(n).unwrap())
            });
            assert_eq!(Location::parse(uri, &mapping).unwrap(), expected, "{uri}");
        }
        assert_eq!(
            Location::parse("grpc+tls://be1:9610", &[]).unwrap_err().kind(),
            ErrorKind::Unsupported
        );
        assert!(Location::parse("grpc+unix:///x", &[]).is_err());
    }
}
