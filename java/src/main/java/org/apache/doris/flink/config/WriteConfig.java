package org.apache.doris.flink.config;

import org.apache.doris.flink.config.option.DorisConfigOptions;
import org.apache.doris.flink.config.option.OptionValues;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;

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

    /** Value of {@link #replayBufferSize} that means no limit. */
    public static final long UNLIMITED = -1;

    /** Value of {@link #compressLevel} that means the default of the compressor. */
    public static final int DEFAULT_LEVEL = -1;

    private static final int MAX = Integer.MAX_VALUE;

    private final String labelPrefix;
    private final boolean twoPhase;
    private final boolean groupCommit;
    private final boolean enableDelete;
    private final boolean autoRedirect;
    private final int maxRetries;
    private final long bufferSize;
    private final int bufferCount;
    private final long replayBufferSize;
    private final int compressLevel;
    private final boolean ignoreUpdateBefore;
    private final boolean keepsOtherColumns;
    private final boolean ignoreCommitError;
    private final Duration precommitTimeout;
    private final TreeMap<String, String> properties;
    private final long userTimeout;

    private WriteConfig(OptionValues options) {
        Map<String, String> given = LoadProperties.given(options);
        labelPrefix = options.text(DorisConfigOptions.LABEL_PREFIX).orElse("");
        groupCommit = LoadProperties.isGroupCommit(given);
        twoPhase = !groupCommit && options.bool(DorisConfigOptions.ENABLE_2PC);
        enableDelete = options.bool(DorisConfigOptions.ENABLE_DELETE);
        autoRedirect = options.bool(DorisConfigOptions.AUTO_REDIRECT);
        maxRetries = options.integer(DorisConfigOptions.SINK_MAX_RETRIES, 0, MAX);
        bufferSize = options.bytes(DorisConfigOptions.SINK_BUFFER_SIZE, MemorySize.parse("1kb"));
        bufferCount = options.integer(DorisConfigOptions.SINK_BUFFER_COUNT, 2, MAX);
        replayBufferSize =
                options.bool(DorisConfigOptions.SINK_USE_CACHE)
                        ? UNLIMITED
                        : options.bytes(
                                DorisConfigOptions.SINK_REPLAY_BUFFER_SIZE, MemorySize.ZERO);
        compressLevel =
                options.has(DorisConfigOptions.SINK_COMPRESS_LEVEL)
                        ? options.integer(DorisConfigOptions.SINK_COMPRESS_LEVEL, 0, MAX)
                        : DEFAULT_LEVEL;
        ignoreUpdateBefore = options.bool(DorisConfigOptions.IGNORE_UPDATE_BEFORE);
        keepsOtherColumns = LoadProperties.keepsOtherColumns(given);
        ignoreCommitError = options.bool(DorisConfigOptions.IGNORE_COMMIT_ERROR);
        precommitTimeout =
                options.duration(DorisConfigOptions.PRECOMMIT_TIMEOUT, Duration.ofSeconds(60));
        properties = new TreeMap<>(LoadProperties.resolve(given));
        userTimeout = LoadProperties.timeout(given).orElse(0);
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

    /** Whether the row kind decides between upsert and delete, where the table can delete. */
    public boolean enableDelete() {
        return enableDelete;
    }

    /** Whether a front end is asked for the back end of a load. */
    public boolean autoRedirect() {
        return autoRedirect;
    }

    /** Attempts after the first of a commit and of a load that can be sent again; 0 or more. */
    public int maxRetries() {
        return maxRetries;
    }

    /** Bytes of one buffer between task thread and upload, 1024 or more. */
    public long bufferSize() {
        return bufferSize;
    }

    /** Buffers per open load, 2 or more. */
    public int bufferCount() {
        return bufferCount;
    }

    /** Compressed bytes kept per subtask to be sent again; 0 for none, or {@link #UNLIMITED}. */
    public long replayBufferSize() {
        return replayBufferSize;
    }

    /** Level of the compressor, or {@link #DEFAULT_LEVEL}. */
    public int compressLevel() {
        return compressLevel;
    }

    /**
     * Whether the planner is asked for a stream without {@code -U}. One that comes all the same
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

    /** Whether a transaction that Doris says it no longer has is skipped. */
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
