//! Flight SQL: logins, sessions, tickets, endpoints, errors, prepared statements.

use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::sql::{Any, CommandGetSqlInfo, ProstMessageExt, TicketStatementQuery};
use arrow_flight::{Action, FlightDescriptor, Ticket};
use arrow_schema::{DataType, TimeUnit};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use doris_standin::Standin;
use futures::TryStreamExt;
use prost::Message;
use tonic::{Code, Request};

use crate::support::{
    channel, cluster, cluster_with, fetch, lines, login, read, read_info, rows, status, until,
};

const ALL: &str = "SELECT id, name, age, amt FROM test.student";

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
}

fn descriptor(sql: &str) -> FlightDescriptor {
    let command = arrow_flight::sql::CommandStatementQuery {
        query: sql.to_owned(),
        transaction_id: None,
    };
    FlightDescriptor::new_cmd(command.as_any().encode_to_vec())
}

/// `GetFlightInfo` with the given `authorization` value.
async fn info_as(
    standin: &Standin,
    authorization: &str,
    sql: &str,
) -> Result<tonic::Response<arrow_flight::FlightInfo>, tonic::Status> {
    let mut client = FlightServiceClient::new(channel(standin.ports().fe[0].flight).await);
    let mut request = Request::new(descriptor(sql));
    request
        .metadata_mut()
        .insert("authorization", authorization.parse().unwrap());
    client.get_flight_info(request).await
}

async fn close_session(standin: &Standin, token: &str) -> Result<(), tonic::Status> {
    let mut client = FlightServiceClient::new(channel(standin.ports().fe[0].flight).await);
    let mut request = Request::new(Action::new("CloseSession", ""));
    request
        .metadata_mut()
        .insert("authorization", format!("Bearer {token}").parse().unwrap());
    client
        .do_action(request)
        .await?
        .into_inner()
        .try_collect::<Vec<_>>()
        .await?;
    Ok(())
}

#[tokio::test]
async fn a_table_is_read_where_its_tickets_point() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let info = client.execute(ALL.to_owned(), None).await.unwrap();
    assert_eq!((info.total_records, info.total_bytes), (-1, -1));
    assert_eq!(info.endpoint.len(), 1);
    let location = format!("grpc+tcp://127.0.0.1:{}", standin.ports().be[0].flight);
    assert_eq!(info.endpoint[0].location[0].uri, location);
    let schema = info.clone().try_decode_schema().unwrap();
    let types: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| (field.data_type().clone(), field.is_nullable()))
        .collect();
    let expected = [
        DataType::Int32,
        DataType::Utf8,
        DataType::Int16,
        DataType::Decimal128(10, 2),
    ];
    assert_eq!(types, expected.map(|data_type| (data_type, true)));
    let batches = read_info(&mut client, &info).await.unwrap();
    assert_eq!(
        lines(&batches),
        [
            "1|Ada|36|1.50",
            "2|a&b=c|41|-2.25",
            "3|||",
            "4|größer 😀|7|99999999.99"
        ]
    );
    let stats = standin.stats();
    assert_eq!((stats.rows_served, stats.rows_per_backend), (4, vec![4]));
    assert!(stats.bytes_served > 0);
}

#[tokio::test]
async fn a_handle_has_four_parts_whatever_the_statement_and_serves_once() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let sql = "SELECT id FROM test.student WHERE name = 'a&b=c'";
    let info = client.execute(sql.to_owned(), None).await.unwrap();
    let ticket = info.endpoint[0].ticket.clone().unwrap();
    let any = Any::decode(&*ticket.ticket).unwrap();
    let query: TicketStatementQuery = any.unpack().unwrap().unwrap();
    let handle = String::from_utf8(query.statement_handle.to_vec()).unwrap();
    let parts: Vec<_> = handle.split('&').collect();
    assert_eq!(parts.len(), 4, "{handle}");
    assert_eq!(parts[1], "127.0.0.1");
    assert_eq!(BASE64_STANDARD.decode(parts[3]).unwrap(), sql.as_bytes());

    let port = standin.ports().be[0].flight;
    assert_eq!(lines(&fetch(port, ticket.clone()).await.unwrap()), ["2"]);
    let again = fetch(port, ticket).await.unwrap_err();
    assert_eq!(status(&again).code(), Code::NotFound);

    let broken = TicketStatementQuery {
        statement_handle: "a&b".into(),
    };
    let error = fetch(port, Ticket::new(broken.as_any().encode_to_vec()))
        .await
        .unwrap_err();
    assert_eq!(status(&error).message(), "Malformed ticket: a&b, size: 2");
}

