//! Switches of the changelog: forms of its errors, rules of its waits, where the TSO can be read.

use std::str::FromStr;

use crate::profile::{choices, put, switches};

choices! {
    /// How a changelog query that cannot be answered yet is refused.
    ChangelogErrors {
        /// `timeout waiting previous transactions finish …`, an ordinary error.
        Classic = "classic",
        /// `timeout waiting transaction become visible …`, an ordinary error of earlier servers.
        ClassicOld = "classic_old",
        /// Errors 5100 and 5101 with their names; through Flight `UNAVAILABLE` with metadata.
        Typed = "typed",
    }
}
choices! {
    /// Which transactions a changelog query waits for.
    FenceRule {
        /// Every unfinished one on the table that began before the query.
        Classic = "classic",
        /// With an end: those decided, not yet visible, with a stamp below the end. Without: as `classic`.
        Cloud = "cloud",
    }
}
choices! {
    /// `GET /api/tso`.
    TsoApi {
        /// Every front end answers for the master.
        Any = "any",
        /// The master answers, others refuse.
        Master = "master",
        /// There is none.
        Absent = "absent",
    }
}
choices! {
    /// `information_schema.tso_status` and `SHOW TSO STATUS`.
    TsoStatus {
        /// With the columns `COMMITTED_TSO` and `COMMITTED_TSO_PHYSICAL_TIME`.
        Committed = "committed",
        /// Without them.
        Plain = "plain",
        /// There is none.
        Absent = "absent",
    }
}

choices! {
    /// Type of the hidden column of the operation.
    OpType {
        /// TINYINT.
        Int8 = "int8",
        /// BIGINT.
        Int64 = "int64",
    }
}
choices! {
    /// Where the numbers of changes (LSN) are unique.
    LsnScope {
        /// In the table.
        Table = "table",
        /// On each back end: the same numbers come from several.
        Backend = "backend",
    }
}

choices! {
    /// What a table without historical values records where a whole row replaces another.
    UpdateForm {
        /// An insert: the server does not look for the row before.
        Insert = "insert",
        /// A pair, both halves with the new values, as servers of November 2026 do. Partial updates, for which the row
        /// before is looked for, always give one.
        Pair = "pair",
    }
}
choices! {
    /// What a table without historical values records for the columns outside the key of a deleted row.
    DeleteForm {
        /// Their defaults, else NULL; a load's row as it came.
        Key = "key",
        /// The values that the row had.
        Row = "row",
    }
}
choices! {
    /// What becomes of a load's delete of a key that is not there.
    UnknownDelete {
        /// No record.
        Silent = "silent",
        /// A delete: NULL outside of the key with historical values, else the row as it came.
        Recorded = "recorded",
    }
}
choices! {
    /// `DELETE` where it would not touch rows one by one: with `enable_mow_light_delete`, and on Duplicate tables.
    PredicateDelete {
        /// The former is recorded all the same, the latter refused.
        Refused = "refused",
        /// Both work and leave no record, as before September 2026.
        Silent = "silent",
    }
}

switches! {
    /// What a log records of writes where servers differ; see the switches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    RecordForms {
        /// See [`UpdateForm`].
        update: UpdateForm = UpdateForm::Insert, "changelog_update_without_history";
        /// See [`DeleteForm`].
        delete: DeleteForm = DeleteForm::Key, "changelog_delete_without_history";
        /// See [`UnknownDelete`].
        unknown_delete: UnknownDelete = UnknownDelete::Silent, "changelog_unknown_delete";
        /// See [`PredicateDelete`].
        predicate_delete: PredicateDelete = PredicateDelete::Refused, "changelog_predicate_delete";
    }
}

switches! {
    /// Every switch of this part; part of [`crate::profile::Switches`]. Without a changelog none has an effect, and
    /// the TSO cannot be read.
    #[derive(Debug, Clone, PartialEq, Eq)]
    ChangelogSwitches {
        /// See [`ChangelogErrors`].
        errors: ChangelogErrors = ChangelogErrors::Classic, "changelog_errors";
        /// See [`FenceRule`].
        fence: FenceRule = FenceRule::Classic, "changelog_fence";
        /// See [`OpType`].
        op_type: OpType = OpType::Int8, "changelog_op";
        /// See [`LsnScope`].
        lsn_scope: LsnScope = LsnScope::Table, "changelog_lsn";
        /// See [`RecordForms`].
        records: RecordForms = RecordForms::default();
        /// See [`TsoApi`].
        tso_api: TsoApi = TsoApi::Any, "tso_api";
        /// See [`TsoStatus`].
        tso_status: TsoStatus = TsoStatus::Committed, "tso_status";
        /// Global value of the session variable `change_visible_timeout_ms`: milliseconds of real time that a
        /// changelog query waits.
        change_visible_timeout_ms: u64 = 60_000, "change_visible_timeout_ms";
        /// `@incr(…)` behind a table is read and has no effect: the query is one of the table. Comes before
        /// `changelog`.
        incr_ignored: bool = false, "incr_ignored";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_set_by_name() {
        let mut switches = ChangelogSwitches::default();
        switches.set_one("changelog_errors", "typed").unwrap().unwrap();
        switches
            .set_one("change_visible_timeout_ms", "5")
            .unwrap()
            .unwrap();
        assert_eq!(
            (switches.errors, switches.change_visible_timeout_ms),
            (ChangelogErrors::Typed, 5)
        );
        let refused = switches.set_one("tso_api", "none").unwrap().unwrap_err();
        assert!(refused.contains("any, master, absent"), "{refused}");
        assert!(switches.set_one("date_form", "utf8").is_none());
    }
}
