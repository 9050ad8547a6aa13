//! The columns of a table against the columns that a user declared: all differences at once, and the way to each
//! wanted column.

use crate::types::{DorisType, FlinkField, FlinkType, select_type};

/// A column as the server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DorisColumn {
    /// The name as Doris has it.
    pub name: String,
    /// The type.
    pub r#type: DorisType,
    /// Whether it may hold NULL.
    pub nullable: bool,
    /// Whether it is a key column.
    pub key: bool,
}

/// A wanted column, found in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path with the names as Doris has them.
    pub path: Vec<String>,
    /// The type in the table.
    pub r#type: DorisType,
    /// The type that the `SELECT` must deliver; other than `type` where the server has to cast.
    pub delivered: DorisType,
}

/// Compares what is declared with what the table has. Names match exactly or else in any case, as in Doris; those
/// found only in another case are listed in `notes`. The result lists every difference; empty means that all fits.
pub fn differences(declared: &[FlinkField], table: &[DorisColumn], notes: &mut Vec<String>) -> Vec<String> {
    let mut differences = Vec::new();
    for field in declared {
        let Some(column) = find(table, &field.name) else {
            differences.push(missing(&field.name, table.iter().map(|c| c.name.as_str())));
            continue;
        };
        if column.name != field.name {
            notes.push(format!(
                "column '{}' is spelled '{}' in Doris",
                field.name, column.name
            ));
        }
        if let Err(allowed) = select_type(&column.r#type, &field.r#type) {
            differences.push(mismatch(&field.name, &column.r#type, &field.r#type, &allowed));
        }
    }
    differences
}

/// Finds a wanted column by its path; the error is one difference as [`differences`] words it.
pub fn find_path(path: &[String], wanted: &FlinkType, table: &[DorisColumn]) -> Result<Found, String> {
    let label = path.join(".");
    let Some((first, inner)) = path.split_first() else {
        return Err("a column path is empty".to_owned());
    };
    let column = find(table, first).ok_or_else(|| missing(first, table.iter().map(|c| c.name.as_str())))?;
    let mut found = vec![column.name.clone()];
    let mut r#type = &column.r#type;
    for name in inner {
        let DorisType::Struct(fields) = r#type else {
            return Err(format!(
                "column '{label}': {} is {} in Doris and has no fields",
                found.join("."),
                r#type
            ));
        };
        let field = fields
            .iter()
            .find(|f| f.name == *name)
            .or_else(|| fields.iter().find(|f| f.name.eq_ignore_ascii_case(name)))
            .ok_or_else(|| missing(&label, fields.iter().map(|f| f.name.as_str())))?;
        found.push(field.name.clone());
        r#type = &field.r#type;
    }
    let delivered =
        select_type(r#type, wanted).map_err(|allowed| mismatch(&label, r#type, wanted, &allowed))?;
    Ok(Found {
        path: found,
        r#type: r#type.clone(),
        delivered,
    })
}

/// The candidate that is most like `name`, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    candidates
        .map(|candidate| (distance(&wanted, &candidate.to_lowercase()), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= wanted.chars().count().div_ceil(3).max(1))
        .map(|(_, candidate)| candidate)
}

fn find<'a>(table: &'a [DorisColumn], name: &str) -> Option<&'a DorisColumn> {
    table
        .iter()
        .find(|c| c.name == name)
        .or_else(|| table.iter().find(|c| c.name.eq_ignore_ascii_case(name)))
}

fn missing<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> String {
    let hint = match nearest(name, candidates.clone()) {
        Some(near) => format!("did you mean '{near}'?"),
        None => {
            let names: Vec<&str> = candidates.take(20).collect();
            format!("it has {}", names.join(", "))
        }
    };
    format!("column '{name}' does not exist in the table; {hint}")
}

fn mismatch(label: &str, doris: &DorisType, declared: &FlinkType, allowed: &str) -> String {
    format!("column '{label}' is {doris} in Doris but declared {declared}; allowed: {allowed}")
}

fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let next = (row[j] + 1)
                .min(row[j + 1] + 1)
                .min(diagonal + usize::from(from != *to));
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::FlinkKind;

    fn column(name: &str, text: &str) -> DorisColumn {
        DorisColumn {
            name: name.into(),
            r#type: DorisType::parse(text).unwrap(),
            nullable: true,
            key: false,
        }
    }

    #[test]
    fn all_differences_in_one_list() {
        let table = [
            column("id", "int"),
            column("Name", "varchar(50)"),
            column("amount", "decimal(10,2)"),
        ];
        let FlinkKind::Row(declared) =
            FlinkType::parse("ROW<`id` STRING, `name` STRING, `amonut` DECIMAL(10, 2), `zzzzzz` INT>")
                .unwrap()
                .kind
        else {
            panic!("a row")
        };
        let mut notes = Vec::new();
        let found = differences(&declared, &table, &mut notes);
        assert_eq!(
            found,
            [
                "column 'id' is INT in Doris but declared STRING; allowed: INT or BIGINT",
                "column 'amonut' does not exist in the table; did you mean 'amount'?",
                "column 'zzzzzz' does not exist in the table; it has id, Name, amount",
            ]
        );
        assert_eq!(notes, ["column 'name' is spelled 'Name' in Doris"]);
    }

    #[test]
    fn paths_into_structs() {
        let table = [column("s", "struct<A:struct<b:datetime(3)>,c:int>")];
        let path = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let wanted = FlinkType::parse("STRING").unwrap();
        let found = find_path(&path(&["s", "a", "b"]), &wanted, &table).unwrap();
        assert_eq!(found.path, path(&["s", "A", "b"]));
        assert_eq!(found.delivered, DorisType::String);
        assert!(
            find_path(&path(&["s", "c", "b"]), &wanted, &table)
                .unwrap_err()
                .contains("has no fields")
        );
        assert!(
            find_path(&path(&["s", "x"]), &wanted, &table)
                .unwrap_err()
                .contains("'s.x' does not exist")
        );
    }
}
