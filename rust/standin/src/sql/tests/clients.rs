//! What stock clients send besides the statements of their users.

use super::Fixture;
use crate::sql::engine::Answer;
use crate::store::txn::TxnState;

fn info(answers: &[Answer]) -> String {
    match answers.last() {
        Some(Answer::Done { info, .. }) => info.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn names_stand_among_variables_in_one_list() {
    let mut f = Fixture::new().await;
    for list in [
        "NAMES utf8mb4, query_timeout = 11",
        "NAMES utf8mb4 COLLATE utf8mb4_general_ci, SESSION query_timeout = 12",
        "query_timeout = 13, NAMES 'utf8mb4'",
        "NAMES = utf8mb4, @@session.query_timeout = 14, sql_mode = ''",
        "autocommit = 1, query_timeout = 15, CHARACTER SET utf8mb4",
        "CHARSET utf8mb4, query_timeout = 16, NAMES DEFAULT, autocommit = 1",
        "query_timeout = 17, SESSION TRANSACTION READ ONLY, ISOLATION LEVEL READ COMMITTED",
    ] {
        f.run(&format!("SET {list}")).await;
        let got = f.texts("SELECT @@query_timeout").await.remove(0);
        assert!(list.contains(&format!("query_timeout = {got}")), "{list}: {got}");
    }
    assert!(f.error("SET NAMES").await.contains("expecting a value"));
    assert!(
        f.error("SET NAMES utf8mb4, no_such = 1")
            .await
            .contains("no_such")
    );
}

#[tokio::test]
async fn items_of_one_value_keep_their_names() {
    let mut f = Fixture::new().await;
    let rows = f
        .rows("SELECT @@character_set_client, @@character_set_results, @@session.autocommit, 1, (1), 1+1, 1 + 1")
        .await;
    let names: Vec<_> = rows.columns.iter().map(|column| column.name.as_str()).collect();
    let wanted = [
        "@@character_set_client",
        "@@character_set_results",
        "@@session.autocommit",
        "1",
        "(1)",
        "1+1",
        "1 + 1",
    ];
    assert_eq!(names, wanted);
    assert_eq!(
        f.texts(
            "SELECT @@character_set_client, @@character_set_results, @@net_read_timeout, @@net_write_timeout"
        )
        .await,
        ["utf8mb4|utf8mb4|60|60"]
    );
    f.run("CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a) BUCKETS 1; INSERT INTO t VALUES (2), (1)")
        .await;
    assert_eq!(
        f.texts("SELECT MAX(a), max(A), 'x', 'X' FROM t ORDER BY max(a)")
            .await,
        ["2|2|x|X"]
    );
}

#[tokio::test]
async fn a_transaction_of_a_client_shows_its_rows_at_its_end() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a) BUCKETS 2; CREATE TABLE u (a INT) DISTRIBUTED BY HASH(a) BUCKETS 1")
        .await;
    for begin in [
        "BEGIN",
        "begin work",
        "START TRANSACTION",
        "start transaction with consistent snapshot",
        "BEGIN WITH LABEL l1",
    ] {
        f.run(begin).await;
        let held = info(&f.run("INSERT INTO t VALUES (1), (2)").await);
        assert!(held.contains("'status':'PREPARE'"), "{held}");
        f.run("INSERT INTO t SELECT a + 2 FROM (SELECT 1 AS a) s").await;
        assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["0"], "{begin}");
        let done = info(&f.run("COMMIT WORK").await);
        assert!(done.contains("'status':'VISIBLE'"), "{done}");
        assert_eq!(
            f.texts("SELECT a FROM t ORDER BY a").await,
            ["1", "2", "3"],
            "{begin}"
        );
        f.run("TRUNCATE TABLE t").await;
    }
    assert_eq!(f.engine.transactions().state("d", "l1"), Some(TxnState::Visible));
    assert!(
        f.error("BEGIN; INSERT INTO t VALUES (1); INSERT INTO u VALUES (1)")
            .await
            .contains("Only one table")
    );
    let gone = info(&f.run("ROLLBACK").await);
    assert!(gone.contains("'status':'ABORTED'"), "{gone}");
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["0"]);
    let aborted = f.engine.transactions().list().pop().unwrap();
    assert_eq!(
        (aborted.state, aborted.reason.as_str()),
        (TxnState::Aborted, "user rollback")
    );
}

