//! Admin port: journal, stats, tables, rules, nodes, sessions.

use serde_json::{Value, json};

use crate::support::{cluster, envelope, http, login, read};
use doris_standin::Standin;

async fn call(standin: &Standin, method: &str, path: &str, body: &str) -> (u16, Value) {
    let (status, text) = http(standin.ports().admin, method, path, body, None)
        .await
        .unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

#[tokio::test]
async fn the_journal_has_every_request_and_no_secret() {
    let standin = cluster().await;
    envelope(&standin, "GET", "/api/backends?is_alive=true", "").await;
    let body = r#"{"stmt":"select 'x' as password, 's3.secret_key' = 'geheim'"}"#;
    http(
        standin.ports().fe[0].http,
        "POST",
        "/api/query/internal/test",
        body,
        Some(("root", "")),
    )
    .await
    .unwrap();
    let (status, journal) = call(&standin, "GET", "/requests?since=0", "").await;
    assert_eq!(status, 200);
    let entries = journal.as_array().unwrap();
    assert_eq!(entries.len(), 2, "{journal}");
    assert_eq!(entries[0]["channel"], "fe.http");
    assert_eq!(entries[0]["node"], "fe0");
    assert_eq!(entries[0]["path"], "/api/backends?is_alive=true");
    assert_eq!(entries[0]["headers"]["authorization"], "Basic ***");
    assert_eq!(entries[0]["user"], "root");
    assert_eq!(entries[0]["status"], "ok");
    assert_eq!(entries[1]["body_bytes"], body.len());
    assert!(!journal.to_string().contains("geheim"), "{journal}");
    let since = entries[0]["seq"].as_u64().unwrap();
    let (_, tail) = call(&standin, "GET", &format!("/requests?since={since}"), "").await;
    assert_eq!(tail.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn stats_and_tables_are_shown() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    read(&mut client, "SELECT * FROM test.student").await.unwrap();
    let (_, stats) = call(&standin, "GET", "/stats", "").await;
    assert_eq!(
        (&stats["flight_sessions"], &stats["rows_served"]),
        (&json!(1), &json!(4))
    );
    let (status, table) = call(&standin, "GET", "/tables/test/student", "").await;
    assert_eq!(status, 200);
    assert_eq!(
        (&table["rows"], table["tablets"].as_array().unwrap().len()),
        (&json!(4), 3)
    );
    assert_eq!(call(&standin, "GET", "/tables/test/nothing", "").await.0, 404);
}

#[tokio::test]
async fn the_changelog_of_a_table_is_shown_and_purged() {
    let standin = cluster().await;
    let (_, table) = call(&standin, "GET", "/tables/test/student", "").await;
    assert_eq!(table["changelog"], Value::Null);
    let mut client = login(&standin).await;
    for sql in [
        "CREATE TABLE test.c (id INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2 \
         PROPERTIES (\"changelog.enable\" = \"true\", \"changelog.ttl_seconds\" = \"60\")",
        "INSERT INTO test.c VALUES (1), (2), (3)",
    ] {
        read(&mut client, sql).await.unwrap();
    }
    let (_, table) = call(&standin, "GET", "/tables/test/c", "").await;
    let log = &table["changelog"];
    assert_eq!(
        (&log["rows"], &log["ttl_seconds"], &log["history"]),
        (&json!(3), &json!(60), &json!(false))
    );
    assert_eq!(
        (&log["oldest_tso"], &log["newest_tso"]),
        (&table["stamp"], &table["stamp"])
    );
    call(&standin, "POST", "/clock", r#"{"advance_ms":60000}"#).await;
    let (_, table) = call(&standin, "GET", "/tables/test/c", "").await;
    let committed = table["stamp"].as_i64().unwrap() >> 18;
    assert!(
        table["changelog"]["expired_to_ms"].as_i64().unwrap() >= committed,
        "{table}"
    );
    let purged = call(&standin, "POST", "/tables/test/c/purge", "").await;
    assert_eq!(purged, (200, json!({"purged": 3})));
    let (_, table) = call(&standin, "GET", "/tables/test/c", "").await;
    assert_eq!(
        (&table["changelog"]["rows"], &table["rows"]),
        (&json!(0), &json!(3))
    );
    assert_eq!(
        call(&standin, "POST", "/tables/test/nothing/purge", "").await.0,
        404
    );
}

#[tokio::test]
async fn rules_come_and_go() {
    let standin = cluster().await;
    let rule = r#"{"at":"fe.api","match":{"node":"fe0"},"do":{"answer":{"message":"no"}},"times":2}"#;
    let (status, added) = call(&standin, "POST", "/faults", rule).await;
    assert_eq!((status, &added["id"]), (200, &json!(1)));
    assert_eq!(envelope(&standin, "GET", "/api/backends", "").await["data"], "no");
    let (_, rules) = call(&standin, "GET", "/faults", "").await;
    assert_eq!(
        (&rules[0]["fired"], &rules[0]["at"], &rules[0]["times"]),
        (&json!(1), &json!("fe.api"), &json!(2))
    );
    assert_eq!(call(&standin, "DELETE", "/faults/1", "").await.0, 200);
    assert_eq!(call(&standin, "DELETE", "/faults/1", "").await.0, 404);
    assert_eq!(
        envelope(&standin, "GET", "/api/backends", "").await["msg"],
        "success"
    );
    let (status, refused) = call(&standin, "POST", "/faults", r#"{"at":"nowhere","do":{}}"#).await;
    assert_eq!(status, 400);
    assert!(
        refused["error"].as_str().unwrap().contains("nowhere"),
        "{refused}"
    );
}

#[tokio::test]
async fn nodes_and_sessions_are_steered() {
    let standin = cluster().await;
    let _client = login(&standin).await;
    assert_eq!(
        call(&standin, "POST", "/sessions/drop", "").await.1,
        json!({"dropped": 1})
    );
    assert_eq!(call(&standin, "POST", "/backends/0/stop", "").await.0, 200);
    let (_, text) = http(standin.ports().fe[0].http, "GET", "/api/health", "", None)
        .await
        .unwrap();
    assert!(text.contains(r#""online_backend_num":0"#), "{text}");
    assert_eq!(call(&standin, "POST", "/backends/0/start", "").await.0, 200);
    assert_eq!(call(&standin, "POST", "/backends/7/stop", "").await.0, 409);
    assert_eq!(call(&standin, "POST", "/frontends/0/jump", "").await.0, 404);
    assert_eq!(
        call(&standin, "POST", "/clock", r#"{"advance_ms":1000}"#).await.0,
        200
    );
    assert_eq!(call(&standin, "POST", "/clock", r#"{"forward":1}"#).await.0, 400);
}

#[tokio::test]
async fn statements_run_past_every_channel() {
    let standin = cluster().await;
    for at in ["mysql.query", "fe.api"] {
        let rule = format!(r#"{{"at":"{at}","do":{{"answer":{{"message":"no"}}}}}}"#);
        standin.add_fault_json(&rule).unwrap();
    }
    standin.stop_frontend(0).await.unwrap();
    let sql = "USE test; INSERT INTO student VALUES (5, NULL, 2, 0.5); SELECT id, name, amt FROM student WHERE id > 3 ORDER BY id";
    let (status, answers) = call(&standin, "POST", "/sql", sql).await;
    assert_eq!(status, 200, "{answers}");
    assert_eq!(
        (&answers[0]["affected"], &answers[1]["affected"]),
        (&json!(0), &json!(1))
    );
    let rows = json!([["4", "größer 😀", "99999999.99"], ["5", null, "0.50"]]);
    assert_eq!(
        answers[2],
        json!({"columns": ["id", "name", "amt"], "rows": rows})
    );
    assert!(standin.journal().is_empty());

    let (status, refused) = call(
        &standin,
        "POST",
        "/sql",
        "TRUNCATE TABLE test.student; SELECT nothing",
    )
    .await;
    assert_eq!(status, 400);
    assert!(
        refused["error"].as_str().unwrap().contains("nothing"),
        "{refused}"
    );
    // What came before the failure stays done.
    let (_, table) = call(&standin, "GET", "/tables/test/student", "").await;
    assert_eq!(table["rows"], 0);
}
