//! Back ends: which one takes a load, a commit or an abort.

use std::sync::Arc;

use crate::fe::Frontends;
use crate::write_config::WriteConfig;

/// The back ends as one sink sees them.
#[derive(Debug)]
pub(crate) struct Backends {
    config: Arc<WriteConfig>,
    frontends: Frontends,
}

impl Backends {
    pub(crate) fn new(config: Arc<WriteConfig>, frontends: Frontends) -> Self {
        Self { config, frontends }
    }
}
