//! Talking to a server, whichever it is: HTTP, the MySQL protocol, what texts of refusals mean, and when to try again.

pub(crate) mod backoff;
pub(crate) mod http;
pub(crate) mod mysql;
pub(crate) mod refused;
pub(crate) mod shunned;
pub(crate) mod text_rows;
