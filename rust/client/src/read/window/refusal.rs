//! What a server's refusal of a changelog query means: a wait that may be repeated, changes that have expired, or
//! neither.
//!
//! Texts and codes are those of the Doris manual, Incremental Query. A cluster sends the code in metadata, or the
//! name of the error in its text, or nothing but a text; older servers write "binlog" where newer ones write
//! "changelog".

use crate::error::ErrorKind;

/// A window waited for transactions that touch its table.
const WAIT_CODE: &str = "5101";
const WAIT_NAME: &str = "ERR_INCR_VISIBLE_WAIT_TIMEOUT";
/// The end of a window is not there yet.
const NOT_READY_CODE: &str = "5100";
const NOT_READY_NAME: &str = "ERR_INCR_WINDOW_NOT_READY";

/// Texts of servers without codes when the wait ran out.
const WAIT_TEXTS: [&str; 4] = [
    "timeout waiting previous transactions finish for time-based read",
    "timeout waiting transaction become visible for time-based read",
    "timeout synchronizing visible versions",
    "timeout waiting follower journal replay",
];

/// `Changelog offset has expired according to changelog.ttl_seconds`, of older servers
/// `Row binlog offset has expired according to binlog.ttl_seconds`.
const EXPIRED_TEXT: &str = "offset has expired according to";

/// The end of a window lies in the future, by servers without codes.
const FUTURE_TEXT: &str = "endTimestamp exceeds the maximum supported time";

/// The kind of a refusal by the code, the name and the text that came with it, each as the server gave it; `None` for
/// what has nothing to do with changes. A code outweighs a name, and that a text.
///
/// [`ErrorKind::VisibleWait`] alone may be repeated; [`ErrorKind::Query`] is an end in the future, which fails at
/// once.
pub(crate) fn kind(code: Option<&str>, name: Option<&str>, text: &str) -> Option<ErrorKind> {
    if let Some(code) = code.map(str::trim) {
        match code {
            WAIT_CODE => return Some(ErrorKind::VisibleWait),
            NOT_READY_CODE => return Some(ErrorKind::Query),
            _ => {}
        }
    }
    if let Some(name) = name.map(str::trim) {
        match name {
            WAIT_NAME => return Some(ErrorKind::VisibleWait),
            NOT_READY_NAME => return Some(ErrorKind::Query),
            _ => {}
        }
    }
    if text.contains(EXPIRED_TEXT) {
        return Some(ErrorKind::Expired);
    }
    // One of them quotes no other, so the first that is there counts.
    let coded = |code: &str| text.contains(&format!("error code: {code}"));
    if text.contains(NOT_READY_NAME) || coded(NOT_READY_CODE) || text.contains(FUTURE_TEXT) {
        return Some(ErrorKind::Query);
    }
    let waited =
        text.contains(WAIT_NAME) || coded(WAIT_CODE) || WAIT_TEXTS.iter().any(|told| text.contains(told));
    waited.then_some(ErrorKind::VisibleWait)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPED: &str = "reason=VISIBLE_WAIT_TIMEOUT, requestedEndTimestampMs=1791540010000, currentTSO=469641464381440000, \
        currentTSOPhysicalTimeMs=1791540010000, committedTSO=0, committedTSOPhysicalTimeMs=0, retryAfterMs=1000, timeoutMs=60000";

    #[test]
    fn a_wait_is_known_by_code_name_and_texts() {
        let wait = Some(ErrorKind::VisibleWait);
        assert_eq!(kind(Some("5101"), Some(WAIT_NAME), TYPED), wait);
        assert_eq!(kind(Some(" 5101 "), None, ""), wait);
        assert_eq!(kind(None, Some(WAIT_NAME), ""), wait);
        for text in [
            format!("get flight info statement failed, errCode = 2, detailMessage = {WAIT_NAME}: {TYPED}"),
            "get flight info statement failed, x, error code: 5101, error msg: y".to_owned(),
            format!("get flight info statement failed, x, error code: {WAIT_NAME}, error msg: y"),
            "errCode = 2, detailMessage = timeout waiting previous transactions finish for time-based read, \
             txnIdWatermark=7 dbId=1 tableIds=[2]"
                .to_owned(),
            "timeout waiting transaction become visible for time-based read, txnId=7 dbId=1 tableId=2 endTSO=3".to_owned(),
            "acquire time-based read fence from master FE failed: timeout synchronizing visible versions of 2".to_owned(),
            "timeout waiting follower journal replay to 12".to_owned(),
        ] {
            assert_eq!(kind(None, None, &text), wait, "{text}");
        }
    }

    #[test]
    fn an_end_in_the_future_is_no_wait() {
        let query = Some(ErrorKind::Query);
        let not_ready = format!("{NOT_READY_NAME}: {TYPED}");
        assert_eq!(kind(Some("5100"), Some(NOT_READY_NAME), &not_ready), query);
        // A follower may pass a master's error on under the other code; the code counts.
        assert_eq!(
            kind(Some("5100"), Some(WAIT_NAME), &format!("{WAIT_NAME}: {TYPED}")),
            query
        );
        assert_eq!(kind(None, None, &not_ready), query);
        assert_eq!(kind(None, None, "x, error code: 5100, error msg: y"), query);
        let future = "endTimestamp exceeds the maximum supported time for an INCR read: requestedEndTimestampMs=2, \
                      CURRENT_TSO_PHYSICAL_TIME=1";
        assert_eq!(kind(None, None, future), query);
    }

    #[test]
    fn expiry_is_known_by_both_spellings() {
        for text in [
            "errCode = 2, detailMessage = Changelog offset has expired according to changelog.ttl_seconds",
            "errCode = 2, detailMessage = Row binlog offset has expired according to binlog.ttl_seconds",
        ] {
            assert_eq!(kind(None, None, text), Some(ErrorKind::Expired));
        }
    }

    #[test]
    fn all_else_is_something_else() {
        for text in [
            "another command of this Arrow Flight SQL session is still running after 5 seconds, connection id: 7",
            "TSO timestamp is not calibrated, please check",
            "INCR query requires ROW binlog enabled on base table.",
            "Unknown column '__DORIS_BINLOG_TSO__' in 'table list'",
            "",
        ] {
            assert_eq!(kind(None, None, text), None, "{text}");
        }
        assert_eq!(kind(Some("1105"), Some("ERR_UNKNOWN_ERROR"), "busy"), None);
    }
}
