package org.apache.doris.flink.source.split;

import org.apache.doris.flink.config.IncrementType;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.state.StateReader;
import org.apache.doris.flink.state.StateWriter;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Checkpoint format of {@link DorisSplit}. Version 2 adds to version 1 the fence of a snapshot and
 * the increment type of an open window; version 3 adds who checks that the tablets of a snapshot
 * still exist, which before was the reader always.
 */
@Internal
public final class DorisSplitSerializer implements SimpleVersionedSerializer<DorisSplit> {

    /** The one instance; it has no state. */
    public static final DorisSplitSerializer INSTANCE = new DorisSplitSerializer();

    private static final int VERSION = 3;
    private static final String WHAT = "source split";

    private static final int KIND_SNAPSHOT = 0;
    private static final int KIND_SLICE = 1;

    private static final int TYPE_UNKNOWN = 0;
    private static final int TYPE_DETAIL = 1;
    private static final int TYPE_MIN_DELTA = 2;
    private static final int TYPE_APPEND_ONLY = 3;

    private DorisSplitSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(DorisSplit split) throws IOException {
        StateWriter out = new StateWriter();
        writeV3(out, split);
        return out.toByteArray();
    }

    @Override
    public DorisSplit deserialize(int version, byte[] serialized) throws IOException {
        if (version < 1 || version > VERSION) {
            throw StateReader.unknownVersion(WHAT, version, VERSION);
        }
        StateReader in = new StateReader(WHAT, serialized);
        DorisSplit split = version == 1 ? readV1(in) : readV2(in, version);
        in.end();
        return split;
    }

    private static void writeV3(StateWriter out, DorisSplit split) throws IOException {
        out.writeByte(split.isSnapshot() ? KIND_SNAPSHOT : KIND_SLICE);
        out.writeText(split.splitId());
        if (split.isSnapshot()) {
            writeTablets(out, split);
            out.writeBoolean(split.fenceMillis().isPresent());
            if (split.fenceMillis().isPresent()) {
                out.writeLong(split.fenceMillis().getAsLong());
            }
            out.writeBoolean(split.looksUpTablets());
        } else {
            writeProgressV2(out, split.changelog().get());
        }
    }

    private static DorisSplit readV2(StateReader in, int version) throws IOException {
        int kind = readKind(in);
        String id = in.readText();
        if (kind == KIND_SLICE) {
            return DorisSplit.slice(id, readProgress(in, 2));
        }
        long[] tablets = readTablets(in);
        List<String> backends = readBackends(in);
        OptionalLong fence =
                in.readBoolean() ? OptionalLong.of(in.readLong()) : OptionalLong.empty();
        DorisSplit split = DorisSplit.snapshot(id, tablets, backends, fence);
        return version < 3 || in.readBoolean() ? split.lookedUpByReader() : split;
    }

    private static DorisSplit readV1(StateReader in) throws IOException {
        int kind = readKind(in);
        String id = in.readText();
        long[] tablets = readTablets(in);
        List<String> backends = readBackends(in);
        if (kind == KIND_SNAPSHOT) {
            return DorisSplit.snapshot(id, tablets, backends).lookedUpByReader();
        }
        if (tablets.length > 0 || !backends.isEmpty()) {
            throw in.damaged("a changelog slice has tablets");
        }
        return DorisSplit.slice(id, readProgress(in, 1));
    }

    private static int readKind(StateReader in) throws IOException {
        int kind = in.readByte();
        if (kind != KIND_SNAPSHOT && kind != KIND_SLICE) {
            throw in.damaged("split kind " + kind + " is unknown");
        }
        return kind;
    }

    private static void writeTablets(StateWriter out, DorisSplit split) throws IOException {
        long[] tablets = split.tablets();
        out.writeInt(tablets.length);
        for (long tablet : tablets) {
            out.writeLong(tablet);
        }
        out.writeInt(split.backends().size());
        for (String backend : split.backends()) {
            out.writeText(backend);
        }
    }

    private static long[] readTablets(StateReader in) throws IOException {
        long[] tablets = new long[in.readCount(Long.BYTES)];
        for (int i = 0; i < tablets.length; i++) {
            tablets[i] = in.readLong();
        }
        return tablets;
    }

    private static List<String> readBackends(StateReader in) throws IOException {
        int count = in.readCount(Integer.BYTES);
        List<String> backends = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            backends.add(in.readText());
        }
        return backends;
    }

    private static void writeProgressV2(StateWriter out, ChangelogProgress progress)
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
            out.writeByte(number(window.get().incrementType()));
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

    private static ChangelogProgress readProgress(StateReader in, int version) throws IOException {
        SliceScheme scheme = SliceScheme.read(in);
        long slice = in.readLong();
        long next = in.readLong();
        ChangelogWindow window = in.readBoolean() ? readWindow(in, version) : null;
        ChangelogPosition position = in.readBoolean() ? readPosition(in) : null;
        if (position != null && window == null) {
            throw in.damaged("a changelog slice has a position without a window");
        }
        return new ChangelogProgress(scheme, slice, next, window, position, in.readLong());
    }

    private static ChangelogWindow readWindow(StateReader in, int version) throws IOException {
        return new ChangelogWindow(
                in.readLong(),
                in.readLong(),
                in.readText(),
                in.readText(),
                version == 1 ? null : incrementType(in));
    }

    private static ChangelogPosition readPosition(StateReader in) throws IOException {
        return new ChangelogPosition(
                in.readLong(),
                in.readLong(),
                in.readInt(),
                in.readLong(),
                in.readLong(),
                in.readLong());
    }

    private static int number(Optional<IncrementType> type) {
        if (type.isEmpty()) {
            return TYPE_UNKNOWN;
        }
        switch (type.get()) {
            case DETAIL:
                return TYPE_DETAIL;
            case MIN_DELTA:
                return TYPE_MIN_DELTA;
            case APPEND_ONLY:
                return TYPE_APPEND_ONLY;
            default:
                throw new IllegalStateException("Increment type " + type + " has no number.");
        }
    }

    private static IncrementType incrementType(StateReader in) throws IOException {
        int number = in.readByte();
        switch (number) {
            case TYPE_UNKNOWN:
                return null;
            case TYPE_DETAIL:
                return IncrementType.DETAIL;
            case TYPE_MIN_DELTA:
                return IncrementType.MIN_DELTA;
            case TYPE_APPEND_ONLY:
                return IncrementType.APPEND_ONLY;
            default:
                throw in.damaged("increment type " + number + " is unknown");
        }
    }
}
