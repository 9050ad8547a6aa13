//! What clients that know nothing of this project need of the packets, the logins and the metadata.

use arrow_array::cast::AsArray;
use arrow_flight::IpcMessage;
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::sql::{CommandGetDbSchemas, CommandGetTables, CommandStatementQuery, ProstMessageExt};
use arrow_flight::{FlightDescriptor, FlightInfo};
use arrow_schema::{DataType, Schema, TimeUnit};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use doris_standin::Standin;
use doris_standin::mysql::client::{Client, ClientError, Reply};
use prost::Message;
use tonic::{Code, Request};

use crate::support::{channel, cluster, cluster_with, lines, login, read_info, until};

const COM_FIELD_LIST: u8 = 0x04;
const COM_QUERY: u8 = 0x03;

async fn connect(standin: &Standin) -> Client {
    let port = standin.ports().fe[0].mysql;
    Client::connect("127.0.0.1", port, "root", "", Some("test"))
        .await
        .unwrap()
}

#[tokio::test]
async fn the_info_of_an_ok_packet_has_its_length_before_it() {
    let standin = cluster().await;
    let mut client = connect(&standin).await;
    let insert = "INSERT INTO student WITH LABEL told VALUES (7, 'x', 1, 1)";
    let packet = client.command(COM_QUERY, insert.as_bytes()).await.unwrap();
    // OK, one row, no id, autocommit, no warnings; then the text.
    assert_eq!(packet[..7], [0, 1, 0, 2, 0, 0, 0], "{packet:?}");
    assert_eq!(usize::from(packet[7]), packet.len() - 8);
    assert!(packet[8..].starts_with(b"{'label':'told', 'status':'VISIBLE', 'txnId':'"));
    // Without a text there is no length either.
    let packet = client.command(COM_QUERY, b"SET autocommit = 1").await.unwrap();
    assert_eq!(packet, [0, 0, 0, 2, 0, 0, 0]);
    let replies = client
        .query("INSERT INTO student WITH LABEL again VALUES (8, 'y', 1, 1)")
        .await
        .unwrap();
    assert!(
        matches!(&replies[0], Reply::Done { info, .. } if info.starts_with("{'label':'again'")),
        "{replies:?}"
    );
}

#[tokio::test]
async fn an_interactive_client_completes_names() {
    let standin = cluster().await;
    let mut client = connect(&standin).await;
    let first = client.command(COM_FIELD_LIST, b"student\0%\0").await.unwrap();
    // Catalog, then the names; NULL for the default at the end.
    assert!(
        first.starts_with(b"\x03def") && first.ends_with(&[0xfb]),
        "{first:?}"
    );
    assert!(first.windows(3).any(|bytes| bytes == b"\x02id"), "{first:?}");
    let mut other = connect(&standin).await;
    let refused = other.command(COM_FIELD_LIST, b"nowhere\0").await.unwrap();
    assert!(refused[0] == 0xff && String::from_utf8_lossy(&refused).contains("nowhere"));
}

