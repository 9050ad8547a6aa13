//! Switches of loads and transactions: limits, times and spellings.

use std::str::FromStr;

use crate::profile::{choices, put, switches};

choices! {
    /// `status` of a 2PC request that failed.
    TwoPhaseStatus {
        /// `ANALYSIS_ERROR`.
        AnalysisError = "ANALYSIS_ERROR",
        /// `INTERNAL_ERROR`.
        InternalError = "INTERNAL_ERROR",
        /// `Internal error`.
        InternalErrorWords = "Internal error",
        /// `Fail`.
        Fail = "Fail",
    }
}
choices! {
    /// Letter case of the transaction states in the texts of 2PC.
    TwoPhaseCase {
        /// As the newest servers write: lower case where a commit is refused, upper case where an abort is.
        Mixed = "mixed",
        /// Lower case, and a dot after `not found`.
        Lower = "lower",
        /// Upper case, and a dot after `not found`.
        Upper = "upper",
    }
}
choices! {
    /// Text of `Label Already Exists`.
    LabelText {
        /// `…, relate to txn [1], status [VISIBLE].` behind the full prefix.
        New = "new",
        /// Ends after `relate to txn [1]`, without a prefix.
        Old = "old",
        /// `…, relate to txn [1], status=[TXN_STATUS_VISIBLE]`.
        Cloud = "cloud",
    }
}
choices! {
    /// What becomes of a text that is longer than its `CHAR(n)` or `VARCHAR(n)` in a load that is not strict.
    LongTexts {
        /// It is cut to n bytes, at the border of a character.
        Cut = "cut",
        /// Its row is filtered.
        Filter = "filter",
    }
}
choices! {
    /// What becomes of a body that was sent to a front end.
    RedirectBody {
        /// Up to 16 MB of it are read and dropped after the redirect.
        Drain = "drain",
        /// The connection is closed after the redirect.
        Close = "close",
    }
}

switches! {
    /// Every switch of loads; part of [`crate::profile::Switches`]. Times are on the cluster's clock where nothing
    /// else is noted.
    #[derive(Debug, Clone, PartialEq, Eq)]
    LoadSwitches {
        /// Seconds after which a PRECOMMITTED transaction is aborted.
        precommit_timeout_s: u64 = 3600, "stream_load_default_precommit_timeout_second";
        /// Seconds that a load without the header `timeout` may stay in PREPARE.
        load_timeout_s: u64 = 259_200, "stream_load_default_timeout_second";
        /// Seconds that a finished Stream Load is remembered.
        streaming_label_keep_s: u64 = 43_200, "streaming_label_keep_max_second";
        /// Seconds that any other finished load is remembered.
        label_keep_s: u64 = 259_200, "label_keep_max_second";
        /// Finished transactions remembered per database.
        label_num_threshold: usize = 2000, "label_num_threshold";
        /// Unfinished transactions per database.
        max_running_txns: usize = 10_000, "max_running_txn_num_per_db";
        /// Milliseconds of real time between COMMITTED and VISIBLE; commits answer before.
        publish_delay_ms: u64 = 0, "publish_delay_ms";
        /// Milliseconds of real time until an `async_mode` group commit is visible.
        group_commit_interval_ms: u64 = 100, "group_commit_interval_ms";
        /// Largest body of a load, in bytes (Doris: `streaming_load_max_mb`).
        max_bytes: u64 = 10_240 << 20, "streaming_load_max_bytes";
        /// Largest body of JSON that is not read by line, in bytes (Doris: `streaming_load_json_max_mb`).
        json_max_bytes: u64 = 100 << 20, "streaming_load_json_max_bytes";
        /// 2PC is switched off at the server.
        two_phase_disabled: bool = false, "disable_stream_load_2pc";
        /// 2PC works on Unique tables (not in the cloud).
        two_phase_on_unique: bool = true, "two_phase_on_unique";
        /// See [`TwoPhaseStatus`].
        two_phase_status: TwoPhaseStatus = TwoPhaseStatus::AnalysisError, "two_phase_status";
        /// See [`TwoPhaseCase`].
        two_phase_case: TwoPhaseCase = TwoPhaseCase::Mixed, "two_phase_case";
        /// See [`LabelText`].
        label_text: LabelText = LabelText::New, "label_text";
        /// See [`LongTexts`].
        long_texts: LongTexts = LongTexts::Cut, "long_texts";
        /// `"` as the enclosing character stays in the value unless `trim_double_quotes` is on.
        enclose_keeps_quotes: bool = false, "enclose_keeps_quotes";
        /// See [`RedirectBody`].
        redirect_body: RedirectBody = RedirectBody::Drain, "redirect_body";
        /// Redirects carry name and password.
        redirect_userinfo: bool = true, "redirect_userinfo";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_set_by_doris_names() {
        let mut switches = LoadSwitches::default();
        switches
            .set_one("stream_load_default_precommit_timeout_second", "5")
            .unwrap()
            .unwrap();
        switches.set_one("two_phase_status", "Fail").unwrap().unwrap();
        assert_eq!(
            (switches.precommit_timeout_s, switches.two_phase_status),
            (5, TwoPhaseStatus::Fail)
        );
        let refused = switches.set_one("two_phase_case", "none").unwrap().unwrap_err();
        assert!(refused.contains("mixed, lower, upper"), "{refused}");
        assert!(switches.set_one("date_form", "utf8").is_none());
    }
}
