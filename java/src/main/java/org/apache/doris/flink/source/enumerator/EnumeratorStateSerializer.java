package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.config.ScanMode;
import org.apache.doris.flink.config.SliceScheme;
import org.apache.doris.flink.config.TableIdentifier;
import org.apache.doris.flink.source.split.DorisSplit;
import org.apache.doris.flink.source.split.DorisSplitSerializer;
import org.apache.doris.flink.state.StateReader;
import org.apache.doris.flink.state.StateWriter;
import org.apache.flink.annotation.Internal;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Checkpoint format of {@link EnumeratorState}; the splits inside carry a version of their own. */
@Internal
public final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {

    /** The one instance; it has no state. */
    public static final EnumeratorStateSerializer INSTANCE = new EnumeratorStateSerializer();

    private static final int VERSION = 4;
    private static final String WHAT = "source enumerator";

    private EnumeratorStateSerializer() {}

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(EnumeratorState state) throws IOException {
        StateWriter out = new StateWriter();
        writeV1(out, state);
        writeSchemeChangeV2(out, state.changelog());
        writeNetFromV3(out, state.changelog());
        writeTabletsV4(out, state);
        return out.toByteArray();
    }

    @Override
    public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
        if (version < 1 || version > VERSION) {
            throw StateReader.unknownVersion(WHAT, version, VERSION);
        }
        StateReader in = new StateReader(WHAT, serialized);
        EnumeratorState state = read(in, version);
        in.end();
        return state;
    }

    private static void writeV1(StateWriter out, EnumeratorState state) throws IOException {
        out.writeText(state.table().catalog());
        out.writeText(state.table().database());
        out.writeText(state.table().table());
        writeOptional(out, state.tableId());
        out.writeByte(state.scanMode().number());
        out.writeBoolean(state.planned());
        out.writeInt(state.splitsTotal());

        DorisSplitSerializer splits = DorisSplitSerializer.INSTANCE;
        out.writeInt(splits.getVersion());
        out.writeInt(state.unassigned().size());
        for (DorisSplit split : state.unassigned()) {
            out.writeBytes(splits.serialize(split));
        }

        ChangelogState changelog = state.changelog();
        out.writeByte(changelog.phase().number());
        writeOptional(out, changelog.startMillis());
        writeOptional(out, changelog.boundMillis());
        changelog.scheme().write(out);
        writeOptional(out, changelog.probeHash());
        out.writeInt(changelog.covered().size());
        for (Map.Entry<String, Long> slice : changelog.covered().entrySet()) {
            out.writeText(slice.getKey());
            out.writeLong(slice.getValue());
        }
        out.writeInt(changelog.partitions().size());
        for (Map.Entry<Long, Long> partition : changelog.partitions().entrySet()) {
            out.writeLong(partition.getKey());
            out.writeLong(partition.getValue());
        }
    }

    /** Version 1 has no change of the slice scheme and lists partitions at each bound. */
    private static void writeSchemeChangeV2(StateWriter out, ChangelogState changelog)
            throws IOException {
        writeOptional(out, changelog.listedMillis());
        changelog.formerScheme().write(out);
        writeOptional(out, changelog.lastMillis());
    }

    /** Before version 3 the start of net changes is not known, and determined again. */
    private static void writeNetFromV3(StateWriter out, ChangelogState changelog)
            throws IOException {
        writeOptional(out, changelog.netFromMillis());
    }

    /** Before version 4 readers check by themselves that the tablets still exist. */
    private static void writeTabletsV4(StateWriter out, EnumeratorState state) throws IOException {
        out.writeInt(state.tablets().size());
        for (long tablet : state.tablets()) {
            out.writeLong(tablet);
        }
    }

    private static Set<Long> readTablets(StateReader in) throws IOException {
        int count = in.readCount(Long.BYTES);
        Set<Long> tablets = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            tablets.add(in.readLong());
        }
        if (tablets.size() != count) {
            throw in.damaged("a tablet is listed twice");
        }
        return tablets;
    }

    private static EnumeratorState read(StateReader in, int version) throws IOException {
        TableIdentifier table = new TableIdentifier(in.readText(), in.readText(), in.readText());
        OptionalLong tableId = readOptional(in);
        int mode = in.readByte();
        ScanMode scanMode =
                ScanMode.ofNumber(mode)
                        .orElseThrow(() -> in.damaged("scan mode " + mode + " is unknown"));
        boolean planned = in.readBoolean();
        int splitsTotal = in.readInt();

        int splitVersion = in.readInt();
        int count = in.readCount(Integer.BYTES);
        List<DorisSplit> unassigned = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            unassigned.add(DorisSplitSerializer.INSTANCE.deserialize(splitVersion, in.readBytes()));
        }
        ChangelogState.Builder changelog = readChangelogV1(in);
        if (version >= 2) {
            changelog.listed(readOptional(in)).former(SliceScheme.read(in), readOptional(in));
        }
        if (version >= 3) {
            changelog.netFrom(readOptional(in));
        }
        Set<Long> tablets = version >= 4 ? readTablets(in) : Set.of();
        return new EnumeratorState(
                table,
                tableId,
                scanMode,
                planned,
                splitsTotal,
                unassigned,
                tablets,
                changelog.build());
    }

    private static ChangelogState.Builder readChangelogV1(StateReader in) throws IOException {
        EnumeratorState.Phase phase = phase(in);
        OptionalLong start = readOptional(in);
        OptionalLong bound = readOptional(in);
        SliceScheme scheme = SliceScheme.read(in);
        OptionalLong probeHash = readOptional(in);
        Map<String, Long> covered = new TreeMap<>();
        int slices = in.readCount(Integer.BYTES + Long.BYTES);
        for (int i = 0; i < slices; i++) {
            covered.put(in.readText(), in.readLong());
        }
        Map<Long, Long> partitions = new TreeMap<>();
        int known = in.readCount(2 * Long.BYTES);
        for (int i = 0; i < known; i++) {
            partitions.put(in.readLong(), in.readLong());
        }
        if (covered.size() != slices || partitions.size() != known) {
            throw in.damaged("a slice or a partition is listed twice");
        }
        return ChangelogState.builder()
                .phase(phase)
                .start(start)
                .bound(bound)
                .listed(bound)
                .scheme(scheme)
                .probe(probeHash)
                .covered(covered)
                .partitions(partitions);
    }

    private static EnumeratorState.Phase phase(StateReader in) throws IOException {
        int number = in.readByte();
        for (EnumeratorState.Phase phase : EnumeratorState.Phase.values()) {
            if (phase.number() == number) {
                return phase;
            }
        }
        throw in.damaged("phase " + number + " is unknown");
    }

    private static void writeOptional(StateWriter out, OptionalLong value) throws IOException {
        out.writeBoolean(value.isPresent());
        if (value.isPresent()) {
            out.writeLong(value.getAsLong());
        }
    }

    private static OptionalLong readOptional(StateReader in) throws IOException {
        return in.readBoolean() ? OptionalLong.of(in.readLong()) : OptionalLong.empty();
    }
}
