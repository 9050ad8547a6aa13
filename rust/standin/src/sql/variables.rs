//! Session variables: `SET` and `@@name`.

use std::collections::BTreeMap;

use datafusion::sql::sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use super::ddl::done;
use super::lexer::Statement;
use crate::error::SqlError;
use crate::sql::engine::{Answer, Engine, Session};
use crate::values::zone::Zone;

/// Variables with their global values, those that depend on the server left out.
const DEFAULTS: [(&str, &str); 46] = [
    ("auto_increment_increment", "1"),
    ("autocommit", "1"),
    ("batch_size", "4064"),
    ("character_set_client", "utf8mb4"),
    ("character_set_connection", "utf8mb4"),
    ("character_set_database", "utf8mb4"),
    ("character_set_results", "utf8mb4"),
    ("character_set_server", "utf8mb4"),
    ("collation_connection", "utf8mb4_0900_bin"),
    ("collation_database", "utf8mb4_0900_bin"),
    ("collation_server", "utf8mb4_0900_bin"),
    ("default_order_by_limit", "-1"),
    ("div_precision_increment", "4"),
    ("enable_fallback_to_original_planner", "0"),
    ("enable_insert_strict", "1"),
    ("enable_nereids_planner", "1"),
    ("enable_profile", "0"),
    ("enable_sql_cache", "0"),
    ("enable_unique_key_partial_update", "0"),
    ("exec_mem_limit", "100147483648"),
    ("group_commit", "off_mode"),
    ("init_connect", ""),
    ("insert_max_filter_ratio", "1.0"),
    ("insert_timeout", "14400"),
    ("interactive_timeout", "3600"),
    ("language", "/palo/share/english/"),
    ("license", "Apache License, Version 2.0"),
    ("lower_case_table_names", "0"),
    ("max_allowed_packet", "16777216"),
    ("net_buffer_length", "16384"),
    ("net_read_timeout", "60"),
    ("net_write_timeout", "60"),
    ("parallel_pipeline_task_num", "0"),
    ("performance_schema", "OFF"),
    ("query_cache_size", "1048576"),
    ("query_cache_type", "0"),
    ("query_timeout", "900"),
    ("sql_auto_is_null", "0"),
    ("sql_mode", "ONLY_FULL_GROUP_BY"),
    ("sql_safe_updates", "0"),
    ("sql_select_limit", "9223372036854775807"),
    ("storage_engine", "olap"),
    ("transaction_isolation", "REPEATABLE-READ"),
    ("transaction_read_only", "0"),
    ("tx_isolation", "REPEATABLE-READ"),
    ("wait_timeout", "28800"),
];

/// Variables that clients read or set under further names.
const ALIASES: [(&str, &str); 2] = [
    ("tx_read_only", "transaction_read_only"),
    ("have_query_cache", "query_cache_type"),
];

/// Rows of a batch that a session may request.
const BATCH_SIZES: std::ops::RangeInclusive<u64> = 1..=65_535;

/// Version text that MySQL clients see.
const MYSQL_VERSION: &str = "5.7.99";

impl Session {
    /// A variable that is on or off.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        match self.variables.get(name) {
            None => default,
            Some(text) => matches!(text.to_ascii_lowercase().as_str(), "1" | "true" | "on"),
        }
    }
}

impl Engine {
    /// A variable as `@@name` gives it: the session's value, else the global one; `None` when there is no such name.
    pub fn variable(&self, session: &Session, name: &str) -> Option<String> {
        let name = name.to_ascii_lowercase();
        let name = ALIASES
            .iter()
            .find(|(alias, _)| *alias == name)
            .map_or(name.as_str(), |(_, real)| real);
        session
            .variables
            .get(name)
            .cloned()
            .or_else(|| self.global_variables().get(name).cloned())
    }

