package org.apache.doris.flink.cfg;

import org.apache.doris.flink.config.option.ReadOptions;
import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;

/**
 * How a lookup join asks Doris. Not supported yet: nothing takes these values, and a lookup join in
 * SQL is refused.
 */
@PublicEvolving
public class DorisLookupOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    private final ObjectValues values;

    /** All values; {@link #builder} names them. */
    public DorisLookupOptions(
            long cacheMaxSize,
            long cacheExpireMs,
            int maxRetryTimes,
            int jdbcReadBatchSize,
            int jdbcReadBatchQueueSize,
            int jdbcReadThreadSize,
            boolean async) {
        this(
                builder()
                        .setCacheMaxSize(cacheMaxSize)
                        .setCacheExpireMs(cacheExpireMs)
                        .setMaxRetryTimes(maxRetryTimes)
                        .setJdbcReadBatchSize(jdbcReadBatchSize)
                        .setJdbcReadBatchQueueSize(jdbcReadBatchQueueSize)
                        .setJdbcReadThreadSize(jdbcReadThreadSize)
                        .setAsync(async));
    }

    private DorisLookupOptions(Builder builder) {
        this.values = new ObjectValues(builder.values);
    }

    /** A builder with all defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Most keys kept in a task's cache; -1 and 0 switch it off. */
    public long getCacheMaxSize() {
        return values.number(ReadOptions.LOOKUP_CACHE_MAX_ROWS);
    }

    /** Life of a cache entry after it was written, in milliseconds. */
    public long getCacheExpireMs() {
        return values.number(ReadOptions.LOOKUP_CACHE_TTL);
    }

    /** Attempts after the first when a lookup fails. */
    public int getMaxRetryTimes() {
        return values.integer(ReadOptions.LOOKUP_MAX_RETRIES);
    }

    /** Most keys in one asynchronous query. */
    public int getJdbcReadBatchSize() {
        return values.integer(ReadOptions.LOOKUP_BATCH_SIZE);
    }

    /** Keys that may wait per task. */
    public int getJdbcReadBatchQueueSize() {
        return values.integer(ReadOptions.LOOKUP_QUEUE_SIZE);
    }

    /** Connections per task. */
    public int getJdbcReadThreadSize() {
        return values.integer(ReadOptions.LOOKUP_THREAD_SIZE);
    }

    /** Whether lookups are asynchronous, several keys per query. */
    public boolean isAsync() {
        return values.flag(ReadOptions.LOOKUP_ASYNC);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DorisLookupOptions
                && values.equals(((DorisLookupOptions) other).values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Builds {@link DorisLookupOptions}. */
    public static class Builder {

        private final ObjectValues values = new ObjectValues();

        /** Most keys kept in a task's cache; -1 and 0 switch it off; -1 by default. */
        public Builder setCacheMaxSize(long cacheMaxSize) {
            values.set(ReadOptions.LOOKUP_CACHE_MAX_ROWS, cacheMaxSize);
            return this;
        }

        /** Life of a cache entry after it was written, in milliseconds; 10,000 by default. */
        public Builder setCacheExpireMs(long cacheExpireMs) {
            values.set(ReadOptions.LOOKUP_CACHE_TTL, cacheExpireMs);
            return this;
        }

        /** Attempts after the first when a lookup fails; 1 by default. */
        public Builder setMaxRetryTimes(int maxRetryTimes) {
            values.set(ReadOptions.LOOKUP_MAX_RETRIES, maxRetryTimes);
            return this;
        }

        /** Most keys in one asynchronous query; 128 by default. */
        public Builder setJdbcReadBatchSize(int jdbcReadBatchSize) {
            values.set(ReadOptions.LOOKUP_BATCH_SIZE, jdbcReadBatchSize);
            return this;
        }

        /** Keys that may wait per task; 256 by default. */
        public Builder setJdbcReadBatchQueueSize(int jdbcReadBatchQueueSize) {
            values.set(ReadOptions.LOOKUP_QUEUE_SIZE, jdbcReadBatchQueueSize);
            return this;
        }

        /** Connections per task; 3 by default. */
        public Builder setJdbcReadThreadSize(int jdbcReadThreadSize) {
            values.set(ReadOptions.LOOKUP_THREAD_SIZE, jdbcReadThreadSize);
            return this;
        }

        /** Whether lookups are asynchronous, several keys per query; false by default. */
        public Builder setAsync(boolean async) {
            values.set(ReadOptions.LOOKUP_ASYNC, async);
            return this;
        }

        /** Makes the options. */
        public DorisLookupOptions build() {
            return new DorisLookupOptions(this);
        }
    }
}
