//! What the configurations of a read and of a sink have in common: addresses, the cluster with its login, and the map
//! of texts that both come from.

pub(crate) mod address;
pub(crate) mod cluster;
pub(crate) mod keys;
pub(crate) mod table;

// The file of the crate's other tests: both read the maps of `tests/fixtures/config`.
#[cfg(test)]
#[path = "../../tests/it/fixture.rs"]
pub(crate) mod fixture;
