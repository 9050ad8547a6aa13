//! Stream Load at a front end: what it checks, and to which back end it sends a load.

use serde_json::json;

use crate::load_client::{EXPECT, PATH, ROOT, Raw, basic, exchange, put};
use crate::support::{cluster, cluster_with};

#[tokio::test]
async fn a_front_end_redirects_with_credentials_and_a_question_mark() {
    let standin = cluster_with(|config| config.users.push(("flink".into(), "p@ss:w/ö".into()))).await;
    let (fe, be) = (standin.ports().fe[0].http, standin.ports().be[0].http);
    let login = basic("flink", "p@ss:w/ö");
    let head = |query: &str| {
        format!(
            "PUT {PATH}{query} HTTP/1.1\r\nHost: x\r\n{login}{EXPECT}label: l1\r\nContent-Length: 0\r\n\r\n"
        )
    };
    let mut raw = Raw::connect(fe).await;
    for query in ["", "?a=b&c=%20"] {
        raw.send(head(query)).await;
        let answer = raw
            .answer()
            .await
            .expect("the connection is kept when there was no body");
        assert_eq!((answer.status, answer.continued), (307, false));
        let location = format!("http://flink:p%40ss%3Aw%2F%C3%B6@127.0.0.1:{be}{PATH}?");
        let expected = location + query.trim_start_matches('?');
        assert_eq!(answer.header("location"), Some(expected.as_str()));
        assert_eq!(answer.header("content-length"), Some("0"));
    }
    let entry = standin.journal().into_iter().next().unwrap();
    assert_eq!((entry.channel, entry.status.as_str()), ("fe.http", "307"));
    assert_eq!(entry.label.as_deref(), Some("l1"));
    assert_eq!(entry.headers["authorization"], "Basic ***");
}

#[tokio::test]
async fn a_front_end_checks_in_the_order_of_doris() {
    let standin = cluster().await;
    let fe = standin.ports().fe[0].http;
    let ask = |path: &'static str, headers: String| async move {
        let request = format!("PUT {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n{headers}\r\n");
        let answer = exchange(fe, request).await;
        assert_eq!(answer.status, 200);
        answer.json()
    };
    let failed = |text: &str| json!({"status": "FAILED", "msg": text});
    let group = "Header `group_commit` can only be `sync_mode`, `async_mode` or `off_mode`.";
    assert_eq!(ask(PATH, "group_commit: yes\r\n".into()).await, failed(group));
    let envelope = ask(PATH, String::new()).await;
    assert_eq!(
        (&envelope["code"], &envelope["data"]),
        (&json!(401), &json!("Need auth information."))
    );
    let envelope = ask(PATH, basic("root", "wrong") + EXPECT).await;
    assert_eq!(
        envelope["data"],
        "Access denied for user 'root@127.0.0.1' (using password: YES)"
    );
    let missing = failed("There is no 100-continue header");
    assert_eq!(ask(PATH, ROOT.to_owned()).await, missing);
    let named = format!("{ROOT}{EXPECT}");
    assert_eq!(
        ask("/api//student/_stream_load", named.clone()).await,
        failed("No database selected.")
    );
    assert_eq!(
        ask("/api/test/_stream_load", named.clone()).await,
        failed("No table selected.")
    );
    standin.stop_backend(0).await.unwrap();
    let answer = ask(PATH, named).await;
    assert!(
        answer["msg"]
            .as_str()
            .unwrap()
            .starts_with("No backend load available, policy: "),
        "{answer}"
    );
}

#[tokio::test]
async fn loads_go_to_the_living_back_ends_by_turns() {
    let standin = cluster_with(|config| config.backends = 3).await;
    standin.stop_backend(1).await.unwrap();
    let request = put(PATH, &format!("{EXPECT}Content-Length: 0\r\n"));
    let mut ports = Vec::new();
    for _ in 0..4 {
        let answer = exchange(standin.ports().fe[0].http, &request).await;
        let location = answer.header("location").unwrap().to_owned();
        let port = location
            .rsplit_once("/api")
            .unwrap()
            .0
            .rsplit(':')
            .next()
            .unwrap();
        ports.push(port.split('/').next().unwrap().parse::<u16>().unwrap());
    }
    let be = &standin.ports().be;
    assert_eq!(ports, [be[0].http, be[2].http, be[0].http, be[2].http]);
}

#[tokio::test]
async fn a_body_sent_to_a_front_end_is_dropped_and_the_redirect_arrives() {
    let standin = cluster().await;
    let body = "x".repeat(4 << 20);
    let mut raw = Raw::connect(standin.ports().fe[0].http).await;
    raw.send(put(PATH, &format!("{EXPECT}Content-Length: {}\r\n", body.len())))
        .await;
    raw.send(&body).await;
    let answer = raw.answer().await.expect("a redirect in spite of the body");
    assert_eq!((answer.status, answer.header("connection")), (307, Some("close")));
    assert!(raw.ended().await);
    assert!(standin.transactions().iter().all(|txn| txn.label != "l1"));

    let closing = cluster_with(|config| config.set.push("redirect_body=close".into())).await;
    let mut raw = Raw::connect(closing.ports().fe[0].http).await;
    raw.send(put(PATH, &format!("{EXPECT}Content-Length: 0\r\n")))
        .await;
    let answer = raw.answer().await.unwrap();
    assert_eq!((answer.status, answer.header("connection")), (307, Some("close")));
    assert!(raw.ended().await);
}
