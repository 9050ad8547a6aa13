//! What servers say when they refuse, whichever channel it came by: a login or privilege, a database or table that is
//! not there. Codes tell little: Doris gives most errors the number 1105 over MySQL and INTERNAL over Flight.

/// What is not there, or may not be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    Database,
    Table,
}

/// Whether a server's text means that login or privileges are at fault.
pub(crate) fn denied(text: &str) -> bool {
    const TEXTS: [&str; 4] = [
        "access denied",
        "permission denied: user",
        "does not have privilege for",
        // `LOAD command denied to user …`, `SHOW CREATE TABLE command denied to user …`
        "command denied to user",
    ];
    let text = text.to_ascii_lowercase();
    TEXTS.iter().any(|part| text.contains(part))
}

/// What a user can do about a refused login or privilege: the privilege by name where the server reports it.
pub(crate) fn remedy(text: &str, user: &str) -> String {
    match privilege(text) {
        Some(name) => format!("GRANT {name} ON database.table TO '{user}' gives it"),
        None => "check username, password and privileges".to_owned(),
    }
}

/// The privilege that a refusal names, as `GRANT` calls it.
fn privilege(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase();
    let asks = |name: &str| {
        text.contains(&format!("{name}_priv"))
            || text.contains(&format!("{name} command denied"))
            || text.contains(&format!("{name} privilege"))
            || text.contains(&format!("the ({name}"))
    };
    // Lists of privileges hold ADMIN besides the one that is meant.
    if asks("select") || text.contains("show create table command denied") {
        Some("SELECT_PRIV")
    } else if asks("load") || text.contains("insert command denied") {
        Some("LOAD_PRIV")
    } else {
        None
    }
}

/// What is missing by a server's text; `None` where it is about something else.
pub(crate) fn absent(text: &str) -> Option<Absent> {
    let text = text.to_ascii_lowercase();
    // `Table [x] does not exist in database [db]` names both, so a name must stand before the verb.
    if text.contains("unknown database") || named(&text, "database") {
        return Some(Absent::Database);
    }
    let table = text.contains("unknown table")
        || text.contains("table not found")
        || text.contains("table does not exist")
        || named(&text, "table");
    table.then_some(Absent::Table)
}

/// Whether `noun [name] does not exist` is in the text, with any quotes around the name.
fn named(text: &str, noun: &str) -> bool {
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once(noun) {
        let behind_noun = behind.trim_start();
        let close = match behind_noun.chars().next() {
            Some('[') => ']',
            Some('\'') => '\'',
            Some('`') => '`',
            _ => {
                rest = behind;
                continue;
            }
        };
        let name = behind_noun[1..].split_once(close);
        if name.is_some_and(|(_, verb)| {
            let verb = verb.trim_start();
            verb.starts_with("does not exist") || verb.starts_with("doesn't exist")
        }) {
            return true;
        }
        rest = behind;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const SELECT: &str = "errCode = 2, detailMessage = Permission denied: user ['u1'@'%'] does not have privilege for \
        [Privilege names: [Select_priv,Admin_priv]] command on [internal].[db].[t]";

    #[test]
    fn a_missing_privilege_is_known_in_every_wording_and_named() {
        for (text, named) in [
            (SELECT, Some("SELECT_PRIV")),
            (
                "LOAD command denied to user 'u1'@'127.0.0.1' for table 'db: t'",
                Some("LOAD_PRIV"),
            ),
            (
                "SHOW CREATE TABLE command denied to user 'u1'@'127.0.0.1' for table 'db: t'",
                Some("SELECT_PRIV"),
            ),
            (
                "SELECT command denied to user 'u1'@'h' for table 'internal: db: t'",
                Some("SELECT_PRIV"),
            ),
            (
                "Access denied; you need (at least one of) the LOAD privilege(s) for this operation",
                Some("LOAD_PRIV"),
            ),
            (
                "Access denied; you need (at least one of) the (SELECT) privilege(s) for this operation",
                Some("SELECT_PRIV"),
            ),
            (
                "Access denied for user 'root@127.0.0.1' (using password: YES)",
                None,
            ),
            ("Access denied for default_cluster:root@10.0.0.1", None),
        ] {
            assert!(denied(text), "{text}");
            assert_eq!(privilege(text), named, "{text}");
            let told = remedy(text, "u1");
            match named {
                Some(name) => assert!(told.contains(name) && told.contains("'u1'"), "{told}"),
                None => assert!(told.contains("username, password"), "{told}"),
            }
        }
        for text in [
            "open file failed: /data/x: Permission denied",
            "Unknown column 'access' in 'table list'",
            "unknown databases, dbName=db",
        ] {
            assert!(!denied(text), "{text}");
        }
    }

    #[test]
    fn a_missing_database_is_told_from_a_missing_table() {
        for (text, missing) in [
            ("Table [x] does not exist in database [db]", Some(Absent::Table)),
            (
                "Table [database] does not exist in database [db].",
                Some(Absent::Table),
            ),
            ("Database [nodb] does not exist.", Some(Absent::Database)),
            ("Database [table] does not exist.", Some(Absent::Database)),
            ("Unknown database 'nodb'", Some(Absent::Database)),
            (
                "errCode = 7, detailMessage = unknown databases, dbName=nodb",
                Some(Absent::Database),
            ),
            (
                "errCode = 7, detailMessage = table not found, tableName=x",
                Some(Absent::Table),
            ),
            ("Unknown table 'x'", Some(Absent::Table)),
            ("Table 'db.x' doesn't exist", Some(Absent::Table)),
            ("Unknown column 'x' in 'table list'", None),
            ("transaction not found, label=l", None),
            ("tablet 10 does not exist", None),
            ("Can not found function 'f'", None),
        ] {
            assert_eq!(absent(text), missing, "{text}");
        }
    }
}
