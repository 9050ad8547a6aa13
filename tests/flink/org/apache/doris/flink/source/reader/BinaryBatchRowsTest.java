package org.apache.doris.flink.source.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.doris.flink.arrow.IpcBatch;
import org.apache.doris.flink.arrow.vector.VectorFactory;
import org.apache.doris.flink.config.ConfigCodec;
import org.apache.doris.flink.config.ConnectionConfig;
import org.apache.doris.flink.config.ReadConfig;
import org.apache.doris.flink.config.ScanColumn;
import org.apache.doris.flink.config.ScanConfig;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.it.TypeTables;
import org.apache.doris.flink.jni.NativeScan;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rows that the native core writes in Flink's binary format: those that Flink writes, bit by bit.
 */
@Timeout(60)
class BinaryBatchRowsTest {

    /** More than a block, in one batch. */
    private static final int MANY = 3000;

    @RegisterExtension static final Standin DORIS = Standin.with("--time-zone", "+08:00");

    @BeforeAll
    static void fill() {
        DORIS.run("CREATE DATABASE test");
        TypeTables.fill(DORIS);
        DORIS.run(
                "CREATE TABLE test.many (id INT, a STRING, x DECIMAL(38, 4), at DATETIME(6), b"
                        + " STRING) DUPLICATE KEY(id) DISTRIBUTED BY HASH(id) BUCKETS 1 PROPERTIES"
                        + " (\"replication_num\" = \"1\")");
        DORIS.run(
                IntStream.range(0, MANY)
                        .mapToObj(BinaryBatchRowsTest::row)
                        .collect(Collectors.joining(", ", "INSERT INTO test.many VALUES ", "")));
    }

    /** Texts of 0 to 40 bytes, each NULL in another place. */
    private static String row(int id) {
        return String.format(
                "(%d, %s, %s, %s, %s)",
                id,
                id % 7 == 1 ? "NULL" : "'" + "x".repeat(id % 41) + "'",
                id % 5 == 2 ? "NULL" : "-" + "9".repeat(1 + id % 34) + ".5",
                id % 3 == 1 ? "NULL" : "'1969-12-31 23:59:59." + (100_000 + id) + "'",
                id % 11 == 3 ? "NULL" : "'" + "ü".repeat(id % 9) + "'");
    }

    private static ScanConfig scan(String table, RowType declared) {
        OptionValues values =
                OptionValues.of(
                        Map.of(
                                "fenodes",
                                DORIS.fenodes(),
                                "table.identifier",
                                "test." + table,
                                "username",
                                "root",
                                "password",
                                ""));
        return new ScanConfig(
                ConnectionConfig.from(values),
                ReadConfig.from(values),
                declared,
                ScanColumn.allOf(declared),
                "",
                ScanConfig.NO_LIMIT,
                "America/New_York");
    }

    private static RowType type(String columns) {
        return (RowType)
                LogicalTypeParser.parse(
                        "ROW<" + columns + ">", BinaryBatchRowsTest.class.getClassLoader());
    }

    /** Reads a table; gives the number of its rows. */
    private static int assertSame(String table, String columns) throws Exception {
        RowType type = type(columns);
        ScanConfig config = scan(table, type);
        assertThat(BinaryBatchRows.canHold(type)).as(columns).isTrue();
        RowDataSerializer serializer = new RowDataSerializer(type);
        int rows = 0;
        try (NativeScan scan = NativeScan.open(ConfigCodec.encode(config))) {
            scan.start(new long[0]);
            while (next(scan)) {
                IpcBatch batch = scan.take();
                BatchRows views =
                        BatchRows.views(VectorFactory.create(config.producedType(), batch));
                BatchRows binary = new BinaryBatchRows(batch, type.getFieldCount());
                for (int i = 0; i < batch.rows(); i++) {
                    RowData row = binary.at(i);
                    assertThat(row)
                            .as("%s (%s), row %d", table, columns, i)
                            .isInstanceOf(BinaryRowData.class)
                            .isEqualTo(serializer.toBinaryRow(views.at(i)));
                    row.setRowKind(RowKind.DELETE);
                    assertThat(serializer.copy(row).getRowKind()).isEqualTo(RowKind.DELETE);
                    row.setRowKind(RowKind.INSERT);
                }
                // Blocks are found again, in whatever order.
                for (int i = batch.rows() - 1; i >= 0; i -= 97) {
                    assertThat(binary.at(i)).isEqualTo(serializer.toBinaryRow(views.at(i)));
                }
                rows += batch.rows();
                batch.release();
            }
        }
        return rows;
    }

    private static boolean next(NativeScan scan) throws Exception {
        while (true) {
            switch (scan.poll(1000)) {
                case READY:
                    return true;
                case END:
                    return false;
                default:
            }
        }
    }

    @Test
    void everyFlatTypeIsAsFlinkWritesIt() throws Exception {
        List<TypeTables.Declared> flat = new ArrayList<>(TypeTables.ALL);
        flat.removeIf(declared -> declared.columns.contains("<"));
        assertThat(flat).hasSizeGreaterThan(4);
        for (TypeTables.Declared declared : flat) {
            assertThat(assertSame(declared.table, declared.columns)).isGreaterThan(2);
        }
    }

    @Test
    void manyRowsAreAsFlinkWritesThem() throws Exception {
        String columns = "id INT, a STRING, x DECIMAL(38, 4), `at` TIMESTAMP(6), b STRING";
        assertThat(assertSame("many", columns)).isEqualTo(MANY);
    }

    @Test
    void columnsThatConsistOfOthersAreNotHeld() {
        for (String columns :
                List.of(
                        "a INT, b ARRAY<INT>",
                        "a MAP<INT, INT>",
                        "a ROW<b INT>",
                        "a MULTISET<INT>")) {
            assertThat(BinaryBatchRows.canHold(type(columns))).as(columns).isFalse();
        }
        assertThat(BinaryBatchRows.canHold(RowType.of())).isFalse();
    }

    @Test
    void aReleasedBatchIsAnError() throws Exception {
        RowType type = type("id INT, a STRING");
        try (NativeScan scan = NativeScan.open(ConfigCodec.encode(scan("many", type)))) {
            scan.start(new long[0]);
            assertThat(next(scan)).isTrue();
            IpcBatch batch = scan.take();
            BatchRows rows = new BinaryBatchRows(batch, 2);
            RowData first = rows.at(0);
            int last = batch.rows() - 1;
            batch.release();
            assertThat(first.getInt(0)).as("what was written stays").isNotNegative();
            assertThatThrownBy(() -> rows.at(last)).hasMessageContaining("batch");
        }
    }
}
