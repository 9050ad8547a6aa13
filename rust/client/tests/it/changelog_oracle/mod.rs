//! Random writers on a table while a reader follows its changes, compared with what the writes alone say must come: each seed
//! plays one combination of table, increment type and slices, and can be played again by its number.

mod model;
mod reader;
mod writer;

use std::collections::BTreeMap;

use tokio::task::JoinSet;

use self::model::{Key, Kind, Model, Record, Row};
use self::reader::{Delivered, Figures, Reader, SliceState};
use self::writer::Writer;
use crate::dice::Dice;
use crate::standin::{Standin, StandinConfig};
use crate::support::{Read, cluster_with, read};

/// Every combination that Doris allows.
const COMBINATIONS: [(Kind, &str); 7] = [
    (Kind::History, "detail"),
    (Kind::History, "min_delta"),
    (Kind::History, "append_only"),
    (Kind::Plain, "detail"),
    (Kind::Plain, "append_only"),
    (Kind::Duplicate, "detail"),
    (Kind::Duplicate, "append_only"),
];

const COLUMNS: [(&str, &str); 4] = [
    ("k1", "BIGINT NOT NULL"),
    ("k2", "STRING"),
    ("a", "BIGINT"),
    ("b", "STRING"),
];

const SEEDS: u64 = 200;

/// Seeds that are played at the same time.
const ABREAST: usize = 6;

/// Quiet points of a seed, and rounds of writes before each.
const QUIET_POINTS: u64 = 2;
const ROUNDS: u64 = 4;

/// `CHANGELOG_ORACLE_SEED=n` plays that seed alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_gets_what_random_writers_wrote() {
    let only = std::env::var("CHANGELOG_ORACLE_SEED").ok();
    let seeds: Vec<u64> = match only {
        Some(seed) => vec![seed.parse().unwrap()],
        None => (0..SEEDS).collect(),
    };
    let played = seeds.len();
    let mut waiting = seeds.into_iter();
    let mut playing = JoinSet::new();
    let mut failed = Vec::new();
    let mut sum = Figures::default();
    loop {
        while playing.len() < ABREAST
            && let Some(seed) = waiting.next()
        {
            playing.spawn(async move { (seed, tokio::spawn(play(seed)).await) });
        }
        let Some(ended) = playing.join_next().await else {
            break;
        };
        let (seed, ended) = ended.unwrap();
        match ended {
            Ok(figures) => sum.add(&figures),
            Err(error) => {
                eprintln!("CHANGELOG_ORACLE_SEED={seed} fails: {error}");
                failed.push(seed);
            }
        }
    }
    println!("{played} seeds: {sum:?}");
    assert!(failed.is_empty(), "seeds that fail: {failed:?}");
    if played > 100 {
        // What the test is for did happen.
        let rare = [sum.crashes, sum.resumed, sum.waits, sum.broken]
            .into_iter()
            .min()
            .unwrap();
        assert!(rare > 50 && sum.windows > 2000, "{sum:?}");
    }
}

impl Figures {
    fn add(&mut self, other: &Self) {
        self.windows += other.windows;
        self.crashes += other.crashes;
        self.resumed += other.resumed;
        self.waits += other.waits;
        self.broken += other.broken;
    }
}