#[tokio::test]
async fn a_login_makes_a_session_and_a_bearer_finds_it() {
    let standin = cluster().await;
    let first = info_as(&standin, &basic("root", ""), "SET batch_size = 1000")
        .await
        .unwrap();
    let bearer = first
        .metadata()
        .get("authorization")
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let token = bearer.strip_prefix("Bearer ").unwrap();
    assert_eq!(token.len(), 26);
    assert_eq!(standin.stats().flight_sessions, 1);
    let again = info_as(&standin, &bearer, "SELECT 1").await.unwrap();
    assert!(again.metadata().get("authorization").is_none());
    assert_eq!(standin.stats().flight_sessions, 1);
    info_as(&standin, &basic("root", ""), "SELECT 1").await.unwrap();
    assert_eq!(
        (standin.stats().flight_sessions, standin.stats().flight_logins),
        (2, 2)
    );

    close_session(&standin, token).await.unwrap();
    assert_eq!(standin.stats().flight_sessions, 1);
    assert_eq!(
        standin.stats().flight_results,
        1,
        "results of a closed session are dropped"
    );
    let closed = info_as(&standin, &bearer, "SELECT 1").await.unwrap_err();
    assert_eq!(closed.code(), Code::Unauthenticated);
    assert_eq!(standin.stats().flight_sessions_max, 2);

    let journal = serde_json::to_string(&standin.journal()).unwrap();
    assert!(
        !journal.contains(token) && !journal.contains(&BASE64_STANDARD.encode("root:")),
        "{journal}"
    );
}

#[tokio::test]
async fn wrong_credentials_are_refused() {
    let standin = cluster_with(|config| config.users.push(("flink".into(), "p:w ö".into()))).await;
    info_as(&standin, &basic("flink", "p:w ö"), "SELECT 1")
        .await
        .unwrap();
    let refused = info_as(&standin, &basic("flink", "wrong"), "SELECT 1")
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    assert!(
        refused
            .message()
            .contains("Access denied for user 'flink@127.0.0.1' (using password: YES)"),
        "{}",
        refused.message()
    );
    let unknown = info_as(&standin, "Bearer aaaaaaaaaaaaaaaaaaaaaaaaaa", "SELECT 1")
        .await
        .unwrap_err();
    assert_eq!(unknown.code(), Code::Unauthenticated);
    assert_eq!(standin.stats().flight_sessions, 1);
    let old = cluster_with(|config| config.profile = "doris-2.1".into()).await;
    let unknown = info_as(&old, "Bearer aaaaaaaaaaaaaaaaaaaaaaaaaa", "SELECT 1")
        .await
        .unwrap_err();
    assert!(
        unknown.message().starts_with("invalid bearer token"),
        "{}",
        unknown.message()
    );
}

#[tokio::test]
async fn what_a_session_sets_stays_in_it() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let set = read(&mut client, "SET time_zone = '+00:00'").await.unwrap();
    assert_eq!(set[0].schema().field(0).name(), "StatusResult");
    assert_eq!(lines(&set), ["0"]);
    read(&mut client, "USE test").await.unwrap();
    assert_eq!(
        lines(&read(&mut client, "SELECT COUNT(*) FROM student").await.unwrap()),
        ["4"]
    );
    let other = read(&mut login(&standin).await, "SELECT COUNT(*) FROM student").await;
    assert!(other.is_err());
}

#[tokio::test]
async fn what_a_front_end_keeps_is_text_at_the_front_end() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let info = client.execute("SHOW FRONTENDS".to_owned(), None).await.unwrap();
    let location = format!("grpc+tcp://127.0.0.1:{}", standin.ports().fe[0].flight);
    assert_eq!(info.endpoint[0].location[0].uri, location);
    let schema = info.clone().try_decode_schema().unwrap();
    assert!(
        schema
            .fields()
            .iter()
            .all(|field| *field.data_type() == DataType::Utf8)
    );
    let ticket = info.endpoint[0].ticket.clone().unwrap();
    let batches: Vec<_> = client.do_get(ticket).await.unwrap().try_collect().await.unwrap();
    assert_eq!(rows(&batches), 1);
}

#[tokio::test]
async fn locations_can_be_odd_and_the_front_end_serves_all() {
    let cases = [
        ("empty", None),
        ("any", Some("grpc+tcp://0.0.0.0:")),
        ("reuse", Some("arrow-flight-reuse-connection://?")),
    ];
    for (kind, begin) in cases {
        let standin = cluster_with(|config| {
            config.set.push(format!("flight_be_location={kind}"));
            config.set.push(format!("flight_fe_location={kind}"));
        })
        .await;
        let mut client = login(&standin).await;
        for sql in [ALL, "SHOW FRONTENDS"] {
            let info = client.execute(sql.to_owned(), None).await.unwrap();
            let location = info.endpoint[0]
                .location
                .first()
                .map(|location| location.uri.as_str());
            match begin {
                None => assert_eq!(location, None),
                Some(begin) => assert!(location.unwrap().starts_with(begin), "{location:?}"),
            }
            let ticket = info.endpoint[0].ticket.clone().unwrap();
            let batches: Vec<_> = client.do_get(ticket).await.unwrap().try_collect().await.unwrap();
            assert!(rows(&batches) > 0);
        }
    }
    let standin = cluster_with(|config| config.set.push("flight_be_location=host:be.example".into())).await;
    let info = login(&standin).await.execute(ALL.to_owned(), None).await.unwrap();
    let port = standin.ports().be[0].flight;
    assert_eq!(
        info.endpoint[0].location[0].uri,
        format!("grpc+tcp://be.example:{port}")
    );
}

