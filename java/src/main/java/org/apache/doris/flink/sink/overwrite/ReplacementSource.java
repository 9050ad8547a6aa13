package org.apache.doris.flink.sink.overwrite;

import org.apache.flink.annotation.Internal;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceReader;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Makes the table that takes the target's place when the job starts, emits its name once it is
 * there, and drops it at the end of the job unless it was swapped in. A source, because the
 * enumerator of one is what Flink starts before the tasks and closes however the job ends.
 */
@Internal
public final class ReplacementSource implements Source<String, ReplacementSplit, ReplacementSplit> {

    private static final long serialVersionUID = 1L;

    private final Replacements.Factory replacements;
    private final String target;

    /**
     * @param target name of the table that is overwritten, for messages
     */
    public ReplacementSource(Replacements.Factory replacements, String target) {
        this.replacements = replacements;
        this.target = target;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SplitEnumerator<ReplacementSplit, ReplacementSplit> createEnumerator(
            SplitEnumeratorContext<ReplacementSplit> context) {
        return new ReplacementEnumerator(context, replacements, target);
    }

    /** In batch execution there is no checkpoint to restore from. */
    @Override
    public SplitEnumerator<ReplacementSplit, ReplacementSplit> restoreEnumerator(
            SplitEnumeratorContext<ReplacementSplit> context, ReplacementSplit made) {
        return createEnumerator(context);
    }

    @Override
    public SimpleVersionedSerializer<ReplacementSplit> getSplitSerializer() {
        return ReplacementSplit.SERIALIZER;
    }

    @Override
    public SimpleVersionedSerializer<ReplacementSplit> getEnumeratorCheckpointSerializer() {
        return ReplacementSplit.SERIALIZER;
    }

    @Override
    public SourceReader<String, ReplacementSplit> createReader(SourceReaderContext context) {
        return new IteratorSourceReader<>(context);
    }
}
