//! Source values turned into a column's stored form; what the column does not take becomes NULL or filters its row.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::DataType;

use crate::store::schema::Column;
use crate::values::build::too_long;
use crate::values::types::{DorisType, STRING_MAX};
use crate::values::zone::Zone;
use crate::values::{Cell, build_array, cast_array, read_cell};

/// Rows of a block that are left out, with the first reason of each.
pub(super) type BadRows = BTreeMap<usize, String>;

/// How values are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Zone of texts that name none.
    pub zone: Zone,
    /// Values that do not fit filter their row; else they become NULL.
    pub strict: bool,
    /// Texts that are too long for `CHAR(n)` and `VARCHAR(n)` are cut; else they filter their row.
    pub cut: bool,
}

/// Reads the cells of a column. A value that the type does not take is NULL, or, under strict rules and where it is
/// too long, filters its row.
pub(super) fn from_cells(column: &Column, cells: &[Cell<'_>], rules: Rules, bad: &mut BadRows) -> ArrayRef {
    let doris_type = read_type(&column.doris_type);
    let mut refuse = |row: usize, message: &str| {
        if let Cell::Text(text) = &cells[row]
            && let Some(reason) = misfit(column, text, message, rules)
        {
            bad.entry(row).or_insert(reason);
        }
    };
    let mut kept = match &doris_type {
        DorisType::Char(n) | DorisType::Varchar(n) if rules.cut && column.doris_type != DorisType::String => {
            match cut_cells(cells, *n as usize) {
                Some(cut) => Cow::Owned(cut),
                None => Cow::Borrowed(cells),
            }
        }
        DorisType::Float if !rules.strict => Cow::Owned(cells.iter().map(infinite).collect()),
        DorisType::TinyInt
        | DorisType::SmallInt
        | DorisType::Int
        | DorisType::BigInt
        | DorisType::LargeInt
            if rules.strict =>
        {
            let whole = cells.iter().enumerate().map(|(row, cell)| match cell {
                Cell::Text(text) if text.contains('.') => {
                    refuse(row, "");
                    Cell::Null
                }
                cell => cell.clone(),
            });
            Cow::Owned(whole.collect())
        }
        DorisType::Varbinary(_) => Cow::Owned(cells.iter().map(hex_marked).collect()),
        other if !other.is_nested() => Cow::Borrowed(cells),
        _ => {
            let read = cells.iter().enumerate().map(|(row, cell)| match cell {
                Cell::Text(text) => read_cell(&doris_type, text).unwrap_or_else(|message| {
                    refuse(row, &message);
                    Cell::Null
                }),
                _ => Cell::Null,
            });
            Cow::Owned(read.collect())
        }
    };
    if let Ok(array) = build_array(&doris_type, &kept, &rules.zone) {
        return array;
    }
    for (row, cell) in kept.to_mut().iter_mut().enumerate() {
        if let Err(error) = build_array(&doris_type, std::slice::from_ref(cell), &rules.zone) {
            refuse(row, &error.message);
            *cell = Cell::Null;
        }
    }
    build_array(&doris_type, &kept, &rules.zone)
        .unwrap_or_else(|_| arrow_array::new_null_array(&column.doris_type.arrow_type(), cells.len()))
}

/// The cells with their texts cut to so many bytes; `None` when none is longer.
fn cut_cells<'a>(cells: &[Cell<'a>], limit: usize) -> Option<Vec<Cell<'a>>> {
    let long = |cell: &Cell<'_>| matches!(cell, Cell::Text(text) if text.len() > limit);
    cells.iter().any(long).then(|| {
        let cut = cells.iter().map(|cell| match cell {
            Cell::Text(text) if text.len() > limit => Cell::Text(Cow::Owned(cut(text, limit).to_owned())),
            cell => cell.clone(),
        });
        cut.collect()
    })
}

/// At most so many bytes of a text, no character split.
fn cut(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A number that is beyond `FLOAT` and within `DOUBLE` is infinite.
fn infinite<'a>(cell: &Cell<'a>) -> Cell<'a> {
    let beyond = |text: &str| {
        let value: f64 = text.trim().parse().ok()?;
        (value.is_finite() && (value as f32).is_infinite()).then_some(value)
    };
    match cell {
        Cell::Text(text) => match beyond(text) {
            Some(value) if value > 0.0 => Cell::Text("Infinity".into()),
            Some(_) => Cell::Text("-Infinity".into()),
            None => cell.clone(),
        },
        cell => cell.clone(),
    }
}

/// A text for `VARBINARY`: pairs of hex digits are bytes, with and without `0x` before them.
fn hex_marked<'a>(cell: &Cell<'a>) -> Cell<'a> {
    match cell {
        Cell::Text(text) if !text.is_empty() && text.len().is_multiple_of(2) => {
            match text.bytes().all(|b| b.is_ascii_hexdigit()) {
                true => Cell::Text(Cow::Owned(format!("0x{text}"))),
                false => cell.clone(),
            }
        }
        other => other.clone(),
    }
}

