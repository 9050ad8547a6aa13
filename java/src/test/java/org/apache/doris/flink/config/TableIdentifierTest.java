package org.apache.doris.flink.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of tables. */
class TableIdentifierTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "test.student | | test | student",
                "`test`.`student` | | test | student",
                "hive.db.t | hive | db | t",
                "`a.b`.`c``d` | | a.b | c`d",
                "测试.表 | | 测试 | 表",
                "test-db.order | | test-db | order"
            })
    void isRead(String text, String catalog, String database, String table) {
        TableIdentifier id = TableIdentifier.parse(text).orElseThrow();
        assertThat(id)
                .isEqualTo(new TableIdentifier(catalog == null ? "" : catalog, database, table));
        assertThat(TableIdentifier.parse(id.toString())).contains(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ".", "student", "a.", ".b", "a..b", "a.b.c.d", "`a.b", "a`b.c", "``.a", "a b.c",
                "`a`b.c", "a.b."
            })
    void isRefused(String text) {
        assertThat(TableIdentifier.parse(text)).isEmpty();
    }
}
