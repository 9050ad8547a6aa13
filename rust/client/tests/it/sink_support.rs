//! A sink's configuration, loads that never wait for ever, and scripted clusters.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use doris_arrow::types::{FlinkField, FlinkKind, FlinkType};
use doris_client::Error;
use doris_client::write::config::WriteConfig;
use doris_client::write::load::{Input, Labels, Load, LoadOutcome, LoadSpec};
use doris_client::write::sink::Sink;

use crate::fixture::fixture;
use crate::scripted::{Head, Scripted, Step, answer};
use crate::standin::Standin;
use crate::support::bounded;

/// A sink as Java would describe it.
#[derive(Clone)]
pub struct Write(pub BTreeMap<String, String>);

/// All keys with the defaults of the options, and properties that can be read by eye.
pub fn write(fenodes: &str) -> Write {
    [
        ("fenodes", fenodes),
        ("doris.request.retries", "1"),
        ("doris.request.connect.timeout", "5000"),
        ("doris.request.read.timeout", "5000"),
        ("sink.buffer-size", "65536"),
        ("write.answer-timeout", "10000"),
    ]
    .into_iter()
    .fold(Write(fixture("write-default")), |write, (key, value)| {
        write.with(key, value)
    })
    .properties(&[("format", "csv"), ("compress_type", "")])
}

pub fn write_to(standin: &Standin) -> Write {
    write(&standin.fenodes())
}

impl Write {
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.0.insert(key.to_owned(), value.to_owned());
        self
    }

    pub fn properties(mut self, properties: &[(&str, &str)]) -> Self {
        self.0.retain(|key, _| !key.starts_with("write.propert"));
        for (i, (name, value)) in properties.iter().enumerate() {
            self = self
                .with(&format!("write.property.{i}.name"), name)
                .with(&format!("write.property.{i}.value"), value);
        }
        self.with("write.properties", &properties.len().to_string())
    }

    pub fn sink(&self) -> Sink {
        Sink::new(Arc::new(WriteConfig::from_map(self.0.clone()).unwrap())).unwrap()
    }
}

/// Raw rows of `db.t` under labels `l_0`, `l_1`, ….
pub fn raw() -> LoadSpec {
    spec(Input::Raw { delete_sign: false })
}

pub fn spec(input: Input) -> LoadSpec {
    LoadSpec {
        database: "db".to_owned(),
        table: "t".to_owned(),
        labels: Labels {
            base: "l_".to_owned(),
            next: 0,
        },
        input,
    }
}

/// Declared columns from the inside of a ROW's text.
pub fn fields(text: &str) -> Vec<FlinkField> {
    match FlinkType::parse(&format!("ROW<{text}>")).unwrap().kind {
        FlinkKind::Row(fields) => fields,
        other => panic!("{other}"),
    }
}

/// Hands over raw bytes as so many rows.
pub async fn put(load: &Load, bytes: &[u8], rows: usize) -> Result<(), Error> {
    let mut buffer = bounded(load.acquire(bytes.len())).await?;
    buffer.as_mut_slice().copy_from_slice(bytes);
    load.submit(buffer, rows, &[bytes.len() as i64])
}

/// Rows of an INT and a STRING column, and the delete sign where there is one, as Java's column writers lay them out.
pub async fn put_rows(load: &Load, rows: &[(i32, Option<&str>)], signs: Option<&[i8]>) -> Result<(), Error> {
    let (body, layout) = laid_out(rows, signs);
    let mut buffer = bounded(load.acquire(body.len())).await?;
    buffer.as_mut_slice().copy_from_slice(&body);
    load.submit(buffer, rows.len(), &layout)
}

