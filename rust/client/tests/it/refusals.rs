//! What a user is told of a missing privilege, database or table: the texts of real servers, which give nearly all of them the
//! same number.

use doris_client::ErrorKind;

use crate::sink_support::*;
use crate::support::*;

const INIT: &str = "CREATE DATABASE bare; CREATE DATABASE db; CREATE TABLE db.t (id INT) DUPLICATE KEY(id) \
    DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1');";

const NO_SELECT: &str = "errCode = 2, detailMessage = Permission denied: user ['u1'@'%'] does not have privilege for \
    [Privilege names: [Select_priv]] command on [internal].[db].[t]";

#[tokio::test]
async fn a_missing_privilege_is_told_by_its_name_on_every_channel() {
    let standin = cluster(INIT).await;
    let told = format!("get flight info statement failed, {NO_SELECT}, error code: ERR_UNKNOWN_ERROR");
    for (at, rule) in [
        (
            "information_schema.columns",
            format!(r#""at": "flight.get_info", "do": {{"status": {{"code": "INTERNAL", "message": "{told}"}}}}"#),
        ),
        (
            "LIMIT 0",
            format!(r#""at": "flight.get_info", "do": {{"status": {{"code": "INTERNAL", "message": "{told}"}}}}"#),
        ),
        (
            "_query_plan",
            format!(r#""at": "fe.api", "do": {{"answer": {{"code": 1, "message": "{NO_SELECT}"}}}}"#),
        ),
        (
            "_query_plan",
            format!(r#""at": "fe.api", "do": {{"answer": {{"code": 0, "data": {{"status": "1", "exception": "{NO_SELECT}"}}}}}}"#),
        ),
        (
            "SHOW FRONTENDS",
            r#""at": "fe.api", "do": {"answer": {"code": 1, "message": "Access denied; you need (at least one of) the (SELECT) privilege(s) for this operation"}}"#.to_owned(),
        ),
    ] {
        standin
            .add_fault_json(&format!(r#"{{{rule}, "match": {{"statement": "{at}"}}}}"#))
            .unwrap();
        let read = read(&standin, "db.t", &[("id", "INT")]);
        let error = read.plan().await.unwrap_err();
        assert_error(&error, ErrorKind::Auth, &["'root'", "GRANT SELECT_PRIV ON", "TO 'root'"]);
        assert!(!error.is_retryable());
        standin.clear_faults();
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn a_load_without_its_privilege_is_told_so() {
    const NO_LOAD: &str = "LOAD command denied to user 'u1'@'127.0.0.1' for table 'db: t'";
    let standin = cluster(INIT).await;
    for (at, action) in [
        (
            "fe.redirect",
            format!(r#"{{"answer": {{"code": 1, "message": "{NO_LOAD}"}}}}"#),
        ),
        (
            "be.load.headers",
            format!(
                r#"{{"answer": {{"message": "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = {NO_LOAD}"}}}}"#
            ),
        ),
    ] {
        standin
            .add_fault_json(&format!(r#"{{"at": "{at}", "do": {action}}}"#))
            .unwrap();
        let load = write_to(&standin).sink().open_load(raw()).unwrap();
        let _ = put(&load, b"1", 1).await;
        let error = end(&load).await.unwrap_err();
        assert_error(
            &error,
            ErrorKind::Auth,
            &["LOAD command denied", "GRANT LOAD_PRIV ON"],
        );
        assert!(!error.is_retryable(), "{at}: {error}");
        standin.clear_faults();
    }
}

#[tokio::test]
async fn a_missing_table_in_a_database_without_tables_is_a_missing_table() {
    let standin = cluster(INIT).await;
    for (name, text, part) in [
        (
            "bare.x",
            "Table [x] does not exist in database [bare]",
            "table 'bare.x' of table.identifier",
        ),
        (
            "nodb.x",
            "Database [nodb] does not exist.",
            "database 'nodb' of table.identifier",
        ),
    ] {
        let rule = format!(
            r#"{{"at": "flight.get_info", "match": {{"statement": "LIMIT 0"}}, "do": {{"status": {{"code": "INTERNAL", "message": "get flight info statement failed, errCode = 2, detailMessage = {text}"}}}}}}"#
        );
        standin.add_fault_json(&rule).unwrap();
        let error = read(&standin, name, &[("id", "INT")]).plan().await.unwrap_err();
        assert_error(&error, ErrorKind::NotFound, &[part]);
        standin.clear_faults();
    }
    for (text, part) in [
        (
            "errCode = 7, detailMessage = table not found, tableName=x",
            "table 'db.x'",
        ),
        (
            "errCode = 2, detailMessage = unknown databases, dbName=db",
            "database 'db'",
        ),
    ] {
        let rule = format!(
            r#"{{"at": "fe.api", "match": {{"statement": "_schema"}}, "do": {{"answer": {{"code": 1, "message": "{text}"}}}}}}"#
        );
        standin.add_fault_json(&rule).unwrap();
        let sink = write_to(&standin).sink();
        let error = bounded(sink.check_table("db", "x", None, true))
            .await
            .unwrap_err();
        assert_error(&error, ErrorKind::NotFound, &[part, "table.identifier"]);
        standin.clear_faults();
    }
}
