//! JSON bodies.

use super::{all, commit, complaints, load, stage};
use crate::sql::tests::Fixture;

const JSON: (&str, &str) = ("format", "json");

async fn table() -> Fixture {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE t (id INT NOT NULL, name STRING, city VARCHAR(20) DEFAULT 'none', d DECIMAL(38,18))
         DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2",
    )
    .await;
    f
}

async fn rows(f: &mut Fixture) -> Vec<String> {
    let rows = f.texts("SELECT * FROM t ORDER BY id").await;
    f.run("TRUNCATE TABLE t").await;
    rows
}

#[tokio::test]
async fn json_5_lines_are_the_default() {
    let mut f = table().await;
    let body = "{\"id\":1,\"name\":\"a\"}\n\n{\"id\":\"2\",\"name\":\"b\"}\r\n{\"id\":3, \"name\" : \"c\"}";
    for headers in [vec![JSON], vec![JSON, ("read_json_by_line", "true")]] {
        assert_eq!(load(&f, "t", &headers, body).await, all(3));
        assert_eq!(
            rows(&mut f).await,
            ["1|a|none|NULL", "2|b|none|NULL", "3|c|none|NULL"]
        );
    }
    let headers = [JSON, ("line_delimiter", "\\x02")];
    assert_eq!(load(&f, "t", &headers, "{\"id\":1}\x02{\"id\":2}").await, all(2));
    assert_eq!(rows(&mut f).await, ["1|NULL|none|NULL", "2|NULL|none|NULL"]);
}

#[tokio::test]
async fn json_8_null_the_empty_string_and_a_missing_key_are_told_apart() {
    let mut f = table().await;
    let body = r#"{"id":1,"name":null,"city":""}
{"id":2,"city":null}
{"id":3,"name":""}"#;
    assert_eq!(load(&f, "t", &[JSON], body).await, all(3));
    assert_eq!(
        rows(&mut f).await,
        ["1|NULL||NULL", "2|NULL|NULL|NULL", "3||none|NULL"]
    );
}

#[tokio::test]
async fn json_4_numbers_pass_a_double_and_strings_keep_their_digits() {
    let mut f = table().await;
    let body = r#"{"id":1,"d":12345678901234567890.123456789012345678}
{"id":2,"d":"-12345678901234567890.123456789012345678"}
{"id":3,"d":0.000000000000000000}
{"id":4,"d":1e-18}
{"id":5,"d":123456789123.123456}
{"id":6,"d":-12345.6789012345}
{"id":7,"d":9007199254740993}"#;
    let kept = [
        "2|NULL|none|-12345678901234567890.123456789012345678",
        "3|NULL|none|0.000000000000000000",
        "4|NULL|none|0.000000000000000001",
        "6|NULL|none|-12345.678901234500000000",
        // Whole numbers of 64 bits are no doubles.
        "7|NULL|none|9007199254740993.000000000000000000",
    ];
    let lost = [
        "1|NULL|none|12345678901234567000.000000000000000000",
        "5|NULL|none|123456789123.123440000000000000",
    ];
    let exact = [
        "1|NULL|none|12345678901234567890.123456789012345678",
        "5|NULL|none|123456789123.123456000000000000",
    ];
    for (headers, ones) in [(vec![JSON], lost), (vec![JSON, ("num_as_string", "true")], exact)] {
        assert_eq!(load(&f, "t", &headers, body).await, all(7));
        let mut expected = [&kept[..], &ones[..]].concat();
        expected.sort_unstable();
        assert_eq!(rows(&mut f).await, expected);
    }
}

/// Nothing of the line can be told from the other object's, so no share of filtered rows saves the load.
#[tokio::test]
async fn two_objects_in_a_line_fail_the_load() {
    let f = table().await;
    let headers = [JSON, ("max_filter_ratio", "1")];
    let staged = stage(&f, "t", &headers, b"{\"id\":1}\n{\"id\":2}{\"id\":3}\n")
        .await
        .unwrap();
    assert_eq!(
        staged.refused.as_deref(),
        Some("[DATA_QUALITY_ERROR]Multiple JSON objects in a single line")
    );
    assert!(staged.load.is_none());
}

#[tokio::test]
async fn an_outer_array_is_stripped() {
    let mut f = table().await;
    let headers = [JSON, ("strip_outer_array", "true")];
    let body = "[\n {\"id\":1, \"name\":\"]\"},\n {\"id\":2}\n]\n";
    assert_eq!(load(&f, "t", &headers, body).await, all(2));
    assert_eq!(rows(&mut f).await, ["1|]|none|NULL", "2|NULL|none|NULL"]);
    let both = [
        JSON,
        ("strip_outer_array", "true"),
        ("read_json_by_line", "true"),
        ("fuzzy_parse", "true"),
    ];
    assert_eq!(
        load(&f, "t", &both, "[{\"id\":1},{\"id\":2}]\n[{\"id\":3}]\n").await,
        all(3)
    );
    assert_eq!(rows(&mut f).await.len(), 3);
    let lines = complaints(&f, "t", &[JSON], "[{\"id\":1}]").await;
    assert!(
        lines[0].contains("JSON data is array-object, `strip_outer_array` must be TRUE."),
        "{lines:?}"
    );
    let lines = complaints(&f, "t", &headers, "{\"id\":1}").await;
    assert!(
        lines[0].contains("`strip_outer_array` must be FALSE."),
        "{lines:?}"
    );
    assert_eq!(load(&f, "t", &headers, "[]").await, all(0));
}

