//! Every type of Doris with edge values, in both forms that servers send, under several session zones: what is read equals
//! what the MySQL port shows.

use arrow::array::cast::AsArray;
use arrow::array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType,
};
use arrow::array::{Array, ArrayRef};
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
    (
        "tz",
        "TIMESTAMPTZ(6)",
        "STRING",
        &[
            "'2024-05-06 07:08:09.123456+08:00'",
            "'0001-01-02 00:00:00+00:00'",
            "NULL",
        ],
    ),
    (
        "va",
        "VARIANT",
        "STRING",
        &["'{\"a\":[1,null,\"x\"]}'", "'1'", "NULL"],
    ),
    ("f2", "FLOAT", "DOUBLE", &["-1.5", "0.25", "NULL"]),
    (
        "dx",
        "DOUBLE",
        "DOUBLE",
        &["1.7976931348623157e308", "-5e-324", "NULL"],
    ),
    (
        "fn_",
        "FLOAT",
        "FLOAT",
        &["'NaN'", "'Infinity'", "'-Infinity'", "3.4028235e38", "NULL"],
    ),
    (
        "fd",
        "FLOAT",
        "DOUBLE",
        &["'NaN'", "'Infinity'", "'-Infinity'", "NULL"],
    ),
    (
        "dn_",
        "DOUBLE",
        "DOUBLE",
        &["'NaN'", "'Infinity'", "'-Infinity'", "NULL"],
    ),
    (
        "fa",
        "ARRAY<DOUBLE>",
        "ARRAY<DOUBLE>",
        &["['NaN', '-Infinity', NULL]", "NULL"],
    ),
    (
        "ss",
        "STRUCT<a:INT,b:ARRAY<DATE>>",
        "STRING",
        &["named_struct('a', 1, 'b', ['2024-05-06'])", "NULL"],
    ),
    (
        "mm",
        "MAP<INT,DATETIME(3)>",
        "STRING",
        &["{1: '2024-05-06 07:08:09.123'}", "{}", "NULL"],
    ),
    (
        "aa",
        "ARRAY<ARRAY<INT>>",
        "ARRAY<ARRAY<BIGINT>>",
        &["[[1, NULL], []]", "[]", "NULL"],
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

/// Doris' form of what Rust prints.
fn float(text: String) -> String {
    text.replace("e3", "e+3").replace("inf", "Infinity")
}

/// A value in canonical form, as Doris prints it.
fn text(array: &ArrayRef, row: usize, doris: &DorisType, nested: bool) -> Option<String> {
    if array.is_null(row) {
        return nested.then(|| "null".to_owned());
    }
    let quoted = |text: String| if nested { format!("\"{text}\"") } else { text };
    use arrow::datatypes::DataType as A;
    Some(match array.data_type() {
        A::Boolean => u8::from(array.as_boolean().value(row)).to_string(),
        A::Int8 => array.as_primitive::<Int8Type>().value(row).to_string(),
        A::Int16 => array.as_primitive::<Int16Type>().value(row).to_string(),
        A::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        A::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        A::Float32 => float(format!("{:?}", array.as_primitive::<Float32Type>().value(row))),
        A::Float64 => float(format!("{:?}", array.as_primitive::<Float64Type>().value(row))),
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

const FORMS: &str = "
CREATE DATABASE db;
CREATE TABLE db.f (k INT, tz TIMESTAMPTZ(3), dt DATETIME(3), i4 IPV4, st STRUCT<a:INT,b:STRING,c:STRUCT<d:DATETIME>>, ti TINYINT, bo BOOLEAN)
  DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES ('replication_num' = '1');
INSERT INTO db.f VALUES
  (1, '2024-07-01 12:00:00.5+00:00', '2024-07-01 12:00:00.5', '255.255.255.255',
   named_struct('a', 1, 'b', 'x', 'c', named_struct('d', '2024-05-06 07:08:09')), -1, true),
  (2, NULL, NULL, NULL, NULL, NULL, NULL);
";

/// Pairs of types whose texts differ from what the MySQL port shows.
#[tokio::test]
async fn other_declarations_of_the_same_columns() {
    for profile in ["doris-5.0", "doris-2.1"] {
        for zone in ["+00:00", "+08:00"] {
            let standin = cluster_with(FORMS, |c| {
                c.profile = profile.to_owned();
                c.time_zone = zone.to_owned();
            })
            .await;
            for (column, flink, local, expected) in [
                // Instants stay, wall clocks are those of the job's zone.
                (
                    "tz",
                    "TIMESTAMP(3) WITH LOCAL TIME ZONE",
                    "America/New_York",
                    "2024-07-01T12:00:00.500",
                ),
                (
                    "tz",
                    "TIMESTAMP(3)",
                    "America/New_York",
                    "2024-07-01T08:00:00.500",
                ),
                (
                    "dt",
                    "TIMESTAMP(3) WITH LOCAL TIME ZONE",
                    "Asia/Shanghai",
                    "2024-07-01T04:00:00.500",
                ),
                ("dt", "TIMESTAMP(6)", "Asia/Shanghai", "2024-07-01T12:00:00.500"),
                ("i4", "BIGINT", "UTC", "4294967295"),
                ("ti", "SMALLINT", "UTC", "-1"),
                ("bo", "BOOLEAN", "UTC", "true"),
                (
                    "st",
                    "MAP<STRING, STRING>",
                    "UTC",
                    "{a: 1, b: x, c: {\"d\":\"2024-05-06 07:08:09\"}}",
                ),
                (
                    "st",
                    "ROW<`c` ROW<`d` TIMESTAMP(0)>, `A` BIGINT>",
                    "UTC",
                    "{c: {d: 2024-05-06T07:08:09}, A: 1}",
                ),
            ] {
                let read = read(&standin, "db.f", &[("k", "INT"), (column, flink)])
                    .with("read.local-time-zone", local);
                let rows = read
                    .rows()
                    .await
                    .unwrap_or_else(|e| panic!("{profile} {zone} {column} {flink}: {e}"));
                assert_eq!(
                    rows,
                    [format!("1|{expected}"), "2|NULL".to_owned()],
                    "{profile} {zone} {column} as {flink}"
                );
            }
        }
    }
}

#[tokio::test]
async fn fields_of_structs_are_read_alone() {
    for profile in ["doris-5.0", "doris-2.1"] {
        let standin = cluster_with(FORMS, |c| c.profile = profile.to_owned()).await;
        let columns = [
            ("k", "INT"),
            ("st", "ROW<`a` INT, `b` STRING, `c` ROW<`d` TIMESTAMP(0)>>"),
        ];
        let read = read(&standin, "db.f", &columns).wanted(&[
            ("`st`.`c`.`d`", "TIMESTAMP(0)"),
            ("`st`.`c`.`d`", "STRING"),
            ("`k`", "INT"),
            ("`st`.`b`", "STRING"),
        ]);
        // The same field twice, once as text, has to keep its two forms apart.
        let rows = read.rows().await.unwrap_or_else(|e| panic!("{profile}: {e}"));
        assert_eq!(
            rows,
            ["2024-05-06T07:08:09|2024-05-06 07:08:09|1|x", "NULL|NULL|2|NULL"],
            "{profile}"
        );
    }
}

/// Text inside of arrays is the server's own, too.
#[tokio::test]
async fn text_of_what_is_inside_of_arrays() {
    let init = "CREATE DATABASE db; CREATE TABLE db.a (k INT, a ARRAY<ARRAY<INT>>, m ARRAY<MAP<STRING,INT>>, d ARRAY<DATETIME(3)>, p ARRAY<IPV4>) \
        DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 PROPERTIES ('replication_num' = '1'); \
        INSERT INTO db.a VALUES (1, [[1, 2], NULL], [{'x': 1}], ['2024-05-06 07:08:09.123'], ['1.2.3.4']);";
    for profile in ["doris-5.0", "doris-2.1"] {
        let standin = cluster_with(init, |c| c.profile = profile.to_owned()).await;
        let columns = ["a", "m", "d", "p"].map(|name| (name, "ARRAY<STRING>"));
        let rows = read(&standin, "db.a", &columns)
            .rows()
            .await
            .unwrap_or_else(|e| panic!("{profile}: {e}"));
        assert_eq!(
            rows,
            ["[[1, 2], NULL]|[{\"x\":1}]|[2024-05-06 07:08:09.123]|[1.2.3.4]"],
            "{profile}"
        );
    }
}

#[tokio::test]
async fn opaque_types_pass_as_bytes() {
    let init = "CREATE DATABASE db; CREATE TABLE db.o (k INT, b BITMAP BITMAP_UNION) AGGREGATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1 \
        PROPERTIES ('replication_num' = '1'); INSERT INTO db.o VALUES (1, to_bitmap(7));";
    let standin = cluster(init).await;
    let rows = read(&standin, "db.o", &[("k", "INT"), ("b", "BYTES")])
        .rows()
        .await
        .unwrap();
    assert_eq!(rows.len(), 1);
    assert!(rows[0].len() > "1|".len(), "{rows:?}");
    let error = read(&standin, "db.o", &[("b", "STRING")])
        .plan()
        .await
        .unwrap_err();
    assert!(error.to_string().contains("BYTES"), "{error}");
}
