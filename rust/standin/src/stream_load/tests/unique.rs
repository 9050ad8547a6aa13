//! Unique tables: deletes, sequence columns, partial updates.

use super::{all, commit, complaints, load, refusal, stage};
use crate::sql::tests::Fixture;

const JSON: (&str, &str) = ("format", "json");
const SIGN: (&str, &str) = ("hidden_columns", "__DORIS_DELETE_SIGN__");

async fn table(properties: &str) -> Fixture {
    let mut f = Fixture::new().await;
    f.run(&format!(
        "CREATE TABLE t (id INT, seq INT, a STRING, b STRING DEFAULT 'b') UNIQUE KEY(id)
         DISTRIBUTED BY HASH(id) BUCKETS 2 PROPERTIES ({properties})"
    ))
    .await;
    f
}

const PLAIN: &str = r#""enable_unique_key_merge_on_write" = "true""#;
const SEQUENCE: &str = r#""function_column.sequence_col" = "seq""#;

async fn rows(f: &mut Fixture) -> Vec<String> {
    f.texts("SELECT * FROM t ORDER BY id").await
}

#[tokio::test]
async fn csv_6_rows_with_a_delete_sign_delete() {
    let mut f = table(PLAIN).await;
    load(&f, "t", &[SIGN], "1\t1\ta\tb\t0\n2\t1\ta\tb\t0\n3\t1\ta\tb\t0").await;
    assert_eq!(rows(&mut f).await.len(), 3);
    // Within a load the later row wins: 1 is deleted, 2 comes back, 4 is never seen.
    let body =
        "1\t\\N\t\\N\t\\N\t1\n2\t9\tx\ty\t1\n2\t2\tnew\tb\t0\n4\t1\ta\tb\t0\n4\t1\ta\tb\t1\n9\t1\ta\tb\t1";
    assert_eq!(load(&f, "t", &[SIGN], body).await, all(6));
    assert_eq!(rows(&mut f).await, ["2|2|new|b", "3|1|a|b"]);
    load(&f, "t", &[SIGN], "4\t1\ta\tb\t0").await;
    assert_eq!(rows(&mut f).await, ["2|2|new|b", "3|1|a|b", "4|1|a|b"]);
    f.run("DELETE FROM t WHERE id = 4; INSERT INTO t VALUES (1, 7, 'back', 'b')")
        .await;
    assert_eq!(rows(&mut f).await, ["1|7|back|b", "2|2|new|b", "3|1|a|b"]);
}

#[tokio::test]
async fn csv_7_the_sign_may_be_a_column_of_the_list() {
    let mut f = table(PLAIN).await;
    let headers = [("columns", "id, a, __DORIS_DELETE_SIGN__")];
    load(&f, "t", &headers, "1\ta\t0\n2\ta\t0\n1\ta\t1").await;
    assert_eq!(rows(&mut f).await, ["2|NULL|a|b"]);
    let headers = [JSON, ("columns", "id,a,op,__DORIS_DELETE_SIGN__=if(op='d',1,0)")];
    load(
        &f,
        "t",
        &headers,
        "{\"id\":2,\"op\":\"d\"}\n{\"id\":3,\"a\":\"x\",\"op\":\"i\"}",
    )
    .await;
    assert_eq!(rows(&mut f).await, ["3|NULL|x|b"]);
}

#[tokio::test]
async fn json_rows_carry_their_sign_by_name() {
    let mut f = table(PLAIN).await;
    let body = r#"{"id":1,"a":"x","__DORIS_DELETE_SIGN__":"0"}
{"id":2,"a":"x","__DORIS_DELETE_SIGN__":0}
{"id":3,"a":"x"}
{"id":1,"__DORIS_DELETE_SIGN__":"1"}"#;
    assert_eq!(load(&f, "t", &[JSON, SIGN], body).await, all(4));
    assert_eq!(rows(&mut f).await, ["2|NULL|x|b", "3|NULL|x|b"]);
}

#[tokio::test]
async fn merge_types_delete() {
    let mut f = table(PLAIN).await;
    load(&f, "t", &[], "1\t1\ta\tb\n2\t1\ta\tb\n3\t1\ta\tb").await;
    load(&f, "t", &[("merge_type", "delete"), ("columns", "id")], "1").await;
    assert_eq!(rows(&mut f).await, ["2|1|a|b", "3|1|a|b"]);
    let headers = [
        ("merge_type", "MERGE"),
        ("delete", "flag = 1 or a = 'gone'"),
        ("columns", "id,a,flag"),
    ];
    load(&f, "t", &headers, "2\tx\t1\n3\tgone\t0\n4\tx\t0").await;
    assert_eq!(rows(&mut f).await, ["4|NULL|x|b"]);
}

