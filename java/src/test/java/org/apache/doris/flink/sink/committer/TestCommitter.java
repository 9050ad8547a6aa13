package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.sink.RecordedMetrics;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;

/** A committer on transactions of a test, and requests that remember what became of them. */
public final class TestCommitter {

    private final DorisCommitter committer;
    private final RecordedMetrics metrics = new RecordedMetrics();

    /**
     * @param wallClock milliseconds since 1970
     */
    public TestCommitter(Transactions transactions, boolean ignoreErrors, LongSupplier wallClock) {
        committer =
                new DorisCommitter(
                        new DorisCommitter.Connection() {
                            @Override
                            public Transactions transactions() {
                                return transactions;
                            }

                            @Override
                            public void close() {}
                        },
                        ignoreErrors,
                        new CommitterMetrics(metrics),
                        wallClock);
    }

    /** Commits as Flink does; the requests tell how each ended. */
    public List<Request> commit(Collection<DorisCommittable> committables)
            throws IOException, InterruptedException {
        List<Request> requests = new ArrayList<>();
        committables.forEach(committable -> requests.add(new Request(committable)));
        committer.commit(new ArrayList<>(requests));
        return requests;
    }

    /** Value of a counter. */
    public long counter(String name) {
        return metrics.count(name);
    }

    /** A request. */
    public static final class Request implements CommitRequest<DorisCommittable> {

        private final DorisCommittable committable;
        private String signal = "";

        private Request(DorisCommittable committable) {
            this.committable = committable;
        }

        /** What the committer said of it; empty when it said nothing. */
        public String signal() {
            return signal;
        }

        @Override
        public DorisCommittable getCommittable() {
            return committable;
        }

        @Override
        public int getNumberOfRetries() {
            return 0;
        }

        @Override
        public void signalFailedWithKnownReason(Throwable reason) {
            signal = "known reason: " + reason.getMessage();
        }

        @Override
        public void signalFailedWithUnknownReason(Throwable reason) {
            throw new AssertionError("unknown reason", reason);
        }

        @Override
        public void retryLater() {
            throw new AssertionError("Flink retries without a pause");
        }

        @Override
        public void updateAndRetryLater(DorisCommittable changed) {
            throw new AssertionError("Flink retries without a pause");
        }

        @Override
        public void signalAlreadyCommitted() {
            signal = "already";
        }
    }
}
