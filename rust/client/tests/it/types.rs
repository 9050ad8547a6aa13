//! Every type of Doris with edge values, in both forms that servers send, under several session zones: what is read equals
//! what the MySQL port shows.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef};
use chrono::DateTime;
use doris_arrow::types::DorisType;
use doris_standin::Standin;
use doris_standin::mysql::client::{Client, Reply};

use crate::support::*;

/// Column, Doris type, Flink type, values as SQL.
const CASES: &[(&str, &str, &str, &[&str])] = &[
    ("bo", "BOOLEAN", "BOOLEAN", &["true", "false", "NULL"]),
    ("ti", "TINYINT", "TINYINT", &["-128", "127", "NULL"]),
    ("si", "SMALLINT", "SMALLINT", &["-32768", "32767", "NULL"]),
    ("ii", "INT", "INT", &["-2147483648", "2147483647", "NULL"]),
    (
        "bi",
        "BIGINT",
        "BIGINT",
        &["-9223372036854775808", "9223372036854775807", "NULL"],
    ),
    (
        "li",
        "LARGEINT",
        "STRING",
        &[
            "'-170141183460469231731687303715884105728'",
            "'170141183460469231731687303715884105727'",
            "NULL",
        ],
    ),
    (
        "ld",
        "LARGEINT",
        "DECIMAL(38, 0)",
        &[
            "'-99999999999999999999999999999999999999'",
            "'99999999999999999999999999999999999999'",
            "NULL",
        ],
    ),
    ("fl", "FLOAT", "FLOAT", &["-1.5", "0.1", "NULL"]),
    ("db", "DOUBLE", "DOUBLE", &["-1e300", "0.1", "NULL"]),
    (
        "d9",
        "DECIMAL(9,2)",
        "DECIMAL(9, 2)",
        &["-9999999.99", "0.01", "NULL"],
    ),
    (
        "dm",
        "DECIMAL(38,10)",
        "DECIMAL(38, 10)",
        &[
            "'-9999999999999999999999999999.9999999999'",
            "'0.0000000001'",
            "NULL",
        ],
    ),
    (
        "dw",
        "DECIMAL(50,10)",
        "STRING",
        &[
            "'1234567890123456789012345678901234567890.1234567890'",
            "'-0.0000000001'",
            "NULL",
        ],
    ),
    (
        "dn",
        "DECIMAL(50,10)",
        "DECIMAL(38, 10)",
        &["'-12.5'", "'9999999999999999999999999999.9999999999'", "NULL"],
    ),
    ("da", "DATE", "DATE", &["'0000-01-01'", "'9999-12-31'", "NULL"]),
    ("ds", "DATE", "STRING", &["'0000-01-01'", "'9999-12-31'", "NULL"]),
    (
        "t0",
        "DATETIME",
        "TIMESTAMP(0)",
        &[
            "'0000-01-01 00:00:00'",
            "'9999-12-31 23:59:59'",
            "NULL",
            "'2024-05-06 07:08:09'",
        ],
    ),
    (
        "t3",
        "DATETIME(3)",
        "TIMESTAMP(3)",
        &[
            "'1969-12-31 23:59:59.999'",
            "'9999-12-31 23:59:59.999'",
            "NULL",
            "'2024-05-06 07:08:09.123'",
        ],
    ),
    (
        "t6",
        "DATETIME(6)",
        "TIMESTAMP(6)",
        &[
            "'0000-01-01 00:00:00.000001'",
            "'9999-12-31 23:59:59.999999'",
            "NULL",
            "'2024-03-10 02:30:00.123456'",
        ],
    ),
    (
        "ts",
        "DATETIME(6)",
        "STRING",
        &[
            "'0000-01-01 00:00:00.000001'",
            "'9999-12-31 23:59:59.999999'",
            "NULL",
        ],
    ),
    ("ch", "CHAR(10)", "CHAR(10)", &["''", "'größer'", "NULL"]),
    (
        "vc",
        "VARCHAR(100)",
        "VARCHAR(100)",
        &["''", "'😀🎉'", "NULL", "'it''s \"x\" \\\\ y'"],
    ),
    ("st", "STRING", "STRING", &["''", "'a&b=c😀'", "NULL"]),
    (
        "js",
        "JSON",
        "STRING",
        &["'{\"a\":[1,null,\"x\"]}'", "'[]'", "NULL"],
    ),
    (
        "i4",
        "IPV4",
        "STRING",
        &["'0.0.0.0'", "'255.255.255.255'", "NULL"],
    ),
    (
        "i6",
        "IPV6",
        "STRING",
        &["'::'", "'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'", "NULL"],
    ),
    ("ai", "ARRAY<INT>", "ARRAY<INT>", &["[1, NULL, -3]", "[]", "NULL"]),
    (
        "ad",
        "ARRAY<DATE>",
        "ARRAY<DATE>",
        &["['0000-01-01', '9999-12-31']", "[NULL]", "NULL"],
    ),
    (
        "at",
        "ARRAY<DATETIME(3)>",
        "ARRAY<TIMESTAMP(3)>",
        &["['2024-05-06 07:08:09.123']", "[]", "NULL"],
    ),
    (
        "as_",
        "ARRAY<STRING>",
        "STRING",
        &["['a', '', NULL]", "[]", "NULL"],
    ),
    (
        "ms",
        "MAP<STRING,INT>",
        "MAP<STRING, INT>",
        &["{'a': 1, 'b': NULL}", "{}", "NULL"],
    ),
    (
        "sr",
        "STRUCT<a:INT,b:STRING>",
        "ROW<`a` INT, `b` STRING>",
        &[
            "named_struct('a', 1, 'b', 'x😀')",
            "named_struct('a', NULL, 'b', '')",
            "NULL",
        ],
    ),
    (
        "n3",
        "ARRAY<STRUCT<a:INT,m:MAP<STRING,DECIMAL(10,2)>>>",
        "ARRAY<ROW<`a` INT, `m` MAP<STRING, DECIMAL(10, 2)>>>",
        &["[named_struct('a', 1, 'm', {'x': -1.5})]", "[]", "NULL"],
    ),
];

