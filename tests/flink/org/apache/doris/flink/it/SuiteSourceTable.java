package org.apache.doris.flink.it;

import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.deserialization.DorisDeserializationSchema;
import org.apache.doris.flink.source.DorisSource;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.testframe.external.ExternalSystemSplitDataWriter;
import org.apache.flink.connector.testframe.external.source.DataStreamSourceExternalContext;
import org.apache.flink.connector.testframe.external.source.TestingSourceSettings;
import org.apache.flink.util.Collector;

import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A table with a changelog, as Flink's suite for sources asks for it. What the suite calls a split
 * is a value of the table's first column, and each record is a transaction of its own. A bounded
 * source reads the content, an unbounded one follows the changes.
 */
final class SuiteSourceTable implements DataStreamSourceExternalContext<String> {

    /** Of one split, each time that the suite writes. */
    private static final int RECORDS = 20;

    private static final String COLUMNS = "part INT, number INT, name VARCHAR(50)";

    private final Standin standin;
    private final ChangelogTable table;
    private final DorisSourceScanMode unbounded;
    private final long begin;
    private int written;

    private SuiteSourceTable(Standin standin, ChangelogTable table, DorisSourceScanMode unbounded) {
        this.standin = standin;
        this.table = table;
        this.unbounded = unbounded;
        this.begin = standin.mark();
    }

    /** A Duplicate table in which a split is a key; an unbounded source reads changes alone. */
    static SuiteSourceTable duplicate(Standin standin) {
        standin.run("CREATE DATABASE IF NOT EXISTS test");
        return new SuiteSourceTable(
                standin,
                ChangelogTable.of(
                        standin,
                        COLUMNS,
                        "DUPLICATE KEY(part) DISTRIBUTED BY HASH(part) BUCKETS 4",
                        "changelog.enable",
                        "true"),
                DorisSourceScanMode.FROM_TIMESTAMP);
    }

    /** A Unique table; an unbounded source reads the content first, then the changes. */
    static SuiteSourceTable unique(Standin standin) {
        standin.run("CREATE DATABASE IF NOT EXISTS test");
        return new SuiteSourceTable(
                standin,
                ChangelogTable.of(
                        standin,
                        COLUMNS,
                        "UNIQUE KEY(part, number) DISTRIBUTED BY HASH(part, number) BUCKETS 4",
                        "changelog.enable",
                        "true",
                        "changelog.need_historical_value",
                        "true"),
                DorisSourceScanMode.INITIAL);
    }

    /** Waits until a source has asked for changes. */
    void awaitWindow() {
        try {
            Until.holds("changes are followed", () -> !table.windows(begin).isEmpty());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public Source<String, ?, ?> createSource(TestingSourceSettings settings) {
        return DorisSource.<String>builder()
                .setDorisOptions(
                        DorisOptions.builder()
                                .setFenodes(standin.fenodes())
                                .setTableIdentifier(table.identifier())
                                .setUsername("root")
                                .setPassword("")
                                .build())
                .setDorisReadOptions(
                        settings.getBoundedness() == Boundedness.BOUNDED
                                ? DorisReadOptions.defaults()
                                : changes())
                .setDeserializer(new Texts())
                .build();
    }

    private DorisReadOptions changes() {
        DorisReadOptions.Builder options =
                DorisReadOptions.builder()
                        .setScanMode(unbounded)
                        .setChangelogPollIntervalMs(1000L)
                        .setChangelogSlices("4");
        if (unbounded == DorisSourceScanMode.FROM_TIMESTAMP) {
            options.setScanTimestamp(table.createdAt());
        }
        return options.build();
    }

    @Override
    public ExternalSystemSplitDataWriter<String> createSourceSplitDataWriter(
            TestingSourceSettings settings) {
        return new ExternalSystemSplitDataWriter<>() {
            @Override
            public void writeRecords(List<String> records) {
                for (String record : records) {
                    String[] values = record.split(",");
                    table.run(
                            String.format(
                                    "INSERT INTO T VALUES (%s, %s, '%s')",
                                    values[0], values[1], values[2]));
                }
                // What is committed in the second of the start is content and a change.
                standin.advanceClock(Duration.ofSeconds(2));
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public List<String> generateTestData(TestingSourceSettings settings, int split, long seed) {
        Random random = new Random(seed);
        List<String> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            records.add(split + "," + written++ + "," + Long.toHexString(random.nextLong()));
        }
        return records;
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

    @Override
    public void close() {
        standin.run("DROP TABLE " + table.identifier());
    }

    @Override
    public String toString() {
        return unbounded.option();
    }

    private static final class Texts implements DorisDeserializationSchema<String> {

        private static final long serialVersionUID = 1L;

        @Override
        public void deserialize(List<?> record, Collector<String> out) {
            out.collect(record.stream().map(String::valueOf).collect(Collectors.joining(",")));
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }
}
