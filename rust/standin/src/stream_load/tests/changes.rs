//! What loads leave in the changelog.

use std::collections::BTreeMap;

use super::{load, stage};
use crate::profile::Switches;
use crate::sql::tests::Fixture;

const JSON: (&str, &str) = ("format", "json");
const SIGN: (&str, &str) = ("hidden_columns", "__DORIS_DELETE_SIGN__");

async fn table(more: &str) -> Fixture {
    table_of(&[], true, more).await
}

async fn table_of(assignments: &[&str], history: bool, more: &str) -> Fixture {
    let mut switches = Switches::default();
    for assignment in assignments {
        switches.set(assignment).unwrap();
    }
    let mut f = Fixture::with(switches).await;
    f.run(&format!(
        "CREATE TABLE t (id INT, seq INT, a STRING, b STRING DEFAULT 'b') UNIQUE KEY(id)
         DISTRIBUTED BY HASH(id) BUCKETS 2
         PROPERTIES (\"changelog.enable\" = \"true\", \"changelog.need_historical_value\" = \"{history}\" {more})"
    ))
    .await;
    f
}

/// Operation and row of all changes, sorted.
async fn changes(f: &mut Fixture) -> Vec<String> {
    let mut found = f
        .texts("SELECT __DORIS_CHANGELOG_OP__, * FROM t@incr('incrementType' = 'DETAIL')")
        .await;
    found.sort();
    found
}

#[tokio::test]
async fn delete_signs_and_merge_types_delete_what_is_there() {
    let mut f = table("").await;
    load(&f, "t", &[], "1\t1\ta\tb\n2\t1\ta\tb").await;
    // 1 goes, 2 is deleted and comes again: an update; 3 comes and goes, 9 was never there: nothing.
    let body =
        "1\t\\N\t\\N\t\\N\t1\n2\t9\tx\ty\t1\n2\t2\tnew\tb\t0\n3\t1\ta\tb\t0\n3\t1\ta\tb\t1\n9\t1\ta\tb\t1";
    load(&f, "t", &[SIGN], body).await;
    assert_eq!(
        changes(&mut f).await,
        ["0|1|1|a|b", "0|2|1|a|b", "1|1|1|a|b", "2|2|1|a|b", "3|2|2|new|b"]
    );
    load(&f, "t", &[("merge_type", "delete"), ("columns", "id")], "2\n7").await;
    load(&f, "t", &[], "1\t5\tback\tb").await;
    let found = changes(&mut f).await;
    assert_eq!(found.len(), 7);
    assert!(
        found.contains(&"1|2|2|new|b".into()) && found.contains(&"0|1|5|back|b".into()),
        "{found:?}"
    );
}

#[tokio::test]
async fn partial_updates_are_recorded_as_whole_rows() {
    let mut f = table("").await;
    load(&f, "t", &[], "1\t1\ta\tx").await;
    let partial = [JSON, ("partial_columns", "true"), ("columns", "id,a")];
    let body = "{\"id\":1,\"a\":\"new\"}\n{\"id\":3,\"a\":\"c\"}\n{\"id\":3,\"a\":\"d\"}";
    load(&f, "t", &partial, body).await;
    assert_eq!(
        changes(&mut f).await,
        ["0|1|1|a|x", "0|3|NULL|d|b", "2|1|1|a|x", "3|1|1|new|x"]
    );
    let mut f = table("").await;
    load(&f, "t", &[], "1\t1\ta\tx\n2\t2\ta\tx\n3\t3\ta\tx").await;
    let flexible = [JSON, ("unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS")];
    // 3 is deleted and written in one load: one update, and what was not given is as in a new row.
    let body = r#"{"id":1,"a":"new"}
{"id":1,"b":"too"}
{"id":2,"__DORIS_DELETE_SIGN__":1}
{"id":3,"__DORIS_DELETE_SIGN__":1}
{"id":3,"a":"again"}"#;
    load(&f, "t", &flexible, body).await;
    assert_eq!(
        changes(&mut f).await[3..],
        [
            "1|2|2|a|x",
            "2|1|1|a|x",
            "2|3|3|a|x",
            "3|1|1|new|too",
            "3|3|NULL|again|b"
        ]
    );
}

#[tokio::test]
async fn partial_updates_are_looked_for_where_no_history_is_kept_and_whole_rows_are_not() {
    let mut f = table_of(&[], false, "").await;
    load(&f, "t", &[], "1\t1\ta\tx").await;
    load(&f, "t", &[], "1\t2\tb\tx\n2\t1\ta\tx").await;
    let partial = [JSON, ("partial_columns", "true"), ("columns", "id,a")];
    load(
        &f,
        "t",
        &partial,
        "{\"id\":1,\"a\":\"new\"}\n{\"id\":3,\"a\":\"c\"}",
    )
    .await;
    let flexible = [JSON, ("unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS")];
    let body = "{\"id\":2,\"a\":\"too\"}\n{\"id\":3,\"__DORIS_DELETE_SIGN__\":1}";
    load(&f, "t", &flexible, body).await;
    // A whole row that deletes comes as it was sent.
    load(&f, "t", &[SIGN], "1\t9\tsent\ty\t1").await;
    assert_eq!(
        changes(&mut f).await,
        [
            "0|1|1|a|x",
            "0|1|2|b|x",
            "0|2|1|a|x",
            "0|3|NULL|c|b",
            "1|1|9|sent|y",
            "1|3|NULL|NULL|b",
            "2|1|2|new|x",
            "2|2|1|too|x",
            "3|1|2|new|x",
            "3|2|1|too|x"
        ]
    );
}

#[tokio::test]
async fn an_update_of_nothing_but_keys_is_a_record_of_equal_rows() {
    let mut f = table("").await;
    load(&f, "t", &[], "1\t1\ta\tx").await;
    let keys = [JSON, ("partial_columns", "true"), ("columns", "id")];
    load(&f, "t", &keys, "{\"id\":1}\n{\"id\":3}").await;
    assert_eq!(
        changes(&mut f).await,
        ["0|1|1|a|x", "0|3|NULL|NULL|b", "2|1|1|a|x", "3|1|1|a|x"]
    );
}

#[tokio::test]
async fn a_refused_partial_update_leaves_no_record() {
    let mut f = table("").await;
    load(&f, "t", &[], "1\t1\ta\tx").await;
    let strict = [
        JSON,
        ("partial_columns", "true"),
        ("columns", "id,a"),
        ("partial_update_new_key_behavior", "error"),
    ];
    let body = "{\"id\":1,\"a\":\"new\"}\n{\"id\":4,\"a\":\"c\"}";
    let refused = match stage(&f, "t", &strict, body.as_bytes()).await {
        Ok(staged) => staged.refused.unwrap_or_default(),
        Err(refused) => refused.message,
    };
    assert!(refused.contains("[E-7003]"), "{refused}");
    assert_eq!(changes(&mut f).await, ["0|1|1|a|x"]);
}

#[tokio::test]
async fn deletes_of_keys_that_are_not_there_are_recorded_where_the_switch_says_so() {
    let recorded = ["changelog_unknown_delete=recorded"];
    for (history, told) in [(true, "1|9|NULL|NULL|NULL"), (false, "1|9|1|a|b")] {
        let mut f = table_of(&recorded, history, "").await;
        load(&f, "t", &[SIGN], "9\t1\ta\tb\t1").await;
        assert_eq!(changes(&mut f).await, [told]);
        assert!(f.texts("SELECT * FROM t").await.is_empty());
        load(&f, "t", &[], "9\t2\ta\tb").await;
        assert_eq!(changes(&mut f).await[0], "0|9|2|a|b");
    }
}

#[tokio::test]
async fn rows_and_deletes_that_lose_by_their_sequence_value_are_not_recorded() {
    let mut f = table(", \"function_column.sequence_col\" = \"seq\"").await;
    let headers = [SIGN, ("function_column.sequence_col", "seq")];
    load(&f, "t", &headers, "1\t5\tnew\tb\t0\n1\t3\told\tb\t0").await;
    load(&f, "t", &headers, "1\t4\tx\tb\t1\n2\t6\tx\tb\t1").await;
    load(&f, "t", &headers, "2\t5\tlate\tb\t0").await;
    assert_eq!(changes(&mut f).await, ["0|1|5|new|b"]);
    load(
        &f,
        "t",
        &headers,
        "2\t7\tnewer\tb\t0\n1\t6\tgone\tb\t1\n1\t5\tlate\tb\t0",
    )
    .await;
    assert_eq!(
        changes(&mut f).await,
        ["0|1|5|new|b", "0|2|7|newer|b", "1|1|5|new|b"]
    );
}

/// Numbers that look random, the same for a seed.
fn below(state: &mut u64, limit: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) % limit
}

