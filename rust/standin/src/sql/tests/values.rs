//! Every type with its edge values: inserted as text, shown again, and cast to text.

use super::Fixture;

/// Inserts each value into a column of the type and gives what a plain scan shows.
async fn shown(type_name: &str, values: &[&str]) -> Vec<String> {
    let mut f = Fixture::new().await;
    f.run(&format!(
        "CREATE TABLE t (k INT, v {type_name}) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1"
    ))
    .await;
    let rows: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(k, v)| format!("({k}, {v})"))
        .collect();
    f.run(&format!("INSERT INTO t VALUES {}", rows.join(", "))).await;
    let plain = f.texts("SELECT v FROM t").await;
    let opaque = ["BITMAP", "HLL", "QUANTILE_STATE"].contains(&type_name);
    if !opaque {
        assert_eq!(
            f.texts("SELECT v FROM t WHERE k >= 0").await,
            plain,
            "{type_name} through a plan"
        );
        assert_eq!(
            f.texts("SELECT CAST(v AS STRING) FROM t").await,
            plain,
            "{type_name} cast to text"
        );
        assert_eq!(
            f.texts("SELECT v FROM t WHERE v IS NULL").await.len(),
            plain.iter().filter(|v| *v == "NULL").count()
        );
    }
    plain
}

#[tokio::test]
async fn integers() {
    for (name, min, max) in [
        ("TINYINT", "-128", "127"),
        ("SMALLINT", "-32768", "32767"),
        ("INT", "-2147483648", "2147483647"),
        ("BIGINT", "-9223372036854775808", "9223372036854775807"),
        (
            "LARGEINT",
            "-170141183460469231731687303715884105728",
            "170141183460469231731687303715884105727",
        ),
    ] {
        assert_eq!(
            shown(name, &["NULL", "0", min, max]).await,
            ["NULL", "0", min, max],
            "{name}"
        );
    }
}

#[tokio::test]
async fn integers_out_of_range_are_refused() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (k INT, v TINYINT) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1")
        .await;
    for value in ["128", "-129", "'x'", "1e9"] {
        let error = f.error(&format!("INSERT INTO t VALUES (1, {value})")).await;
        assert!(
            error.contains("column_name[v]") && error.contains("strict"),
            "{error}"
        );
    }
    assert!(
        f.error("INSERT INTO t SELECT 1, 128")
            .await
            .contains("column_name[v]")
    );
    assert!(f.texts("SELECT * FROM t").await.is_empty());
}

#[tokio::test]
async fn booleans_and_floats() {
    assert_eq!(
        shown("BOOLEAN", &["NULL", "TRUE", "false", "1", "'0'"]).await,
        ["NULL", "1", "0", "1", "0"]
    );
    assert_eq!(
        shown(
            "DOUBLE",
            &["NULL", "0", "-1.5", "1e300", "4.9e-324", "'NaN'", "'-inf'"]
        )
        .await,
        ["NULL", "0", "-1.5", "1e+300", "5e-324", "NaN", "-Infinity"]
    );
    assert_eq!(
        shown("FLOAT", &["NULL", "0.1", "-3.4028235e38"]).await,
        ["NULL", "0.1", "-3.4028235e+38"]
    );
}

#[tokio::test]
async fn decimals() {
    assert_eq!(
        shown("DECIMAL(10,2)", &["NULL", "0", "-99999999.99", "1.005", "'7'"]).await,
        ["NULL", "0.00", "-99999999.99", "1.01", "7.00"]
    );
    let wide = "9".repeat(38);
    assert_eq!(
        shown("DECIMAL(38,0)", &[&wide, &format!("-{wide}")]).await,
        [wide.clone(), format!("-{wide}")]
    );
    let widest = format!("{}.{}", "9".repeat(66), "9".repeat(10));
    assert_eq!(
        shown("DECIMAL(76,10)", &["NULL", &widest, "-0.0000000001"]).await,
        ["NULL", widest.as_str(), "-0.0000000001"]
    );
    assert_eq!(
        shown("DECIMALV2(27,9)", &["123456789012345678.123456789"]).await,
        ["123456789012345678.123456789"]
    );
}

