//! Table properties of the changelog, in both families of names, and which tables may have one.

use std::collections::BTreeMap;

use crate::cluster::clock::Tso;
use crate::error::SqlError;
use crate::profile::{NameSet, Switches};
use crate::store::info::KeysType;
use crate::store::schema::{Column, TableSchema};
use crate::values::types::DorisType;

/// Seconds that changes are kept by default.
const DEFAULT_TTL: &str = "86400";

const ENABLE: &str = "enable";
const HISTORY: &str = "need_historical_value";
const TTL: &str = "ttl_seconds";
const FORMAT: &str = "format";

/// Known names behind the prefix. The last two have no effect.
const SUFFIXES: [&str; 6] = [ENABLE, HISTORY, TTL, FORMAT, "max_bytes", "max_history_nums"];

/// The prefixes of both families.
const FAMILIES: [&str; 2] = ["changelog.", "binlog."];

/// How a table records its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changelog {
    /// Before images are recorded.
    pub history: bool,
    /// Seconds after which a change expires.
    pub ttl_seconds: i64,
}

impl Changelog {
    /// The last millisecond of the epoch whose changes are expired at a moment.
    pub fn expired_to_ms(&self, now: Tso) -> i64 {
        let now_ms = i64::try_from(now.physical_ms()).unwrap_or(i64::MAX);
        now_ms.saturating_sub(self.ttl_seconds.saturating_mul(1000))
    }
}

impl TableSchema {
    /// How the table records its changes; `None` when it does not.
    pub fn changelog(&self) -> Option<Changelog> {
        let family = FAMILIES.into_iter().find(|family| {
            let enabled = self.properties.get(&format!("{family}{ENABLE}"));
            enabled.is_some_and(|value| is_true(value))
        })?;
        let value = |suffix| self.properties.get(&format!("{family}{suffix}"));
        // Servers of the old names record rows only with the format for it.
        if family == "binlog." && value(FORMAT).is_none_or(|format| format != "ROW") {
            return None;
        }
        Some(Changelog {
            history: value(HISTORY).is_some_and(|value| is_true(value)),
            ttl_seconds: value(TTL).and_then(|value| value.parse().ok()).unwrap_or(86_400),
        })
    }
}

/// Texts of errors say `changelog` or `binlog` as the server's names do.
pub(crate) fn worded(names: NameSet, text: &str) -> SqlError {
    SqlError::plain(match names {
        NameSet::Binlog => text.to_owned(),
        NameSet::Changelog | NameSet::Both => text.replace("binlog", "changelog"),
    })
}

/// Checks the properties of a new table against its model and fills in what they leave out.
pub(crate) fn declare(schema: &mut TableSchema, switches: &Switches) -> Result<(), SqlError> {
    check_names(&schema.properties, switches)?;
    let names = switches.changelog_names;
    let declared = FAMILIES
        .into_iter()
        .find(|family| schema.properties.keys().any(|key| key.starts_with(family)));
    let Some(family) = declared else { return Ok(()) };
    one_family(&mut schema.properties, family);
    let key = |suffix: &str| format!("{family}{suffix}");
    if !schema
        .properties
        .get(&key(ENABLE))
        .is_some_and(|value| is_true(value))
    {
        return Ok(());
    }
    let properties = &mut schema.properties;
    if switches.changelog && names != NameSet::Binlog && family == "binlog." {
        properties.entry(key(FORMAT)).or_insert_with(|| "ROW".into());
    }
    if switches.changelog {
        properties.entry(key(HISTORY)).or_insert_with(|| "false".into());
    }
    properties
        .entry(key(TTL))
        .or_insert_with(|| DEFAULT_TTL.to_owned());
    let Some(changelog) = schema.changelog() else {
        return Ok(());
    };
    check_model(schema, changelog, names)
}

/// Checks that a server of these switches knows the properties.
fn check_names(properties: &BTreeMap<String, String>, switches: &Switches) -> Result<(), SqlError> {
    let names = switches.changelog_names;
    for (key, value) in properties {
        let Some(family) = FAMILIES.into_iter().find(|family| key.starts_with(family)) else {
            continue;
        };
        let suffix = &key[family.len()..];
        let served = match (switches.changelog, names) {
            // Servers without a changelog have the binlog that clusters are copied by.
            (false, _) => family == "binlog." && !matches!(suffix, FORMAT | HISTORY),
            (true, NameSet::Changelog) => family == "changelog.",
            (true, NameSet::Binlog) => family == "binlog.",
            (true, NameSet::Both) => true,
        };
        if !served || !SUFFIXES.contains(&suffix) {
            return Err(SqlError::plain(format!("Unknown properties: {{{key}={value}}}")));
        }
        check_value(family, suffix, value)?;
    }
    Ok(())
}

fn check_value(family: &str, suffix: &str, value: &str) -> Result<(), SqlError> {
    match suffix {
        ENABLE | HISTORY if !is_true(value) && !value.eq_ignore_ascii_case("false") => Err(SqlError::plain(
            format!("Invalid value for property {family}{suffix}: {value}, it must be `true` or `false`"),
        )),
        FORMAT if value != "ROW" => {
            let name = family.trim_end_matches('.');
            Err(SqlError::plain(format!("Invalid {name} format value: {value}")))
        }
        TTL if value.parse::<i64>().is_ok_and(|seconds| seconds <= 0) => Err(SqlError::plain(format!(
            "ROW {family}{TTL} must be greater than 0"
        ))),
        TTL if value.parse::<i64>().is_err() => Err(SqlError::plain(format!(
            "Invalid value for property {family}{TTL}: {value}, it must be an integer"
        ))),
        _ => Ok(()),
    }
}