pub fn laid_out(rows: &[(i32, Option<&str>)], signs: Option<&[i8]>) -> (Vec<u8>, Vec<i64>) {
    let mut body: Vec<u8> = Vec::new();
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut add = |bytes: &[u8]| {
        body.resize(body.len().next_multiple_of(64), 0);
        places.push((body.len(), bytes.len()));
        body.extend_from_slice(bytes);
    };
    add(&[]);
    let ids: Vec<u8> = rows.iter().flat_map(|(id, _)| id.to_le_bytes()).collect();
    add(&ids);
    let nulls = rows.iter().filter(|(_, text)| text.is_none()).count();
    let mut validity = vec![0u8; rows.len().div_ceil(8)];
    let mut offsets = vec![0i32];
    let mut texts = Vec::new();
    for (i, (_, text)) in rows.iter().enumerate() {
        if let Some(text) = text {
            validity[i / 8] |= 1 << (i % 8);
            texts.extend_from_slice(text.as_bytes());
        }
        offsets.push(texts.len() as i32);
    }
    add(if nulls > 0 { &validity } else { &[] });
    let offsets: Vec<u8> = offsets.iter().flat_map(|o| o.to_le_bytes()).collect();
    add(&offsets);
    add(&texts);
    let count = rows.len() as i64;
    let mut nodes = vec![(count, 0), (count, nulls as i64)];
    if let Some(signs) = signs {
        add(&[]);
        add(&signs.iter().map(|s| *s as u8).collect::<Vec<_>>());
        nodes.push((count, 0));
    }
    let mut layout = vec![nodes.len() as i64];
    layout.extend(nodes.iter().flat_map(|(length, nulls)| [*length, *nulls]));
    layout.push(places.len() as i64);
    layout.extend(
        places
            .iter()
            .flat_map(|(at, length)| [*at as i64, *length as i64]),
    );
    body.resize(body.len().next_multiple_of(64), 0);
    (body, layout)
}

/// One load of raw rows, from its first byte to what became of it.
pub async fn load_rows(sink: &Sink, bytes: &[u8], rows: usize) -> Result<Arc<LoadOutcome>, Error> {
    let load = sink.open_load(raw())?;
    put(&load, bytes, rows).await?;
    end(&load).await
}

/// Ends the load and waits for what became of it.
pub async fn end(load: &Load) -> Result<Arc<LoadOutcome>, Error> {
    load.finish();
    bounded(load.outcome()).await
}

/// A front end that sends every load and transaction to one back end and knows label states.
pub async fn front_end(
    backend: SocketAddr,
    state: impl Fn(&str) -> String + Send + Sync + 'static,
) -> Scripted {
    Scripted::start(move |_, head: &Head| front_end_step(head, backend, &state)).await
}

pub fn front_end_step(head: &Head, backend: SocketAddr, state: &impl Fn(&str) -> String) -> Vec<Step> {
    let path = &head.path;
    if path.contains("_stream_load") {
        return vec![Step::Answer(
            307,
            format!("Location: http://root:s3cret@{backend}{path}?\r\n"),
            String::new(),
        )];
    }
    if let Some((_, label)) = path.split_once("get_load_state?label=") {
        let state = state(label);
        return vec![answer(
            200,
            format!(r#"{{"msg":"success","code":0,"data":"{state}","count":0}}"#),
        )];
    }
    if path.ends_with("/_schema") {
        return vec![answer(
            200,
            r#"{"msg":"success","code":0,"count":0,"data":{"keysType":"UNIQUE_KEYS","status":200,"properties":[
            {"name":"id","type":"INT","comment":"","aggregation_type":""},
            {"name":"name","type":"VARCHAR","comment":"","aggregation_type":"REPLACE"}]}}"#,
        )];
    }
    if path.starts_with("/api/query/") {
        return vec![answer(
            200,
            r#"{"msg":"success","code":0,"count":0,"data":{"type":"result_set","meta":[{"name":"COLUMN_NAME"},{"name":"COLUMN_TYPE"}],"data":[["id","int"],["name","varchar(100)"]],"time":1}}"#,
        )];
    }
    vec![answer(404, "no such page")]
}
