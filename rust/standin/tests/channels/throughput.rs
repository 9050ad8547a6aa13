//! How fast rows leave: a floor that a slow copy or a crumbling encoder would fall through, and numbers to print.

use std::time::Instant;

use arrow_flight::flight_service_client::FlightServiceClient;

use crate::support::{channel, cluster, login};

const ROWS: u64 = 2_000_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_leave_by_the_hundred_megabytes() {
    let standin = cluster().await;
    standin
        .execute(&format!(
            "CREATE TABLE test.wide (k BIGINT, a BIGINT, b DOUBLE, s STRING) DUPLICATE KEY(k) \
             DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES ('replication_num' = '1'); \
             INSERT INTO test.wide SELECT number, number, number, concat('text of row ', number) \
             FROM numbers('number' = '{ROWS}')"
        ))
        .await
        .unwrap();
    let mut client = login(&standin).await;
    let info = client
        .execute("SET batch_size = 65535".to_owned(), None)
        .await
        .unwrap();
    client
        .do_get(info.endpoint[0].ticket.clone().unwrap())
        .await
        .unwrap();
    let info = client
        .execute("SELECT * FROM test.wide".to_owned(), None)
        .await
        .unwrap();
    let ticket = info.endpoint[0].ticket.clone().unwrap();
    let mut node = FlightServiceClient::new(channel(standin.ports().be[0].flight).await)
        .max_decoding_message_size(usize::MAX);
    let start = Instant::now();
    let mut stream = node.do_get(ticket).await.unwrap().into_inner();
    let (mut bytes, mut messages) = (0, 0);
    while let Some(data) = stream.message().await.unwrap() {
        bytes += data.data_body.len();
        messages += 1;
    }
    let rate = bytes as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("served {bytes} bytes in {messages} messages at {rate:.0} MB/s");
    assert_eq!(standin.stats().rows_served, ROWS + 1);
    assert!(messages < 200, "{messages} messages");
    // Far below what it does; a machine that is busy must not fail it.
    assert!(rate > 50.0, "{rate:.0} MB/s");
}
