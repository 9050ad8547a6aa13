//! BITMAP, HLL and QUANTILE_STATE: what can be done with them, and what Doris refuses.

use super::Fixture;

#[tokio::test]
async fn opaque_values_become_text_by_their_own_functions_alone() {
    let mut f = Fixture::new().await;
    f.run(
        "CREATE TABLE o (k INT, b BITMAP, h HLL, q QUANTILE_STATE) DUPLICATE KEY(k) DISTRIBUTED BY HASH(k) BUCKETS 1; \
         INSERT INTO o VALUES (1, to_bitmap(7), hll_hash('x'), to_quantile_state('1', 2048)), \
         (2, to_bitmap(8), hll_hash('y'), to_quantile_state('2', 2048))",
    )
    .await;
    for (column, name) in [("b", "BITMAP"), ("h", "HLL"), ("q", "QUANTILE_STATE")] {
        for cast in [
            format!("SELECT CAST({column} AS STRING) FROM o"),
            format!("SELECT k FROM o ORDER BY md5(cast({column} as string))"),
        ] {
            let error = f.error(&cast).await;
            assert!(error.contains(&format!("cannot cast {name} to TEXT")), "{error}");
        }
        let function = format!("{}_to_base64", name.to_lowercase());
        let distinct = f
            .texts(&format!("SELECT COUNT(DISTINCT {function}({column})) FROM o"))
            .await;
        assert_eq!(distinct, ["2"], "{function}");
        let ordered = f
            .texts(&format!("SELECT k FROM o ORDER BY md5({function}({column})), k"))
            .await;
        assert_eq!(ordered.len(), 2);
    }
    let error = f.error("SELECT hll_to_base64(b) FROM o").await;
    assert!(error.contains("HLL") || error.contains("hll"), "{error}");
}
