package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.cfg.DorisExecutionOptions;
import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.sink.DorisSink;
import org.apache.doris.flink.sink.writer.serializer.SimpleStringSerializer;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.testframe.external.ExternalSystemDataReader;
import org.apache.flink.connector.testframe.external.sink.DataStreamSinkV2ExternalContext;
import org.apache.flink.connector.testframe.external.sink.TestingSinkSettings;

import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A Duplicate table, which keeps a row that is written twice twice, as Flink's suite for sinks asks
 * for it. Records are lines of CSV.
 */
final class SuiteSinkTable implements DataStreamSinkV2ExternalContext<String> {

    private static final int RECORDS = 60;

    private final Standin standin;
    private final TargetTable table;
    private final Way way;
    private final List<String> generated = new ArrayList<>();

    /** A way to write it. */
    enum Way {
        TWO_PHASE,
        ONE_PHASE,
        BATCH
    }

    /** A new table, and how the sink writes it. */
    SuiteSinkTable(Standin standin, Way way) {
        this.standin = standin;
        this.way = way;
        standin.run("CREATE DATABASE IF NOT EXISTS test");
        table = TargetTable.duplicate(standin, "id INT, name VARCHAR(50)");
    }

    @Override
    public Sink<String> createSink(TestingSinkSettings settings) {
        Properties properties = new Properties();
        properties.setProperty("format", "csv");
        DorisExecutionOptions.Builder execution =
                DorisExecutionOptions.builder()
                        .setLabelPrefix("suite_" + table.name())
                        .setStreamLoadProp(properties)
                        .setDeletable(false);
        if (way == Way.ONE_PHASE) {
            execution.disable2PC();
        }
        if (way == Way.BATCH) {
            execution.setBatchMode(true);
        }
        return DorisSink.<String>builder()
                .setDorisOptions(
                        DorisOptions.builder()
                                .setFenodes(standin.fenodes())
                                .setTableIdentifier(table.identifier())
                                .setUsername("root")
                                .setPassword("")
                                .build())
                .setDorisReadOptions(DorisReadOptions.defaults())
                .setDorisExecutionOptions(execution.build())
                .setSerializer(new SimpleStringSerializer())
                .build();
    }

    @Override
    public ExternalSystemDataReader<String> createSinkDataReader(TestingSinkSettings settings) {
        return new Reader();
    }

    @Override
    public List<String> generateTestData(TestingSinkSettings settings, long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < RECORDS; i++) {
            generated.add(i + "\t" + Long.toHexString(random.nextLong()) + " ö");
        }
        return List.copyOf(generated);
    }

    @Override
    public TypeInformation<String> getProducedType() {
        return Types.STRING;
    }

    /** None: the tests run with the connector's jar on their class path. */
    @Override
    public List<URL> getConnectorJarPaths() {
        return List.of();
    }

    /** No job runs any more. The suite stops to look when it has seen each row; this goes on. */
    @Override
    public void close() {
        List<String> rows = rows();
        assertThat(rows).isNotEmpty().isSubsetOf(generated);
        if (way == Way.TWO_PHASE) {
            assertThat(rows).doesNotHaveDuplicates();
        }
        standin.run("DROP TABLE " + table.identifier());
    }

    private List<String> rows() {
        return table.rows().stream()
                .map(values -> String.join("\t", values))
                .collect(Collectors.toList());
    }

    @Override
    public String toString() {
        return way.toString();
    }

    /** Gives each row of the table once, when it is seen for the first time. */
    private final class Reader implements ExternalSystemDataReader<String> {

        private final List<String> given = new ArrayList<>();

        @Override
        public List<String> poll(Duration timeout) {
            long end = System.nanoTime() + timeout.toNanos();
            List<String> fresh = fresh();
            while (fresh.isEmpty() && System.nanoTime() < end) {
                try {
                    Thread.sleep(2);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError("interrupted while rows were awaited", e);
                }
                fresh = fresh();
            }
            given.addAll(fresh);
            return fresh;
        }

        private List<String> fresh() {
            List<String> rows = rows();
            given.forEach(rows::remove);
            return rows;
        }

        @Override
        public void close() {}
    }
}