/// Loads of rows and delete signs in any mixture, many keys several times: what is told is the difference of the table
/// before and after each load.
#[tokio::test]
async fn random_loads_are_told_as_the_difference_that_they_made() {
    for seed in 1..=20_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let by_sequence = seed % 2 == 0;
        let more = if by_sequence {
            ", \"function_column.sequence_col\" = \"seq\""
        } else {
            ""
        };
        let mut headers = vec![SIGN];
        if by_sequence {
            headers.push(("function_column.sequence_col", "seq"));
        }
        let mut f = table(more).await;
        let mut expected: Vec<String> = Vec::new();
        let mut before: BTreeMap<String, String> = BTreeMap::new();
        for _ in 0..15 {
            let lines: Vec<String> = (0..=below(&mut state, 30))
                .map(|_| {
                    let (key, sequence) = (below(&mut state, 12), below(&mut state, 50));
                    format!(
                        "{key}\t{sequence}\t{}\tb\t{}",
                        below(&mut state, 4),
                        below(&mut state, 4) / 3
                    )
                })
                .collect();
            load(&f, "t", &headers, lines.join("\n")).await;
            let rows = f.texts("SELECT * FROM t").await;
            let key = |row: &String| row.split('|').next().unwrap_or_default().to_owned();
            let after: BTreeMap<String, String> = rows.iter().map(|row| (key(row), row.clone())).collect();
            // Whether an equal row was written cannot be told from the rows: those keys are left out below.
            for (key, row) in &after {
                match before.get(key) {
                    None => expected.push(format!("0|{row}")),
                    Some(old) if old != row => expected.extend([format!("2|{old}"), format!("3|{row}")]),
                    Some(_) => {}
                }
            }
            let gone = before.iter().filter(|(key, _)| !after.contains_key(*key));
            expected.extend(gone.map(|(_, row)| format!("1|{row}")));
            before = after;
        }
        let all = f
            .texts(
                "SELECT __DORIS_CHANGELOG_OP__, * FROM t@incr('incrementType' = 'DETAIL') \
                 ORDER BY __DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__",
            )
            .await;
        let mut found = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let pair = all[at].starts_with('2');
            if !pair || all[at][1..] != all[at + 1][1..] {
                found.extend(all[at..=at + usize::from(pair)].iter().cloned());
            }
            at += 1 + usize::from(pair);
        }
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "seed {seed}");
    }
}

