package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.FakeDoris;
import org.apache.doris.flink.sink.transaction.Faults;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.Transactions;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/** Doris in memory. */
final class FakeWorld implements World {

    private final FakeDoris doris;

    FakeWorld(FakeDoris doris) {
        this.doris = doris;
    }

    @Override
    public Map<String, String> options() {
        return Map.of("fenodes", "127.0.0.1:8030");
    }

    @Override
    public LoadClient client(SinkConfig config, CheckpointPlan checkpoints) {
        FakeLoadClient client = new FakeLoadClient(doris);
        client.twoPhase = config.write().twoPhase();
        client.batch = config.write().batch();
        return client;
    }

    @Override
    public Transactions transactions() {
        return doris;
    }

    @Override
    public SinkClock clock() {
        return new SinkClock() {
            @Override
            public long wallMillis() {
                return doris.now().toMillis();
            }

            @Override
            public long nanos() {
                return doris.now().toNanos();
            }
        };
    }

    @Override
    public List<String> rows(String table) {
        return doris.rows(TestSink.DATABASE, table);
    }

    @Override
    public List<String> labels(LabelState state) {
        return doris.labels(state);
    }

    @Override
    public void advance(Duration time) {
        doris.advance(time);
    }

    @Override
    public void purge() {
        doris.purge();
    }

    @Override
    public Faults.Fault fault(BiPredicate<String, String> matches) {
        return doris.fault(matches);
    }

    @Override
    public void heal() {
        doris.heal();
    }
}
