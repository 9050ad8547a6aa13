//! Flight sessions: one per scan whatever the number of splits, none left behind; locations; session variables.

use doris_client::ErrorKind;

use crate::support::*;

const INIT: &str = "
CREATE DATABASE db;
CREATE TABLE db.t (id INT, name STRING) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 8 PROPERTIES ('replication_num' = '1');
INSERT INTO db.t SELECT CAST(number AS INT), 'x' FROM numbers('number' = '1000');
";

const COLUMNS: [(&str, &str); 2] = [("id", "INT"), ("name", "STRING")];

#[tokio::test]
async fn one_session_reads_many_splits_and_is_closed() {
    let standin = cluster_with(INIT, |c| c.backends = 2).await;
    let read = read(&standin, "db.t", &COLUMNS);
    let tablets = read.plan().await.unwrap().tablets;
    let logins = standin.stats().flight_logins;
    let scan = read.scan();
    let mut rows = 0;
    for _ in 0..5 {
        for tablet in &tablets {
            rows += count(&scan, vec![tablet.id]).await.unwrap();
        }
    }
    assert_eq!(rows, 5000);
    assert_eq!(standin.stats().flight_logins, logins + 1);
    assert_eq!(standin.stats().flight_sessions, 1);
    bounded(scan.close()).await;
    assert_eq!(standin.stats().flight_sessions, 0);
    assert_eq!(standin.stats().flight_results, 0);
}

#[tokio::test]
async fn options_become_session_variables_by_one_statement() {
    let standin = cluster(INIT).await;
    let scan = read(&standin, "db.t", &COLUMNS)
        .with("doris.request.query.timeout", "1500")
        .with("doris.batch.size", "1000")
        .with("doris.exec.mem.limit", "1048576")
        .scan();
    count(&scan, vec![]).await.unwrap();
    bounded(scan.close()).await;
    let mut sets: Vec<String> = standin
        .journal()
        .into_iter()
        .map(|e| e.statement)
        .filter(|s| s.starts_with("SET "))
        .collect();
    // The journal has the query and the fetch of its answer.
    sets.dedup();
    assert_eq!(
        sets,
        [
            "SET query_timeout = 2, exec_mem_limit = 1048576, batch_size = 1000, enable_short_circuit_query = false"
        ]
    );
}

#[tokio::test]
async fn a_variable_that_the_server_refuses_is_a_warning() {
    let standin = cluster(INIT).await;
    let refused = r#"{"at": "flight.get_info", "match": {"statement": "exec_mem_limit"}, "do": {"answer": {"message": "Unknown system variable"}}}"#;
    standin.add_fault_json(refused).unwrap();
    let plan = read(&standin, "db.t", &COLUMNS).plan().await.unwrap();
    assert_eq!(plan.warnings.len(), 1, "{:?}", plan.warnings);
    assert!(
        plan.warnings[0].contains("doris.exec.mem.limit")
            && plan.warnings[0].contains("Unknown system variable")
    );
    assert_eq!(read(&standin, "db.t", &COLUMNS).rows().await.unwrap().len(), 1000);
}

#[tokio::test]
async fn a_read_by_the_whole_key_is_not_cut_short_by_the_server() {
    const KEYED: &str = "CREATE DATABASE db; CREATE TABLE db.k (id INT, part INT, name STRING) UNIQUE KEY(id, part) \
        DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES ('replication_num' = '1'); INSERT INTO db.k VALUES (1, 2, 'a'), (3, 4, 'b');";
    let standin = cluster_with(KEYED, |c| c.set = vec!["flight_short_circuit=true".to_owned()]).await;
    let columns = [("id", "INT"), ("part", "INT"), ("name", "STRING")];
    let keyed = read(&standin, "db.k", &columns).with("read.filter", "`id` = 1 AND `part` = 2");
    assert_eq!(keyed.rows().await.unwrap(), ["1|2|a"]);
    // The server does cut short what does not ask it not to.
    let refused = r#"{"at": "flight.get_info", "match": {"statement": "enable_short_circuit_query"}, "do": {"answer": {"message": "Unknown system variable"}}}"#;
    standin.add_fault_json(refused).unwrap();
    let error = keyed.with("doris.request.retries", "0").plan().await.unwrap_err();
    assert_error(&error, ErrorKind::Transport, &["no FlightSqlEndpointsLocations"]);
    // An older server that does not know the variable is read all the same, without a word to the user.
    let plan = read(&standin, "db.k", &columns).plan().await.unwrap();
    assert_eq!(plan.warnings, [""; 0]);
}

