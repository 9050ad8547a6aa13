//! Properties of tables with a changelog, and what cannot be done with them.

use super::{switches, unique, unique_table};
use crate::sql::tests::Fixture;

async fn shown(f: &mut Fixture, table: &str) -> String {
    f.texts(&format!("SHOW CREATE TABLE {table}")).await.remove(0)
}

#[tokio::test]
async fn what_was_left_out_is_shown_and_the_statement_can_be_run_again() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES (\"changelog.enable\" = \"true\")").await;
    let text = shown(&mut f, "t").await;
    for property in [
        r#""changelog.enable" = "true""#,
        r#""changelog.need_historical_value" = "false""#,
        r#""changelog.ttl_seconds" = "86400""#,
    ] {
        assert!(text.contains(property), "{text}");
    }
    let (_, statement) = text.split_once('|').unwrap();
    f.run(&statement.replace("`t`", "`u`")).await;
    assert_eq!(shown(&mut f, "u").await.replace("`u`", "`t`")[2..], text[2..]);
    // The other family of names, as far as the server takes it.
    f.run(&unique_table("o", true, 1, "").replace("changelog.", "binlog."))
        .await;
    let text = shown(&mut f, "o").await;
    assert!(
        text.contains(r#""binlog.need_historical_value" = "true""#) && !text.contains("changelog"),
        "{text}"
    );
    f.run("INSERT INTO o VALUES (1, 'a', 1)").await;
    assert_eq!(f.texts("SELECT id FROM o@incr()").await, ["1"]);
}

#[tokio::test]
async fn a_copy_has_what_the_table_has() {
    let mut f = Fixture::new().await;
    f.run(&unique_table("u", true, 1, r#", "changelog.ttl_seconds" = "7""#))
        .await;
    assert!(
        shown(&mut f, "u")
            .await
            .contains(r#""changelog.ttl_seconds" = "7""#)
    );
    f.run("CREATE TABLE IF NOT EXISTS w LIKE u").await;
    assert_eq!(
        shown(&mut f, "w").await[2..].replace("`w`", "`u`"),
        shown(&mut f, "u").await[2..]
    );
    f.run("INSERT INTO w VALUES (1, 'a', 1)").await;
    assert_eq!(f.texts("SELECT id FROM w@incr()").await, ["1"]);
    assert!(f.error("CREATE TABLE w LIKE u").await.contains("already exists"));
}

#[tokio::test]
async fn models_without_a_changelog_are_refused() {
    let mut f = Fixture::new().await;
    let on = r#""changelog.enable" = "true""#;
    let rest = "DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES";
    for (definition, reason) in [
        (
            format!("(id INT, v INT SUM) AGGREGATE KEY(id) {rest} ({on})"),
            "Only duplicate and mow table model support changelog<Row>",
        ),
        (
            format!(
                "(id INT, v INT) UNIQUE KEY(id) {rest} ({on}, \"enable_unique_key_merge_on_write\" = \"false\")"
            ),
            "Only duplicate and mow table model support changelog<Row>",
        ),
        (
            format!(
                "(id INT) DUPLICATE KEY(id) {rest} ({on}, \"changelog.need_historical_value\" = \"true\")"
            ),
            "Duplicate table model don't support record historical value",
        ),
        (
            format!("(id INT, v VARIANT) UNIQUE KEY(id) {rest} ({on})"),
            "VARIANT",
        ),
        (
            format!("(id BIGINT NOT NULL AUTO_INCREMENT) UNIQUE KEY(id) {rest} ({on})"),
            "auto-increment",
        ),
        (
            format!("(id INT) UNIQUE KEY(id) {rest} ({on}, \"changelog.ttl_seconds\" = \"0\")"),
            "ROW changelog.ttl_seconds must be greater than 0",
        ),
        (
            format!("(id INT) UNIQUE KEY(id) {rest} ({on}, \"changelog.format\" = \"row\")"),
            "Invalid changelog format value: row",
        ),
        (
            format!("(id INT) UNIQUE KEY(id) {rest} ({on}, \"changelog.nonsense\" = \"1\")"),
            "Unknown properties: {changelog.nonsense=1}",
        ),
        (
            format!("(id INT) UNIQUE KEY(id) {rest} (\"changelog.enable\" = \"yes\")"),
            "changelog.enable",
        ),
    ] {
        let text = f.error(&format!("CREATE TABLE t {definition}")).await;
        assert!(text.contains(reason), "{definition}: {text}");
    }
    f.run(&format!(
        "CREATE TABLE t (id INT, v INT) UNIQUE KEY(id) CLUSTER BY(v) {rest} (\"replication_num\" = \"1\")"
    ))
    .await;
    let mut old = Fixture::with(switches(&["changelog_names=binlog"])).await;
    let text = old.error("CREATE TABLE t (id INT, v INT SUM) AGGREGATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES (\"binlog.enable\" = \"true\", \"binlog.format\" = \"ROW\")").await;
    assert!(
        text.contains("Only duplicate and mow table model support binlog<Row>"),
        "{text}"
    );
    let mut none = Fixture::with(switches(&["changelog=false"])).await;
    assert!(
        none.error(&unique_table("t", true, 1, ""))
            .await
            .contains("Unknown properties")
    );
}

#[tokio::test]
async fn only_light_changes_are_allowed() {
    let mut f = unique(true, "").await;
    let refused = "Not allowed to perform current operation on Table With changelog<row>";
    for (change, reason) in [
        (r#"SET ("bloom_filter_columns" = "id")"#, refused),
        ("ADD COLUMN x VARIANT", "VARIANT"),
        ("ADD COLUMN k INT KEY DEFAULT '0'", refused),
        (
            r#"SET ("changelog.enable" = "false")"#,
            "can't disable changelog when format is [Row]",
        ),
        (
            r#"SET ("changelog.need_historical_value" = "false")"#,
            "not support change changelog.need_historical_value from true to false",
        ),
        (
            r#"SET ("changelog.ttl_seconds" = "0")"#,
            "ROW changelog.ttl_seconds must be greater than 0",
        ),
    ] {
        let text = f.error(&format!("ALTER TABLE t {change}")).await;
        assert!(text.contains(reason), "{change}: {text}");
    }
    f.run(r#"ALTER TABLE t SET ("changelog.ttl_seconds" = "5", "changelog.enable" = "true")"#)
        .await;
    f.run("ALTER TABLE t RENAME u").await;
    assert!(
        shown(&mut f, "u")
            .await
            .contains(r#""changelog.ttl_seconds" = "5""#)
    );
    f.run("CREATE TABLE plain (id INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    assert!(
        f.error(r#"ALTER TABLE plain SET ("changelog.enable" = "true")"#)
            .await
            .contains("existing table")
    );
}
