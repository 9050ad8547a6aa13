//! Many labels with one call: series walked to their first unknown label, and aborts of a list of labels.
//!
//! What to walk and what to abort is decided by the caller, between the two calls. A load may move on in that time;
//! the outcome of its abort says so: a load that was committed meanwhile is [`AbortOutcome::Finished`] and stays as it
//! is.

use futures::{StreamExt, stream};

use crate::error::Error;
use crate::write::response::LabelState;
use crate::write::sink::Sink;
use crate::write::txn::AbortOutcome;

/// Most requests of one call at the same time.
const MOST_AT_ONCE: usize = 16;

/// A label, which is unique in its database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where the label lives.
    pub database: String,
    /// The label.
    pub label: String,
}

/// Labels of one database that differ in their last part alone, a number without gaps; from a number on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Where the labels live.
    pub database: String,
    /// All of a label but its number.
    pub base: String,
    /// The first number.
    pub first: u64,
}

/// What the failure of one part of a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// The whole call, with the failure as its own.
    EndCall,
    /// That part.
    EndPart,
}

/// The outcome of each part, in the order of the parts.
pub type Parts<T> = Vec<Result<T, Error>>;

impl Sink {
    /// States of the labels of each series, from its first number to the last one before a label that is unknown.
    ///
    /// Unless `past_finished`, a series ends with its first label that is committed or visible: enough for a caller
    /// that goes no further then, and few requests where thousands of labels follow.
    pub async fn walk(
        &self,
        series: Vec<Series>,
        past_finished: bool,
        on_failure: OnFailure,
    ) -> Result<Parts<Vec<LabelState>>, Error> {
        side_by_side(series, on_failure, |series| {
            let sink = self.clone();
            async move {
                let mut states = Vec::new();
                for number in series.first.. {
                    let label = format!("{}{number}", series.base);
                    let state = sink.state(&series.database, &label).await?;
                    if state == LabelState::Unknown {
                        break;
                    }
                    states.push(state);
                    if state.is_finished() && !past_finished {
                        break;
                    }
                }
                Ok(states)
            }
        })
        .await
    }

    /// Aborts the loads of labels, each as [`Sink::abort`] does.
    pub async fn abort_all(
        &self,
        labels: Vec<Label>,
        on_failure: OnFailure,
    ) -> Result<Parts<AbortOutcome>, Error> {
        side_by_side(labels, on_failure, |label| {
            let sink = self.clone();
            async move { sink.abort(&label.database, &label.label).await }
        })
        .await
    }
}

/// One request after the other for each part, the parts side by side.
async fn side_by_side<P, T, F: Future<Output = Result<T, Error>>>(
    parts: Vec<P>,
    on_failure: OnFailure,
    ask: impl Fn(P) -> F,
) -> Result<Parts<T>, Error> {
    let numbered = parts.into_iter().enumerate().map(|(i, part)| {
        let answer = ask(part);
        async move { (i, answer.await) }
    });
    let mut running = stream::iter(numbered).buffer_unordered(MOST_AT_ONCE);
    let mut ended = Vec::new();
    while let Some((i, outcome)) = running.next().await {
        match outcome {
            Err(error) if on_failure == OnFailure::EndCall => return Err(error),
            outcome => ended.push((i, outcome)),
        }
    }
    ended.sort_unstable_by_key(|(i, _)| *i);
    Ok(ended.into_iter().map(|(_, outcome)| outcome).collect())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::error::ErrorKind;

    /// Part `n` waits for so many turns; 13 fails.
    async fn run(parts: Vec<u64>, on_failure: OnFailure) -> (Result<Parts<u64>, Error>, usize, usize) {
        let (now, most, ended) = (Cell::new(0), Cell::new(0), Cell::new(0));
        let outcome = side_by_side(parts, on_failure, |part| {
            let (now, most, ended) = (&now, &most, &ended);
            async move {
                now.set(now.get() + 1);
                most.set(most.get().max(now.get()));
                for _ in 0..part {
                    tokio::task::yield_now().await;
                }
                now.set(now.get() - 1);
                ended.set(ended.get() + 1);
                if part == 13 {
                    return Err(Error::new(ErrorKind::Connect, "nobody there"));
                }
                Ok(part)
            }
        })
        .await;
        (outcome, most.get(), ended.get())
    }

    #[tokio::test]
    async fn outcomes_keep_their_order_and_not_too_many_run_at_once() {
        let parts: Vec<u64> = (20..70).rev().collect();
        let (outcome, most, ended) = run(parts.clone(), OnFailure::EndCall).await;
        let values: Vec<u64> = outcome.unwrap().into_iter().map(Result::unwrap).collect();
        assert_eq!(values, parts);
        assert_eq!((most, ended), (MOST_AT_ONCE, 50));
        assert!(run(vec![], OnFailure::EndCall).await.0.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_failure_ends_the_call_or_its_own_part() {
        let (outcome, _, ended) = run(vec![40, 13, 7, 50], OnFailure::EndCall).await;
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Connect);
        assert_eq!(ended, 2);
        let (outcome, _, ended) = run(vec![40, 13, 7, 50], OnFailure::EndPart).await;
        let values: Vec<Option<u64>> = outcome.unwrap().into_iter().map(Result::ok).collect();
        assert_eq!(values, [Some(40), None, Some(7), Some(50)]);
        assert_eq!(ended, 4);
    }
}
