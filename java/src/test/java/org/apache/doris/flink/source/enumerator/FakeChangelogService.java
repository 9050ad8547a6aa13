package org.apache.doris.flink.source.enumerator;

import org.apache.doris.flink.source.offset.OffsetTable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** A cluster that the test moves by hand and that counts what it is asked. */
final class FakeChangelogService implements ChangelogService {

    long position;
    final List<String> asked = new ArrayList<>();
    final Map<Long, String> partitions = new TreeMap<>();
    boolean unique = true;
    long ttlSeconds = 86_400;
    boolean history = true;
    OptionalLong tableId = OptionalLong.of(10011);
    List<String> warnings = List.of();
    long hash = -77;
    long instant;
    Exception positionFailure;
    Exception tableFailure;
    Exception partitionsFailure;
    final FakeOffsets offsets = new FakeOffsets();
    boolean closed;

    FakeChangelogService(long position) {
        this.position = position;
    }

    /** How often a question was asked. */
    long asked(String question) {
        return asked.stream().filter(question::equals).count();
    }

    @Override
    public TableFacts table(BooleanSupplier cancelled) throws Exception {
        asked.add("table");
        throwIf(tableFailure);
        return new TableFacts(unique, history, ttlSeconds, tableId, warnings);
    }

    @Override
    public long position(BooleanSupplier cancelled) throws Exception {
        asked.add("position");
        throwIf(positionFailure);
        return position;
    }

    @Override
    public Instant instant(String text, BooleanSupplier cancelled) {
        asked.add("instant " + text);
        return new Instant(instant, "America/New_York");
    }

    @Override
    public Map<Long, String> partitions(BooleanSupplier cancelled) throws Exception {
        asked.add("partitions");
        throwIf(partitionsFailure);
        return new TreeMap<>(partitions);
    }

    @Override
    public long probe(BooleanSupplier cancelled) {
        asked.add("probe");
        return hash;
    }

    @Override
    public OffsetTable offsets() {
        return offsets;
    }

    @Override
    public void close() {
        closed = true;
    }

    private static void throwIf(Exception failure) throws Exception {
        if (failure != null) {
            throw failure;
        }
    }

    /** An offset table whose writes end at once, unless the test holds or fails them. */
    static final class FakeOffsets implements OffsetTable {

        OptionalLong row = OptionalLong.empty();
        Exception readFailure;
        IOException writeFailure;
        boolean hold;
        int reads;
        final List<Long> written = new ArrayList<>();

        @Override
        public OptionalLong read(BooleanSupplier cancelled) throws Exception {
            reads++;
            throwIf(readFailure);
            return row;
        }

        @Override
        public Write write(long millis) {
            return new Write() {
                @Override
                public boolean await(long waitMillis) {
                    return !hold;
                }

                @Override
                public void result() throws IOException {
                    if (writeFailure != null) {
                        throw writeFailure;
                    }
                    written.add(millis);
                    row = OptionalLong.of(millis);
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public String describe() {
            return "consumer 'c' in offset table ops.offsets";
        }
    }
}
