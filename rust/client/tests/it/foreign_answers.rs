//! Answers that are none of Doris, or only for now: another front end is asked, rounds are counted, and the message has who
//! answered what to which call. And ports that are none of a front end's REST service.

use doris_client::read::changelog::Changelog;
use doris_client::{Error, ErrorKind};
use doris_standin::Standin;

use crate::scripted::{Scripted, Step, answer, success};
use crate::sink_support::*;
use crate::support::*;

const INIT: &str = "CREATE DATABASE db; CREATE TABLE db.t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 \
    PROPERTIES ('replication_num' = '1'); INSERT INTO db.t VALUES (0);";

/// Status, body, and what a message shows of it.
const STRANGE: [(u16, &str, &str); 5] = [
    (200, "<html>welcome</html>", "<html>welcome</html>"),
    (200, "", "(an empty body)"),
    (404, "Not Found", "status 404"),
    (
        200,
        r#"{"code":1,"data":"Node is not ready"}"#,
        "Node is not ready",
    ),
    (
        200,
        r#"{"code":500,"msg":"Internal Error","data":null}"#,
        "Internal Error",
    ),
];

/// Each call, and how messages name it.
const CALLS: [(&str, &str); 10] = [
    ("plan", "POST /api/db/t/_query_plan"),
    (
        "flight port",
        "POST /api/query/default_cluster/information_schema",
    ),
    ("schema", "GET /api/db/t/_schema"),
    ("state", "GET /api/db/get_load_state?label=none"),
    ("nodes", "GET /api/backends"),
    ("redirect", "PUT /api/db/t/_stream_load"),
    ("commit", "PUT /api/db/t/_stream_load_2pc"),
    ("abort", "PUT /api/db/_stream_load_2pc"),
    ("master", "GET /api/db/get_load_state"),
    ("statement", "POST /api/query/internal/information_schema"),
];

/// One attempt of a sink, two rounds over the front ends.
fn sink_of(fenodes: &str) -> Write {
    write(fenodes).with("sink.max-retries", "0")
}

/// Loads a row that is not committed yet.
async fn loaded(write: &Write, label: &str) -> Result<i64, Error> {
    let mut spec = raw();
    spec.labels.base = label.to_owned();
    let load = write.sink().open_load(spec)?;
    put(&load, b"1", 1).await?;
    Ok(end(&load).await?.txn_id.unwrap())
}

/// Does what makes the call, and checks what comes of it.
async fn ask(standin: &Standin, fenodes: &str, call: &str, n: usize) -> Result<(), Error> {
    let write = sink_of(fenodes);
    let read = read(standin, "db.t", &[("id", "INT")])
        .with("fenodes", fenodes)
        .with("doris.request.retries", "1");
    let label = format!("{call}_{n}_").replace(' ', "_");
    match call {
        "plan" => {
            let port = standin.ports().fe[0].flight.to_string();
            let plan = read.with("source.flight-sql-port", &port).plan().await?;
            assert_eq!(plan.tablets.len(), 1);
        }
        "flight port" => assert_eq!(read.plan().await?.tablets.len(), 1),
        "schema" => {
            let check = bounded(write.sink().check_table("db", "t", None, true)).await?;
            assert_eq!(check.keys, "DUP_KEYS");
        }
        "state" => {
            bounded(write.sink().state("db", "none")).await?;
        }
        "nodes" => {
            loaded(&write.with("auto-redirect", "false"), &label).await?;
        }
        "redirect" => {
            loaded(&write, &label).await?;
        }
        "commit" => {
            let txn = loaded(&write_to(standin), &label).await?;
            bounded(write.sink().commit("db", "t", txn, &format!("{label}0"))).await?;
        }
        "abort" => {
            bounded(write.sink().abort("db", "none")).await?;
        }
        "master" | "statement" => {
            let following = read.with("changelog.increment-type", "detail");
            let changelog = Changelog::new(following.config()).unwrap();
            if call == "master" {
                assert_eq!(bounded(changelog.partitions()).await?.len(), 1);
            } else {
                bounded(changelog.position()).await?;
            }
        }
        other => panic!("{other}"),
    }
    Ok(())
}

async fn saying(status: u16, body: &str) -> Scripted {
    let body = body.to_owned();
    Scripted::start(move |_, _| vec![Step::ReadAll, answer(status, body.clone())]).await
}

