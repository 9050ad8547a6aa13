package org.apache.doris.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.source.PlannedScans;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the planner's predicates become in Doris' dialect, through the real planner. */
class FilterTranslatorTest {

    private static PlannedScans planner;

    @BeforeAll
    static void declare() {
        planner =
                new PlannedScans()
                        .declare(
                                "t",
                                "id INT, b BOOLEAN, ti TINYINT, big BIGINT, f FLOAT, d DOUBLE,"
                                        + " de DECIMAL(10, 2), wide DECIMAL(38, 0), c CHAR(5),"
                                        + " v VARCHAR(10), s STRING, da DATE, tm TIME,"
                                        + " ts TIMESTAMP(3), ts6 TIMESTAMP(6), ts9 TIMESTAMP(9),"
                                        + " ltz TIMESTAMP_LTZ(3), bin BYTES, r ROW<a INT>,"
                                        + " arr ARRAY<INT>, `od``d` INT, nn INT NOT NULL");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "id = 1 | `id` = 1",
                "id <> 1 | `id` <> 1",
                "1 < id | `id` > 1",
                "1 >= id | `id` <= 1",
                "id > 1.5 | `id` > 1.5",
                "id > 99999999999 | `id` > 99999999999",
                "big = -9223372036854775807 | `big` = -9223372036854775807",
                "big = id | `big` = `id`",
                "id = nn | `id` = `nn`",
                "ti > 300 | `ti` > 300",
                "de = 1.25 | `de` = 1.25",
                "de > 1.234 | `de` > 1.234",
                "de < 30 | `de` < 30",
                "wide = 5 | `wide` = 5",
                "`od``d` = 1 | `od``d` = 1",
                "f = 1.5 | `f` = 1.5",
                "d = 0 | `d` = 0",
                "d IN (1, 2) | `d` IN (1, 2)",
                "d IN (0) | `d` = 0",
                "d < 1.5 | `d` < 1.5",
                "d <= 10 | `d` <= 10",
                "v = 'a' | CAST(`v` AS STRING) = 'a'",
                "s = '' | CAST(`s` AS STRING) = ''",
                "s = 'a ' | CAST(`s` AS STRING) = 'a '",
                "s = 'it''s' | CAST(`s` AS STRING) = 'it''s'",
                "s = 'a\\b' | CAST(`s` AS STRING) = 'a\\\\b'",
                "s = '\\' OR id = 1 | (CAST(`s` AS STRING) = '\\\\') OR (`id` = 1)",
                "s = 'ä😀' | CAST(`s` AS STRING) = 'ä😀'",
                "s > 'a' | CAST(`s` AS STRING) > 'a'",
                "s = v | CAST(`s` AS STRING) = CAST(`v` AS STRING)",
                "s LIKE 'a%' | CAST(`s` AS STRING) LIKE 'a%'",
                "s LIKE '%a%b' | CAST(`s` AS STRING) LIKE '%a%b'",
                "s NOT LIKE 'a%' | NOT (CAST(`s` AS STRING) LIKE 'a%')",
                "da = DATE '2024-02-29' | `da` = '2024-02-29'",
                "da < DATE '0999-01-01' | `da` < '0999-01-01'",
                "ts = TIMESTAMP '2024-12-01 10:00:00.123' | `ts` = '2024-12-01 10:00:00.123000'",
                "ts >= TIMESTAMP '2024-12-01 00:00:00' | `ts` >= '2024-12-01 00:00:00'",
                "ts6 < TIMESTAMP '2024-12-01 00:00:00.000001'"
                        + " | `ts6` < '2024-12-01 00:00:00.000001'",
                "ts9 = TIMESTAMP '2024-12-01 10:00:00.000001000'"
                        + " | `ts9` = '2024-12-01 10:00:00.000001'",
                "ts = ts6 | `ts` = `ts6`",
                "b | `b`",
                "NOT b | NOT (`b`)",
                "b IS NOT TRUE | NOT (COALESCE(`b`, FALSE))",
                "b IS NOT FALSE | COALESCE(`b`, TRUE)",
                "(id > 1) IS NOT TRUE | NOT (COALESCE(`id` > 1, FALSE))",
                "id IS NULL | `id` IS NULL",
                "c IS NOT NULL | `c` IS NOT NULL",
                "arr IS NULL | `arr` IS NULL",
                "ltz IS NULL | `ltz` IS NULL",
                "id IN (1, 2, 3) | `id` IN (1, 2, 3)",
                "id NOT IN (1, 2) | `id` NOT IN (1, 2)",
                "s IN ('a', 'b') | CAST(`s` AS STRING) IN ('a', 'b')",
                "id BETWEEN 1 AND 5 | (`id` >= 1) AND (`id` <= 5)",
                "id NOT BETWEEN 1 AND 5 | (`id` < 1) OR (`id` > 5)",
                "id = 1 OR s = 'a' | (`id` = 1) OR (CAST(`s` AS STRING) = 'a')",
                "id = 1 AND (s = 'x' OR b)"
                        + " | (`id` = 1) AND ((CAST(`s` AS STRING) = 'x') OR (`b`))",
                "CAST(id AS BIGINT) = 1 | `id` = 1",
                "CAST(v AS STRING) = 'a' | CAST(`v` AS STRING) = 'a'",
                "CAST(ts AS TIMESTAMP(6)) = ts6 | `ts` = `ts6`",
            })
    void isPushedAsAWhole(String condition, String expected) {
        ScanConfig scan = scan(condition);
        assertThat(scan.filter()).isEqualTo(expected);
        assertThat(planner.explain(query(condition))).doesNotContain("where=[");
    }

    /** A hint lets Doris drop rows early; Flink looks at what is left once more. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "f > 1.5 | `f` > 1.5",
                "f <> 1.5 | `f` <> 1.5",
                "d NOT IN (1, 2) | `d` NOT IN (1, 2)",
                "d IN (0, 1) | `d` IN (0, 1)",
                "d = 0 OR f = 1.5 OR d = 1 | (`d` IN (0, 1)) OR (`f` = 1.5)",
                "d BETWEEN 0 AND 5 | (`d` >= 0) AND (`d` <= 5)",
                "d IS NULL OR d = 0 | (`d` IS NULL) OR (`d` = 0)",
                "d <> 0 AND d <> 1 | `d` <> 1",
                "d >= 1.5 | `d` >= 1.5",
                "NOT (d < 1.5) | `d` >= 1.5",
                "d NOT BETWEEN 1 AND 5 | (`d` < 1) OR (`d` > 5)",
                "s LIKE 'ab_c%' | CAST(`s` AS STRING) LIKE 'ab%'",
                "s LIKE 'ab!_c%' ESCAPE '!' | CAST(`s` AS STRING) LIKE 'ab%'",
                "s LIKE 'a\\%' | CAST(`s` AS STRING) LIKE 'a%'",
                "id = 1 AND UPPER(s) = 'A' | `id` = 1",
            })
    void isPushedAsAHint(String condition, String expected) {
        assertThat(scan(condition).filter()).isEqualTo(expected);
        assertThat(planner.explain(query(condition))).contains("where=[");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c = 'a'",
                "c LIKE 'a%'",
                "f = 0.1",
                "f <> 0",
                "d <> 0 OR id = 1",
                "(d IN (0, 1)) IS NOT TRUE",
                "f = 16777217",
                "d = 1e300",
                "f = d",
                "wide > 1.5",
                "s LIKE '_a'",
                "s LIKE '\\%a'",
                "ts9 = TIMESTAMP '2024-12-01 10:00:00.1234567'",
                "ltz > TO_TIMESTAMP_LTZ(0, 3)",
                "ltz = TIMESTAMP '2024-12-01 00:00:00'",
                "tm = TIME '10:00:00'",
                "bin = x'00'",
                "r.a = 1",
                "arr[1] = 1",
                "CAST(d AS INT) = 1",
                "CAST(id AS STRING) = '1'",
                "CAST(s AS INT) = 1",
                "CAST(s AS VARCHAR(3)) = 'abc'",
                "CAST(da AS TIMESTAMP) > TIMESTAMP '2024-01-01 00:00:00'",
                "CHAR_LENGTH(s) = 4",
                "UPPER(s) = 'A'",
                "id + 1 = 2",
                "id = 1 OR UPPER(s) = 'A'",
                "s SIMILAR TO 'a.*'",
                "NOT (s LIKE 'a_')",
            })
    void staysInFlink(String condition) {
        assertThat(scan(condition).filter()).isEmpty();
        assertThat(planner.explain(query(condition))).contains("where=[");
    }

    @Test
    void longListsStayFlat() {
        String values =
                IntStream.range(0, 200).mapToObj(String::valueOf).collect(Collectors.joining(", "));
        assertThat(scan("id IN (" + values + ")").filter()).isEqualTo("`id` IN (" + values + ")");
        assertThat(scan("id NOT IN (" + values + ")").filter())
                .isEqualTo("`id` NOT IN (" + values + ")");
    }

    @Test
    void theZeroCharacterAndBrokenTextStayInFlink() {
        assertThat(SqlLiterals.text("a\0b")).isEmpty();
        assertThat(SqlLiterals.text("a\uD83Db")).isEmpty();
    }

    private static ScanConfig scan(String condition) {
        List<ScanConfig> scans = planner.of(query(condition));
        assertThat(scans).hasSize(1);
        return scans.get(0);
    }

    private static String query(String condition) {
        return "SELECT * FROM t WHERE " + condition;
    }
}