/// Properties of a table that `ALTER TABLE … SET` takes, those of the changelog aside.
const CHANGEABLE: [&str; 26] = [
    "bloom_filter_columns",
    "compaction_policy",
    "default.replication_allocation",
    "default.replication_num",
    "disable_auto_compaction",
    "enable_light_schema_change",
    "enable_mow_light_delete",
    "enable_single_replica_compaction",
    "file_cache_ttl_seconds",
    "function_column.sequence_col",
    "group_commit_data_bytes",
    "group_commit_interval_ms",
    "group_commit_mode",
    "in_memory",
    "is_being_synced",
    "light_schema_change",
    "min_load_replica_num",
    "partition.retention_count",
    "replication_allocation",
    "replication_num",
    "skip_write_index_on_load",
    "storage_medium",
    "storage_policy",
    "store_row_column",
    "tablet_type",
    "estimate_partition_size",
];

/// Prefixes of further ones.
const CHANGEABLE_FAMILIES: [&str; 3] = ["auto_partition.", "dynamic_partition.", "time_series_compaction_"];

fn check_changeable(key: &str) -> Result<(), SqlError> {
    if CHANGEABLE.contains(&key) || CHANGEABLE_FAMILIES.iter().any(|family| key.starts_with(family)) {
        return Ok(());
    }
    Err(SqlError::plain(format!("Unknown table property: [{key}]")))
}

/// Brings all properties of the changelog under one prefix.
fn one_family(properties: &mut BTreeMap<String, String>, family: &str) {
    for other in FAMILIES.into_iter().filter(|other| *other != family) {
        let strange: Vec<String> = properties
            .keys()
            .filter(|key| key.starts_with(other))
            .cloned()
            .collect();
        for key in strange {
            if let Some(value) = properties.remove(&key) {
                properties.insert(format!("{family}{}", &key[other.len()..]), value);
            }
        }
    }
}

fn check_model(schema: &TableSchema, changelog: Changelog, names: NameSet) -> Result<(), SqlError> {
    let merge_on_write = schema
        .properties
        .get("enable_unique_key_merge_on_write")
        .is_none_or(|value| is_true(value));
    match schema.keys_type {
        KeysType::Duplicate if changelog.history => {
            return Err(worded(
                names,
                "Duplicate table model don't support record historical value",
            ));
        }
        KeysType::Duplicate => {}
        KeysType::Unique if merge_on_write => {}
        KeysType::Unique | KeysType::Aggregate => {
            return Err(worded(
                names,
                "Only duplicate and mow table model support binlog<Row>",
            ));
        }
    }
    schema
        .columns
        .iter()
        .try_for_each(|column| check_column(column, names))
}

/// Checks a column of a table that records its changes.
pub(crate) fn check_column(column: &Column, names: NameSet) -> Result<(), SqlError> {
    if column.auto_increment {
        return Err(worded(
            names,
            "Table with binlog<Row> does not support auto-increment column",
        ));
    }
    if column.doris_type == DorisType::Variant {
        return Err(worded(
            names,
            "Table with binlog<Row> does not support VARIANT column",
        ));
    }
    Ok(())
}

/// The refusal of changes that a table with a changelog does not take.
pub(crate) fn not_allowed(names: NameSet) -> SqlError {
    worded(
        names,
        "Not allowed to perform current operation on Table With binlog<row>",
    )
}

/// `ALTER TABLE … SET (…)`: the table's properties with the given ones. Only the time that changes are kept can
/// change.
pub(crate) fn alter(
    schema: &mut TableSchema,
    given: BTreeMap<String, String>,
    switches: &Switches,
) -> Result<(), SqlError> {
    check_names(&given, switches)?;
    let names = switches.changelog_names;
    let recorded = schema.changelog();
    if recorded.is_some() && given.contains_key("bloom_filter_columns") {
        return Err(not_allowed(names));
    }
    let own = FAMILIES
        .into_iter()
        .find(|family| schema.properties.contains_key(&format!("{family}{ENABLE}")));
    for (key, value) in given {
        let Some(family) = FAMILIES.into_iter().find(|family| key.starts_with(family)) else {
            check_changeable(&key)?;
            schema.properties.insert(key, value);
            continue;
        };
        let suffix = &key[family.len()..];
        let before = own.and_then(|own| schema.properties.get(&format!("{own}{suffix}")));
        let was = before.is_some_and(|value| is_true(value));
        match suffix {
            ENABLE if recorded.is_some() && !is_true(&value) => {
                return Err(worded(names, "can't disable binlog when format is [Row]"));
            }
            ENABLE if recorded.is_none() && is_true(&value) => {
                return Err(worded(
                    names,
                    "not support enable binlog<Row> on an existing table",
                ));
            }
            HISTORY if was != is_true(&value) => {
                return Err(SqlError::plain(format!(
                    "not support change {key} from {was} to {}",
                    is_true(&value)
                )));
            }
            _ => {}
        }
        schema
            .properties
            .insert(format!("{}{suffix}", own.unwrap_or(family)), value);
    }
    Ok(())
}

fn is_true(value: &str) -> bool {
    value.eq_ignore_ascii_case("true")
}
