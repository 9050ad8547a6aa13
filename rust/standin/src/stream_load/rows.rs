//! Rows of a block of text, column by column, as they were found in the body.

use crate::values::Cell;

/// Rows found in one block. All columns have one cell for each row.
pub(super) struct TextRows<'a> {
    /// Cells of each source column.
    pub columns: Vec<Vec<Cell<'a>>>,
    /// Rows that lack the source column altogether, in rising order; their cells are NULL.
    pub absent: Vec<Vec<u32>>,
    /// The rows as they came.
    pub lines: Vec<&'a str>,
}

impl<'a> TextRows<'a> {
    /// No rows of so many columns.
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns: (0..columns).map(|_| Vec::new()).collect(),
            absent: vec![Vec::new(); columns],
            lines: Vec::new(),
        }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Drops the cells of a row that was begun after [`Self::len`] rows.
    pub(super) fn abandon(&mut self) {
        let rows = self.lines.len();
        for column in &mut self.columns {
            column.truncate(rows);
        }
        for absent in &mut self.absent {
            while absent.last().is_some_and(|row| *row as usize >= rows) {
                absent.pop();
            }
        }
    }

    /// Ends a row: source columns without a cell for it lack it. False, and no row, when all of them do.
    pub(super) fn finish(&mut self, line: &'a str) -> bool {
        let rows = self.lines.len();
        if self.columns.iter().all(|column| column.len() == rows) {
            return false;
        }
        for (column, absent) in self.columns.iter_mut().zip(&mut self.absent) {
            if column.len() == rows {
                column.push(Cell::Null);
                absent.push(rows as u32);
            }
        }
        self.lines.push(line);
        true
    }
}