    fn global_variables(&self) -> BTreeMap<String, String> {
        let mut all: BTreeMap<String, String> = DEFAULTS
            .iter()
            .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
            .collect();
        let version = &self.switches().version;
        let parallel = u8::from(self.switches().parallel_result_sink);
        all.insert("enable_parallel_result_sink".into(), parallel.to_string());
        all.insert("enable_short_circuit_query".into(), "1".into());
        if self.switches().changelog {
            let timeout = self.switches().change.change_visible_timeout_ms;
            all.insert("change_visible_timeout_ms".into(), timeout.to_string());
            all.insert("enable_eventual_consistent_change".into(), "0".into());
        }
        all.insert("version".into(), MYSQL_VERSION.into());
        all.insert("version_comment".into(), format!("Doris version {version}"));
        all.insert("time_zone".into(), self.time_zone().into());
        all.insert("system_time_zone".into(), self.time_zone().into());
        all
    }

    /// All variables as the session sees them, by name.
    pub(crate) fn variables(&self, session: &Session) -> BTreeMap<String, String> {
        let mut all = self.global_variables();
        all.extend(
            session
                .variables
                .iter()
                .filter(|(n, _)| !n.starts_with('@'))
                .map(|(n, v)| (n.clone(), v.clone())),
        );
        all
    }

    /// `@@name`, `@@session.name`, `@@global.name` or `@name`; a user variable that was not set is NULL.
    pub(crate) fn system_variable(
        &self,
        session: &Session,
        written: &str,
    ) -> Result<Option<String>, SqlError> {
        let Some(name) = written.strip_prefix("@@") else {
            return Ok(session.variables.get(&written.to_ascii_lowercase()).cloned());
        };
        let lower = name.to_ascii_lowercase();
        let plain = lower.rsplit('.').next().unwrap_or_default();
        let value = match lower.starts_with("global.") {
            true => self.global_variables().get(plain).cloned(),
            false => self.variable(session, plain),
        };
        value.map(Some).ok_or_else(|| unknown(plain))
    }

    pub(crate) async fn set_variables(
        &self,
        session: &mut Session,
        statement: &Statement,
        cursor: &mut Cursor<'_>,
    ) -> Result<Answer, SqlError> {
        loop {
            if is_transaction(cursor) {
                // `READ ONLY, ISOLATION LEVEL …`: its commas are its own.
                while cursor.take().is_some() {}
            } else if is_character_set(cursor) {
                cursor.eat_token(&Token::Eq);
                take_value(cursor)?;
            } else {
                let name = read_name(cursor)?;
                if !cursor.eat_token(&Token::Eq) {
                    cursor.expect_token(&Token::Assignment)?;
                }
                let (first, last) = take_value(cursor)?;
                let value = self.value(session, statement, first, last).await?;
                self.assign(session, &name, value)?;
            }
            if !cursor.eat_token(&Token::Comma) {
                break;
            }
        }
        cursor.expect_end()?;
        Ok(done())
    }

    /// A literal, a bare word, or an expression.
    async fn value(
        &self,
        session: &Session,
        statement: &Statement,
        first: usize,
        last: usize,
    ) -> Result<Option<String>, SqlError> {
        if first == last {
            match &statement.tokens[first].token {
                Token::SingleQuotedString(text) | Token::DoubleQuotedString(text) => {
                    return Ok(Some(text.clone()));
                }
                Token::Word(word) if word.value.eq_ignore_ascii_case("DEFAULT") => return Ok(None),
                Token::Word(word) if !word.value.starts_with('@') => return Ok(Some(word.value.clone())),
                Token::Number(text, _) => return Ok(Some(text.clone())),
                _ => {}
            }
        }
        let sql = format!("SELECT {}", statement.raw(first, last));
        let rows = Box::pin(self.query_rows(session, &sql)).await?;
        let zone = self.zone(session);
        let value = rows.batches.first().and_then(|batch| {
            crate::values::text::render(&rows.columns[0].doris_type, batch.column(0), 0, &zone)
        });
        Ok(value)
    }

