package org.apache.doris.flink.cfg;

import org.apache.doris.flink.source.DorisBinlogIncrementType;
import org.apache.doris.flink.source.DorisChangelogIncrementType;
import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.flink.annotation.PublicEvolving;

import java.io.Serializable;

/**
 * How to read, and the timeouts and retries of requests, which hold for writing as well. Values are
 * checked when a source or sink is built. What a value means is said at the option of the same name
 * in docs/options.md.
 */
@PublicEvolving
public class DorisReadOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    private final ReadValues values;

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
        values = new ReadValues();
        values.readFields = readFields;
        values.filterQuery = filterQuery;
        values.requestTabletSize = requestTabletSize;
        values.requestConnectTimeoutMs = requestConnectTimeoutMs;
        values.requestReadTimeoutMs = requestReadTimeoutMs;
        values.requestQueryTimeoutS = requestQueryTimeoutS;
        values.requestRetries = requestRetries;
        values.requestBatchSize = requestBatchSize;
        values.execMemLimit = execMemLimit;
        values.deserializeQueueSize = deserializeQueueSize;
        values.deserializeArrowAsync = deserializeArrowAsync;
        values.useOldApi = useOldApi;
        values.useFlightSql = useFlightSql;
        values.flightSqlPort = flightSqlPort;
        values.rowLimit = rowLimit;
        values.thriftMaxMessageSize = thriftMaxMessageSize;
        values.scanMode = scanMode;
        values.scanTimestamp = scanTimestamp;
        values.incrementType = binlogIncrementType;
        values.pollIntervalMs = binlogPollIntervalMs;
        values.offsetTable = binlogOffsetTable;
        values.consumerId = binlogConsumerId;
    }

    private DorisReadOptions(ReadValues values) {
        this.values = new ReadValues(values);
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
        return values.readFields;
    }

    /** Predicate in Doris' dialect; null for none. */
    public String getFilterQuery() {
        return values.filterQuery;
    }

    /** Tablets per split; null for as many as follow from the parallelism. */
    public Integer getRequestTabletSize() {
        return values.requestTabletSize;
    }

    /** Longest wait for a connection, in milliseconds. */
    public Integer getRequestConnectTimeoutMs() {
        return values.requestConnectTimeoutMs;
    }

    /** Longest wait for an answer, in milliseconds. */
    public Integer getRequestReadTimeoutMs() {
        return values.requestReadTimeoutMs;
    }

    /** Longest run time of a query, in seconds. */
    public Integer getRequestQueryTimeoutS() {
        return values.requestQueryTimeoutS;
    }

    /** Attempts after the first. */
    public Integer getRequestRetries() {
        return values.requestRetries;
    }

    /** Rows per batch. */
    public Integer getRequestBatchSize() {
        return values.requestBatchSize;
    }

    /** Bytes that a back end may use for a split. */
    public Long getExecMemLimit() {
        return values.execMemLimit;
    }

    /** Batches fetched ahead. */
    public Integer getDeserializeQueueSize() {
        return values.deserializeQueueSize;
    }

    /** Without effect: decoding is always outside the task thread. */
    public Boolean getDeserializeArrowAsync() {
        return values.deserializeArrowAsync;
    }

    /** Without effect: there is one source. */
    public boolean getUseOldApi() {
        return Boolean.TRUE.equals(values.useOldApi);
    }

    /** Whether reading goes through Arrow Flight SQL. */
    public boolean getUseFlightSql() {
        return !Boolean.FALSE.equals(values.useFlightSql);
    }

    /** Flight port of the front ends; -1 asks the cluster. */
    public Integer getFlightSqlPort() {
        return values.flightSqlPort;
    }

    /** Most rows; null for all. */
    public Long getRowLimit() {
        return values.rowLimit;
    }

    /** Without effect: reading goes through Arrow Flight SQL. */
    public Integer getThriftMaxMessageSize() {
        return values.thriftMaxMessageSize;
    }

    /** What a new job reads. */
    public DorisSourceScanMode getScanMode() {
        return values.scanMode;
    }

    /** Start of {@link DorisSourceScanMode#FROM_TIMESTAMP}; null with the other modes. */
    public String getScanTimestamp() {
        return values.scanTimestamp;
    }

    /** Which changes are read. */
    public DorisBinlogIncrementType getBinlogIncrementType() {
        return values.incrementType;
    }

    /** Which changes are read. */
    public DorisChangelogIncrementType getChangelogIncrementType() {
        return values.incrementType == null
                ? null
                : DorisChangelogIncrementType.of(values.incrementType);
    }

    /** How often the newest position is looked up, in milliseconds. */
    public Long getBinlogPollIntervalMs() {
        return values.pollIntervalMs;
    }

    /** How often the newest position is looked up, in milliseconds. */
    public Long getChangelogPollIntervalMs() {
        return values.pollIntervalMs;
    }

    /** How long a window waits for open transactions, in milliseconds. */
    public Long getChangelogVisibleWaitTimeoutMs() {
        return values.visibleWaitTimeoutMs;
    }

    /** Table that publishes progress; null for none. */
    public String getBinlogOffsetTable() {
        return values.offsetTable;
    }

    /** Table that publishes progress; null for none. */
    public String getChangelogOffsetTable() {
        return values.offsetTable;
    }

    /** The job's row in the offset table; null for none. */
    public String getBinlogConsumerId() {
        return values.consumerId;
    }

    /** The job's row in the offset table; null for none. */
    public String getChangelogConsumerId() {
        return values.consumerId;
    }

    /** Parts of the keys that are followed in parallel; null for one. */
    public String getChangelogSlices() {
        return values.slices;
    }

    /** Upper length of one window, in milliseconds; null to fit it to the checkpoints. */
    public Long getChangelogMaxWindowMs() {
        return values.maxWindowMs;
    }

    /** What follows when needed changes have expired; null for what Doris does. */
    public String getChangelogOnExpired() {
        return values.onExpired;
    }

    /** Chooses the columns to read. */
    public void setReadFields(String readFields) {
        values.readFields = readFields;
    }

    /** Sets the predicate. */
    public void setFilterQuery(String filterQuery) {
        values.filterQuery = filterQuery;
    }

    /** Sets the limit. */
    public void setRowLimit(Long rowLimit) {
        values.rowLimit = rowLimit;
    }

    /** Sets the Flight port. */
    public void setFlightSqlPort(Integer flightSqlPort) {
        values.flightSqlPort = flightSqlPort;
    }

    /** Options with the same values. */
    public DorisReadOptions copy() {
        return new DorisReadOptions(values);
    }

    @Override
    public boolean equals(Object other) {
        return other != null
                && getClass() == other.getClass()
                && values.equals(((DorisReadOptions) other).values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Builds {@link DorisReadOptions}. */
    public static class Builder {

        private final ReadValues values = new ReadValues();

        /** Columns to read, in order; null for all. */
        public Builder setReadFields(String readFields) {
            values.readFields = readFields;
            return this;
        }

        /** Predicate in Doris' dialect; null for none. */
        public Builder setFilterQuery(String filterQuery) {
            values.filterQuery = filterQuery;
            return this;
        }

        /** Tablets per split; null for as many as follow from the parallelism. */
        public Builder setRequestTabletSize(Integer requestTabletSize) {
            values.requestTabletSize = requestTabletSize;
            return this;
        }

        /** Longest wait for a connection, in milliseconds. */
        public Builder setRequestConnectTimeoutMs(Integer requestConnectTimeoutMs) {
            values.requestConnectTimeoutMs = requestConnectTimeoutMs;
            return this;
        }

        /** Longest wait for an answer, in milliseconds. */
        public Builder setRequestReadTimeoutMs(Integer requestReadTimeoutMs) {
            values.requestReadTimeoutMs = requestReadTimeoutMs;
            return this;
        }

        /** Longest run time of a query, in seconds. */
        public Builder setRequestQueryTimeoutS(Integer requestQueryTimeoutS) {
            values.requestQueryTimeoutS = requestQueryTimeoutS;
            return this;
        }

        /** Attempts after the first. */
        public Builder setRequestRetries(Integer requestRetries) {
            values.requestRetries = requestRetries;
            return this;
        }

        /** Rows per batch. */
        public Builder setRequestBatchSize(Integer requestBatchSize) {
            values.requestBatchSize = requestBatchSize;
            return this;
        }

        /** Bytes that a back end may use for a split. */
        public Builder setExecMemLimit(Long execMemLimit) {
            values.execMemLimit = execMemLimit;
            return this;
        }

        /** Batches fetched ahead. */
        public Builder setDeserializeQueueSize(Integer deserializeQueueSize) {
            values.deserializeQueueSize = deserializeQueueSize;
            return this;
        }

        /** Without effect: decoding is always outside the task thread. */
        public Builder setDeserializeArrowAsync(Boolean deserializeArrowAsync) {
            values.deserializeArrowAsync = deserializeArrowAsync;
            return this;
        }

        /** Without effect: there is one source. */
        public Builder setUseOldApi(Boolean useOldApi) {
            values.useOldApi = useOldApi;
            return this;
        }

        /** Whether reading goes through Arrow Flight SQL. */
        public Builder setUseFlightSql(Boolean useFlightSql) {
            values.useFlightSql = useFlightSql;
            return this;
        }

        /** Flight port of the front ends; -1 asks the cluster. */
        public Builder setFlightSqlPort(Integer flightSqlPort) {
            values.flightSqlPort = flightSqlPort;
            return this;
        }

        /** Without effect: reading goes through Arrow Flight SQL. */
        public Builder setThriftMaxMessageSize(Integer thriftMaxMessageSize) {
            values.thriftMaxMessageSize = thriftMaxMessageSize;
            return this;
        }

        /** What a new job reads. */
        public Builder setScanMode(DorisSourceScanMode scanMode) {
            values.scanMode = scanMode;
            return this;
        }

        /** Start of {@link DorisSourceScanMode#FROM_TIMESTAMP}, {@code yyyy-MM-dd HH:mm:ss}. */
        public Builder setScanTimestamp(String scanTimestamp) {
            values.scanTimestamp = scanTimestamp;
            return this;
        }

        /** Which changes are read. */
        public Builder setBinlogIncrementType(DorisBinlogIncrementType binlogIncrementType) {
            values.incrementType = binlogIncrementType;
            return this;
        }

        /** Which changes are read. */
        public Builder setChangelogIncrementType(DorisChangelogIncrementType incrementType) {
            return setBinlogIncrementType(incrementType == null ? null : incrementType.former());
        }

        /** How often the newest position is looked up, in milliseconds. */
        public Builder setBinlogPollIntervalMs(Long binlogPollIntervalMs) {
            values.pollIntervalMs = binlogPollIntervalMs;
            return this;
        }

        /** How often the newest position is looked up, in milliseconds. */
        public Builder setChangelogPollIntervalMs(Long pollIntervalMs) {
            return setBinlogPollIntervalMs(pollIntervalMs);
        }

        /** How long a window waits for open transactions, in milliseconds. */
        public Builder setChangelogVisibleWaitTimeoutMs(Long visibleWaitTimeoutMs) {
            values.visibleWaitTimeoutMs = visibleWaitTimeoutMs;
            return this;
        }

        /** Table that publishes progress; needs a consumer id and a JDBC URL. */
        public Builder setBinlogOffsetTable(String binlogOffsetTable) {
            values.offsetTable = binlogOffsetTable;
            return this;
        }

        /** Table that publishes progress; needs a consumer id and a JDBC URL. */
        public Builder setChangelogOffsetTable(String offsetTable) {
            return setBinlogOffsetTable(offsetTable);
        }

        /** The job's row in the offset table. */
        public Builder setBinlogConsumerId(String binlogConsumerId) {
            values.consumerId = binlogConsumerId;
            return this;
        }

        /** The job's row in the offset table. */
        public Builder setChangelogConsumerId(String consumerId) {
            return setBinlogConsumerId(consumerId);
        }

        /** Parts of the keys that are followed in parallel: a number, or {@code partitions}. */
        public Builder setChangelogSlices(String slices) {
            values.slices = slices;
            return this;
        }

        /** Upper length of one window, in milliseconds; null to fit it to the checkpoints. */
        public Builder setChangelogMaxWindowMs(Long maxWindowMs) {
            values.maxWindowMs = maxWindowMs;
            return this;
        }

        /** What follows when needed changes have expired: {@code doris-default} or {@code fail}. */
        public Builder setChangelogOnExpired(String onExpired) {
            values.onExpired = onExpired;
            return this;
        }

        /** Makes the options. */
        public DorisReadOptions build() {
            return new DorisReadOptions(values);
        }
    }
}
