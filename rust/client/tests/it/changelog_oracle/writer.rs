//! Random writes to the table: Stream Loads with and without two phases, partial updates, deletes, statements; transactions
//! that stay open and commits that are slow to become visible.

use serde_json::{Value, json};

use super::model::{Key, Kind, Model, Row, Write};
use crate::dice::Dice;
use crate::standin::{Standin, TxnState};
use crate::support::until;

/// A transaction that is loaded and not decided.
struct Open {
    id: i64,
    writes: Vec<Write>,
}

pub struct Writer<'a> {
    standin: &'a Standin,
    http: reqwest::Client,
    dice: Dice,
    open: Vec<Open>,
    /// Rules that hold publications back.
    slow: Vec<u64>,
    loads: u64,
    pub model: Model,
}

impl<'a> Writer<'a> {
    pub fn new(standin: &'a Standin, kind: Kind, dice: Dice) -> Self {
        Self {
            standin,
            http: reqwest::Client::builder().no_proxy().build().unwrap(),
            dice,
            open: Vec::new(),
            slow: Vec::new(),
            loads: 0,
            model: Model::new(kind),
        }
    }

    /// One random thing.
    pub async fn step(&mut self) {
        match self.dice.below(12) {
            0..4 => self.load(false).await,
            4..6 => self.load(true).await,
            6..9 if !self.open.is_empty() => self.decide_one().await,
            9 if self.slow.len() < 2 && !self.open.is_empty() => self.commit_slowly().await,
            9..11 if !self.slow.is_empty() => self.publish_one().await,
            _ => self.statement().await,
        }
    }

    /// Decides what is open and lets everything become visible.
    pub async fn settle(&mut self) {
        while !self.open.is_empty() {
            self.decide_one().await;
        }
        while !self.slow.is_empty() {
            self.publish_one().await;
        }
        until("all commits are visible", || {
            let finished = |state| matches!(state, TxnState::Visible | TxnState::Aborted);
            self.standin.transactions().iter().all(|txn| finished(txn.state))
        })
        .await;
    }

    fn key(&mut self) -> Key {
        let texts = [None, Some(""), Some("x"), Some("é\u{1}")];
        let k2 = self.dice.pick(&texts).map(str::to_owned);
        (self.dice.below(7) as i64 - 3, k2)
    }

    fn row(&mut self) -> Row {
        let b = match self.dice.below(4) {
            0 => None,
            1 => Some(String::new()),
            _ => Some(format!("b{}", self.dice.below(50))),
        };
        Row {
            key: self.key(),
            a: (!self.dice.once_in(5)).then(|| self.dice.below(100) as i64),
            b,
        }
    }

    /// A load of a few rows; headers and rows as JSON say how.
    fn writes(&mut self) -> (Vec<Write>, &'static [(&'static str, &'static str)]) {
        let count = 1 + self.dice.below(5);
        if self.model.kind == Kind::Duplicate {
            return ((0..count).map(|_| Write::Put(self.row())).collect(), &[]);
        }
        match self.dice.below(6) {
            0 => (
                (0..count).map(|_| Write::Delete(self.key())).collect(),
                &[("merge_type", "DELETE")],
            ),
            1 => {
                let writes = (0..count).map(|_| {
                    let key = self.key();
                    Write::Partial(key, Some(self.dice.below(100) as i64))
                });
                (
                    writes.collect(),
                    &[("partial_columns", "true"), ("columns", "k1,k2,a")],
                )
            }
            2 | 3 => {
                let writes = (0..count).map(|_| match self.dice.once_in(3) {
                    true => Write::Delete(self.key()),
                    false => Write::Put(self.row()),
                });
                (writes.collect(), &[("hidden_columns", "__DORIS_DELETE_SIGN__")])
            }
            _ => ((0..count).map(|_| Write::Put(self.row())).collect(), &[]),
        }
    }

