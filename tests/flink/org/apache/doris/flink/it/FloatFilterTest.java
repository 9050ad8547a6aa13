package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Filters on FLOAT and DOUBLE keep the rows of a Doris table that they keep of any source in Flink:
 * both zeros, NaN, infinities and NULL.
 */
@Timeout(180)
class FloatFilterTest {

    @RegisterExtension static final Standin DORIS = Standin.with();

    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    /** What a value is in Doris' SQL, by the value. */
    private static final Map<Double, String> VALUES = new LinkedHashMap<>();

    static {
        VALUES.put(-0.0, "CAST('-0.0' AS DOUBLE)");
        VALUES.put(0.0, "0");
        VALUES.put(1.0, "1");
        VALUES.put(-1.0, "-1");
        VALUES.put(5.0, "5");
        VALUES.put(7.5, "7.5");
        VALUES.put(Double.NaN, "CAST('NaN' AS DOUBLE)");
        VALUES.put(Double.POSITIVE_INFINITY, "CAST('Infinity' AS DOUBLE)");
        VALUES.put(Double.NEGATIVE_INFINITY, "CAST('-Infinity' AS DOUBLE)");
        VALUES.put(null, "NULL");
    }

    private static final String[] CONDITIONS = {
        "%s = 0",
        "%s <> 0",
        "%s IN (0, 1)",
        "%s IN (1, 5)",
        "%s IN (0)",
        "%s NOT IN (0, 1)",
        "%s NOT IN (1, 5)",
        "%s <> 0 AND %s <> 1",
        "%s <> 1 AND %s <> 5",
        "%s <> 1",
        "NOT (%s = 0 OR %s = 1)",
        "%s = 0 OR %s = 1",
        "%s = 0 OR %s > 5",
        "%s = 0 OR %s = 1 OR id = 7",
        "%s IN (0, 1) AND id < 100",
        "(%s IN (0, 1)) IS NOT TRUE",
        "(%s = 0) IS NOT TRUE",
        "(%s <> 0) IS TRUE",
        "%s <> 0 OR id = 1",
        "%s <> 0 AND %s < 5",
        "%s < 0",
        "%s <= 0",
        "%s > 0",
        "%s >= 0",
        "NOT (%s < 5)",
        "NOT (%s > 5)",
        "(%s > 5) IS NOT TRUE",
        "(%s < 5) IS NOT TRUE",
        "%s BETWEEN 0 AND 5",
        "%s BETWEEN -1 AND 0",
        "%s BETWEEN 0 AND 0",
        "%s NOT BETWEEN 0 AND 5",
        "%s NOT BETWEEN -1 AND 0",
        "%s > 0 OR %s < 0",
        "%s IS NULL OR %s = 0",
        "%s IS NULL OR %s = 1",
        "%s IS NULL OR %s <> 0",
        "%s IS NULL OR %s <> 1",
        "%s IS NOT NULL AND %s <> 0",
        "%s IS NOT NULL AND %s = 0",
        "%s IS NULL OR %s > 0",
        "%s IN (0, 1) OR %s IS NULL",
    };

    private static final String COLUMNS = "id, d, f";

    @BeforeAll
    static void fill() {
        List<String> rows = new ArrayList<>();
        for (String value : VALUES.values()) {
            rows.add(String.format("(%d, %s, %s)", rows.size() + 1, value, value));
        }
        DORIS.run(
                "CREATE DATABASE test",
                "CREATE TABLE test.floats (id INT, d DOUBLE, f FLOAT) DUPLICATE KEY(id) DISTRIBUTED"
                        + " BY HASH(id) BUCKETS 1 PROPERTIES (\"replication_num\" = \"1\")",
                "INSERT INTO test.floats VALUES " + String.join(", ", rows));
    }

    @Test
    void zerosAndNanAreKeptAsFlinkKeepsThem() throws Exception {
        StreamExecutionEnvironment environment = FLINK.environment();
        environment.setParallelism(1);
        StreamTableEnvironment sql = StreamTableEnvironment.create(environment);
        DorisTable.of(DORIS, "test.floats")
                .columns("id INT, d DOUBLE, f FLOAT")
                .create(sql, "pushed");
        List<Row> rows = new ArrayList<>();
        for (Double value : VALUES.keySet()) {
            rows.add(Row.of(rows.size() + 1, value, value == null ? null : value.floatValue()));
        }
        TypeInformation<Row> type =
                Types.ROW_NAMED(COLUMNS.split(", "), Types.INT, Types.DOUBLE, Types.FLOAT);
        sql.createTemporaryView("unpushed", environment.fromData(rows, type));
        assertThat(FlinkCluster.texts(sql, "SELECT id, d, f FROM pushed"))
                .isEqualTo(FlinkCluster.texts(sql, "SELECT id, d, f FROM unpushed"))
                .hasSize(VALUES.size());

        assertThat(kept(sql, "pushed")).isEqualTo(kept(sql, "unpushed"));
    }

    /** Condition → ids of the rows that it keeps; one query for all of them. */
    private static Map<String, List<Integer>> kept(StreamTableEnvironment sql, String table)
            throws Exception {
        Map<String, List<Integer>> kept = new TreeMap<>();
        List<String> queries = new ArrayList<>();
        for (String column : List.of("d", "f")) {
            for (String condition : CONDITIONS) {
                String of = condition.replace("%s", column);
                kept.put(of, new ArrayList<>());
                queries.add(
                        String.format(
                                "SELECT '%s' AS `of`, id FROM %s WHERE %s",
                                of.replace("'", "''"), table, of));
            }
        }
        for (Row row : FlinkCluster.rows(sql, String.join(" UNION ALL ", queries))) {
            kept.get(row.<String>getFieldAs(0)).add(row.getFieldAs(1));
        }
        kept.values().forEach(ids -> ids.sort(null));
        return kept;
    }
}
