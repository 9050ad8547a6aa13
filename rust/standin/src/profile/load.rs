//! Switches of loads and transactions: limits, times and spellings.

use std::str::FromStr;

use crate::profile::{choices, put};

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

/// Every switch of loads; part of [`crate::profile::Switches`]. Times are on the cluster's clock unless said otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadSwitches {
    /// Seconds after which a PRECOMMITTED transaction is aborted.
    pub precommit_timeout_s: u64,
    /// Seconds that a load without the header `timeout` may stay in PREPARE.
    pub load_timeout_s: u64,
    /// Seconds that a finished Stream Load is remembered.
    pub streaming_label_keep_s: u64,
    /// Seconds that any other finished load is remembered.
    pub label_keep_s: u64,
    /// Finished transactions remembered per database.
    pub label_num_threshold: usize,
    /// Unfinished transactions per database.
    pub max_running_txns: usize,
    /// Milliseconds of real time between COMMITTED and VISIBLE; commits answer before.
    pub publish_delay_ms: u64,
    /// Milliseconds of real time until an `async_mode` group commit is visible.
    pub group_commit_interval_ms: u64,
    /// Largest body of a load, in bytes (Doris: `streaming_load_max_mb`).
    pub max_bytes: u64,
    /// Largest body of JSON that is not read by line, in bytes (Doris: `streaming_load_json_max_mb`).
    pub json_max_bytes: u64,
    /// 2PC is switched off at the server.
    pub two_phase_disabled: bool,
    /// 2PC works on Unique tables (not in the cloud).
    pub two_phase_on_unique: bool,
    /// See [`TwoPhaseStatus`].
    pub two_phase_status: TwoPhaseStatus,
    /// See [`TwoPhaseCase`].
    pub two_phase_case: TwoPhaseCase,
    /// See [`LabelText`].
    pub label_text: LabelText,
    /// See [`LongTexts`].
    pub long_texts: LongTexts,
    /// `"` as the enclosing character stays in the value unless `trim_double_quotes` is on.
    pub enclose_keeps_quotes: bool,
    /// See [`RedirectBody`].
    pub redirect_body: RedirectBody,
    /// Redirects carry name and password.
    pub redirect_userinfo: bool,
    /// Host of the public endpoint of every back end; empty: none.
    pub public_host: String,
    /// Host of the private endpoint of every back end; empty: none.
    pub private_host: String,
}

impl Default for LoadSwitches {
    fn default() -> Self {
        Self {
            precommit_timeout_s: 3600,
            load_timeout_s: 259_200,
            streaming_label_keep_s: 43_200,
            label_keep_s: 259_200,
            label_num_threshold: 2000,
            max_running_txns: 10_000,
            publish_delay_ms: 0,
            group_commit_interval_ms: 100,
            max_bytes: 10_240 << 20,
            json_max_bytes: 100 << 20,
            two_phase_disabled: false,
            two_phase_on_unique: true,
            two_phase_status: TwoPhaseStatus::AnalysisError,
            two_phase_case: TwoPhaseCase::Mixed,
            label_text: LabelText::New,
            long_texts: LongTexts::Cut,
            enclose_keeps_quotes: false,
            redirect_body: RedirectBody::Drain,
            redirect_userinfo: true,
            public_host: String::new(),
            private_host: String::new(),
        }
    }
}

impl LoadSwitches {
    /// Sets one switch; `None` when it is none of these.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
        Some(match name {
            "stream_load_default_precommit_timeout_second" => put(&mut self.precommit_timeout_s, name, value),
            "stream_load_default_timeout_second" => put(&mut self.load_timeout_s, name, value),
            "streaming_label_keep_max_second" => put(&mut self.streaming_label_keep_s, name, value),
            "label_keep_max_second" => put(&mut self.label_keep_s, name, value),
            "label_num_threshold" => put(&mut self.label_num_threshold, name, value),
            "max_running_txn_num_per_db" => put(&mut self.max_running_txns, name, value),
            "publish_delay_ms" => put(&mut self.publish_delay_ms, name, value),
            "group_commit_interval_ms" => put(&mut self.group_commit_interval_ms, name, value),
            "streaming_load_max_bytes" => put(&mut self.max_bytes, name, value),
            "streaming_load_json_max_bytes" => put(&mut self.json_max_bytes, name, value),
            "disable_stream_load_2pc" => put(&mut self.two_phase_disabled, name, value),
            "two_phase_on_unique" => put(&mut self.two_phase_on_unique, name, value),
            "two_phase_status" => put(&mut self.two_phase_status, name, value),
            "two_phase_case" => put(&mut self.two_phase_case, name, value),
            "label_text" => put(&mut self.label_text, name, value),
            "long_texts" => put(&mut self.long_texts, name, value),
            "enclose_keeps_quotes" => put(&mut self.enclose_keeps_quotes, name, value),
            "redirect_body" => put(&mut self.redirect_body, name, value),
            "redirect_userinfo" => put(&mut self.redirect_userinfo, name, value),
            "be_public_host" => put(&mut self.public_host, name, value),
            "be_private_host" => put(&mut self.private_host, name, value),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_set_by_doris_names() {
        let mut switches = LoadSwitches::default();
        switches
            .set("stream_load_default_precommit_timeout_second", "5")
            .unwrap()
            .unwrap();
        switches.set("two_phase_status", "Fail").unwrap().unwrap();
        assert_eq!(
            (switches.precommit_timeout_s, switches.two_phase_status),
            (5, TwoPhaseStatus::Fail)
        );
        let refused = switches.set("two_phase_case", "none").unwrap().unwrap_err();
        assert!(refused.contains("mixed, lower, upper"), "{refused}");
        assert!(switches.set("date_form", "utf8").is_none());
    }
}
