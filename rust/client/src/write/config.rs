//! The configuration of a sink: one complete, resolved map of texts, parsed once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use doris_arrow::normalize::Zone;

use crate::config::address::Address;
use crate::config::cluster::Cluster;
use crate::config::keys::{self, Keys};
use crate::error::{Error, ErrorKind};
use crate::write::load::properties::Properties;

/// Everything that a sink needs to know. The password shows in no `Debug` or `Display`.
#[derive(Clone, Debug)]
pub struct WriteConfig {
    pub(crate) cluster: Arc<Cluster>,
    /// The only targets of loads and commits, if there are any.
    pub(crate) benodes: Vec<Address>,
    pub(crate) worker_threads: usize,
    /// Whether a front end names the back end of each load; else the alive ones are used in turn.
    pub(crate) auto_redirect: bool,
    pub(crate) two_phase: bool,
    pub(crate) group_commit: bool,
    /// When loads are cut in batch mode; `None` in streaming mode.
    pub(crate) batch: Option<BatchConfig>,
    pub(crate) enable_delete: bool,
    /// Attempts after the first, of loads that can be sent again and of commits.
    pub(crate) max_retries: u32,
    /// Bytes of a place in the ring; what is larger gets an allocation of its own.
    pub(crate) buffer_size: usize,
    /// Places in the ring of each open load.
    pub(crate) buffer_count: usize,
    /// Bytes that may be kept for sending again, over all loads of a sink; `None`: no limit.
    pub(crate) replay_limit: Option<u64>,
    /// `None`: the compressor's default.
    pub(crate) compress_level: Option<i32>,
    /// The longest wait for the final answer of a load.
    pub(crate) answer_timeout: Duration,
    /// Where `TIMESTAMP_LTZ` becomes a wall clock.
    pub(crate) local_zone: Zone,
    /// The same as Doris spells it.
    pub(crate) local_zone_text: String,
    pub(crate) properties: Properties,
}

/// When the load that is being filled is cut, so that it is sent: at whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchConfig {
    pub(crate) max_rows: usize,
    /// Encoded bytes before compression.
    pub(crate) max_bytes: u64,
    /// Age of the oldest row.
    pub(crate) interval: Duration,
    /// Cut loads of a table that may wait behind the one that is being sent.
    pub(crate) queue: usize,
}

impl BatchConfig {
    fn from_keys(keys: &Keys<'_>) -> Result<Self, Error> {
        Ok(Self {
            max_rows: keys.number("sink.buffer-flush.max-rows", 1..=usize::MAX)?,
            max_bytes: keys.number("sink.buffer-flush.max-bytes", 1..=i64::MAX as u64)?,
            interval: keys.millis("sink.buffer-flush.interval")?,
            queue: keys.number("sink.flush.queue-size", 1..=usize::MAX)?,
        })
    }

    /// Bytes that all tables of a sink may hold.
    pub(crate) fn memory(&self) -> u64 {
        let loads = u64::try_from(self.queue).unwrap_or(u64::MAX).saturating_add(1);
        self.max_bytes.saturating_mul(loads)
    }
}

