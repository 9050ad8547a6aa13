//! Rows that were left out: how many, and the first of them with their reasons.

/// Reasons that are kept; a last line notes that there were more.
const SHOWN: usize = 50;
/// A row is shown up to this many bytes.
const ROW_BYTES: usize = 4096;

/// The error log of one load.
#[derive(Debug, Default)]
pub(super) struct ErrorLog {
    lines: Vec<String>,
    filtered: u64,
    ended: Option<&'static str>,
}

impl ErrorLog {
    /// Counts a row out. `row` is its text as it came.
    pub(super) fn filter(&mut self, reason: &str, row: &str) {
        self.filtered += 1;
        match self.lines.len() {
            n if n < SHOWN => self
                .lines
                .push(format!("Reason: {reason}. src line [{}]; ", shortened(row))),
            SHOWN => self.lines.push(format!(
                "TOO MUCH ERROR! already reach {SHOWN}. show no more next error."
            )),
            _ => {}
        }
    }

    /// Counts a row out that no load goes on after, however many may be filtered.
    pub(super) fn end(&mut self, reason: &'static str, row: &str) {
        self.filter(reason, row);
        self.ended.get_or_insert(reason);
    }

    /// Why the load fails whatever its share of filtered rows is.
    pub(super) fn ended(&self) -> Option<&'static str> {
        self.ended
    }

    /// Rows counted out.
    pub(super) fn filtered(&self) -> u64 {
        self.filtered
    }

    /// The lines of the log.
    pub(super) fn into_lines(self) -> Vec<String> {
        self.lines
    }
}

fn shortened(row: &str) -> &str {
    let mut end = row.len().min(ROW_BYTES);
    while !row.is_char_boundary(end) {
        end -= 1;
    }
    &row[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_capped_and_the_count_is_not() {
        let mut log = ErrorLog::default();
        for row in 0..70 {
            log.filter("bad", &row.to_string());
        }
        assert_eq!(log.filtered(), 70);
        let lines = log.into_lines();
        assert_eq!(lines.len(), 51);
        assert_eq!(lines[49], "Reason: bad. src line [49]; ");
        assert_eq!(
            lines[50],
            "TOO MUCH ERROR! already reach 50. show no more next error."
        );
    }
}
