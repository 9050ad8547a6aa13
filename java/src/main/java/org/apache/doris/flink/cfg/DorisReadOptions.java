package org.apache.doris.flink.cfg;

import org.apache.doris.flink.config.option.ChangelogOptions;
import org.apache.doris.flink.config.option.CommonOptions;
import org.apache.doris.flink.config.option.ReadOptions;
import org.apache.doris.flink.source.DorisBinlogIncrementType;
import org.apache.doris.flink.source.DorisChangelogIncrementType;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;
import java.util.Objects;

/**
 * How to read, and the timeouts and retries of requests, which hold for writing as well. Values are
 * checked when a source or sink is built. What a value means is documented at the option of the
 * same name in docs/options.md.
 */
@PublicEvolving
public class DorisReadOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    private static final String SECONDS = " s";

    private final ObjectValues values;
    private String readFields;
    private Long rowLimit;

    /** The values of a snapshot read; those of a wrapper type may be null. */
    public DorisReadOptions(
            String readFields,
            String filterQuery,
            Integer requestTabletSize,
            Integer requestConnectTimeoutMs,
            Integer requestReadTimeoutMs,
            Integer requestQueryTimeoutS,
            Integer requestRetries,
            Integer requestBatchSize,
            Long execMemLimit,
            Integer deserializeQueueSize,
            Boolean deserializeArrowAsync,
            boolean useOldApi,
            boolean useFlightSql,
            Integer flightSqlPort,
            Long rowLimit) {
        this(
                readFields,
                filterQuery,
                requestTabletSize,
                requestConnectTimeoutMs,
                requestReadTimeoutMs,
                requestQueryTimeoutS,
                requestRetries,
                requestBatchSize,
                execMemLimit,
                deserializeQueueSize,
                deserializeArrowAsync,
                useOldApi,
                useFlightSql,
                flightSqlPort,
                rowLimit,
                Integer.MAX_VALUE,
                DorisSourceScanMode.SNAPSHOT,
                null,
                DorisBinlogIncrementType.DETAIL,
                10_000L);
    }

    /** As before, and how to follow changes, without an offset table. */
    public DorisReadOptions(
            String readFields,
            String filterQuery,
            Integer requestTabletSize,
            Integer requestConnectTimeoutMs,
            Integer requestReadTimeoutMs,
            Integer requestQueryTimeoutS,
            Integer requestRetries,
            Integer requestBatchSize,
            Long execMemLimit,
            Integer deserializeQueueSize,
            Boolean deserializeArrowAsync,
            boolean useOldApi,
            boolean useFlightSql,
            Integer flightSqlPort,
            Long rowLimit,
            Integer thriftMaxMessageSize,
            DorisSourceScanMode scanMode,
            String scanTimestamp,
            DorisBinlogIncrementType binlogIncrementType,
            Long binlogPollIntervalMs) {
        this(
                readFields,
                filterQuery,
                requestTabletSize,
                requestConnectTimeoutMs,
                requestReadTimeoutMs,
                requestQueryTimeoutS,
                requestRetries,
                requestBatchSize,
                execMemLimit,
                deserializeQueueSize,
                deserializeArrowAsync,
                useOldApi,
                useFlightSql,
                flightSqlPort,
                rowLimit,
                thriftMaxMessageSize,
                scanMode,
                scanTimestamp,
                binlogIncrementType,
                binlogPollIntervalMs,
                null,
                null);
    }

    /** As before, with an offset table. */
    public DorisReadOptions(
            String readFields,
            String filterQuery,
            Integer requestTabletSize,
            Integer requestConnectTimeoutMs,
            Integer requestReadTimeoutMs,
            Integer requestQueryTimeoutS,
            Integer requestRetries,
            Integer requestBatchSize,
            Long execMemLimit,
            Integer deserializeQueueSize,
            Boolean deserializeArrowAsync,
            boolean useOldApi,
            boolean useFlightSql,
            Integer flightSqlPort,
            Long rowLimit,
            Integer thriftMaxMessageSize,
            DorisSourceScanMode scanMode,
            String scanTimestamp,
            DorisBinlogIncrementType binlogIncrementType,
            Long binlogPollIntervalMs,
            String binlogOffsetTable,
            String binlogConsumerId) {
        values = new ObjectValues();
        this.readFields = readFields;
        this.rowLimit = rowLimit;
        values.set(ReadOptions.FILTER_QUERY, filterQuery);
        values.set(ReadOptions.TABLET_SIZE, requestTabletSize);
        values.set(CommonOptions.CONNECT_TIMEOUT, requestConnectTimeoutMs);
        values.set(CommonOptions.READ_TIMEOUT, requestReadTimeoutMs);
        values.set(ReadOptions.QUERY_TIMEOUT, seconds(requestQueryTimeoutS));
        values.set(CommonOptions.REQUEST_RETRIES, requestRetries);
        values.set(ReadOptions.BATCH_SIZE, requestBatchSize);
        values.set(ReadOptions.EXEC_MEM_LIMIT, execMemLimit);
        values.set(ReadOptions.DESERIALIZE_QUEUE_SIZE, deserializeQueueSize);
        values.set(ReadOptions.DESERIALIZE_ARROW_ASYNC, deserializeArrowAsync);
        values.set(ReadOptions.USE_OLD_API, useOldApi);
        values.set(ReadOptions.USE_FLIGHT_SQL, useFlightSql);
        values.set(ReadOptions.FLIGHT_SQL_PORT, flightSqlPort);
        values.set(ReadOptions.THRIFT_MAX_MESSAGE_SIZE, thriftMaxMessageSize);
        values.set(ChangelogOptions.SCAN_MODE, word(scanMode));
        values.set(ChangelogOptions.SCAN_TIMESTAMP, scanTimestamp);
        values.set(ChangelogOptions.INCREMENT_TYPE, word(binlogIncrementType));
        values.set(ChangelogOptions.POLL_INTERVAL, binlogPollIntervalMs);
        values.set(ChangelogOptions.OFFSET_TABLE, binlogOffsetTable);
        values.set(ChangelogOptions.CONSUMER_ID, binlogConsumerId);
    }

    private DorisReadOptions(ObjectValues values, String readFields, Long rowLimit) {
        this.values = new ObjectValues(values);
        this.readFields = readFields;
        this.rowLimit = rowLimit;
    }

    /** What was set, but for the choice of columns and the limit. */
    ObjectValues values() {
        return values;
    }

    /** A builder with all defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** All defaults. */
    public static DorisReadOptions defaults() {
        return builder().build();
    }

    /** Columns to read, in order; null for all. */
    public String getReadFields() {
        return readFields;
    }

    /** Predicate in Doris' dialect; null for none. */
    public String getFilterQuery() {
        return values.text(ReadOptions.FILTER_QUERY);
    }

    /** Tablets per split; null for as many as follow from the parallelism. */
    public Integer getRequestTabletSize() {
        return values.integer(ReadOptions.TABLET_SIZE);
    }

    /** Longest wait for a connection, in milliseconds. */
    public Integer getRequestConnectTimeoutMs() {
        return values.integer(CommonOptions.CONNECT_TIMEOUT);
    }

    /** Longest wait for an answer, in milliseconds. */
    public Integer getRequestReadTimeoutMs() {
        return values.integer(CommonOptions.READ_TIMEOUT);
    }

    /** Longest run time of a query, in seconds. */
    public Integer getRequestQueryTimeoutS() {
        String text = values.text(ReadOptions.QUERY_TIMEOUT);
        return text == null
                ? null
                : Integer.valueOf(
                        text.endsWith(SECONDS)
                                ? text.substring(0, text.length() - SECONDS.length())
                                : String.valueOf(Long.parseLong(text) / 1000));
    }

    /** Attempts after the first. */
    public Integer getRequestRetries() {
        return values.integer(CommonOptions.REQUEST_RETRIES);
    }

    /** Rows per batch. */
    public Integer getRequestBatchSize() {
        return values.integer(ReadOptions.BATCH_SIZE);
    }

    /** Bytes that a back end may use for a split. */
    public Long getExecMemLimit() {
        return values.number(ReadOptions.EXEC_MEM_LIMIT);
    }

    /** Batches fetched ahead. */
    public Integer getDeserializeQueueSize() {
        return values.integer(ReadOptions.DESERIALIZE_QUEUE_SIZE);
    }

    /** Without effect: decoding is always outside the task thread. */
    public Boolean getDeserializeArrowAsync() {
        return values.flag(ReadOptions.DESERIALIZE_ARROW_ASYNC);
    }

    /** Without effect: there is one source. */
    public boolean getUseOldApi() {
        return Boolean.TRUE.equals(values.flag(ReadOptions.USE_OLD_API));
    }

    /** Whether reading goes through Arrow Flight SQL. */
    public boolean getUseFlightSql() {
        return !Boolean.FALSE.equals(values.flag(ReadOptions.USE_FLIGHT_SQL));
    }

    /** Flight port of the front ends; -1: as the cluster reports it. */
    public Integer getFlightSqlPort() {
        return values.integer(ReadOptions.FLIGHT_SQL_PORT);
    }

    /** Most rows; null for all. */
    public Long getRowLimit() {
        return rowLimit;
    }

    /** Without effect: reading goes through Arrow Flight SQL. */
    public Integer getThriftMaxMessageSize() {
        return values.integer(ReadOptions.THRIFT_MAX_MESSAGE_SIZE);
    }

    /** What a new job reads. */
    public DorisSourceScanMode getScanMode() {
        String word = values.text(ChangelogOptions.SCAN_MODE);
        return word == null ? null : DorisSourceScanMode.fromOption(word);
    }

    /** Start of {@link DorisSourceScanMode#FROM_TIMESTAMP}; null with the other modes. */
    public String getScanTimestamp() {
        return values.text(ChangelogOptions.SCAN_TIMESTAMP);
    }

    /** Which changes are read. */
    public DorisBinlogIncrementType getBinlogIncrementType() {
        String word = values.text(ChangelogOptions.INCREMENT_TYPE);
        return word == null ? null : DorisBinlogIncrementType.fromOption(word);
    }

    /** Which changes are read. */
    public DorisChangelogIncrementType getChangelogIncrementType() {
        DorisBinlogIncrementType type = getBinlogIncrementType();
        return type == null ? null : DorisChangelogIncrementType.of(type);
    }

    /** How often the newest position is looked up, in milliseconds. */
    public Long getBinlogPollIntervalMs() {
        return values.number(ChangelogOptions.POLL_INTERVAL);
    }

    /** How often the newest position is looked up, in milliseconds. */
    public Long getChangelogPollIntervalMs() {
        return values.number(ChangelogOptions.POLL_INTERVAL);
    }

    /** How long a window waits for open transactions, in milliseconds. */
    public Long getChangelogVisibleWaitTimeoutMs() {
        return values.number(ChangelogOptions.VISIBLE_WAIT_TIMEOUT);
    }

    /** Table that publishes progress; null for none. */
    public String getBinlogOffsetTable() {
        return values.text(ChangelogOptions.OFFSET_TABLE);
    }

    /** Table that publishes progress; null for none. */
    public String getChangelogOffsetTable() {
        return values.text(ChangelogOptions.OFFSET_TABLE);
    }

    /** The job's row in the offset table; null for none. */
    public String getBinlogConsumerId() {
        return values.text(ChangelogOptions.CONSUMER_ID);
    }

    /** The job's row in the offset table; null for none. */
    public String getChangelogConsumerId() {
        return values.text(ChangelogOptions.CONSUMER_ID);
    }

    /** Parts of the keys that are followed in parallel; null for one. */
    public String getChangelogSlices() {
        return values.kept(ChangelogOptions.SLICES);
    }

    /** Upper length of one window, in milliseconds; null to fit it to the checkpoints. */
    public Long getChangelogMaxWindowMs() {
        return values.number(ChangelogOptions.MAX_WINDOW);
    }

    /** What follows when needed changes have expired; null for what Doris does. */
    public String getChangelogOnExpired() {
        return values.kept(ChangelogOptions.ON_EXPIRED);
    }

    /** Native memory that one reader may hold in batches, in bytes. */
    public long getReadBufferSize() {
        return values.number(ReadOptions.READ_BUFFER_SIZE);
    }

    /** Flight addresses to be replaced, as {@code host:port=host:port}; null for none. */
    public String getFlightHostMapping() {
        return values.text(ReadOptions.FLIGHT_HOST_MAPPING);
    }

    /** Library to load instead of the one in the jar, for sources and sinks; null for that one. */
    public String getNativeLibraryPath() {
        return values.text(CommonOptions.NATIVE_LIBRARY_PATH);
    }

    /** Threads of the native runtime, of sources and sinks; null for the default. */
    public Integer getNativeWorkerThreads() {
        return values.integer(CommonOptions.NATIVE_WORKER_THREADS);
    }

    /** Chooses the columns to read. */
    public void setReadFields(String readFields) {
        this.readFields = readFields;
    }

    /** Sets the predicate. */
    public void setFilterQuery(String filterQuery) {
        values.set(ReadOptions.FILTER_QUERY, filterQuery);
    }

    /** Sets the limit. */
    public void setRowLimit(Long rowLimit) {
        this.rowLimit = rowLimit;
    }

    /** Sets the Flight port. */
    public void setFlightSqlPort(Integer flightSqlPort) {
        values.set(ReadOptions.FLIGHT_SQL_PORT, flightSqlPort);
    }

    /** Options with the same values. */
    public DorisReadOptions copy() {
        return new DorisReadOptions(values, readFields, rowLimit);
    }

    @Override
    public boolean equals(Object other) {
        return other != null
                && getClass() == other.getClass()
                && values.equals(((DorisReadOptions) other).values)
                && Objects.equals(readFields, ((DorisReadOptions) other).readFields)
                && Objects.equals(rowLimit, ((DorisReadOptions) other).rowLimit);
    }

    @Override
    public int hashCode() {
        return Objects.hash(values, readFields, rowLimit);
    }

    private static String seconds(Integer seconds) {
        return seconds == null ? null : seconds + SECONDS;
    }

    private static String word(DorisSourceScanMode mode) {
        return mode == null ? null : mode.option();
    }

    private static String word(DorisBinlogIncrementType type) {
        return type == null ? null : type.option();
    }

    /** Builds {@link DorisReadOptions}. */
    public static class Builder {

        private final ObjectValues values = new ObjectValues();
        private String readFields;

        /** Columns to read, in order; null for all. */
        public Builder setReadFields(String readFields) {
            this.readFields = readFields;
            return this;
        }

        /** Predicate in Doris' dialect; null for none. */
        public Builder setFilterQuery(String filterQuery) {
            values.set(ReadOptions.FILTER_QUERY, filterQuery);
            return this;
        }

        /** Tablets per split; null for as many as follow from the parallelism. */
        public Builder setRequestTabletSize(Integer requestTabletSize) {
            values.set(ReadOptions.TABLET_SIZE, requestTabletSize);
            return this;
        }

        /** Longest wait for a connection, in milliseconds. */
        public Builder setRequestConnectTimeoutMs(Integer requestConnectTimeoutMs) {
            values.set(CommonOptions.CONNECT_TIMEOUT, requestConnectTimeoutMs);
            return this;
        }

        /** Longest wait for an answer, in milliseconds. */
        public Builder setRequestReadTimeoutMs(Integer requestReadTimeoutMs) {
            values.set(CommonOptions.READ_TIMEOUT, requestReadTimeoutMs);
            return this;
        }

        /** Longest run time of a query, in seconds. */
        public Builder setRequestQueryTimeoutS(Integer requestQueryTimeoutS) {
            values.set(ReadOptions.QUERY_TIMEOUT, seconds(requestQueryTimeoutS));
            return this;
        }

        /** Attempts after the first. */
        public Builder setRequestRetries(Integer requestRetries) {
            values.set(CommonOptions.REQUEST_RETRIES, requestRetries);
            return this;
        }

        /** Rows per batch. */
        public Builder setRequestBatchSize(Integer requestBatchSize) {
            values.set(ReadOptions.BATCH_SIZE, requestBatchSize);
            return this;
        }

        /** Bytes that a back end may use for a split. */
        public Builder setExecMemLimit(Long execMemLimit) {
            values.set(ReadOptions.EXEC_MEM_LIMIT, execMemLimit);
            return this;
        }

        /** Batches fetched ahead. */
        public Builder setDeserializeQueueSize(Integer deserializeQueueSize) {
            values.set(ReadOptions.DESERIALIZE_QUEUE_SIZE, deserializeQueueSize);
            return this;
        }

        /** Without effect: decoding is always outside the task thread. */
        public Builder setDeserializeArrowAsync(Boolean deserializeArrowAsync) {
            values.set(ReadOptions.DESERIALIZE_ARROW_ASYNC, deserializeArrowAsync);
            return this;
        }

        /** Without effect: there is one source. */
        public Builder setUseOldApi(Boolean useOldApi) {
            values.set(ReadOptions.USE_OLD_API, useOldApi);
            return this;
        }

        /** Whether reading goes through Arrow Flight SQL. */
        public Builder setUseFlightSql(Boolean useFlightSql) {
            values.set(ReadOptions.USE_FLIGHT_SQL, useFlightSql);
            return this;
        }

        /** Flight port of the front ends; -1: as the cluster reports it. */
        public Builder setFlightSqlPort(Integer flightSqlPort) {
            values.set(ReadOptions.FLIGHT_SQL_PORT, flightSqlPort);
            return this;
        }

        /** Without effect: reading goes through Arrow Flight SQL. */
        public Builder setThriftMaxMessageSize(Integer thriftMaxMessageSize) {
            values.set(ReadOptions.THRIFT_MAX_MESSAGE_SIZE, thriftMaxMessageSize);
            return this;
        }

        /** What a new job reads. */
        public Builder setScanMode(DorisSourceScanMode scanMode) {
            values.set(ChangelogOptions.SCAN_MODE, word(scanMode));
            return this;
        }

        /** Start of {@link DorisSourceScanMode#FROM_TIMESTAMP}, {@code yyyy-MM-dd HH:mm:ss}. */
        public Builder setScanTimestamp(String scanTimestamp) {
            values.set(ChangelogOptions.SCAN_TIMESTAMP, scanTimestamp);
            return this;
        }

        /** Which changes are read. */
        public Builder setBinlogIncrementType(DorisBinlogIncrementType binlogIncrementType) {
            values.set(ChangelogOptions.INCREMENT_TYPE, word(binlogIncrementType));
            return this;
        }

        /** Which changes are read. */
        public Builder setChangelogIncrementType(DorisChangelogIncrementType incrementType) {
            return setBinlogIncrementType(incrementType == null ? null : incrementType.former());
        }

        /** How often the newest position is looked up, in milliseconds. */
        public Builder setBinlogPollIntervalMs(Long binlogPollIntervalMs) {
            values.set(ChangelogOptions.POLL_INTERVAL, binlogPollIntervalMs);
            return this;
        }

        /** How often the newest position is looked up, in milliseconds. */
        public Builder setChangelogPollIntervalMs(Long pollIntervalMs) {
            return setBinlogPollIntervalMs(pollIntervalMs);
        }

        /** How long a window waits for open transactions, in milliseconds. */
        public Builder setChangelogVisibleWaitTimeoutMs(Long visibleWaitTimeoutMs) {
            values.set(ChangelogOptions.VISIBLE_WAIT_TIMEOUT, visibleWaitTimeoutMs);
            return this;
        }

        /** Table that publishes progress; needs a consumer id and a JDBC URL. */
        public Builder setBinlogOffsetTable(String binlogOffsetTable) {
            values.set(ChangelogOptions.OFFSET_TABLE, binlogOffsetTable);
            return this;
        }

        /** Table that publishes progress; needs a consumer id and a JDBC URL. */
        public Builder setChangelogOffsetTable(String offsetTable) {
            return setBinlogOffsetTable(offsetTable);
        }

        /** The job's row in the offset table. */
        public Builder setBinlogConsumerId(String binlogConsumerId) {
            values.set(ChangelogOptions.CONSUMER_ID, binlogConsumerId);
            return this;
        }

        /** The job's row in the offset table. */
        public Builder setChangelogConsumerId(String consumerId) {
            return setBinlogConsumerId(consumerId);
        }

        /** Parts of the keys that are followed in parallel: a number, or {@code partitions}. */
        public Builder setChangelogSlices(String slices) {
            values.keep(ChangelogOptions.SLICES, slices);
            return this;
        }

        /** Upper length of one window, in milliseconds; null to fit it to the checkpoints. */
        public Builder setChangelogMaxWindowMs(Long maxWindowMs) {
            values.set(ChangelogOptions.MAX_WINDOW, maxWindowMs);
            return this;
        }

        /** What follows when needed changes have expired: {@code doris-default} or {@code fail}. */
        public Builder setChangelogOnExpired(String onExpired) {
            values.keep(ChangelogOptions.ON_EXPIRED, onExpired);
            return this;
        }

        /** Native memory that one reader may hold in batches, in bytes; 64 MB by default. */
        public Builder setReadBufferSize(long readBufferSize) {
            values.set(ReadOptions.READ_BUFFER_SIZE, readBufferSize);
            return this;
        }

        /** Flight addresses to be replaced, as {@code host:port=host:port}, several by commas. */
        public Builder setFlightHostMapping(String flightHostMapping) {
            values.set(ReadOptions.FLIGHT_HOST_MAPPING, flightHostMapping);
            return this;
        }

        /** Library to load instead of the one in the jar; counts for sinks as well. */
        public Builder setNativeLibraryPath(String nativeLibraryPath) {
            values.set(CommonOptions.NATIVE_LIBRARY_PATH, nativeLibraryPath);
            return this;
        }

        /** Threads of the native runtime; counts for sinks as well. */
        public Builder setNativeWorkerThreads(Integer nativeWorkerThreads) {
            values.set(CommonOptions.NATIVE_WORKER_THREADS, nativeWorkerThreads);
            return this;
        }

        /** Makes the options. */
        public DorisReadOptions build() {
            return new DorisReadOptions(values, readFields, null);
        }
    }
}
