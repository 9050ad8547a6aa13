package org.apache.doris.flink.cfg;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Objects;

/**
 * How to read, and the timeouts and retries of requests, which hold for writing as well. Values are
 * checked when a source or sink is built.
 */
public class DorisReadOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    private String readFields;
    private String filterQuery;
    private final Integer requestTabletSize;
    private final Integer requestConnectTimeoutMs;
    private final Integer requestReadTimeoutMs;
    private final Integer requestQueryTimeoutS;
    private final Integer requestRetries;
    private final Integer requestBatchSize;
    private final Long execMemLimit;
    private final Integer deserializeQueueSize;
    private final Boolean deserializeArrowAsync;
    private final boolean useOldApi;
    private final boolean useFlightSql;
    private Integer flightSqlPort;
    private Long rowLimit;

    /** All values in the order of the class; those of a wrapper type may be null. */
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
        this.readFields = readFields;
        this.filterQuery = filterQuery;
        this.requestTabletSize = requestTabletSize;
        this.requestConnectTimeoutMs = requestConnectTimeoutMs;
        this.requestReadTimeoutMs = requestReadTimeoutMs;
        this.requestQueryTimeoutS = requestQueryTimeoutS;
        this.requestRetries = requestRetries;
        this.requestBatchSize = requestBatchSize;
        this.execMemLimit = execMemLimit;
        this.deserializeQueueSize = deserializeQueueSize;
        this.deserializeArrowAsync = deserializeArrowAsync;
        this.useOldApi = useOldApi;
        this.useFlightSql = useFlightSql;
        this.flightSqlPort = flightSqlPort;
        this.rowLimit = rowLimit;
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
        return filterQuery;
    }

    /** Tablets per split. */
    public Integer getRequestTabletSize() {
        return requestTabletSize;
    }

    /** Longest wait for a connection, in milliseconds. */
    public Integer getRequestConnectTimeoutMs() {
        return requestConnectTimeoutMs;
    }

    /** Longest wait for an answer, in milliseconds. */
    public Integer getRequestReadTimeoutMs() {
        return requestReadTimeoutMs;
    }

    /** Longest run time of a query, in seconds. */
    public Integer getRequestQueryTimeoutS() {
        return requestQueryTimeoutS;
    }

    /** Attempts after the first. */
    public Integer getRequestRetries() {
        return requestRetries;
    }

    /** Rows per batch. */
    public Integer getRequestBatchSize() {
        return requestBatchSize;
    }

    /** Bytes that a back end may use for a split. */
    public Long getExecMemLimit() {
        return execMemLimit;
    }

    /** Batches fetched ahead. */
    public Integer getDeserializeQueueSize() {
        return deserializeQueueSize;
    }

    /** Without effect: decoding is always outside the task thread. */
    public Boolean getDeserializeArrowAsync() {
        return deserializeArrowAsync;
    }

    /** Without effect: there is one source. */
    public boolean getUseOldApi() {
        return useOldApi;
    }

    /** Whether reading goes through Arrow Flight SQL. */
    public boolean getUseFlightSql() {
        return useFlightSql;
    }

    /** Flight port of the front ends; -1 asks the cluster. */
    public Integer getFlightSqlPort() {
        return flightSqlPort;
    }

    /** Most rows; null for all. */
    public Long getRowLimit() {
        return rowLimit;
    }

    /** Chooses the columns to read. */
    public void setReadFields(String readFields) {
        this.readFields = readFields;
    }

    /** Sets the predicate. */
    public void setFilterQuery(String filterQuery) {
        this.filterQuery = filterQuery;
    }

    /** Sets the limit. */
    public void setRowLimit(Long rowLimit) {
        this.rowLimit = rowLimit;
    }

    /** Sets the Flight port. */
    public void setFlightSqlPort(Integer flightSqlPort) {
        this.flightSqlPort = flightSqlPort;
    }

    /** Options with the same values. */
    public DorisReadOptions copy() {
        return new DorisReadOptions(
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
                rowLimit);
    }

    @Override
    public boolean equals(Object other) {
        return other != null
                && getClass() == other.getClass()
                && Arrays.equals(values(), ((DorisReadOptions) other).values());
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
            rowLimit
        };
    }

    /** Builds {@link DorisReadOptions}. */
    public static class Builder {

        private String readFields;
        private String filterQuery;
        private Integer requestTabletSize = 1;
        private Integer requestConnectTimeoutMs = 60000;
        private Integer requestReadTimeoutMs = 60000;
        private Integer requestQueryTimeoutS = 21600;
        private Integer requestRetries = 3;
        private Integer requestBatchSize = 4064;
        private Long execMemLimit = 8192L << 20;
        private Integer deserializeQueueSize = 64;
        private Boolean deserializeArrowAsync = false;
        private Boolean useOldApi = false;
        private Boolean useFlightSql = true;
        private Integer flightSqlPort = -1;
        private Long rowLimit;

        /** Columns to read, in order; null for all. */
        public Builder setReadFields(String readFields) {
            this.readFields = readFields;
            return this;
        }

        /** Predicate in Doris' dialect; null for none. */
        public Builder setFilterQuery(String filterQuery) {
            this.filterQuery = filterQuery;
            return this;
        }

        /** Tablets per split. */
        public Builder setRequestTabletSize(Integer requestTabletSize) {
            this.requestTabletSize = requestTabletSize;
            return this;
        }

        /** Longest wait for a connection, in milliseconds. */
        public Builder setRequestConnectTimeoutMs(Integer requestConnectTimeoutMs) {
            this.requestConnectTimeoutMs = requestConnectTimeoutMs;
            return this;
        }

        /** Longest wait for an answer, in milliseconds. */
        public Builder setRequestReadTimeoutMs(Integer requestReadTimeoutMs) {
            this.requestReadTimeoutMs = requestReadTimeoutMs;
            return this;
        }

        /** Longest run time of a query, in seconds. */
        public Builder setRequestQueryTimeoutS(Integer requestQueryTimeoutS) {
            this.requestQueryTimeoutS = requestQueryTimeoutS;
            return this;
        }

        /** Attempts after the first. */
        public Builder setRequestRetries(Integer requestRetries) {
            this.requestRetries = requestRetries;
            return this;
        }

        /** Rows per batch. */
        public Builder setRequestBatchSize(Integer requestBatchSize) {
            this.requestBatchSize = requestBatchSize;
            return this;
        }

        /** Bytes that a back end may use for a split. */
        public Builder setExecMemLimit(Long execMemLimit) {
            this.execMemLimit = execMemLimit;
            return this;
        }

        /** Batches fetched ahead. */
        public Builder setDeserializeQueueSize(Integer deserializeQueueSize) {
            this.deserializeQueueSize = deserializeQueueSize;
            return this;
        }

        /** Without effect: decoding is always outside the task thread. */
        public Builder setDeserializeArrowAsync(Boolean deserializeArrowAsync) {
            this.deserializeArrowAsync = deserializeArrowAsync;
            return this;
        }

        /** Without effect: there is one source. */
        public Builder setUseOldApi(Boolean useOldApi) {
            this.useOldApi = useOldApi;
            return this;
        }

        /** Whether reading goes through Arrow Flight SQL. */
        public Builder setUseFlightSql(Boolean useFlightSql) {
            this.useFlightSql = useFlightSql;
            return this;
        }

        /** Flight port of the front ends; -1 asks the cluster. */
        public Builder setFlightSqlPort(Integer flightSqlPort) {
            this.flightSqlPort = flightSqlPort;
            return this;
        }

        /** Makes the options. */
        public DorisReadOptions build() {
            return new DorisReadOptions(
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
                    rowLimit);
        }
    }
}
