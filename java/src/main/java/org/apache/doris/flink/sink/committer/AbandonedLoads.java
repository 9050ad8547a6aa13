package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.doris.flink.sink.transaction.Transactions;
import org.apache.doris.flink.sink.transaction.Transactions.OnFailure;
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
        List<Label> labels = new ArrayList<>();
        List<LabelSeries.Tail> series = new ArrayList<>();
        for (Abandoned abandoned : all) {
            labels.addAll(abandoned.labels());
            series.addAll(abandoned.series());
        }
        if (!series.isEmpty()) {
            labels.addAll(openOf(series, pause));
        }
        if (labels.isEmpty()) {
            return;
        }
        List<Transactions.Answer<Transactions.AbortOutcome>> outcomes =
                Pause.await(transactions.abort(labels, OnFailure.END_PART), pause);
        for (int i = 0; i < labels.size(); i++) {
            try {
                ended(labels.get(i), outcomes.get(i).get());
            } catch (IOException e) {
                failed(labels.get(i), e);
            }
        }
    }

    private List<Label> openOf(List<LabelSeries.Tail> series, Pause pause)
            throws IOException, InterruptedException {
        List<Label> open = new ArrayList<>();
        List<Transactions.Answer<List<LabelState>>> states =
                Pause.await(transactions.series(series, true, OnFailure.END_PART), pause);
        for (int i = 0; i < series.size(); i++) {
            try {
                int offset = 0;
                for (LabelState state : states.get(i).get()) {
                    Label label = series.get(i).label(offset++);
                    if (state.isOpen()) {
                        open.add(label);
                    } else if (state.isFinished()) {
                        finished(label, state);
                    }
                }
            } catch (IOException e) {
                failed(series.get(i), e);
            }
        }
        return open;
    }

    private void ended(Label label, Transactions.AbortOutcome outcome) {
        switch (outcome) {
            case ABORTED:
                metrics.abandonedAborted();
                break;
            case FINISHED:
                finished(label, LabelState.COMMITTED);
                break;
            default:
                // Gone already.
        }
    }

    private void finished(Label label, LabelState state) {
        metrics.abandonedFailed();
        LOG.warn(
                "Label {} was abandoned, but it is {}: rows loaded under it are in the table"
                        + " although another load took their place.",
                label,
                state);
    }

    private void failed(Object what, IOException e) {
        metrics.abandonedFailed();
        LOG.warn("The abandoned load {} could not be aborted; Doris ends it by itself.", what, e);
    }
}
