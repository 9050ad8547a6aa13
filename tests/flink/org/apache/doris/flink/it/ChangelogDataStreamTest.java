package org.apache.doris.flink.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.doris.flink.cfg.DorisOptions;
import org.apache.doris.flink.cfg.DorisReadOptions;
import org.apache.doris.flink.deserialization.SimpleListDeserializationSchema;
import org.apache.doris.flink.source.DorisBinlogIncrementType;
import org.apache.doris.flink.source.DorisSource;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;

/** The incremental read through the builder that jobs of the DataStream API use. */
@Timeout(60)
class ChangelogDataStreamTest {

    @RegisterExtension static final Standin DORIS = Standin.with();
    @RegisterExtension static final FlinkCluster FLINK = new FlinkCluster();

    private static Followed start(DorisReadOptions read, ChangelogTable table) throws Exception {
        DorisOptions options =
                DorisOptions.builder()
                        .setFenodes(DORIS.fenodes())
                        .setTableIdentifier(table.identifier())
                        .setUsername("root")
                        .setPassword("")
                        .build();
        DorisSource<List<?>> source =
                DorisSource.<List<?>>builder()
                        .setDorisOptions(options)
                        .setDorisReadOptions(read)
                        .setDeserializer(new SimpleListDeserializationSchema())
                        .build();
        assertThat(source.getBoundedness()).isEqualTo(Boundedness.CONTINUOUS_UNBOUNDED);
        StreamExecutionEnvironment flink =
                FLINK.environment(
                        "execution.checkpointing.interval", "100 ms",
                        "restart-strategy.type", "none",
                        // No Kryo: Flink 1.20's looks into classes that newer JDKs keep closed.
                        "pipeline.object-reuse", "true",
                        "parallelism.default", "2");
        return Followed.start(
                flink.fromSource(source, WatermarkStrategy.noWatermarks(), "students")
                        .map(values -> Row.of(values.toArray()))
                        .returns(Types.ROW(Types.INT, Types.STRING, Types.INT)));
    }

    @Test
    void initialGivesContentAndChanges() throws Exception {
        DORIS.run("CREATE DATABASE IF NOT EXISTS test");
        ChangelogTable table =
                ChangelogTable.students(DORIS).run("INSERT INTO T VALUES (1, 'Alice', 18)");
        DORIS.advanceClock(Duration.ofSeconds(2));
        Followed followed =
                start(
                        DorisReadOptions.builder()
                                .setScanMode(DorisSourceScanMode.INITIAL)
                                .setBinlogPollIntervalMs(1000L)
                                .build(),
                        table);
        followed.awaitAll("+I[1, Alice, 18]");
        table.run("INSERT INTO T VALUES (2, 'Bob', 21)");
        followed.awaitInOrder("+I[1, Alice, 18]", "+I[2, Bob, 21]");
        followed.cancel();
    }

    @Test
    void fromTimestampWithAType() throws Exception {
        DORIS.run("CREATE DATABASE IF NOT EXISTS test");
        ChangelogTable table =
                ChangelogTable.students(DORIS)
                        .run(
                                "INSERT INTO T VALUES (1, 'Alice', 18)",
                                "UPDATE T SET age = 19 WHERE id = 1");
        DORIS.advanceClock(Duration.ofSeconds(1));
        Followed followed =
                start(
                        DorisReadOptions.builder()
                                .setScanMode(DorisSourceScanMode.FROM_TIMESTAMP)
                                .setScanTimestamp(table.createdAt())
                                .setBinlogIncrementType(DorisBinlogIncrementType.MIN_DELTA)
                                .setBinlogPollIntervalMs(1000L)
                                .build(),
                        table);
        followed.awaitInOrder("+I[1, Alice, 19]");
        followed.cancel();
    }
}
