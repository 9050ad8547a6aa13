package org.apache.doris.flink.sink;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.sink.committer.DorisCommittable;
import org.apache.doris.flink.sink.overwrite.NativeReplacements;
import org.apache.doris.flink.sink.overwrite.ReplacementSource;
import org.apache.doris.flink.sink.overwrite.Replacements;
import org.apache.doris.flink.sink.overwrite.SwapOperator;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.writer.WriterState;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.data.RowData;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collection;

/**
 * The sink of {@code INSERT OVERWRITE}, for batch execution: writes as the ordinary sink does, but
 * into a table made like the target, which takes the target's place after all subtasks have
 * committed. Who makes that table, swaps it in and drops it: docs/overwrite.md.
 */
@Internal
public final class OverwriteSink extends DorisSink<RowData>
        implements SupportsPostCommitTopology<DorisCommittable> {

    private static final long serialVersionUID = 1L;

    /** A table of many tablets takes long to be made. */
    private static final Duration MAKING = Duration.ofMinutes(10);

    private final SinkConfig target;
    private final Replacements.Factory replacements;

    private OverwriteSink(SinkConfig target, String run) {
        super(target, null);
        this.target = target;
        this.replacements = () -> new NativeReplacements(target, run);
    }

    /** A sink of internal rows into the table that the configuration names. */
    public static OverwriteSink of(SinkConfig target) {
        return new OverwriteSink(target, Replacements.randomDigits());
    }

    @Override
    public StatefulSinkWriter<RowData, WriterState> restoreWriter(
            WriterInitContext context, Collection<WriterState> recovered) throws IOException {
        String table;
        try (Replacements open = replacements.open()) {
            table = Pause.await(open.find(MAKING), Pause.INTERRUPTS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted =
                    new InterruptedIOException("interrupted while INSERT OVERWRITE started");
            interrupted.initCause(e);
            throw interrupted;
        }
        return writer(target.into(table), context, recovered);
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<DorisCommittable>> committed) {
        String name = target.connection().table().toString();
        DataStream<String> made =
                committed
                        .getExecutionEnvironment()
                        .fromSource(
                                new ReplacementSource(replacements, name),
                                WatermarkStrategy.noWatermarks(),
                                "Table for INSERT OVERWRITE of " + name,
                                Types.STRING)
                        .setParallelism(1);
        committed
                .global()
                .connect(made)
                .transform("Swap", Types.VOID, new SwapOperator(replacements, name))
                .setParallelism(1)
                .setMaxParallelism(1);
    }
}