#[tokio::test]
async fn a_result_can_be_spread_over_several_endpoints() {
    let standin = cluster_with(|config| config.backends = 3).await;
    let mut client = login(&standin).await;
    read(&mut client, "SET enable_parallel_result_sink = true")
        .await
        .unwrap();
    let info = client.execute(ALL.to_owned(), None).await.unwrap();
    assert_eq!(info.endpoint.len(), 3);
    let mut locations: Vec<_> = info
        .endpoint
        .iter()
        .map(|endpoint| endpoint.location[0].uri.clone())
        .collect();
    locations.sort();
    locations.dedup();
    assert_eq!(locations.len(), 3);
    assert_eq!(rows(&read_info(&mut client, &info).await.unwrap()), 4);
}

#[tokio::test]
async fn the_back_end_of_the_tablets_serves_them() {
    let standin = cluster_with(|config| config.backends = 3).await;
    let mut client = login(&standin).await;
    let table = standin.engine().table_info("test", "student").unwrap();
    let mut total = 0;
    for tablet in table.partitions.iter().flat_map(|partition| &partition.tablets) {
        let sql = format!(
            "SELECT id FROM `test`.`student`  TABLET({})  WHERE id > 0",
            tablet.id
        );
        let info = client.execute(sql, None).await.unwrap();
        let port = standin.ports().be[tablet.backend_index].flight;
        assert_eq!(
            info.endpoint[0].location[0].uri,
            format!("grpc+tcp://127.0.0.1:{port}")
        );
        total += rows(&read_info(&mut client, &info).await.unwrap());
    }
    assert_eq!(total, 4);
    standin.stop_backend(1).await.unwrap();
    let error = client
        .execute(ALL.to_owned(), None)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("has no queryable replicas"), "{error}");
    standin.start_backend(1).await.unwrap();
    assert_eq!(rows(&read(&mut client, ALL).await.unwrap()), 4);
}

#[tokio::test]
async fn errors_have_their_recorded_shape() {
    let standin = cluster().await;
    let error = info_as(&standin, &basic("root", ""), "SELECT nothing FROM test.student")
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    let exception = "after executeQueryStatement handleQuery";
    let told = |text: &str| {
        format!(
            "get flight info statement failed, get flight info statement failed, {exception}, RuntimeException: {exception}, error code: ERR_UNKNOWN_ERROR, error msg: errCode = 2, detailMessage = {text}"
        )
    };
    assert_eq!(error.message(), told("Unknown column 'nothing' in 'table list'"));
    for (table, text) in [
        (
            "test.missing",
            "Table [missing] does not exist in database [test]",
        ),
        ("nowhere.t", "Database [nowhere] does not exist."),
    ] {
        let error = info_as(&standin, &basic("root", ""), &format!("SELECT * FROM {table}"))
            .await
            .unwrap_err();
        assert_eq!(error.message(), told(text));
    }
}

#[tokio::test]
async fn several_statements_may_end_with_rows_only() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let batches = read(&mut client, "USE test; SELECT COUNT(*) FROM student")
        .await
        .unwrap();
    assert_eq!(lines(&batches), ["4"]);
    assert!(read(&mut client, "SELECT 1; SELECT 2").await.is_err());
}

#[tokio::test]
async fn a_prepared_statement_is_stored_and_runs_on_its_info() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let mut prepared = client.prepare(ALL.to_owned(), None).await.unwrap();
    let dataset = prepared.dataset_schema().unwrap();
    assert_eq!(dataset.fields().len(), 1);
    assert_eq!(
        (dataset.field(0).name().as_str(), dataset.field(0).data_type()),
        ("ResultMeta", &DataType::Utf8)
    );
    assert_eq!(prepared.parameter_schema().unwrap().fields().len(), 0);
    assert_eq!(standin.stats().flight_prepared, 1);
    let info = prepared.execute().await.unwrap();
    assert_eq!(info.clone().try_decode_schema().unwrap().fields().len(), 4);
    assert_eq!(rows(&read_info(&mut client, &info).await.unwrap()), 4);
    let info = prepared.execute().await.unwrap();
    assert_eq!(rows(&read_info(&mut client, &info).await.unwrap()), 4);
    prepared.close().await.unwrap();
    assert_eq!(standin.stats().flight_prepared, 0);
}

