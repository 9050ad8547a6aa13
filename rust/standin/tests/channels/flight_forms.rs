//! The Arrow forms of server generations, as a client sees them.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, TimestampMicrosecondType, TimestampSecondType, UInt32Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use doris_standin::Standin;

use crate::support::{cluster_with, login, read};

const TABLE: &str = "
CREATE TABLE test.forms (
  k INT, d DATE, t DATETIME, m DATETIME(6), l LARGEINT, i IPV4, v IPV6, a ARRAY<DATETIME>, p MAP<STRING, LARGEINT>
) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES ('replication_num' = '1');
INSERT INTO test.forms VALUES (1, '2024-02-29', '2026-10-09 10:00:00', '2026-10-09 10:00:00.123456',
  '-170141183460469231731687303715884105728', '255.0.0.1', '::1', ['2026-10-09 10:00:00', NULL], {'x': '7'});
INSERT INTO test.forms (k) VALUES (2);
";

async fn forms(profile: &str, set: &[&str]) -> (Standin, RecordBatch) {
    let standin = cluster_with(|config| {
        config.profile = profile.to_owned();
        config.set = set.iter().map(|assignment| (*assignment).to_owned()).collect();
        config.init_sql.push_str(TABLE);
    })
    .await;
    let mut client = login(&standin).await;
    let batches = read(&mut client, "SELECT * FROM test.forms ORDER BY k")
        .await
        .unwrap();
    let batch = arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap();
    assert_eq!(batch.num_rows(), 2);
    for column in &batch.columns()[1..] {
        assert!(column.is_null(1), "{:?}", column.data_type());
    }
    (standin, batch)
}

fn column_type<'a>(batch: &'a RecordBatch, name: &str) -> &'a DataType {
    batch.column_by_name(name).unwrap().data_type()
}

/// 2026-10-09 10:00:00 as if in UTC.
const WALL: i64 = 1_791_540_000;

#[tokio::test]
async fn the_newest_forms() {
    let (_standin, batch) = forms("doris-5.0", &[]).await;
    assert_eq!(column_type(&batch, "d"), &DataType::Date32);
    assert_eq!(
        column_type(&batch, "t"),
        &DataType::Timestamp(TimeUnit::Second, None)
    );
    assert_eq!(batch["t"].as_primitive::<TimestampSecondType>().value(0), WALL);
    assert_eq!(
        column_type(&batch, "m"),
        &DataType::Timestamp(TimeUnit::Microsecond, None)
    );
    assert_eq!(
        batch["m"].as_primitive::<TimestampMicrosecondType>().value(0),
        WALL * 1_000_000 + 123_456
    );
    assert_eq!(batch["l"].as_string::<i32>().value(0), i128::MIN.to_string());
    assert_eq!(
        batch["i"].as_primitive::<Int32Type>().value(0),
        0xff00_0001_u32 as i32
    );
    assert_eq!(batch["v"].as_string::<i32>().value(0), "::1");
    let schema = batch.schema();
    let named = |name: &str| {
        schema
            .field_with_name(name)
            .unwrap()
            .metadata()
            .get("doris_type")
            .cloned()
    };
    assert_eq!(named("l").as_deref(), Some("LARGEINT"));
    assert_eq!(named("i").as_deref(), Some("IPV4"));
    assert_eq!(named("d"), None);
}

#[tokio::test]
async fn the_forms_of_doris_2_1() {
    let (_standin, batch) = forms("doris-2.1", &[]).await;
    assert_eq!(batch["d"].as_string::<i32>().value(0), "2024-02-29");
    // The field says microseconds, the value counts seconds (doris#68392); the instant is that of +08:00.
    let zone = Some("+08:00".into());
    assert_eq!(
        column_type(&batch, "t"),
        &DataType::Timestamp(TimeUnit::Microsecond, zone)
    );
    assert_eq!(
        batch["t"].as_primitive::<TimestampMicrosecondType>().value(0),
        WALL - 8 * 3600
    );
    let micros = (WALL - 8 * 3600) * 1_000_000 + 123_456;
    assert_eq!(
        batch["m"].as_primitive::<TimestampMicrosecondType>().value(0),
        micros
    );
    assert_eq!(
        batch["l"].as_fixed_size_binary().value(0),
        i128::MIN.to_le_bytes()
    );
    assert_eq!(batch["i"].as_primitive::<UInt32Type>().value(0), 0xff00_0001);
    assert_eq!(batch["v"].as_string::<i32>().value(0), "1");
    let list = batch["a"].as_list::<i32>().value(0);
    assert_eq!(
        list.as_primitive::<TimestampMicrosecondType>().value(0),
        WALL - 8 * 3600
    );
    assert!(list.is_null(1));
    let map = batch["p"].as_map().value(0);
    assert_eq!(map.column(1).as_fixed_size_binary().value(0), 7i128.to_le_bytes());
    assert!(
        batch
            .schema()
            .fields()
            .iter()
            .all(|field| field.metadata().is_empty() && field.is_nullable())
    );
}

#[tokio::test]
async fn single_switches() {
    let set = [
        "datetime_form=utf8",
        "ipv4_form=utf8",
        "datetime_unit_fault=false",
    ];
    let (_standin, batch) = forms("doris-2.1", &set).await;
    assert_eq!(batch["t"].as_string::<i32>().value(0), "2026-10-09 10:00:00");
    assert_eq!(
        batch["m"].as_string::<i32>().value(0),
        "2026-10-09 10:00:00.123456"
    );
    assert_eq!(batch["i"].as_string::<i32>().value(0), "255.0.0.1");
}

/// Forms that change the text or number but not the Arrow type, in results that have no other column to convert.
#[tokio::test]
async fn forms_that_only_the_values_show() {
    let standin = cluster_with(|config| {
        config.profile = "doris-2.1".to_owned();
        config.init_sql.push_str(
            "CREATE TABLE test.alone (k INT, v IPV6, a ARRAY<IPV6>) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES ('replication_num' = '1');
             INSERT INTO test.alone VALUES (1, '::1', ['::2', NULL]);",
        );
    })
    .await;
    let mut client = login(&standin).await;
    let batches = read(&mut client, "SELECT v, a FROM test.alone").await.unwrap();
    assert_eq!(batches[0]["v"].as_string::<i32>().value(0), "1");
    assert_eq!(
        batches[0]["a"]
            .as_list::<i32>()
            .values()
            .as_string::<i32>()
            .value(0),
        "2"
    );
}
