package doris.connector.interop;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the statements of a file with whatever connector is on the class path, an environment for
 * each case. What became of a case goes to a file of its own: {@code ok}, or {@code error: } and
 * the messages.
 *
 * <p>Arguments: the file; the folder to write to. A line {@code -- case NAME} begins a case.
 * Statements end with a semicolon at the end of a line. Views that every case has: {@code changes}
 * (id, name, qty), a changelog; {@code numbers_and_a_failure} (id), a job that fails once between
 * checkpoints.
 */
public final class WriteCases {
    private WriteCases() {}

    public static void main(String[] args) throws Exception {
        Path out = Path.of(args[1]);
        Files.createDirectories(out);
        for (String part : ("\n" + Files.readString(Path.of(args[0]))).split("\n-- case ")) {
            String[] lines = part.split("\n");
            String name = lines[0].trim();
            if (name.isEmpty() || name.startsWith("--")) {
                continue;
            }
            Files.writeString(out.resolve(name), outcome(name, lines) + "\n");
        }
        // Flink and some clients leave threads behind that are no daemons.
        System.exit(0);
    }

    private static String outcome(String name, String[] lines) {
        try {
            StreamTableEnvironment tables = environment();
            StringBuilder statement = new StringBuilder();
            for (int i = 1; i < lines.length; i++) {
                if (lines[i].startsWith("--") || lines[i].isBlank()) {
                    continue;
                }
                statement.append(lines[i]).append('\n');
                if (lines[i].endsWith(";")) {
                    statement.setLength(statement.length() - 2);
                    String sql = statement.toString();
                    statement.setLength(0);
                    if (sql.startsWith("INSERT")) {
                        tables.executeSql(sql).await(120, TimeUnit.SECONDS);
                    } else {
                        tables.executeSql(sql);
                    }
                }
            }
            if (String.join("\n", lines).contains("numbers_and_a_failure")
                    && !Failing.FAILED.get()) {
                return "error: the job never failed";
            }
            return "ok";
        } catch (Exception e) {
            StringBuilder text = new StringBuilder("error:");
            e.printStackTrace();
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                text.append(' ').append(cause.toString().replace('\n', ' '));
            }
            return text.toString();
        }
    }

    private static StreamTableEnvironment environment() {
        Configuration configuration = new Configuration();
        configuration.setString("parallelism.default", "1");
        configuration.setString("table.local-time-zone", "Asia/Shanghai");
        configuration.setString("execution.checkpointing.interval", "300 ms");
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "1");
        configuration.setString("restart-strategy.fixed-delay.delay", "100 ms");
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        DataStream<Row> changes =
                environment.fromData(
                        Types.ROW_NAMED(
                                new String[] {"id", "name", "qty"},
                                Types.INT,
                                Types.STRING,
                                Types.INT),
                        Row.ofKind(RowKind.INSERT, 1, "one", 10),
                        Row.ofKind(RowKind.INSERT, 2, "two", 20),
                        Row.ofKind(RowKind.INSERT, 3, "three", 30),
                        Row.ofKind(RowKind.UPDATE_AFTER, 2, "zwei", 22),
                        Row.ofKind(RowKind.DELETE, 3, "three", 30),
                        Row.ofKind(RowKind.DELETE, 1, "one", 10),
                        Row.ofKind(RowKind.INSERT, 1, "again", null));
        tables.createTemporaryView(
                "changes",
                tables.fromChangelogStream(
                        changes,
                        Schema.newBuilder()
                                .column("id", DataTypes.INT().notNull())
                                .column("name", DataTypes.STRING())
                                .column("qty", DataTypes.INT())
                                .primaryKey("id")
                                .build(),
                        ChangelogMode.upsert()));
        tables.createTemporaryView(
                "numbers_and_a_failure",
                tables.fromDataStream(
                        environment.fromSequence(0, Failing.ROWS - 1).map(new Failing()),
                        Schema.newBuilder().column("f0", DataTypes.BIGINT()).build()));
        return tables;
    }

    /** Hands numbers on at a pace that leaves time for checkpoints, and fails once after two. */
    private static final class Failing implements MapFunction<Long, Long>, CheckpointListener {
        private static final long serialVersionUID = 1L;
        static final long ROWS = 3000;
        static final AtomicBoolean FAILED = new AtomicBoolean();
        private static final AtomicInteger COMPLETED = new AtomicInteger();

        @Override
        public Long map(Long value) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            if (COMPLETED.get() >= 2 && FAILED.compareAndSet(false, true)) {
                throw new IllegalStateException("a failure between two checkpoints");
            }
            return value;
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            COMPLETED.incrementAndGet();
        }
    }
}