async fn play(seed: u64) -> Figures {
    let mut dice = Dice::new(seed);
    let (kind, increment) = COMBINATIONS[(seed % 7) as usize];
    let standin = table(kind, &mut dice).await;
    let read = read(&standin, "db.t", &COLUMNS)
        .with("changelog.increment-type", increment)
        // What has to wait fails at once: when to ask again is the dice's choice.
        .with("changelog.visible-wait-timeout", "0")
        .with("doris.request.retries", "10")
        .with("doris.batch.size", &(1 + dice.below(6)).to_string());
    let mut writer = Writer::new(&standin, kind, Dice::new(dice.below(u64::MAX)));
    for _ in 0..dice.below(6) {
        writer.step().await;
    }
    standin.shift_clock(1000 * dice.below(3) as i64);
    let schemes = ["whole", "hash", "hash", "partitions"];
    let mut reader = Reader::start(&standin, read.clone(), &schemes, Dice::new(dice.below(u64::MAX))).await;
    let start = reader.bound << 18;
    // `initial` or `latest`: what a job knows of the table before the first change.
    let initial = kind != Kind::Duplicate && increment != "append_only" && dice.once_in(2);
    let snapshot = match initial {
        false => None,
        true => loop {
            match reader.snapshot().await {
                None => writer.settle().await,
                found => break found,
            }
        },
    };
    for _ in 0..QUIET_POINTS {
        for _ in 0..ROUNDS {
            for _ in 0..1 + dice.below(4) {
                writer.step().await;
            }
            standin.shift_clock(dice.below(2500) as i64);
            reader.look().await;
            if dice.once_in(3) {
                tokio::join!(writer.step(), reader.catch_up(false));
            } else {
                reader.catch_up(false).await;
            }
        }
        writer.settle().await;
        // All of it lies below the next whole second.
        standin.shift_clock(1000);
        reader.look().await;
        reader.catch_up(false).await;
        standin.clear_faults();
        assert!(reader.catch_up(true).await, "something is still under way");
        let quiet = Quiet {
            model: &writer.model,
            slices: &reader.slices,
            start,
            bound: reader.bound << 18,
        };
        quiet.check_order();
        match increment {
            "min_delta" => quiet.check_net(),
            _ => quiet.check_records(increment == "append_only"),
        }
        let shown: Vec<String> = writer.model.rows().iter().map(shown).collect();
        if increment != "append_only" && kind != Kind::Duplicate {
            let strict = snapshot.is_none() && kind == Kind::History;
            let base = snapshot
                .clone()
                .unwrap_or_else(|| writer.model.state_below(start));
            let result: Vec<String> = quiet.materialised(base, strict).iter().map(self::shown).collect();
            assert_eq!(result, shown, "materialised result and model");
        }
        compare_with_table(&read, shown).await;
    }
    drop(writer);
    let (_, figures) = reader.close().await;
    standin.stop().await;
    figures
}

async fn table(kind: Kind, dice: &mut Dice) -> Standin {
    let history = match kind {
        Kind::History => ", 'changelog.need_historical_value' = 'true'",
        _ => "",
    };
    let keys = if kind == Kind::Duplicate {
        "DUPLICATE"
    } else {
        "UNIQUE"
    };
    let buckets = 1 + dice.below(3);
    let partitions = match dice.once_in(2) {
        true => {
            "PARTITION BY RANGE(k1) (PARTITION p1 VALUES LESS THAN (0), PARTITION p2 VALUES LESS THAN (2), PARTITION p3 VALUES LESS THAN (MAXVALUE))"
        }
        false => "",
    };
    let init = format!(
        "CREATE DATABASE db; CREATE TABLE db.t (k1 BIGINT NOT NULL, k2 VARCHAR(20) NULL, a BIGINT NULL, b STRING NULL) \
         {keys} KEY(k1, k2) {partitions} DISTRIBUTED BY HASH(k1) BUCKETS {buckets} \
         PROPERTIES ('replication_num' = '1', 'changelog.enable' = 'true'{history});"
    );
    // Waits for all that is open, or for what is decided only.
    let in_the_cloud = dice.once_in(2);
    let backends = 1 + dice.below(2) as usize;
    cluster_with(&init, |config: &mut StandinConfig| {
        if in_the_cloud {
            config.set.push("changelog_fence=cloud".to_owned());
            config.set.push("changelog_errors=typed".to_owned());
        }
        config.backends = backends;
        config.set.push("change_visible_timeout_ms=20".to_owned());
    })
    .await
}

/// What was read up to a moment at which nothing is under way. `start` and `bound` are TSOs.
struct Quiet<'a> {
    model: &'a Model,
    slices: &'a [SliceState],
    start: i64,
    bound: i64,
}

