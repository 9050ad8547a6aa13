package org.apache.doris.flink.cfg;

import org.apache.doris.flink.config.LoadProperties;
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

    static final int DEFAULT_BUFFER_SIZE = 1024 * 1024;
    static final int DEFAULT_BUFFER_COUNT = 3;
    static final int DEFAULT_FLUSH_QUEUE_SIZE = 2;
    static final int DEFAULT_FLUSH_MAX_ROWS = 500000;
    static final int DEFAULT_FLUSH_MAX_BYTES = 100 * 1024 * 1024;
    static final long DEFAULT_FLUSH_INTERVAL_MS = 10 * 1000;

    private final int checkInterval;
    private final int maxRetries;
    private final int bufferSize;
    private final int bufferCount;
    private final String labelPrefix;
    private final boolean useCache;
    private final boolean httpUtf8Charset;
    private final Properties streamLoadProp;
    private final Boolean deletable;
    private Boolean enable2PC;
    private final boolean force2PC;
    private final boolean batchMode;
    private final int flushQueueSize;
    private final int bufferFlushMaxRows;
    private final int bufferFlushMaxBytes;
    private final long bufferFlushIntervalMs;
    private final boolean ignoreUpdateBefore;
    private final WriteMode writeMode;
    private final boolean ignoreCommitError;

    private DorisExecutionOptions(Builder builder) {
        this.checkInterval = builder.checkInterval;
        this.maxRetries = builder.maxRetries;
        this.bufferSize = builder.bufferSize;
        this.bufferCount = builder.bufferCount;
        this.labelPrefix = builder.labelPrefix;
        this.useCache = builder.useCache;
        this.httpUtf8Charset = builder.httpUtf8Charset;
        this.streamLoadProp = complete(builder.streamLoadProp);
        this.deletable = builder.deletable;
        this.enable2PC = builder.enable2PC;
        this.force2PC = builder.force2PC;
        this.batchMode = builder.batchMode;
        this.flushQueueSize = builder.flushQueueSize;
        this.bufferFlushMaxRows = builder.bufferFlushMaxRows;
        this.bufferFlushMaxBytes = builder.bufferFlushMaxBytes;
        this.bufferFlushIntervalMs = builder.bufferFlushIntervalMs;
        this.ignoreUpdateBefore = builder.ignoreUpdateBefore;
        this.writeMode = builder.writeMode;
        this.ignoreCommitError = builder.ignoreCommitError;
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

    /** Without effect. */
    public Integer checkInterval() {
        return checkInterval;
    }

    /** Attempts after the first of loads and commits. */
    public Integer getMaxRetries() {
        return maxRetries;
    }

    /** Bytes of one buffer between task and upload. */
    public int getBufferSize() {
        return bufferSize;
    }

    /** Buffers per open load. */
    public int getBufferCount() {
        return bufferCount;
    }

    /** Start of all labels; blank for a random one. */
    public String getLabelPrefix() {
        return labelPrefix;
    }

    /** Whether all that was sent is kept, so that a broken load can be sent again. */
    public boolean isUseCache() {
        return useCache;
    }

    /** Without effect: headers are always sent as UTF-8. */
    public boolean isHttpUtf8Charset() {
        return httpUtf8Charset;
    }

    /** Stream Load parameters, with the defaults that every load has. */
    public Properties getStreamLoadProp() {
        return streamLoadProp;
    }

    /** Whether the row kind, or the delete sign that a serializer writes, deletes rows. */
    public Boolean getDeletable() {
        return deletable;
    }

    /** Whether loads are committed with the checkpoint. */
    public Boolean enabled2PC() {
        return enable2PC;
    }

    /** Switches the two-phase commit. */
    public void setEnable2PC(Boolean enable2PC) {
        this.enable2PC = enable2PC;
    }

    /** Whether the two-phase commit was asked for explicitly. */
    public boolean force2PC() {
        return force2PC;
    }

    /** Buffers that may wait for upload in batch mode. */
    public int getFlushQueueSize() {
        return flushQueueSize;
    }

    /** Rows after which a buffer is flushed in batch mode. */
    public int getBufferFlushMaxRows() {
        return bufferFlushMaxRows;
    }

    /** Bytes after which a buffer is flushed in batch mode. */
    public int getBufferFlushMaxBytes() {
        return bufferFlushMaxBytes;
    }

    /** Longest wait of a row in batch mode, in milliseconds. */
    public long getBufferFlushIntervalMs() {
        return bufferFlushIntervalMs;
    }

    /** Whether rows are sent buffer by buffer. */
    public boolean enableBatchMode() {
        return batchMode;
    }

    /**
     * Whether rows of the kind {@code -U} are left out where the table cannot delete; elsewhere
     * they delete.
     */
    public boolean getIgnoreUpdateBefore() {
        return ignoreUpdateBefore;
    }

    /** The way rows take to Doris. */
    public WriteMode getWriteMode() {
        return writeMode;
    }

    /** Whether a transaction that Doris says it no longer has is skipped. */
    public boolean ignoreCommitError() {
        return ignoreCommitError;
    }

    @Override
    public boolean equals(Object other) {
        if (other == null || getClass() != other.getClass()) {
            return false;
        }
        DorisExecutionOptions that = (DorisExecutionOptions) other;
        return checkInterval == that.checkInterval
                && maxRetries == that.maxRetries
                && bufferSize == that.bufferSize
                && bufferCount == that.bufferCount
                && Objects.equals(labelPrefix, that.labelPrefix)
                && useCache == that.useCache
                && httpUtf8Charset == that.httpUtf8Charset
                && streamLoadProp.equals(that.streamLoadProp)
                && Objects.equals(deletable, that.deletable)
                && Objects.equals(enable2PC, that.enable2PC)
                && force2PC == that.force2PC
                && batchMode == that.batchMode
                && flushQueueSize == that.flushQueueSize
                && bufferFlushMaxRows == that.bufferFlushMaxRows
                && bufferFlushMaxBytes == that.bufferFlushMaxBytes
                && bufferFlushIntervalMs == that.bufferFlushIntervalMs
                && ignoreUpdateBefore == that.ignoreUpdateBefore
                && writeMode == that.writeMode
                && ignoreCommitError == that.ignoreCommitError;
    }

    @Override
    public int hashCode() {
        return Objects.hash(labelPrefix, streamLoadProp, deletable, enable2PC, writeMode);
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

        private int checkInterval = DEFAULT_CHECK_INTERVAL;
        private int maxRetries = DEFAULT_MAX_RETRY_TIMES;
        private int bufferSize = DEFAULT_BUFFER_SIZE;
        private int bufferCount = DEFAULT_BUFFER_COUNT;
        private String labelPrefix = "";
        private boolean useCache;
        private boolean httpUtf8Charset;
        private Properties streamLoadProp = new Properties();
        private boolean deletable = true;
        private boolean enable2PC = true;
        private boolean force2PC;
        private boolean batchMode;
        private int flushQueueSize = DEFAULT_FLUSH_QUEUE_SIZE;
        private int bufferFlushMaxRows = DEFAULT_FLUSH_MAX_ROWS;
        private int bufferFlushMaxBytes = DEFAULT_FLUSH_MAX_BYTES;
        private long bufferFlushIntervalMs = DEFAULT_FLUSH_INTERVAL_MS;
        private boolean ignoreUpdateBefore = true;
        private WriteMode writeMode = WriteMode.STREAM_LOAD;
        private boolean ignoreCommitError;

        /** Without effect. */
        public Builder setCheckInterval(Integer checkInterval) {
            this.checkInterval = checkInterval;
            return this;
        }

        /** Attempts after the first of loads and commits, 0 or more; 3 by default. */
        public Builder setMaxRetries(Integer maxRetries) {
            this.maxRetries = maxRetries;
            return this;
        }

        /** Bytes of one buffer between task and upload; 1 MB by default. */
        public Builder setBufferSize(int bufferSize) {
            this.bufferSize = bufferSize;
            return this;
        }

        /** Buffers per open load, 2 or more; 3 by default. */
        public Builder setBufferCount(int bufferCount) {
            this.bufferCount = bufferCount;
            return this;
        }

        /** Start of all labels, unique per job; random by default. */
        public Builder setLabelPrefix(String labelPrefix) {
            this.labelPrefix = labelPrefix;
            return this;
        }

        /** Whether all that was sent is kept, so that a broken load can be sent again. */
        public Builder setUseCache(boolean useCache) {
            this.useCache = useCache;
            return this;
        }

        /** Without effect: headers are always sent as UTF-8. */
        public Builder setHttpUtf8Charset(boolean httpUtf8Charset) {
            this.httpUtf8Charset = httpUtf8Charset;
            return this;
        }

        /** Stream Load parameters by name. They are copied when the options are made. */
        public Builder setStreamLoadProp(Properties streamLoadProp) {
            this.streamLoadProp = streamLoadProp;
            return this;
        }

        /** Whether the row kind, or the delete sign that a serializer writes, deletes rows. */
        public Builder setDeletable(Boolean deletable) {
            this.deletable = deletable;
            return this;
        }

        /** Rows become visible when a load ends, before its checkpoint: at least once. */
        public Builder disable2PC() {
            this.enable2PC = false;
            this.force2PC = false;
            return this;
        }

        /** Rows become visible with their checkpoint: exactly once. Needs a label prefix. */
        public Builder enable2PC() {
            this.enable2PC = true;
            this.force2PC = true;
            return this;
        }

        /** Whether rows are sent buffer by buffer; refused until that is built. */
        public Builder setBatchMode(Boolean batchMode) {
            this.batchMode = batchMode;
            return this;
        }

        /** Buffers that may wait for upload in batch mode. */
        public Builder setFlushQueueSize(int flushQueueSize) {
            this.flushQueueSize = flushQueueSize;
            return this;
        }

        /** Longest wait of a row in batch mode, in milliseconds. */
        public Builder setBufferFlushIntervalMs(long bufferFlushIntervalMs) {
            this.bufferFlushIntervalMs = bufferFlushIntervalMs;
            return this;
        }

        /** Rows after which a buffer is flushed in batch mode. */
        public Builder setBufferFlushMaxRows(int bufferFlushMaxRows) {
            this.bufferFlushMaxRows = bufferFlushMaxRows;
            return this;
        }

        /** Bytes after which a buffer is flushed in batch mode. */
        public Builder setBufferFlushMaxBytes(int bufferFlushMaxBytes) {
            this.bufferFlushMaxBytes = bufferFlushMaxBytes;
            return this;
        }

        /**
         * Whether rows of the kind {@code -U} are left out where the table cannot delete; true by
         * default. Elsewhere they delete, whatever is set here.
         */
        public Builder setIgnoreUpdateBefore(boolean ignoreUpdateBefore) {
            this.ignoreUpdateBefore = ignoreUpdateBefore;
            return this;
        }

        /** The way rows take to Doris; {@code STREAM_LOAD} by default. */
        public Builder setWriteMode(WriteMode writeMode) {
            this.writeMode = writeMode;
            return this;
        }

        /** Whether a transaction that Doris says it no longer has is skipped: data may be lost. */
        public Builder setIgnoreCommitError(boolean ignoreCommitError) {
            this.ignoreCommitError = ignoreCommitError;
            return this;
        }

        /** Makes the options. */
        public DorisExecutionOptions build() {
            return new DorisExecutionOptions(this);
        }
    }
}