#[tokio::test]
async fn a_rule_without_a_text_is_still_an_error_with_one() {
    let standin = cluster().await;
    let mut client = connect(&standin).await;
    for at in ["mysql.query", "mysql.answer", "txn.commit"] {
        let rule = format!(r#"{{"at":"{at}","do":{{"answer":{{"message":" "}}}},"times":1}}"#);
        standin.add_fault_json(&rule).unwrap();
        match client.query("INSERT INTO student VALUES (9, 'z', 1, 1)").await {
            Err(ClientError::Server { code, message, .. }) => {
                assert_eq!(code, 1105, "{at}");
                assert!(message.contains("fault rule"), "{at}: {message}");
            }
            other => panic!("{at}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_connection_that_ends_aborts_the_transaction_it_opened() {
    let standin = cluster().await;
    let mut client = connect(&standin).await;
    client
        .query("BEGIN WITH LABEL left_open; INSERT INTO student VALUES (9, 'z', 1, 1)")
        .await
        .unwrap();
    let state = || {
        standin
            .engine()
            .transactions()
            .state("test", "left_open")
            .map(|state| state.name())
    };
    assert_eq!(state(), Some("PREPARE"));
    drop(client);
    until("the transaction is aborted", || state() == Some("ABORTED")).await;
    assert_eq!(
        standin.engine().table_info("test", "student").unwrap().partitions[0]
            .tablets
            .iter()
            .map(|t| t.rows)
            .sum::<u64>(),
        4
    );
}

#[tokio::test]
async fn a_reset_of_the_connection_aborts_it_too() {
    let standin = cluster().await;
    let mut client = connect(&standin).await;
    client
        .query("BEGIN WITH LABEL reset; INSERT INTO student VALUES (9, 'z', 1, 1)")
        .await
        .unwrap();
    assert_eq!(client.command(0x1f, b"").await.unwrap()[0], 0x00);
    let state = standin.engine().transactions().state("test", "reset");
    assert_eq!(state.map(|state| state.name()), Some("ABORTED"));
}

#[tokio::test]
async fn credentials_without_padding_log_in_on_every_channel() {
    let standin = cluster_with(|config| config.users.push(("flink".into(), "pw".into()))).await;
    let query = CommandStatementQuery {
        query: "SELECT 1".to_owned(),
        transaction_id: None,
    };
    for (credentials, allowed) in [("root:", true), ("flink:pw", true), ("flink:no", false)] {
        let value = format!("Basic {}", BASE64_STANDARD_NO_PAD.encode(credentials));
        let mut raw = FlightServiceClient::new(channel(standin.ports().fe[0].flight).await);
        let mut request = Request::new(FlightDescriptor::new_cmd(query.as_any().encode_to_vec()));
        request
            .metadata_mut()
            .insert("authorization", value.parse().unwrap());
        let flight = raw
            .get_flight_info(request)
            .await
            .map(drop)
            .map_err(|status| status.code());
        assert_eq!(
            flight,
            if allowed {
                Ok(())
            } else {
                Err(Code::Unauthenticated)
            },
            "{credentials}"
        );
        let url = format!(
            "http://127.0.0.1:{}/api/test/student/_schema",
            standin.ports().fe[0].http
        );
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let answer = client
            .get(url)
            .header("authorization", &value)
            .send()
            .await
            .unwrap();
        let text = answer.text().await.unwrap();
        assert_eq!(text.contains("UNIQUE_KEYS"), allowed, "{credentials}: {text}");
    }
}

/// Rows of an answer as text; the schema of the answer is the one that was promised.
async fn listed(standin: &Standin, info: &FlightInfo) -> Vec<String> {
    let mut client = login(standin).await;
    let batches = read_info(&mut client, info).await.unwrap();
    let promised = info.clone().try_decode_schema().unwrap();
    assert!(
        batches.iter().all(|batch| *batch.schema() == promised),
        "{promised:?}"
    );
    lines(&batches)
}

#[tokio::test]
async fn catalogs_databases_and_kinds_of_tables_are_listed_by_flight() {
    let standin = cluster().await;
    let mut client = login(&standin).await;
    let info = client.get_catalogs().await.unwrap();
    assert_eq!(listed(&standin, &info).await, ["internal"]);
    let info = client.get_table_types().await.unwrap();
    assert_eq!(
        listed(&standin, &info).await,
        ["BASE TABLE", "SYSTEM VIEW", "VIEW"]
    );
    let mut schemas = CommandGetDbSchemas::default();
    let info = client.get_db_schemas(schemas.clone()).await.unwrap();
    assert!(
        listed(&standin, &info)
            .await
            .contains(&"internal|information_schema".to_owned())
    );
    schemas.db_schema_filter_pattern = Some("te%".to_owned());
    let info = client.get_db_schemas(schemas.clone()).await.unwrap();
    assert_eq!(listed(&standin, &info).await, ["internal|test"]);
    schemas.catalog = Some("elsewhere".to_owned());
    let info = client.get_db_schemas(schemas).await.unwrap();
    assert!(listed(&standin, &info).await.is_empty());
    let asked: Vec<String> = standin
        .journal()
        .into_iter()
        .map(|entry| entry.statement)
        .collect();
    for name in ["GetCatalogs", "GetTableTypes", "GetDbSchemas"] {
        assert!(
            asked.iter().any(|statement| statement == name),
            "{name} of {asked:?}"
        );
    }
}

#[tokio::test]
async fn tables_are_listed_by_flight_with_the_types_that_their_rows_come_in() {
    let standin = cluster().await;
    let mut mysql = connect(&standin).await;
    mysql
        .query("CREATE VIEW young AS SELECT id, age FROM student WHERE age < 10; CREATE VIEW torn AS SELECT id FROM student;
                CREATE TABLE moments (id INT NOT NULL, at DATETIME(3), price DECIMAL(10,2), tags ARRAY<INT>) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await
        .unwrap();
    let mut client = login(&standin).await;
    let mut tables = CommandGetTables {
        db_schema_filter_pattern: Some("test".to_owned()),
        ..CommandGetTables::default()
    };
    let info = client.get_tables(tables.clone()).await.unwrap();
    let wanted = [
        "internal|test|moments|BASE TABLE",
        "internal|test|student|BASE TABLE",
        "internal|test|torn|VIEW",
        "internal|test|young|VIEW",
    ];
    assert_eq!(listed(&standin, &info).await, wanted);
    tables.table_types = vec!["VIEW".to_owned()];
    tables.table_name_filter_pattern = Some("y%".to_owned());
    let info = client.get_tables(tables.clone()).await.unwrap();
    assert_eq!(listed(&standin, &info).await, ["internal|test|young|VIEW"]);

    tables.table_types.clear();
    tables.table_name_filter_pattern = None;
    tables.include_schema = true;
    let info = client.get_tables(tables).await.unwrap();
    let batches = read_info(&mut client, &info).await.unwrap();
    let schema = |row: usize| {
        let bytes = batches[0]
            .column_by_name("table_schema")
            .unwrap()
            .as_binary::<i32>()
            .value(row);
        Schema::try_from(IpcMessage(bytes.to_vec().into())).unwrap()
    };
    let moments = schema(0);
    assert_eq!(
        *moments.field(1).data_type(),
        DataType::Timestamp(TimeUnit::Millisecond, None)
    );
    assert_eq!(
        (moments.field(0).is_nullable(), moments.field(1).is_nullable()),
        (false, true)
    );
    let key = |field: usize, name: &str| {
        moments.field(field).metadata()[&format!("ARROW:FLIGHT:SQL:{name}")].clone()
    };
    assert_eq!(
        (key(2, "TYPE_NAME"), key(2, "PRECISION"), key(2, "SCALE")),
        ("DECIMAL64".into(), "10".into(), "2".into())
    );
    assert_eq!(
        (key(0, "SCHEMA_NAME"), key(0, "TABLE_NAME")),
        ("test".into(), "moments".into())
    );
    let sent = client
        .execute("SELECT * FROM test.moments".to_owned(), None)
        .await
        .unwrap();
    let sent = sent.try_decode_schema().unwrap();
    let types = |schema: &Schema| {
        schema
            .fields()
            .iter()
            .map(|field| field.data_type().clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(types(&moments), types(&sent));
    assert_eq!(schema(3).fields().len(), 2);
    drop(mysql);
    drop(client);
    until("no MySQL connection is open", || {
        standin.stats().mysql_connections == 0
    })
    .await;
}

#[tokio::test]
async fn metadata_needs_a_login_like_every_call() {
    let standin = cluster().await;
    let command = CommandGetTables::default().as_any().encode_to_vec();
    let mut raw = FlightServiceClient::new(channel(standin.ports().fe[0].flight).await);
    let refused = raw
        .get_flight_info(FlightDescriptor::new_cmd(command.clone()))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let refused = raw.do_get(arrow_flight::Ticket::new(command)).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
}