#[tokio::test]
async fn another_front_end_is_asked_whatever_a_strange_one_says() {
    let standin = cluster(INIT).await;
    let mut n = 0;
    for (status, body, _) in STRANGE {
        for (call, told) in CALLS {
            // Front ends are asked in random order: until the strange one came first.
            for round in 0.. {
                assert!(round < 60, "{call}: the strange one was never asked");
                n += 1;
                let strange = saying(status, body).await;
                let fenodes = format!("{},{}", strange.address, standin.fenodes());
                ask(&standin, &fenodes, call, n)
                    .await
                    .unwrap_or_else(|e| panic!("{call}, {status} {body}: {e}"));
                let path = told.split_once(' ').unwrap().1;
                if !strange.seen(path).is_empty() {
                    break;
                }
            }
        }
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn with_nobody_else_the_rounds_are_counted_and_the_message_has_it_all() {
    let standin = cluster(INIT).await;
    for (n, (status, body, shown)) in STRANGE.into_iter().enumerate() {
        for (call, told) in CALLS {
            let strange = saying(status, body).await;
            let address = strange.address.to_string();
            let error = ask(&standin, &address, call, 1000 + n).await.unwrap_err();
            let status = format!("status {status}");
            assert_error(&error, error.kind(), &[&address, told, &status, shown]);
            assert!(error.is_retryable(), "{call}: {error}");
            let path = told.split_once(' ').unwrap().1;
            // A query is begun again as a whole, login included.
            let times = if call == "flight port" { 4 } else { 2 };
            assert_eq!(strange.seen(path).len(), times, "{call}, {status} {body}");
        }
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn a_refusal_of_doris_is_final() {
    let standin = cluster(INIT).await;
    let refusal = r#"{"msg":"Error","code":1,"data":"errCode = 7, detailMessage = table not found, tableName=t","count":0}"#;
    for (call, told) in CALLS {
        if call == "flight port" {
            continue;
        }
        let fe = saying(200, refusal).await;
        let error = ask(&standin, &fe.address.to_string(), call, 2000)
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("table not found, tableName=t"),
            "{error}"
        );
        assert!(!error.is_retryable(), "{call}: {error}");
        let path = told.split_once(' ').unwrap().1;
        assert_eq!(fe.seen(path).len(), 1, "{call}");
    }
}

#[tokio::test]
async fn a_load_leaves_a_back_end_that_gives_no_answer_of_doris() {
    for (status, body) in [(404, "Not Found"), (405, ""), (200, "<html>welcome</html>")] {
        let strange = Scripted::start(move |_, _| vec![answer(status, body)]).await;
        let good = Scripted::start(|n, head| {
            let label = head.header("label").unwrap_or_default().to_owned();
            vec![Step::Continue, Step::ReadAll, success(&label, n as i64 + 1, 1)]
        })
        .await;
        let fe = front_end(good.address, |_| "UNKNOWN".to_owned()).await;
        let write =
            write(&fe.address.to_string()).with("benodes", &format!("{},{}", strange.address, good.address));
        // Until it is the strange one's turn.
        for round in 0.. {
            assert!(round < 60, "the strange one was never asked");
            loaded(&write, &format!("l{round}_")).await.unwrap();
            assert_eq!(good.seen("_stream_load").len(), round + 1);
            if !strange.seen("_stream_load").is_empty() {
                break;
            }
        }
    }
}

/// The list of front ends of a cluster whose only one tells this Flight port.
fn listing(port: &str) -> String {
    format!(
        r#"{{"msg":"success","code":0,"data":{{"type":"result_set","meta":[{{"name":"Host"}},{{"name":"ArrowFlightSqlPort"}}],"data":[["127.0.0.1","{port}"]]}},"count":0}}"#
    )
}

#[tokio::test]
async fn a_front_end_without_a_flight_service_is_passed_over() {
    let standin = cluster(INIT).await;
    let http = standin.ports().fe[0].http.to_string();
    let page = saying(200, "<html>welcome</html>").await;
    for port in ["-1", &http, &page.address.port().to_string()] {
        for round in 0.. {
            assert!(round < 60, "{port}: the other one was never asked");
            let strange = saying(200, &listing(port)).await;
            let fenodes = format!("{},{}", strange.address, standin.fenodes());
            let read = read(&standin, "db.t", &[("id", "INT")]).with("fenodes", &fenodes);
            assert_eq!(read.plan().await.unwrap().tablets.len(), 1);
            if !strange.seen("information_schema").is_empty() {
                break;
            }
        }
        let strange = saying(200, &listing(port)).await;
        let alone = read(&standin, "db.t", &[("id", "INT")])
            .with("fenodes", &strange.address.to_string())
            .with("doris.request.retries", "0");
        let error = alone.plan().await.unwrap_err();
        assert_error(&error, error.kind(), &["arrow_flight_sql_port"]);
        if port == "-1" {
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(!error.is_retryable(), "{error}");
        }
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}

#[tokio::test]
async fn a_port_of_another_service_is_named_with_the_one_that_is_wanted() {
    let standin = cluster(INIT).await;
    let ports = standin.ports();
    let (fe, be) = (&ports.fe[0], &ports.be[0]);
    for (port, is_http) in [
        (fe.mysql, false),
        (fe.flight, false),
        (be.flight, false),
        (be.http, true),
    ] {
        let address = format!("127.0.0.1:{port}");
        let reading = read(&standin, "db.t", &[("id", "INT")])
            .with("fenodes", &address)
            .with("doris.request.retries", "0");
        let write = sink_of(&address).with("doris.request.retries", "0");
        let changelog = Changelog::new(
            reading
                .clone()
                .with("changelog.increment-type", "detail")
                .config(),
        )
        .unwrap();
        let (sink, mut spec) = (write.sink(), raw());
        spec.labels.base = format!("p{port}_");
        let load = sink.open_load(spec).unwrap();
        // The load may fail before it has this.
        let _ = put(&load, b"1", 1).await;
        for error in [
            reading.plan().await.unwrap_err(),
            bounded(sink.check_table("db", "t", None, true))
                .await
                .unwrap_err(),
            bounded(changelog.position()).await.unwrap_err(),
            end(&load).await.unwrap_err(),
        ] {
            assert_error(&error, error.kind(), &[&address, "http_port", "8030"]);
            if !is_http {
                assert_error(&error, ErrorKind::Config, &["does not speak HTTP"]);
                assert!(!error.is_retryable(), "{error}");
            }
        }
        // One that is right is enough.
        let both = reading.with("fenodes", &format!("{address},{}", standin.fenodes()));
        for _ in 0..4 {
            assert_eq!(both.plan().await.unwrap().tablets.len(), 1);
        }
    }
    assert_eq!(standin.stats().flight_sessions, 0);
}