#[tokio::test]
async fn sql_info_names_the_server() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let command = CommandGetSqlInfo { info: Vec::new() };
    let mut raw = FlightServiceClient::new(channel(standin.ports().fe[0].flight).await);
    let mut request = Request::new(FlightDescriptor::new_cmd(command.as_any().encode_to_vec()));
    request
        .metadata_mut()
        .insert("authorization", basic("root", "").parse().unwrap());
    let info = raw.get_flight_info(request).await.unwrap().into_inner();
    let ticket = info.endpoint[0].ticket.clone().unwrap();
    let batches: Vec<_> = client.do_get(ticket).await.unwrap().try_collect().await.unwrap();
    let text = lines(&batches).join("\n");
    assert!(
        text.contains("DorisFE") && text.contains("18.2.0") && text.contains('`'),
        "{text}"
    );
}

#[tokio::test]
async fn sessions_are_limited_dropped_and_end_when_idle() {
    let standin = cluster_with(|config| config.set.push("max_user_connections=2".into())).await;
    let (mut first, _second) = (login(&standin).await, login(&standin).await);
    let third = info_as(&standin, &basic("root", ""), "SELECT 1")
        .await
        .unwrap_err();
    assert_eq!(third.code(), Code::ResourceExhausted);
    assert_eq!(standin.drop_sessions(), 2);
    let lost = first.execute(ALL.to_owned(), None).await.unwrap_err().to_string();
    assert!(lost.contains("session"), "{lost}");

    let standin = cluster_with(|config| config.set.push("flight_wait_timeout=0.2".into())).await;
    let _idle = login(&standin).await;
    until("the idle session has ended", || {
        standin.stats().flight_sessions == 0
    })
    .await;

    // Where tokens are a cache, the oldest makes room.
    let standin = cluster_with(|config| {
        config.profile = "doris-2.1".into();
        config.set.push("max_user_connections=2".into());
    })
    .await;
    let (mut first, mut second) = (login(&standin).await, login(&standin).await);
    assert!(first.execute("SELECT 1".to_owned(), None).await.is_err());
    assert!(second.execute("SELECT 1".to_owned(), None).await.is_ok());
}

#[tokio::test]
async fn results_that_nobody_fetches_are_dropped() {
    let standin = cluster_with(|config| config.set.push("flight_result_seconds=0.2".into())).await;
    let mut client = login(&standin).await;
    client.execute(ALL.to_owned(), None).await.unwrap();
    until("the result is dropped", || standin.stats().flight_results == 0).await;
}

#[tokio::test]
async fn batches_obey_batch_size_and_stay_whole_otherwise() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let sql = "SELECT number FROM numbers(\"number\" = \"10000\")";
    read(&mut client, "SET batch_size = 1000").await.unwrap();
    let batches = read(&mut client, sql).await.unwrap();
    assert_eq!(rows(&batches), 10_000);
    assert!(
        batches.iter().all(|batch| batch.num_rows() <= 1000),
        "{}",
        batches.len()
    );
}

#[tokio::test]
async fn a_dropped_stream_frees_everything() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let sql = "SELECT number, CAST(number AS STRING) AS s FROM numbers(\"number\" = \"2000000\")";
    let info = client.execute(sql.to_owned(), None).await.unwrap();
    let ticket = info.endpoint[0].ticket.clone().unwrap();
    let mut node = FlightServiceClient::new(channel(standin.ports().be[0].flight).await);
    let mut stream = node.do_get(ticket).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();
    assert_eq!(
        (standin.stats().flight_streams, standin.stats().flight_results),
        (1, 0)
    );
    drop(stream);
    until("the stream is gone", || standin.stats().flight_streams == 0).await;
    assert!(standin.stats().rows_served < 2_000_000);
    let entry = standin
        .journal()
        .into_iter()
        .rfind(|entry| entry.method == "DoGet")
        .unwrap();
    assert_eq!(entry.status, "cancelled");
}

#[tokio::test]
async fn an_instant_has_the_zone_of_the_session() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    standin
        .execute("CREATE TABLE test.z (k INT, t TIMESTAMPTZ(3)) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES ('replication_num'='1')")
        .await
        .unwrap();
    read(&mut client, "SET time_zone = 'America/New_York'")
        .await
        .unwrap();
    let info = client
        .execute("SELECT t FROM test.z".to_owned(), None)
        .await
        .unwrap();
    let schema = info.try_decode_schema().unwrap();
    let expected = DataType::Timestamp(TimeUnit::Millisecond, Some("America/New_York".into()));
    assert_eq!(schema.field(0).data_type(), &expected);
}
