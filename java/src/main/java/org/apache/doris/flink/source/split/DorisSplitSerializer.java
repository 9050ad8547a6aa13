package org.apache.doris.flink.source.split;

import org.apache.doris.flink.source.state.StateReader;
import org.apache.doris.flink.source.state.StateWriter;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checkpoint format of {@link DorisSplit}. */
public final class DorisSplitSerializer implements SimpleVersionedSerializer<DorisSplit> {

    /** The one instance; it has no state. */
    public static final DorisSplitSerializer INSTANCE = new DorisSplitSerializer();

    private static final int VERSION = 1;
    private static final String WHAT = "source split";

    private static final int KIND_SNAPSHOT = 0;
    private static final int KIND_SLICE = 1;

    private DorisSplitSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(DorisSplit split) throws IOException {
        StateWriter out = new StateWriter();
        writeV1(out, split);
        return out.toByteArray();
    }

    @Override
    public DorisSplit deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw StateReader.unknownVersion(WHAT, version, VERSION);
        }
        StateReader in = new StateReader(WHAT, serialized);
        DorisSplit split = readV1(in);
        in.end();
        return split;
    }

    private static void writeV1(StateWriter out, DorisSplit split) throws IOException {
        out.writeByte(split.isSnapshot() ? KIND_SNAPSHOT : KIND_SLICE);
        out.writeText(split.splitId());
        long[] tablets = split.tablets();
        out.writeInt(tablets.length);
        for (long tablet : tablets) {
            out.writeLong(tablet);
        }
        out.writeInt(split.backends().size());
        for (String backend : split.backends()) {
            out.writeText(backend);
        }
        if (split.changelog().isPresent()) {
            writeProgressV1(out, split.changelog().get());
        }
    }

    private static DorisSplit readV1(StateReader in) throws IOException {
        int kind = in.readByte();
        if (kind != KIND_SNAPSHOT && kind != KIND_SLICE) {
            throw in.damaged("split kind " + kind + " is unknown");
        }
        String id = in.readText();
        long[] tablets = new long[in.readCount(Long.BYTES)];
        for (int i = 0; i < tablets.length; i++) {
            tablets[i] = in.readLong();
        }
        int count = in.readCount(Integer.BYTES);
        List<String> backends = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            backends.add(in.readText());
        }
        if (kind == KIND_SNAPSHOT) {
            return DorisSplit.snapshot(id, tablets, backends);
        }
        if (tablets.length > 0 || count > 0) {
            throw in.damaged("a changelog slice has tablets");
        }
        return DorisSplit.slice(id, readProgressV1(in));
    }

    private static void writeProgressV1(StateWriter out, ChangelogProgress progress)
            throws IOException {
        progress.scheme().write(out);
        out.writeLong(progress.slice());
        out.writeLong(progress.nextMillis());
        Optional<ChangelogWindow> window = progress.window();
        out.writeBoolean(window.isPresent());
        if (window.isPresent()) {
            out.writeLong(window.get().startMillis());
            out.writeLong(window.get().endMillis());
            out.writeText(window.get().startText());
            out.writeText(window.get().endText());
        }
        Optional<ChangelogPosition> position = progress.position();
        out.writeBoolean(position.isPresent());
        if (position.isPresent()) {
            out.writeLong(position.get().tso());
            out.writeLong(position.get().lsn());
            out.writeInt(position.get().operation());
            out.writeLong(position.get().rowsAtPosition());
            out.writeLong(position.get().rowsOfTso());
            out.writeLong(position.get().hashSum());
        }
        out.writeLong(progress.columnFingerprint());
    }

    private static ChangelogProgress readProgressV1(StateReader in) throws IOException {
        SliceScheme scheme = SliceScheme.read(in);
        long slice = in.readLong();
        long next = in.readLong();
        ChangelogWindow window = null;
        if (in.readBoolean()) {
            window =
                    new ChangelogWindow(in.readLong(), in.readLong(), in.readText(), in.readText());
        }
        ChangelogPosition position = null;
        if (in.readBoolean()) {
            position =
                    new ChangelogPosition(
                            in.readLong(),
                            in.readLong(),
                            in.readInt(),
                            in.readLong(),
                            in.readLong(),
                            in.readLong());
        }
        return new ChangelogProgress(scheme, slice, next, window, position, in.readLong());
    }
}