    /// Sets a variable; `None` takes it back to its global value.
    fn assign(&self, session: &mut Session, name: &str, value: Option<String>) -> Result<(), SqlError> {
        let lower = name.to_ascii_lowercase();
        if lower.starts_with('@') && !lower.starts_with("@@") {
            match value {
                Some(value) => session.variables.insert(lower, value),
                None => session.variables.remove(&lower),
            };
            return Ok(());
        }
        let plain = lower
            .trim_start_matches("@@")
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_string();
        if self.variable(session, &plain).is_none() {
            return Err(unknown(&plain));
        }
        let Some(value) = value else {
            session.variables.remove(&plain);
            return Ok(());
        };
        if matches!(
            plain.as_str(),
            "version" | "version_comment" | "system_time_zone" | "license"
        ) {
            return Err(SqlError::plain(format!(
                "Variable '{plain}' is a read only variable"
            )));
        }
        let value = checked(&plain, value)?;
        session.variables.insert(plain, value);
        Ok(())
    }
}

/// Takes the words before a character set, which changes nothing: every text is UTF-8.
fn is_character_set(cursor: &mut Cursor<'_>) -> bool {
    cursor.eat("NAMES")
        || cursor.eat_all(&["CHARACTER", "SET"])
        || cursor.eat_all(&["CHAR", "SET"])
        || cursor.eat("CHARSET")
}

/// Takes the words before what a transaction is to be like, which changes nothing.
fn is_transaction(cursor: &mut Cursor<'_>) -> bool {
    cursor.eat("TRANSACTION")
        || ["SESSION", "GLOBAL", "LOCAL"]
            .iter()
            .any(|scope| cursor.eat_all(&[scope, "TRANSACTION"]))
}

/// Takes a value up to the next comma outside parentheses; gives its first and its last token.
fn take_value(cursor: &mut Cursor<'_>) -> Result<(usize, usize), SqlError> {
    let start = cursor.at;
    let mut depth = 0;
    while let Some(token) = cursor.peek() {
        match token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            Token::Comma if depth == 0 => break,
            _ => {}
        }
        cursor.take();
    }
    if cursor.at == start {
        return Err(cursor.unexpected("a value"));
    }
    Ok((start, cursor.at - 1))
}

/// `name`, `@@session.name`, `GLOBAL name`, `@name`.
fn read_name(cursor: &mut Cursor<'_>) -> Result<String, SqlError> {
    if ["SESSION", "GLOBAL", "LOCAL"].iter().any(|w| cursor.is(w))
        && matches!(cursor.ahead(1), Some(Token::Word(_)))
    {
        cursor.take();
    }
    Ok(cursor.path()?.join("."))
}

/// Checks values whose form matters, and brings them to the form that is shown.
fn checked(name: &str, value: String) -> Result<String, SqlError> {
    let wrong = |value: &str| {
        SqlError::plain(format!(
            "Variable '{name}' can't be set to the value of '{value}'"
        ))
    };
    match name {
        "time_zone" => {
            let zone: Zone = value
                .parse()
                .map_err(|message: String| SqlError::plain(message))?;
            Ok(match zone {
                Zone::Named(tz) => tz.name().to_string(),
                Zone::Fixed(offset) => offset.to_string(),
            })
        }
        "change_visible_timeout_ms"
        | "query_timeout"
        | "insert_timeout"
        | "exec_mem_limit"
        | "batch_size"
        | "wait_timeout" => {
            let number = value.trim().parse::<u64>().map_err(|_| wrong(&value))?;
            match name {
                "batch_size" if !BATCH_SIZES.contains(&number) => Err(SqlError::plain(format!(
                    "batch_size should be between {} and {}",
                    BATCH_SIZES.start(),
                    BATCH_SIZES.end()
                ))),
                "query_timeout" if number == 0 => {
                    Err(SqlError::plain("query_timeout must be greater than 0"))
                }
                _ => Ok(number.to_string()),
            }
        }
        "enable_insert_strict"
        | "enable_parallel_result_sink"
        | "enable_eventual_consistent_change"
        | "autocommit" => match value.to_ascii_lowercase().as_str() {
            "1" | "true" | "on" => Ok("1".into()),
            "0" | "false" | "off" => Ok("0".into()),
            _ => Err(wrong(&value)),
        },
        _ => Ok(value),
    }
}

fn unknown(name: &str) -> SqlError {
    SqlError::plain(format!("Unknown system variable '{name}'"))
}
