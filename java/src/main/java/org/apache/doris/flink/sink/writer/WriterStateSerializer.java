package org.apache.doris.flink.sink.writer;

import org.apache.doris.flink.state.StateReader;
import org.apache.doris.flink.state.StateWriter;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Checkpoint format of {@link WriterState}. */
@Internal
public final class WriterStateSerializer implements SimpleVersionedSerializer<WriterState> {

    /** The one instance; it has no state. */
    public static final WriterStateSerializer INSTANCE = new WriterStateSerializer();

    private static final int VERSION = 1;
    private static final String WHAT = "sink writer state";

    /** Least bytes of a table: three empty texts and a number. */
    private static final int LEAST_TABLE = 3 * Integer.BYTES + Long.BYTES;

    private WriterStateSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(WriterState state) throws IOException {
        StateWriter out = new StateWriter();
        writeV1(out, state);
        return out.toByteArray();
    }

    @Override
    public WriterState deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw StateReader.unknownVersion(WHAT, version, VERSION);
        }
        StateReader in = new StateReader(WHAT, serialized);
        WriterState state = readV1(in);
        in.end();
        return state;
    }

    private static void writeV1(StateWriter out, WriterState state) throws IOException {
        out.writeText(state.prefix());
        out.writeInt(state.subtask());
        out.writeInt(state.parallelism());
        out.writeLong(state.epoch());
        out.writeInt(state.attempt());
        out.writeLong(state.wallMillis());
        out.writeBoolean(state.inherited());
        out.writeInt(state.tables().size());
        for (WriterState.Table table : state.tables()) {
            out.writeText(table.database());
            out.writeText(table.name());
            out.writeText(table.op());
            out.writeLong(table.next());
        }
    }

    private static WriterState readV1(StateReader in) throws IOException {
        String prefix = in.readText();
        int subtask = notNegative(in, "subtask", in.readInt());
        int parallelism = notNegative(in, "parallelism", in.readInt());
        long epoch = notNegative(in, "epoch", in.readLong());
        int attempt = notNegative(in, "attempt", in.readInt());
        long wallMillis = in.readLong();
        boolean inherited = in.readBoolean();
        int count = in.readCount(LEAST_TABLE);
        List<WriterState.Table> tables = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            tables.add(
                    new WriterState.Table(
                            in.readText(),
                            in.readText(),
                            in.readText(),
                            notNegative(in, "label number", in.readLong())));
        }
        return new WriterState(
                prefix, subtask, parallelism, epoch, attempt, wallMillis, inherited, tables);
    }

    private static int notNegative(StateReader in, String what, int value) throws IOException {
        return (int) notNegative(in, what, (long) value);
    }

    private static long notNegative(StateReader in, String what, long value) throws IOException {
        if (value < 0) {
            throw in.damaged("the " + what + " is " + value);
        }
        return value;
    }
}
