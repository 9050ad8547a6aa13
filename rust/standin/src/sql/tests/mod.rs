//! The engine as a client sees it: statements in, texts out.

mod changelog;
mod changes;
mod clients;
mod definitions;
mod hashes;
mod listings;
mod moments;
mod numbers;
mod opaque;
mod plans;
mod queries;
mod values;

use std::sync::Arc;

use crate::cluster::{Backend, Cluster, Frontend};
use crate::profile::Switches;
use crate::sql::engine::{Answer, Engine, Rows, Session};
use crate::values::text::render;

/// An engine of three back ends and a session of it.
pub(crate) struct Fixture {
    pub engine: Arc<Engine>,
    pub session: Session,
}

impl Fixture {
    /// With database `d` chosen, in UTC.
    pub async fn new() -> Self {
        Self::with(Switches::default()).await
    }

    /// The same with switches of its own.
    pub async fn with(switches: Switches) -> Self {
        let frontend = Frontend {
            name: "fe_0".into(),
            host: "127.0.0.1".into(),
            http: 8030,
            mysql: 9030,
            flight: 9611,
            alive: true,
            master: true,
        };
        let backend = |n: u16| Backend {
            id: 10_001 + i64::from(n),
            host: "127.0.0.1".into(),
            http: 8040 + n,
            flight: 9610 + n,
            thrift: 9060 + n,
            alive: true,
        };
        let cluster = Cluster::new(vec![frontend], (0..3).map(backend).collect());
        let engine = Engine::new(Arc::new(cluster), Arc::new(switches), "+00:00".into());
        let session = engine.open_session("root");
        let mut fixture = Self { engine, session };
        fixture.run("CREATE DATABASE d; USE d").await;
        fixture
    }

    /// Answers of statements that must not fail.
    pub async fn run(&mut self, sql: &str) -> Vec<Answer> {
        match self.engine.execute(&mut self.session, sql).await {
            Ok(answers) => answers,
            Err(error) => panic!("{sql}\n{error}"),
        }
    }

    /// Text of the error that a statement must give.
    pub async fn error(&mut self, sql: &str) -> String {
        match self.engine.execute(&mut self.session, sql).await {
            Ok(answers) => panic!("{sql}\ngave {answers:?}"),
            Err(error) => error.message,
        }
    }

    /// Rows of the last statement.
    pub async fn rows(&mut self, sql: &str) -> Rows {
        match self.run(sql).await.pop() {
            Some(Answer::Rows(rows) | Answer::FrontEndRows(rows)) => rows,
            other => panic!("{sql}\ngave {other:?}"),
        }
    }

    /// Rows as `a|b|NULL`.
    pub async fn texts(&mut self, sql: &str) -> Vec<String> {
        let rows = self.rows(sql).await;
        let zone = self.engine.zone(&self.session);
        let mut out = Vec::new();
        for batch in &rows.batches {
            for (column, array) in rows.columns.iter().zip(batch.columns()) {
                assert_eq!(
                    array.data_type(),
                    &column.doris_type.arrow_type(),
                    "{sql}: column {}",
                    column.name
                );
            }
            for row in 0..batch.num_rows() {
                let texts: Vec<String> = rows
                    .columns
                    .iter()
                    .zip(batch.columns())
                    .map(|(c, a)| render(&c.doris_type, a, row, &zone).unwrap_or_else(|| "NULL".into()))
                    .collect();
                out.push(texts.join("|"));
            }
        }
        out
    }

    /// Rows affected by the last statement.
    pub async fn affected(&mut self, sql: &str) -> u64 {
        match self.run(sql).await.pop() {
            Some(Answer::Done { affected, .. }) => affected,
            other => panic!("{sql}\ngave {other:?}"),
        }
    }
}