#[tokio::test]
async fn other_models_have_no_delete_sign() {
    let mut f = table(PLAIN).await;
    f.run("CREATE TABLE dup (id INT, a INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    for headers in [SIGN, ("columns", "id,a,__DORIS_DELETE_SIGN__")] {
        assert!(
            refusal(&f, "dup", &[headers])
                .await
                .contains("Unknown column '__DORIS_DELETE_SIGN__'")
        );
    }
    let message = refusal(&f, "dup", &[("merge_type", "DELETE")]).await;
    assert!(
        message.ends_with("load by MERGE or DELETE is only supported in unique tables."),
        "{message}"
    );
    let message = refusal(&f, "dup", &[("partial_columns", "true"), ("columns", "id")]).await;
    assert!(
        message.ends_with("Only unique key merge on write support partial update"),
        "{message}"
    );
}

#[tokio::test]
async fn the_sequence_column_decides() {
    let mut f = table(SEQUENCE).await;
    let headers = [SIGN, ("function_column.sequence_col", "seq")];
    load(
        &f,
        "t",
        &headers,
        "1\t5\tnew\tb\t0\n1\t3\told\tb\t0\n2\t5\ta\tb\t0",
    )
    .await;
    assert_eq!(rows(&mut f).await, ["1|5|new|b", "2|5|a|b"]);
    // An older delete deletes nothing; a newer one stays, also against older rows of later loads.
    load(&f, "t", &headers, "1\t4\tx\tb\t1\n2\t6\tx\tb\t1\n3\t9\tx\tb\t1").await;
    assert_eq!(rows(&mut f).await, ["1|5|new|b"]);
    load(&f, "t", &headers, "2\t5\tlate\tb\t0\n3\t8\tlate\tb\t0").await;
    assert_eq!(rows(&mut f).await, ["1|5|new|b"]);
    load(&f, "t", &headers, "2\t7\tnewer\tb\t0").await;
    assert_eq!(rows(&mut f).await, ["1|5|new|b", "2|7|newer|b"]);
    // What the table lacks beside it is looked at later.
    let without = [("columns", "id,a"), ("strict_mode", "true")];
    let message = refusal(&f, "t", &without).await;
    assert!(
        message.ends_with("need to specify the sequence column"),
        "{message}"
    );
    let f = table(PLAIN).await;
    let message = refusal(&f, "t", &[("function_column.sequence_col", "seq")]).await;
    assert!(
        message.ends_with("There is no sequence column in the table"),
        "{message}"
    );
}

#[tokio::test]
async fn partial_columns_keep_the_others() {
    let mut f = table(PLAIN).await;
    load(&f, "t", &[], "1\t1\ta\tx\n2\t2\ta\tx").await;
    let by_flag = [JSON, ("partial_columns", "true"), ("columns", "id,a")];
    // The second row of a key builds on the first; a new key has defaults.
    let body = "{\"id\":1,\"a\":\"new\"}\n{\"id\":3,\"a\":\"c\"}\n{\"id\":3,\"a\":\"d\"}";
    assert_eq!(load(&f, "t", &by_flag, body).await, all(3));
    assert_eq!(rows(&mut f).await, ["1|1|new|x", "2|2|a|x", "3|NULL|d|b"]);
    let by_mode = [
        ("unique_key_update_mode", "update_fixed_columns"),
        ("columns", "id,b,__DORIS_DELETE_SIGN__"),
    ];
    load(&f, "t", &by_mode, "1\tz\t0\n2\t\\N\t1\n2\tq\t0").await;
    assert_eq!(rows(&mut f).await, ["1|1|new|z", "2|NULL|NULL|q", "3|NULL|d|b"]);
    let message = refusal(&f, "t", &[("partial_columns", "true"), ("columns", "a")]).await;
    assert!(
        message.ends_with("Partial update should include all key columns, missing: id"),
        "{message}"
    );
}

