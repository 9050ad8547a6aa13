package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.config.SinkConfig;
import org.apache.doris.flink.jni.NativeLog;
import org.apache.doris.flink.jni.NativeSink;
import org.apache.doris.flink.sink.transaction.CheckpointPlan;
import org.apache.doris.flink.sink.transaction.NativeSinks;
import org.apache.doris.flink.sink.transaction.NativeTransactions;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.TransactionGone;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.LongSupplier;

/**
 * Commits the transactions of a completed checkpoint: those of one table and subtask in the order
 * in which they were loaded, since that is the order of their versions, all others side by side. A
 * failure fails the task: Flink then offers the same transactions again. Flink's own retries are
 * not used, they come without a pause.
 */
@Internal
public final class DorisCommitter implements Committer<DorisCommittable> {

    private static final Logger LOG = LoggerFactory.getLogger(DorisCommitter.class);

    /** Most commits under way at once. */
    private static final int MOST_AT_ONCE = 16;

    /** Longest wait for one of several commits, so that the others are looked at. */
    private static final long SHORT_MILLIS = 2;

    private final Connection connection;
    private final boolean ignoreErrors;
    private final CommitterMetrics metrics;
    private final LongSupplier wallClock;

    DorisCommitter(
            Connection connection,
            boolean ignoreErrors,
            CommitterMetrics metrics,
            LongSupplier wallClock) {
        this.connection = connection;
        this.ignoreErrors = ignoreErrors;
        this.metrics = metrics;
        this.wallClock = wallClock;
    }

    /** A committer on the native core, which it opens at the first commit. */
    public static DorisCommitter create(
            SinkConfig config, CheckpointPlan checkpoints, CommitterInitContext context) {
        return new DorisCommitter(
                new NativeConnection(config, checkpoints),
                config.write().ignoreCommitError(),
                new CommitterMetrics(context.metricGroup()),
                System::currentTimeMillis);
    }

    @Override
    public void commit(Collection<CommitRequest<DorisCommittable>> requests)
            throws IOException, InterruptedException {
        Map<List<Object>, Series> all = new LinkedHashMap<>();
        for (CommitRequest<DorisCommittable> request : requests) {
            DorisCommittable committable = request.getCommittable();
            if (committable.txnId().isPresent()) {
                List<Object> key =
                        List.of(committable.database(), committable.table(), committable.subtask());
                all.computeIfAbsent(key, unused -> new Series()).add(request);
            }
        }
        try {
            run(all.values());
            throwFailures(all.values());
            AbandonedLoads.abort(connection, metrics, requests, Pause.INTERRUPTS);
        } finally {
            NativeLog.drain();
        }
    }

    @Override
    public void close() {
        connection.close();
    }

    /** Runs all series to their ends. */
    private static void run(Collection<Series> all) throws InterruptedException {
        Queue<Series> waiting = new ArrayDeque<>(all);
        List<Series> running = new ArrayList<>();
        try {
            while (true) {
                while (running.size() < MOST_AT_ONCE && !waiting.isEmpty()) {
                    Series next = waiting.remove();
                    if (next.begin()) {
                        running.add(next);
                    }
                }
                if (running.isEmpty()) {
                    return;
                }
                running.get(0).call.await(running.size() == 1 ? Pause.SLICE_MILLIS : SHORT_MILLIS);
                Pause.checkInterrupt();
                running.removeIf(one -> one.call.await(0) && !one.goOn());
            }
        } finally {
            running.forEach(one -> one.call.close());
        }
    }

    private static void throwFailures(Collection<Series> all) throws IOException {
        IOException first = null;
        for (Series series : all) {
            if (series.failure != null && first == null) {
                first = series.failure;
            } else if (series.failure != null) {
                first.addSuppressed(series.failure);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Where transactions are; opened at the first use. */
    interface Connection extends AutoCloseable {

        Transactions transactions() throws IOException;

        @Override
        void close();
    }

    /** Transactions of one table and subtask, one commit after the other. */
    private final class Series {

        private final Queue<CommitRequest<DorisCommittable>> left =
                new PriorityQueue<>(
                        Comparator.comparing(
                                CommitRequest::getCommittable,
                                Comparator.comparingLong(DorisCommittable::epoch)
                                        .thenComparingInt(DorisCommittable::attempt)
                                        .thenComparingLong(DorisCommittable::number)));
        private CommitRequest<DorisCommittable> request;
        private PendingCall<Transactions.CommitOutcome> call;
        private IOException failure;

        private void add(CommitRequest<DorisCommittable> one) {
            left.add(one);
        }

        /** Begins the next commit; false when none is left. */
        private boolean begin() {
            while (failure == null && !left.isEmpty()) {
                request = left.remove();
                DorisCommittable committable = request.getCommittable();
                try {
                    call =
                            connection
                                    .transactions()
                                    .commit(
                                            committable.database(),
                                            committable.table(),
                                            committable.txnId().getAsLong(),
                                            committable.label());
                    return true;
                } catch (IOException e) {
                    failed(e);
                }
            }
            return false;
        }

        /** Takes the answer that is there and begins the next commit; false when none is left. */
        private boolean goOn() {
            try (PendingCall<Transactions.CommitOutcome> answered = call) {
                Transactions.CommitOutcome outcome = answered.result();
                metrics.retried(outcome.retries());
                if (outcome.already()) {
                    request.signalAlreadyCommitted();
                }
            } catch (IOException e) {
                failed(e);
            }
            return begin();
        }

        private void failed(IOException cause) {
            CommitFailure why =
                    new CommitFailure(request.getCommittable(), wallClock.getAsLong(), cause);
            // Whatever else failed may pass: skipping would lose rows that Doris still holds.
            if (!ignoreErrors || !(cause instanceof TransactionGone)) {
                failure = why;
                return;
            }
            LOG.error(
                    "A transaction is skipped, since Doris no longer has it and"
                            + " 'sink.ignore.commit-error' is 'true': its rows are lost unless they"
                            + " are in the table already.",
                    why);
            metrics.errorIgnored();
            request.signalFailedWithKnownReason(why);
        }
    }

    /** The native core. */
    private static final class NativeConnection implements Connection {

        private final SinkConfig config;
        private final CheckpointPlan checkpoints;
        private NativeSink sink;

        private NativeConnection(SinkConfig config, CheckpointPlan checkpoints) {
            this.config = config;
            this.checkpoints = checkpoints;
        }

        @Override
        public Transactions transactions() throws IOException {
            if (sink == null) {
                sink = NativeSinks.open(config, checkpoints);
            }
            return new NativeTransactions(sink);
        }

        @Override
        public void close() {
            if (sink != null) {
                sink.close();
            }
        }
    }
}
