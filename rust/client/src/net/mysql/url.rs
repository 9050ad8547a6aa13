//! `jdbc-url`: where the MySQL port of the front ends is.

use crate::config::address::Address;
use crate::error::{Error, ErrorKind};

const FORM: &str = "jdbc:mysql://host:port[,host:port][/database][?parameters]";

/// Parameters that request TLS by being there.
const TLS_STORES: [&str; 3] = [
    "trustcertificatekeystoreurl",
    "trustcertificatekeystoretype",
    "trustcertificatekeystorepassword",
];

/// Parameters that request TLS when they are true.
const TLS_SWITCHES: [&str; 3] = ["usessl", "requiressl", "verifyservercertificate"];

/// The nodes of a `jdbc-url`, in order. Its database has no effect: statements name theirs. Parameters are those of a
/// Java driver, which is not used: those for TLS are refused, names of others are logged. Values, and
/// whatever stands where a user or password could, show in no message.
pub(crate) fn nodes(url: &str) -> Result<Vec<Address>, Error> {
    let url = url.trim();
    let rest = ["jdbc:mysql://", "jdbc:mariadb://"]
        .iter()
        .find_map(|prefix| {
            let start = url.get(..prefix.len())?;
            start.eq_ignore_ascii_case(prefix).then(|| &url[prefix.len()..])
        })
        .ok_or_else(|| {
            wrong(format!(
                "jdbc-url does not start with jdbc:mysql://; allowed: {FORM}"
            ))
        })?;
    let (path, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let hosts = path.split('/').next().unwrap_or_default();
    if hosts.contains('@') {
        return Err(wrong(
            "jdbc-url holds a user before '@': give it by username and password, and leave it out there"
                .to_owned(),
        ));
    }
    let nodes = Address::parse_list(hosts)
        .map_err(|what| wrong(format!("jdbc-url names no usable node: {what}; allowed: {FORM}")))?;
    check_parameters(parameters)?;
    Ok(nodes)
}

fn check_parameters(parameters: &str) -> Result<(), Error> {
    for parameter in parameters.split('&').filter(|p| !p.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let (lower, value) = (
            name.trim().to_ascii_lowercase(),
            value.trim().to_ascii_lowercase(),
        );
        let asks_for_tls = match &*lower {
            // Drivers take PREFERRED for "as the server likes", which is plain text here.
            "sslmode" => !matches!(&*value, "disabled" | "disable" | "preferred"),
            name if TLS_SWITCHES.contains(&name) => value != "false",
            name => TLS_STORES.contains(&name),
        };
        if asks_for_tls {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "parameter '{name}' of jdbc-url asks for TLS, which is not supported yet: leave it out to connect in plain text"
                ),
            ));
        }
        tracing::debug!(parameter = name, "a parameter of jdbc-url has no effect");
    }
    Ok(())
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Config, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_in_order_whatever_else_is_there() {
        for (url, expected) in [
            ("jdbc:mysql://fe1:9030", "fe1:9030"),
            (" JDBC:MySQL://fe1:9030/ops ", "fe1:9030"),
            ("jdbc:mysql://fe1:9030?useSSL=false", "fe1:9030"),
            (
                "jdbc:mariadb://fe1:9030, fe2:9031,[::1]:1/ops?a=b&sslMode=DISABLED&requireSSL=false",
                "fe1:9030 fe2:9031 [::1]:1",
            ),
        ] {
            let nodes: Vec<String> = nodes(url).unwrap().iter().map(ToString::to_string).collect();
            assert_eq!(nodes.join(" "), expected, "{url}");
        }
    }

    #[test]
    fn refusals_say_what_is_wrong_and_no_secret() {
        for (url, kind, part) in [
            ("mysql://fe1:9030", ErrorKind::Config, "jdbc:mysql://host:port"),
            ("", ErrorKind::Config, "jdbc:mysql://host:port"),
            ("jdbc:mysql://", ErrorKind::Config, "no port"),
            ("jdbc:mysql://fe1", ErrorKind::Config, "'fe1' has no port"),
            ("jdbc:mysql://fe1:9030,", ErrorKind::Config, "no port"),
            ("jdbc:mysql://root:s3cret@fe1:9030", ErrorKind::Config, "username"),
            (
                "jdbc:mysql://fe1:9030?sslMode=VERIFY_CA&password=s3cret",
                ErrorKind::Unsupported,
                "'sslMode'",
            ),
            (
                "jdbc:mysql://fe1:9030/d?x=1&USESSL=true",
                ErrorKind::Unsupported,
                "'USESSL'",
            ),
            (
                "jdbc:mysql://fe1:9030/d?requireSSL",
                ErrorKind::Unsupported,
                "'requireSSL'",
            ),
            (
                "jdbc:mysql://fe1:9030/d?trustCertificateKeyStorePassword=s3cret",
                ErrorKind::Unsupported,
                "not supported yet",
            ),
        ] {
            let error = nodes(url).unwrap_err();
            let text = error.to_string();
            assert_eq!(error.kind(), kind, "{text}");
            assert!(text.contains(part) && !text.contains("s3cret"), "{text}");
        }
    }
}
