//! Functions that a client splits keys by: every server and every reader must get the same numbers.

use super::Fixture;

/// MurmurHash3 of one text with the seed of Doris, written down apart from the engine.
fn murmur(text: &[u8], seed: u32) -> u32 {
    let mix = |k: u32| {
        k.wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593)
    };
    let mut hash = seed;
    let (whole, rest) = text.split_at(text.len() / 4 * 4);
    for four in whole.chunks(4) {
        let word = u32::from_le_bytes(four.try_into().unwrap());
        hash = (hash ^ mix(word))
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    let mut tail = [0; 4];
    tail[..rest.len()].copy_from_slice(rest);
    hash ^= mix(u32::from_le_bytes(tail));
    hash ^= text.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[tokio::test]
async fn murmur_hash3_32_gives_the_numbers_of_the_manual() {
    let mut f = Fixture::new().await;
    // Doris manual, murmur_hash3_32.
    assert_eq!(
        f.texts("SELECT murmur_hash3_32(NULL), murmur_hash3_32('hello'), murmur_hash3_32('hello', 'world')")
            .await,
        ["NULL|1321743225|984713481"]
    );
}

#[tokio::test]
async fn each_further_argument_is_hashed_with_the_hash_before_as_its_seed() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id INT, a VARCHAR(20), b STRING) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    f.run("INSERT INTO t VALUES (1, 'a', 'b'), (2, '', 'größer 😀'), (3, 'abcde', ''), (4, NULL, 'x'), (5, 'x', NULL)")
        .await;
    let chain = |a: &str, b: &str| {
        let first = murmur(a.as_bytes(), 104_729);
        (first as i32, murmur(b.as_bytes(), first) as i32)
    };
    let mut expected: Vec<String> = [("a", "b"), ("", "größer 😀"), ("abcde", "")]
        .iter()
        .map(|(a, b)| {
            let (one, two) = chain(a, b);
            format!("{one}|{two}")
        })
        .collect();
    // A NULL among the arguments is a NULL.
    expected.extend(["NULL|NULL".to_owned(), format!("{}|NULL", chain("x", "").0)]);
    let sql = "SELECT murmur_hash3_32(a), murmur_hash3_32(a, b) FROM t ORDER BY id";
    assert_eq!(f.texts(sql).await, expected);
    assert!(
        expected
            .iter()
            .any(|line| line.starts_with('-') || line.contains("|-"))
    );
}

#[tokio::test]
async fn slices_of_a_key_take_every_row_once_whatever_the_sign_of_its_hash() {
    let mut f = Fixture::new().await;
    f.run("CREATE TABLE t (id BIGINT NOT NULL, name VARCHAR(20), day DATE) UNIQUE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1")
        .await;
    f.run("INSERT INTO t SELECT number, if(number % 7 = 0, NULL, concat('n', number)), '2026-10-09' FROM numbers('number' = '1000')")
        .await;
    let hash = "murmur_hash3_32(concat_ws(',', CAST(id AS STRING), ifnull(name, ''), CAST(day AS STRING)))";
    let signs = f
        .texts(&format!(
            "SELECT sum(if({hash} < 0, 1, 0)) > 100, count({hash}) FROM t"
        ))
        .await;
    assert_eq!(signs, ["1|1000"]);
    let mut rows = 0;
    for slice in 0..4 {
        let counted = f
            .texts(&format!("SELECT count(*) FROM t WHERE pmod({hash}, 4) = {slice}"))
            .await;
        let count: usize = counted[0].parse().unwrap();
        assert!((150..350).contains(&count), "slice {slice} has {count} rows");
        rows += count;
    }
    assert_eq!(rows, 1000);
}

#[tokio::test]
async fn pmod_ifnull_concat_ws_and_md5_treat_null_and_signs_as_doris() {
    let mut f = Fixture::new().await;
    for (expression, result) in [
        ("pmod(-7, 3)", "2"),
        ("pmod(7, -3)", "-2"),
        ("pmod(-2147483648, 8)", "0"),
        ("pmod(NULL, 3)", "NULL"),
        ("pmod(3, NULL)", "NULL"),
        ("pmod(3, 0)", "NULL"),
        ("pmod(murmur_hash3_32('hello', 'world'), 4)", "1"),
        ("ifnull(NULL, 'x')", "x"),
        ("ifnull('', 'x')", ""),
        ("ifnull(CAST(NULL AS STRING), NULL)", "NULL"),
        ("concat_ws(',', NULL, 'a', NULL)", "a"),
        ("concat_ws(',', NULL, NULL)", ""),
        ("concat_ws(NULL, 'a', 'b')", "NULL"),
        (
            "concat_ws(',', 1, CAST('2026-10-09' AS DATE), 2.50)",
            "1,2026-10-09,2.50",
        ),
        ("md5('abc')", "900150983cd24fb0d6963f7d28e17f72"),
        ("md5('')", "d41d8cd98f00b204e9800998ecf8427e"),
        ("md5(123)", "202cb962ac59075b964b07152d234b70"),
        ("md5(NULL)", "NULL"),
    ] {
        let sql = format!("SELECT {expression}");
        assert_eq!(f.texts(&sql).await, [result], "{sql}");
    }
}
