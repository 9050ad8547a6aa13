//! Windows of a table that keeps no row as it was, from a server that tells of an update as of two records.

use crate::changelog_window_support::*;
use crate::standin::Standin;
use crate::support::*;

const COLUMNS: [(&str, &str); 3] = [("id", "INT"), ("name", "STRING"), ("v", "BIGINT")];

async fn table(form: &str) -> Standin {
    cluster_with(
        "CREATE DATABASE db; CREATE TABLE db.t (id INT NOT NULL, name VARCHAR(20), v BIGINT) UNIQUE KEY(id) \
         DISTRIBUTED BY HASH(id) BUCKETS 3 PROPERTIES ('changelog.enable' = 'true');",
        |c| c.set = vec![format!("changelog_update_without_history={form}")],
    )
    .await
}

/// Whole rows, one transaction; then one column.
async fn write(standin: &Standin) {
    for statement in [
        "INSERT INTO db.t VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)",
        "INSERT INTO db.t VALUES (1, 'A', 11), (4, 'd', 40), (2, 'B', 21)",
        "UPDATE db.t SET v = 12 WHERE id = 1",
        "DELETE FROM db.t WHERE id = 2",
    ] {
        standin.execute(statement).await.unwrap();
    }
}

fn sorted(changes: &[Change]) -> Vec<String> {
    let mut told = told(changes);
    told.sort_by_key(|t| t.split_once(' ').map(|(_, row)| row.to_owned()));
    told
}

#[tokio::test]
async fn an_update_comes_as_the_server_tells_it() {
    let whole = ["+I 1|A|11", "+I 2|B|21"];
    let pairs = ["-U 1|A|11", "+U 1|A|11", "-U 2|B|21", "+U 2|B|21"];
    for (form, second_write) in [("insert", &whole[..]), ("pair", &pairs[..])] {
        let standin = table(form).await;
        let start = second(&standin);
        write(&standin).await;
        let window = window(start, later(&standin));
        let read = following(&standin, "db.t", &COLUMNS, "detail");
        let found = changes(&read, &window).await.unwrap();
        let tsos: Vec<i64> = found.iter().map(|c| c.tso).collect();
        let of = |tso: i64| -> Vec<Change> { found.iter().filter(|c| c.tso == tso).cloned().collect() };
        assert_eq!(
            sorted(&of(tsos[0])),
            ["+I 1|a|10", "+I 2|b|20", "+I 3|c|30"],
            "{form}"
        );
        let mut expected: Vec<&str> = second_write.to_vec();
        expected.push("+I 4|d|40");
        assert_eq!(sorted(&of(tsos[3])), expected, "{form}");
        // One column is looked up in either form, and the row of before is not there in either.
        let last: Vec<String> = told(&found[found.len() - 3..]);
        assert_eq!(last, ["-U 1|A|12", "+U 1|A|12", "-D 2|NULL|NULL"], "{form}");
    }
}

/// The position counts what the server delivers, whatever is dropped of it behind.
#[tokio::test]
async fn a_window_goes_on_behind_every_row_of_a_pair() {
    let standin = table("pair").await;
    let start = second(&standin);
    write(&standin).await;
    let window = window(start, later(&standin));
    let read = following(&standin, "db.t", &COLUMNS, "detail");
    let scan = read.scan();
    let whole = changes_by(&scan, &read, &window).await.unwrap();
    assert_eq!(whole.len(), 3 + 5 + 2 + 1);
    for rows in 1..=whole.len() {
        let rest = changes_by(&scan, &read, &behind(&window, &whole, rows))
            .await
            .unwrap();
        assert_eq!(rest, whole[rows..], "{rows}");
    }
    assert_eq!(scan.metrics().position_mismatches, 0);
    bounded(scan.close()).await;
}

/// The server told of the same change otherwise before it was replaced: that TSO comes again, nothing is left out.
#[tokio::test]
async fn a_position_of_another_form_repeats_one_tso_and_never_skips() {
    let former = [("insert", "pair"), ("pair", "insert")];
    for (before, after) in former {
        let mut told_before = Vec::new();
        for form in [before, after] {
            let standin = table(form).await;
            let start = second(&standin);
            write(&standin).await;
            let window = window(start, later(&standin));
            let read = following(&standin, "db.t", &COLUMNS, "detail");
            let whole = changes(&read, &window).await.unwrap();
            if form == before {
                told_before = whole;
                continue;
            }
            // The same transactions have other TSOs on another server: carry them over.
            let tsos = |changes: &[Change]| -> Vec<i64> {
                let mut tsos: Vec<i64> = changes.iter().map(|c| c.tso).collect();
                tsos.dedup();
                tsos
            };
            let (old, new) = (tsos(&told_before), tsos(&whole));
            assert_eq!(old.len(), new.len());
            for change in &mut told_before {
                change.tso = new[old.iter().position(|t| *t == change.tso).unwrap()];
            }
            for rows in 1..=told_before.len() {
                let at = told_before[rows - 1].tso;
                let first = whole.iter().position(|c| c.tso == at).unwrap();
                let behind_tso = whole.iter().position(|c| c.tso > at).unwrap_or(whole.len());
                let scan = read.scan();
                let found = changes_by(&scan, &read, &behind(&window, &told_before, rows))
                    .await
                    .unwrap();
                let mismatches = scan.metrics().position_mismatches;
                bounded(scan.close()).await;
                if at == new[1] {
                    assert_eq!(found, whole[first..], "{before} {rows}");
                    assert_eq!(mismatches, 1, "{before} {rows}");
                } else {
                    let rest: Vec<Change> = told_before[rows..]
                        .iter()
                        .filter(|c| c.tso == at)
                        .cloned()
                        .chain(whole[behind_tso..].iter().cloned())
                        .collect();
                    assert_eq!(sorted(&found), sorted(&rest), "{before} {rows}");
                    assert_eq!(mismatches, 0, "{before} {rows}");
                }
            }
        }
    }
}
