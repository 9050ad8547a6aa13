//! The changelog as a client sees it.

mod columns;
mod declared;
mod detail;
mod kinds;
mod model;
mod retention;
mod windows;

use crate::cluster::clock::first_stamp;
use crate::profile::Switches;
use crate::sql::tests::Fixture;
use crate::values::datetime::write_datetime;

/// A fixture with table `t` of the given properties beside the changelog's.
async fn unique(history: bool, more: &str) -> Fixture {
    let mut f = Fixture::new().await;
    f.run(&unique_table("t", history, 4, more)).await;
    f
}

/// A statement that makes a Unique table with a changelog.
fn unique_table(name: &str, history: bool, buckets: usize, more: &str) -> String {
    format!(
        r#"CREATE TABLE {name} (id INT NOT NULL, name VARCHAR(20), v INT) UNIQUE KEY(id)
        DISTRIBUTED BY HASH(id) BUCKETS {buckets}
        PROPERTIES ("changelog.enable" = "true", "changelog.need_historical_value" = "{history}" {more})"#
    )
}

/// Switches from assignments.
fn switches(assignments: &[&str]) -> Switches {
    let mut switches = Switches::default();
    for assignment in assignments {
        switches.set(assignment).unwrap();
    }
    switches
}

/// Operation and row of the changes of `t`, in order. `parameters` stand behind the type.
async fn changes(f: &mut Fixture, increment: &str, parameters: &str) -> Vec<String> {
    f.texts(&format!(
        "SELECT __DORIS_CHANGELOG_OP__, * FROM t@incr('incrementType' = '{increment}'{parameters}) \
         ORDER BY __DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__"
    ))
    .await
}

/// The same with the rows sorted, for changes of several keys at once.
async fn sorted_changes(f: &mut Fixture, increment: &str) -> Vec<String> {
    let mut found = changes(f, increment, "").await;
    found.sort();
    found
}

/// Lets the next commit have exactly the first stamp of a millisecond, which lies in the future.
fn next_stamp_at(f: &Fixture, ms: i64) {
    f.engine.catalog().clock.pass(first_stamp(ms) - 1);
}

/// A whole second some time from now, milliseconds of the epoch.
fn later(f: &Fixture) -> i64 {
    (f.engine.catalog().clock.now_micros() / 1_000_000 + 3600) * 1000
}

/// A moment as text in UTC with three digits of its second.
fn text(ms: i64) -> String {
    let mut out = String::new();
    write_datetime(&mut out, ms * 1000, 3);
    out
}

/// The parameters of a window.
fn window(start: i64, end: i64) -> String {
    format!(
        ", 'startTimestamp' = '{}', 'endTimestamp' = '{}'",
        text(start),
        text(end)
    )
}
