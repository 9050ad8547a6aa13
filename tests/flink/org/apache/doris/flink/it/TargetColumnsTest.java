package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;

/** {@code INSERT INTO t (a, b)}: what becomes of the columns that it does not name. */
@Timeout(120)
class TargetColumnsTest {

    @RegisterExtension static final Standin DORIS = Standin.with();

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private TableEnvironment sql;
    private TargetTable table;

    @BeforeAll
    static void createDatabase() {
        DORIS.run("CREATE DATABASE test");
    }

    @BeforeEach
    void fill() {
        sql = FLINK.batch("restart-strategy.type", "none");
        table = TargetTable.unique(DORIS, "id INT, name STRING, age INT, city STRING");
        DORIS.run("INSERT INTO " + table + " VALUES (1, 'a', 3, 'Ulm')");
    }

    @AfterAll
    static void nothingIsLeft() throws Exception {
        NothingLeft.check(DORIS);
    }

    private DorisTable declared() {
        return table.declared()
                .columns("id INT, name STRING, age INT, PRIMARY KEY (id) NOT ENFORCED");
    }

    @Test
    void theyAreWrittenAsNull() throws Exception {
        declared().create(sql, "t");
        sql.executeSql("INSERT INTO t (age, id) VALUES (4, 1)").await();
        assertThat(table.rows()).containsExactly(Arrays.asList("1", null, "4", null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow"})
    void aPartialUpdateKeepsThem(String format) throws Exception {
        declared()
                .with("sink.properties.format", format)
                .with("sink.properties.partial_columns", "true")
                .with("sink.properties.columns", "id, name, age")
                .create(sql, "t");
        sql.executeSql("INSERT INTO t (age, id) VALUES (4, 1), (5, 2)").await();
        assertThat(table.rows())
                .containsExactly(
                        List.of("1", "a", "4", "Ulm"), Arrays.asList("2", null, "5", null));
        // All columns as before.
        sql.executeSql("INSERT INTO t VALUES (1, 'x', 6)").await();
        assertThat(table.rows().get(0)).containsExactly("1", "x", "6", "Ulm");
    }
}
