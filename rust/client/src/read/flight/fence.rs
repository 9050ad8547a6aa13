//! The fence before a snapshot: a plain query sees what its front end has seen, which may lack commits that are older
//! than the query. A changelog query waits for these, so one is sent ahead over every new connection.

use std::time::Duration;

use super::session::{Refused, SessionZone};
use super::{Flight, SET_UP_CLOSE_LIMIT, is_unknown, open};
use crate::error::{Error, ErrorKind};
use crate::read::config::ReadConfig;
use crate::read::window::sql::{self, Hidden};
use crate::read::window::utc_text;
use crate::read::window::visible_wait::VisibleWait;

/// How long the row of a fence is waited for.
const FETCH_LIMIT: Duration = Duration::from_secs(5);

/// What has to be visible at a front end before its rows are read: everything that was committed before an instant.
pub(crate) struct Fence {
    /// Milliseconds since 1970.
    millis: i64,
    /// By each family of names, since a server that ignores `@incr` would answer at once.
    queries: [(Hidden, String); 2],
    what: String,
    wait: VisibleWait,
}

impl Fence {
    /// `millis` since 1970, whole seconds.
    pub(crate) fn new(config: &ReadConfig, millis: i64, wait: VisibleWait) -> Result<Self, Error> {
        let texts = millis
            .checked_sub(1000)
            .and_then(|start| Some((utc_text(start)?, utc_text(millis)?)));
        let (start, end) = texts.ok_or_else(|| {
            let message = format!("a snapshot cannot begin at {millis} ms since 1970: no whole second");
            Error::new(ErrorKind::Config, message)
        })?;
        Ok(Self {
            millis,
            queries: Hidden::families().map(|hidden| {
                let query = sql::fence(&config.table, &start, &end, &hidden);
                (hidden, query)
            }),
            what: format!(
                "making sure that the snapshot of {} holds all that was committed before {end} UTC",
                config.table
            ),
            wait,
        })
    }
}

impl Flight {
    /// From now on every query is preceded by this fence, once per connection.
    pub(crate) fn require(&mut self, fence: Fence) {
        if self
            .fence
            .as_ref()
            .is_none_or(|known| known.millis < fence.millis)
        {
            self.fence = Some(fence);
        }
    }

    /// Passes the fence with the present session's connection, unless that has passed it; waits as a window does.
    pub(super) async fn pass_fence(&mut self) -> Result<(), Refused> {
        loop {
            let Some(Fence { millis, .. }) = self.fence else {
                return Ok(());
            };
            if self
                .session
                .as_ref()
                .is_some_and(|s| s.fenced.is_some_and(|passed| passed >= millis))
            {
                return Ok(());
            }
            let refused = match self.ask_fence().await {
                Ok(unknown) if !unknown.is_empty() => {
                    self.end_fence().await;
                    return Err(Refused::Other(self.no_fence(&unknown)));
                }
                Ok(_) => {
                    if let Some(fence) = &mut self.fence {
                        fence.wait.answered();
                    }
                    if let Some(session) = &mut self.session {
                        session.fenced = Some(millis);
                    }
                    None
                }
                Err(refused) => Some(refused),
            };
            let waits =
                matches!(&refused, Some(Refused::Other(error)) if error.kind() == ErrorKind::VisibleWait);
            if !waits {
                self.end_fence().await;
            }
            let (Some(refused), Some(fence)) = (refused, &mut self.fence) else {
                continue;
            };
            match refused {
                Refused::Other(error) if waits => match fence.wait.refused() {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => {
                        let error = fence.wait.ran_out(&fence.what, error);
                        fence.wait.answered();
                        // It belongs to this connection, and the next attempt may come over another one.
                        self.end_fence().await;
                        return Err(Refused::Other(error));
                    }
                },
                Refused::Other(error) => {
                    return Err(Refused::Other(error.caused(format!("{} failed", fence.what))));
                }
                refused => return Err(refused),
            }
        }
    }

    /// The error for a front end that would pass any fence.
    fn no_fence(&mut self, refusals: &[Error]) -> Error {
        let config = self.config.clone();
        let error = self.without_changes(&config.table, refusals);
        let what = self
            .fence
            .as_ref()
            .map_or("the fence", |fence| fence.what.as_str());
        error.caused(format!("{what} failed"))
    }

    async fn end_fence(&mut self) {
        if let Some(session) = self.fence_session.take() {
            self.closing.begin(session, SET_UP_CLOSE_LIMIT);
            self.closing.settle().await;
        }
    }

    /// Sends the query of the fence. Gives the refusals of a server that knows the hidden columns by no name; none
    /// when it was answered.
    async fn ask_fence(&mut self) -> Result<Vec<Error>, Refused> {
        let mut unknown = Vec::new();
        let (Some(session), Some(fence)) = (&self.session, &self.fence) else {
            return Ok(unknown);
        };
        let side = match &mut self.fence_session {
            Some(side) => side,
            none => {
                let login = session.sibling(&self.config);
                let side = self.fence_opening.wait(login).await.map_err(Refused::Other)?;
                // Kept before it is set up, so that a close finds it whenever this is cut short.
                let side = none.insert(side);
                side.set_variables(&self.config, SessionZone::Utc).await?;
                side
            }
        };
        let limit = side.change_limit(&self.config).await?;
        let mut answered = None;
        for (hidden, query) in &fence.queries {
            match side.execute(query, limit).await {
                Ok(info) => {
                    answered = Some(info);
                    break;
                }
                Err(Refused::Other(error)) if is_unknown(&error, hidden) => unknown.push(error),
                Err(refused) => return Err(refused),
            }
        }
        let Some(info) = answered else {
            return Ok(unknown);
        };
        // What counts is that the query was planned; its row is fetched so that the server need not keep it.
        for endpoint in &info.endpoint {
            let drained = async {
                let stream = open(&self.config, Some(&mut *side), &mut self.backends, endpoint).await?;
                stream.whole(&mut None).await
            };
            match tokio::time::timeout(FETCH_LIMIT, drained).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => tracing::debug!(%error, "the answer to the fence was not fetched"),
                Err(_) => tracing::debug!("the answer to the fence did not come in time"),
            }
        }
        Ok(Vec::new())
    }
}
