package org.apache.doris.flink.sink.overwrite;

import org.apache.doris.flink.sink.committer.DorisCommittable;
import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.LabelState;
import org.apache.doris.flink.sink.transaction.Pause;
import org.apache.flink.annotation.Internal;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.CommittableWithLineage;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Swaps the table with the new rows in, once, at the end of its inputs: the committables of all
 * subtasks, which come after they were committed, and the news of the table. Runs again from the
 * start when its task fails, and sees then whether it had been done.
 */
@Internal
public final class SwapOperator extends AbstractStreamOperator<Void>
        implements TwoInputStreamOperator<CommittableMessage<DorisCommittable>, String, Void>,
                BoundedMultiInput {

    private static final long serialVersionUID = 1L;

    private static final Logger LOGGER = LoggerFactory.getLogger(SwapOperator.class);

    /** How long rows that are committed may take to be visible. */
    private static final Duration PUBLISHING = Duration.ofMinutes(30);

    private static final int INPUTS = 2;

    private final Replacements.Factory factory;
    private final String target;

    private transient Set<String> tables;
    private transient Set<Label> labels;
    private transient Replacement replacement;
    private transient Replacements replacements;
    private transient int ended;

    /**
     * @param target name of the table that is overwritten, for messages
     */
    public SwapOperator(Replacements.Factory factory, String target) {
        this.factory = factory;
        this.target = target;
    }

    @Override
    public void open() throws Exception {
        super.open();
        tables = new LinkedHashSet<>();
        labels = new LinkedHashSet<>();
        ended = 0;
    }

    @Override
    public void processElement1(StreamRecord<CommittableMessage<DorisCommittable>> element) {
        if (element.getValue() instanceof CommittableWithLineage) {
            DorisCommittable committed =
                    ((CommittableWithLineage<DorisCommittable>) element.getValue())
                            .getCommittable();
            if (!committed.table().isEmpty()) {
                tables.add(committed.table());
            }
            if (committed.txnId().isPresent()) {
                labels.add(new Label(committed.database(), committed.label()));
            }
        }
    }

    @Override
    public void processElement2(StreamRecord<String> element) {
        replacement = ReplacementSplit.read(element.getValue());
    }

    @Override
    public void endInput(int input) throws IOException, InterruptedException {
        ended++;
        if (ended == INPUTS) {
            swap();
        }
    }

    private void swap() throws IOException, InterruptedException {
        if (replacement == null) {
            throw new IOException(
                    String.format(
                            "INSERT OVERWRITE of %s: no table was made for the new rows; the former"
                                    + " ones stay.",
                            target));
        }
        // After a fail-over of the JobManager rows of an earlier start may be among them.
        for (String table : tables) {
            if (!table.equals(replacement.name())) {
                throw new IOException(
                        String.format(
                                "INSERT OVERWRITE of %s: rows went to table %s, which another start"
                                    + " of the job had made, and %s is to be swapped in. Nothing is"
                                    + " swapped, the former rows stay: run the job again.",
                                target, table, replacement));
            }
        }
        replacements = factory.open();
        for (Label label : labels) {
            awaitVisible(label);
        }
        boolean now = Pause.await(replacements.swapIn(replacement), Pause.INTERRUPTS);
        LOGGER.info(
                "INSERT OVERWRITE of {}: table {} {} taken its place.",
                target,
                replacement,
                now ? "has" : "had already");
    }

    /** Swapped in before, the table would show some of its rows only. */
    private void awaitVisible(Label label) throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (true) {
            LabelState state =
                    Pause.await(
                            replacements.state(label.database(), label.label()), Pause.INTERRUPTS);
            switch (state) {
                case VISIBLE:
                    return;
                case UNKNOWN:
                    // Doris forgets labels of loads that are finished, and this one was committed.
                    LOGGER.warn("Doris no longer knows label {}, taken for visible.", label);
                    return;
                case COMMITTED:
                    break;
                default:
                    throw new IOException(
                            String.format(
                                    "INSERT OVERWRITE of %s: the load under label %s was committed"
                                            + " and is %s now. Nothing is swapped, the former rows"
                                            + " stay.",
                                    target, label, state));
            }
            if (System.nanoTime() - start > PUBLISHING.toNanos()) {
                throw new IOException(
                        String.format(
                                "INSERT OVERWRITE of %s: the load under label %s is committed, but"
                                        + " not visible after %d minutes. Nothing is swapped, the"
                                        + " former rows stay: look for back ends that are down or"
                                        + " behind.",
                                target, label, PUBLISHING.toMinutes()));
            }
            Thread.sleep(Pause.SLICE_MILLIS);
        }
    }

    @Override
    public void close() throws Exception {
        IOUtils.closeAll(replacements == null ? () -> {} : replacements, super::close);
    }
}
