//! CSV bodies.

use super::{all, complaints, load, refusal};
use crate::profile::Switches;
use crate::sql::tests::Fixture;

async fn table() -> Fixture {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT, a STRING, b STRING) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2")
        .await;
    f
}

async fn rows(f: &mut Fixture) -> Vec<String> {
    let rows = f.texts("SELECT * FROM t ORDER BY id").await;
    f.run("TRUNCATE TABLE t").await;
    rows
}

#[tokio::test]
async fn csv_1_null_and_the_empty_string_are_told_apart() {
    let mut f = table().await;
    assert_eq!(load(&f, "t", &[], "1\t\\N\t\n2\t\tx\n3\tx\t\\N").await, all(3));
    assert_eq!(rows(&mut f).await, ["1|NULL|", "2||x", "3|x|NULL"]);
    let headers = [("empty_field_as_null", "true")];
    assert_eq!(load(&f, "t", &headers, "1\t\tx\n").await, all(1));
    assert_eq!(rows(&mut f).await, ["1|NULL|x"]);
}

#[tokio::test]
async fn csv_2_separators_may_be_any_bytes() {
    let mut f = table().await;
    for (column, line, body) in [
        ("\\x01", "\\x02", "1\x01a\x01b\x022\x01c\x01d"),
        (", ", "\\n", "1, a, b\n2, c, d\n"),
        ("\\x2c20", "\\x0a", "1, a, b\n2, c, d"),
        ("\\x2c\\x20", "\n", "1, a, b\n2, c, d"),
        ("||", "\\r\\n", "1||a||b\r\n2||c||d\r\n"),
        (",", "@@", "1,a,b@@2,c,d"),
    ] {
        let headers = [("column_separator", column), ("line_delimiter", line)];
        assert_eq!(load(&f, "t", &headers, body).await, all(2), "{column} {line}");
        assert_eq!(rows(&mut f).await, ["1|a|b", "2|c|d"], "{column} {line}");
    }
    // With the default delimiter a carriage return before it belongs to the line break, not to the value.
    assert_eq!(load(&f, "t", &[], "1\ta\tb\r\n2\tc\td\r\n").await, all(2));
    assert_eq!(rows(&mut f).await, ["1|a|b", "2|c|d"]);
    // Separators that overlap are taken from the left.
    assert_eq!(
        load(&f, "t", &[("column_separator", "xx")], "1xxaxxxb\n").await,
        all(1)
    );
    assert_eq!(rows(&mut f).await, ["1|a|xb"]);
}

#[tokio::test]
async fn csv_3_an_empty_line_is_no_row() {
    let mut f = table().await;
    assert_eq!(load(&f, "t", &[], "\n1\ta\tb\n\n2\tc\td\n").await, all(2));
    assert_eq!(rows(&mut f).await, ["1|a|b", "2|c|d"]);
}

#[tokio::test]
async fn csv_4_a_wrong_number_of_fields_filters_the_row() {
    let f = table().await;
    assert_eq!(
        complaints(&f, "t", &[("column_separator", ",")], "1,a,b,c\n2,a\n").await,
        [
            "Reason: actual column number in csv file is  more than  schema column number.actual number: 4, schema \
             column number: 3; line delimiter: [\n], column separator: [,], result values:[1, a, b, c, ]. src line \
             [1,a,b,c]; ",
            "Reason: actual column number in csv file is  less than  schema column number.actual number: 2, schema \
             column number: 3; line delimiter: [\n], column separator: [,], result values:[2, a, ]. src line [2,a]; "
        ]
    );
}

#[tokio::test]
async fn enclosed_fields_hold_separators() {
    let mut f = table().await;
    let headers = [("column_separator", ","), ("enclose", "\""), ("escape", "\\")];
    let body =
        "1,\"a,b\",\"line\nbreak\"\n2,\"say \"\"hi\"\"\",\"a\\\\b\\\"c\"\n3,plain,x\\\\y\n4,\"\",\"\\\\N\"\n";
    assert_eq!(load(&f, "t", &headers, body).await, all(4));
    assert_eq!(
        rows(&mut f).await,
        [
            "1|a,b|line\nbreak",
            "2|say \"hi\"|a\\b\"c",
            "3|plain|x\\y",
            "4||\\N"
        ]
    );
    // Without an escape character Doris leaves doubled quotes as they are, and an enclosed `\N` is NULL.
    let headers = [("column_separator", ","), ("enclose", "'")];
    assert_eq!(
        load(&f, "t", &headers, "1,'it''s',\"x\"\n2,'\\N','a\\b'").await,
        all(2)
    );
    assert_eq!(rows(&mut f).await, ["1|it''s|\"x\"", "2|NULL|a\\b"]);
    // Separators of several characters within and behind enclosed fields.
    let headers = [
        ("column_separator", "||"),
        ("line_delimiter", "##"),
        ("enclose", "\""),
        ("escape", "\\"),
    ];
    assert_eq!(
        load(&f, "t", &headers, "1||\"a||b\"||\"c##d\"##2||x||y##").await,
        all(2)
    );
    assert_eq!(rows(&mut f).await, ["1|a||b|c##d", "2|x|y"]);
}

