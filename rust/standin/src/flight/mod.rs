//! Arrow Flight SQL: the service of a front end (logins, statements, its own results) and of a back end (rows).

pub(crate) mod actions;
pub(crate) mod be;
pub(crate) mod cut;
pub(crate) mod encode;
pub(crate) mod fe;
pub(crate) mod forms;
pub(crate) mod login;
pub(crate) mod metadata;
pub(crate) mod results;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod statement;
pub(crate) mod stream;
pub(crate) mod switches;
pub(crate) mod ticket;

/// A random number that a client cannot guess.
pub(crate) fn random() -> u64 {
    getrandom::u64().unwrap_or_else(|_| {
        use std::hash::{BuildHasher, Hasher};
        // Each `RandomState` has keys of its own, the first of a thread from the operating system.
        std::collections::hash_map::RandomState::new()
            .build_hasher()
            .finish()
    })
}