/// Casts values of another type; with the same rules as [`from_cells`].
pub(super) fn from_array(
    column: &Column,
    from: &DorisType,
    array: &ArrayRef,
    rules: Rules,
    bad: &mut BadRows,
) -> ArrayRef {
    let to = &column.doris_type;
    if from.is_text() && !to.is_text() && array.data_type() == &DataType::Utf8 {
        let texts = array.as_string::<i32>();
        let cells: Vec<Cell<'_>> = texts
            .iter()
            .map(|text| text.map_or(Cell::Null, |text| Cell::Text(text.into())))
            .collect();
        return from_cells(column, &cells, rules, bad);
    }
    let lengths = length_limit(to);
    let (from, array) = match (array.data_type(), lengths) {
        (DataType::Binary, Some(_)) if to.is_text() => {
            (&DorisType::String, bytes_as_text(column, array, bad))
        }
        _ => (from, Arc::clone(array)),
    };
    // Texts are cast to the longest type first: a cast cuts what a load refuses.
    let wide = match to {
        DorisType::Char(_) | DorisType::Varchar(_) => DorisType::String,
        other => other.clone(),
    };
    let cast = match cast_array(from, &wide, &array, &rules.zone, true) {
        Ok(cast) => cast,
        Err(_) => cast_array(from, &wide, &array, &rules.zone, false)
            .unwrap_or_else(|_| arrow_array::new_null_array(&to.arrow_type(), array.len())),
    };
    if cast.null_count() > array.null_count() {
        for row in (0..cast.len()).filter(|row| cast.is_null(*row) && array.is_valid(*row)) {
            let text = crate::values::text::render(from, &array, row, &rules.zone).unwrap_or_default();
            if let Some(reason) = misfit(column, &text, "", rules) {
                bad.entry(row).or_insert(reason);
            }
        }
    }
    match (to, lengths) {
        (DorisType::Char(n) | DorisType::Varchar(n), _) if rules.cut => {
            let limit = *n as usize;
            let texts = cast.as_string::<i32>();
            if texts.iter().flatten().any(|text| text.len() > limit) {
                let cut: StringArray = texts
                    .iter()
                    .map(|text| text.map(|text| cut(text, limit)))
                    .collect();
                return Arc::new(cut);
            }
        }
        (_, Some(limit)) => check_lengths(column, &cast, limit, bad),
        _ => {}
    }
    cast
}

/// The type that cells are read as: texts without a length have the server's.
fn read_type(doris_type: &DorisType) -> DorisType {
    match doris_type {
        DorisType::String => DorisType::Varchar(STRING_MAX as u32),
        other => other.clone(),
    }
}

fn length_limit(doris_type: &DorisType) -> Option<usize> {
    match doris_type {
        DorisType::Char(n) | DorisType::Varchar(n) | DorisType::Varbinary(n) => Some(*n as usize),
        DorisType::String => Some(STRING_MAX),
        _ => None,
    }
}

fn check_lengths(column: &Column, array: &ArrayRef, limit: usize, bad: &mut BadRows) {
    let mut refuse = |row: usize, text: &str, length: usize| {
        if length > limit {
            bad.entry(row)
                .or_insert_with(|| format!("column_name[{}], {}", column.name, too_long(text, limit as u32)));
        }
    };
    match array.data_type() {
        DataType::Utf8 => {
            let texts: &StringArray = array.as_string();
            for (row, text) in texts.iter().enumerate() {
                text.iter().for_each(|text| refuse(row, text, text.len()));
            }
        }
        DataType::Binary => {
            for (row, bytes) in array.as_binary::<i32>().iter().enumerate() {
                bytes.iter().for_each(|bytes| {
                    if bytes.len() > limit {
                        refuse(row, &String::from_utf8_lossy(bytes), bytes.len());
                    }
                });
            }
        }
        _ => {}
    }
}

/// Bytes into a text column: only UTF-8 can be kept.
fn bytes_as_text(column: &Column, array: &ArrayRef, bad: &mut BadRows) -> ArrayRef {
    let texts: StringArray = array
        .as_binary::<i32>()
        .iter()
        .enumerate()
        .map(|(row, bytes)| {
            let text = std::str::from_utf8(bytes?);
            if text.is_err() {
                bad.entry(row)
                    .or_insert_with(|| format!("column_name[{}], the bytes are no UTF-8", column.name));
            }
            text.ok()
        })
        .collect();
    Arc::new(texts)
}

/// Why a value filters its row; `None` when it becomes NULL.
fn misfit(column: &Column, text: &str, message: &str, rules: Rules) -> Option<String> {
    if length_limit(&column.doris_type).is_some() {
        return Some(format!("column_name[{}], {message}", column.name));
    }
    rules.strict.then(|| {
        format!(
            "column({}) value is incorrect while strict mode is true, src value is {text}",
            column.name
        )
    })
}

/// Why a NULL filters its row.
pub(super) fn null_refused(column: &Column) -> String {
    format!(
        "column({}) values is null while columns is not nullable",
        column.name
    )
}
