//! The configuration of a read: one complete, resolved map of texts, parsed once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use doris_arrow::binary_row::{ChangeColumn, RowFormat};
use doris_arrow::normalize::Zone;
use doris_arrow::types::{FlinkField, FlinkKind, FlinkType};

use crate::config::address::Address;
use crate::config::cluster::Cluster;
use crate::config::keys::{self, Keys};
use crate::config::table::Table;
use crate::error::Error;

/// Everything that a read needs to know. The password shows in no `Debug` or `Display`.
#[derive(Clone, Debug)]
pub struct ReadConfig {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) table: Table,
    pub(crate) query_timeout: Duration,
    pub(crate) batch_size: u32,
    pub(crate) memory_limit: u64,
    pub(crate) queue_size: usize,
    pub(crate) flight_port: Option<u16>,
    pub(crate) buffer_size: u64,
    pub(crate) flight_hosts: Vec<(Address, Address)>,
    pub(crate) worker_threads: usize,
    pub(crate) user_filter: String,
    pub(crate) pushed_filter: String,
    pub(crate) limit: Option<u64>,
    pub(crate) local_zone: Zone,
    pub(crate) declared: Vec<FlinkField>,
    pub(crate) columns: Vec<WantedColumn>,
    pub(crate) change_columns: Vec<ChangeColumn>,
    /// `None` in snapshot mode.
    pub(crate) changelog: Option<ChangelogConfig>,
}

/// How changes are followed, and where progress is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangelogConfig {
    pub(crate) increment_type: IncrementType,
    /// `source.changelog.visible-wait-timeout`; zero means that the wait is not repeated.
    pub(crate) visible_wait: Duration,
    pub(crate) offset: Option<OffsetConfig>,
}

/// `source.changelog.increment-type`: which changes a window is made of (Doris manual, Incremental Query).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncrementType {
    /// Every change.
    Detail,
    /// What is left of a key's changes within the window.
    MinDelta,
    /// Inserted rows alone.
    AppendOnly,
}

/// The table that progress is published in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OffsetConfig {
    pub(crate) jdbc_url: String,
    pub(crate) database: String,
    pub(crate) table: String,
    pub(crate) consumer_id: String,
}

impl IncrementType {
    /// As the option spells it.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "detail" => Some(Self::Detail),
            "min_delta" => Some(Self::MinDelta),
            "append_only" => Some(Self::AppendOnly),
            _ => None,
        }
    }

    /// As `@incr` spells it.
    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Detail => "DETAIL",
            Self::MinDelta => "MIN_DELTA",
            Self::AppendOnly => "APPEND_ONLY",
        }
    }
}

impl ChangelogConfig {
    /// `None` where the increment type is empty.
    fn from_keys(keys: &Keys<'_>) -> Result<Option<Self>, Error> {
        let increment_type = keys.parse(
            "changelog.increment-type",
            "detail, min_delta, append_only or nothing",
            |text| match text {
                "" => Ok(None),
                text => IncrementType::parse(text).map(Some).ok_or_else(String::new),
            },
        )?;
        let visible_wait = keys.number::<u64>("changelog.visible-wait-timeout", 0..=u64::MAX)?;
        let offset = OffsetConfig {
            jdbc_url: keys.text("jdbc-url")?.to_owned(),
            database: keys.text("changelog.offset-table.database")?.to_owned(),
            table: keys.text("changelog.offset-table.name")?.to_owned(),
            consumer_id: keys.text("changelog.consumer-id")?.to_owned(),
        };
        Ok(increment_type.map(|increment_type| Self {
            increment_type,
            // A year is as good as for ever and keeps instants representable.
            visible_wait: Duration::from_millis(visible_wait.min(31_536_000_000)),
            offset: Some(offset).filter(|offset| !offset.table.is_empty()),
        }))
    }
}