#[tokio::test]
async fn parameters_that_are_not_served_are_refused() {
    let f = table().await;
    for name in ["jsonpaths", "json_root", "skip_lines"] {
        let refused = stage(&f, "t", &[JSON, (name, "1")], b"").await.unwrap_err();
        assert_eq!(
            refused.message,
            format!("[INTERNAL_ERROR]{name} is not served here")
        );
    }
}

#[tokio::test]
async fn what_is_no_row_is_filtered() {
    let mut f = table().await;
    let body = "{\"id\":1}\n{\"id\":2\n{\"x\":1}\n5\n{\"id\":3} x\n{\"name\":\"x\"}\n{\"id\":4}";
    let staged = stage(&f, "t", &[JSON, ("max_filter_ratio", "0.8")], body.as_bytes())
        .await
        .unwrap();
    assert_eq!((staged.total, staged.loaded, staged.filtered), (7, 2, 5));
    let lines = staged.error_lines;
    assert_eq!(
        lines[0],
        "Reason: Parse json data failed. code: 3, error info: the document ends too early. src line [{\"id\":2]; "
    );
    assert_eq!(
        lines[1],
        "Reason: All fields is null, this is a invalid row.. src line [{\"x\":1}]; "
    );
    assert_eq!(
        lines[4],
        "Reason: The column `id` is not nullable, but it's not found in jsondata.. src line [{\"name\":\"x\"}]; "
    );
    commit(&f, staged.load.unwrap()).await;
    assert_eq!(f.texts("SELECT id FROM t ORDER BY id").await, ["1", "4"]);
}

#[tokio::test]
async fn keys_are_matched_exactly_and_the_first_of_two_counts() {
    let mut f = table().await;
    assert_eq!(
        load(&f, "t", &[JSON], r#"{"id":1,"Name":"x","city":"a","city":"b"}"#).await,
        all(1)
    );
    assert_eq!(rows(&mut f).await, ["1|NULL|a|NULL"]);
}

#[tokio::test]
async fn booleans_are_one_and_zero_in_texts() {
    let mut f = table().await;
    assert_eq!(
        load(&f, "t", &[JSON], r#"{"id":1,"name":true,"city":false,"d":true}"#).await,
        all(1)
    );
    assert_eq!(rows(&mut f).await, ["1|1|0|1.000000000000000000"]);
}

#[tokio::test]
async fn compressed_bodies_are_read() {
    use std::io::Write;
    let mut f = table().await;
    let body = "{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}";
    let gz = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let members = [gz(&body[..10]), gz(&body[10..])].concat();
    for (kind, bytes) in [
        ("gz", members),
        ("GZ", gz(body)),
        ("zstd", zstd::stream::encode_all(body.as_bytes(), 1).unwrap()),
        ("", body.as_bytes().to_vec()),
    ] {
        assert_eq!(
            load(&f, "t", &[JSON, ("compress_type", kind)], bytes).await,
            all(2),
            "{kind}"
        );
        assert_eq!(rows(&mut f).await, ["1|a|none|NULL", "2|b|none|NULL"], "{kind}");
    }
    assert_eq!(load(&f, "t", &[JSON, ("compress_type", "gz")], "").await, all(0));
    let broken = stage(&f, "t", &[JSON, ("compress_type", "gz")], b"plain")
        .await
        .unwrap_err();
    assert!(
        broken
            .message
            .starts_with("[INTERNAL_ERROR]the body cannot be read"),
        "{}",
        broken.message
    );
}

#[tokio::test]
async fn old_servers_do_not_know_compression_of_json() {
    let switches = crate::profile::Switches {
        compress_csv_only: true,
        ..crate::profile::Switches::default()
    };
    let mut f = Fixture::with(switches).await;
    f.run("CREATE TABLE t (id INT) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    let refused = stage(&f, "t", &[JSON, ("compress_type", "gz")], b"")
        .await
        .unwrap_err();
    assert_eq!(
        refused.message,
        "[INTERNAL_ERROR]unknown data format, format=json"
    );
    assert_eq!(load(&f, "t", &[("compress_type", "gz")], "").await, all(0));
    assert_eq!(
        load(&f, "t", &[JSON, ("compress_type", "")], "{\"id\":1}").await,
        all(1)
    );
}
