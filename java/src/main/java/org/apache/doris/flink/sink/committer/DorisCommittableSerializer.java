package org.apache.doris.flink.sink.committer;

import org.apache.doris.flink.sink.transaction.Label;
import org.apache.doris.flink.sink.transaction.LabelSeries;
import org.apache.doris.flink.state.StateReader;
import org.apache.doris.flink.state.StateWriter;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Checkpoint format of {@link DorisCommittable}. */
@Internal
public final class DorisCommittableSerializer
        implements SimpleVersionedSerializer<DorisCommittable> {

    /** The one instance; it has no state. */
    public static final DorisCommittableSerializer INSTANCE = new DorisCommittableSerializer();

    private static final int VERSION = 1;
    private static final String WHAT = "sink committable";

    /** Least bytes of a label: two empty texts. A series has a number as well. */
    private static final int LEAST_LABEL = 2 * Integer.BYTES;

    private DorisCommittableSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(DorisCommittable committable) throws IOException {
        StateWriter out = new StateWriter();
        writeV1(out, committable);
        return out.toByteArray();
    }

    @Override
    public DorisCommittable deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw StateReader.unknownVersion(WHAT, version, VERSION);
        }
        StateReader in = new StateReader(WHAT, serialized);
        DorisCommittable committable = readV1(in);
        in.end();
        return committable;
    }

    private static void writeV1(StateWriter out, DorisCommittable committable) throws IOException {
        out.writeText(committable.database());
        out.writeText(committable.table());
        out.writeBoolean(committable.txnId().isPresent());
        if (committable.txnId().isPresent()) {
            out.writeLong(committable.txnId().getAsLong());
            out.writeText(committable.label());
            out.writeLong(committable.number());
        }
        out.writeInt(committable.subtask());
        out.writeLong(committable.epoch());
        out.writeInt(committable.attempt());
        out.writeLong(committable.wallMillis());
        List<Label> labels = committable.abandoned().labels();
        out.writeInt(labels.size());
        for (Label label : labels) {
            out.writeText(label.database());
            out.writeText(label.label());
        }
        List<LabelSeries.Tail> allSeries = committable.abandoned().series();
        out.writeInt(allSeries.size());
        for (LabelSeries.Tail series : allSeries) {
            out.writeText(series.series().database());
            out.writeText(series.series().base());
            out.writeLong(series.first());
        }
    }

    private static DorisCommittable readV1(StateReader in) throws IOException {
        String database = in.readText();
        String table = in.readText();
        boolean transaction = in.readBoolean();
        long txnId = transaction ? in.readLong() : 0;
        String label = transaction ? in.readText() : "";
        long number = transaction ? in.readLong() : 0;
        int subtask = in.readInt();
        long epoch = in.readLong();
        int attempt = in.readInt();
        long wallMillis = in.readLong();
        Abandoned abandoned = readAbandonedV1(in);
        if (txnId < 0 || number < 0 || subtask < 0 || epoch < 0 || attempt < 0) {
            throw in.damaged("a number is negative");
        }
        return transaction
                ? DorisCommittable.of(
                        database,
                        table,
                        label,
                        txnId,
                        subtask,
                        epoch,
                        attempt,
                        number,
                        wallMillis,
                        abandoned)
                : DorisCommittable.carrying(
                        database, table, subtask, epoch, attempt, wallMillis, abandoned);
    }

    private static Abandoned readAbandonedV1(StateReader in) throws IOException {
        int count = in.readCount(LEAST_LABEL);
        List<Label> labels = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            labels.add(new Label(in.readText(), in.readText()));
        }
        count = in.readCount(LEAST_LABEL + Long.BYTES);
        List<LabelSeries.Tail> allSeries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            LabelSeries series = new LabelSeries(in.readText(), in.readText());
            long first = in.readLong();
            if (first < 0) {
                throw in.damaged("a label number is " + first);
            }
            allSeries.add(series.from(first));
        }
        return new Abandoned(labels, allSeries);
    }
}
