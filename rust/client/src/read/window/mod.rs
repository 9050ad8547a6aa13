//! Windows of a table's changes: what is requested, what is returned, and where a broken or restored one resumes. The
//! reading itself is [`crate::read::scan::Scan::start_window`].
//!
//! Windows, order and positions are described in `docs/changelog.md`; `@incr`, its hidden columns and its errors in
//! the Doris manual, Incremental Query.

pub(crate) mod batch;
pub(crate) mod position;
pub(crate) mod refusal;
pub(crate) mod spec;
pub(crate) mod sql;
pub(crate) mod visible_wait;

pub use position::Position;
pub(crate) use spec::utc_text;
pub use spec::{Slice, WindowSpec};
