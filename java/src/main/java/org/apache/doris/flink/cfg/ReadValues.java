package org.apache.doris.flink.cfg;

import org.apache.doris.flink.source.DorisBinlogIncrementType;
import org.apache.doris.flink.source.DorisSourceScanMode;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Objects;

/** The values of {@link DorisReadOptions}, which its builder fills; defaults at first. */
final class ReadValues implements Serializable {

    private static final long serialVersionUID = 1L;

    String readFields;
    String filterQuery;
    Integer requestTabletSize;
    Integer requestConnectTimeoutMs = 60000;
    Integer requestReadTimeoutMs = 60000;
    Integer requestQueryTimeoutS = 21600;
    Integer requestRetries = 3;
    Integer requestBatchSize = 4064;
    Long execMemLimit = 8192L << 20;
    Integer deserializeQueueSize = 64;
    Boolean deserializeArrowAsync = false;
    Boolean useOldApi = false;
    Boolean useFlightSql = true;
    Integer flightSqlPort = -1;
    Long rowLimit;
    Integer thriftMaxMessageSize = Integer.MAX_VALUE;
    DorisSourceScanMode scanMode = DorisSourceScanMode.SNAPSHOT;
    String scanTimestamp;
    DorisBinlogIncrementType incrementType = DorisBinlogIncrementType.DETAIL;
    Long pollIntervalMs = 10_000L;
    Long visibleWaitTimeoutMs = 300_000L;
    String offsetTable;
    String consumerId;
    String slices;
    Long maxWindowMs;
    String onExpired;

    /** All defaults. */
    ReadValues() {}

    /** The same values. */
    ReadValues(ReadValues other) {
        readFields = other.readFields;
        filterQuery = other.filterQuery;
        requestTabletSize = other.requestTabletSize;
        requestConnectTimeoutMs = other.requestConnectTimeoutMs;
        requestReadTimeoutMs = other.requestReadTimeoutMs;
        requestQueryTimeoutS = other.requestQueryTimeoutS;
        requestRetries = other.requestRetries;
        requestBatchSize = other.requestBatchSize;
        execMemLimit = other.execMemLimit;
        deserializeQueueSize = other.deserializeQueueSize;
        deserializeArrowAsync = other.deserializeArrowAsync;
        useOldApi = other.useOldApi;
        useFlightSql = other.useFlightSql;
        flightSqlPort = other.flightSqlPort;
        rowLimit = other.rowLimit;
        thriftMaxMessageSize = other.thriftMaxMessageSize;
        scanMode = other.scanMode;
        scanTimestamp = other.scanTimestamp;
        incrementType = other.incrementType;
        pollIntervalMs = other.pollIntervalMs;
        visibleWaitTimeoutMs = other.visibleWaitTimeoutMs;
        offsetTable = other.offsetTable;
        consumerId = other.consumerId;
        slices = other.slices;
        maxWindowMs = other.maxWindowMs;
        onExpired = other.onExpired;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReadValues
                && Arrays.equals(values(), ((ReadValues) other).values());
    }

    @Override
    public int hashCode() {
        return Objects.hash(values());
    }

    private Object[] values() {
        return new Object[] {
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
            incrementType,
            pollIntervalMs,
            visibleWaitTimeoutMs,
            offsetTable,
            consumerId,
            slices,
            maxWindowMs,
            onExpired
        };
    }
}
