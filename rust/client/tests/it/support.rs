//! A cluster, a configuration for it, and readers that never wait for ever.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};
use doris_arrow::types::FlinkType;
use doris_client::read::config::ReadConfig;
use doris_client::read::scan::{Next, Scan, ScanBatch};
use doris_client::{Error, ErrorKind};

use crate::fixture::fixture;
use crate::standin::{Standin, StandinConfig};

/// Longer than anything here takes.
pub const BOUND: Duration = Duration::from_secs(60);

pub async fn cluster(init: &str) -> Standin {
    cluster_with(init, |_| {}).await
}

pub async fn cluster_with(init: &str, change: impl FnOnce(&mut StandinConfig)) -> Standin {
    let mut config = StandinConfig {
        init_sql: init.to_owned(),
        ..StandinConfig::default()
    };
    change(&mut config);
    Standin::start(config)
        .await
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A read of one table, as Java would describe it.
#[derive(Clone)]
pub struct Read(pub BTreeMap<String, String>);

/// All keys with the defaults of the options, but shorter limits of time; `columns` are names and types, declared and wanted.
pub fn read(standin: &Standin, table: &str, columns: &[(&str, &str)]) -> Read {
    let parts: Vec<&str> = table.split('.').collect();
    let (catalog, database, name) = match parts[..] {
        [database, name] => ("", database, name),
        [catalog, database, name] => (catalog, database, name),
        _ => panic!("{table}"),
    };
    let read = Read(fixture("read-default"))
        .with("fenodes", &standin.fenodes())
        .with("table.catalog", catalog)
        .with("table.database", database)
        .with("table.name", name)
        .with("doris.request.connect.timeout", "5000")
        .with("doris.request.read.timeout", "5000")
        .with("doris.request.query.timeout", "20000")
        .declared(columns);
    let all: Vec<(String, &str)> = columns.iter().map(|(n, t)| (format!("`{n}`"), *t)).collect();
    read.wanted(&all.iter().map(|(n, t)| (n.as_str(), *t)).collect::<Vec<_>>())
}

impl Read {
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.0.insert(key.to_owned(), value.to_owned());
        self
    }

    pub fn declared(self, columns: &[(&str, &str)]) -> Self {
        let fields: Vec<String> = columns.iter().map(|(n, t)| format!("`{n}` {t}")).collect();
        self.with("read.declared", &format!("ROW<{}>", fields.join(", ")))
    }

    /// The produced columns: paths in backticks and types.
    pub fn wanted(mut self, columns: &[(&str, &str)]) -> Self {
        self.0.retain(|key, _| !key.starts_with("read.column"));
        for (i, (path, r#type)) in columns.iter().enumerate() {
            self.0.insert(format!("read.column.{i}.path"), (*path).to_owned());
            self.0
                .insert(format!("read.column.{i}.type"), (*r#type).to_owned());
        }
        self.with("read.columns", &columns.len().to_string())
    }

    pub fn config(&self) -> Arc<ReadConfig> {
        Arc::new(ReadConfig::from_map(self.0.clone()).unwrap())
    }

    pub fn scan(&self) -> Scan {
        Scan::new(self.config())
    }

    pub fn schema(&self) -> Arc<Schema> {
        let count: usize = self.0["read.columns"].parse().unwrap();
        let fields: Vec<Field> = (0..count)
            .map(|i| {
                let flink = FlinkType::parse(&self.0[&format!("read.column.{i}.type")]).unwrap();
                Field::new(format!("c{i}"), flink.canonical().unwrap(), true)
            })
            .collect();
        Arc::new(Schema::new(fields))
    }

    pub async fn plan(&self) -> Result<doris_client::read::plan::ScanPlan, Error> {
        bounded(doris_client::read::plan::plan(&self.config())).await
    }

    /// Plans, then reads every tablet as a split of its own; rows as lines of text, sorted.
    pub async fn rows(&self) -> Result<Vec<String>, Error> {
        let plan = self.plan().await?;
        let scan = self.scan();
        let mut rows = Vec::new();
        let splits: Vec<Vec<i64>> = if plan.has_tablets {
            plan.tablets.iter().map(|t| vec![t.id]).collect()
        } else {
            vec![vec![]]
        };
        for split in splits {
            for batch in drain(&scan, split).await? {
                rows.extend(lines(&self.decode(&batch)));
            }
        }
        bounded(scan.close()).await;
        rows.sort();
        Ok(rows)
    }

    /// One split, whole.
    pub async fn split(&self, tablets: Vec<i64>) -> Result<Vec<String>, Error> {
        let scan = self.scan();
        let batches = drain(&scan, tablets).await;
        let mut rows: Vec<String> = batches?
            .iter()
            .flat_map(|batch| lines(&self.decode(batch)))
            .collect();
        bounded(scan.close()).await;
        rows.sort();
        Ok(rows)
    }

    pub fn decode(&self, batch: &ScanBatch) -> RecordBatch {
        let message = arrow::ipc::root_as_message(&batch.ipc.header).unwrap();
        let schema = self.schema();
        if schema.fields().is_empty() {
            let options = RecordBatchOptions::new().with_row_count(Some(batch.ipc.rows));
            return RecordBatch::try_new_with_options(schema, vec![], &options).unwrap();
        }
        let decoded = arrow::ipc::reader::read_record_batch(
            &batch.ipc.body.clone().into(),
            message.header_as_record_batch().unwrap(),
            schema,
            &Default::default(),
            None,
            &message.version(),
        )
        .unwrap();
        assert_eq!(decoded.num_rows(), batch.ipc.rows);
        decoded
    }
}

/// Takes everything of the split that was started, up to its end.
pub async fn rest_of_split(scan: &Scan) -> Result<Vec<ScanBatch>, Error> {
    let mut batches = Vec::new();
    loop {
        match bounded(scan.next()).await? {
            Next::Batch(batch) => batches.push(batch),
            Next::End => return Ok(batches),
            Next::Woken => {}
        }
    }
}

/// Starts a split and takes everything, up to its end.
pub async fn drain(scan: &Scan, tablets: Vec<i64>) -> Result<Vec<ScanBatch>, Error> {
    scan.start(tablets, None)?;
    rest_of_split(scan).await
}

/// Starts a split and counts its rows, giving every batch back at once.
pub async fn count(scan: &Scan, tablets: Vec<i64>) -> Result<u64, Error> {
    scan.start(tablets, None)?;
    let mut rows = 0;
    loop {
        match bounded(scan.next()).await? {
            Next::Batch(batch) => rows += batch.ipc.rows as u64,
            Next::End => return Ok(rows),
            Next::Woken => {}
        }
    }
}

pub async fn bounded<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(BOUND, future).await.expect("it hangs")
}

/// Polls a condition until it holds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(10), async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert!(waited.await.is_ok(), "waited in vain until {what}");
}

/// Rows as text, columns joined by `|`.
pub fn lines(batch: &RecordBatch) -> Vec<String> {
    let options = arrow::util::display::FormatOptions::default().with_null("NULL");
    let columns: Vec<_> = batch
        .columns()
        .iter()
        .map(|c| arrow::util::display::ArrayFormatter::try_new(c.as_ref(), &options).unwrap())
        .collect();
    (0..batch.num_rows())
        .map(|row| {
            columns
                .iter()
                .map(|c| c.value(row).to_string())
                .collect::<Vec<_>>()
                .join("|")
        })
        .collect()
}

/// Checks the kind and that the message has all parts and no secret.
pub fn assert_error(error: &Error, kind: ErrorKind, parts: &[&str]) {
    let text = format!("{error}");
    assert_eq!(error.kind(), kind, "{text}");
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
    for shown in [text, format!("{error:?}")] {
        for secret in ["s3cret", "Bearer", "Basic "] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}
