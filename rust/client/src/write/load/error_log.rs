//! The first lines of the error log that a failed load points to.

use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, HOST};
use http::{HeaderValue, Method, Request};
use tokio::net::TcpStream;

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::net::http::{Empty, Target, Traffic, exchange};
use crate::write::config::WriteConfig;

/// A log that does not come within this time is not waited for: the failure is more urgent.
const LIMIT: Duration = Duration::from_secs(5);
const MOST_LINES: usize = 5;
const MOST_BYTES: usize = 4096;

/// The address of the log and its first lines, or why there are none. `node` is the back end that took the load.
pub(super) async fn first_lines(config: &WriteConfig, node: &Address, url: &str) -> String {
    let mut target = match Target::parse(url) {
        Ok(target) => target,
        // Somewhere else than at a back end, such as in an object store: for the user to open.
        Err(_) => return format!("its error log is at {}", without_user_info(url)),
    };
    // Behind the addresses of benodes the cluster's own cannot be reached.
    if !config.benodes.is_empty() {
        target.node = node.clone();
    }
    let shown = format!("http://{}{}", target.node, target.path);
    match tokio::time::timeout(LIMIT, read(config, node, &target)).await {
        Ok(Ok(text)) if !text.trim().is_empty() => format!("its error log {shown} begins: {}", cut(&text)),
        Ok(Ok(_)) => format!("its error log {shown} is empty"),
        Ok(Err(error)) => format!("its error log {shown} cannot be read: {error}"),
        Err(_) => format!("its error log {shown} did not come within {LIMIT:?}"),
    }
}

async fn read(config: &WriteConfig, node: &Address, target: &Target) -> Result<String, Error> {
    let at = &target.node;
    let stream = TcpStream::connect((at.host.as_str(), at.port))
        .await
        .map_err(|e| Error::new(ErrorKind::Connect, format!("{at} cannot be reached")).with_source(e))?;
    let unusable = |e: http::Error| Error::new(ErrorKind::Internal, "no request can be made").with_source(e);
    let mut request = Request::builder()
        .method(Method::GET)
        .uri(&target.path)
        .body(Empty)
        .map_err(unusable)?;
    let host = HeaderValue::from_str(&at.to_string()).map_err(|e| unusable(e.into()))?;
    request.headers_mut().insert(HOST, host);
    // The login is for the cluster's own nodes only.
    let known = config.cluster.fenodes.iter().chain(&config.benodes).chain([node]);
    if known.into_iter().any(|n| n.host == at.host) {
        request
            .headers_mut()
            .insert(AUTHORIZATION, config.cluster.login.basic()?);
    }
    let reply = exchange(stream, request, Arc::<Traffic>::default(), std::future::pending()).await?;
    if reply.status.is_success() {
        Ok(reply.text)
    } else {
        Err(Error::new(
            ErrorKind::Load,
            format!("status {}", reply.status.as_u16()),
        ))
    }
}

fn cut(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut shown = lines
        .by_ref()
        .take(MOST_LINES)
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" | ");
    let mut more = lines.next().is_some();
    if shown.len() > MOST_BYTES {
        let end = (0..=MOST_BYTES)
            .rev()
            .find(|at| shown.is_char_boundary(*at))
            .unwrap_or(0);
        shown.truncate(end);
        more = true;
    }
    if more {
        shown.push_str(" …");
    }
    shown
}

fn without_user_info(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
            format!("{scheme}://{host}{path}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_lines_of_few_bytes() {
        assert_eq!(cut("a\n\n b \n"), "a | b");
        assert_eq!(cut("1\n2\n3\n4\n5\n6\n"), "1 | 2 | 3 | 4 | 5 …");
        let long = cut(&"é".repeat(5000));
        assert!(long.len() <= MOST_BYTES + 4 && long.ends_with('…'));
        assert_eq!(
            without_user_info("https://u:s3cret@s3.example/a?b=c@d"),
            "https://s3.example/a?b=c@d"
        );
    }
}
