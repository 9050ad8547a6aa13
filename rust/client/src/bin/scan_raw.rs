//! Reads a table and throws it away: the measure for what a read costs before Flink.
//!
//! `scan_raw MODE FE TABLE COLUMNS [TABLETS]`, `scan_raw changes FE TABLE COLUMNS START END`
//!
//! - MODE: `raw` takes Arrow Flight messages and reads only their row counts; `scan` reads through [`Scan`] with all
//!   of its checks and conversions; `changes` reads windows of a minute from START to END, both `yyyy-MM-dd HH:mm:ss`
//!   in UTC, in the same way.
//! - FE: `host:http_port`. Login by `DORIS_USER` (else `root`) and `DORIS_PASSWORD` (else empty).
//! - TABLE: `database.table`. COLUMNS: `name TYPE;name TYPE` with Flink's types.
//! - TABLETS: `all` (the default: each tablet is a query of its own, as Flink's splits are), `none` (one query without
//!   a `TABLET` clause) or ids `1,2,3`.
//!
//! A program of its own rather than an example: examples build what tests need, DataFusion among it.
//!
//! Prints `rows=… bytes=… cpu_s=… wall_s=…`; CPU is that of the whole process.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use arrow_flight::sql::client::FlightSqlServiceClient;
use chrono::{DateTime, NaiveDateTime};
use doris_client::read::config::ReadConfig;
use doris_client::read::plan::plan;
use doris_client::read::scan::{Next, Scan};
use doris_client::read::window::{Slice, WindowSpec};
use tonic::transport::{Channel, Endpoint};

/// Length of a window of changes, in milliseconds.
const WINDOW_MILLIS: i64 = 60_000;

const TIME: &str = "%Y-%m-%d %H:%M:%S";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, fe, table, columns, rest @ ..] = arguments.as_slice() else {
        return Err(
            "usage: scan_raw raw|scan FE_HOST:HTTP_PORT DATABASE.TABLE 'name TYPE;name TYPE' [all|none|IDS]"
                .into(),
        );
    };
    if mode == "changes" {
        let [start, end] = rest else {
            return Err("changes are read from START to END".into());
        };
        let config = Arc::new(config(fe, table, columns, "detail")?);
        return measured(changes(config, millis(start)?, millis(end)?)).await;
    }
    let config = Arc::new(config(fe, table, columns, "")?);
    let splits: Vec<Vec<i64>> = match rest.first().map_or("all", String::as_str) {
        "none" => vec![vec![]],
        "all" => plan(&config).await?.tablets.iter().map(|t| vec![t.id]).collect(),
        ids => ids
            .split(',')
            .map(|id| Ok(vec![id.parse()?]))
            .collect::<Result<_>>()?,
    };
    match mode.as_str() {
        "scan" => measured(scan(config, &splits)).await,
        "raw" => measured(raw(fe, table, columns, &splits)).await,
        other => Err(format!("'{other}' is neither raw nor scan nor changes").into()),
    }
}

/// Prints what a read of rows and bytes cost.
async fn measured(read: impl Future<Output = Result<(u64, u64)>>) -> Result<()> {
    let (cpu, wall) = (cpu_seconds()?, Instant::now());
    let (rows, bytes) = read.await?;
    let cpu = cpu_seconds()? - cpu;
    println!(
        "rows={rows} bytes={bytes} cpu_s={cpu:.3} wall_s={:.3}",
        wall.elapsed().as_secs_f64()
    );
    Ok(())
}

async fn changes(config: Arc<ReadConfig>, start: i64, end: i64) -> Result<(u64, u64)> {
    let scan = Scan::new(config);
    let mut from = start;
    while from < end {
        let to = end.min(from + WINDOW_MILLIS);
        scan.start_window(WindowSpec {
            start_text: text(from)?,
            end_text: text(to)?,
            start_millis: from,
            end_millis: to,
            increment_type: None,
            slice: Slice::Whole,
            position: None,
            verify: true,
        })?;
        drain(&scan).await?;
        from = to;
    }
    scan.close().await;
    let metrics = scan.metrics();
    Ok((metrics.rows, metrics.bytes))
}

fn millis(text: &str) -> Result<i64> {
    Ok(NaiveDateTime::parse_from_str(text, TIME)?
        .and_utc()
        .timestamp_millis())
}

fn text(millis: i64) -> Result<String> {
    let time = DateTime::from_timestamp_millis(millis).ok_or("no such time")?;
    Ok(time.format(TIME).to_string())
}

async fn drain(scan: &Scan) -> Result<()> {
    loop {
        match scan.next().await? {
            Next::Batch(batch) => drop(batch),
            Next::End => return Ok(()),
            Next::Woken => {}
        }
    }
}

async fn scan(config: Arc<ReadConfig>, splits: &[Vec<i64>]) -> Result<(u64, u64)> {
    let scan = Scan::new(config);
    for split in splits {
        scan.start(split.clone(), None)?;
        drain(&scan).await?;
    }
    scan.close().await;
    let metrics = scan.metrics();
    Ok((metrics.rows, metrics.bytes))
}

