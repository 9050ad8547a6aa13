//! Front ends, login and limits: what every channel to a cluster needs.

use std::fmt;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use http::HeaderValue;

use crate::config::address::Address;
use crate::config::keys::Keys;
use crate::error::{Error, ErrorKind};

/// The front ends of a cluster, the login, and how long and how often to try.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) fenodes: Vec<Address>,
    pub(crate) login: Login,
    /// `doris.request.retries`: attempts after the first.
    pub(crate) retries: u32,
    pub(crate) connect_timeout: Duration,
    pub(crate) read_timeout: Duration,
}

/// A user and a password.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

impl Cluster {
    pub(crate) fn from_keys(keys: &Keys<'_>) -> Result<Self, Error> {
        Ok(Self {
            fenodes: keys.parse("fenodes", "host:port,host:port", Address::parse_list)?,
            login: Login {
                user: keys.text("username")?.to_owned(),
                password: keys.text("password")?.to_owned(),
            },
            retries: keys.number("doris.request.retries", 0..=u32::MAX)?,
            connect_timeout: keys.millis("doris.request.connect.timeout")?,
            read_timeout: keys.millis("doris.request.read.timeout")?,
        })
    }
}

impl Login {
    /// The value of `Authorization`, marked so that it shows in no `Debug`.
    pub(crate) fn basic(&self) -> Result<HeaderValue, Error> {
        let encoded = BASE64_STANDARD.encode(format!("{}:{}", self.user, self.password));
        let mut value = HeaderValue::from_str(&format!("Basic {encoded}"))
            .map_err(|_| Error::new(ErrorKind::Internal, "the login cannot be a header"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login {{ user: {:?}, password: *** }}", self.user)
    }
}
