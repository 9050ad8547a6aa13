//! Hidden columns, and changes as a relation among others.

use datafusion::physical_plan::displayable;

use super::{switches, unique, unique_table};
use crate::sql::lexer::statements;
use crate::sql::tests::Fixture;

#[tokio::test]
async fn the_hidden_columns_must_be_named() {
    let mut f = unique(true, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
    let rows = f.rows("SELECT * FROM t@incr('incrementType' = 'DETAIL')").await;
    let names = |rows: &crate::sql::engine::Rows| -> Vec<String> {
        rows.columns.iter().map(|column| column.name.clone()).collect()
    };
    assert_eq!(names(&rows), ["id", "name", "v"]);
    // As connectors write it.
    let sql = "/* ApplicationName=Flink ArrowFlightSQL Query */ SELECT *, __DORIS_BINLOG_TSO__, __DORIS_BINLOG_LSN__, \
        __DORIS_BINLOG_OP__ FROM `d`.`t`@incr('startTimestamp' = '2020-01-01 00:00:00', 'incrementType' = 'DETAIL') \
        ORDER BY __DORIS_BINLOG_TSO__, __DORIS_BINLOG_LSN__, __DORIS_BINLOG_OP__";
    let rows = f.rows(sql).await;
    assert_eq!(
        names(&rows),
        [
            "id",
            "name",
            "v",
            "__DORIS_BINLOG_TSO__",
            "__DORIS_BINLOG_LSN__",
            "__DORIS_BINLOG_OP__"
        ]
    );
    let types: Vec<String> = rows
        .columns
        .iter()
        .map(|column| column.doris_type.sql_name())
        .collect();
    assert_eq!(types[3..], ["bigint", "bigint", "tinyint"]);
    assert_eq!(rows.row_count(), 1);
    assert_eq!(
        f.texts("SELECT __doris_changelog_op__ FROM t@INCR('incrementType' = 'DETAIL') x WHERE x.__DORIS_BINLOG_OP__ = 0")
            .await,
        ["0"]
    );
    let unknown = f.error("SELECT __DORIS_CHANGELOG_TSO__ FROM t").await;
    assert!(
        unknown.contains("Unknown column '__DORIS_CHANGELOG_TSO__'") || unknown.contains("nknown column"),
        "{unknown}"
    );
}

#[tokio::test]
async fn a_server_has_the_names_of_its_family_only() {
    for (names, mine, other) in [
        ("changelog", "CHANGELOG", "BINLOG"),
        ("binlog", "BINLOG", "CHANGELOG"),
    ] {
        let mut f = Fixture::with(switches(&[
            &format!("changelog_names={names}"),
            "changelog_op=int64",
        ]))
        .await;
        let table = unique_table("t", true, 1, r#", "changelog.format" = "ROW""#);
        f.run(&table.replace("changelog.", &format!("{names}."))).await;
        f.run("INSERT INTO t VALUES (1, 'a', 1)").await;
        let rows = f
            .rows(&format!(
                "SELECT __DORIS_{mine}_OP__ FROM t@incr('incrementType' = \"DETAIL\")"
            ))
            .await;
        assert_eq!(rows.columns[0].doris_type.sql_name(), "bigint");
        let sql = format!("SELECT __DORIS_{other}_TSO__ FROM t@incr('incrementType' = 'DETAIL') LIMIT 0");
        let unknown = f.error(&sql).await;
        assert!(unknown.contains("Unknown column"), "{unknown}");
        assert_eq!(
            f.texts("SELECT * FROM t@incr('incrementType' = 'DETAIL')").await,
            ["1|a|1"]
        );
        assert!(
            f.error(
                &unique_table("u", true, 1, "").replace("changelog.", &format!("{}.", other.to_lowercase()))
            )
            .await
            .contains("Unknown properties")
        );
    }
}

#[tokio::test]
async fn changes_are_a_relation_like_others() {
    let mut f = unique(true, "").await;
    f.run("INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)")
        .await;
    f.run("UPDATE t SET v = 20 WHERE id = 2").await;
    f.run("CREATE TABLE n (id INT, title STRING) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    f.run("INSERT INTO n VALUES (1, 'one'), (2, 'two')").await;
    let detail = "@incr('incrementType' = 'DETAIL')";
    assert_eq!(
        f.texts(&format!(
            "SELECT n.*, c.* FROM n JOIN t{detail} AS c ON n.id = c.id WHERE c.__DORIS_CHANGELOG_OP__ IN (0, 3) ORDER BY c.v"
        ))
        .await,
        ["1|one|1|a|1", "2|two|2|b|2", "2|two|2|b|20"]
    );
    assert_eq!(
        f.texts(&format!(
            "SELECT * FROM d.t{detail} a, t{detail} b WHERE a.id = 3 AND b.id = 3"
        ))
        .await,
        ["3|c|3|3|c|3"]
    );
    assert_eq!(
        f.texts(&format!("SELECT md5(cast(id AS STRING)), upper(name) FROM `t`{detail} WHERE v >= 3 ORDER BY v DESC LIMIT 1"))
            .await,
        ["c81e728d9d4c2f636f067f89cc14862c|B"]
    );
    assert_eq!(
        f.texts(&format!(
            "SELECT op, COUNT(*) FROM (SELECT *, __DORIS_CHANGELOG_OP__ AS op FROM t{detail}) x GROUP BY op ORDER BY op"
        ))
        .await,
        ["0|3", "2|1", "3|1"]
    );
    f.run(&format!(
        "CREATE VIEW w AS SELECT id, v FROM t{detail} WHERE id > 2"
    ))
    .await;
    assert_eq!(f.texts("SELECT * FROM w").await, ["3|3"]);
    f.run(&format!(
        "INSERT INTO n SELECT id, name FROM t{detail} WHERE __DORIS_BINLOG_OP__ = 3"
    ))
    .await;
    assert_eq!(f.texts("SELECT COUNT(*) FROM n").await, ["3"]);
    for (sql, reason) in [
        ("SELECT * FROM w@incr()", "is a view"),
        ("SELECT * FROM t PARTITION(t) @incr()", "sql parser error"),
        ("SELECT * FROM t@incr() TABLET(1)", "TABLET is not supported"),
        ("DELETE FROM t@incr() WHERE id = 1", "mismatched input"),
        (
            "SELECT * FROM t@branch('a' = 'b')",
            "Table [t@branch] does not exist",
        ),
    ] {
        let text = f.error(sql).await;
        assert!(text.contains(reason), "{sql}: {text}");
    }
}

async fn physical_plan(f: &Fixture, order: &str) -> String {
    let sql = format!(
        "SELECT id, __DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__ \
         FROM t@incr('incrementType' = 'DETAIL') WHERE id > 3 ORDER BY {order}"
    );
    let statement = &statements(&sql).unwrap()[0];
    let planned = f.engine.plan(&f.session, statement).await.unwrap();
    let physical = planned.state().create_physical_plan(&planned.plan).await.unwrap();
    displayable(physical.as_ref()).indent(false).to_string()
}

const ORDER: &str = "__DORIS_CHANGELOG_TSO__, __DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_OP__";

#[tokio::test]
async fn changes_come_in_their_order_without_being_sorted() {
    let f = unique(true, "").await;
    // The numbers are unique, so what follows them decides nothing.
    for order in [
        ORDER.to_owned(),
        format!("{ORDER}, id, md5(cast(name AS STRING))"),
    ] {
        let shown = physical_plan(&f, &order).await;
        assert!(
            !shown.contains("SortExec") && shown.contains("StreamingTableExec"),
            "{shown}"
        );
    }
    for order in [
        "id",
        "__DORIS_CHANGELOG_TSO__ DESC",
        "__DORIS_CHANGELOG_LSN__, __DORIS_CHANGELOG_TSO__",
    ] {
        let shown = physical_plan(&f, order).await;
        assert!(shown.contains("SortExec"), "{order}: {shown}");
    }
    let mut f = Fixture::with(switches(&["changelog_lsn=backend"])).await;
    f.run(&unique_table("t", true, 2, "")).await;
    assert!(!physical_plan(&f, ORDER).await.contains("SortExec"));
    assert!(
        physical_plan(&f, &format!("{ORDER}, id"))
            .await
            .contains("SortExec")
    );
}
