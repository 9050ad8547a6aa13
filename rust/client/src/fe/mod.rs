//! Front ends: the choice of one, their REST calls and the envelope of their answers.

mod call;
mod choice;
pub(crate) mod envelope;
mod schema;
mod statement;

use std::sync::Arc;

use reqwest::redirect;

use crate::config::cluster::Cluster;
use crate::error::{Error, ErrorKind};
pub(crate) use call::{foreign, odd, segment};
pub(crate) use schema::{TableColumn, TableSchema};

/// The front ends of one cluster.
#[derive(Clone, Debug)]
pub(crate) struct Frontends {
    cluster: Arc<Cluster>,
    http: reqwest::Client,
}

impl Frontends {
    pub(crate) fn new(cluster: Arc<Cluster>) -> Result<Self, Error> {
        Self::with(cluster, reqwest::Client::builder())
    }

    /// Front ends without kept connections: one that the server closes at the moment of use would break a call that
    /// must not be repeated blindly.
    pub(crate) fn without_pool(cluster: Arc<Cluster>) -> Result<Self, Error> {
        Self::with(cluster, reqwest::Client::builder().pool_max_idle_per_host(0))
    }

    fn with(cluster: Arc<Cluster>, builder: reqwest::ClientBuilder) -> Result<Self, Error> {
        let http = builder
            .connect_timeout(cluster.connect_timeout)
            .timeout(cluster.connect_timeout + cluster.read_timeout)
            .redirect(redirect::Policy::none())
            // The cluster is named by options alone, not by the environment.
            .no_proxy()
            .build()
            .map_err(|e| Error::new(ErrorKind::Internal, "the HTTP client cannot be built").with_source(e))?;
        Ok(Self { cluster, http })
    }
}