/// A partition that a load makes in mid-stream is read by the windows that follow it, and by its name.
#[tokio::test]
async fn changes_in_partitions_that_loads_make_are_recorded() {
    let mut f = Fixture::new().await;
    f.run(
        r#"CREATE TABLE t (day DATE NOT NULL, id INT NOT NULL, v INT) UNIQUE KEY(day, id)
           AUTO PARTITION BY RANGE (date_trunc(day, 'month')) () DISTRIBUTED BY HASH(id) BUCKETS 2
           PROPERTIES ("changelog.enable" = "true", "changelog.need_historical_value" = "true")"#,
    )
    .await;
    let comma = [("column_separator", ",")];
    load(&f, "t", &comma, "2026-01-05,1,1").await;
    let strict = [("column_separator", ","), ("max_filter_ratio", "0.9")];
    // A row that is left out makes no partition.
    let counts = load(&f, "t", &strict, "2026-02-05,1,1\n2026-01-06,1,1\n2030-01-01,,1").await;
    assert_eq!((counts.loaded, counts.filtered), (2, 1));
    load(&f, "t", &comma, "2026-02-05,1,2").await;
    let partitions = f.engine.table_info("d", "t").unwrap().partitions;
    let names: Vec<_> = partitions.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["p20260101000000", "p20260201000000"]);
    let mut changes = async |partitions: &str| {
        f.texts(&format!(
            "SELECT __DORIS_CHANGELOG_OP__, * FROM t@incr('incrementType' = 'DETAIL'){partitions} \
             ORDER BY __DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__"
        ))
        .await
    };
    let february = ["0|2026-02-05|1|1", "2|2026-02-05|1|1", "3|2026-02-05|1|2"];
    assert_eq!(changes(" PARTITION(p20260201000000)").await, february);
    let mut all = changes("").await;
    all.sort();
    assert_eq!(
        all,
        [
            "0|2026-01-05|1|1",
            "0|2026-01-06|1|1",
            february[0],
            february[1],
            february[2]
        ]
    );
}
