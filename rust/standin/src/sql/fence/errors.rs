//! Refusals of changelog queries whose window cannot be read yet, in the forms of the server generations.

use super::Window;
use crate::cluster::clock::Tso;
use crate::error::SqlError;
use crate::profile::changelog::ChangelogErrors;

/// Code and name of a window that is not ready; it is not worth waiting at the server.
const NOT_READY: (u16, &str) = (5100, "ERR_INCR_WINDOW_NOT_READY");

/// Code and name of a wait that ran out.
const WAITED: (u16, &str) = (5101, "ERR_INCR_VISIBLE_WAIT_TIMEOUT");

/// Milliseconds that a typed refusal of a wait requests as pause before the next attempt.
const RETRY_AFTER_MS: i64 = 1000;

/// Why a window is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It ends after the present.
    Future,
    /// The master does not know yet what was committed before it took over.
    Recovering,
    /// The server cannot say more; of earlier servers.
    NotReady,
    /// A transaction is not finished.
    Unfinished {
        /// Its number.
        id: i64,
        /// The newest number when the wait began.
        watermark: i64,
    },
    /// The follower has not seen enough yet.
    Behind {
        /// The newest number when the wait began.
        watermark: i64,
    },
}

impl Refusal {
    /// The refusal that a fault rule names by its typed reason.
    pub(super) fn of_reason(reason: &str, watermark: i64) -> Option<Self> {
        Some(match reason {
            "END_AFTER_CURRENT_TSO" => Self::Future,
            "TSO_RECOVERING" => Self::Recovering,
            "WINDOW_NOT_READY" => Self::NotReady,
            "VISIBLE_WAIT_TIMEOUT" => Self::Unfinished {
                id: watermark,
                watermark,
            },
            _ => return None,
        })
    }

    /// The error of this refusal.
    pub(super) fn error(self, window: &Window<'_>) -> SqlError {
        // Servers with typed errors have them for windows with an end only.
        match window.end_ms {
            Some(end_ms) if window.form == ChangelogErrors::Typed => self.typed(window, end_ms),
            _ => self.classic(window),
        }
    }

    fn typed(self, window: &Window<'_>, end_ms: i64) -> SqlError {
        let current = window.clock.current();
        let ahead = end_ms.saturating_sub_unsigned(current.physical_ms());
        let ((code, name), reason, retry_after) = match self {
            Self::Future => (NOT_READY, "END_AFTER_CURRENT_TSO", ahead.max(0)),
            Self::Recovering => (NOT_READY, "TSO_RECOVERING", RETRY_AFTER_MS),
            Self::NotReady => (NOT_READY, "WINDOW_NOT_READY", RETRY_AFTER_MS),
            Self::Unfinished { .. } | Self::Behind { .. } => (WAITED, "VISIBLE_WAIT_TIMEOUT", RETRY_AFTER_MS),
        };
        let committed = Tso {
            stamp: window.committed,
        };
        let text = format!(
            "{name}: reason={reason}, requestedEndTimestampMs={end_ms}, currentTSO={}, currentTSOPhysicalTimeMs={}, \
             committedTSO={}, committedTSOPhysicalTimeMs={}, retryAfterMs={retry_after}, timeoutMs={}",
            current.stamp,
            current.physical_ms(),
            committed.stamp,
            committed.physical_ms(),
            window.timeout.as_millis(),
        );
        SqlError {
            code,
            ..SqlError::plain(text)
        }
    }

    fn classic(self, window: &Window<'_>) -> SqlError {
        let Window {
            database_id,
            table_id,
            ..
        } = window;
        let text = match self {
            Self::Future => format!(
                "endTimestamp exceeds the maximum supported time for an INCR read: requestedEndTimestampMs={}, \
                 CURRENT_TSO_PHYSICAL_TIME={}",
                window.end_ms.unwrap_or_default(),
                window.clock.current().physical_ms()
            ),
            Self::Recovering | Self::NotReady => "TSO timestamp is not calibrated, please check".to_owned(),
            Self::Unfinished { id, watermark } => match window.form {
                ChangelogErrors::ClassicOld => format!(
                    "timeout waiting transaction become visible for time-based read, txnId={id} dbId={database_id} \
                     tableId={table_id} endTSO={}",
                    window.end
                ),
                ChangelogErrors::Classic | ChangelogErrors::Typed => format!(
                    "timeout waiting previous transactions finish for time-based read, txnIdWatermark={watermark} \
                     dbId={database_id} tableIds=[{table_id}]"
                ),
            },
            Self::Behind { watermark } => {
                format!(
                    "timeout waiting follower journal replay for time-based read, maxJournalId={watermark}"
                )
            }
        };
        let from_master = !matches!(self, Self::Behind { .. });
        if window.follower && from_master {
            return SqlError::plain(format!(
                "acquire time-based read fence from master FE failed: {text}"
            ));
        }
        SqlError::plain(text)
    }
}
