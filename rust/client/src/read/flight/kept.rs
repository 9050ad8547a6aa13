//! Statements whose answers the front end keeps, and what they show of its waits.

use std::time::Duration;

use arrow::array::RecordBatch;

use super::session::{Refused, Session};
use super::{status, text_cell};
use crate::read::config::ReadConfig;

/// How long a server lets a changelog query wait where it does not report that.
const ASSUMED_CHANGE_WAIT: Duration = Duration::from_secs(60);

/// What an answer may take beyond the server's own wait.
const CHANGE_MARGIN: Duration = Duration::from_secs(30);

impl Session {
    /// How long an answer to a changelog query may take: the server's own wait for transactions and a margin, or
    /// `doris.request.query.timeout` where that is longer.
    pub(super) async fn change_limit(&mut self, config: &ReadConfig) -> Result<Duration, Refused> {
        let wait = match self.change_wait {
            Some(wait) => wait,
            None => {
                let wait = self
                    .read_change_wait(config)
                    .await?
                    .unwrap_or(ASSUMED_CHANGE_WAIT);
                *self.change_wait.insert(wait)
            }
        };
        Ok(config.query_timeout.max(wait.saturating_add(CHANGE_MARGIN)))
    }

    /// `None` where the server does not know the variable, or shows it in another form.
    async fn read_change_wait(&mut self, config: &ReadConfig) -> Result<Option<Duration>, Refused> {
        let shown = self
            .kept("SHOW VARIABLES LIKE 'change_visible_timeout_ms'", config)
            .await;
        let batches = match shown {
            Ok(batches) => batches,
            Err(Refused::Other(error)) if !error.is_retryable() => {
                tracing::debug!(%error, "the server's wait for transactions is not known");
                return Ok(None);
            }
            Err(refused) => return Err(refused),
        };
        let millis = batches
            .iter()
            .filter(|batch| batch.num_columns() > 1)
            .filter_map(|batch| (0..batch.num_rows()).find_map(|row| text_cell(batch, 1, row)))
            .find_map(|text| text.trim().parse::<u64>().ok());
        Ok(millis.map(|millis| Duration::from_millis(millis.min(86_400_000))))
    }

    /// The rows of a statement whose answer the front end keeps, as `SHOW` has it: texts throughout.
    pub(super) async fn kept(&mut self, sql: &str, config: &ReadConfig) -> Result<Vec<RecordBatch>, Refused> {
        let info = self.execute(sql, config.query_timeout).await?;
        let mut rows = Vec::new();
        for endpoint in info.endpoint {
            let fetched = async {
                let stream = self
                    .stream(endpoint.ticket.unwrap_or_default(), config.cluster.read_timeout)
                    .await?;
                stream.whole(&mut None).await
            };
            let batches = match tokio::time::timeout(config.cluster.read_timeout, fetched).await {
                Ok(batches) => batches.map_err(Refused::Other)?,
                Err(_) => {
                    let what = format!("the answer of {} to a SHOW", self.node);
                    let limit = config.cluster.read_timeout;
                    return Err(Refused::Other(status::timeout(
                        &what,
                        limit,
                        "doris.request.read.timeout",
                    )));
                }
            };
            rows.extend(batches);
        }
        Ok(rows)
    }
}
