package org.apache.doris.flink.cfg;

import org.apache.doris.flink.config.LoadProperties;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.SinkOptions;
import org.apache.doris.flink.sink.writer.WriteMode;
import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;
import java.util.Objects;
import java.util.Properties;

/** How to write. Values are checked when a sink is built. */
@PublicEvolving
public class DorisExecutionOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    /** Default of {@link #checkInterval}. */
    public static final int DEFAULT_CHECK_INTERVAL = 0;

    /** Default of {@link #getMaxRetries}. */
    public static final int DEFAULT_MAX_RETRY_TIMES = 3;

    private final ObjectValues values;
    private final Properties streamLoadProp;
    private final boolean force2PC;
    private final S3TvfOptions s3TvfOptions;
    private Boolean enable2PC;

    /**
     * All values, in the order of the official connector's release 25; {@link #builder} names them.
     */
    public DorisExecutionOptions(
            int checkInterval,
            int maxRetries,
            int bufferSize,
            int bufferCount,
            String labelPrefix,
            boolean useCache,
            Properties streamLoadProp,
            Boolean enableDelete,
            Boolean enable2PC,
            boolean enableBatchMode,
            int flushQueueSize,
            int bufferFlushMaxRows,
            int bufferFlushMaxBytes,
            long bufferFlushIntervalMs,
            boolean ignoreUpdateBefore,
            boolean force2PC,
            WriteMode writeMode,
            boolean ignoreCommitError) {
        this(
                checkInterval,
                maxRetries,
                bufferSize,
                bufferCount,
                labelPrefix,
                useCache,
                false,
                streamLoadProp,
                enableDelete,
                enable2PC,
                enableBatchMode,
                flushQueueSize,
                bufferFlushMaxRows,
                bufferFlushMaxBytes,
                bufferFlushIntervalMs,
                ignoreUpdateBefore,
                force2PC,
                writeMode,
                ignoreCommitError);
    }

    /** As before, with the charset of headers, which has no effect. */
    public DorisExecutionOptions(
            int checkInterval,
            int maxRetries,
            int bufferSize,
            int bufferCount,
            String labelPrefix,
            boolean useCache,
            boolean httpUtf8Charset,
            Properties streamLoadProp,
            Boolean enableDelete,
            Boolean enable2PC,
            boolean enableBatchMode,
            int flushQueueSize,
            int bufferFlushMaxRows,
            int bufferFlushMaxBytes,
            long bufferFlushIntervalMs,
            boolean ignoreUpdateBefore,
            boolean force2PC,
            WriteMode writeMode,
            boolean ignoreCommitError) {
        this(
                builder()
                        .setCheckInterval(checkInterval)
                        .setMaxRetries(maxRetries)
                        .setBufferSize(bufferSize)
                        .setBufferCount(bufferCount)
                        .setLabelPrefix(labelPrefix)
                        .setUseCache(useCache)
                        .setHttpUtf8Charset(httpUtf8Charset)
                        .setStreamLoadProp(streamLoadProp)
                        .setDeletable(enableDelete)
                        .twoPhaseCommit(enable2PC, force2PC)
                        .setBatchMode(enableBatchMode)
                        .setFlushQueueSize(flushQueueSize)
                        .setBufferFlushMaxRows(bufferFlushMaxRows)
                        .setBufferFlushMaxBytes(bufferFlushMaxBytes)
                        .setBufferFlushIntervalMs(bufferFlushIntervalMs)
                        .setIgnoreUpdateBefore(ignoreUpdateBefore)
                        .setWriteMode(writeMode)
                        .setIgnoreCommitError(ignoreCommitError));
    }

    private DorisExecutionOptions(Builder builder) {
        this.values = new ObjectValues(builder.values);
        this.streamLoadProp = complete(builder.streamLoadProp);
        this.enable2PC = builder.enable2PC;
        this.force2PC = builder.force2PC;
        this.s3TvfOptions = builder.s3TvfOptions;
    }

    /** A builder with all defaults; rows are CSV unless the parameters say otherwise. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder with all defaults for rows that are JSON, one a line. */
    public static Builder builderDefaults() {
        return builder().setStreamLoadProp(defaultsProperties());
    }

    /** All defaults, for rows that are JSON, one a line. */
    public static DorisExecutionOptions defaults() {
        return builderDefaults().build();
    }

    /** The Stream Load parameters of rows that are JSON, one a line. */
    public static Properties defaultsProperties() {
        Properties properties = new Properties();
        properties.setProperty(LoadProperties.FORMAT, LoadProperties.JSON);
        properties.setProperty(LoadProperties.READ_JSON_BY_LINE, "true");
        return properties;
    }

    /** What was set, but for the two-phase commit and the Stream Load parameters. */
    ObjectValues values() {
        return values;
    }

    /** Without effect. */
    public Integer checkInterval() {
        return values.integer(SinkOptions.CHECK_INTERVAL);
    }

    /** Attempts after the first of loads and commits. */
    public Integer getMaxRetries() {
        return values.integer(SinkOptions.MAX_RETRIES);
    }

    /** Bytes of one buffer between task and upload. */
    public int getBufferSize() {
        return values.integer(SinkOptions.BUFFER_SIZE);
    }

    /** Buffers per open load. */
    public int getBufferCount() {
        return values.integer(SinkOptions.BUFFER_COUNT);
    }

    /** Start of all labels; blank for a random one. */
    public String getLabelPrefix() {
        return Objects.requireNonNullElse(values.text(SinkOptions.LABEL_PREFIX), "");
    }

    /** Whether all that was sent is kept, so that a broken load can be sent again. */
    public boolean isUseCache() {
        return values.flag(SinkOptions.USE_CACHE);
    }

    /** Without effect: headers are always sent as UTF-8. */
    public boolean isHttpUtf8Charset() {
        return values.flag(CommonOptions.HTTP_UTF8_CHARSET);
    }

    /** Stream Load parameters, with the defaults that every load has. */
    public Properties getStreamLoadProp() {
        return streamLoadProp;
    }

    /** Whether the row kind, or the delete sign that a serializer writes, deletes rows. */
    public Boolean getDeletable() {
        return values.flag(SinkOptions.ENABLE_DELETE);
    }

    /** Whether loads are committed with the checkpoint. */
    public Boolean enabled2PC() {
        return enable2PC;
    }

    /** Switches the two-phase commit. */
    public void setEnable2PC(Boolean enable2PC) {
        this.enable2PC = enable2PC;
    }

    /** Whether the two-phase commit was requested explicitly. */
    public boolean force2PC() {
        return force2PC;
    }

    /** Batch mode: loads of a table that may wait for the one that is being sent. */
    public int getFlushQueueSize() {
        return values.integer(SinkOptions.FLUSH_QUEUE_SIZE);
    }

    /** Batch mode: rows with which a load is sent. */
    public int getBufferFlushMaxRows() {
        return values.integer(SinkOptions.FLUSH_MAX_ROWS);
    }

    /** Batch mode: bytes with which a load is sent, before compression. */
    public int getBufferFlushMaxBytes() {
        return values.integer(SinkOptions.FLUSH_MAX_BYTES);
    }

    /** Batch mode: longest wait of a row for its load, in milliseconds. */
    public long getBufferFlushIntervalMs() {
        return values.number(SinkOptions.FLUSH_INTERVAL);
    }

    /** Whether rows are sent in batch mode. */
    public boolean enableBatchMode() {
        return values.flag(SinkOptions.ENABLE_BATCH_MODE);
    }

    /**
     * Whether rows of the kind {@code -U} are left out where the table cannot delete; elsewhere
     * they delete.
     */
    public boolean getIgnoreUpdateBefore() {
        return values.flag(SinkOptions.IGNORE_UPDATE_BEFORE);
    }

    /** The way rows take to Doris. */
    public WriteMode getWriteMode() {
        return WriteMode.valueOf(values.text(SinkOptions.WRITE_MODE));
    }

    /** Whether the commit of a transaction that Doris no longer has is skipped. */
    public boolean ignoreCommitError() {
        return values.flag(SinkOptions.IGNORE_COMMIT_ERROR);
    }

    /** The object storage of {@link WriteMode#TVF}; null for none. */
    public S3TvfOptions getS3TvfOptions() {
        return s3TvfOptions;
    }

    /** Level of the compressor; null for the one that costs least time. */
    public Integer getCompressLevel() {
        return values.integer(SinkOptions.COMPRESS_LEVEL);
    }

    /** Compressed bytes kept per subtask, so that a broken load can be sent again. */
    public long getReplayBufferSize() {
        return values.number(SinkOptions.REPLAY_BUFFER_SIZE);
    }

    /** After which time Doris drops a pre-committed transaction, in milliseconds. */
    public long getPrecommitTimeoutMs() {
        return values.number(SinkOptions.PRECOMMIT_TIMEOUT);
    }

    @Override
    public boolean equals(Object other) {
        if (other == null || getClass() != other.getClass()) {
            return false;
        }
        DorisExecutionOptions that = (DorisExecutionOptions) other;
        return values.equals(that.values)
                && streamLoadProp.equals(that.streamLoadProp)
                && Objects.equals(enable2PC, that.enable2PC)
                && force2PC == that.force2PC
                && Objects.equals(s3TvfOptions, that.s3TvfOptions);
    }

    @Override
    public int hashCode() {
        return Objects.hash(values, streamLoadProp, enable2PC);
    }

    /** A copy of what the user gave, with compression and the line format of JSON filled in. */
    private static Properties complete(Properties given) {
        Properties properties = new Properties();
        if (given != null) {
            properties.putAll(given);
        }
        properties.putIfAbsent(LoadProperties.COMPRESS_TYPE, LoadProperties.GZ);
        if (LoadProperties.JSON.equalsIgnoreCase(properties.getProperty(LoadProperties.FORMAT))) {
            properties.putIfAbsent(LoadProperties.READ_JSON_BY_LINE, "true");
        }
        return properties;
    }

    /** Builds {@link DorisExecutionOptions}. */
    public static class Builder {

        private final ObjectValues values = new ObjectValues();
        private Properties streamLoadProp = new Properties();
        private Boolean enable2PC = true;
        private boolean force2PC;
        private S3TvfOptions s3TvfOptions;

        /** Without effect. */
        public Builder setCheckInterval(Integer checkInterval) {
            values.set(SinkOptions.CHECK_INTERVAL, checkInterval);
            return this;
        }

        /** Attempts after the first of loads and commits, 0 or more; 3 by default. */
        public Builder setMaxRetries(Integer maxRetries) {
            values.set(SinkOptions.MAX_RETRIES, maxRetries);
            return this;
        }

        /** Bytes of one buffer between task and upload; 1 MB by default. */
        public Builder setBufferSize(int bufferSize) {
            values.set(SinkOptions.BUFFER_SIZE, bufferSize);
            return this;
        }

        /** Buffers per open load, 2 or more; 3 by default. */
        public Builder setBufferCount(int bufferCount) {
            values.set(SinkOptions.BUFFER_COUNT, bufferCount);
            return this;
        }

        /** Start of all labels, unique per job; random by default. */
        public Builder setLabelPrefix(String labelPrefix) {
            values.set(SinkOptions.LABEL_PREFIX, labelPrefix);
            return this;
        }

        /** Whether all that was sent is kept, so that a broken load can be sent again. */
        public Builder setUseCache(boolean useCache) {
            values.set(SinkOptions.USE_CACHE, useCache);
            return this;
        }

        /** Without effect: headers are always sent as UTF-8. */
        public Builder setHttpUtf8Charset(boolean httpUtf8Charset) {
            values.set(CommonOptions.HTTP_UTF8_CHARSET, httpUtf8Charset);
            return this;
        }

        /** Stream Load parameters by name. They are copied when the options are made. */
        public Builder setStreamLoadProp(Properties streamLoadProp) {
            this.streamLoadProp = streamLoadProp;
            return this;
        }

        /** Whether the row kind, or the delete sign that a serializer writes, deletes rows. */
        public Builder setDeletable(Boolean deletable) {
            values.set(SinkOptions.ENABLE_DELETE, deletable);
            return this;
        }

        /** Rows become visible when a load ends, before its checkpoint: at least once. */
        public Builder disable2PC() {
            return twoPhaseCommit(false, false);
        }

        /** Rows become visible with their checkpoint: exactly once. Needs a label prefix. */
        public Builder enable2PC() {
            return twoPhaseCommit(true, true);
        }

        private Builder twoPhaseCommit(Boolean enabled, boolean forced) {
            this.enable2PC = enabled;
            this.force2PC = forced;
            return this;
        }

        /** Batch mode: the same as {@code setWriteMode(STREAM_LOAD_BATCH)}. */
        public Builder setBatchMode(Boolean batchMode) {
            values.set(SinkOptions.ENABLE_BATCH_MODE, batchMode);
            return this;
        }

        /** Batch mode: loads of a table that may wait for the one that is being sent. */
        public Builder setFlushQueueSize(int flushQueueSize) {
            values.set(SinkOptions.FLUSH_QUEUE_SIZE, flushQueueSize);
            return this;
        }

        /** Batch mode: longest wait of a row for its load, in milliseconds. */
        public Builder setBufferFlushIntervalMs(long bufferFlushIntervalMs) {
            values.set(SinkOptions.FLUSH_INTERVAL, bufferFlushIntervalMs);
            return this;
        }

        /** Batch mode: rows with which a load is sent. */
        public Builder setBufferFlushMaxRows(int bufferFlushMaxRows) {
            values.set(SinkOptions.FLUSH_MAX_ROWS, bufferFlushMaxRows);
            return this;
        }

        /** Batch mode: bytes with which a load is sent, before compression. */
        public Builder setBufferFlushMaxBytes(int bufferFlushMaxBytes) {
            values.set(SinkOptions.FLUSH_MAX_BYTES, bufferFlushMaxBytes);
            return this;
        }

        /**
         * Whether rows of the kind {@code -U} are left out where the table cannot delete; true by
         * default. Elsewhere they delete, whatever is set here.
         */
        public Builder setIgnoreUpdateBefore(boolean ignoreUpdateBefore) {
            values.set(SinkOptions.IGNORE_UPDATE_BEFORE, ignoreUpdateBefore);
            return this;
        }

        /** The way rows take to Doris; {@code STREAM_LOAD} by default. */
        public Builder setWriteMode(WriteMode writeMode) {
            values.set(
                    SinkOptions.WRITE_MODE, writeMode == null ? WriteMode.STREAM_LOAD : writeMode);
            return this;
        }

        /**
         * Whether the commit of a transaction that Doris no longer has is skipped: data may be
         * lost.
         */
        public Builder setIgnoreCommitError(boolean ignoreCommitError) {
            values.set(SinkOptions.IGNORE_COMMIT_ERROR, ignoreCommitError);
            return this;
        }

        /**
         * The object storage of {@link WriteMode#TVF}; null for none. A sink in that mode is
         * refused until it is built.
         */
        public Builder setS3TvfOptions(S3TvfOptions s3TvfOptions) {
            this.s3TvfOptions = s3TvfOptions;
            return this;
        }

        /** Level of the compressor; null for the one that costs least time. */
        public Builder setCompressLevel(Integer compressLevel) {
            values.set(SinkOptions.COMPRESS_LEVEL, compressLevel);
            return this;
        }

        /** Compressed bytes kept per subtask, so that a broken load can be sent again; 64 MB. */
        public Builder setReplayBufferSize(long replayBufferSize) {
            values.set(SinkOptions.REPLAY_BUFFER_SIZE, replayBufferSize);
            return this;
        }

        /** After which time Doris drops a pre-committed transaction, in milliseconds; an hour. */
        public Builder setPrecommitTimeoutMs(long precommitTimeoutMs) {
            values.set(SinkOptions.PRECOMMIT_TIMEOUT, precommitTimeoutMs);
            return this;
        }

        /** Makes the options. */
        public DorisExecutionOptions build() {
            return new DorisExecutionOptions(this);
        }
    }
}
