//! Stream Load at a back end: the recorded requests and answers of the wire reference, byte by byte where it matters.

use doris_standin::TxnState;
use serde_json::{Value, json};

use crate::load_client::{
    CSV, EXPECT, PATH, ROOT, Raw, basic, exchange, load, load_at, put, state, students,
};
use crate::support::{cluster, cluster_with, http, until};

#[tokio::test]
async fn a_load_answers_with_every_member_in_order() {
    let standin = cluster().await;
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    let body = "10,Zoë,1,1.5\n11,\\N,2,2.5\n";
    let headers = format!(
        "{EXPECT}label: doris_label_test_student_0_1\r\n{CSV}Content-Length: {}\r\n",
        body.len()
    );
    raw.send(put(PATH, &headers)).await;
    assert!(raw.continued().await);
    raw.send(body).await;
    let answer = raw.answer().await.unwrap();
    let shape: String = answer
        .body
        .chars()
        .filter(|c| !c.is_ascii_digit() || answer.body.len() < 2)
        .collect();
    let expected = r#"{
    "TxnId": ,
    "Label": "doris_label_test_student__",
    "Comment": "",
    "TwoPhaseCommit": "false",
    "Status": "Success",
    "Message": "OK",
    "NumberTotalRows": ,
    "NumberLoadedRows": ,
    "NumberFilteredRows": ,
    "NumberUnselectedRows": ,
    "LoadBytes": ,
    "LoadTimeMs": ,
    "BeginTxnTimeMs": ,
    "StreamLoadPutTimeMs": ,
    "ReadDataTimeMs": ,
    "WriteDataTimeMs": ,
    "ReceiveDataTimeMs": ,
    "CommitAndPublishTimeMs": 
}
"#;
    assert_eq!(shape, expected);
    let reply = answer.json();
    assert_eq!(
        (
            &reply["NumberTotalRows"],
            &reply["NumberLoadedRows"],
            &reply["LoadBytes"]
        ),
        (&json!(2), &json!(2), &json!(body.len()))
    );
    assert_eq!(students(&standin), 6);
    let entry = standin.journal().pop().unwrap();
    assert_eq!((entry.channel, entry.status.as_str()), ("be.http", "ok"));
    assert_eq!(entry.body_bytes, body.len() as u64);
    assert_eq!(entry.txn_id, reply["TxnId"].as_i64());
}

#[tokio::test]
async fn a_chunked_body_loads_and_the_connection_serves_on() {
    let standin = cluster().await;
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    for id in [20, 21] {
        raw.send(put(PATH, &format!("Transfer-Encoding: chunked\r\n{CSV}")))
            .await;
        raw.send(format!("3\r\n{id},\r\n6\r\na,1,1\n\r\n0\r\n\r\n")).await;
        let reply = raw.answer().await.unwrap().json();
        assert_eq!(reply["Status"], "Success", "{reply}");
        let label = reply["Label"].as_str().unwrap();
        assert_eq!((label.len(), label.matches('-').count()), (36, 4), "{label}");
    }
    assert_eq!(students(&standin), 6);
}

