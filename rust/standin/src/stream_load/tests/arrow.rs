//! Arrow streams, and what differs between the forms.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int8Array, Int32Array, Int64Array, StringArray, TimestampMicrosecondArray};

use super::cases::stream;
use super::{all, load, stage};
use crate::sql::tests::Fixture;

#[tokio::test]
async fn zones_shift_instants_only() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE x (id INT, w DATETIME, i TIMESTAMPTZ) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    let shanghai = ("timezone", "Asia/Shanghai");
    load(
        &f,
        "x",
        &[shanghai],
        "1\t2024-07-01 12:00:00\t2024-07-01 12:00:00",
    )
    .await;
    load(
        &f,
        "x",
        &[("time_zone", "Asia/Shanghai")],
        "2\t2024-07-01 04:00:00Z\t2024-07-01 04:00:00+00:00",
    )
    .await;
    let micros = TimestampMicrosecondArray::from(vec![1_719_806_400_000_000]); // 04:00 UTC
    let utc: ArrayRef = Arc::new(micros.with_timezone("UTC"));
    let body = stream(vec![
        ("id", Arc::new(Int32Array::from(vec![3]))),
        ("w", Arc::clone(&utc)),
        ("i", utc),
    ]);
    load(&f, "x", &[("format", "arrow"), shanghai], body).await;
    let expected = "2024-07-01 12:00:00|2024-07-01 04:00:00+00:00";
    assert_eq!(f.texts("SELECT w, i FROM x ORDER BY id").await, [expected; 3]);
}

#[tokio::test]
async fn arrow_streams_carry_signs_nulls_and_misfits() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE x (id INT, v TINYINT, s VARCHAR(3)) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    let ids: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 1]));
    let values: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(300), Some(9)]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("c"), Some("a")]));
    let signs: ArrayRef = Arc::new(Int8Array::from(vec![0, 0, 0, 1]));
    let columns = vec![
        ("id", ids),
        ("v", values),
        ("s", texts),
        ("__DORIS_DELETE_SIGN__", signs),
    ];
    let headers = [("format", "arrow"), ("hidden_columns", "__DORIS_DELETE_SIGN__")];
    assert_eq!(load(&f, "x", &headers, stream(columns.clone())).await, all(4));
    assert_eq!(
        f.texts("SELECT * FROM x ORDER BY id").await,
        ["2|NULL|NULL", "3|NULL|c"]
    );
    let strict = [headers[0], headers[1], ("strict_mode", "true")];
    let staged = stage(&f, "x", &strict, &stream(columns)).await.unwrap();
    assert_eq!(
        staged.error_lines,
        [
            "Reason: column(v) value is incorrect while strict mode is true, src value is 300. src line [3 300 c 0]; "
        ]
    );
    let long: ArrayRef = Arc::new(StringArray::from(vec!["abcd"]));
    let body = stream(vec![("id", Arc::new(Int32Array::from(vec![1]))), ("s", long)]);
    let staged = stage(&f, "x", &[headers[0], strict[2]], &body).await.unwrap();
    assert!(
        staged.error_lines[0].contains("schema length: 3; actual length: 4"),
        "{:?}",
        staged.error_lines
    );
    assert_eq!(load(&f, "x", &headers[..1], &body).await, all(1));
    assert_eq!(f.texts("SELECT s FROM x WHERE id = 1").await, ["abc"]);
    let extra = stream(vec![("nothing", Arc::new(Int32Array::from(vec![1])))]);
    let refused = stage(&f, "x", &headers[..1], &extra).await.unwrap_err();
    assert!(
        refused.message.contains("no column nothing"),
        "{}",
        refused.message
    );
    assert!(stage(&f, "x", &headers[..1], b"no arrow at all").await.is_err());
}

#[tokio::test]
async fn arrow_streams_follow_each_other_until_one_has_no_rows() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE x (id INT, v TINYINT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    let ids = |ids: Vec<i32>| stream(vec![("id", Arc::new(Int32Array::from(ids)))]);
    // Columns go by name in each of them.
    let other = stream(vec![
        ("v", Arc::new(Int8Array::from(vec![9]))),
        ("id", Arc::new(Int32Array::from(vec![3]))),
    ]);
    let body = [ids(vec![1, 2]), other, ids(vec![4])].concat();
    assert_eq!(load(&f, "x", &[("format", "arrow")], body).await, all(4));
    let expected = ["1|NULL", "2|NULL", "3|9", "4|NULL"];
    assert_eq!(f.texts("SELECT * FROM x ORDER BY id").await, expected);
    let cut = [ids(vec![5]), ids(vec![]), ids(vec![6])].concat();
    assert_eq!(load(&f, "x", &[("format", "arrow")], cut).await, all(1));
    assert_eq!(f.texts("SELECT max(id) FROM x").await, ["5"]);
    let torn = [ids(vec![7]), ids(vec![8])].concat();
    let torn = &torn[..torn.len() - 30];
    assert!(stage(&f, "x", &[("format", "arrow")], torn).await.is_err());
}

#[tokio::test]
async fn bitmaps_and_sketches_are_made_by_functions() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE x (id INT, b BITMAP BITMAP_UNION, h HLL HLL_UNION) AGGREGATE KEY(id)
         DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    let columns = ("columns", "id,n,b=to_bitmap(n),h=hll_hash(n)");
    load(&f, "x", &[columns], "1\t5\n1\t6").await;
    load(&f, "x", &[columns, ("format", "json")], r#"{"id":1,"n":7}"#).await;
    let body = stream(vec![
        ("id", Arc::new(Int32Array::from(vec![1]))),
        ("n", Arc::new(Int64Array::from(vec![8]))),
    ]);
    load(&f, "x", &[columns, ("format", "arrow")], body).await;
    assert_eq!(f.texts("SELECT bitmap_to_string(b) FROM x").await, ["5,6,7,8"]);
}
