package org.apache.doris.flink.sink.overwrite;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.jni.NativeLog;
import org.apache.doris.flink.jni.NativeSink;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.NativeSinks;
import org.apache.doris.flink.sink.transaction.NativeTransactions;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.flink.annotation.Internal;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The tables of a run through the native core. */
@Internal
public final class NativeReplacements implements Replacements {

    private final SinkConfig config;
    private final String run;
    private final NativeSink sink;
    private final NativeTransactions calls;

    /**
     * @param config of the target
     * @param run random hexadecimal digits, the same on all machines and in all attempts of the job
     */
    public NativeReplacements(SinkConfig config, String run) throws IOException {
        this.config = config;
        this.run = run;
        this.sink = NativeSinks.open(config, CheckpointPlan.UNKNOWN);
        this.calls = new NativeTransactions(sink);
    }

    @Override
    public PendingCall<Replacement> make(String number) throws IOException {
        return calls.call(
                request("replacement.make", "number", number),
                answer ->
                        new Replacement(
                                NativeTransactions.value(answer, "name"),
                                NativeTransactions.value(answer, "created")));
    }

    @Override
    public PendingCall<String> find(Duration wait) throws IOException {
        return calls.call(
                request("replacement.find", "wait.ms", String.valueOf(wait.toMillis())),
                answer -> NativeTransactions.value(answer, "name"));
    }

    @Override
    public PendingCall<Boolean> swapIn(Replacement replacement) throws IOException {
        return calls.call(
                request(
                        "replacement.swap",
                        "name",
                        replacement.name(),
                        "created",
                        replacement.created()),
                answer -> NativeTransactions.value(answer, "outcome").equals("swapped"));
    }

    @Override
    public PendingCall<Integer> drop() throws IOException {
        return calls.call(
                request("replacement.drop"),
                answer -> Integer.valueOf(NativeTransactions.value(answer, "count")));
    }

    @Override
    public PendingCall<LabelState> state(String database, String label) throws IOException {
        return calls.state(database, label);
    }

    @Override
    public void close() {
        sink.close();
        NativeLog.drain();
    }

    private Map<String, String> request(String call, String... more) {
        TableIdentifier table = config.connection().table();
        Map<String, String> request = new HashMap<>();
        request.put("call", call);
        request.put("database", table.database());
        request.put("table", table.table());
        request.put("prefix", config.labelPrefix());
        request.put("run", run);
        for (int i = 0; i < more.length; i += 2) {
            request.put(more[i], more[i + 1]);
        }
        return request;
    }
}