/// Older servers take enclosing quotes off only where they trim quotes at all.
#[tokio::test]
async fn enclosing_quotes_stay_in_the_value_of_older_servers() {
    let older = Switches::profile("doris-2.1").unwrap();
    let mut f = Fixture::with(older).await;
    f.run("CREATE TABLE t (id INT, a STRING, b DATE) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 2")
        .await;
    let quoted = [("column_separator", ","), ("enclose", "\""), ("escape", "\\")];
    let body = "11,\"abc,def\",\"2023-07-15\"\n12,abc,2023-07-15\n";
    assert_eq!(load(&f, "t", &quoted, body).await, all(2));
    assert_eq!(rows(&mut f).await, ["11|\"abc,def\"|NULL", "12|abc|2023-07-15"]);
    let trimmed = [quoted[0], quoted[1], quoted[2], ("trim_double_quotes", "true")];
    assert_eq!(load(&f, "t", &trimmed, body).await, all(2));
    assert_eq!(rows(&mut f).await, ["11|abc,def|2023-07-15", "12|abc|2023-07-15"]);
    let single = [("column_separator", ","), ("enclose", "'")];
    assert_eq!(load(&f, "t", &single, "11,'a,b',2023-07-15\n").await, all(1));
    assert_eq!(rows(&mut f).await, ["11|a,b|2023-07-15"]);
}

#[tokio::test]
async fn double_quotes_are_trimmed_on_demand() {
    let mut f = table().await;
    let headers = [("column_separator", ","), ("trim_double_quotes", "true")];
    assert_eq!(
        load(&f, "t", &headers, "\"1\",\"a\",\"\\N\"\n2,\\N,b\"\n").await,
        all(2)
    );
    assert_eq!(rows(&mut f).await, ["1|a|\\N", "2|NULL|b\""]);
    assert_eq!(
        load(&f, "t", &[("column_separator", ",")], "1,\"a\",b\n").await,
        all(1)
    );
    assert_eq!(rows(&mut f).await, ["1|\"a\"|b"]);
}

#[tokio::test]
async fn a_byte_order_mark_is_no_text() {
    let mut f = table().await;
    assert_eq!(
        load(&f, "t", &[("format", "CSV")], "\u{feff}1\ta\tb\n").await,
        all(1)
    );
    assert_eq!(rows(&mut f).await, ["1|a|b"]);
}

#[tokio::test]
async fn bytes_that_are_no_utf8_filter_their_row() {
    let mut f = table().await;
    let headers = [("max_filter_ratio", "0.5")];
    let counts = load(&f, "t", &headers, b"1\ta\xff\tb\n2\tc\td\n3\t\xc3\xa4\tx\n").await;
    assert_eq!((counts.loaded, counts.filtered), (2, 1));
    assert_eq!(rows(&mut f).await, ["2|c|d", "3|ä|x"]);
}

#[tokio::test]
async fn many_rows_pass_the_ends_of_blocks() {
    let mut f = table().await;
    for enclose in [false, true] {
        let text = "text ".repeat(20);
        let body: String = (0..60_000)
            .map(|n| match enclose {
                true => format!("{n}\t\"{text}\n{n}\"\tb\n"),
                false => format!("{n}\t{text}\tb\n"),
            })
            .collect();
        let headers = [("enclose", if enclose { "\"" } else { "" })];
        assert_eq!(load(&f, "t", &headers, body).await, all(60_000));
        assert_eq!(
            f.texts("SELECT COUNT(*), SUM(id), COUNT(DISTINCT id) FROM t WHERE b = 'b'")
                .await,
            ["60000|1799970000|60000"]
        );
        f.run("TRUNCATE TABLE t").await;
    }
}

#[tokio::test]
async fn wrong_parameters_are_told() {
    let f = table().await;
    for (headers, message) in [
        (
            ("enclose", "ab"),
            "[INVALID_ARGUMENT]enclose must be single-char, actually is ab",
        ),
        (
            ("escape", "ab"),
            "[INVALID_ARGUMENT]escape must be single-char, actually is ab",
        ),
        (
            ("format", "xml"),
            "[INTERNAL_ERROR]unknown data format, format=xml",
        ),
        (
            ("strict_mode", "maybe"),
            "[INVALID_ARGUMENT]Invalid strict mode format. Must be bool type",
        ),
        (
            ("merge_type", "UPSERT"),
            "[INVALID_ARGUMENT]Invalid merge type UPSERT",
        ),
        (
            ("merge_type", "MERGE"),
            "[INVALID_ARGUMENT]Excepted DELETE ON clause when merge type is MERGE.",
        ),
        (
            ("delete", "id=1"),
            "[INVALID_ARGUMENT]Not support DELETE ON clause when merge type is not MERGE.",
        ),
        (
            ("column_separator", "\\x1"),
            "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = Hex str length error: 1",
        ),
        (
            ("max_filter_ratio", "2"),
            "[INVALID_ARGUMENT]Invalid max_filter_ratio: 2",
        ),
        (
            ("timezone", "Nowhere"),
            "[ANALYSIS_ERROR]TStatus: errCode = 2, detailMessage = Unknown or incorrect time zone: 'Nowhere'",
        ),
        (
            ("compress_type", "bz2"),
            "[INTERNAL_ERROR]compress_type=bz2 is not served here: gz, lz4 and zstd are",
        ),
        (
            ("compress_type", "rar"),
            "[INTERNAL_ERROR]unknown data format, format=csv",
        ),
    ] {
        assert_eq!(refusal(&f, "t", &[headers]).await, message);
    }
    assert!(
        refusal(&f, "nowhere", &[])
            .await
            .contains("[nowhere] does not exist")
    );
}