#[tokio::test]
async fn a_refused_header_is_answered_before_the_body_is_asked_for() {
    let standin = cluster_with(|config| config.set.push("streaming_load_max_bytes=1000".into())).await;
    let be = standin.ports().be[0].http;
    let fails = |path: &'static str, headers: String| async move {
        let request = format!("PUT {path} HTTP/1.1\r\nHost: x\r\n{EXPECT}{headers}\r\n");
        let answer = exchange(be, request).await;
        assert_eq!((answer.status, answer.continued), (200, false), "{answer:?}");
        let reply = answer.json();
        assert_eq!(reply["Status"], "Fail", "{reply}");
        assert_eq!(
            (&reply["TxnId"], &reply["NumberLoadedRows"]),
            (&json!(-1), &json!(0))
        );
        reply["Message"].as_str().unwrap().to_owned()
    };
    let length = "Content-Length: 10\r\n";
    assert_eq!(
        fails(PATH, length.to_owned()).await,
        "[NOT_AUTHORIZED]no valid Basic authorization"
    );
    let denied = fails(PATH, basic("root", "no") + length).await;
    assert_eq!(
        denied,
        "[NOT_AUTHORIZED]Access denied for user 'root@127.0.0.1' (using password: YES)"
    );
    let message = fails("/api/nowhere/student/_stream_load", format!("{ROOT}{length}")).await;
    assert!(message.contains("unknown database"), "{message}");
    let message = fails("/api/test/nothing/_stream_load", format!("{ROOT}{length}")).await;
    assert!(message.contains("unknown table"), "{message}");
    let message = fails(PATH, ROOT.to_owned()).await;
    assert!(
        message.ends_with("content_length is empty and transfer-encoding!=chunked, please set content_length or transfer-encoding=chunked"),
        "{message}"
    );
    let both = format!("{ROOT}Content-Length: 10\r\nTransfer-Encoding: chunked\r\n");
    let message = fails(PATH, both).await;
    assert!(
        message.ends_with("please do not set both content_length and transfer-encoding"),
        "{message}"
    );
    let message = fails(PATH, format!("{ROOT}Content-Length: 1001\r\n")).await;
    assert!(
        message.contains("body size 1001 exceed BE's conf `streaming_load_max_mb`"),
        "{message}"
    );
    for timeout in ["0", "259201"] {
        let message = fails(PATH, format!("{ROOT}{length}timeout: {timeout}\r\n")).await;
        assert!(
            message.contains("Timeout should between 1 and 259200"),
            "{message}"
        );
    }
    let message = fails(
        PATH,
        format!("{ROOT}{length}label: l1\r\ngroup_commit: sync_mode\r\n"),
    )
    .await;
    assert!(
        message.ends_with("label and group_commit can't be set at the same time"),
        "{message}"
    );
    let message = fails(PATH, format!("{ROOT}{length}label: a.b\r\n")).await;
    assert!(message.contains("Label format error"), "{message}");
    assert!(standin.transactions().iter().all(|txn| txn.label != "l1"));
}

#[tokio::test]
async fn a_chunked_body_may_not_outgrow_the_limit_either() {
    let standin = cluster_with(|config| config.set.push("streaming_load_max_bytes=10".into())).await;
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(put(
        PATH,
        &format!("Transfer-Encoding: chunked\r\nlabel: big\r\n{CSV}"),
    ))
    .await;
    raw.send("b\r\n1,a,1,1.00\n\r\n0\r\n\r\n").await;
    let reply = raw.answer().await.unwrap().json();
    assert!(
        reply["Message"].as_str().unwrap().contains("body size 11 exceed"),
        "{reply}"
    );
    assert_eq!(state(&standin, "big").await, "ABORTED");
}