/// A column to be produced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WantedColumn {
    /// Names from the column down to a field of a struct.
    pub(crate) path: Vec<String>,
    pub(crate) r#type: FlinkType,
}

impl ReadConfig {
    /// Parses the bytes that Java sends: u32 count, then u32 length and UTF-8 for each key and value, big-endian.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_map(keys::decode(bytes)?)
    }

    /// Parses the map itself. A missing or unparsable key is a `Config` error that names it.
    pub fn from_map(map: BTreeMap<String, String>) -> Result<Self, Error> {
        let keys = Keys(&map);
        let table = Table {
            catalog: Some(keys.text("table.catalog")?.to_owned()).filter(|c| !c.is_empty()),
            database: keys.not_empty("table.database")?,
            name: keys.not_empty("table.name")?,
        };
        let flight_port = keys.parse("source.flight-sql-port", "-1 or a port", |text| {
            match text.parse::<i32>() {
                Ok(-1) => Ok(None),
                Ok(port) => u16::try_from(port)
                    .ok()
                    .filter(|p| *p > 0)
                    .map(Some)
                    .ok_or_else(String::new),
                Err(_) => Err(String::new()),
            }
        })?;
        let limit = keys.number::<i64>("read.limit", -1..=i64::MAX)?;
        let declared = keys.parse(
            "read.declared",
            "a serializable ROW type",
            |text| match FlinkType::parse(text).map_err(|e| e.to_string())?.kind {
                FlinkKind::Row(fields) => Ok(fields),
                other => Err(format!("{other} is not a ROW")),
            },
        )?;
        let count = keys.number::<usize>("read.columns", 0..=100_000)?;
        let mut columns = Vec::with_capacity(count);
        for i in 0..count {
            columns.push(WantedColumn {
                path: keys.parse(
                    &format!("read.column.{i}.path"),
                    "names in backticks, joined by dots",
                    parse_path,
                )?,
                r#type: keys.parse(&format!("read.column.{i}.type"), "a serializable type", |text| {
                    FlinkType::parse(text).map_err(|e| e.to_string())
                })?,
            });
        }
        Ok(Self {
            cluster: Arc::new(Cluster::from_keys(&keys)?),
            table,
            query_timeout: keys.millis("doris.request.query.timeout")?,
            batch_size: keys.number("doris.batch.size", 1..=u32::MAX)?,
            memory_limit: keys.number("doris.exec.mem.limit", 1..=i64::MAX as u64)?,
            queue_size: keys.number("doris.deserialize.queue.size", 1..=1 << 20)?,
            flight_port,
            buffer_size: keys.number("source.read-buffer-size", 1..=i64::MAX as u64)?,
            flight_hosts: keys.parse("source.flight-host-mapping", "a:1=b:2,…", parse_mapping)?,
            worker_threads: keys.number("doris.native.worker-threads", 1..=1024)?,
            user_filter: keys.text("doris.filter.query")?.trim().to_owned(),
            pushed_filter: keys.text("read.filter")?.trim().to_owned(),
            limit: u64::try_from(limit).ok(),
            local_zone: keys.parse(
                "read.local-time-zone",
                "a time zone such as UTC, +08:00 or Asia/Shanghai",
                |text| Zone::parse(text).ok_or_else(String::new),
            )?,
            declared,
            columns,
            change_columns: keys.parse(
                "read.metadata",
                "op, tso, lsn, commit_time, joined by commas",
                |text| {
                    text.split(',')
                        .filter(|key| !key.is_empty())
                        .map(|key| ChangeColumn::parse(key).ok_or_else(String::new))
                        .collect::<Result<Vec<_>, String>>()
                },
            )?,
            changelog: ChangelogConfig::from_keys(&keys)?,
        })
    }

    /// `doris.native.worker-threads`: threads of the runtime.
    pub fn worker_threads(&self) -> usize {
        self.worker_threads
    }

    /// The produced rows in Flink's binary format; `None` where a column cannot be written in it here.
    pub fn row_format(&self) -> Option<RowFormat> {
        let columns: Vec<_> = self
            .columns
            .iter()
            .map(|column| (column.path.join("."), column.r#type.clone()))
            .collect();
        RowFormat::new(&columns, &self.change_columns)
    }
}

/// `` `s`.`a``b` `` → `s`, ``a`b``.
fn parse_path(text: &str) -> Result<Vec<String>, String> {
    let mut path = Vec::new();
    let mut rest = text;
    loop {
        rest = rest
            .strip_prefix('`')
            .ok_or("a name does not start with a backtick")?;
        let mut name = String::new();
        loop {
            let (part, after) = rest
                .split_once('`')
                .ok_or("a name does not end with a backtick")?;
            name.push_str(part);
            rest = after;
            match rest.strip_prefix('`') {
                Some(after) => {
                    name.push('`');
                    rest = after;
                }
                None => break,
            }
        }
        path.push(name);
        if rest.is_empty() {
            return Ok(path);
        }
        rest = rest.strip_prefix('.').ok_or("names are not joined by a dot")?;
    }
}

fn parse_mapping(text: &str) -> Result<Vec<(Address, Address)>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    text.split(',')
        .map(|pair| {
            let (from, to) = pair
                .split_once('=')
                .ok_or_else(|| format!("'{}' has no '='", pair.trim()))?;
            Ok((Address::parse(from)?, Address::parse(to)?))
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::fixture::fixture;
    use crate::error::ErrorKind;

    /// Every key with a usable value.
    pub(crate) fn complete() -> BTreeMap<String, String> {
        fixture("read-full")
    }

    fn encoded(map: &BTreeMap<String, String>) -> Vec<u8> {
        let mut bytes = (map.len() as u32).to_be_bytes().to_vec();
        for text in map.iter().flat_map(|(k, v)| [k, v]) {
            bytes.extend((text.len() as u32).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    #[test]
    fn round_trip_without_the_password_in_debug() {
        let config = ReadConfig::decode(&encoded(&complete())).unwrap();
        assert_eq!(config.cluster.fenodes.len(), 2);
        assert_eq!(config.columns[0].path, ["s", "a`b"]);
        assert_eq!(config.limit, Some(10));
        assert_eq!(config.cluster.login.password, "p@ss:w/ö rd%");
        let shown = format!("{config:?}");
        assert!(!shown.contains("p@ss"), "{shown}");
    }

    #[test]
    fn what_java_sends_is_what_is_meant() {
        let least = ReadConfig::from_map(fixture("read-default")).unwrap();
        assert_eq!(least.cluster.fenodes.len(), 1);
        assert_eq!(least.cluster.login.user, "root");
        assert_eq!(least.cluster.retries, 3);
        assert_eq!(least.cluster.connect_timeout, Duration::from_secs(60));
        assert_eq!(least.cluster.read_timeout, Duration::from_secs(60));
        assert_eq!(least.table.catalog, None);
        assert_eq!((&*least.table.database, &*least.table.name), ("db", "t"));
        assert_eq!(least.query_timeout, Duration::from_secs(21_600));
        assert_eq!((least.batch_size, least.queue_size), (4064, 64));
        assert_eq!((least.memory_limit, least.buffer_size), (8 << 30, 64 << 20));
        assert_eq!(least.flight_port, None);
        assert!(least.flight_hosts.is_empty());
        assert_eq!(least.worker_threads, 2);
        assert_eq!((&*least.user_filter, &*least.pushed_filter), ("", ""));
        assert_eq!(least.limit, None);
        assert_eq!((least.declared.len(), least.columns.len()), (3, 3));
        assert!(least.change_columns.is_empty());
        assert_eq!(least.changelog, None);

        let full = ReadConfig::from_map(fixture("read-full")).unwrap();
        assert_eq!(full.table.name, "stu`dent");
        assert_eq!(full.flight_hosts.len(), 2);
        assert_eq!((&*full.user_filter, &*full.pushed_filter), ("a = 1", "`id` > 1"));
        assert_eq!(full.columns[1].path, ["id"]);
        assert_eq!(full.change_columns, [ChangeColumn::Op]);
        assert_eq!(full.changelog, None);

        let followed = ReadConfig::from_map(fixture("changelog-full")).unwrap();
        let changelog = followed.changelog.unwrap();
        assert_eq!(changelog.increment_type.sql(), "MIN_DELTA");
        assert_eq!(changelog.visible_wait, Duration::ZERO);
        let offset = changelog.offset.unwrap();
        assert_eq!((&*offset.database, &*offset.table), ("ops", "off`set.s"));
        assert_eq!(
            (&*offset.consumer_id, &*offset.jdbc_url),
            ("ö 1", "jdbc:mysql://fe1:9030")
        );
    }

    #[test]
    fn every_key_is_missed_by_name() {
        for key in complete().keys().filter(|k| *k != "benodes") {
            let mut map = complete();
            map.remove(key);
            let error = ReadConfig::from_map(map).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(key.as_str()), "{key}: {error}");
        }
    }

    #[test]
    fn bad_values_name_key_value_and_what_is_allowed() {
        for (key, value) in [
            ("fenodes", "http://fe:8030"),
            ("doris.batch.size", "0"),
            ("source.flight-sql-port", "0"),
            ("source.flight-host-mapping", "a:1"),
            ("read.local-time-zone", "Mars"),
            ("read.declared", "INT"),
            ("read.column.0.path", "s.a"),
            ("read.column.0.type", "FOO<"),
            ("changelog.increment-type", "DETAIL"),
            ("changelog.visible-wait-timeout", "-1"),
        ] {
            let mut map = complete();
            map.insert(key.to_owned(), value.to_owned());
            let error = ReadConfig::from_map(map).unwrap_err().to_string();
            assert!(
                error.contains(key) && error.contains(value) && error.contains("allowed"),
                "{error}"
            );
        }
    }

    #[test]
    fn changes_are_followed_where_a_type_is_given() {
        let changed = |changes: &[(&str, &str)]| {
            let mut map = complete();
            map.extend(changes.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
            ReadConfig::from_map(map).unwrap().changelog
        };
        assert_eq!(changed(&[]), None);
        let plain = changed(&[("changelog.increment-type", "detail")]).unwrap();
        assert_eq!(plain.increment_type.sql(), "DETAIL");
        assert_eq!(plain.visible_wait, Duration::from_secs(300));
        assert_eq!(plain.offset, None);
        let full = changed(&[
            ("changelog.increment-type", "min_delta"),
            ("changelog.visible-wait-timeout", "0"),
            ("changelog.offset-table.database", "ops"),
            ("changelog.offset-table.name", "o"),
            ("changelog.consumer-id", "c 1"),
            ("jdbc-url", "jdbc:mysql://fe1:9030"),
        ])
        .unwrap();
        assert_eq!(full.increment_type.sql(), "MIN_DELTA");
        assert_eq!(full.visible_wait, Duration::ZERO);
        let offset = full.offset.unwrap();
        assert_eq!((&*offset.database, &*offset.table), ("ops", "o"));
        assert_eq!(
            (&*offset.consumer_id, &*offset.jdbc_url),
            ("c 1", "jdbc:mysql://fe1:9030")
        );
        let last = changed(&[("changelog.increment-type", "append_only")]).unwrap();
        assert_eq!(last.increment_type.sql(), "APPEND_ONLY");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), cut in 0usize..2000) {
            let _ = ReadConfig::decode(&bytes);
            let whole = encoded(&complete());
            let result = ReadConfig::decode(&whole[..cut.min(whole.len())]);
            proptest::prop_assert_eq!(result.is_ok(), cut >= whole.len());
        }
    }
}
