//! Windows that go on: behind every row of before, and when what came before is not the same any more.

use doris_client::read::window::{Position, Slice, WindowSpec};
use doris_standin::Standin;

use crate::changelog_window_support::*;
use crate::support::*;

const COLUMNS: [(&str, &str); 2] = [("id", "INT"), ("v", "STRING")];

/// Several back ends number changes each for itself, so that rows share TSO, LSN and operation; messages are small.
async fn busy_table() -> (Standin, WindowSpec) {
    let standin = cluster_with(
        "CREATE DATABASE db; CREATE TABLE db.t (id INT, v VARCHAR(200)) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 4 \
         PROPERTIES ('changelog.enable' = 'true', 'changelog.need_historical_value' = 'true');",
        |c| {
            c.backends = 3;
            c.set = vec![
                "changelog_lsn=backend".to_owned(),
                "flight_piece_bytes=256".to_owned(),
            ];
        },
    )
    .await;
    let start = second(&standin);
    for statement in [
        "INSERT INTO db.t SELECT CAST(number AS INT), 'first' FROM numbers('number' = '12')",
        "INSERT INTO db.t SELECT CAST(number AS INT), CONCAT('second ', CAST(number AS STRING)) FROM numbers('number' = '9')",
        "DELETE FROM db.t WHERE id < 4",
    ] {
        standin.execute(statement).await.unwrap();
    }
    let window = window(start, later(&standin));
    (standin, window)
}

fn follow(standin: &Standin, increment: &str) -> Read {
    following(standin, "db.t", &COLUMNS, increment)
}

#[tokio::test]
async fn a_window_goes_on_behind_every_row() {
    let (standin, window) = busy_table().await;
    for increment in ["detail", "min_delta", "append_only"] {
        let read = follow(&standin, increment);
        let scan = read.scan();
        let whole = changes_by(&scan, &read, &window).await.unwrap();
        let key = |c: &Change| (c.tso, c.lsn, c.op);
        if increment == "detail" {
            assert_eq!(whole.len(), 12 + 18 + 4);
            assert!(
                whole.windows(2).any(|two| key(&two[0]) == key(&two[1])),
                "no rows share TSO, LSN and operation: {whole:?}"
            );
        }
        assert!(!whole.is_empty(), "{increment}");
        for rows in 1..=whole.len() {
            let rest = changes_by(&scan, &read, &behind(&window, &whole, rows))
                .await
                .unwrap();
            assert_eq!(rest, whole[rows..], "{increment} {rows}");
        }
        let metrics = scan.metrics();
        assert_eq!(metrics.position_mismatches, 0);
        let dropped: usize = (1..=whole.len()).sum();
        assert_eq!(metrics.replayed_rows_dropped, dropped as u64);
        assert_eq!(
            metrics.window_rows,
            (whole.len() * (whole.len() + 1) - dropped) as u64
        );
        bounded(scan.close()).await;
    }
}

#[tokio::test]
async fn slices_have_positions_of_their_own() {
    let (standin, window) = busy_table().await;
    let read = follow(&standin, "detail");
    let scan = read.scan();
    for index in 0..2 {
        let window = slice(&window, Slice::Hash { index, count: 2 });
        let whole = changes_by(&scan, &read, &window).await.unwrap();
        for rows in 1..=whole.len() {
            let rest = changes_by(&scan, &read, &behind(&window, &whole, rows))
                .await
                .unwrap();
            assert_eq!(rest, whole[rows..], "{index} {rows}");
        }
    }
    assert_eq!(scan.metrics().position_mismatches, 0);
    bounded(scan.close()).await;
}

/// Number, sum, or both are others: the rows of that TSO come again, and no row is left out.
#[tokio::test]
async fn a_position_that_does_not_fit_repeats_and_never_skips() {
    let (standin, window) = busy_table().await;
    let read = follow(&standin, "detail");
    let whole = changes(&read, &window).await.unwrap();
    let spoiled: [fn(&mut Position); 5] = [
        |p| p.hash_sum ^= 1,
        |p| p.rows_of_tso += 1,
        |p| p.rows_of_tso -= 1,
        |p| p.rows_at_position += 1,
        |p| p.lsn += 1000,
    ];
    for rows in [1, 5, 12, 13, 20, 30, whole.len()] {
        let first = whole.iter().position(|c| c.tso == whole[rows - 1].tso).unwrap();
        for (number, spoil) in spoiled.iter().enumerate() {
            let mut window = behind(&window, &whole, rows);
            window.position.as_mut().map(spoil).unwrap();
            let scan = read.scan();
            let found = changes_by(&scan, &read, &window).await.unwrap();
            let metrics = scan.metrics();
            bounded(scan.close()).await;
            assert_eq!(found, whole[first..], "{rows} {number}");
            assert_eq!(metrics.position_mismatches, 1, "{rows} {number}");
        }
    }
}

#[tokio::test]
async fn another_projection_repeats_the_rows_of_one_tso() {
    let (standin, window) = busy_table().await;
    let read = follow(&standin, "detail");
    let whole = changes(&read, &window).await.unwrap();
    let mut restored = behind(&window, &whole, 15);
    restored.verify = false;
    let narrow = read.wanted(&[("`v`", "STRING")]);
    let scan = narrow.scan();
    let found = changes_by(&scan, &narrow, &restored).await.unwrap();
    let expected = changes(&narrow, &window).await.unwrap();
    let first = whole.iter().position(|c| c.tso == whole[14].tso).unwrap();
    assert_eq!(found, expected[first..]);
    let metrics = scan.metrics();
    assert_eq!(metrics.position_mismatches, 1);
    assert_eq!(metrics.replayed_rows_dropped, first as u64);
    bounded(scan.close()).await;
}

/// The rows of the position are gone, with their partition or by age: what is left comes, once.
#[tokio::test]
async fn a_position_whose_rows_are_gone_goes_on_with_what_is_left() {
    let standin = cluster(
        "CREATE DATABASE db; CREATE TABLE db.t (id INT, v VARCHAR(20)) UNIQUE KEY(id) \
         PARTITION BY RANGE(id) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (20)) \
         DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('changelog.enable' = 'true');",
    )
    .await;
    let start = second(&standin);
    for statement in [
        "INSERT INTO db.t VALUES (1, 'a'), (2, 'b'), (11, 'c')",
        "INSERT INTO db.t VALUES (12, 'd')",
    ] {
        standin.execute(statement).await.unwrap();
    }
    let window = window(start, later(&standin));
    let read = follow(&standin, "detail");
    let whole = changes(&read, &window).await.unwrap();
    assert_eq!(whole.len(), 4);
    let two = whole.iter().filter(|c| c.row == "1|a" || c.row == "2|b").count();
    assert_eq!(two, 2);
    let restored = behind(&window, &whole, 2);
    standin
        .execute("ALTER TABLE db.t DROP PARTITION p1 FORCE")
        .await
        .unwrap();
    let scan = read.scan();
    let found = told(&changes_by(&scan, &read, &restored).await.unwrap());
    assert_eq!(found, ["+I 11|c", "+I 12|d"]);
    assert_eq!(scan.metrics().position_mismatches, 1);
    bounded(scan.close()).await;
}
