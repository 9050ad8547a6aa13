//! REST port: envelopes, credentials, the recorded answers of the wire reference.

use serde_json::{Value, json};

use crate::support::{cluster, cluster_with, envelope, http, rest, rest_as};

#[tokio::test]
async fn the_flight_port_is_found_by_show_frontends() {
    let standin = cluster().await;
    let path = "/api/query/default_cluster/information_schema";
    let answer = envelope(&standin, "POST", path, r#"{"stmt":"show frontends"}"#).await;
    assert_eq!((&answer["msg"], &answer["code"]), (&json!("success"), &json!(0)));
    let data = &answer["data"];
    assert_eq!(data["type"], "result_set");
    let meta = data["meta"].as_array().unwrap();
    let at = meta
        .iter()
        .position(|column| column["name"] == "ArrowFlightSqlPort")
        .unwrap();
    assert_eq!(meta[at]["type"], "CHAR");
    assert_eq!(
        data["data"][0][at],
        json!(standin.ports().fe[0].flight.to_string())
    );
    assert!(data["time"].is_number());
}

#[tokio::test]
async fn a_cluster_without_flight_says_minus_one() {
    let standin = cluster_with(|config| config.fe_flight = None).await;
    let path = "/api/query/default_cluster/information_schema";
    let answer = envelope(&standin, "POST", path, r#"{"stmt":"show frontends"}"#).await;
    let data = &answer["data"];
    let at = data["meta"]
        .as_array()
        .unwrap()
        .iter()
        .position(|c| c["name"] == "ArrowFlightSqlPort")
        .unwrap();
    assert_eq!(data["data"][0][at], "-1");
}

#[tokio::test]
async fn a_schema_has_names_and_primitive_types() {
    let standin = cluster().await;
    for path in ["/api/test/student/_schema", "/api/internal/test/student/_schema"] {
        let answer = envelope(&standin, "GET", path, "").await;
        let expected = json!({"keysType": "UNIQUE_KEYS", "status": 200, "properties": [
            {"name": "id", "type": "INT", "comment": "number of the student", "aggregation_type": ""},
            {"name": "name", "type": "VARCHAR", "comment": "", "aggregation_type": "NONE"},
            {"name": "age", "type": "SMALLINT", "comment": "", "aggregation_type": "NONE"},
            {"name": "amt", "type": "DECIMAL64", "comment": "", "aggregation_type": "NONE",
             "precision": "10", "scale": "2"},
        ]});
        assert_eq!(answer["data"], expected);
    }
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let standin = cluster().await;
    let failure = |answer: &Value| {
        (
            answer["code"].as_u64().unwrap(),
            answer["data"].as_str().unwrap().to_owned(),
        )
    };
    let (code, text) = failure(&envelope(&standin, "GET", "/api/test/nothing/_schema", "").await);
    let table = "errCode = 7, detailMessage = table not found, tableName=nothing";
    assert_eq!((code, text.as_str()), (1, table));
    let (code, text) = failure(&envelope(&standin, "GET", "/api/nowhere/student/_schema", "").await);
    let database = "errCode = 7, detailMessage = unknown databases, dbName=nowhere";
    assert_eq!((code, text.as_str()), (1, database));
    let path = "/api/nowhere/get_load_state?label=l";
    let (code, text) = failure(&envelope(&standin, "GET", path, "").await);
    assert_eq!((code, text.as_str()), (1, database));
    let (code, text) = failure(&envelope(&standin, "GET", "/api/hive/test/student/_schema", "").await);
    assert!(code == 1 && text.contains("hive"), "{code} {text}");
}

/// A view has columns and no model.
#[tokio::test]
async fn a_view_has_a_schema_and_no_plan() {
    let standin = cluster().await;
    let view = "CREATE VIEW test.v AS SELECT id, amt FROM test.student";
    standin.execute(view).await.unwrap();
    let answer = envelope(&standin, "GET", "/api/test/v/_schema", "").await;
    let expected = json!({"status": 200, "properties": [
        {"name": "id", "type": "INT", "comment": "", "aggregation_type": ""},
        {"name": "amt", "type": "DECIMAL64", "comment": "", "aggregation_type": "",
         "precision": "10", "scale": "2"},
    ]});
    assert_eq!(answer["data"], expected);
    let body = r#"{"sql":"select id from test.v"}"#;
    let answer = envelope(&standin, "POST", "/api/test/v/_query_plan", body).await;
    let text = "errCode = 7, detailMessage = table type is not OLAP, tableName=v, type=VIEW";
    assert_eq!((&answer["code"], &answer["data"]), (&json!(1), &json!(text)));
}

#[tokio::test]
async fn a_query_plan_gives_tablets_with_their_back_ends() {
    let standin = cluster_with(|config| config.backends = 2).await;
    let body = r#"{"sql":"select `id`,`name` from `test`.`student`"}"#;
    for method in ["POST", "GET"] {
        let answer = envelope(&standin, method, "/api/test/student/_query_plan", body).await;
        assert_eq!(answer["code"], 0);
        let data = &answer["data"];
        assert_eq!(data["status"], 200, "{data}");
        assert!(data["opaqued_query_plan"].is_string());
        let partitions = data["partitions"].as_object().unwrap();
        assert_eq!(partitions.len(), 3);
        for (tablet, plan) in partitions {
            assert!(tablet.parse::<i64>().is_ok());
            assert!(
                plan["routings"][0].as_str().unwrap().starts_with("127.0.0.1:90"),
                "{plan}"
            );
            assert!(plan["version"].as_i64().unwrap() >= 1);
            assert_eq!(plan["schemaHash"], 0);
        }
    }
}

#[tokio::test]
async fn a_plan_that_fails_fails_inside_a_success() {
    let standin = cluster().await;
    let path = "/api/test/student/_query_plan";
    let plans = [
        (
            r#"{"sql":"select nothing from test.student"}"#,
            json!("1"),
            "nothing",
        ),
        (
            r#"{"sql":"select id from test.student where = 1"}"#,
            json!("1"),
            "",
        ),
        (
            r#"{"sql":"select count(*) from test.student"}"#,
            json!(400),
            "single table",
        ),
        (
            r#"{"sql":"select id from test.student limit 1"}"#,
            json!(400),
            "single table",
        ),
    ];
    for (body, status, part) in plans {
        let answer = envelope(&standin, "POST", path, body).await;
        assert_eq!(answer["code"], 0);
        assert_eq!(answer["data"]["status"], status, "{body}");
        let text = answer["data"]["exception"].as_str().unwrap();
        assert!(text.contains(part), "{text}");
    }
}

/// What is wrong with the call itself is no success.
#[tokio::test]
async fn a_plan_of_what_is_not_there_fails() {
    let standin = cluster().await;
    let sql = r#"{"sql":"select 1"}"#;
    for (path, body, code, text) in [
        (
            "/api/test/nothing/_query_plan",
            sql,
            1,
            "errCode = 7, detailMessage = table not found, tableName=nothing",
        ),
        (
            "/api/nowhere/t/_query_plan",
            sql,
            1,
            "errCode = 7, detailMessage = unknown databases, dbName=nowhere",
        ),
        (
            "/api/test/student/_query_plan",
            "{}",
            403,
            "POST body must contain [sql] root object",
        ),
    ] {
        let answer = envelope(&standin, "POST", path, body).await;
        assert_eq!(
            (&answer["code"], &answer["data"]),
            (&json!(code), &json!(text)),
            "{path} {body}"
        );
    }
}

/// A client that takes "no tablets" for a failure would never read an empty table.
#[tokio::test]
async fn partitions_that_never_got_rows_are_no_part_of_a_plan() {
    let standin = cluster().await;
    standin
        .execute(
            "CREATE TABLE test.parts (id INT, v INT) DUPLICATE KEY(id) PARTITION BY RANGE(id)
             (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (20)) DISTRIBUTED BY HASH(id) BUCKETS 4",
        )
        .await
        .unwrap();
    let planned = async |predicate: &str| {
        let body = json!({"sql": format!("select id from test.parts {predicate}")}).to_string();
        let answer = envelope(&standin, "POST", "/api/test/parts/_query_plan", &body).await;
        assert_eq!(answer["data"]["status"], 200, "{answer}");
        answer["data"]["partitions"].as_object().unwrap().len()
    };
    assert_eq!(planned("").await, 0);
    standin
        .execute("INSERT INTO test.parts VALUES (1, 1)")
        .await
        .unwrap();
    assert_eq!(planned("").await, 4);
    assert_eq!(planned("where id = 1").await, 1);
    assert_eq!(planned("where id = 11").await, 0);
}

#[tokio::test]
async fn back_ends_are_listed_to_everybody_with_a_password() {
    let standin = cluster_with(|config| config.backends = 2).await;
    let port = |index: usize| standin.ports().be[index].http;
    let node =
        |index: usize, alive: bool| json!({"ip": "127.0.0.1", "http_port": port(index), "is_alive": alive});
    let answer = envelope(&standin, "GET", "/api/backends?is_alive=true", "").await;
    assert_eq!(
        answer,
        json!({"msg": "success", "code": 0, "data": {"backends": [node(0, true), node(1, true)]}, "count": 0})
    );
    standin.stop_backend(0).await.unwrap();
    let answer = envelope(&standin, "GET", "/api/backends?is_alive=true", "").await;
    assert_eq!(answer["data"]["backends"], json!([node(1, true)]));
    let answer = envelope(&standin, "GET", "/api/backends", "").await;
    assert_eq!(answer["data"]["backends"], json!([node(0, false), node(1, true)]));
}

#[tokio::test]
async fn refusals_are_envelopes_with_status_200() {
    let standin = cluster_with(|config| config.users.push(("flink".into(), "p:w".into()))).await;
    let path = "/api/backends";
    let (status, text) = rest_as(&standin, "GET", path, "", None).await;
    assert_eq!(status, 200);
    assert_eq!(
        text,
        r#"{"msg":"Unauthorized","code":401,"data":"Need auth information.","count":0}"#
    );
    let (status, text) = rest_as(&standin, "GET", path, "", Some(("flink", "wrong"))).await;
    assert_eq!(status, 200);
    assert_eq!(
        text,
        r#"{"msg":"Unauthorized","code":401,"data":"Access denied for user 'flink@127.0.0.1' (using password: YES)","count":0}"#
    );
    let (_, text) = rest_as(&standin, "GET", path, "", Some(("flink", "p:w"))).await;
    assert!(text.contains("success"));
}

#[tokio::test]
async fn health_needs_no_password() {
    let standin = cluster().await;
    let (status, text) = rest_as(&standin, "GET", "/api/health", "", None).await;
    assert_eq!(status, 200);
    assert!(text.contains(r#""online_backend_num":1"#), "{text}");
    let (status, text) = rest_as(&standin, "GET", "/api/bootstrap", "", None).await;
    assert!(status == 200 && text.contains("success"), "{text}");
    let (status, _) = rest_as(&standin, "GET", "/", "", None).await;
    assert_eq!(status, 200);
    let (status, text) = http(standin.ports().be[0].http, "GET", "/api/health", "", None)
        .await
        .unwrap();
    assert!(status == 200 && text.contains("OK"), "{text}");
    let (status, _) = rest(&standin, "GET", "/api/no/such/call/at/all", "").await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn a_label_that_nobody_used_is_unknown() {
    let standin = cluster().await;
    let answer = envelope(&standin, "GET", "/api/test/get_load_state?label=a%20b", "").await;
    assert_eq!(
        answer,
        json!({"msg": "success", "code": 0, "data": "UNKNOWN", "count": 0})
    );
    assert_ne!(
        envelope(&standin, "GET", "/api/test/get_load_state", "").await["code"],
        0
    );
    let labels: Vec<_> = standin
        .journal()
        .into_iter()
        .filter_map(|entry| entry.label)
        .collect();
    assert_eq!(labels, ["a b"]);
}

#[tokio::test]
async fn statements_give_rows_or_their_error() {
    let standin = cluster().await;
    let path = "/api/query/internal/test";
    let body = r#"{"stmt":"select id, name from student where id < 4 order by id"}"#;
    let answer = envelope(&standin, "POST", path, body).await;
    assert_eq!(
        answer["data"]["meta"],
        json!([{"name": "id", "type": "INT"}, {"name": "name", "type": "VARCHAR"}])
    );
    assert_eq!(
        answer["data"]["data"],
        json!([[1, "Ada"], [2, "a&b=c"], [3, null]])
    );
    let answer = envelope(
        &standin,
        "POST",
        path,
        r#"{"stmt":"select nothing from student"}"#,
    )
    .await;
    assert_eq!((&answer["msg"], &answer["code"]), (&json!("Error"), &json!(1)));
    let text = answer["data"].as_str().unwrap();
    assert!(
        text.starts_with("Failed to execute sql: java.sql.SQLException: (conn=")
            && text.ends_with(") errCode = 2, detailMessage = Unknown column 'nothing' in 'table list'"),
        "{text}"
    );
    let body = r#"{"stmt":"select 1"}"#;
    let answer = envelope(&standin, "POST", "/api/query/internal/nowhere", body).await;
    let text = answer["data"].as_str().unwrap();
    assert!(
        answer["code"] == 1 && text.contains("Unknown database 'nowhere'"),
        "{answer}"
    );
    let answer = envelope(&standin, "POST", "/api/query/hive/test", body).await;
    assert_eq!(answer["code"], 500, "{answer}");
    let answer = envelope(&standin, "POST", path, r#"{"stmt":"set time_zone = '+00:00'"}"#).await;
    assert_eq!(answer["data"]["type"], "exec_status");
    let answer = envelope(&standin, "POST", path, "{}").await;
    assert_eq!(answer["code"], 403);
    let body = r#"{"stmt":"select amt, cast(id as double) from student where id = 2","limit":1}"#;
    let answer = envelope(&standin, "POST", path, body).await;
    assert_eq!(answer["data"]["data"], json!([[-2.25, 2.0]]));
    let body = r#"{"stmt":"select number from numbers('number' = '3000')"}"#;
    let answer = envelope(&standin, "POST", path, body).await;
    assert_eq!(answer["data"]["data"].as_array().unwrap().len(), 1000);
}
