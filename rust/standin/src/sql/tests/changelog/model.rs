//! Random writes compared with a model that knows nothing of batches: every window of every type.

use std::collections::BTreeMap;

use super::{changes, unique_table, window};
use crate::cluster::clock::first_stamp;
use crate::sql::tests::Fixture;

/// Numbers that look random, the same for a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

type Key = i64;
type Value = i64;

/// What one transaction did to one key.
#[derive(Debug, Clone)]
struct Record {
    ms: i64,
    key: Key,
    before: Option<Value>,
    after: Option<Value>,
}

#[derive(Default)]
struct Model {
    rows: BTreeMap<Key, Value>,
    records: Vec<Record>,
}

impl Model {
    /// A transaction: keys with what they become.
    fn commit(&mut self, ms: i64, writes: &[(Key, Option<Value>)]) {
        let before = self.rows.clone();
        for (key, after) in writes {
            match after {
                Some(value) => self.rows.insert(*key, *value),
                None => self.rows.remove(key),
            };
        }
        let mut keys: Vec<Key> = writes.iter().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let (before, after) = (before.get(&key).copied(), self.rows.get(&key).copied());
            if before.is_some() || after.is_some() {
                self.records.push(Record {
                    ms,
                    key,
                    before,
                    after,
                });
            }
        }
    }

    fn within(&self, start: i64, end: i64) -> impl Iterator<Item = &Record> {
        self.records
            .iter()
            .filter(move |record| (start..end).contains(&record.ms))
    }

    fn detail(&self, start: i64, end: i64, history: bool) -> Vec<String> {
        let mut out = Vec::new();
        for Record {
            key, before, after, ..
        } in self.within(start, end)
        {
            match (before, after) {
                (None, Some(value)) => out.push(row(0, *key, Some(*value))),
                (Some(old), Some(new)) if history => {
                    out.extend([row(2, *key, Some(*old)), row(3, *key, Some(*new))]);
                }
                (Some(_), Some(new)) => out.push(row(0, *key, Some(*new))),
                (Some(old), None) => out.push(row(1, *key, history.then_some(*old))),
                (None, None) => {}
            }
        }
        out
    }

    fn append_only(&self, start: i64, end: i64, history: bool) -> Vec<String> {
        let inserts = self
            .within(start, end)
            .filter(|record| !history || record.before.is_none());
        inserts
            .filter_map(|record| Some(row(0, record.key, Some(record.after?))))
            .collect()
    }

    fn min_delta(&self, start: i64, end: i64) -> Vec<String> {
        let mut net: BTreeMap<Key, (Option<Value>, Option<Value>)> = BTreeMap::new();
        for record in self.within(start, end) {
            net.entry(record.key).or_insert((record.before, None)).1 = record.after;
        }
        let mut out = Vec::new();
        for (key, change) in net {
            match change {
                (None, Some(new)) => out.push(row(0, key, Some(new))),
                (Some(old), None) => out.push(row(1, key, Some(old))),
                (Some(old), Some(new)) if old != new => {
                    out.extend([row(2, key, Some(old)), row(3, key, Some(new))]);
                }
                _ => {}
            }
        }
        out
    }
}

fn row(op: i8, key: Key, value: Option<Value>) -> String {
    match value {
        Some(value) => format!("{op}|{key}|n{value}|{value}"),
        None => format!("{op}|{key}|NULL|NULL"),
    }
}

/// One random transaction, in the engine and in the model.
async fn step(f: &mut Fixture, model: &mut Model, dice: &mut Dice, ms: i64) {
    f.engine.catalog().clock.pass(first_stamp(ms) - 1);
    match dice.below(4) {
        0 => {
            let (low, high) = (dice.below(30), dice.below(8));
            let keys = model
                .rows
                .keys()
                .copied()
                .filter(|key| (low..low + high).contains(&key.unsigned_abs()));
            let writes: Vec<(Key, Option<Value>)> = keys.map(|key| (key, None)).collect();
            f.run(&format!(
                "DELETE FROM t WHERE id >= {low} AND id < {}",
                low + high
            ))
            .await;
            model.commit(ms, &writes);
        }
        1 => {
            let (rest, value) = (dice.below(5), i64::try_from(dice.below(4)).unwrap());
            let keys = model
                .rows
                .keys()
                .copied()
                .filter(|key| key.unsigned_abs() % 5 == rest);
            let writes: Vec<(Key, Option<Value>)> = keys.map(|key| (key, Some(value))).collect();
            f.run(&format!(
                "UPDATE t SET v = {value}, name = 'n{value}' WHERE id % 5 = {rest}"
            ))
            .await;
            model.commit(ms, &writes);
        }
        _ => {
            let count = 1 + dice.below(12);
            let mut number = |limit| i64::try_from(dice.below(limit)).unwrap();
            let writes: Vec<(Key, Option<Value>)> =
                (0..count).map(|_| (number(30), Some(number(4)))).collect();
            let values: Vec<String> = writes
                .iter()
                .map(|(key, value)| format!("({key}, 'n{0}', {0})", value.unwrap()))
                .collect();
            f.run(&format!("INSERT INTO t VALUES {}", values.join(", ")))
                .await;
            model.commit(ms, &writes);
        }
    }
}

async fn compared(seed: u64, history: bool) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let mut f = Fixture::new().await;
    f.run(&unique_table("t", history, 1 + dice.below(5) as usize, ""))
        .await;
    let mut model = Model::default();
    let first = super::later(&f);
    let mut ms = first;
    for _ in 0..40 {
        step(&mut f, &mut model, &mut dice, ms).await;
        ms += i64::try_from(1 + dice.below(3)).unwrap();
    }
    f.engine.catalog().clock.pass(first_stamp(ms + 10));
    let span = u64::try_from(ms - first).unwrap() + 1;
    for round in 0..12 {
        let (a, b) = (
            i64::try_from(dice.below(span)).unwrap(),
            i64::try_from(dice.below(span)).unwrap(),
        );
        let (start, end) = match round {
            0 => (first, ms + 1),
            _ => (first + a.min(b), first + a.max(b)),
        };
        let mut types = vec![
            ("DETAIL", model.detail(start, end, history)),
            ("APPEND_ONLY", model.append_only(start, end, history)),
        ];
        if history {
            types.push(("MIN_DELTA", model.min_delta(start, end)));
        }
        for (increment, mut expected) in types {
            let mut found = changes(&mut f, increment, &window(start, end)).await;
            if increment == "DETAIL" {
                follow(&found, &expected, &format!("{seed} {history}"));
            }
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "seed {seed}, {increment}, window {round}");
        }
    }
}

/// Changes of each key come in the order of their commits.
fn follow(found: &[String], expected: &[String], what: &str) {
    let of_key = |rows: &[String], key: Key| -> Vec<String> {
        let part = format!("|{key}|");
        rows.iter()
            .filter(|row| row[1..].starts_with(&part))
            .cloned()
            .collect()
    };
    for key in 0..30 {
        assert_eq!(of_key(found, key), of_key(expected, key), "{what}, key {key}");
    }
}

#[tokio::test]
async fn random_writes_are_told_as_they_were_with_history() {
    for seed in 0..12 {
        compared(seed, true).await;
    }
}

#[tokio::test]
async fn random_writes_are_told_as_they_were_without_history() {
    for seed in 100..108 {
        compared(seed, false).await;
    }
}
