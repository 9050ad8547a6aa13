//! Under which label a load is sent, and sent again.
//!
//! No row may be lost or doubled, whatever happened to the attempt before. What each mode relies on:
//!
//! **Two-phase commit.** What a load leaves behind is invisible until its transaction is committed, and only the
//! transaction whose own `Success` came back is ever committed. So sending the rows again under another label is
//! always safe, and what is left behind is only to be cleaned up: its label is remembered as skipped. The same label
//! is used again only where nothing can be under it: after a definite refusal, or when the server knows nothing of
//! it. It is never aborted or adopted here, since what is under it may be somebody else's: a dead attempt's, or a
//! living one's of another incarnation. A label that is finished although this attempt was about to use it means that
//! the job was restored from an old state: that is an error.
//!
//! **A label without two-phase commit.** The series is drawn at random for the attempt, so all that is under it is
//! ours. While the end of a load is unknown, its label tells: committed is done; under way is aborted and asked for
//! again; unknown or aborted is sent again under the same label, which the server takes only once. After a definite
//! refusal nothing is under the label, and the next one is used.
//!
//! **Group commit.** There is no label, so nothing tells what became of a load. It is sent again only where it is
//! certain that no row of it was taken: after a definite refusal, or when no back end was reached. Else the failure
//! is the load's. In batch mode it is sent again all the same: the job would begin again with these rows, and maybe
//! with more.

use super::spec::Labels;
use crate::write::response::{Existing, LabelState};

/// How many labels a load passes over before it gives up.
const MOST_SKIPPED: usize = 100;

/// What a load relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    TwoPhase,
    Labelled,
    GroupCommit {
        /// Whether a load whose end is not known is sent again.
        again: bool,
    },
}

/// The labels of one load.
#[derive(Clone, Debug)]
pub(super) struct Series {
    mode: Mode,
    base: String,
    number: u64,
    skipped: Vec<String>,
    /// Whether an attempt under the current label sent its whole body.
    sent_whole: bool,
}

/// What to do after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Send again, under the label that is now current.
    Send,
    /// Send again at once: nothing failed, the label was in use.
    SendNow,
    /// The load is done by the label's state.
    Done,
    /// Ask for the state of the label.
    AskState,
    /// Abort by label, then read its state.
    Abort,
    /// The label is finished, although nothing of this load can be under it.
    Conflict,
    /// It cannot be known whether the rows were taken.
    Unknowable,
    /// Too many labels are in use.
    GiveUp,
}

impl Series {
    pub(super) fn new(mode: Mode, labels: &Labels) -> Self {
        Self {
            mode,
            base: labels.base.clone(),
            number: labels.next,
            skipped: Vec::new(),
            sent_whole: false,
        }
    }

    /// The label of the attempt that is under way; `None` with group commit.
    pub(super) fn label(&self) -> Option<String> {
        (!self.is_group_commit()).then(|| self.at(self.number))
    }

    /// The first number that is not used once the load has ended.
    pub(super) fn next_number(&self) -> u64 {
        match self.mode {
            Mode::GroupCommit { .. } => self.number,
            _ => self.number + 1,
        }
    }

    /// Whether there are no labels.
    pub(super) fn is_group_commit(&self) -> bool {
        matches!(self.mode, Mode::GroupCommit { .. })
    }

    /// The labels that were skipped.
    pub(super) fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// An attempt under the current label sent its whole body.
    pub(super) fn sent_whole(&mut self) {
        self.sent_whole = true;
    }

    /// Whether the label's state can show that the load is done.
    pub(super) fn tells_done(&self) -> bool {
        self.mode == Mode::Labelled
    }

    /// No back end got the request.
    pub(super) fn unreached(&self) -> Next {
        Next::Send
    }

    /// The server has refused the load, and nothing is left of it.
    pub(super) fn refused(&mut self) -> Next {
        if self.mode == Mode::Labelled {
            self.advance();
        }
        Next::Send
    }

    /// The attempt ended without a reliable answer.
    pub(super) fn unanswered(&self) -> Next {
        match self.mode {
            Mode::GroupCommit { again: true } => Next::Send,
            Mode::GroupCommit { again: false } => Next::Unknowable,
            _ => Next::AskState,
        }
    }

    /// The server reports that the label is in use. `existing` is `None` where it does not report the state.
    pub(super) fn in_use(&mut self, existing: Option<Existing>) -> Next {
        match (self.mode, existing) {
            // Without a label none can be in use.
            (Mode::GroupCommit { .. }, _) => Next::Unknowable,
            (_, None) => Next::AskState,
            (Mode::TwoPhase, Some(Existing::Finished)) => Next::Conflict,
            (Mode::TwoPhase, Some(Existing::Running | Existing::Precommitted)) => self.skip(Next::SendNow),
            (Mode::Labelled, Some(Existing::Finished)) => self.finished(),
            (Mode::Labelled, Some(Existing::Running | Existing::Precommitted)) => Next::Abort,
        }
    }

