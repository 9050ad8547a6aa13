//! Why a transaction cannot go on, in the words of Doris.

use super::record::TxnState;
use crate::control::faults::Strike;
use crate::profile::load::{LabelText, LoadSwitches, TwoPhaseCase};

/// A refusal of the transaction table.
pub(crate) enum TxnError {
    /// The label is no label.
    BadLabel(String),
    /// The label belongs to a transaction that was not aborted.
    LabelInUse { label: String, id: i64, state: TxnState },
    /// Too many unfinished transactions in the database.
    TooMany {
        database: String,
        running: usize,
        limit: usize,
    },
    /// No transaction of that number in the database.
    NotFound(i64),
    /// No transaction of that label.
    NoLabel(String),
    /// No transaction of that label in a fitting state.
    NoneRunning(String),
    /// Commit: the transaction is not PRECOMMITTED.
    NotPrecommitted {
        id: i64,
        state: TxnState,
        reason: String,
    },
    /// Abort: the transaction is decided.
    Decided {
        id: i64,
        state: TxnState,
        reason: String,
    },
    /// The table was dropped.
    TableGone(i64),
    /// The rows cannot be made visible.
    Failed(String),
    /// A fault rule breaks the answer before anything was done.
    Struck(Strike),
}

impl TxnError {
    /// The text, without the prefix of a channel.
    pub(crate) fn text(&self, switches: &LoadSwitches) -> String {
        let dot = match switches.two_phase_case {
            TwoPhaseCase::Mixed => "",
            TwoPhaseCase::Lower | TwoPhaseCase::Upper => ".",
        };
        match self {
            Self::BadLabel(label) => {
                format!("Label format error. regex: ^[\\-_A-Za-z0-9:\\p{{L}}]{{1,128}}$, label: {label}")
            }
            Self::LabelInUse { label, id, state } => {
                let used = format!("Label [{label}] has already been used, relate to txn [{id}]");
                match switches.label_text {
                    LabelText::New => format!("{used}, status [{}].", state.name()),
                    LabelText::Old => used,
                    LabelText::Cloud => format!("{used}, status=[TXN_STATUS_{}]", state.name()),
                }
            }
            Self::TooMany {
                database,
                running,
                limit,
            } => format!("current running txns on db {database} is {running}, larger than limit {limit}"),
            Self::NotFound(id) => format!("transaction [{id}] not found{dot}"),
            Self::NoLabel(label) => format!("transaction not found, label={label}"),
            Self::NoneRunning(label) => format!("running transaction not found, label={label}"),
            Self::NotPrecommitted { id, state, reason } => match state {
                TxnState::Aborted => {
                    format!("transaction [{id}] is already aborted. abort reason: {reason}")
                }
                TxnState::Prepare => {
                    format!(
                        "transaction [{id}] is {}, not pre-committed.",
                        cased(*state, switches, false)
                    )
                }
                _ => format!(
                    "transaction [{id}] is already {}, not pre-committed.",
                    cased(*state, switches, false)
                ),
            },
            Self::Decided { id, state, reason } => match state {
                TxnState::Aborted => {
                    format!("transaction [{id}] is already aborted, abort reason: {reason}")
                }
                _ => format!(
                    "transaction [{id}] is already {}, could not abort.",
                    cased(*state, switches, true)
                ),
            },
            Self::TableGone(id) => format!("unknown table, tableId={id}"),
            Self::Failed(text) => text.clone(),
            Self::Struck(strike) => strike.text(),
        }
    }
}

/// Name of a state in the letter case of the switch; `upper` is what the newest servers write here.
fn cased(state: TxnState, switches: &LoadSwitches, upper: bool) -> String {
    let upper = match switches.two_phase_case {
        TwoPhaseCase::Mixed => upper,
        TwoPhaseCase::Lower => false,
        TwoPhaseCase::Upper => true,
    };
    if upper {
        state.name().to_owned()
    } else {
        state.name().to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_follow_the_switches() {
        let mut switches = LoadSwitches::default();
        let again = TxnError::NotPrecommitted {
            id: 5,
            state: TxnState::Visible,
            reason: String::new(),
        };
        let late = TxnError::Decided {
            id: 5,
            state: TxnState::Committed,
            reason: String::new(),
        };
        let used = TxnError::LabelInUse {
            label: "l".to_owned(),
            id: 5,
            state: TxnState::Visible,
        };
        assert_eq!(
            again.text(&switches),
            "transaction [5] is already visible, not pre-committed."
        );
        assert_eq!(
            late.text(&switches),
            "transaction [5] is already COMMITTED, could not abort."
        );
        assert_eq!(TxnError::NotFound(5).text(&switches), "transaction [5] not found");
        assert_eq!(
            used.text(&switches),
            "Label [l] has already been used, relate to txn [5], status [VISIBLE]."
        );
        switches.two_phase_case = TwoPhaseCase::Upper;
        switches.label_text = LabelText::Cloud;
        assert_eq!(
            again.text(&switches),
            "transaction [5] is already VISIBLE, not pre-committed."
        );
        assert_eq!(
            TxnError::NotFound(5).text(&switches),
            "transaction [5] not found."
        );
        assert!(used.text(&switches).ends_with("status=[TXN_STATUS_VISIBLE]"));
        switches.two_phase_case = TwoPhaseCase::Lower;
        switches.label_text = LabelText::Old;
        assert_eq!(
            late.text(&switches),
            "transaction [5] is already committed, could not abort."
        );
        assert!(used.text(&switches).ends_with("relate to txn [5]"));
    }
}
