package org.apache.doris.flink.sink.overwrite;

import org.apache.doris.flink.state.StateReader;
import org.apache.doris.flink.state.StateWriter;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;

/** The news that a table is there, from the JobManager to the task that swaps it in. */
@Internal
public final class ReplacementSplit implements IteratorSourceSplit<String, Iterator<String>> {

    /** The one serializer; it has no state. */
    static final SimpleVersionedSerializer<ReplacementSplit> SERIALIZER = new Serializer();

    private static final char BETWEEN = '\n';

    private final List<String> left;

    private ReplacementSplit(List<String> left) {
        this.left = List.copyOf(left);
    }

    /** The news of one table. */
    static ReplacementSplit of(Replacement replacement) {
        return new ReplacementSplit(List.of(replacement.name() + BETWEEN + replacement.created()));
    }

    /** The table that an emitted text is the news of. */
    static Replacement read(String text) {
        int at = text.indexOf(BETWEEN);
        return new Replacement(text.substring(0, at), text.substring(at + 1));
    }

    @Override
    public String splitId() {
        return "replacement";
    }

    @Override
    public Iterator<String> getIterator() {
        return left.iterator();
    }

    @Override
    public ReplacementSplit getUpdatedSplitForIterator(Iterator<String> iterator) {
        return iterator.hasNext() ? this : new ReplacementSplit(List.of());
    }

    private static final class Serializer implements SimpleVersionedSerializer<ReplacementSplit> {

        private static final int VERSION = 1;
        private static final String WHAT = "table of INSERT OVERWRITE";

        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(ReplacementSplit split) throws IOException {
            StateWriter out = new StateWriter();
            out.writeBoolean(!split.left.isEmpty());
            for (String text : split.left) {
                out.writeText(text);
            }
            return out.toByteArray();
        }

        @Override
        public ReplacementSplit deserialize(int version, byte[] serialized) throws IOException {
            if (version != VERSION) {
                throw StateReader.unknownVersion(WHAT, version, VERSION);
            }
            StateReader in = new StateReader(WHAT, serialized);
            List<String> left = in.readBoolean() ? List.of(in.readText()) : List.of();
            in.end();
            return new ReplacementSplit(left);
        }
    }
}
