//! A window of a slice: which changes are to be read, and from where on.

use std::fmt;

use chrono::DateTime;
use doris_arrow::change::TSO_LOGICAL_BITS;

use super::position::{Position, Resume};
use crate::error::{Error, ErrorKind};
use crate::read::config::IncrementType;

/// The changes of one slice that were committed in `[start, end)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowSpec {
    /// The start as it is sent: UTC, `yyyy-MM-dd HH:mm:ss`.
    pub start_text: String,
    /// The end as it is sent, in the same form.
    pub end_text: String,
    /// The start in milliseconds since 1970 UTC; whole seconds.
    pub start_millis: i64,
    /// The end in milliseconds since 1970 UTC, exclusive; whole seconds.
    pub end_millis: i64,
    /// Which changes are read; `None` for that of `source.changelog.increment-type`.
    pub increment_type: Option<IncrementType>,
    /// The part of the table's keys.
    pub slice: Slice,
    /// Up to where the window was read before; `None` for all of it.
    pub position: Option<Position>,
    /// Whether the hash sum of the position was taken over the present columns. If not, or when the rows before the
    /// position turn out to be others, all rows of the position's TSO come again.
    pub verify: bool,
}

/// A part of a table's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// The table.
    Whole,
    /// The keys whose hash leaves this remainder.
    Hash {
        /// From 0 up to `count` − 1.
        index: u32,
        /// At least 1.
        count: u32,
    },
    /// The rows of a partition.
    Partition {
        /// Doris' id of the partition.
        id: i64,
    },
}

impl WindowSpec {
    /// Fails when the parts contradict each other: what is sent must be what rows are checked against.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let wrong = |why: String| Err(Error::new(ErrorKind::Config, format!("the window {self} {why}")));
        for (text, millis) in [
            (&self.start_text, self.start_millis),
            (&self.end_text, self.end_millis),
        ] {
            if utc_text(millis).as_ref() != Some(text) {
                return wrong(format!("has the text '{text}' for {millis} ms since 1970 UTC"));
            }
        }
        if self.start_millis >= self.end_millis || self.start_millis < 0 {
            return wrong("has no length or begins before 1970".to_owned());
        }
        if let Slice::Hash { index, count } = self.slice
            && index >= count
        {
            return wrong(format!("is of slice {index} of {count}"));
        }
        if let Some(position) = self.position
            && !self.contains(position.tso)
        {
            return wrong(format!("does not hold its position, TSO {}", position.tso));
        }
        Ok(())
    }

    /// Whether a change with this TSO belongs to the window.
    pub(crate) fn contains(&self, tso: i64) -> bool {
        first_tso(self.start_millis) <= tso && tso < first_tso(self.end_millis)
    }

    /// Where its first query resumes.
    pub(crate) fn resume(&self) -> Option<Resume> {
        self.position.map(|position| Resume {
            position,
            exact: self.verify,
        })
    }
}

/// `[2026-10-09 10:00:00, 2026-10-09 10:00:10) UTC`, and the slice unless it is the whole table.
impl fmt::Display for WindowSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}) UTC", self.start_text, self.end_text)?;
        match self.slice {
            Slice::Whole => Ok(()),
            Slice::Hash { index, count } => write!(f, " of slice {index} of {count}"),
            Slice::Partition { id } => write!(f, " of partition {id}"),
        }
    }
}

/// The smallest TSO of a millisecond since 1970.
pub(crate) fn first_tso(millis: i64) -> i64 {
    millis.checked_shl(TSO_LOGICAL_BITS).map_or(i64::MAX, |tso| {
        if tso >> TSO_LOGICAL_BITS == millis {
            tso
        } else {
            i64::MAX
        }
    })
}

/// The commit time that a TSO holds, for messages.
pub(crate) fn tso_text(tso: i64) -> String {
    DateTime::from_timestamp_millis(tso >> TSO_LOGICAL_BITS).map_or_else(
        || "no time".to_owned(),
        |time| format!("{} UTC", time.format("%Y-%m-%d %H:%M:%S%.3f")),
    )
}

/// Whole seconds since 1970 UTC, given in milliseconds, as `yyyy-MM-dd HH:mm:ss`; `None` for parts of a second and
/// outside of the years 0 to 9999.
pub(crate) fn utc_text(millis: i64) -> Option<String> {
    let text = DateTime::from_timestamp_millis(millis)?
        .format("%Y-%m-%d %H:%M:%S")
        .to_string();
    (millis % 1000 == 0 && text.len() == 19).then_some(text)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn spec(slice: Slice) -> WindowSpec {
        WindowSpec {
            start_text: "2026-10-09 10:00:00".to_owned(),
            end_text: "2026-10-09 10:00:10".to_owned(),
            start_millis: 1_791_540_000_000,
            end_millis: 1_791_540_010_000,
            increment_type: None,
            slice,
            position: None,
            verify: true,
        }
    }

    #[test]
    fn a_window_holds_its_start_and_not_its_end() {
        let window = spec(Slice::Whole);
        window.check().unwrap();
        assert_eq!(first_tso(window.start_millis), 469_641_461_760_000_000);
        assert!(window.contains(469_641_461_760_000_000));
        assert!(!window.contains(469_641_461_759_999_999));
        let end = 1_791_540_010_000_i64 << 18;
        assert!(window.contains(end - 1));
        assert!(!window.contains(end));
        assert_eq!(first_tso(i64::MAX / 2), i64::MAX);
        assert_eq!(
            window.to_string(),
            "[2026-10-09 10:00:00, 2026-10-09 10:00:10) UTC"
        );
        let sliced = spec(Slice::Hash { index: 1, count: 4 });
        assert!(sliced.to_string().ends_with(" UTC of slice 1 of 4"));
    }

    #[test]
    fn contradictions_are_told() {
        let whole = || spec(Slice::Whole);
        let position = Position {
            tso: 1,
            lsn: 1,
            operation: 0,
            rows_at_position: 1,
            rows_of_tso: 1,
            hash_sum: 0,
        };
        for (window, told) in [
            (
                WindowSpec {
                    start_millis: 1_791_540_000_500,
                    ..whole()
                },
                "1791540000500",
            ),
            (
                WindowSpec {
                    end_text: "2026-10-09 18:00:10".to_owned(),
                    ..whole()
                },
                "18:00:10",
            ),
            (
                WindowSpec {
                    end_text: whole().start_text,
                    end_millis: whole().start_millis,
                    ..whole()
                },
                "no length",
            ),
            (spec(Slice::Hash { index: 2, count: 2 }), "slice 2 of 2"),
            (
                WindowSpec {
                    position: Some(position),
                    ..whole()
                },
                "TSO 1",
            ),
        ] {
            let error = window.check().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(told), "{error}");
        }
    }
}