async fn raw(fe: &str, table: &str, columns: &str, splits: &[Vec<i64>]) -> Result<(u64, u64)> {
    let host = fe.rsplit_once(':').ok_or("FE has no port")?.0;
    let port = std::env::var("DORIS_FLIGHT_PORT")
        .map_err(|_| "raw needs DORIS_FLIGHT_PORT, the front end's Flight port")?;
    let mut session = FlightSqlServiceClient::new(connect(&format!("{host}:{port}")).await?);
    session.handshake(&user(), &password()).await?;
    let names: Vec<String> = pairs(columns)?
        .into_iter()
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let mut backends: BTreeMap<String, FlightSqlServiceClient<Channel>> = BTreeMap::new();
    let (mut rows, mut bytes) = (0, 0);
    for split in splits {
        let ids: Vec<String> = split.iter().map(ToString::to_string).collect();
        let tablets = if ids.is_empty() {
            String::new()
        } else {
            format!(" TABLET({})", ids.join(","))
        };
        let info = session
            .execute(format!("SELECT {} FROM {table}{tablets}", names.join(", ")), None)
            .await?;
        for endpoint in info.endpoint {
            let uri = endpoint
                .location
                .first()
                .map(|l| l.uri.clone())
                .unwrap_or_default();
            let address = uri.split_once("://").map_or("", |(_, rest)| rest).to_owned();
            let client = match backends.get_mut(&address) {
                Some(client) => client,
                None => {
                    let client = FlightSqlServiceClient::new(connect(&address).await?);
                    backends.entry(address).or_insert(client)
                }
            };
            let mut stream = client
                .inner_mut()
                .do_get(endpoint.ticket.ok_or("no ticket")?)
                .await?
                .into_inner();
            while let Some(data) = stream.message().await? {
                bytes += (data.data_header.len() + data.data_body.len()) as u64;
                let message = arrow::ipc::root_as_message(&data.data_header).map_err(|e| e.to_string())?;
                if let Some(batch) = message.header_as_record_batch() {
                    rows += batch.length() as u64;
                }
            }
        }
    }
    Ok((rows, bytes))
}

async fn connect(address: &str) -> Result<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?
        .initial_stream_window_size(16 << 20)
        .initial_connection_window_size(16 << 20)
        .max_frame_size(1 << 20);
    Ok(endpoint.connect().await?)
}

/// What Java sends where a table has no options of its own.
const DEFAULTS: &str = include_str!("../../../../tests/fixtures/config/read-default.properties");

fn config(fe: &str, table: &str, columns: &str, increment_type: &str) -> Result<ReadConfig> {
    let (database, name) = table.split_once('.').ok_or("TABLE is DATABASE.TABLE")?;
    let columns = pairs(columns)?;
    let declared: Vec<String> = columns
        .iter()
        .map(|(name, r#type)| format!("`{name}` {type}"))
        .collect();
    let mut map: BTreeMap<String, String> = DEFAULTS
        .lines()
        .filter(|line| !line.starts_with("read.column"))
        .filter_map(|line| line.split_once('='))
        .chain([
            ("fenodes", fe),
            ("username", &*user()),
            ("password", &*password()),
            ("table.database", database),
            ("table.name", name),
            ("changelog.increment-type", increment_type),
            ("changelog.visible-wait-timeout", "0"),
            ("read.declared", &*format!("ROW<{}>", declared.join(", "))),
            ("read.columns", &*columns.len().to_string()),
        ])
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    for (i, (name, r#type)) in columns.into_iter().enumerate() {
        map.insert(format!("read.column.{i}.path"), format!("`{name}`"));
        map.insert(format!("read.column.{i}.type"), r#type);
    }
    Ok(ReadConfig::from_map(map)?)
}

fn pairs(columns: &str) -> Result<Vec<(String, String)>> {
    columns
        .split(';')
        .map(|column| {
            let (name, r#type) = column
                .trim()
                .split_once(' ')
                .ok_or_else(|| format!("'{column}' is not 'name TYPE'"))?;
            Ok((name.to_owned(), r#type.to_owned()))
        })
        .collect()
}

fn user() -> String {
    std::env::var("DORIS_USER").unwrap_or_else(|_| "root".to_owned())
}

fn password() -> String {
    std::env::var("DORIS_PASSWORD").unwrap_or_default()
}

/// User and system time of this process, from Linux' own account of it in ticks of 10 ms.
fn cpu_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in parentheses, may hold blanks.
    let (_, fields) = stat.rsplit_once(')').ok_or("/proc/self/stat is unreadable")?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || -> Result<f64> { Ok(fields.next().ok_or("/proc/self/stat is short")?.parse()?) };
    Ok((ticks()? + ticks()?) / 100.0)
}
