//! What happened, how much is open, and rules that break things: the admin port shows and sets it, every floor above reports to it.

pub(crate) mod faults;
pub(crate) mod journal;
pub(crate) mod rules;
pub(crate) mod stats;