impl Quiet<'_> {
    /// Rows of a slice never fall, pairs are of one record, and windows follow one another.
    fn check_order(&self) {
        for state in self.slices {
            let keys: Vec<_> = state.rows.iter().map(|row| (row.tso, row.lsn, row.op)).collect();
            assert!(keys.is_sorted(), "{:?}: {keys:?}", state.slice);
            assert!(state.windows.windows(2).all(|two| two[0].end == two[1].start));
            assert!(
                state
                    .windows
                    .first()
                    .is_none_or(|first| first.start << 18 == self.start)
            );
            assert!(
                state
                    .windows
                    .last()
                    .is_none_or(|last| last.end << 18 == self.bound)
            );
        }
    }

    /// Every record once, and nothing else.
    fn check_records(&self, append_only: bool) {
        let mut came: BTreeMap<i64, Vec<Record>> = BTreeMap::new();
        for row in self.slices.iter().flat_map(|state| &state.rows) {
            came.entry(row.tso).or_default().push((row.op, row.row.clone()));
        }
        let mut expected: BTreeMap<i64, Vec<Record>> = BTreeMap::new();
        for txn in self.model.committed.iter().filter(|txn| txn.tso >= self.start) {
            assert!(txn.tso < self.bound);
            let records = txn.changes.iter().flat_map(|change| match append_only {
                true => self.model.append_only(change),
                false => self.model.detail(change),
            });
            expected.entry(txn.tso).or_default().extend(records);
        }
        expected.retain(|_, records| !records.is_empty());
        for records in came.values_mut().chain(expected.values_mut()) {
            records.sort();
        }
        assert_eq!(came, expected, "records by TSO");
        if append_only {
            return;
        }
        // The two rows of an update have one LSN.
        for state in self.slices {
            let of = |op: i8| state.rows.iter().filter(move |row| row.op == op);
            let id = |row: &Delivered| (row.tso, row.lsn, row.row.key.clone());
            let (before, after): (Vec<_>, Vec<_>) = (of(2).map(id).collect(), of(3).map(id).collect());
            assert_eq!(before, after);
        }
    }

    /// Each key is in one slice, and there each window holds its net change.
    fn check_net(&self) {
        let mut keys: Vec<&Key> = self
            .model
            .committed
            .iter()
            .flat_map(|txn| &txn.changes)
            .map(|change| &change.key)
            .collect();
        keys.extend(
            self.slices
                .iter()
                .flat_map(|state| &state.rows)
                .map(|row| &row.row.key),
        );
        keys.sort();
        keys.dedup();
        for key in keys {
            let fits = |state: &&SliceState| {
                state.windows.iter().all(|window| {
                    let (lower, upper) = (window.start << 18, window.end << 18);
                    let mut came: Vec<Record> = state
                        .rows
                        .iter()
                        .filter(|row| row.row.key == *key && (lower..upper).contains(&row.tso))
                        .map(|row| (row.op, row.row.clone()))
                        .collect();
                    came.sort_by_key(|record| record.0);
                    self.model.net(key, lower, upper).contains(&came)
                })
            };
            let silent = |state: &SliceState| !state.rows.iter().any(|row| row.row.key == *key);
            let talking = self.slices.iter().filter(|state| !silent(state)).count();
            assert!(talking <= 1, "{key:?} is in {talking} slices");
            let mut candidates = self.slices.iter().filter(|state| talking == 0 || !silent(state));
            assert!(
                candidates.any(|state| fits(&state)),
                "net changes of {key:?}: {:?}",
                self.slices
            );
        }
    }

    /// The table as a consumer has it. Where nothing can come twice, every row must fit what is there.
    fn materialised(&self, base: BTreeMap<Key, Row>, strict: bool) -> Vec<Row> {
        let mut rows = base;
        for change in self.slices.iter().flat_map(|state| &state.rows) {
            let (key, row) = (&change.row.key, &change.row);
            match change.op {
                0 | 3 => {
                    let former = rows.insert(key.clone(), row.clone());
                    assert!(!strict || former.is_none(), "{change:?} on {former:?}");
                }
                1 | 2 => {
                    let former = rows.remove(key);
                    assert!(
                        !strict || former.as_ref() == Some(row),
                        "{change:?} on {former:?}"
                    );
                }
                other => panic!("operation {other}"),
            }
        }
        rows.into_values().collect()
    }
}

fn shown(row: &Row) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "NULL".to_owned());
    let a = row.a.map_or("NULL".to_owned(), |a| a.to_string());
    format!("{}|{}|{a}|{}", row.key.0, text(&row.key.1), text(&row.b))
}

/// The model is right about the table itself.
async fn compare_with_table(read: &Read, mut shown: Vec<String>) {
    shown.sort();
    assert_eq!(read.rows().await.unwrap(), shown, "table and model");
}