#[tokio::test]
async fn dates() {
    let values = [
        "NULL",
        "'0000-01-01'",
        "'9999-12-31'",
        "'2024-02-29'",
        "'1969-12-31'",
    ];
    let expected = ["NULL", "0000-01-01", "9999-12-31", "2024-02-29", "1969-12-31"];
    assert_eq!(shown("DATE", &values).await, expected);
    assert_eq!(shown("DATEV1", &values).await, expected);
}

#[tokio::test]
async fn datetimes() {
    let values = [
        "NULL",
        "'0000-01-01 00:00:00'",
        "'9999-12-31 23:59:59'",
        "'2024-01-01 01:02:03.123456'",
    ];
    for (name, end) in [
        ("DATETIME", ""),
        ("DATETIME(3)", ".123"),
        ("DATETIME(6)", ".123456"),
        ("DATETIMEV1", ""),
    ] {
        let zeros = if end.is_empty() {
            String::new()
        } else {
            format!(".{}", "0".repeat(end.len() - 1))
        };
        assert_eq!(
            shown(name, &values).await,
            [
                "NULL".to_string(),
                format!("0000-01-01 00:00:00{zeros}"),
                format!("9999-12-31 23:59:59{zeros}"),
                format!("2024-01-01 01:02:03{end}"),
            ],
            "{name}"
        );
    }
    assert_eq!(
        shown("DATETIME(1)", &["'2024-01-01 00:00:00.96'"]).await,
        ["2024-01-01 00:00:01.0"]
    );
    assert_eq!(
        shown("TIME(3)", &["NULL", "'-838:59:59.5'", "'23:00:00'"]).await,
        ["NULL", "-838:59:59.500", "23:00:00.000"]
    );
}

#[tokio::test]
async fn instants_follow_the_zone_of_the_session() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (k INT, v TIMESTAMPTZ(3), w DATETIME(3)) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1").await;
    f.run("SET time_zone = '+08:00'").await;
    f.run("INSERT INTO t VALUES (1, '2024-01-01 08:00:00.5', '2024-01-01 08:00:00.5')")
        .await;
    f.run("INSERT INTO t VALUES (2, '2024-01-01 00:00:00Z', '2024-01-01 00:00:00Z')")
        .await;
    assert_eq!(
        f.texts("SELECT v, w FROM t").await,
        [
            "2024-01-01 08:00:00.500+08:00|2024-01-01 08:00:00.500",
            "2024-01-01 08:00:00.000+08:00|2024-01-01 08:00:00.000"
        ]
    );
    f.run("SET time_zone = 'America/New_York'").await;
    let expected = [
        "2023-12-31 19:00:00.500-05:00|2024-01-01 08:00:00.500",
        "2023-12-31 19:00:00.000-05:00|2024-01-01 08:00:00.000",
    ];
    assert_eq!(f.texts("SELECT v, w FROM t").await, expected);
    assert_eq!(
        f.texts("SELECT CAST(v AS STRING), w FROM t ORDER BY k").await,
        expected
    );
    assert_eq!(
        f.texts("SELECT k FROM t WHERE v = '2023-12-31 19:00:00'").await,
        ["2"]
    );
}

#[tokio::test]
async fn texts() {
    let emoji = "'grüße 😀 ''q'' \"d\" \\\\ \\n'";
    for name in ["STRING", "VARCHAR(100)", "CHAR(100)"] {
        assert_eq!(
            shown(name, &["NULL", "''", emoji]).await,
            ["NULL", "", "grüße 😀 'q' \"d\" \\ \n"],
            "{name}"
        );
    }
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (k INT, v VARCHAR(3)) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1")
        .await;
    f.run("INSERT INTO t VALUES (1, 'abc')").await;
    for value in ["'abcd'", "'ää'"] {
        let error = f.error(&format!("INSERT INTO t VALUES (1, {value})")).await;
        assert!(error.contains("schema length: 3; actual length: 4"), "{error}");
    }
    f.run("SET enable_insert_strict = false").await;
    assert_eq!(
        f.affected("INSERT INTO t VALUES (2, 'xy'), (3, 'toolong')").await,
        2
    );
    assert_eq!(f.texts("SELECT v FROM t WHERE k = 3").await, ["NULL"]);
}