#[tokio::test]
async fn without_a_transaction_there_is_nothing_to_end() {
    let mut f = Fixture::new().await;
    for sql in [
        "COMMIT",
        "ROLLBACK",
        "COMMIT AND NO CHAIN NO RELEASE",
        "BEGIN; COMMIT",
        "BEGIN; BEGIN; ROLLBACK WORK",
        "SET autocommit = 0; COMMIT; SET autocommit = 1",
    ] {
        assert_eq!(info(&f.run(sql).await), "", "{sql}");
    }
    assert!(f.error("COMMIT AND CHAIN").await.contains("mismatched input"));
    assert!(f.error("START").await.contains("TRANSACTION"));
}

#[tokio::test]
async fn a_failed_insert_ends_its_transaction_and_the_commit_says_so() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (a INT NOT NULL) DISTRIBUTED BY HASH(a) BUCKETS 1; BEGIN; INSERT INTO t VALUES (1)",
    )
    .await;
    assert!(f.error("INSERT INTO t VALUES ('x')").await.contains("'x'"));
    assert!(f.error("INSERT INTO t VALUES (2)").await.contains("was aborted"));
    let told = f.error("COMMIT").await;
    assert!(
        told.contains("nothing of it is kept") && told.contains("'x'"),
        "{told}"
    );
    assert_eq!(f.texts("SELECT COUNT(*) FROM t").await, ["0"]);
    f.run("INSERT INTO t VALUES (3)").await;
    assert_eq!(f.texts("SELECT a FROM t").await, ["3"]);
}

#[tokio::test]
async fn what_cannot_wait_is_refused_within_a_transaction() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (a INT NOT NULL, b INT) UNIQUE KEY(a) DISTRIBUTED BY HASH(a) BUCKETS 1; BEGIN")
        .await;
    for sql in [
        "DELETE FROM t WHERE a = 1",
        "UPDATE t SET b = 1",
        "TRUNCATE TABLE t",
        "DROP TABLE t",
        "CREATE TABLE u (a INT)",
    ] {
        let told = f.error(sql).await;
        assert!(
            told.contains("only insert, commit, rollback is acceptable"),
            "{told}"
        );
    }
    for sql in [
        "INSERT OVERWRITE TABLE t VALUES (1, 1)",
        "INSERT INTO t WITH LABEL l VALUES (1, 1)",
    ] {
        assert!(f.error(sql).await.contains("only a plain INSERT"), "{sql}");
    }
    f.run("SET query_timeout = 5; USE d; SHOW TABLES; INSERT INTO t VALUES (1, 1); COMMIT")
        .await;
    assert_eq!(f.texts("SELECT * FROM t").await, ["1|1"]);
}

#[tokio::test]
async fn a_session_that_goes_away_takes_its_transaction_along() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a) BUCKETS 1; BEGIN; INSERT INTO t VALUES (1)")
        .await;
    let waiting = f.engine.transactions().list().pop().unwrap();
    assert_eq!(waiting.state, TxnState::Prepare);
    f.session = f.engine.open_session("root");
    let ended = f.engine.transactions().list().pop().unwrap();
    assert_eq!((ended.id, ended.state), (waiting.id, TxnState::Aborted));
    assert_eq!(f.texts("SELECT COUNT(*) FROM d.t").await, ["0"]);
}

#[tokio::test]
async fn what_drivers_ask_of_columns_is_answered() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT NOT NULL, name VARCHAR(10)) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1",
    )
    .await;
    let null_and_key: Vec<String> = f
        .texts("SHOW FULL COLUMNS FROM t")
        .await
        .iter()
        .map(|row| row.split('|').skip(3).take(2).collect::<Vec<_>>().join("|"))
        .collect();
    assert_eq!(null_and_key, ["NO|YES", "YES|NO"]);
    assert_eq!(
        f.texts("SELECT UCASE('a'), LCASE('B'), LOCATE('(', COLUMN_TYPE), CONVERT(CASE 1 WHEN 1 THEN '7' END, UNSIGNED INTEGER), CAST(1 + 1 AS SIGNED INTEGER), CONVERT('x' USING utf8mb4)
                 FROM information_schema.columns WHERE TABLE_SCHEMA = 'd' AND COLUMN_NAME = 'name'")
            .await,
        ["A|b|8|7|2|x"]
    );
    assert!(
        f.error("SELECT CONVERT(1)")
            .await
            .contains("CONVERT without a type")
    );
}