impl WriteConfig {
    /// Parses the bytes that Java sends: u32 count, then u32 length and UTF-8 for each key and value, big-endian.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_map(keys::decode(bytes)?)
    }

    /// Parses the map itself. A missing or unparsable key is a `Config` error that names it.
    pub fn from_map(map: BTreeMap<String, String>) -> Result<Self, Error> {
        let keys = Keys(&map);
        let two_phase = keys.flag("write.two-phase")?;
        let group_commit = keys.flag("write.group-commit")?;
        if two_phase && group_commit {
            return Err(Error::new(
                ErrorKind::Config,
                "'write.two-phase' and 'write.group-commit' exclude each other: group commit has no label to commit by",
            ));
        }
        let batch = BatchConfig::from_keys(&keys)?;
        let batch = keys.flag("write.batch")?.then_some(batch);
        if two_phase && batch.is_some() {
            return Err(Error::new(
                ErrorKind::Config,
                "'write.two-phase' and 'write.batch' exclude each other: in batch mode loads do not wait for a commit",
            ));
        }
        let replay_limit = keys.number::<i64>("sink.replay-buffer-size", -1..=i64::MAX)?;
        let level = keys.number::<i32>("sink.compress-level", -1..=i32::MAX)?;
        let zone = keys.text("write.local-time-zone")?;
        let count = keys.number::<usize>("write.properties", 0..=10_000)?;
        let mut properties = Vec::with_capacity(count);
        for i in 0..count {
            properties.push((
                keys.not_empty(&format!("write.property.{i}.name"))?,
                keys.text(&format!("write.property.{i}.value"))?.to_owned(),
            ));
        }
        Ok(Self {
            cluster: Arc::new(Cluster::from_keys(&keys)?),
            benodes: keys.parse("benodes", "host:port,host:port or nothing", |text| {
                if text.trim().is_empty() {
                    Ok(Vec::new())
                } else {
                    Address::parse_list(text)
                }
            })?,
            worker_threads: keys.number("doris.native.worker-threads", 1..=1024)?,
            auto_redirect: keys.flag("auto-redirect")?,
            two_phase,
            group_commit,
            batch,
            enable_delete: keys.flag("write.enable-delete")?,
            max_retries: keys.number("sink.max-retries", 0..=u32::MAX)?,
            buffer_size: keys.number("sink.buffer-size", 1..=i64::MAX as usize)?,
            buffer_count: keys.number("sink.buffer-count", 1..=1 << 20)?,
            replay_limit: u64::try_from(replay_limit).ok(),
            compress_level: (level >= 0).then_some(level),
            answer_timeout: keys.millis("write.answer-timeout")?,
            local_zone: keys.parse(
                "write.local-time-zone",
                "a time zone such as UTC, +08:00 or Asia/Shanghai",
                |text| Zone::parse(text).ok_or_else(String::new),
            )?,
            local_zone_text: server_zone(zone),
            properties: Properties::parse(properties)?,
        })
    }

    /// Whether rows are sent load by load, each cut by rows, bytes or age.
    pub fn is_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// `doris.native.worker-threads`: threads of the runtime.
    pub fn worker_threads(&self) -> usize {
        self.worker_threads
    }
}