    /// What the state of the label means after an attempt whose end is not known.
    pub(super) fn state(&mut self, state: LabelState) -> Next {
        match (self.mode, state) {
            (Mode::GroupCommit { .. }, _) => Next::Unknowable,
            (_, LabelState::Unknown) => Next::Send,
            (Mode::TwoPhase, LabelState::Committed | LabelState::Visible) => Next::Conflict,
            (Mode::TwoPhase, _) => self.skip(Next::Send),
            (Mode::Labelled, LabelState::Committed | LabelState::Visible) => self.finished(),
            (Mode::Labelled, LabelState::Aborted) => Next::Send,
            (Mode::Labelled, LabelState::Prepare | LabelState::Precommitted) => Next::Abort,
        }
    }

    /// Something is committed under a label that only this load uses.
    fn finished(&self) -> Next {
        if self.sent_whole {
            Next::Done
        } else {
            Next::Conflict
        }
    }

    fn skip(&mut self, then: Next) -> Next {
        self.skipped.push(self.at(self.number));
        self.advance();
        if self.skipped.len() > MOST_SKIPPED {
            Next::GiveUp
        } else {
            then
        }
    }

    fn advance(&mut self) {
        self.number += 1;
        self.sent_whole = false;
    }

    fn at(&self, number: u64) -> String {
        format!("{}{number}", self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(mode: Mode) -> Series {
        Series::new(
            mode,
            &Labels {
                base: "l_".to_owned(),
                next: 7,
            },
        )
    }

    #[test]
    fn two_phase_never_adopts_and_never_uses_a_label_that_may_be_taken() {
        let mut s = series(Mode::TwoPhase);
        assert_eq!(s.label().as_deref(), Some("l_7"));
        assert_eq!(s.refused(), Next::Send);
        assert_eq!(s.unreached(), Next::Send);
        assert_eq!(s.label().as_deref(), Some("l_7"));
        s.sent_whole();
        assert_eq!(s.unanswered(), Next::AskState);
        assert_eq!(s.state(LabelState::Unknown), Next::Send);
        assert_eq!(s.label().as_deref(), Some("l_7"));
        for state in [LabelState::Prepare, LabelState::Precommitted, LabelState::Aborted] {
            assert_eq!(s.state(state), Next::Send);
        }
        assert_eq!(s.label().as_deref(), Some("l_10"));
        assert_eq!(s.in_use(Some(Existing::Running)), Next::SendNow);
        assert_eq!(s.in_use(Some(Existing::Precommitted)), Next::SendNow);
        assert_eq!(s.in_use(None), Next::AskState);
        assert_eq!(s.skipped(), ["l_7", "l_8", "l_9", "l_10", "l_11"]);
        assert_eq!(s.next_number(), 13);
        s.sent_whole();
        assert_eq!(s.in_use(Some(Existing::Finished)), Next::Conflict);
        assert_eq!(s.state(LabelState::Committed), Next::Conflict);
        assert_eq!(s.state(LabelState::Visible), Next::Conflict);
    }

    #[test]
    fn a_label_of_ones_own_tells_what_became_of_the_load() {
        let mut s = series(Mode::Labelled);
        assert_eq!(s.unanswered(), Next::AskState);
        // Half a body is never committed, so this is not ours.
        assert_eq!(s.state(LabelState::Visible), Next::Conflict);
        s.sent_whole();
        assert_eq!(s.state(LabelState::Visible), Next::Done);
        assert_eq!(s.state(LabelState::Committed), Next::Done);
        assert_eq!(s.in_use(Some(Existing::Finished)), Next::Done);
        assert_eq!(s.state(LabelState::Prepare), Next::Abort);
        assert_eq!(s.in_use(Some(Existing::Running)), Next::Abort);
        assert_eq!(s.state(LabelState::Aborted), Next::Send);
        assert_eq!(s.state(LabelState::Unknown), Next::Send);
        assert_eq!(s.label().as_deref(), Some("l_7"));
        assert_eq!(s.refused(), Next::Send);
        assert_eq!(s.label().as_deref(), Some("l_8"));
        // What was sent under the label before does not count for this one.
        assert_eq!(s.in_use(Some(Existing::Finished)), Next::Conflict);
        assert!(s.skipped().is_empty());
    }

    #[test]
    fn without_a_label_only_certainty_counts() {
        let mut s = series(Mode::GroupCommit { again: false });
        assert_eq!(s.label(), None);
        assert_eq!(s.refused(), Next::Send);
        assert_eq!(s.unreached(), Next::Send);
        assert_eq!(s.unanswered(), Next::Unknowable);
        assert_eq!(s.in_use(Some(Existing::Running)), Next::Unknowable);
        assert_eq!(s.next_number(), 7);
        let mut again = series(Mode::GroupCommit { again: true });
        assert_eq!(again.label(), None);
        assert_eq!(again.unanswered(), Next::Send);
        assert_eq!(again.in_use(Some(Existing::Running)), Next::Unknowable);
    }

    #[test]
    fn labels_in_use_come_to_an_end() {
        let mut s = series(Mode::TwoPhase);
        let used = (0..1000)
            .take_while(|_| s.in_use(Some(Existing::Running)) == Next::SendNow)
            .count();
        assert_eq!(used, MOST_SKIPPED);
    }
}
