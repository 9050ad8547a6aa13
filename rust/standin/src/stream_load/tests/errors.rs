//! Rows that are left out, and loads that are refused for them.

use bytes::Bytes;

use super::{StreamLoad, all, complaints, load, stage};
use crate::profile::Switches;
use crate::sql::tests::Fixture;
use crate::stream_load::headers::LoadHeaders;

async fn table() -> Fixture {
    made(Fixture::new().await).await
}

async fn made(mut f: Fixture) -> Fixture {
    f.run("CREATE TABLE t (id INT NOT NULL, v TINYINT, s VARCHAR(10)) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    f
}

#[tokio::test]
async fn values_that_do_not_fit_are_null_unless_strict() {
    let mut f = table().await;
    assert_eq!(load(&f, "t", &[], "1\t300\ta\n2\tx\tb\n3\t7\tc").await.loaded, 3);
    assert_eq!(
        f.texts("SELECT * FROM t ORDER BY id").await,
        ["1|NULL|a", "2|NULL|b", "3|7|c"]
    );
    assert_eq!(
        complaints(
            &f,
            "t",
            &[("strict_mode", "true")],
            "1\t300\ta\n2\t\\N\tb\n3\tx\tc"
        )
        .await,
        [
            "Reason: column(v) value is incorrect while strict mode is true, src value is 300. src line [1\t300\ta]; ",
            "Reason: column(v) value is incorrect while strict mode is true, src value is x. src line [3\tx\tc]; "
        ]
    );
    // NOT NULL is kept in both modes.
    let reason = "column(id) values is null while columns is not nullable";
    for body in ["\\N\t1\ta", "x\t1\ta"] {
        assert_eq!(
            complaints(&f, "t", &[], body).await,
            [format!("Reason: {reason}. src line [{body}]; ")]
        );
    }
}

/// Success, and another text than was sent: the server says nothing.
#[tokio::test]
async fn a_text_too_long_in_bytes_is_cut_unless_strict() {
    let mut f = table().await;
    f.run("CREATE TABLE c (id INT, c CHAR(5), v VARCHAR(4)) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    assert_eq!(
        load(
            &f,
            "t",
            &[],
            "1\t1\tääääää\n2\t1\tabcdefghij\n3\t1\tabcdefghiää\n4\t1\t\\N"
        )
        .await,
        all(4)
    );
    assert_eq!(
        f.texts("SELECT id, s FROM t ORDER BY id").await,
        ["1|äääää", "2|abcdefghij", "3|abcdefghi", "4|NULL"]
    );
    // The same from JSON and from an expression.
    let json = ("format", "json");
    let derived = ("columns", "id,w,c=concat(w,'x'),v=w");
    let body = "{\"id\":1,\"c\":\"你好\",\"v\":\"abcdefg\"}";
    assert_eq!(load(&f, "c", &[json], body).await, all(1));
    assert_eq!(
        load(&f, "c", &[json, derived], "{\"id\":2,\"w\":\"你好\"}").await,
        all(1)
    );
    assert_eq!(
        f.texts("SELECT * FROM c ORDER BY id").await,
        ["1|你|abcd", "2|你|你"]
    );
}

#[tokio::test]
async fn a_text_too_long_in_bytes_filters_its_row_where_strict_or_older() {
    let f = table().await;
    let older = Fixture::with(Switches::profile("doris-2.1").unwrap()).await;
    let older = made(older).await;
    for (f, strict) in [(&f, "true"), (&older, "true"), (&older, "false")] {
        let lines = complaints(f, "t", &[("strict_mode", strict)], "1\t1\tääääää\n").await;
        assert_eq!(
            lines,
            [
                "Reason: column_name[s], the length of input is too long than schema. first 32 bytes of input str: \
                 [ääääää] schema length: 10; actual length: 12; . src line [1\t1\tääääää]; "
            ]
        );
    }
}

#[tokio::test]
async fn the_share_of_filtered_rows_decides() {
    let mut f = table().await;
    let body = "1\t1\ta\n\\N\t1\ta\n2\t1\ta\n3\t1\ta";
    for (ratio, taken) in [("0.25", true), ("0.24", false), ("0", false), ("1", true)] {
        let staged = stage(&f, "t", &[("max_filter_ratio", ratio)], body.as_bytes())
            .await
            .unwrap();
        assert_eq!(staged.refused.is_none(), taken, "{ratio}");
        assert_eq!(staged.load.is_some(), taken, "{ratio}");
        assert_eq!((staged.total, staged.filtered), (4, 1));
    }
    // Rows that were not asked for do not count.
    let headers = [("max_filter_ratio", "0.25"), ("where", "id < 3")];
    let staged = stage(&f, "t", &headers, body.as_bytes()).await.unwrap();
    assert!(staged.refused.is_some());
    // A group commit takes what it can.
    let counts = load(&f, "t", &[("group_commit", "sync_mode")], body).await;
    assert_eq!((counts.loaded, counts.filtered), (3, 1));
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["3"]);
}

#[tokio::test]
async fn the_error_log_is_capped() {
    let f = table().await;
    let body = "\\N\t1\ta\n".repeat(80);
    let staged = stage(&f, "t", &[], body.as_bytes()).await.unwrap();
    assert_eq!((staged.filtered, staged.error_lines.len()), (80, 51));
    assert!(staged.error_lines[50].starts_with("TOO MUCH ERROR!"));
}

#[tokio::test]
async fn a_load_without_rows_has_nothing_to_commit() {
    let f = table().await;
    for headers in [
        vec![],
        vec![("compress_type", "gz")],
        vec![("format", "json")],
        vec![("format", "arrow")],
    ] {
        let staged = stage(&f, "t", &headers, b"").await.unwrap();
        assert!(staged.load.is_none());
        assert_eq!((staged.total, staged.refused), (0, None));
    }
}

#[tokio::test]
async fn a_broken_body_is_told_while_it_is_pushed() {
    let f = table().await;
    let headers: LoadHeaders = [("compress_type", "gz")].into_iter().collect();
    let mut load = StreamLoad::begin(&f.engine, "d", "t", &headers).await.unwrap();
    let refused = loop {
        if let Err(refused) = load.push(Bytes::from_static(&[7; 1000])).await {
            break refused;
        }
    };
    assert!(
        refused.message.contains("the body cannot be read"),
        "{}",
        refused.message
    );
}

#[tokio::test]
async fn a_load_that_is_dropped_leaves_nothing() {
    let mut f = table().await;
    let mut load = StreamLoad::begin(&f.engine, "d", "t", &LoadHeaders::default())
        .await
        .unwrap();
    load.push(Bytes::from_static(b"1\t1\ta\n")).await.unwrap();
    drop(load);
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["0"]);
}
