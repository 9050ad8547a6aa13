//! Which front end a request goes to, and which one after it.

use std::sync::LazyLock;

use super::Frontends;
use crate::config::address::Address;
use crate::error::{Error, ErrorKind};
use crate::net::backoff::{Backoff, Pace, random};
use crate::net::shunned::Shunned;

/// Failed front ends of the whole process, so that every reader need not find out by itself.
static SHUNNED: LazyLock<Shunned> = LazyLock::new(Shunned::default);

impl Frontends {
    /// Runs `call` with one front end after the other, a random one first and those that failed lately last, until one
    /// answers. A passing failure (`retryable`) moves on to the next; a round in which all fail is repeated within
    /// `doris.request.retries`. The error names every front end with its own cause.
    pub(crate) async fn first<T, F: Future<Output = Result<T, Error>>>(
        &self,
        what: &str,
        call: impl Fn(Address) -> F,
    ) -> Result<T, Error> {
        self.first_from(None, what, call).await
    }

    /// As [`Frontends::first`], but begins with the front end that is `wanted`, unless it failed lately.
    pub(crate) async fn first_from<T, F: Future<Output = Result<T, Error>>>(
        &self,
        wanted: Option<&Address>,
        what: &str,
        call: impl Fn(Address) -> F,
    ) -> Result<T, Error> {
        let mut backoff = Backoff::new(Pace::READ, self.cluster.retries);
        loop {
            let mut causes: Vec<(Address, Error)> = Vec::new();
            for fe in self.order(wanted) {
                match call(fe.clone()).await {
                    Ok(answer) => {
                        SHUNNED.remove(&fe);
                        return Ok(answer);
                    }
                    Err(error) if error.moves_on() => {
                        tracing::debug!(frontend = %fe, %error, "front end failed, trying the next");
                        SHUNNED.add(&fe);
                        causes.push((fe, error));
                    }
                    Err(error) => return Err(error),
                }
            }
            let error = all_failed(what, &causes);
            match backoff.after(&error) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(backoff.given_up(error)),
            }
        }
    }

    /// Asks a front end last for a while: it answered, but not as the cluster should.
    pub(crate) fn pass_over(&self, fe: &Address) {
        SHUNNED.add(fe);
    }

    fn order(&self, wanted: Option<&Address>) -> Vec<Address> {
        let mut order = self.cluster.fenodes.clone();
        let start = (random() * order.len() as f64) as usize;
        let last = order.len().saturating_sub(1);
        order.rotate_left(start.min(last));
        order.sort_by_key(|fe| Some(fe) != wanted);
        // Of those that failed the one whose failure is oldest.
        order.sort_by_key(|fe| SHUNNED.since(fe));
        order
    }
}

fn all_failed(what: &str, causes: &[(Address, Error)]) -> Error {
    let list: Vec<String> = causes.iter().map(|(fe, e)| format!("{fe}: {e}")).collect();
    let kind = match causes {
        [(_, first), rest @ ..] if rest.iter().all(|(_, e)| e.kind() == first.kind()) => first.kind(),
        _ => ErrorKind::Connect,
    };
    let error = Error::new(
        kind,
        format!("{what} failed on every front end of fenodes: {}", list.join("; ")),
    );
    // An unknown name does not appear within a moment.
    error.retryable_if(causes.iter().any(|(_, e)| e.is_retryable()))
}
