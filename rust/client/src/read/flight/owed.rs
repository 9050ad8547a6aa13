//! Sessions that are being opened or closed. Each is a task of its own: a future that is dropped in between, as a
//! cancelled read drops its own, would leave an unknown session on the server.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::session::Session;
use crate::error::{Error, ErrorKind};

/// How long an abandoned login may still take; after that its call is dropped.
const LATE_LIMIT: Duration = Duration::from_millis(300);

/// A login under way, if there is one.
#[derive(Default)]
pub(super) struct Opening(Option<JoinHandle<Result<Session, Error>>>);

impl Opening {
    /// Begins a login, or continues the one that a dropped future has left, and waits for it.
    pub(super) async fn wait(
        &mut self,
        login: impl Future<Output = Result<Session, Error>> + Send + 'static,
    ) -> Result<Session, Error> {
        let opened = self.0.get_or_insert_with(|| tokio::spawn(login)).await;
        self.0 = None;
        opened.unwrap_or_else(|error| {
            let message = format!("the login ended unexpectedly: {error}");
            Err(Error::new(ErrorKind::Internal, message))
        })
    }

    /// The session of an abandoned login, if it comes soon.
    pub(super) async fn take(&mut self, limit: Duration) -> Option<Session> {
        let mut task = self.0.take()?;
        match timeout(limit.min(LATE_LIMIT), &mut task).await {
            Ok(opened) => opened.ok()?.ok(),
            Err(_) => {
                task.abort();
                None
            }
        }
    }
}

/// Sessions that are being closed.
#[derive(Default)]
pub(super) struct Closing(Vec<JoinHandle<()>>);

impl Closing {
    /// Begins to close a session, which takes `limit` at most.
    pub(super) fn begin(&mut self, session: Session, limit: Duration) {
        self.0.push(tokio::spawn(session.close(limit)));
    }

    /// Waits until all are closed, also those that dropped futures have left.
    pub(super) async fn settle(&mut self) {
        while let Some(task) = self.0.last_mut() {
            if let Err(error) = task.await {
                tracing::debug!(%error, "closing a session ended unexpectedly");
            }
            self.0.pop();
        }
    }
}