#[tokio::test]
async fn json_addresses_and_bytes() {
    assert_eq!(
        shown(
            "JSON",
            &["NULL", "'{\"b\": [1, 2.5, null], \"a\": \"x\"}'", "'3'", "'null'"]
        )
        .await,
        ["NULL", r#"{"b":[1,2.5,null],"a":"x"}"#, "3", "null"]
    );
    assert_eq!(
        shown("VARIANT", &["NULL", "'{\"b\": 1, \"a\": {\"c\": 2}}'", "'plain'"]).await,
        ["NULL", r#"{"a":{"c":2},"b":1}"#, "plain"]
    );
    assert_eq!(
        shown("IPV4", &["NULL", "'0.0.0.0'", "'255.255.255.255'"]).await,
        ["NULL", "0.0.0.0", "255.255.255.255"]
    );
    assert_eq!(
        shown("IPV6", &["NULL", "'::1'", "'2001:DB8:0:0:0:0:0:1'"]).await,
        ["NULL", "::1", "2001:db8::1"]
    );
    assert_eq!(
        shown("VARBINARY(4)", &["NULL", "X'00ff'", "'ab'"]).await,
        ["NULL", "0x00FF", "0x6162"]
    );
    for name in ["BITMAP", "HLL", "QUANTILE_STATE"] {
        let maker = match name {
            "BITMAP" => "to_bitmap(5)",
            "HLL" => "hll_hash('x')",
            _ => "to_quantile_state(1, 2048)",
        };
        assert_eq!(shown(name, &[maker]).await, ["NULL"], "{name} has no text");
    }
}

#[tokio::test]
async fn nested_values() {
    assert_eq!(
        shown(
            "ARRAY<INT>",
            &["NULL", "[]", "[1, null, -2147483648]", "'[3]'", "array(1, 2)"]
        )
        .await,
        ["NULL", "[]", "[1, null, -2147483648]", "[3]", "[1, 2]"]
    );
    assert_eq!(
        shown("ARRAY<STRING>", &["['a', \"b\", NULL, '', '😀', 'say \"x\"']"]).await,
        [r#"["a", "b", null, "", "😀", "say \"x\""]"#]
    );
    assert_eq!(
        shown(
            "MAP<STRING,INT>",
            &["NULL", "{}", "{'k':1, 'j':null}", "map('a', 2)"]
        )
        .await,
        ["NULL", "{}", r#"{"k":1, "j":null}"#, r#"{"a":2}"#]
    );
    assert_eq!(
        shown(
            "STRUCT<a:INT,b:STRING>",
            &[
                "NULL",
                "{1, 'x'}",
                "'{\"b\":\"y\",\"a\":2}'",
                "named_struct('a', 3, 'b', NULL)",
                "struct(4, 'z')"
            ]
        )
        .await,
        [
            "NULL",
            r#"{"a":1, "b":"x"}"#,
            r#"{"a":2, "b":"y"}"#,
            r#"{"a":3, "b":null}"#,
            r#"{"a":4, "b":"z"}"#
        ]
    );
    assert_eq!(
        shown(
            "ARRAY<STRUCT<m:MAP<STRING,ARRAY<DECIMAL(10,2)>>,t:DATETIME(3),b:BOOLEAN,n:LARGEINT>>",
            &["NULL", "'[{\"m\":{\"k\":[1.5,null]},\"t\":\"2024-01-01 00:00:00.123\",\"b\":true,\"n\":170141183460469231731687303715884105727}, null]'"]
        )
        .await,
        [
            "NULL",
            r#"[{"m":{"k":[1.50, null]}, "t":"2024-01-01 00:00:00.123", "b":true, "n":170141183460469231731687303715884105727}, null]"#
        ]
    );
    assert_eq!(
        shown("ARRAY<ARRAY<ARRAY<DATE>>>", &["[[['2024-01-01'], []], null]"]).await,
        [r#"[[["2024-01-01"], []], null]"#]
    );
}

#[tokio::test]
async fn a_nested_text_that_does_not_fit_is_refused() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (k INT, a ARRAY<INT>, s STRUCT<x:INT>) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1").await;
    assert!(
        f.error("INSERT INTO t VALUES (1, '[1, x]', NULL)")
            .await
            .contains("column_name[a]")
    );
    f.error("INSERT INTO t VALUES (1, '[1', NULL)").await;
    f.error("INSERT INTO t VALUES (1, NULL, '{\"y\":1}')").await;
}