#[tokio::test]
async fn results_that_name_no_location_come_over_the_same_connection() {
    for location in ["empty", "any", "reuse"] {
        let standin = cluster_with(INIT, |c| {
            c.set = vec![
                format!("flight_be_location={location}"),
                format!("flight_fe_location={location}"),
            ];
        })
        .await;
        assert_eq!(
            read(&standin, "db.t", &COLUMNS).rows().await.unwrap().len(),
            1000,
            "{location}"
        );
    }
}

#[tokio::test]
async fn a_location_that_cannot_be_reached_is_named_and_can_be_mapped() {
    let standin = cluster_with(INIT, |c| {
        c.set = vec!["flight_be_location=host:no-such-host.invalid".to_owned()]
    })
    .await;
    let port = standin.ports().be[0].flight;
    let read = read(&standin, "db.t", &COLUMNS).with("doris.request.retries", "1");
    let error = read.plan().await.unwrap_err();
    assert_error(
        &error,
        ErrorKind::Connect,
        &[
            "no-such-host.invalid",
            &port.to_string(),
            "source.flight-host-mapping",
        ],
    );
    let mapping = format!("no-such-host.invalid:{port}=127.0.0.1:{port}");
    assert_eq!(
        read.with("source.flight-host-mapping", &mapping)
            .rows()
            .await
            .unwrap()
            .len(),
        1000
    );
}

#[tokio::test]
async fn older_servers_without_sessions_to_close_are_read_too() {
    let standin = cluster_with(INIT, |c| c.profile = "doris-2.1".to_owned()).await;
    assert_eq!(read(&standin, "db.t", &COLUMNS).rows().await.unwrap().len(), 1000);
}

#[tokio::test]
async fn dead_front_ends_are_skipped() {
    let standin = cluster_with(INIT, |c| c.frontends = 2).await;
    for dead in 0..2 {
        standin.stop_frontend(dead).await.unwrap();
        for _ in 0..3 {
            let read = read(&standin, "db.t", &COLUMNS).with("doris.request.retries", "0");
            assert_eq!(read.rows().await.unwrap().len(), 1000, "front end {dead} is down");
        }
        standin.start_frontend(dead).await.unwrap();
    }
}

#[tokio::test]
async fn a_front_end_that_dies_between_splits_is_replaced() {
    let standin = cluster_with(INIT, |c| c.frontends = 2).await;
    let scan = read(&standin, "db.t", &COLUMNS).scan();
    for dead in [0, 1] {
        assert_eq!(count(&scan, vec![]).await.unwrap(), 1000);
        standin.stop_frontend(dead).await.unwrap();
        assert_eq!(count(&scan, vec![]).await.unwrap(), 1000);
        standin.start_frontend(dead).await.unwrap();
    }
    bounded(scan.close()).await;
}

#[tokio::test]
async fn a_plan_that_is_cancelled_closes_its_session() {
    let standin = cluster(INIT).await;
    for point in [
        r#"{"at":"fe.api","match":{"statement":"_query_plan"},"do":{"hold":true}}"#,
        r#"{"at":"flight.get_info","match":{"statement":"information_schema"},"do":{"hold":true}}"#,
        r#"{"at":"flight.get_info","match":{"statement":"SET "},"do":{"hold":true}}"#,
    ] {
        standin.add_fault_json(point).unwrap();
        let config = read(&standin, "db.t", &COLUMNS).config();
        let cancel = tokio_util::sync::CancellationToken::new();
        let cancelled = cancel.clone();
        let planning = tokio::spawn(async move {
            doris_client::read::plan::plan_until(&config, cancelled.cancelled()).await
        });
        while standin.faults().iter().all(|rule| rule.holding == 0) {
            tokio::task::yield_now().await;
        }
        assert_eq!(standin.stats().flight_sessions, 1, "{point}");
        cancel.cancel();
        let error = bounded(planning).await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Closed);
        assert_eq!(standin.stats().flight_sessions, 0, "{point}");
        standin.clear_faults();
    }
}