/// A zone of Java as Doris spells it: offsets without a name in front.
fn server_zone(zone: &str) -> String {
    let offset = ["GMT", "UTC", "UT"]
        .iter()
        .find_map(|name| zone.strip_prefix(name))
        .filter(|rest| rest.starts_with(['+', '-']));
    match (zone, offset) {
        ("Z", _) => "+00:00".to_owned(),
        (_, Some(offset)) => offset.to_owned(),
        _ => zone.to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::fixture::fixture;

    /// Every key with its default.
    pub(crate) fn complete() -> BTreeMap<String, String> {
        fixture("write-default")
    }

    /// The complete map in a zone of its own, with changes, and these properties in place of its own.
    pub(crate) fn config(changes: &[(&str, &str)], properties: &[(&str, &str)]) -> WriteConfig {
        let mut map = complete();
        map.insert("write.local-time-zone".to_owned(), "Asia/Shanghai".to_owned());
        for (key, value) in changes {
            map.insert((*key).to_owned(), (*value).to_owned());
        }
        map.insert("write.properties".to_owned(), properties.len().to_string());
        for (i, (name, value)) in properties.iter().enumerate() {
            map.insert(format!("write.property.{i}.name"), (*name).to_owned());
            map.insert(format!("write.property.{i}.value"), (*value).to_owned());
        }
        WriteConfig::from_map(map).unwrap()
    }

    #[test]
    fn every_key_is_missed_by_name_and_the_password_shows_nowhere() {
        let shown = format!("{:?}", WriteConfig::from_map(fixture("write-full")).unwrap());
        assert!(!shown.contains("p@ss"), "{shown}");
        for key in complete().keys() {
            let mut map = complete();
            map.remove(key);
            let error = WriteConfig::from_map(map).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.to_string().contains(key.as_str()), "{key}: {error}");
        }
    }

    #[test]
    fn what_java_sends_is_what_is_meant() {
        let least = WriteConfig::from_map(fixture("write-default")).unwrap();
        assert_eq!(least.cluster.fenodes.len(), 1);
        assert_eq!(least.cluster.login.user, "root");
        assert_eq!(least.cluster.login.password, "");
        assert_eq!(least.cluster.retries, 3);
        assert_eq!(least.cluster.connect_timeout, Duration::from_secs(60));
        assert_eq!(least.cluster.read_timeout, Duration::from_secs(60));
        assert!(least.benodes.is_empty());
        assert_eq!(least.worker_threads, 2);
        assert!(least.auto_redirect && least.two_phase && least.enable_delete);
        assert!(!least.group_commit && least.batch.is_none());
        assert_eq!(least.max_retries, 3);
        assert_eq!((least.buffer_size, least.buffer_count), (1 << 20, 3));
        assert_eq!(least.replay_limit, Some(64 << 20));
        assert_eq!(least.compress_level, None);
        assert_eq!(least.answer_timeout, Duration::from_secs(300));
        assert_eq!(least.local_zone_text, "UTC");

        let full = WriteConfig::from_map(fixture("write-full")).unwrap();
        assert_eq!(full.cluster.login.user, "u");
        assert_eq!(full.cluster.login.password, "p@ss:w/ö rd%");
        assert_eq!(full.cluster.read_timeout, Duration::from_secs(5));
        assert_eq!(full.benodes.len(), 2);
        assert!(!full.auto_redirect);
        assert_eq!(full.max_retries, 7);
        assert_eq!(full.replay_limit, None);
        assert_eq!(full.answer_timeout, Duration::from_secs(90));
        assert_eq!(full.local_zone_text, "Asia/Shanghai");
        assert_eq!(full.batch, None);

        let batch = WriteConfig::from_map(fixture("write-batch")).unwrap();
        assert!(!batch.two_phase);
        let expected = BatchConfig {
            max_rows: 20_000,
            max_bytes: 10 << 20,
            interval: Duration::from_secs(2),
            queue: 4,
        };
        assert_eq!(batch.batch, Some(expected));
        assert_eq!(expected.memory(), 50 << 20);
    }

    #[test]
    fn bad_values_name_key_and_value() {
        for (key, value) in [
            ("benodes", "be1"),
            ("auto-redirect", "yes"),
            ("write.group-commit", "true"),
            ("write.batch", "true"),
            ("sink.buffer-flush.max-rows", "0"),
            ("sink.buffer-flush.max-bytes", "0"),
            ("sink.buffer-flush.interval", "0"),
            ("sink.flush.queue-size", "0"),
            ("sink.replay-buffer-size", "-2"),
            ("sink.buffer-count", "0"),
            ("sink.compress-level", "-2"),
            ("write.answer-timeout", "0"),
            ("write.local-time-zone", "Mars"),
        ] {
            let mut map = complete();
            map.insert(key.to_owned(), value.to_owned());
            let error = WriteConfig::from_map(map).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }

    #[test]
    fn limits_and_zones() {
        assert_eq!(
            config(&[("sink.replay-buffer-size", "-1")], &[]).replay_limit,
            None
        );
        assert_eq!(
            config(&[("sink.replay-buffer-size", "0")], &[]).replay_limit,
            Some(0)
        );
        assert_eq!(config(&[("benodes", " b1:8040, b2:8040 ")], &[]).benodes.len(), 2);
        for (zone, expected) in [
            ("Z", "+00:00"),
            ("GMT+08:00", "+08:00"),
            ("UTC", "UTC"),
            ("Asia/Shanghai", "Asia/Shanghai"),
        ] {
            assert_eq!(server_zone(zone), expected);
        }
    }
}