    async fn load(&mut self, two_phase: bool) {
        let (writes, headers) = self.writes();
        let signed = headers.iter().any(|(name, _)| *name == "hidden_columns");
        let lines: Vec<String> = writes
            .iter()
            .map(|write| line(write, signed).to_string())
            .collect();
        self.loads += 1;
        let mut request = self
            .http
            .put(format!(
                "http://127.0.0.1:{}/api/db/t/_stream_load",
                self.standin.ports().be[0].http
            ))
            .basic_auth("root", Some(""))
            .header("label", format!("load{}", self.loads))
            .header("format", "json")
            .header("read_json_by_line", "true")
            .header("two_phase_commit", two_phase.to_string())
            .body(lines.join("\n"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        // A commit behind one that is slow is slow itself.
        let status = answer["Status"].as_str().unwrap_or_default();
        assert!(matches!(status, "Success" | "Publish Timeout"), "{answer}");
        let id = answer["TxnId"].as_i64().unwrap();
        if two_phase {
            self.open.push(Open { id, writes });
        } else {
            self.committed(id, &writes);
        }
    }

    fn committed(&mut self, id: i64, writes: &[Write]) {
        let all = self.standin.transactions();
        let txn = all.iter().find(|txn| txn.id == id).unwrap();
        let tso = txn.tso.unwrap_or_else(|| panic!("{txn:?}"));
        self.model.commit(i64::try_from(tso).unwrap(), writes);
    }

    async fn decide_one(&mut self) {
        let which = self.dice.below(self.open.len() as u64) as usize;
        let open = self.open.swap_remove(which);
        let commit = !self.dice.once_in(4);
        self.decide(open.id, if commit { "commit" } else { "abort" })
            .await;
        if commit {
            self.committed(open.id, &open.writes);
        }
    }

    async fn commit_slowly(&mut self) {
        let which = self.dice.below(self.open.len() as u64) as usize;
        let open = self.open.swap_remove(which);
        let all = self.standin.transactions();
        let label = &all.iter().find(|txn| txn.id == open.id).unwrap().label;
        let rule = json!({"at": "txn.publish", "match": {"label": label}, "do": {"hold": true}});
        self.slow
            .push(self.standin.add_fault_json(&rule.to_string()).unwrap());
        self.decide(open.id, "commit").await;
        self.committed(open.id, &open.writes);
    }

    async fn publish_one(&mut self) {
        let which = self.dice.below(self.slow.len() as u64) as usize;
        assert!(self.standin.delete_fault(self.slow.swap_remove(which)));
        if self.slow.is_empty() {
            until("commits are visible", || {
                !self
                    .standin
                    .transactions()
                    .iter()
                    .any(|txn| txn.state == TxnState::Committed)
            })
            .await;
        }
    }

    async fn decide(&self, id: i64, operation: &str) {
        let answer: Value = self
            .http
            .put(format!(
                "http://127.0.0.1:{}/api/db/_stream_load_2pc",
                self.standin.ports().be[0].http
            ))
            .basic_auth("root", Some(""))
            .header("txn_id", id.to_string())
            .header("txn_operation", operation)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        assert_eq!(answer["status"], "Success", "{answer}");
    }

    /// Statements see what is visible only, so those that look wait until nothing is under way.
    async fn statement(&mut self) {
        let blind = !self.slow.is_empty() || self.model.kind == Kind::Duplicate;
        let (sql, writes) = match if blind { 0 } else { self.dice.below(3) } {
            0 => {
                let rows: Vec<Row> = (0..1 + self.dice.below(3)).map(|_| self.row()).collect();
                let values: Vec<String> = rows
                    .iter()
                    .map(|row| {
                        let a = row.a.map_or("NULL".to_owned(), |a| a.to_string());
                        format!("({}, {}, {a}, {})", row.key.0, quoted(&row.key.1), quoted(&row.b))
                    })
                    .collect();
                let sql = format!("INSERT INTO db.t (k1, k2, a, b) VALUES {}", values.join(", "));
                (sql, rows.into_iter().map(Write::Put).collect::<Vec<_>>())
            }
            1 => {
                let k1 = self.key().0;
                let keys = self.model.keys().into_iter().filter(|key| key.0 == k1);
                (
                    format!("DELETE FROM db.t WHERE k1 = {k1}"),
                    keys.map(Write::Delete).collect(),
                )
            }
            _ => {
                let k1 = self.key().0;
                let a = self.dice.below(100) as i64;
                let keys = self.model.keys().into_iter().filter(|key| key.0 == k1);
                (
                    format!("UPDATE db.t SET a = {a} WHERE k1 = {k1}"),
                    keys.map(|key| Write::Partial(key, Some(a))).collect(),
                )
            }
        };
        let newest = |standin: &Standin| standin.transactions().iter().map(|txn| txn.id).max();
        let before = newest(self.standin);
        self.standin
            .execute(&sql)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        match newest(self.standin) {
            id if id == before => assert!(writes.is_empty(), "{sql} made no transaction"),
            id => self.committed(id.unwrap(), &writes),
        }
    }
}

fn line(write: &Write, signed: bool) -> Value {
    let mut line = match write {
        Write::Put(row) => json!({"k1": row.key.0, "k2": row.key.1, "a": row.a, "b": row.b}),
        Write::Partial(key, a) => json!({"k1": key.0, "k2": key.1, "a": a}),
        Write::Delete(key) => json!({"k1": key.0, "k2": key.1, "a": null, "b": null}),
    };
    if signed {
        let sign = u8::from(matches!(write, Write::Delete(_)));
        line["__DORIS_DELETE_SIGN__"] = json!(sign);
    }
    line
}

fn quoted(text: &Option<String>) -> String {
    text.as_ref()
        .map_or("NULL".to_owned(), |text| format!("'{text}'"))
}
