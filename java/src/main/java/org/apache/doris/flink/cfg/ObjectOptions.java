package org.apache.doris.flink.cfg;

import org.apache.doris.flink.source.DorisSourceScanMode;
import org.apache.flink.annotation.Internal;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The options objects of a DataStream job as keys and values of a table, so that the same rules
 * hold for both. What is null is left out.
 */
@Internal
public final class ObjectOptions {

    private ObjectOptions() {}

    /** Cluster, table and login. */
    static void putConnection(Map<String, String> map, DorisOptions options) {
        put(map, "fenodes", options.getFenodes());
        put(map, "benodes", options.getBenodes());
        put(map, "table.identifier", options.getTableIdentifier());
        put(map, "username", options.getUsername());
        put(map, "password", options.getPassword());
        put(map, "jdbc-url", options.getJdbcUrl());
        put(map, "auto-redirect", options.isAutoRedirect());
        DorisTlsOptions tls = options.getTlsOptions();
        if (tls.isEnabled()) {
            put(map, "doris.enable.tls", true);
            put(map, "doris.tls.ca-certificate-path", tls.getCaCertificatePath());
            put(map, "doris.tls.skip-hostname-verification", tls.isSkipHostnameVerification());
            put(
                    map,
                    "doris.tls.excluded-protocols",
                    tls.getExcludedProtocols().stream()
                            .map(DorisTlsOptions.Protocol::name)
                            .collect(Collectors.joining(",")));
        }
    }

    /** Time limits and retries of requests, which hold for reading and writing. */
    static void putRequests(Map<String, String> map, DorisReadOptions read) {
        put(map, "doris.request.connect.timeout", read.getRequestConnectTimeoutMs());
        put(map, "doris.request.read.timeout", read.getRequestReadTimeoutMs());
        put(map, "doris.request.retries", read.getRequestRetries());
    }

    /** All of a source but the choice of columns and the limit; a new map. */
    public static Map<String, String> ofSource(DorisOptions options, DorisReadOptions read) {
        Map<String, String> map = new HashMap<>();
        putConnection(map, options);
        putRequests(map, read);
        put(map, "doris.filter.query", read.getFilterQuery());
        put(map, "doris.request.tablet.size", read.getRequestTabletSize());
        if (read.getRequestQueryTimeoutS() != null) {
            put(map, "doris.request.query.timeout", read.getRequestQueryTimeoutS() + " s");
        }
        put(map, "doris.batch.size", read.getRequestBatchSize());
        put(map, "doris.exec.mem.limit", read.getExecMemLimit());
        put(map, "doris.deserialize.queue.size", read.getDeserializeQueueSize());
        put(map, "doris.deserialize.arrow.async", read.getDeserializeArrowAsync());
        put(map, "source.use-old-api", read.getUseOldApi());
        put(map, "source.use-flight-sql", read.getUseFlightSql());
        put(map, "source.flight-sql-port", read.getFlightSqlPort());
        Integer thrift = read.getThriftMaxMessageSize();
        put(map, "doris.thrift.max.message.size", isMost(thrift) ? null : thrift);
        putChangelog(map, read);
        return map;
    }

    private static void putChangelog(Map<String, String> map, DorisReadOptions read) {
        DorisSourceScanMode mode = read.getScanMode();
        put(map, "source.scan.mode", mode == null ? null : mode.option());
        put(map, "source.scan.timestamp", read.getScanTimestamp());
        put(
                map,
                "source.changelog.increment-type",
                read.getBinlogIncrementType() == null
                        ? null
                        : read.getBinlogIncrementType().option());
        put(map, "source.changelog.poll-interval", read.getChangelogPollIntervalMs());
        put(map, "source.changelog.visible-wait-timeout", read.getChangelogVisibleWaitTimeoutMs());
        put(map, "source.changelog.offset-table", read.getChangelogOffsetTable());
        put(map, "source.changelog.consumer-id", read.getChangelogConsumerId());
        put(map, "source.changelog.slices", read.getChangelogSlices());
        put(map, "source.changelog.max-window", read.getChangelogMaxWindowMs());
        put(map, "source.changelog.on-expired", read.getChangelogOnExpired());
    }

    private static boolean isMost(Integer value) {
        return value != null && value == Integer.MAX_VALUE;
    }

    private static void put(Map<String, String> map, String key, Object value) {
        if (value != null) {
            map.put(key, value.toString());
        }
    }
}
