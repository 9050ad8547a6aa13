package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.flink.annotation.Internal;

import java.io.Serializable;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * How a sink writes: commit, labels, buffers, retries, Stream Load parameters. Immutable; its
 * values have been checked, and so have their combinations.
 */
@Internal
public final class WriteConfig implements Serializable {

    private static final long serialVersionUID = 1L;

    /** Text of {@code sink.replay-buffer-size} that means no limit. */
    private static final String UNLIMITED = "-1";

    private final String labelPrefix;
    private final boolean twoPhase;
    private final boolean groupCommit;
    private final boolean batch;
    private final long batchRows;
    private final Duration batchInterval;
    private final boolean enableDelete;
    private final long bufferSize;
    private final boolean ignoreUpdateBefore;
    private final boolean keepsOtherColumns;
    private final boolean ignoreCommitError;
    private final Duration precommitTimeout;
    private final TreeMap<String, String> sent;
    private final TreeMap<String, String> properties;
    private final long userTimeout;

    private WriteConfig(OptionValues options) {
        Map<String, String> given = LoadProperties.given(options);
        labelPrefix = options.text(SinkOptions.LABEL_PREFIX).orElse("");
        groupCommit = LoadProperties.isGroupCommit(given);
        batch = SinkOptions.isBatch(options);
        batchRows = options.get(SinkOptions.FLUSH_MAX_ROWS);
        batchInterval = options.get(SinkOptions.FLUSH_INTERVAL);
        twoPhase = !groupCommit && !batch && options.get(SinkOptions.ENABLE_2PC);
        enableDelete = options.get(SinkOptions.ENABLE_DELETE);
        bufferSize =
                batch
                        ? batchBuffer(options.get(SinkOptions.FLUSH_MAX_BYTES).getBytes())
                        : options.get(SinkOptions.BUFFER_SIZE).getBytes();
        ignoreUpdateBefore = options.get(SinkOptions.IGNORE_UPDATE_BEFORE);
        keepsOtherColumns = LoadProperties.keepsOtherColumns(given);
        ignoreCommitError = options.get(SinkOptions.IGNORE_COMMIT_ERROR);
        precommitTimeout = options.get(SinkOptions.PRECOMMIT_TIMEOUT);
        sent = new TreeMap<>(options.sent(SinkOptions.ofWriting()));
        sent.put(
                CommonOptions.AUTO_REDIRECT.key(),
                options.get(CommonOptions.AUTO_REDIRECT).toString());
        sent.put(SinkOptions.BUFFER_SIZE.key(), String.valueOf(bufferSize));
        if (options.get(SinkOptions.USE_CACHE)) {
            sent.put(SinkOptions.REPLAY_BUFFER_SIZE.key(), UNLIMITED);
        }
        properties = new TreeMap<>(LoadProperties.resolve(given));
        userTimeout = LoadProperties.timeout(given).orElse(0);
    }

    /** Several buffers make a load, so that it is cut close to its size. */
    private static long batchBuffer(long loadSize) {
        return Math.min(SinkOptions.BUFFER_SIZE.byDefault().getBytes(), loadSize / 4);
    }

    /** Reads the options of writing, which have been checked before. */
    public static WriteConfig from(OptionValues options) {
        return new WriteConfig(options);
    }

    /** Start of all labels as the user gave it; empty when a random one is to be drawn. */
    public Optional<String> labelPrefix() {
        return labelPrefix.isEmpty() ? Optional.empty() : Optional.of(labelPrefix);
    }

    /** Whether loads are pre-committed and committed after the checkpoint. */
    public boolean twoPhase() {
        return twoPhase;
    }

    /** Whether the server gathers loads into groups: no labels, no two-phase commit. */
    public boolean groupCommit() {
        return groupCommit;
    }

    /** Whether rows are sent load by load, each cut by rows, bytes or age, without a commit. */
    public boolean batch() {
        return batch;
    }

    /** In batch mode: most rows of a load. */
    public long batchRows() {
        return batchRows;
    }

    /** In batch mode: how long a row waits at most before its load is sent. */
    public Duration batchInterval() {
        return batchInterval;
    }

    /** Whether the row kind decides between upsert and delete, where the table can delete. */
    public boolean enableDelete() {
        return enableDelete;
    }

    /** Bytes of one buffer between task thread and upload, 1024 or more. */
    public long bufferSize() {
        return bufferSize;
    }

    /** What goes to the native core as it is, by the keys of the options. */
    public Map<String, String> sent() {
        return Collections.unmodifiableMap(sent);
    }

    /**
     * Whether the planner is to produce a stream without {@code -U}. One that arrives nevertheless
     * deletes; it is left out only where the table cannot delete.
     */
    public boolean ignoreUpdateBefore() {
        return ignoreUpdateBefore;
    }

    /**
     * Whether a row that takes another one's place leaves something of it, so that a delete in
     * between would lose it: partial and flexible updates, and loads that name a sequence column.
     */
    public boolean keepsOtherColumns() {
        return keepsOtherColumns;
    }

    /** Whether the commit of a transaction that Doris no longer has is skipped. */
    public boolean ignoreCommitError() {
        return ignoreCommitError;
    }

    /** After which time the server drops a pre-committed transaction; 60 s or more. */
    public Duration precommitTimeout() {
        return precommitTimeout;
    }

    /**
     * Stream Load parameters by lower-case name, as they are sent. {@code format} and {@code
     * compress_type} are always there, {@code timeout} only if the user gave it.
     */
    public Map<String, String> properties() {
        return Collections.unmodifiableMap(properties);
    }

    /** Seconds that a load may run on the server, if the user set them. */
    public OptionalLong userTimeout() {
        return userTimeout > 0 ? OptionalLong.of(userTimeout) : OptionalLong.empty();
    }

    @Override
    public String toString() {
        return "WriteConfig{labelPrefix='"
                + labelPrefix
                + "', twoPhase="
                + twoPhase
                + ", properties="
                + properties
                + '}';
    }
}
