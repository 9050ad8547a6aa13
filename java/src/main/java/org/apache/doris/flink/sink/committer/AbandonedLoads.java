package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.sink.transaction.AbortOutcome;
import org.apache.doris.flink.sink.transaction.CallChain;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.transaction.PendingCall;
import org.apache.doris.flink.sink.transaction.SeriesWalk;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Aborts what committables name as abandoned, once everything of their call is committed. Whatever
 * cannot be aborted is logged and counted, never thrown: it is invisible, and the server's
 * pre-commit timeout ends it.
 */
final class AbandonedLoads {

    private static final Logger LOG = LoggerFactory.getLogger(AbandonedLoads.class);

    private final Transactions transactions;
    private final CommitterMetrics metrics;

    AbandonedLoads(Transactions transactions, CommitterMetrics metrics) {
        this.transactions = transactions;
        this.metrics = metrics;
    }

    /** Aborts exactly what the committables name. */
    static void abort(
            DorisCommitter.Connection connection,
            CommitterMetrics metrics,
            Collection<CommitRequest<DorisCommittable>> requests,
            Pause pause)
            throws InterruptedException {
        List<Abandoned> all = new ArrayList<>();
        for (CommitRequest<DorisCommittable> request : requests) {
            if (!request.getCommittable().abandoned().isEmpty()) {
                all.add(request.getCommittable().abandoned());
            }
        }
        if (all.isEmpty()) {
            return;
        }
        try {
            new AbandonedLoads(connection.transactions(), metrics).abort(all, pause);
        } catch (IOException e) {
            metrics.abandonedFailed();
            LOG.warn("Abandoned loads could not be aborted; Doris ends them by itself.", e);
        }
    }

    private void abort(List<Abandoned> all, Pause pause) throws IOException, InterruptedException {
        List<CallChain> chains = new ArrayList<>();
        for (Abandoned abandoned : all) {
            for (Abandoned.Label label : abandoned.labels()) {
                chains.add(new Tolerant(label.label(), new OneLabel(label)));
            }
            for (Abandoned.Series series : abandoned.series()) {
                chains.add(
                        new Tolerant(
                                series.toString(),
                                new SeriesWalk(
                                        transactions,
                                        series.series(),
                                        series.first(),
                                        new Sweep())));
            }
        }
        CallChain.run(chains, pause);
    }

    private void finished(String label, LabelState state) {
        metrics.abandonedFailed();
        LOG.warn(
                "Label {} was abandoned, but it is {}: rows loaded under it are in the table"
                        + " although another load took their place.",
                label,
                state);
    }

    /** Aborts all that a series has open. */
    private final class Sweep implements SeriesWalk.Visitor {

        @Override
        public boolean abort(String label, LabelState state) {
            return true;
        }

        @Override
        public void finished(String label, LabelState state) {
            AbandonedLoads.this.finished(label, state);
        }

        @Override
        public void aborted(String label) {
            metrics.abandonedAborted();
        }
    }

    /** Aborts one label. */
    private final class OneLabel implements CallChain {

        private final Abandoned.Label label;
        private PendingCall<AbortOutcome> call;

        private OneLabel(Abandoned.Label label) {
            this.label = label;
        }

        @Override
        public PendingCall<?> begin() throws IOException {
            if (call != null) {
                return null;
            }
            call = transactions.abort(label.database(), label.label());
            return call;
        }

        @Override
        public void arrived() throws IOException {
            switch (call.result()) {
                case ABORTED:
                    metrics.abandonedAborted();
                    break;
                case FINISHED:
                    finished(label.label(), LabelState.COMMITTED);
                    break;
                default:
                    // Gone already.
            }
        }
    }

    /** A chain whose failure ends it alone. */
    private final class Tolerant implements CallChain {

        private final String what;
        private final CallChain chain;
        private boolean failed;

        private Tolerant(String what, CallChain chain) {
            this.what = what;
            this.chain = chain;
        }

        @Override
        public PendingCall<?> begin() {
            if (failed) {
                return null;
            }
            try {
                return chain.begin();
            } catch (IOException e) {
                failed(e);
                return null;
            }
        }

        @Override
        public void arrived() {
            try {
                chain.arrived();
            } catch (IOException e) {
                failed(e);
            }
        }

        private void failed(IOException e) {
            failed = true;
            metrics.abandonedFailed();
            LOG.warn(
                    "The abandoned load {} could not be aborted; Doris ends it by itself.",
                    what,
                    e);
        }
    }
}