#[tokio::test]
async fn flexible_rows_write_the_fields_they_have() {
    let mut f = table(PLAIN).await;
    load(&f, "t", &[], "1\t1\ta\tx\n2\t2\ta\tx\n3\t3\ta\tx").await;
    let headers = [JSON, ("unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS")];
    let body = r#"{"id":1,"a":"new"}
{"id":2,"seq":null,"b":"y"}
{"id":1,"b":"too"}
{"id":3,"__DORIS_DELETE_SIGN__":1}
{"id":4,"seq":4}
{"id":2,"a":"late"}"#;
    assert_eq!(load(&f, "t", &headers, body).await, all(6));
    assert_eq!(rows(&mut f).await, ["1|1|new|too", "2|NULL|late|y", "4|4|NULL|b"]);
    let lines = complaints(&f, "t", &headers, r#"{"a":"no key"}"#).await;
    assert!(lines[0].contains("The column `id` is not nullable"), "{lines:?}");
    for (name, value) in [
        ("columns", "id"),
        ("where", "id=1"),
        ("hidden_columns", "__DORIS_DELETE_SIGN__"),
    ] {
        let message = refusal(&f, "t", &[headers[0], headers[1], (name, value)]).await;
        assert!(
            message.ends_with(&format!("when '{name}' is specified")),
            "{message}"
        );
    }
    let message = refusal(&f, "t", &[headers[1]]).await;
    assert!(message.contains("only support json format"), "{message}");
    let message = refusal(&f, "t", &[("unique_key_update_mode", "SOME")]).await;
    assert!(
        message.contains("Invalid unique_key_partial_mode SOME"),
        "{message}"
    );
}

#[tokio::test]
async fn new_keys_may_be_an_error() {
    let mut f = table(PLAIN).await;
    load(&f, "t", &[], "1\t1\ta\tx").await;
    let headers = [
        ("partial_columns", "true"),
        ("columns", "id,a"),
        ("partial_update_new_key_behavior", "ERROR"),
    ];
    load(&f, "t", &headers, "1\tnew").await;
    assert_eq!(rows(&mut f).await, ["1|1|new|x"]);
    let refused = stage(&f, "t", &headers, b"1\tz\n2\tz").await.unwrap_err();
    assert!(
        refused
            .message
            .contains("Can't append new rows in partial update"),
        "{}",
        refused.message
    );
    f.run("CREATE TABLE n (id INT, v INT NOT NULL, w INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    load(&f, "n", &[], "1\t1\t1").await;
    let headers = [("partial_columns", "true"), ("columns", "id,w")];
    load(&f, "n", &headers, "1\t2").await;
    assert_eq!(f.texts("SELECT * FROM n").await, ["1|1|2"]);
    let refused = stage(&f, "n", &headers, b"2\t2").await.unwrap_err();
    assert!(
        refused
            .message
            .contains("the unmentioned column `v` should have default value"),
        "{}",
        refused.message
    );
}

#[tokio::test]
async fn a_prepared_load_outlives_added_and_dropped_columns() {
    let mut f = table(PLAIN).await;
    load(&f, "t", &[], "1\t1\ta\tx\n2\t2\ta\tx").await;
    let staged = stage(&f, "t", &[SIGN], b"1\t9\tnew\ty\t0\n2\t9\tnew\ty\t1")
        .await
        .unwrap();
    let flexible = [JSON, ("unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS")];
    let partial = stage(&f, "t", &flexible, br#"{"id":1,"a":"later"}"#)
        .await
        .unwrap();
    f.run("ALTER TABLE t ADD COLUMN c INT DEFAULT '7' AFTER id; ALTER TABLE t DROP COLUMN b")
        .await;
    commit(&f, staged.load.unwrap()).await;
    assert_eq!(rows(&mut f).await, ["1|7|9|new"]);
    commit(&f, partial.load.unwrap()).await;
    assert_eq!(rows(&mut f).await, ["1|7|9|later"]);
}

/// A delete and an insert of one key are an ordinary change: what the insert leaves out begins anew, and a column that takes no
/// NULL gets its zero, though it has no default.
#[tokio::test]
async fn a_flexible_row_behind_a_delete_of_its_key_begins_anew() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (k INT, v1 BIGINT NULL, v2 BIGINT NULL DEFAULT '9876', v3 BIGINT NOT NULL, v4 BIGINT NOT NULL DEFAULT '1234', v5 BIGINT NULL)
         UNIQUE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1",
    )
    .await;
    f.run("INSERT INTO t VALUES (1, 1, 1, 1, 1, 1), (2, 2, 2, 2, 2, 2)")
        .await;
    let headers = [JSON, ("unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS")];
    let body = r#"{"k":1,"__DORIS_DELETE_SIGN__":1}
{"k":1,"v1":11111}
{"k":2,"v1":22}"#;
    assert_eq!(load(&f, "t", &headers, body).await, all(3));
    assert_eq!(
        f.texts("SELECT * FROM t ORDER BY k").await,
        ["1|11111|9876|0|1234|NULL", "2|22|2|2|2|2"]
    );
    // A key that was not there when the load began needs the column.
    let refused = stage(&f, "t", &headers, br#"{"k":3,"v1":1}"#).await;
    let message = refused.unwrap_err().message;
    assert!(message.contains("the unmentioned column `v3`"), "{message}");
}

/// The model is looked at before the names.
#[tokio::test]
async fn rows_of_some_columns_need_merge_on_write() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (k INT, v INT) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1")
        .await;
    for headers in [
        [JSON, ("unique_key_update_mode", "UPDATE_FLEXIBLE_COLUMNS")],
        [
            ("columns", "k,__DORIS_DELETE_SIGN__"),
            ("partial_columns", "true"),
        ],
    ] {
        let message = refusal(&f, "t", &headers).await;
        assert!(
            message.ends_with("Only unique key merge on write support partial update"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn numbers_are_counted_up_where_none_is_given() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE n (id BIGINT NOT NULL AUTO_INCREMENT, a STRING) UNIQUE KEY(id)
         DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    assert_eq!(load(&f, "n", &[("columns", "a")], "x\ny").await, all(2));
    assert_eq!(load(&f, "n", &[], "\\N\tz\n1000000\tq").await, all(2));
    assert_eq!(
        f.texts("SELECT COUNT(DISTINCT id), COUNT(*) FROM n").await,
        ["4|4"]
    );
}