#[tokio::test]
async fn newest_forms() {
    all_types("doris-5.0").await;
}

#[tokio::test]
async fn older_forms() {
    all_types("doris-2.1").await;
}

async fn all_types(profile: &str) {
    for zone in ["+00:00", "+08:00"] {
        let standin = cluster_with("CREATE DATABASE db;", |c| {
            c.profile = profile.to_owned();
            c.time_zone = zone.to_owned();
        })
        .await;
        let mut failures = Vec::new();
        for (column, doris, flink, values) in CASES {
            if let Err(failure) = one_type(&standin, column, doris, flink, values).await {
                failures.push(format!("{profile} {zone} {doris} as {flink}: {failure}"));
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}

async fn one_type(
    standin: &Standin,
    column: &str,
    doris: &str,
    flink: &str,
    values: &[&str],
) -> Result<(), String> {
    let rows: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(i, v)| format!("({i}, {v})"))
        .collect();
    standin
        .execute(&format!(
            "CREATE TABLE db.{column} (k INT, {column} {doris}) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 \
             PROPERTIES ('replication_num' = '1'); INSERT INTO db.{column} VALUES {};",
            rows.join(", ")
        ))
        .await
        .map_err(|e| e.to_string())?;
    let expected = shown(
        standin,
        &format!("SELECT k, {column} FROM db.{column} ORDER BY k"),
    )
    .await;
    // The job's zone plays no part for wall clocks.
    for local in ["UTC", "America/New_York"] {
        let read = read(standin, &format!("db.{column}"), &[("k", "INT"), (column, flink)])
            .with("read.local-time-zone", local);
        let plan = read.plan().await.map_err(|e| e.to_string())?;
        let scan = read.scan();
        let mut got = Vec::new();
        for tablet in plan.tablets {
            for batch in drain(&scan, vec![tablet.id]).await.map_err(|e| e.to_string())? {
                let batch = read.decode(&batch);
                let keys = batch.column(0).as_primitive::<Int32Type>();
                let r#type = DorisType::parse(doris).unwrap();
                for row in 0..batch.num_rows() {
                    got.push((keys.value(row), text(batch.column(1), row, &r#type, false)));
                }
            }
        }
        bounded(scan.close()).await;
        got.sort();
        let got: Vec<Option<String>> = got.into_iter().map(|(_, text)| text).collect();
        if got != expected {
            return Err(format!("read {got:?}, the MySQL port shows {expected:?}"));
        }
    }
    Ok(())
}

/// The second column of a query as the MySQL port shows it.
async fn shown(standin: &Standin, sql: &str) -> Vec<Option<String>> {
    let mut client = Client::connect("127.0.0.1", standin.ports().fe[0].mysql, "root", "", None)
        .await
        .unwrap();
    let replies = client.query(sql).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
    match replies.into_iter().next() {
        Some(Reply::Rows(table)) => table.rows.into_iter().map(|mut row| row.swap_remove(1)).collect(),
        _ => panic!("{sql} gives no rows"),
    }
}

/// A value in canonical form, as Doris prints it.
fn text(array: &ArrayRef, row: usize, doris: &DorisType, nested: bool) -> Option<String> {
    if array.is_null(row) {
        return nested.then(|| "null".to_owned());
    }
    let quoted = |text: String| if nested { format!("\"{text}\"") } else { text };
    use arrow_schema::DataType as A;
    Some(match array.data_type() {
        A::Boolean => u8::from(array.as_boolean().value(row)).to_string(),
        A::Int8 => array.as_primitive::<Int8Type>().value(row).to_string(),
        A::Int16 => array.as_primitive::<Int16Type>().value(row).to_string(),
        A::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        A::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        A::Float32 => format!("{:?}", array.as_primitive::<Float32Type>().value(row)).replace("e3", "e+3"),
        A::Float64 => format!("{:?}", array.as_primitive::<Float64Type>().value(row)).replace("e3", "e+3"),
        A::Decimal128(_, _) => array.as_primitive::<Decimal128Type>().value_as_string(row),
        A::Utf8 => quoted(array.as_string::<i32>().value(row).to_owned()),
        A::Date32 => {
            let days = i64::from(array.as_primitive::<Date32Type>().value(row));
            quoted(
                DateTime::from_timestamp(days * 86_400, 0)
                    .unwrap()
                    .format("%Y-%m-%d")
                    .to_string(),
            )
        }
        A::Timestamp(_, _) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
            let at = DateTime::from_timestamp_micros(micros).unwrap();
            quoted(match doris {
                DorisType::DateTime(0) => at.format("%Y-%m-%d %H:%M:%S").to_string(),
                DorisType::DateTime(3) => at.format("%Y-%m-%d %H:%M:%S.%3f").to_string(),
                _ => at.format("%Y-%m-%d %H:%M:%S.%6f").to_string(),
            })
        }
        A::List(_) => {
            let DorisType::Array(item) = doris else {
                panic!("{doris}")
            };
            let items = array.as_list::<i32>().value(row);
            let texts: Vec<String> = (0..items.len())
                .filter_map(|i| text(&items, i, item, true))
                .collect();
            format!("[{}]", texts.join(", "))
        }
        A::Map(_, _) => {
            let DorisType::Map(key, value) = doris else {
                panic!("{doris}")
            };
            let entries = array.as_map().value(row);
            let pairs: Vec<String> = (0..entries.len())
                .filter_map(|i| {
                    Some(format!(
                        "{}:{}",
                        text(entries.column(0), i, key, true)?,
                        text(entries.column(1), i, value, true)?
                    ))
                })
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        A::Struct(_) => {
            let DorisType::Struct(fields) = doris else {
                panic!("{doris}")
            };
            let columns = array.as_struct();
            let parts: Vec<String> = fields
                .iter()
                .zip(columns.columns())
                .filter_map(|(f, c)| Some(format!("\"{}\":{}", f.name, text(c, row, &f.r#type, true)?)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        other => panic!("{other} is not canonical"),
    })
}