#[tokio::test]
async fn an_empty_body_is_a_load_of_no_rows() {
    let standin = cluster().await;
    let headers = "label: probe\r\ntwo_phase_commit: true\r\ncompress_type: gz\r\nformat: json\r\n";
    let reply = load(&standin, headers, "").await;
    assert_eq!(
        (
            &reply["Status"],
            &reply["TwoPhaseCommit"],
            &reply["NumberTotalRows"]
        ),
        (&json!("Success"), &json!("true"), &json!(0)),
        "{reply}"
    );
    assert!(reply["TxnId"].as_i64().unwrap() > 0);
    assert_eq!(state(&standin, "probe").await, "PRECOMMITTED");
    let reply = load(&standin, "label: empty\r\n", "").await;
    assert_eq!(
        (&reply["Status"], &reply["Message"]),
        (&json!("Success"), &json!("OK"))
    );
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_an_aborted_transaction() {
    let standin = cluster().await;
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(put(PATH, &format!("Content-Length: 100\r\nlabel: gone\r\n{CSV}")))
        .await;
    raw.send("30,a,1,1\n").await;
    until("the load has begun", || standin.stats().loads_open == 1).await;
    assert_eq!(state(&standin, "gone").await, "PREPARE");
    drop(raw);
    let ended = || standin.stats().loads_open == 0;
    until("the load has ended", ended).await;
    let txn = standin.transactions().pop().unwrap();
    assert_eq!(
        (txn.state, txn.reason.as_str()),
        (TxnState::Aborted, "sender is gone")
    );
    assert_eq!(students(&standin), 4);
    until("it is in the journal", || {
        standin.journal().iter().any(|entry| entry.status == "gone")
    })
    .await;
    // The label is free at once.
    let reply = load(&standin, &format!("label: gone\r\n{CSV}"), "30,a,1,1\n").await;
    assert_eq!(reply["Status"], "Success", "{reply}");
}

#[tokio::test]
async fn rows_that_do_not_fit_fail_the_load_and_can_be_read() {
    let standin = cluster().await;
    let reply = load(
        &standin,
        &format!("label: l2\r\n{CSV}"),
        "1,a,1,1\nx,b,2,2\n3,c,3,3\n",
    )
    .await;
    assert_eq!(
        (&reply["Status"], &reply["Message"]),
        (
            &json!("Fail"),
            &json!("[DATA_QUALITY_ERROR]too many filtered rows")
        ),
        "{reply}"
    );
    assert_eq!(
        (
            &reply["NumberTotalRows"],
            &reply["NumberLoadedRows"],
            &reply["NumberFilteredRows"]
        ),
        (&json!(3), &json!(0), &json!(1))
    );
    assert!(reply["TxnId"].as_i64().unwrap() > 0);
    let members: Vec<&String> = reply.as_object().unwrap().keys().collect();
    assert_eq!(members[members.len() - 2..], ["ErrorURL", "FirstErrorMsg"]);
    let url = reply["ErrorURL"].as_str().unwrap();
    let be = standin.ports().be[0].http;
    let start = format!("http://127.0.0.1:{be}/api/_load_error_log?file=__shard_");
    assert!(
        url.starts_with(&start) && url.contains("/error_log_insert_stmt_"),
        "{url}"
    );
    let path = url.split_once(&be.to_string()).unwrap().1;
    let (status, text) = http(be, "GET", path, "", None).await.unwrap();
    assert_eq!(status, 200);
    assert!(
        text.starts_with("Reason: ") && text.contains("src line [x,b,2,2]; \n"),
        "{text}"
    );
    assert_eq!(reply["FirstErrorMsg"].as_str(), text.lines().next());
    let missing = http(be, "GET", "/api/_load_error_log?file=none", "", None)
        .await
        .unwrap();
    assert_eq!(missing.0, 404);
    assert_eq!(state(&standin, "l2").await, "ABORTED");
    let ratio = format!("label: l2\r\n{CSV}max_filter_ratio: 0.5\r\n");
    let reply = load(&standin, &ratio, "1,a,1,1\nx,b,2,2\n3,c,3,3\n").await;
    assert_eq!(
        (
            &reply["Status"],
            &reply["NumberLoadedRows"],
            &reply["NumberFilteredRows"]
        ),
        (&json!("Success"), &json!(2), &json!(1)),
        "{reply}"
    );
}

#[tokio::test]
async fn a_refused_body_is_read_to_its_end_before_the_answer() {
    let standin = cluster().await;
    let body = format!("not json{}", "x".repeat(2 << 20));
    let reply = load(
        &standin,
        "format: json\r\ncompress_type: gz\r\nlabel: bad\r\n",
        &body,
    )
    .await;
    assert_eq!(reply["Status"], "Fail", "{reply}");
    assert_eq!(state(&standin, "bad").await, "ABORTED");
    assert_eq!(standin.stats().loads["test.student"].bytes, body.len() as u64);
}

#[tokio::test]
async fn old_servers_take_compressed_csv_only() {
    let standin = cluster_with(|config| config.set.push("compress_csv_only=true".into())).await;
    let reply = load(&standin, "format: json\r\ncompress_type: gz\r\n", "{}").await;
    let message = reply["Message"].as_str().unwrap();
    assert!(
        message.ends_with("compress data of JSON format is not supported"),
        "{message}"
    );
}

#[tokio::test]
async fn a_load_whose_time_is_over_fails() {
    let standin = cluster().await;
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(put(
        PATH,
        &format!("Content-Length: 100\r\nlabel: late\r\ntimeout: 60\r\n{CSV}"),
    ))
    .await;
    raw.send("30,a,1,1\n").await;
    until("the load has begun", || standin.stats().loads_open == 1).await;
    standin.shift_clock(59_000);
    assert_eq!(state(&standin, "late").await, "PREPARE");
    standin.shift_clock(2_000);
    assert_eq!(state(&standin, "late").await, "ABORTED");
    let reply = raw.answer().await.unwrap().json();
    assert_eq!(reply["Status"], "Fail");
    let message = reply["Message"].as_str().unwrap();
    assert!(
        message.ends_with("is already aborted. abort reason: timeout by txn manager"),
        "{message}"
    );
}

#[tokio::test]
async fn group_commit_has_a_label_and_a_reply_of_its_own() {
    let standin = cluster_with(|config| config.set.push("group_commit_interval_ms=1".into())).await;
    for mode in ["sync_mode", "async_mode"] {
        let reply = load(
            &standin,
            &format!("group_commit: {mode}\r\n{CSV}"),
            "40,a,1,1\n41,b,1,1\n",
        )
        .await;
        assert_eq!(
            (&reply["Status"], &reply["GroupCommit"]),
            (&json!("Success"), &json!(true)),
            "{reply}"
        );
        let label = reply["Label"].as_str().unwrap();
        let parts: Vec<&str> = label.strip_prefix("group_commit_").unwrap().split('_').collect();
        assert!(
            parts.len() == 2 && parts.iter().all(|hex| hex.len() == 16),
            "{label}"
        );
        for absent in ["TwoPhaseCommit", "BeginTxnTimeMs", "CommitAndPublishTimeMs"] {
            assert!(reply.get(absent).is_none(), "{reply}");
        }
    }
    until("both are visible", || {
        standin
            .transactions()
            .iter()
            .all(|txn| txn.state == TxnState::Visible)
    })
    .await;
    assert_eq!(students(&standin), 6);
    // Where it does not apply, the load is an ordinary one.
    let reply = load(
        &standin,
        &format!("group_commit: sync_mode\r\ntwo_phase_commit: true\r\n{CSV}"),
        "42,a,1,1\n",
    )
    .await;
    assert_eq!(
        (&reply["TwoPhaseCommit"], reply.get("GroupCommit")),
        (&json!("true"), None),
        "{reply}"
    );
    let empty = load(&standin, "group_commit: async_mode\r\nlabel: empty\r\n", "").await;
    assert_eq!(
        (&empty["Status"], &empty["Label"]),
        (&json!("Success"), &json!("empty"))
    );
}

#[tokio::test]
async fn a_table_property_switches_group_commit_on() {
    let standin = cluster().await;
    let sql = "CREATE TABLE test.grouped (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 \
               PROPERTIES ('replication_num' = '1', 'group_commit_mode' = 'sync_mode')";
    standin.execute(sql).await.unwrap();
    let reply = load_at(&standin, 0, "test/grouped", "", "1\n").await;
    assert_eq!(reply["GroupCommit"], json!(true), "{reply}");
    let reply = load_at(&standin, 0, "test/grouped", "label: own\r\n", "1\n").await;
    assert_eq!(
        (&reply["Label"], reply.get("GroupCommit")),
        (&json!("own"), None::<&Value>)
    );
}

#[tokio::test]
async fn headers_may_be_utf8_or_latin1() {
    let standin = cluster().await;
    standin
        .execute("CREATE TABLE test.wide (id INT, `größe` INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1')")
        .await
        .unwrap();
    let be = standin.ports().be[0].http;
    for name in ["größe".as_bytes(), b"gr\xf6\xdfe"] {
        let head = put(
            "/api/test/wide/_stream_load",
            &format!("{CSV}Content-Length: 4\r\ncolumns: id,@"),
        );
        let (before, after) = head.split_once('@').unwrap();
        let request = [before.as_bytes(), name, after.as_bytes(), b"1,2\n"].concat();
        let mut raw = Raw::connect(be).await;
        raw.send([&request[..before.len() + name.len()], b"\r\n\r\n1,2\n"].concat())
            .await;
        let reply = raw.answer().await.unwrap().json();
        assert_eq!(reply["Status"], "Success", "{reply}");
    }
}

#[tokio::test]
async fn a_load_without_a_front_end_does_not_begin() {
    let standin = cluster().await;
    standin.stop_frontend(0).await.unwrap();
    let reply = load(&standin, &format!("label: alone\r\n{CSV}"), "50,a,1,1\n").await;
    assert_eq!(reply["Status"], "Fail");
    assert!(
        reply["Message"]
            .as_str()
            .unwrap()
            .starts_with("[THRIFT_RPC_ERROR]"),
        "{reply}"
    );
    standin.start_frontend(0).await.unwrap();
    assert_eq!(state(&standin, "alone").await, "UNKNOWN");
}

#[tokio::test]
async fn a_table_that_is_dropped_in_mid_load_fails_it() {
    let standin = cluster().await;
    let mut raw = Raw::connect(standin.ports().be[0].http).await;
    raw.send(put(PATH, &format!("Content-Length: 9\r\nlabel: orphan\r\n{CSV}")))
        .await;
    until("the load has begun", || standin.stats().loads_open == 1).await;
    standin.execute("DROP TABLE test.student").await.unwrap();
    raw.send("60,a,1,1\n").await;
    let reply = raw.answer().await.unwrap().json();
    assert_eq!(reply["Status"], "Fail", "{reply}");
    assert!(
        reply["Message"].as_str().unwrap().contains("unknown table"),
        "{reply}"
    );
    assert_eq!(state(&standin, "orphan").await, "ABORTED");
}

#[tokio::test]
async fn a_discarding_table_counts_and_keeps_nothing() {
    let standin = cluster().await;
    let admin = standin.ports().admin;
    let path = "/tables/test/student/discard";
    assert_eq!(http(admin, "POST", path, "", None).await.unwrap().0, 200);
    assert_eq!(
        http(admin, "POST", "/tables/test/none/discard", "", None)
            .await
            .unwrap()
            .0,
        404
    );
    let body = "x".repeat(3 << 20);
    for _ in 0..2 {
        let reply = load(&standin, "format: json\r\ncompress_type: gz\r\n", &body).await;
        assert_eq!(reply["Status"], "Success", "{reply}");
    }
    standin
        .execute("INSERT INTO test.student VALUES (70, 'a', 1, 1), (71, 'b', 1, 1)")
        .await
        .unwrap();
    let (_, text) = http(admin, "GET", "/tables/test/student", "", None)
        .await
        .unwrap();
    let table: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        table["discarded"],
        json!({"loads": 3, "bytes": 2 * body.len(), "rows": 2}),
        "{table}"
    );
    assert_eq!(students(&standin), 4);
    assert_eq!(
        http(admin, "POST", path, r#"{"on":false}"#, None)
            .await
            .unwrap()
            .0,
        200
    );
    assert_eq!(standin.discarded("test", "student"), None);
    let reply = load(&standin, CSV, "70,a,1,1\n").await;
    assert_eq!((&reply["Status"], students(&standin)), (&json!("Success"), 5));
}
