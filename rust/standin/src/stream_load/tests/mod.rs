//! Loads as a client sees them: headers and bytes in, rows out.

mod arrow;
mod cases;
mod changes;
mod columns;
mod csv;
mod errors;
mod json;
mod types;
mod unique;

use bytes::Bytes;

use super::{LoadRefused, Staged, StreamLoad};
use crate::sql::tests::Fixture;
use crate::store::load::Load;
use crate::stream_load::headers::LoadHeaders;

/// What a committed load told.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    total: u64,
    loaded: u64,
    filtered: u64,
    unselected: u64,
}

/// Reads a body in pieces of a few bytes, so that no reader can rely on whole lines.
async fn stage(
    f: &Fixture,
    table: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<Staged, LoadRefused> {
    let headers: LoadHeaders = headers.iter().map(|(name, value)| (*name, *value)).collect();
    let mut load = StreamLoad::begin(&f.engine, "d", table, &headers).await?;
    for piece in body.chunks(body.len().clamp(7, 7000)) {
        load.push(Bytes::copy_from_slice(piece)).await?;
    }
    let staged = load.finish().await?;
    assert_eq!(staged.bytes, body.len() as u64);
    Ok(staged)
}

/// Makes the rows of a load visible.
async fn commit(f: &Fixture, load: Load) {
    let catalog = f.engine.catalog();
    load.commit(catalog, catalog.clock.stamp()).await.unwrap();
}

/// Loads and commits; the load must be taken.
async fn load(f: &Fixture, table: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Counts {
    let staged = match stage(f, table, headers, body.as_ref()).await {
        Ok(staged) => staged,
        Err(refused) => panic!("{}", refused.message),
    };
    assert_eq!(staged.refused, None, "{:?}", staged.error_lines);
    if let Some(load) = staged.load {
        commit(f, load).await;
    }
    Counts {
        total: staged.total,
        loaded: staged.loaded,
        filtered: staged.filtered,
        unselected: staged.unselected,
    }
}

/// Message of a load that is refused for its headers.
async fn refusal(f: &Fixture, table: &str, headers: &[(&str, &str)]) -> String {
    match stage(f, table, headers, b"").await {
        Ok(staged) => panic!("{headers:?} were taken: {staged:?}"),
        Err(refused) => refused.message,
    }
}

/// Error lines of a load whose rows are refused.
async fn complaints(
    f: &Fixture,
    table: &str,
    headers: &[(&str, &str)],
    body: impl AsRef<[u8]>,
) -> Vec<String> {
    let staged = stage(f, table, headers, body.as_ref()).await.unwrap();
    assert_eq!(
        staged.refused.as_deref(),
        Some("[DATA_QUALITY_ERROR]too many filtered rows")
    );
    assert!(staged.load.is_none());
    assert_eq!(
        (staged.loaded, staged.filtered as usize),
        (0, staged.error_lines.len())
    );
    staged.error_lines
}

fn all(rows: u64) -> Counts {
    Counts {
        total: rows,
        loaded: rows,
        filtered: 0,
        unselected: 0,
    }
}
