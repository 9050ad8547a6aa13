package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.it.Standin;
import org.apache.doris.flink.it.Transaction;
import org.apache.doris.flink.jni.Load;
import org.apache.doris.flink.jni.NativeSink;
import org.apache.doris.flink.jni.SinkMetrics;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.Faults;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.NativeSinks;
import org.apache.doris.flink.sink.transaction.NativeTransactions;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.Transactions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

/** A stand-in server, written to through the native core. */
final class StandinWorld implements World, AutoCloseable {

    private final Standin standin;
    private final Faults faults = new Faults();
    private NativeSink committing;
    private Duration advanced = Duration.ZERO;

    StandinWorld(Standin standin) {
        this.standin = standin;
    }

    @Override
    public Map<String, String> options() {
        return Map.of("fenodes", standin.fenodes(), "username", "root");
    }

    @Override
    public LoadClient client(SinkConfig config, CheckpointPlan checkpoints) throws IOException {
        return new Client(NativeLoadClient.open(config, checkpoints));
    }

    @Override
    public Transactions transactions() {
        try {
            if (committing == null) {
                SinkConfig config = TestSink.on(this).config();
                committing = NativeSinks.open(config, CheckpointPlan.UNKNOWN);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return faults.over(new NativeTransactions(committing));
    }

    @Override
    public SinkClock clock() {
        return new SinkClock() {
            @Override
            public long wallMillis() {
                return System.currentTimeMillis() + advanced.toMillis();
            }

            @Override
            public long nanos() {
                return System.nanoTime() + advanced.toNanos();
            }
        };
    }

    @Override
    public List<String> rows(String table) {
        return standin.sql("SELECT v FROM test." + table + " ORDER BY 1").stream()
                .map(row -> row.get(0))
                .collect(Collectors.toList());
    }

    @Override
    public List<String> labels(LabelState state) {
        return standin.transactions().stream()
                .filter(transaction -> transaction.state().equals(state.name()))
                .map(Transaction::label)
                .collect(Collectors.toList());
    }

    @Override
    public void advance(Duration time) {
        standin.advanceClock(time);
        advanced = advanced.plus(time);
    }

    @Override
    public void purge() {
        standin.purgeLabels(0);
    }

    @Override
    public Faults.Fault fault(BiPredicate<String, String> matches) {
        return faults.add(matches);
    }

    @Override
    public void heal() {
        faults.heal();
    }

    @Override
    public void close() {
        if (committing != null) {
            committing.close();
        }
    }

    /** A client whose transactions break by the faults. */
    private final class Client implements LoadClient {

        private final LoadClient sound;

        private Client(LoadClient sound) {
            this.sound = sound;
        }

        @Override
        public Load open(
                String database, String table, String labelBase, long next, boolean deleteSign)
                throws IOException {
            return sound.open(database, table, labelBase, next, deleteSign);
        }

        @Override
        public PendingCall<TableCheck> check(String database, String table) throws IOException {
            return sound.check(database, table);
        }

        @Override
        public Transactions transactions() {
            return faults.over(sound.transactions());
        }

        @Override
        public SinkMetrics metrics() {
            return sound.metrics();
        }

        @Override
        public void close() {
            sound.close();
        }
    }
}
